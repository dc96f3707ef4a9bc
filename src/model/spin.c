/* spin.c - the free spin of a class: a best-first search over candidates, many queries at a time.
 *
 * Every query holds a contest among rotations. A candidate's sum over the neighbours seen so far bounds
 * its whole sum from above, so the one with the largest bound is seen on, and when it is complete
 * it has won: exactly what looking at everything would find, ties included. */
#include "model/spin.h"
#include "core/blocks.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/simd.h"

#include <math.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)

enum {
    STEPS = 36,
    WHOLE = 512,
    MAX_STEPS = 1024,
    FIRST = 2, /* neighbours that every candidate is seen on */
    PAIRS = RECON_BLOCK_SPIN
};
#define ROOM (1u << 22) /* sums held at a time: 16 MiB */

/* The first is for rotations that are spread over all of SO(3), about 40 degrees apart. */
static const double finer[] = { 24 * DEGREE, 12 * DEGREE, 6 * DEGREE, 3 * DEGREE };
enum { LEVELS = sizeof finer / sizeof *finer, AROUND = 6 };

typedef struct {
    recon_so3 rotation;
    size_t done; /* neighbours seen                                       */
    float bound; /* the largest sum over those                            */
    float *sum;  /* [labels]                                              */
} candidate;

typedef struct {
    candidate *c;
    size_t count, best;
    int over;
} contest;

typedef struct {
    recon_ctx *ctx;
    const recon_spin_classes *all;
    recon_spin_judge *judge;
    void *user;
    size_t labels, most; /* candidates a contest has room for */
    float floor;
    size_t first, n; /* queries of this block */
    contest *of;     /* [n] */
    candidate *candidates;
    float *sums;
    size_t pairs; /* waiting to be asked about */
    int64_t conformer[PAIRS];
    recon_so3 rotation[PAIRS];
    candidate *owner[PAIRS];
    float *log_p; /* [PAIRS][labels] */
    uint64_t passes;
} search;

/* --- asking ----------------------------------------------------------------------------------- */

/* sum += max(log_p, floor); returns the largest sum, NaN where a number is. */
RECON_CLONES static float add_row(float *restrict sum, const float *restrict log_p, float floor,
                                  size_t n)
{
    enum { LANES = 16 };
    float most[LANES], best = -INFINITY;
    int bad[LANES] = { 0 };
    size_t whole = n / LANES * LANES;
    for (size_t i = 0; i < LANES; i++)
        most[i] = -INFINITY;
    for (size_t at = 0; at < n; at += LANES)
        for (size_t i = 0; i < (at < whole ? LANES : n - at); i++) {
            float v = log_p[at + i];
            v = v < floor ? floor : v > 0 ? 0 : v;
            v = sum[at + i] += v;
            most[i] = v > most[i] ? v : most[i];
            bad[i] |= v != v;
        }
    for (size_t i = 0; i < LANES; i++)
        best = bad[i] ? NAN : most[i] > best ? most[i] : best;
    return best;
}

static recon_status ask(search *s)
{
    recon_status status =
        s->pairs ? s->judge(s->ctx, s->user, s->log_p, s->conformer, s->rotation, s->pairs)
                 : RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < s->pairs; i++) {
        candidate *c = s->owner[i];
        c->bound = add_row(c->sum, s->log_p + i * s->labels, s->floor, s->labels);
        if (isnan(c->bound))
            status = recon_fail(s->ctx, RECON_ERR_INPUT,
                                "spin: the judge's answer for conformer %lld is not a number",
                                (long long)s->conformer[i]);
    }
    s->passes += s->pairs;
    s->pairs = 0;
    return status;
}

/* Shows a candidate of query q to the judge on its next few neighbours. */
static recon_status see(search *s, size_t q, candidate *c, size_t count)
{
    const recon_spin_classes *all = s->all;
    size_t row = s->first + q;
    for (; count && c->done < all->k; count--, c->done++) {
        int64_t j = all->neighbors[row * all->k + c->done];
        s->conformer[s->pairs] = j;
        s->rotation[s->pairs] = recon_so3_compose(
            c->rotation, recon_so3_compose(all->lambda[row], recon_so3_inverse(all->psi[j])));
        s->owner[s->pairs++] = c;
        if (s->pairs == PAIRS)
            RECON_CHECK(ask(s));
    }
    return RECON_OK;
}

/* --- contests --------------------------------------------------------------------------------- */

static void enter(search *s, contest *t, recon_so3 rotation)
{
    candidate *c = &t->c[t->count++];
    c->rotation = rotation;
    c->done = 0;
    memset(c->sum, 0, s->labels * sizeof *c->sum);
}

