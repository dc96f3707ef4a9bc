/* so2_mean.c - chordal, Frechet and Tukey means on the circle (recon.tex, appendix on the robust
 * mean). All three work on the sorted angles; the Frechet mean is exact. */
#include <recon/stats/so2_mean.h>

#include "core/arena.h"
#include "core/fail.h"
#include "core/threads.h"
#include "stats/so2_check.h"
#include "stats/so2_modes.h"
#include "stats/so2_sort.h"

#include <math.h>
#include <recon/group/so2.h>

#define TWO_PI     (2 * M_PI)
#define TIE        1e-9  /* relative difference of two Frechet losses that counts as none */
#define ROUNDING   1e-14 /* of a loss, per angle */
#define MAX_STEPS  500
#define CONVERGED  1e-13
#define SETS_BLOCK 64

typedef struct {
    const double *sorted;
    size_t n;
    double frechet;
    recon_so2_modes modes;
} sample;

/* A minimiser has some j first angles (of the sorted ones) on its far side, that is, one turn up:
 * for each j the best point is the mean, and prefix sums give its loss. */
static double frechet_mean(double *variance, const double *sorted, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += sorted[i];
        squares += sorted[i] * sorted[i];
    }
    double best = INFINITY, mean = 0;
    for (size_t j = 0; j < n; j++) {
        double y = sum / (double)n, at = recon_so2_wrap(y);
        double loss = squares - sum * y;
        double tie = fmax(TIE * loss, ROUNDING * (double)n);
        if (fabs(loss - best) <= tie ? fabs(at) < fabs(mean) : loss < best)
            mean = at;
        best = fmin(best, loss);
        squares += TWO_PI * (2 * sorted[j] + TWO_PI);
        sum += TWO_PI;
    }
    *variance = fmax(best, 0) / (double)n;
    return mean;
}

/* sorted and y lie in (-pi, pi], so their difference is less than one turn off. */
static inline double turn_to(double from, double to)
{
    double d = to - from;
    return d > M_PI ? d - TWO_PI : d <= -M_PI ? d + TWO_PI : d;
}

/* One reweighted tangent step at y: the mean of the angles as seen from y, weighted by
 * (1 - (d/c)^2)^2. *mass is how many angles the loss sees: n - 6/c^2 times the Tukey loss. */
static double tukey_step(double *mass, double y, const double *sorted, size_t n, double c)
{
    double pull = 0, weight = 0, seen = 0, scale = 1 / (c * c);
    for (size_t i = 0; i < n; i++) {
        double d = turn_to(y, sorted[i]), u = 1 - d * d * scale;
        u = u > 0 ? u : 0;
        pull += u * u * d;
        weight += u * u;
        seen += u * u * u;
    }
    *mass = seen;
    return weight > 0 ? pull / weight : 0;
}

static double tukey_from(double *mass, double y, const double *sorted, size_t n, double c)
{
    for (int i = 0; i < MAX_STEPS; i++) {
        double step = tukey_step(mass, y, sorted, n, c);
        y = recon_so2_wrap(y + step);
        if (fabs(step) < CONVERGED)
            break;
    }
    return y;
}

/* A sample cannot tell two masses apart that differ by less than three standard deviations; one
 * less than half the other is the lesser in any case, or a few strays would be its equal. */
static int tied(double less, double more)
{
    return less >= more / 2 && more - less <= 3 * sqrt(more + less);
}

typedef struct {
    double at, mass; /* mass in points */
} candidate;

static size_t choose(const candidate *c, size_t count)
{
    size_t heaviest = 0;
    for (size_t i = 1; i < count; i++)
        heaviest = c[i].mass > c[heaviest].mass ? i : heaviest;
    size_t best = heaviest;
    for (size_t i = 0; i < count; i++)
        if (tied(c[i].mass, c[heaviest].mass) && fabs(c[i].at) < fabs(c[best].at))
            best = i;
    return best;
}

/* Counter-clockwise from one angle to another: [0, 2 pi). */
static double ahead(double from, double to)
{
    double d = recon_so2_wrap(to - from);
    return d < 0 ? d + TWO_PI : d;
}

/* To the middle of the nearest gap beside the mode, which for modes of equal width is half their
 * spacing. With strays on all sides: three half-widths, beyond which a normal has nothing left. */
static double adaptive_c(const recon_so2_modes *modes, size_t at)
{
    const recon_so2_arc *own = &modes->arc[at];
    double c = modes->strays ? 1.5 * (own->width + 2 * RECON_SO2_RESOLUTION) : M_PI;
    double above = ahead(own->center, own->from + own->width), below = own->width - above;
    for (size_t i = 0; i < (size_t)modes->count; i++) {
        const recon_so2_arc *other = &modes->arc[i];
        if (i == at)
            continue;
        double up = ahead(own->center, other->from);
        double down = ahead(other->from + other->width, own->center);
        c = fmin(c, fmin(above + up, below + down) / 2);
    }
    return fmin(c, M_PI);
}

