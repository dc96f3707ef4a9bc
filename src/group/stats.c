/* stats.c - statistics of poses of any group: see recon/group/group.h. */
#include "core/fail.h"
#include "core/memory.h"
#include "group/group.h"
#include "group/mean.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DRAWN = 499,   /* sets beside which a statistic is put */
    PAIRS = 16384, /* of poses, that are looked at */
    LOOKED = 256,  /* poses that are divided into parts */
    PARTS = 4,
    ROUNDS = 12,
    STEPS = 200,
    ONE_LEAST = 5
};
#define STILL     1e-14 /* a step that is rounding */
#define SHARPNESS 2.0   /* of the kernel of pairs */
#define STRAY     4.0   /* medians of the distance */

static recon_status check(recon_ctx *ctx, const recon_group *group, const double *poses,
                          const double *weights, size_t n)
{
    double sum = 0;
    RECON_CHECK(recon_group_check(ctx, group));
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "statistics of no poses");
    for (size_t i = 0; weights && i < n; i++) {
        if (!(weights[i] >= 0 && isfinite(weights[i])))
            return recon_fail(ctx, RECON_ERR_INPUT, "weight %zu is %g: at least 0 is needed", i,
                              weights[i]);
        sum += weights[i];
    }
    if (weights && !(sum > 0))
        return recon_fail(ctx, RECON_ERR_INPUT, "all weights are 0");
    return group->check(ctx, group, poses, n);
}

/* --- means ------------------------------------------------------------------------------------ */

/* Of a finite group. */
static recon_status most_frequent(recon_ctx *ctx, double *out, const recon_group *g,
                                  const double *poses, const double *weights, size_t n)
{
    size_t *kind = NULL, kinds = 0, best = 0;
    double *sum = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &kind, n, sizeof *kind));
    RECON_TRY(recon_alloc(ctx, &sum, n, sizeof *sum));
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < kinds &&
               g->distance(g, poses + kind[k] * g->numbers, poses + i * g->numbers) > 1e-9)
            k++;
        if (k == kinds)
            kind[kinds++] = i;
        sum[k] += weights ? weights[i] : 1;
    }
    for (size_t k = 1; k < kinds; k++)
        best = sum[k] > sum[best] ? k : best;
    memcpy(out, poses + kind[best] * g->numbers, g->numbers * sizeof *out);
done:
    recon_free_all(kind, sum);
    return status;
}

/* The weighted mean of log(g at^-1). */
static void pull(double *v, const recon_group *g, const double *at, const double *poses,
                 const double *weights, size_t n)
{
    double back[RECON_NUMBERS_MAX], own[RECON_NUMBERS_MAX], total = 0;
    g->inverse(g, back, at);
    memset(v, 0, g->dimension * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        double w = weights ? weights[i] : 1;
        g->compose(g, own, poses + i * g->numbers, back);
        g->log(g, own, own);
        for (size_t d = 0; d < g->dimension; d++)
            v[d] += w * own[d];
        total += w;
    }
    for (size_t d = 0; d < g->dimension; d++)
        v[d] /= total;
}

static double length(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* From the pose of the greatest weight; where steps do not shrink, they are halved. */
static recon_status group_mean(recon_ctx *ctx, double *out, const recon_group *g,
                               const double *poses, const double *weights, size_t n)
{
    double v[RECON_NUMBERS_MAX], before = INFINITY, size = 1;
    size_t first = 0;
    for (size_t i = 1; weights && i < n; i++)
        first = weights[i] > weights[first] ? i : first;
    memcpy(out, poses + first * g->numbers, g->numbers * sizeof *out);
    for (int step = 0; step < STEPS; step++) {
        pull(v, g, out, poses, weights, n);
        double now = length(v, g->dimension);
        if (now < STILL)
            return RECON_OK;
        size = now > before ? size / 2 : size;
        before = now;
        for (size_t d = 0; d < g->dimension; d++)
            v[d] *= size;
        g->exp(g, v, v);
        g->compose(g, out, v, out);
    }
    return before < 1e-9
               ? RECON_OK
               : recon_fail(ctx, RECON_ERR_NUMERIC,
                            "the mean in %s does not converge: the poses are too far apart",
                            g->words);
}

recon_status recon_stats_mean(recon_ctx *ctx, double *out, const recon_group *group,
                              const double *poses, const double *weights, size_t n,
                              recon_mean_kind kind)
{
    RECON_CHECK(check(ctx, group, poses, weights, n));
    RECON_CHECK(recon_enum_check(ctx, kind, RECON_MEAN_CHORDAL, "mean"));
    if (kind <= RECON_MEAN_TUKEY) {
        if (weights)
            return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                              "robust means take no weights: frechet and chordal ones do");
        recon_center center;
        RECON_CHECK(recon_group_center(ctx, &center, group, poses, n,
                                       &(recon_mean_options){ .kind = kind }));
        memcpy(out, center.mean, group->numbers * sizeof *out);
        return RECON_OK;
    }
    if (group->dimension == 0)
        return most_frequent(ctx, out, group, poses, weights, n);
    if (group->mean)
        return group->mean(ctx, group, out, poses, weights, n, kind);
    if (kind == RECON_MEAN_CHORDAL || !group->exp || !group->log)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "there is no %s mean in %s",
                          recon_mean_name(kind), group->words);
    return group_mean(ctx, out, group, poses, weights, n);
}