/* The next step of one contest; bounds are up to date. */
static recon_status go_on(search *s, size_t q)
{
    contest *t = &s->of[q];
    t->best = 0;
    for (size_t i = 1; i < t->count; i++)
        t->best = t->c[i].bound > t->c[t->best].bound ? i : t->best;
    candidate *c = &t->c[t->best];
    t->over = c->done == s->all->k;
    return t->over ? RECON_OK : see(s, q, c, c->done); /* as many again */
}

static recon_status decide(search *s)
{
    size_t open = s->n;
    for (size_t q = 0; q < s->n; q++) {
        s->of[q].over = 0;
        for (size_t i = 0; i < s->of[q].count; i++)
            if (s->of[q].c[i].done == 0)
                RECON_CHECK(see(s, q, &s->of[q].c[i], FIRST));
    }
    while (open) {
        RECON_CHECK(ask(s));
        open = 0;
        for (size_t q = 0; q < s->n; q++) {
            if (!s->of[q].over)
                RECON_CHECK(go_on(s, q));
            open += !s->of[q].over;
        }
    }
    return RECON_OK;
}

/* The axis of query q and two across it. */
static void frame(double out[3][3], const search *s, size_t q)
{
    const double *w = s->all->axis + 3 * (s->first + q);
    double length = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), e[3] = { 0 };
    int least = 0;
    for (int i = 0; i < 3; i++) {
        out[0][i] = w[i] / length;
        least = fabs(w[i]) < fabs(w[least]) ? i : least;
    }
    e[least] = 1;
    for (int j = 1; j < 3; j++) { /* e x w, then w x that */
        const double *a = j == 1 ? e : out[0], *b = j == 1 ? out[0] : out[1];
        for (int i = 0; i < 3; i++)
            out[j][i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
        length = sqrt(out[j][0] * out[j][0] + out[j][1] * out[j][1] + out[j][2] * out[j][2]);
        for (int i = 0; i < 3; i++)
            out[j][i] /= length;
    }
}

/* Rotation i of n that are spread evenly over SO(3): a spiral (Alexa, Super-Fibonacci Spirals, CVPR
 * 2022). */
static recon_so3 spread_rotation(size_t i, size_t n)
{
    double at = (double)i + 0.5, share = at / (double)n;
    double a = 360 * DEGREE * at / sqrt(2), b = 360 * DEGREE * at / 1.533751168755204288118041;
    double r = sqrt(share), rest = sqrt(1 - share);
    const recon_so3 q = { r * sin(a), r * cos(a), rest * sin(b), rest * cos(b) };
    return recon_so3_compose(recon_so3_identity(), q); /* w >= 0 */
}

static recon_status spin(search *s, const recon_spin_options *o)
{
    double axes[3][3];
    for (size_t q = 0; q < s->n; q++) {
        frame(axes, s, q);
        s->of[q].count = 0;
        for (size_t i = 0; i < o->steps; i++)
            enter(s, &s->of[q],
                  o->whole ? spread_rotation(i, o->steps)
                           : recon_so3_from_axis_angle(axes[0], 360 * DEGREE * (double)i /
                                                                    (double)o->steps));
    }
    return decide(s);
}

/* What was best stays in front, and so keeps its place unless another is better. */
static recon_status refine(search *s, double angle, int directions)
{
    double axes[3][3];
    for (size_t q = 0; q < s->n; q++) {
        contest *t = &s->of[q];
        candidate best = t->c[t->best];
        t->c[t->best] = t->c[0];
        t->c[0] = best;
        t->count = 1;
        frame(axes, s, q);
        for (int d = 0; d < directions; d++)
            enter(s, t,
                  recon_so3_compose(recon_so3_from_axis_angle(axes[d / 2], d % 2 ? -angle : angle),
                                    best.rotation));
    }
    return decide(s);
}

static recon_status run_block(search *s, recon_spin *out, const recon_spin_options *o)
{
    recon_status status = spin(s, o);
    int refined = o->refine != RECON_SPIN_REFINE_NONE;
    for (int l = o->whole ? 0 : 1; status == RECON_OK && l < LEVELS && refined; l++)
        status = refine(s, finer[l], o->refine == RECON_SPIN_REFINE_ALL ? AROUND : 2);
    for (size_t q = 0; status == RECON_OK && q < s->n; q++) {
        const candidate *c = &s->of[q].c[s->of[q].best];
        out[q] =
            (recon_spin){ .rotation = c->rotation,
                          .lambda = recon_so3_compose(c->rotation, s->all->lambda[s->first + q]),
                          .score = c->bound };
    }
    return status;
}

