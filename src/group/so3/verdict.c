/* verdict.c - one natural pose, several, an axis, none, or cannot tell.
 *
 * Are the rotations spread evenly? Bingham's test of the mean rotation. If not, the two directions
 * in which they spread most span a circle of rotations, the ring of a ring: the angles along it are
 * the spin. The spin of one natural pose gathers; that of an axis is spread evenly, and the ring
 * fits better than any isotropic distribution, so that an axis is not what few samples of a broad
 * pose look like. Outliers, which the robust fit has set apart, do not take part. */
#include "group/so3/verdict.h"
#include "core/fail.h"
#include "group/so3/fisher.h"
#include "group/so3/frame.h"
#include "group/so2/mean.h"
#include "group/so2/verdict.h"
#include "group/mean.h"

#include <math.h>
#include <recon/group/mean.h>

#define LEAST_N     5
#define FREE_LEVEL  0.001 /* of recon_so3_free_directions */
#define THREE_ALIKE 20.52 /* chi squared with 5 degrees of freedom, at the same level */
#define SPIN_LEVEL                                                                                 \
    0.03 /* rings that seem to have a spin                                          */
#define SPIN_EVEN                                                                                  \
    0.015              /* rings whose spin seems to gather about one angle or several             */
#define SPIN_FREE 0.62 /* "axis" rules out spins with a mean length from here on */
#define NONE_MOST 0.62 /* "none" rules out mean rotations with singular values of this length */
#define RING_GAIN 4.5  /* nats over an isotropic distribution  */
#define ONE_SIDED 1.645

/* Quantiles 0.995 of 3 n |d|^2 for n evenly spread rotations; 23.6 for many (chi squared, 9). */
static double uneven_critical(double n)
{
    return 23.6 - 20 / n;
}