recon_status recon_stats_dispersion(recon_ctx *ctx, double *out, const recon_group *group,
                                    const double *poses, const double *weights, size_t n)
{
    double mean[RECON_NUMBERS_MAX], sum = 0, total = 0;
    RECON_CHECK(recon_stats_mean(ctx, mean, group, poses, weights, n, RECON_MEAN_FRECHET));
    for (size_t i = 0; i < n; i++) {
        double w = weights ? weights[i] : 1;
        double d = group->distance(group, poses + i * group->numbers, mean);
        sum += w * d * d;
        total += w;
    }
    *out = sqrt(sum / total);
    return RECON_OK;
}

/* --- is the law uniform? ---------------------------------------------------------------------- */

/* Over all pairs, or of many poses over those of each with the next ones. */
static double closeness(const recon_group *g, const double *poses, size_t n)
{
    size_t next = n / 2 < PAIRS / n + 1 ? n / 2 : PAIRS / n + 1;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 1; j <= next; j++)
            sum += exp(-SHARPNESS *
                       g->distance(g, poses + i * g->numbers, poses + (i + j) % n * g->numbers));
    return sum;
}

recon_status recon_stats_uniform_test(recon_ctx *ctx, double *p_value, const recon_group *group,
                                      const double *poses, size_t n)
{
    double *drawn = NULL;
    recon_rng rng = recon_rng_new(1, 0);
    recon_status status;
    int as_close = 1;
    RECON_TRY(check(ctx, group, poses, NULL, n));
    if (!isfinite(group->uniform))
        RECON_TRY(recon_fail(ctx, RECON_ERR_UNSUPPORTED, "no law in %s is uniform", group->words));
    RECON_TRY(recon_alloc_raw(ctx, &drawn, n, group->numbers * sizeof *drawn));
    double own = closeness(group, poses, n) * (1 - 1e-12);
    for (int set = 0; set < DRAWN; set++) {
        for (size_t i = 0; i < n; i++)
            group->haar(group, drawn + i * group->numbers, &rng);
        as_close += closeness(group, drawn, n) >= own;
    }
    *p_value = as_close / (DRAWN + 1.0);
done:
    free(drawn);
    return status;
}

/* --- one mode? -------------------------------------------------------------------------------- */

typedef struct {
    size_t n, dim;
    double *v; /* [n][dim] tangent vectors */
} cloud;

