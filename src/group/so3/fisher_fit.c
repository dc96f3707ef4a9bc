/* fisher_fit.c - three ways to fit a matrix Fisher distribution.
 *
 * In the frame of the mean rotation a fit is a map from its proper singular values d to those of F.
 * Leaving out what the data cannot tell is to even out d before: (d0, m, m), m = (d1 + d2)/2, has
 * s1 = s2 by symmetry, (m, m, m) has all three equal, and (d0, 0, 0) is a ring, where
 * coth(s) - 1/s = d0 holds exactly. */
#include <recon/group/matrix_fisher.h>
#include <recon/group/mean.h>

#include <math.h>
#include <string.h>
#include "core/arena.h"
#include "core/fail.h"
#include "core/threads.h"
#include "group/so3/fisher.h"
#include "group/so3/verdict.h"
#include "group/so3/frame.h"
#include "group/so3/fisher_fit.h"
#include "group/mean.h"

#define BACKGROUND_START 0.1
#define BACKGROUND_LEAST 1e-9 /* so that no sample is impossible */
#define BACKGROUND_MOST  0.5
#define EM_STEPS         60
#define EM_GAIN          1e-6 /* per sample: EM stops where the log-likelihood gains less */

/* Likelihood-ratio tests at the level 0.01. F has 4 parameters when its singular values are equal
 * (one and a rotation), 7 with s1 = s2 (two, and the orbit's 5 dimensions), 9 when all differ: chi
 * squared with 3, 5 and 2 degrees of freedom. */
#define EQUAL_OR_PAIR 11.34
#define EQUAL_OR_FREE 15.09
#define PAIR_OR_FREE  9.21

/* What a fit needs on the way. */
typedef struct {
    const recon_so3 *samples;
    size_t n;
    double *belongs; /* [n]: the weight of each sample, 1 - its share of the background */
    double count;    /* their sum */
    recon_so3_frame frame;
    double s[3]; /* the current singular values of F in that frame */
    double log_c;
    int ring, equal; /* what is known of them */
} fitting;

/* The frame of the weighted mean rotation. */
static void update_frame(fitting *fit)
{
    double m[10] = { 0 };
    fit->count = 0;
    for (size_t i = 0; i < fit->n; i++)
        fit->count += fit->belongs[i];
    for (size_t i = 0; i < fit->n; i++)
        recon_so3_moment_add(m, fit->samples[i], fit->belongs[i] / fit->count);
    recon_so3_frame_of(&fit->frame, m);
}

static void fit_moment(fitting *fit)
{
    for (int k = 0; k < 3; k++)
        fit->s[k] =
            copysign(recon_langevin_inverse(fabs(fit->frame.singular[k])), fit->frame.singular[k]);
}

static void fit_ring(fitting *fit)
{
    double s = recon_langevin_inverse(fit->frame.singular[0]);
    fit->s[0] = s, fit->s[1] = fit->s[2] = 0;
    fit->log_c = s < 1e-4 ? s * s / 6 : s + log(-expm1(-2 * s) / (2 * s));
}

/* s1 = s2. Starts from the values there are when they have that form. */
static double fit_pair(fitting *fit, double enough)
{
    const double *d = fit->frame.singular;
    double even[3] = { d[0], (d[1] + d[2]) / 2, (d[1] + d[2]) / 2 }, within[3];
    recon_fisher_inside(within, even);
    if (!(fit->s[1] > 0 && fit->s[1] == fit->s[2]))
        recon_fisher_start(fit->s, within);
    double value = recon_fisher_descend(fit->s, within, enough);
    fit->s[1] = fit->s[2] = (fit->s[1] + fit->s[2]) / 2;
    fit->log_c = value + recon_dot3(fit->s, within);
    return value;
}

/* All singular values equal, or all free: minus the log-likelihood a sample. */
static double fit_equal(double s[3], const double d[3])
{
    double m = (d[0] + d[1] + d[2]) / 3, even[3] = { m, m, m }, within[3];
    recon_fisher_inside(within, even);
    recon_fisher_start(s, within);
    double value = recon_fisher_descend(s, within, RECON_FISHER_EXACT);
    s[0] = s[1] = s[2] = (s[0] + s[1] + s[2]) / 3;
    return value;
}

static double fit_free(double s[3], const double d[3])
{
    double within[3];
    recon_fisher_inside(within, d);
    recon_fisher_start(s, within);
    return recon_fisher_descend(s, within, RECON_FISHER_EXACT);
}

/* As many different singular values as the samples tell apart. */
static void fit_ml(fitting *fit)
{
    double equal[3], free[3], twice = 2 * fit->count;
    double with_pair = fit_pair(fit, RECON_FISHER_EXACT);
    double with_equal = fit_equal(equal, fit->frame.singular);
    double with_free = fit_free(free, fit->frame.singular);
    fit->equal = twice * (with_equal - with_pair) < EQUAL_OR_PAIR &&
                 twice * (with_equal - with_free) < EQUAL_OR_FREE;
    if (fit->equal)
        memcpy(fit->s, equal, sizeof equal);
    else if (twice * (with_pair - with_free) > PAIR_OR_FREE)
        memcpy(fit->s, free, sizeof free);
}