/* --- the whole -------------------------------------------------------------------------------- */

static int is_rotation(recon_so3 a)
{
    return fabs(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z - 1) < 1e-6;
}

static recon_status check_classes(recon_ctx *ctx, const recon_spin_classes *a, size_t labels,
                                  const recon_spin_options *o)
{
    if (a->k == 0 || labels == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "spin: no %s", labels ? "neighbours" : "labels");
    if (o->steps > MAX_STEPS || !(o->floor <= 0))
        return recon_fail(ctx, RECON_ERR_INPUT, "spin: %zu steps, a floor of %g", o->steps,
                          o->floor);
    for (size_t i = 0; i < a->conformers; i++)
        if (!is_rotation(a->psi[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "spin: pose %zu is not a rotation", i);
    for (size_t i = 0; i < a->n; i++) {
        const double *w = a->axis + 3 * i;
        double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        if (!is_rotation(a->lambda[i]) || !(square > 0) || !isfinite(square))
            return recon_fail(ctx, RECON_ERR_INPUT, "spin: query %zu has no %s", i,
                              is_rotation(a->lambda[i]) ? "axis" : "natural pose");
    }
    for (size_t i = 0; i < a->n * a->k; i++)
        if (a->neighbors[i] < 0 || (uint64_t)a->neighbors[i] >= a->conformers)
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "spin: neighbour %zu of query %zu is %lld, of %zu", i % a->k,
                              i / a->k, (long long)a->neighbors[i], a->conformers);
    return RECON_OK;
}

static recon_status make_room(search *s, size_t block)
{
    RECON_CHECK(recon_alloc(s->ctx, &s->of, block, sizeof *s->of));
    RECON_CHECK(recon_alloc(s->ctx, &s->candidates, block * s->most, sizeof *s->candidates));
    RECON_CHECK(recon_alloc_raw(s->ctx, &s->sums, block * s->most * s->labels, sizeof *s->sums));
    RECON_CHECK(recon_alloc_raw(s->ctx, &s->log_p, PAIRS * s->labels, sizeof *s->log_p));
    for (size_t i = 0; i < block * s->most; i++)
        s->candidates[i].sum = s->sums + i * s->labels;
    for (size_t q = 0; q < block; q++)
        s->of[q].c = s->candidates + q * s->most;
    return RECON_OK;
}

static recon_status run(search *s, recon_spin *out, const recon_spin_options *o)
{
    size_t block = ROOM / (s->most * s->labels), n = s->all->n;
    block = block < 1 ? 1 : block > n ? n : block;
    RECON_CHECK(make_room(s, block));
    recon_progress_begin(s->ctx, "spin", n);
    for (; s->first < n; s->first += block) {
        s->n = n - s->first < block ? n - s->first : block;
        RECON_CHECK(run_block(s, out + s->first, o));
        recon_progress_add(s->ctx, s->n);
    }
    recon_progress_end(s->ctx);
    return RECON_OK;
}

recon_status recon_spin_options_check(recon_ctx *ctx, const recon_spin_options *options)
{
    RECON_CHECK(RECON_OPTIONS_CHECK(ctx, options, recon_spin_options));
    if (options)
        RECON_CHECK(recon_enum_check(ctx, options->refine, RECON_SPIN_REFINE_NONE, "refinement"));
    return RECON_OK;
}

recon_status recon_spin_choose(recon_ctx *ctx, recon_spin *out, uint64_t *passes,
                               const recon_spin_classes *classes, recon_spin_judge *judge,
                               void *user, size_t labels, const recon_spin_options *options)
{
    recon_spin_options o = options ? *options : (recon_spin_options){ 0 };
    search *s = NULL;
    recon_status status;
    o.steps = o.steps ? o.steps : o.whole ? WHOLE : STEPS;
    o.floor = o.floor == 0 ? -7 : o.floor;
    RECON_TRY(recon_spin_options_check(ctx, &o));
    RECON_TRY(check_classes(ctx, classes, labels, &o));
    RECON_TRY(recon_alloc(ctx, &s, 1, sizeof *s));
    s->ctx = ctx;
    s->all = classes;
    s->judge = judge;
    s->user = user;
    s->labels = labels;
    s->most = o.steps > AROUND ? o.steps : AROUND + 1;
    s->floor = (float)o.floor;
    if (classes->n)
        RECON_TRY(run(s, out, &o));
    if (passes)
        *passes = s->passes;
done:
    if (s) {
        recon_free_all(s->of, s->candidates, s->sums, s->log_p, s);
    }
    return status;
}
