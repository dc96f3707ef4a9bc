/* verdicts.h - laws of poses, how often each verdict is given for them, and the error rates that
 * are promised (docs/notebook/verdicts.md). The brief test draws few sets of each law, the slow one a
 * thousand and writes the page. */
#ifndef TESTS_STATS_VERDICTS_H
#define TESTS_STATS_VERDICTS_H

#include "check.h"
#include "group/mean.h"

#include <stdlib.h>
#include <recon/group/so2.h>
#include <recon/recon.h>

#define DEGREE (M_PI / 180)

enum { KS = 3, K_MOST = 50, LAWS_MOST = 64 };
static const size_t ks[KS] = { 10, 25, 50 };

typedef struct {
    const char *name;
    double arc, normal, skew; /* SO(2): half-width, sigma, mean of an exponential; degrees      */
    double fisher[3], ball;   /* SO(3): F = diag(fisher), or a uniform ball of this radius      */
    int so3, modes;           /* modes: 0 and 1 are one                                         */
    double apart, heavy;      /* degrees from one to the next; share of the first, 0: all alike */
    double outliers;          /* share that is drawn evenly from the group                      */
} law;

static const law laws[] = {
    { "arc +-20", .arc = 20 },
    { "arc +-45", .arc = 45 },
    { "arc +-60", .arc = 60 },
    { "arc +-90", .arc = 90 },
    { "normal 5", .normal = 5 },
    { "normal 15", .normal = 15 },
    { "normal 32", .normal = 32 },
    { "normal 64", .normal = 64 },
    { "exponential 20", .skew = 20 },
    { "normal 15, 10 % outliers", .normal = 15, .outliers = 0.1 },
    { "normal 15, 30 % outliers", .normal = 15, .outliers = 0.3 },
    { "full circle", .arc = 180 },
    { "2 modes 180 apart, sigma 8", .normal = 8, .modes = 2, .apart = 180 },
    { "2 modes 180 apart, sigma 20", .normal = 20, .modes = 2, .apart = 180 },
    { "2 modes 180 apart, sigma 30", .normal = 30, .modes = 2, .apart = 180 },
    { "3 modes 120 apart, sigma 15", .normal = 15, .modes = 3, .apart = 120 },
    { "4 modes 90 apart, sigma 8", .normal = 8, .modes = 4, .apart = 90 },
    { "2 modes 180 apart, 75 : 25, sigma 10", .normal = 10, .modes = 2, .apart = 180,
      .heavy = 0.75 },
    { "2 modes 60 apart, sigma 10", .normal = 10, .modes = 2, .apart = 60 },
    { "2 modes 90 apart, sigma 10", .normal = 10, .modes = 2, .apart = 90 },
    { "isotropic, s = 100", .so3 = 1, .fisher = { 100, 100, 100 } },
    { "isotropic, s = 5", .so3 = 1, .fisher = { 5, 5, 5 } },
    { "isotropic, s = 1", .so3 = 1, .fisher = { 1, 1, 1 } },
    { "ball of 45", .so3 = 1, .ball = 45 },
    { "ball of 90", .so3 = 1, .ball = 90 },
    { "ring, s = 1000", .so3 = 1, .fisher = { 1000, 0, 0 } },
    { "ring, s = 100", .so3 = 1, .fisher = { 100, 0, 0 } },
    { "ring, s = 20", .so3 = 1, .fisher = { 20, 0, 0 } },
    { "Haar", .so3 = 1 },
    { "isotropic, s = 100, 10 % outliers", .so3 = 1, .fisher = { 100, 100, 100 }, .outliers = 0.1 },
    { "isotropic, s = 100, 20 % outliers", .so3 = 1, .fisher = { 100, 100, 100 }, .outliers = 0.2 },
    { "isotropic, s = 100, 30 % outliers", .so3 = 1, .fisher = { 100, 100, 100 }, .outliers = 0.3 },
    { "ring, s = 100, 10 % outliers", .so3 = 1, .fisher = { 100, 0, 0 }, .outliers = 0.1 },
    { "2 modes 180 apart, s = 100", .so3 = 1, .fisher = { 100, 100, 100 }, .modes = 2,
      .apart = 180 },
    { "2 modes 90 apart, s = 100", .so3 = 1, .fisher = { 100, 100, 100 }, .modes = 2, .apart = 90 },
    { "3 modes 120 apart, s = 100", .so3 = 1, .fisher = { 100, 100, 100 }, .modes = 3,
      .apart = 120 },
};
enum { LAWS = sizeof laws / sizeof *laws };

