/* mean.c - chordal, Frechet and Tukey means on the circle (recon.tex, appendix on the robust
 * mean). All three work on the sorted angles; the Frechet mean is exact. */
#include "group/mean.h"

#include "core/blocks.h"
#include "core/arena.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "group/so2/mean.h"
#include "group/so2/verdict.h"
#include "stats/tie.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdlib.h>

#define TWO_PI     (2 * M_PI)
#define TIE        1e-9  /* relative difference of two Frechet losses that counts as none */
#define ROUNDING   1e-14 /* of a loss, per angle */
#define SETS_BLOCK RECON_BLOCK_MEANS

/* Of one mode, see mean_of_one. */
#define FEWEST 5   /* angles that can be told apart at all */
#define ODDS   3.0 /* how much likelier strays are than an arc wider than half the circle */
#define FLAT   1.5 /* nats that make an arc of angles */
#define ENDS   0.12

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

typedef struct {
    double angle, weight;
} weighted;

static int by_angle(const void *a, const void *b)
{
    double x = ((const weighted *)a)->angle, y = ((const weighted *)b)->angle;
    return (x > y) - (x < y);
}

/* As frechet_mean, of angles of different weights. */
recon_status recon_so2_weighted_mean(recon_ctx *ctx, double *out, const double *angles,
                                     const double *weights, size_t n, int chordal)
{
    weighted *w = NULL;
    double c = 0, s = 0, total = 0, sum = 0, squares = 0, best = INFINITY;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &w, n, sizeof *w));
    for (size_t i = 0; i < n; i++) {
        w[i] = (weighted){ recon_so2_wrap(angles[i]), weights ? weights[i] : 1 };
        c += w[i].weight * cos(w[i].angle);
        s += w[i].weight * sin(w[i].angle);
        total += w[i].weight;
        sum += w[i].weight * w[i].angle;
        squares += w[i].weight * w[i].angle * w[i].angle;
    }
    qsort(w, n, sizeof *w, by_angle);
    for (size_t j = 0; j < n && !chordal; j++) {
        double at = recon_so2_wrap(sum / total), loss = squares - sum * sum / total;
        double tie = fmax(TIE * loss, ROUNDING * total);
        if (fabs(loss - best) <= tie ? fabs(at) < fabs(*out) : loss < best)
            *out = at;
        best = fmin(best, loss);
        squares += w[j].weight * TWO_PI * (2 * w[j].angle + TWO_PI);
        sum += w[j].weight * TWO_PI;
    }
    if (chordal)
        *out = atan2(s, c);
done:
    free(w);
    return status;
}