static double square(const double d[3])
{
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

int recon_so3_uneven(const double singular[3], double n)
{
    return 3 * n * square(singular) > uneven_critical(n);
}

/* (a0 - a1) / (a0 + a1) of the eigenvalues of the mean of q q^T: on a ring |E exp(i spin)|. */
double recon_so3_spin(const double singular[3])
{
    return fmax(singular[1] + singular[2], 0) / (1 + singular[0]);
}

int recon_so3_spin_known(const double singular[3], double n)
{
    return n >= LEAST_N && recon_rayleigh(recon_so3_spin(singular), n) < SPIN_LEVEL;
}

/* Whether the three largest eigenvalues of the mean of q q^T may be equal: Bingham's test. */
static int three_alike(const double d[3], double n)
{
    const double a[3] = { (1 + d[0] + d[1] + d[2]) / 4, (1 + d[0] - d[1] - d[2]) / 4,
                          (1 - d[0] + d[1] - d[2]) / 4 };
    double mean = (a[0] + a[1] + a[2]) / 3, spread = 0;
    for (int i = 0; i < 3; i++)
        spread += (a[i] - mean) * (a[i] - mean);
    return n * 7.5 * spread / (3 * mean) < THREE_ALIKE;
}

int recon_so3_free_directions(const double singular[3], double n)
{
    if (n < LEAST_N || !recon_so3_uneven(singular, n))
        return 3;
    if (three_alike(singular, n))
        return 2;
    return recon_rayleigh(recon_so3_spin(singular), n) < FREE_LEVEL ? 0 : 1;
}

double recon_so3_ring_gain(const double singular[3], double n)
{
    double s = recon_langevin_inverse(singular[0]);
    double log_c = s < 1e-4 ? s * s / 6 : s + log(-expm1(-2 * s) / (2 * s));
    double m = (singular[0] + singular[1] + singular[2]) / 3, even[3] = { m, m, m }, within[3];
    double start[3];
    recon_fisher_inside(within, even);
    recon_fisher_start(start, within);
    double isotropic = recon_fisher_descend(start, within, 1e-6);
    return n * (s * singular[0] - log_c + isotropic);
}

typedef struct {
    size_t n;
    double moment[RECON_SO2_MOMENTS];
    recon_so2_modes modes;
    recon_so2_verdict verdict;
} spin;

/* The spins of those that belong. */
static recon_status read_spin(recon_ctx *ctx, spin *out, const recon_so3_evidence *e,
                              recon_arena *arena)
{
    const recon_so3_frame *frame = &e->fit->frame;
    double *angle, *sorted, *scratch, variance = 0;
    RECON_CHECK(recon_arena_take(ctx, arena, &angle, e->n, sizeof *angle));
    RECON_CHECK(recon_arena_take(ctx, arena, &sorted, e->n, sizeof *sorted));
    RECON_CHECK(
        recon_arena_take(ctx, arena, &scratch, recon_so2_modes_scratch(e->n), sizeof *scratch));
    *out = (spin){ 0 };
    for (size_t i = 0; i < e->n; i++)
        if (e->fit->belongs[i] > 0.5)
            angle[out->n++] = recon_so3_along_circle(frame, e->g[i]);
    if (out->n < LEAST_N)
        return RECON_OK;
    recon_so2_sort(sorted, angle, out->n);
    recon_so2_moments_of(out->moment, sorted, out->n);
    for (size_t i = 0; i < out->n; i++) /* the mode is at 0, near the mean */
        variance += sorted[i] * sorted[i] / (double)out->n;
    recon_so2_find_modes(&out->modes, sorted, out->n, variance, scratch);
    recon_so2_judge(&out->verdict, sorted, out->n, out->moment, &out->modes, scratch);
    return RECON_OK;
}

static recon_natural judge_spin(const spin *s, const recon_fisher_robust *fit)
{
    double n = (double)s->n;
    recon_natural of_spin = s->verdict.natural;
    if (of_spin == RECON_NATURAL_MODULO || of_spin == RECON_NATURAL_SEVERAL)
        return RECON_NATURAL_SEVERAL;
    if (!recon_so2_uneven(s->moment, n, SPIN_EVEN) && recon_so2_level(s->moment, n, SPIN_FREE))
        return recon_so3_ring_gain(fit->frame.singular, fit->count) > RING_GAIN
                   ? RECON_NATURAL_AXIS
                   : RECON_NATURAL_UNSURE;
    return of_spin == RECON_NATURAL_ONE ? RECON_NATURAL_ONE : RECON_NATURAL_UNSURE;
}

recon_status recon_so3_judge(recon_ctx *ctx, recon_so3_verdict *out, const recon_so3_evidence *e,
                             recon_arena *arena)
{
    spin s;
    double n = (double)e->n;
    out->natural = RECON_NATURAL_UNSURE;
    if (e->n < LEAST_N)
        return RECON_OK;
    if (out->modes > 1) {
        out->natural = RECON_NATURAL_SEVERAL;
    } else if (!recon_so3_uneven(e->singular, n)) {
        double limit = NONE_MOST - ONE_SIDED * (1 - NONE_MOST * NONE_MOST) / sqrt(3 * n);
        out->natural =
            square(e->singular) < limit * limit ? RECON_NATURAL_NONE : RECON_NATURAL_UNSURE;
    } else {
        RECON_CHECK(read_spin(ctx, &s, e, arena));
        if (s.n >= LEAST_N && 2 * s.n > e->n)
            out->natural = judge_spin(&s, e->fit);
        if (out->natural == RECON_NATURAL_SEVERAL) {
            /* The modes of the spin as rotations. */
            int m = s.verdict.spaced;
            out->modes = m ? m : s.modes.count;
            for (int k = 0; k < out->modes; k++)
                out->at[k] =
                    recon_so3_on_circle(&e->fit->frame, m ? s.verdict.center + k * 2 * M_PI / m
                                                          : s.modes.arc[k].center);
        }
    }
    return RECON_OK;
}