/* --- promises --------------------------------------------------------------------------------- */

enum {
    ONE = 1 << RECON_NATURAL_ONE,
    SEVERAL = 1 << RECON_NATURAL_SEVERAL,
    MODULO = 1 << RECON_NATURAL_MODULO,
    AXIS = 1 << RECON_NATURAL_AXIS,
    NONE = 1 << RECON_NATURAL_NONE,
    UNSURE = 1 << RECON_NATURAL_UNSURE,
    K10 = 1,
    K25 = 2,
    K50 = 4,
    ALL_K = 7
};

/* The share of sets of a law, by the beginning of its name, with one of these verdicts. */
typedef struct {
    const char *law;
    int k, verdicts;
    double least, most;
} promise;

static const promise promises[] = {
    { "arc +-20", K25 | K50, ONE, 0.95, 1 },
    { "arc +-45", K25 | K50, ONE, 0.95, 1 },
    { "arc +-60", K25 | K50, ONE, 0.95, 1 },
    { "arc +-20", K10, ONE, 0.80, 1 },
    { "arc +-45", K10, ONE, 0.80, 1 },
    { "arc +-60", K10, ONE, 0.80, 1 },
    { "normal 5", K25 | K50, ONE, 0.95, 1 },
    { "normal 15", K25 | K50, ONE, 0.88, 1 }, /* with outliers and without */
    { "normal 15", K10, ONE, 0.55, 1 },
    { "normal 32", K25 | K50, ONE, 0.95, 1 },
    { "normal 5", K10, ONE, 0.80, 1 },
    { "normal 32", K10, ONE, 0.80, 1 },
    { "arc", ALL_K, SEVERAL, 0, 0.015 },
    { "normal", ALL_K, SEVERAL, 0, 0.02 },
    { "arc +-20", K50, UNSURE, 0, 0.05 },
    { "arc +-60", K50, UNSURE, 0, 0.05 },
    { "normal 5", K50, UNSURE, 0, 0.05 },
    { "normal 32", K50, UNSURE, 0, 0.05 },
    { "normal 15", K50, UNSURE, 0, 0.08 }, /* with outliers and without */
    { "full circle", ALL_K, ONE | SEVERAL | MODULO, 0, 0.05 },
    { "full circle", K50, NONE, 0.80, 1 },
    { "2 modes 180 apart, sigma 8", K25 | K50, SEVERAL | MODULO, 0.90, 1 },
    { "2 modes 180 apart, sigma 20", K25 | K50, SEVERAL | MODULO, 0.90, 1 },
    { "2 modes 180 apart, 75", ALL_K, MODULO, 0, 0.05 },
    { "2 modes 60", K25, ONE, 0, 0.10 },
    { "3 modes 120 apart, sigma", K25 | K50, SEVERAL | MODULO, 0.90, 1 },
    { "4 modes", K25 | K50, SEVERAL | MODULO, 0.90, 1 },
    { "isotropic, s = 100", K25 | K50, ONE, 0.90, 1 },
    { "isotropic, s = 1", ALL_K, AXIS, 0, 0.05 },
    { "isotropic, s = 5", ALL_K, AXIS, 0, 0.05 },
    { "ball", K25 | K50, ONE, 0.90, 1 },
    { "ball", ALL_K, SEVERAL, 0, 0.05 },
    { "ring", K25 | K50, AXIS, 0.95, 1 },
    { "ring", ALL_K, NONE, 0, 0.05 },
    { "Haar", K50, NONE, 0.80, 1 },
    { "Haar", ALL_K, ONE | SEVERAL | AXIS, 0, 0.01 },
    { "2 modes 180 apart, s = 100", K25 | K50, SEVERAL, 0.95, 1 },
    { "2 modes 90 apart, s = 100", K25 | K50, SEVERAL, 0.95, 1 },
    { "3 modes 120 apart, s = 100", K25 | K50, SEVERAL, 0.95, 1 },
    { "2 modes 180 apart, s = 100", ALL_K, NONE, 0, 0 },
    { "3 modes 120 apart, s = 100", ALL_K, NONE, 0, 0 },
};