static double squared(const double *a, const double *b, size_t dim)
{
    double sum = 0;
    for (size_t d = 0; d < dim; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

static size_t nearest_part(double *least, const double *v, double (*at)[RECON_NUMBERS_MAX],
                           size_t parts, size_t dim)
{
    size_t best = 0;
    *least = INFINITY;
    for (size_t k = 0; k < parts; k++) {
        double d = squared(v, at[k], dim);
        if (d < *least)
            *least = d, best = k;
    }
    return best;
}

/* The squares left by so many parts, from the points that are farthest from one another. */
static double divide(const cloud *c, size_t parts)
{
    double at[PARTS + 1][RECON_NUMBERS_MAX] = { { 0 } }, left = 0, least;
    for (size_t k = 0; k < parts; k++) {
        size_t far = 0;
        double most = -1;
        for (size_t i = 0; i < c->n; i++) { /* the first: from the mean, 0 */
            nearest_part(&least, c->v + i * c->dim, at, k ? k : 1, c->dim);
            if (least > most)
                most = least, far = i;
        }
        memcpy(at[k], c->v + far * c->dim, c->dim * sizeof **at);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double sum[PARTS + 1][RECON_NUMBERS_MAX] = { { 0 } }, count[PARTS + 1] = { 0 };
        left = 0;
        for (size_t i = 0; i < c->n; i++) {
            size_t k = nearest_part(&least, c->v + i * c->dim, at, parts, c->dim);
            left += least;
            count[k]++;
            for (size_t d = 0; d < c->dim; d++)
                sum[k][d] += c->v[i * c->dim + d];
        }
        for (size_t k = 0; k < parts; k++)
            for (size_t d = 0; d < c->dim && count[k] > 0; d++)
                at[k][d] = sum[k][d] / count[k];
    }
    return left;
}

/* Small where parts leave little: of flat laws about the same for each number of parts. */
static double unity(const cloud *c)
{
    double whole = divide(c, 1), least = INFINITY;
    for (size_t parts = 2; parts <= PARTS; parts++)
        least = fmin(least, pow((double)parts, 2 / (double)c->dim) * divide(c, parts));
    return whole > 0 ? least / whole : INFINITY;
}

/* The lower triangle whose square is the covariance of vectors about 0. */
static void root_of(double (*l)[RECON_NUMBERS_MAX], const cloud *c)
{
    for (size_t a = 0; a < c->dim; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t i = 0; i < c->n; i++)
                sum += c->v[i * c->dim + a] * c->v[i * c->dim + b] / (double)c->n;
            for (size_t k = 0; k < b; k++)
                sum -= l[a][k] * l[b][k];
            l[a][b] = a == b ? sqrt(fmax(sum, 0)) : l[b][b] > 0 ? sum / l[b][b] : 0;
        }
}

/* Evenly from the ellipsoid l times a ball. */
static void draw_flat(cloud *c, double (*l)[RECON_NUMBERS_MAX], recon_rng *rng)
{
    double dim = (double)c->dim;
    for (size_t i = 0; i < c->n; i++) {
        double u[RECON_NUMBERS_MAX];
        for (size_t d = 0; d < c->dim; d++)
            u[d] = recon_rng_normal(rng);
        double scale = sqrt(dim + 2) * pow(recon_rng_uniform(rng), 1 / dim) / length(u, c->dim);
        for (size_t a = 0; a < c->dim; a++) {
            c->v[i * c->dim + a] = 0;
            for (size_t b = 0; b <= a; b++)
                c->v[i * c->dim + a] += l[a][b] * scale * u[b];
        }
    }
}

/* Without strays, about their mean. */
static void tidy(cloud *c)
{
    double far[LOOKED], sorted[LOOKED], mean[RECON_NUMBERS_MAX] = { 0 };
    size_t kept = 0;
    for (size_t i = 0; i < c->n; i++)
        sorted[i] = far[i] = length(c->v + i * c->dim, c->dim);
    recon_sort_doubles(sorted, c->n);
    double most = STRAY * recon_quantile(sorted, c->n, 0.5);
    for (size_t i = 0; i < c->n; i++)
        if (far[i] <= most)
            memmove(c->v + kept++ * c->dim, c->v + i * c->dim, c->dim * sizeof *c->v);
    c->n = kept;
    for (size_t i = 0; i < kept * c->dim; i++)
        mean[i % c->dim] += c->v[i] / (double)kept;
    for (size_t i = 0; i < kept * c->dim; i++)
        c->v[i] -= mean[i % c->dim];
}

recon_status recon_stats_one_mode_test(recon_ctx *ctx, double *p_value, const recon_group *g,
                                       const double *poses, size_t n)
{
    double at[RECON_NUMBERS_MAX], back[RECON_NUMBERS_MAX], own[RECON_NUMBERS_MAX];
    double l[RECON_NUMBERS_MAX][RECON_NUMBERS_MAX];
    cloud c = { .n = n < LOOKED ? n : LOOKED, .dim = g->dimension };
    recon_rng rng = recon_rng_new(1, 0);
    recon_status status;
    int as_small = 1;
    RECON_TRY(check(ctx, g, poses, NULL, n));
    if (!g->log || !g->exp || g->dimension == 0)
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_UNSUPPORTED, "%s: there is no test of one mode", g->words));
    if (n < ONE_LEAST)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%zu poses: a test of one mode needs %d", n,
                             ONE_LEAST));
    RECON_TRY(recon_stats_mean(ctx, at, g, poses, NULL, n, RECON_MEAN_FRECHET));
    RECON_TRY(recon_alloc_raw(ctx, &c.v, c.n, c.dim * sizeof *c.v));
    g->inverse(g, back, at);
    for (size_t i = 0; i < c.n; i++) {
        g->compose(g, own, poses + i * n / c.n * g->numbers, back);
        g->log(g, c.v + i * c.dim, own);
    }
    tidy(&c);
    double seen = unity(&c);
    root_of(l, &c);
    for (int set = 0; set < DRAWN; set++) {
        draw_flat(&c, l, &rng);
        as_small += unity(&c) <= seen;
    }
    *p_value = as_small / (DRAWN + 1.0);
done:
    free(c.v);
    return status;
}

/* --- which symmetry? -------------------------------------------------------------------------- */

recon_status recon_group_center(recon_ctx *ctx, recon_center *out, const recon_group *group,
                                const double *poses, size_t n, const recon_mean_options *options)
{
    char *fit = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &fit, 1, group->fit_size));
    RECON_TRY(group->center(ctx, group, out, fit, poses, 1, n, options));
done:
    free(fit);
    return status;
}

recon_status recon_stats_symmetry(recon_ctx *ctx, recon_center *out, const recon_group *group,
                                  const double *poses, size_t n)
{
    RECON_CHECK(check(ctx, group, poses, NULL, n));
    if (!group->symmetry)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "no symmetries are named in %s",
                          group->words);
    RECON_CHECK(recon_group_center(ctx, out, group, poses, n, NULL));
    return group->symmetry(ctx, group, out, poses, n);
}