static void tukey_adaptive(recon_so2_center *out, const sample *s)
{
    candidate modes[RECON_MODES_MAX] = { { 0 } };
    out->mean = s->frechet;
    if (s->modes.count == 1 && !s->modes.strays)
        return;
    for (int i = 0; i < s->modes.count; i++)
        modes[i] = (candidate){ s->modes.arc[i].center, s->modes.arc[i].weight * (double)s->n };
    size_t chosen = choose(modes, (size_t)s->modes.count);
    double mass;
    out->tukey_c = adaptive_c(&s->modes, chosen);
    out->mean = tukey_from(&mass, modes[chosen].at, s->sorted, s->n, out->tukey_c);
}

static void tukey_fixed(recon_so2_center *out, const sample *s, double c)
{
    candidate found[RECON_MODES_MAX + 1];
    size_t count = (size_t)s->modes.count;
    for (size_t i = 0; i <= count; i++) {
        double start = i < count ? s->modes.arc[i].center : s->frechet;
        found[i].at = tukey_from(&found[i].mass, start, s->sorted, s->n, c);
    }
    out->tukey_c = c;
    out->mean = found[choose(found, count + 1)].at;
}

static double moments(double moment[4], const double *angles, size_t n)
{
    double re[4] = { 0 }, im[4] = { 0 };
    for (size_t i = 0; i < n; i++) {
        double c = cos(angles[i]), s = sin(angles[i]), x = 1, y = 0;
        for (int m = 0; m < 4; m++) {
            double turned = c * x - s * y;
            y = s * x + c * y;
            x = turned;
            re[m] += x;
            im[m] += y;
        }
    }
    for (int m = 0; m < 4; m++)
        moment[m] = sqrt(re[m] * re[m] + im[m] * im[m]) / (double)n;
    return atan2(im[0], re[0]);
}

static int before(recon_so2_mode a, recon_so2_mode b)
{
    return a.weight > b.weight || (a.weight == b.weight && fabs(a.at) < fabs(b.at));
}

static void list_modes(recon_so2_center *out, const sample *s)
{
    out->modes = s->modes.count;
    for (int i = 0; i < s->modes.count; i++) {
        recon_so2_mode mode = { s->modes.arc[i].center, s->modes.arc[i].weight };
        int at = i;
        for (; at > 0 && before(mode, out->mode[at - 1]); at--)
            out->mode[at] = out->mode[at - 1];
        out->mode[at] = mode;
    }
    if (s->modes.count == 1 && !s->modes.strays)
        out->mode[0].at = s->frechet;
}

static recon_status find_center(recon_ctx *ctx, recon_so2_center *out, const double *angles,
                                size_t n, const recon_mean_options *options, recon_arena *arena)
{
    recon_status status;
    recon_mark mark = recon_arena_mark(arena);
    double *sorted, *scratch;
    sample s = { .n = n };
    RECON_TRY(recon_arena_take(ctx, arena, &sorted, n, sizeof *sorted));
    RECON_TRY(recon_arena_take(ctx, arena, &scratch, recon_so2_modes_scratch(n), sizeof *scratch));
    recon_so2_sort(sorted, angles, n);
    s.sorted = sorted;
    double variance;
    s.frechet = frechet_mean(&variance, sorted, n);
    recon_so2_find_modes(&s.modes, sorted, n, variance, scratch);
    *out = (recon_so2_center){ 0 };
    double chordal = moments(out->moment, sorted, n);
    if (options->kind == RECON_MEAN_CHORDAL)
        out->mean = chordal;
    else if (options->kind == RECON_MEAN_FRECHET)
        out->mean = s.frechet;
    else if (options->tukey_c > 0)
        tukey_fixed(out, &s, options->tukey_c);
    else
        tukey_adaptive(out, &s);
    list_modes(out, &s);
done:
    recon_arena_release(arena, mark);
    return status;
}

static recon_status check(recon_ctx *ctx, const double *angles, size_t sets, size_t k, double c)
{
    if (!(c >= 0) || isinf(c))
        return recon_fail(ctx, RECON_ERR_INPUT, "tukey_c is %g, expected 0 or a positive angle", c);
    return recon_so2_check(ctx, angles, sets, k);
}

typedef struct {
    recon_so2_center *out;
    const double *angles;
    size_t sets, k;
    recon_mean_options options;
} batch;

static recon_status block_of_sets(recon_ctx *ctx, void *arg, size_t block, int worker)
{
    const batch *b = arg;
    size_t end = (block + 1) * SETS_BLOCK < b->sets ? (block + 1) * SETS_BLOCK : b->sets;
    for (size_t i = block * SETS_BLOCK; i < end; i++) {
        const double *angles = b->angles + i * b->k;
        recon_status status = find_center(ctx, &b->out[i], angles, b->k, &b->options,
                                          recon_worker_arena(ctx, worker));
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

recon_status recon_so2_mean_batch(recon_ctx *ctx, recon_so2_center *out, const double *angles,
                                  size_t sets, size_t k, const recon_mean_options *options)
{
    batch b = { out, angles, sets, k, options ? *options : (recon_mean_options){ 0 } };
    recon_status status = check(ctx, angles, sets, k, b.options.tukey_c);
    if (status != RECON_OK)
        return status;
    return recon_parallel(ctx, block_of_sets, &b, (sets + SETS_BLOCK - 1) / SETS_BLOCK);
}

recon_status recon_so2_mean(recon_ctx *ctx, recon_so2_center *out, const double *angles, size_t n,
                            const recon_mean_options *options)
{
    return recon_so2_mean_batch(ctx, out, angles, 1, n, options);
}