/* Degrees between Gamma and the nearest true mode, in sets that were given one of these verdicts.
 */
typedef struct {
    const char *law;
    int k, verdicts;
    double median, ninety;
} closeness;

static const closeness centers[] = {
    { "2 modes 180 apart, sigma", ALL_K, SEVERAL | MODULO, 8, 20 },
    { "3 modes 120 apart, sigma", ALL_K, SEVERAL | MODULO, 8, 20 },
    { "4 modes", ALL_K, SEVERAL | MODULO, 8, 20 },
    { "isotropic, s = 100", K25, ONE | UNSURE | SEVERAL, 1.65, 4 },
    { "2 modes 180 apart, s = 100", ALL_K, SEVERAL, 4, 8 },
};

/* --- draws ------------------------------------------------------------------------------------ */

static int mode_of(const law *l, recon_rng *rng)
{
    double u = recon_rng_uniform(rng);
    if (l->heavy > 0)
        return u >= l->heavy;
    return l->modes > 1 ? (int)(u * l->modes) : 0;
}

static double draw_angle(const law *l, recon_rng *rng)
{
    double at = mode_of(l, rng) * l->apart;
    if (recon_rng_uniform(rng) < l->outliers)
        return 2 * M_PI * recon_rng_uniform(rng);
    if (l->arc > 0)
        return DEGREE * (at + l->arc * (2 * recon_rng_uniform(rng) - 1));
    return DEGREE * (at + (l->skew > 0 ? l->skew * -log1p(-recon_rng_uniform(rng))
                                       : l->normal * recon_rng_normal(rng)));
}

static recon_so3 draw_rotation(const law *l, const recon_fisher *fisher, recon_rng *rng)
{
    double spin[3] = { 0, 0, DEGREE * mode_of(l, rng) * l->apart };
    recon_so3 g;
    if (recon_rng_uniform(rng) < l->outliers)
        return recon_so3_haar(rng);
    if (l->ball > 0)
        do
            g = recon_so3_haar(rng);
        while (recon_so3_angle(g) > l->ball * DEGREE);
    else
        recon_fisher_sample(&g, fisher, 1, rng);
    return recon_so3_compose(g, recon_so3_exp(spin));
}

/* --- one law at one k ------------------------------------------------------------------------- */

typedef struct {
    double share[RECON_NATURAL_KINDS];
    uint8_t *verdict; /* [sets] */
    double *error;    /* [sets] degrees from Gamma to the nearest mode */
} outcome;

static void try_so2(recon_ctx *ctx, outcome *out, const law *l, size_t k, size_t sets,
                    uint64_t seed)
{
    double *angle = calloc(sets * k, sizeof *angle), *base = malloc(sets * sizeof *base);
    recon_so2_center *center = malloc(sets * sizeof *center);
    for (size_t s = 0; s < sets; s++) {
        recon_rng rng = recon_rng_new(seed, s);
        base[s] = 2 * M_PI * recon_rng_uniform(&rng);
        for (size_t i = 0; i < k; i++)
            angle[s * k + i] = base[s] + draw_angle(l, &rng);
    }
    CHECK_OK(ctx, recon_so2_mean_batch(ctx, center, angle, sets, k, NULL));
    for (size_t s = 0; s < sets; s++) {
        out->verdict[s] = (uint8_t)center[s].natural;
        out->error[s] = 180;
        for (int m = 0; m < (l->modes ? l->modes : 1); m++)
            out->error[s] =
                fmin(out->error[s],
                     recon_so2_distance(center[s].mean, base[s] + m * l->apart * DEGREE) / DEGREE);
    }
    free(angle);
    free(base);
    free(center);
}