/* How likely each sample is to belong, under the current fit; returns the log-likelihood. */
static double expect(fitting *fit, double background)
{
    double f[9], m[10], total = 0;
    recon_so3_frame_matrix(f, &fit->frame, fit->s);
    recon_so3_moment_of_matrix(m, f);
    for (size_t i = 0; i < fit->n; i++) {
        const recon_so3 q = fit->samples[i];
        double form = m[0] * q.w * q.w + m[4] * q.x * q.x + m[7] * q.y * q.y + m[9] * q.z * q.z +
                      2 * (q.w * (m[1] * q.x + m[2] * q.y + m[3] * q.z) +
                           q.x * (m[5] * q.y + m[6] * q.z) + m[8] * q.y * q.z);
        double density = (1 - background) * exp(4 * form - fit->log_c);
        fit->belongs[i] = density / (density + background);
        total += log(density + background);
    }
    return total;
}

/* EM of a matrix Fisher and a uniform background. A spin that the samples do not determine is
 * fitted as free: a ring. Returns the background's weight. */
static double fit_robust(fitting *fit)
{
    double background = BACKGROUND_START, before = -INFINITY;
    for (int step = 0; step < EM_STEPS; step++) {
        fit->ring = !recon_so3_spin_known(fit->frame.singular, fit->count);
        if (fit->ring)
            fit_ring(fit);
        else
            fit_pair(fit, EM_GAIN);
        double now = expect(fit, background);
        if (fabs(now - before) < EM_GAIN * (double)fit->n)
            break;
        before = now;
        update_frame(fit);
        background = 1 - fit->count / (double)fit->n;
        background = fmin(fmax(background, BACKGROUND_LEAST), BACKGROUND_MOST);
    }
    if (!fit->ring)
        fit_ml(fit);
    return background;
}

/* A precision estimated from few samples is too high. Where it comes from m squares less the f
 * directions fitted, chi squared with m - f degrees of freedom, (m - f - 4) / m times the estimate
 * errs least. A ring has m = 2n and f = 4, two axes; equal values have m = 3n and f = 3. */
static double shrinkage(const fitting *fit)
{
    double n = fit->count;
    return fit->equal ? fmax(3 * n - 7, 0) / (3 * n) : fmax(n - 4, 0) / n;
}

static recon_status fit_set(recon_ctx *ctx, recon_fisher_fit *out, fitting *fit,
                            recon_fisher_method method)
{
    for (size_t i = 0; i < fit->n; i++)
        fit->belongs[i] = 1;
    update_frame(fit);
    *out = (recon_fisher_fit){ .shrink = 1 };
    switch (method) {
    case RECON_FISHER_MOMENT: fit_moment(fit); break;
    case RECON_FISHER_ML: fit_ml(fit); break;
    case RECON_FISHER_ROBUST:
        out->background = fit_robust(fit);
        out->shrink = fit->n > 4 ? shrinkage(fit) : 0;
        break;
    }
    double f[9], s[3];
    for (int k = 0; k < 3; k++)
        s[k] = out->shrink * fit->s[k];
    recon_so3_frame_matrix(f, &fit->frame, s);
    recon_status status = recon_fisher_of(ctx, &out->fisher, f);
    out->free_directions = recon_so3_free_directions(fit->frame.singular, fit->count);
    out->log_likelihood = 0;
    for (size_t i = 0; status == RECON_OK && i < fit->n; i++)
        out->log_likelihood +=
            recon_fisher_mixture_log_density(&out->fisher, out->background, fit->samples[i]);
    return status;
}

recon_status recon_fisher_fit_robust(recon_ctx *ctx, recon_fisher_robust *out,
                                     const recon_so3 *samples, size_t n)
{
    fitting fit = { .samples = samples, .n = n, .belongs = out->belongs };
    recon_status status = fit_set(ctx, &out->fit, &fit, RECON_FISHER_ROBUST);
    out->count = fit.count;
    out->frame = fit.frame;
    return status;
}

typedef struct {
    recon_fisher_fit *out;
    const recon_so3 *samples;
    size_t k;
    recon_fisher_method method;
} batch;

static recon_status fit_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const batch *job = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    fitting fit = { .samples = job->samples + index * job->k, .n = job->k };
    recon_status status;
    RECON_TRY(recon_so3_check(ctx, fit.samples, fit.n, index * job->k));
    RECON_TRY(recon_arena_take(ctx, arena, &fit.belongs, fit.n, sizeof *fit.belongs));
    RECON_TRY(fit_set(ctx, &job->out[index], &fit, job->method));
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_fisher_fit_batch(recon_ctx *ctx, recon_fisher_fit *out, const recon_so3 *samples,
                                    size_t sets, size_t k, const recon_fisher_fit_options *options)
{
    if (k == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "matrix Fisher fit: no rotations");
    batch job = { out, samples, k, options ? options->method : RECON_FISHER_ROBUST };
    RECON_CHECK(recon_enum_check(ctx, job.method, RECON_FISHER_ML, "fit"));
    return recon_parallel(ctx, fit_task, &job, sets);
}

recon_status recon_fisher_fit_samples(recon_ctx *ctx, recon_fisher_fit *out,
                                      const recon_so3 *samples, size_t n,
                                      const recon_fisher_fit_options *options)
{
    return recon_fisher_fit_batch(ctx, out, samples, 1, n, options);
}