double recon_so2_moments_of(double moment[RECON_SO2_MOMENTS], const double *angles, size_t n)
{
    double re[4] = { 0 }, im[4] = { 0 };
    for (size_t i = 0; i < n; i++) {
        double c = cos(angles[i]), s = sin(angles[i]), x = 1, y = 0;
        for (int m = 0; m < 4; m++) {
            double rotated = c * x - s * y;
            y = s * x + c * y;
            x = rotated;
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

static void add_mode(recon_so2_center *out, recon_so2_mode mode)
{
    int at = out->modes++;
    for (; at > 0 && before(mode, out->mode[at - 1]); at--)
        out->mode[at] = out->mode[at - 1];
    out->mode[at] = mode;
}

/* Whether some angles do not belong to the one mode, by what a background gains: log n/4 nats, less
 * where the angles take more than half the circle, as few laws do and strays mostly. Several modes
 * may look like this too: three in a small first moment, beside a large third one. */
static int has_strays(const recon_so2_modes *modes, size_t n, const double *moment)
{
    double least = log((double)n / 4) - (modes->width > M_PI ? log(ODDS) : 0);
    return n >= FEWEST && modes->stray > least && moment[0] > fmax(0.1, moment[2] / 2);
}

/* The centre of one mode, unless outliers show. In the Frechet mean a stray pulls as hard as it is far
 * away; in the chordal mean an opposite one does not pull at all, which on a flat arc costs
 * precision. Of a flat arc the ends count for something: its middle lies between them. */
static double mean_of_one(const recon_so2_modes *modes, size_t n, const double *moment,
                          double chordal, double frechet)
{
    double to_middle = recon_so2_wrap(modes->from + modes->width / 2 - frechet);
    if (has_strays(modes, n, moment))
        return chordal;
    return modes->flat > FLAT ? recon_so2_wrap(frechet + ENDS * to_middle) : frechet;
}

static void list_modes(recon_so2_center *out, const recon_so2_modes *modes,
                       const recon_so2_verdict *verdict, double one)
{
    int m = verdict->spaced;
    for (int j = 0; j < m; j++)
        add_mode(out, (recon_so2_mode){ recon_so2_wrap(verdict->center + j * TWO_PI / m),
                                        verdict->share[j] });
    for (int i = 0; !m && i < modes->count; i++)
        add_mode(out, (recon_so2_mode){ modes->arc[i].center, modes->arc[i].weight });
    if (recon_so2_one_mode(modes) && !m)
        out->mode[0].at = one;
    if (verdict->natural != RECON_NATURAL_SEVERAL && verdict->natural != RECON_NATURAL_MODULO) {
        out->modes = 1; /* the heaviest, of those that may be there */
        out->mode[0].weight = 1;
    }
}

/* Of evenly spaced modes the heaviest, or, where the sample cannot tell, the one nearest the
 * identity among those that may be. */
static double spaced_mean(const recon_so2_center *center, const recon_so2_verdict *verdict,
                          size_t n)
{
    double best = center->mode[0].at, most = center->mode[0].weight * (double)n;
    for (int i = 1; i < center->modes; i++)
        if (recon_masses_tie(center->mode[i].weight * (double)n, most) &&
            fabs(center->mode[i].at) < fabs(best))
            best = center->mode[i].at;
    return verdict->natural == RECON_NATURAL_MODULO ? verdict->center : best;
}

static recon_status find_center(recon_ctx *ctx, recon_so2_center *out, const double *angles,
                                size_t n, const recon_mean_options *options, recon_arena *arena)
{
    recon_status status;
    recon_mark mark = recon_arena_mark(arena);
    double *sorted, *scratch, variance;
    recon_so2_modes modes;
    recon_so2_verdict verdict;
    RECON_TRY(recon_arena_take(ctx, arena, &sorted, n, sizeof *sorted));
    RECON_TRY(recon_arena_take(ctx, arena, &scratch, recon_so2_modes_scratch(n), sizeof *scratch));
    recon_so2_sort(sorted, angles, n);
    *out = (recon_so2_center){ 0 };
    double chordal = recon_so2_moments_of(out->moment, sorted, n);
    double frechet = frechet_mean(&variance, sorted, n);
    recon_so2_find_modes(&modes, sorted, n, variance, scratch);
    recon_so2_judge(&verdict, sorted, n, out->moment, &modes, scratch);
    out->natural = verdict.natural;
    out->fold = verdict.fold;
    double one = options->kind == RECON_MEAN_AUTO && options->tukey_c == 0
                     ? mean_of_one(&modes, n, out->moment, chordal, frechet)
                     : frechet;
    list_modes(out, &modes, &verdict, one);
    if (options->kind > RECON_MEAN_TUKEY) {
        out->mean = options->kind == RECON_MEAN_CHORDAL ? chordal : frechet;
    } else if (verdict.spaced && options->tukey_c == 0) {
        out->tukey_c = M_PI / verdict.spaced;
        out->mean = spaced_mean(out, &verdict, n);
    } else {
        out->tukey_c = options->tukey_c;
        out->mean = recon_so2_tukey(&out->tukey_c, sorted, n, &modes, one);
    }
done:
    recon_arena_release(arena, mark);
    return status;
}

static recon_status check_angles(recon_ctx *ctx, const double *angles, size_t sets, size_t k,
                                 const recon_mean_options *options)
{
    double c = options->tukey_c;
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
        RECON_CHECK(find_center(ctx, &b->out[i], angles, b->k, &b->options,
                                recon_worker_arena(ctx, worker)));
    }
    return RECON_OK;
}

recon_status recon_so2_mean_batch(recon_ctx *ctx, recon_so2_center *out, const double *angles,
                                  size_t sets, size_t k, const recon_mean_options *options)
{
    batch b = { out, angles, sets, k, options ? *options : (recon_mean_options){ 0 } };
    RECON_CHECK(recon_mean_options_check(ctx, &b.options));
    RECON_CHECK(check_angles(ctx, angles, sets, k, &b.options));
    return recon_parallel(ctx, block_of_sets, &b, (sets + SETS_BLOCK - 1) / SETS_BLOCK);
}

recon_status recon_so2_mean(recon_ctx *ctx, recon_so2_center *out, const double *angles, size_t n,
                            const recon_mean_options *options)
{
    return recon_so2_mean_batch(ctx, out, angles, 1, n, options);
}