static void try_so3(recon_ctx *ctx, outcome *out, const law *l, size_t k, size_t sets,
                    uint64_t seed)
{
    recon_so3 *g = calloc(sets * k, sizeof *g), *base = malloc(sets * sizeof *base);
    recon_so3_center *center = malloc(sets * sizeof *center);
    recon_fisher fisher;
    const double f[9] = { l->fisher[0], 0, 0, 0, l->fisher[1], 0, 0, 0, l->fisher[2] };
    CHECK_OK(ctx, recon_fisher_of(ctx, &fisher, f));
    for (size_t s = 0; s < sets; s++) {
        recon_rng rng = recon_rng_new(seed, s);
        base[s] = recon_so3_haar(&rng);
        for (size_t i = 0; i < k; i++)
            g[s * k + i] = recon_so3_compose(draw_rotation(l, &fisher, &rng), base[s]);
    }
    CHECK_OK(ctx, recon_so3_mean_batch(ctx, center, g, sets, k, NULL));
    for (size_t s = 0; s < sets; s++) {
        out->verdict[s] = (uint8_t)center[s].natural;
        out->error[s] = 180;
        for (int m = 0; m < (l->modes ? l->modes : 1); m++) {
            double spin[3] = { 0, 0, m * l->apart * DEGREE };
            recon_so3 mode = recon_so3_compose(recon_so3_exp(spin), base[s]);
            out->error[s] = fmin(out->error[s], recon_so3_distance(center[s].mean, mode) / DEGREE);
        }
    }
    free(g);
    free(base);
    free(center);
}

static outcome try_law(recon_ctx *ctx, const law *l, size_t k, size_t sets)
{
    outcome out = { .verdict = malloc(sets), .error = malloc(sets * sizeof(double)) };
    (l->so3 ? try_so3 : try_so2)(ctx, &out, l, k, sets, 1000 * (uint64_t)(l - laws) + k);
    for (size_t s = 0; s < sets; s++)
        out.share[out.verdict[s]] += 1 / (double)sets;
    return out;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The quantile of the errors in sets with one of these verdicts; NaN where there are few. */
static double error_quantile(const outcome *o, size_t sets, int verdicts, double at)
{
    double *kept = malloc(sets * sizeof *kept), value = NAN;
    size_t n = 0;
    for (size_t s = 0; s < sets; s++)
        if (verdicts >> o->verdict[s] & 1)
            kept[n++] = o->error[s];
    qsort(kept, n, sizeof *kept, by_size);
    if (n >= 20)
        value = kept[(size_t)(at * (double)(n - 1))];
    free(kept);
    return value;
}

static double share_of(const outcome *o, int verdicts)
{
    double sum = 0;
    for (int v = 0; v < RECON_NATURAL_KINDS; v++)
        sum += verdicts >> v & 1 ? o->share[v] : 0;
    return sum;
}

static int begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

/* Shares of few sets scatter: three standard deviations are allowed. */
static void check_promises(const law *l, int k, const outcome *o, size_t sets)
{
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        const promise *p = &promises[i];
        if (!begins(l->name, p->law) || !(p->k >> k & 1))
            continue;
        double share = share_of(o, p->verdicts), rate = p->least > 0 ? p->least : p->most;
        double slack = sets < 1000 ? 3 * sqrt(rate * (1 - rate) / (double)sets) : 1e-9;
        if (share < p->least - slack || share > p->most + slack)
            fail_msg("%s, k = %zu: a share of %.3f, promised %.3f to %.3f (promise %zu)", l->name,
                     ks[k], share, p->least, p->most, i);
    }
    for (size_t i = 0; i < sizeof centers / sizeof *centers; i++) {
        const closeness *c = &centers[i];
        double slack = sets < 1000 ? 1.25 : 1;
        if (!begins(l->name, c->law) || !(c->k >> k & 1) || l->skew > 0)
            continue;
        if (error_quantile(o, sets, c->verdicts, 0.5) > slack * c->median ||
            error_quantile(o, sets, c->verdicts, 0.9) > slack * c->ninety)
            fail_msg("%s, k = %zu: Gamma is %.2f degrees off, 90 %%: %.2f", l->name, ks[k],
                     error_quantile(o, sets, c->verdicts, 0.5),
                     error_quantile(o, sets, c->verdicts, 0.9));
    }
}

static void outcome_free(outcome *o)
{
    free(o->verdict);
    free(o->error);
}

#endif
