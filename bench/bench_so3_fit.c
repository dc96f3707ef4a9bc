/* bench_so3_fit - the error of F and of the axis for a ring, by estimator, and what a fit costs.
 *
 *   build/bench/bench_so3_fit [TRIALS]       2000 trials take a few seconds
 *
 * Samples of F = diag(100, .001, .001), with pose noise (degrees for each axis) and neighbours of
 * another class (uniform). The squared error is the mean over the nine entries. */
#include <recon/group/matrix_fisher.h>
#include <recon/group/mean.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/ctx.h"
#include "group/mean.h"
#include "group/so3/fisher_fit.h"

typedef struct {
    size_t k;
    double noise_degrees, wrong;
} setting;

enum { MOMENT, ML, ROBUST, UNSHRUNK, ESTIMATORS };

static const double truth[9] = { 100, 0, 0, 0, .001, 0, 0, 0, .001 };

static void draw(recon_so3 *out, const recon_fisher *ring, const setting *s, recon_rng *rng)
{
    recon_fisher_sample(out, ring, s->k, rng);
    for (size_t i = 0; i < s->k; i++) {
        double v[3], sd = s->noise_degrees * M_PI / 180;
        for (int j = 0; j < 3; j++)
            v[j] = sd * recon_rng_normal(rng);
        out[i] = recon_rng_uniform(rng) < s->wrong ? recon_so3_haar(rng)
                                                   : recon_so3_compose(recon_so3_exp(v), out[i]);
    }
}

static double squared_error(const double f[9], double scale)
{
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += (f[i] * scale - truth[i]) * (f[i] * scale - truth[i]);
    return sum / 9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Fits every trial by one method; errors to [trials], seconds for one set as the result. */
static double fit_all(recon_ctx *ctx, double *error, double *unshrunk, const recon_so3 *samples,
                      recon_fisher_fit *fit, size_t trials, size_t k, recon_fisher_method method)
{
    double begun = recon_now();
    if (recon_fisher_fit_batch(ctx, fit, samples, trials, k,
                               &(recon_fisher_fit_options){ .method = method }) != RECON_OK) {
        fprintf(stderr, "%s\n", recon_ctx_message(ctx));
        exit(1);
    }
    double seconds = (recon_now() - begun) / (double)trials;
    for (size_t i = 0; i < trials; i++) {
        error[i] = squared_error(fit[i].fisher.f, 1);
        if (unshrunk)
            unshrunk[i] = squared_error(fit[i].fisher.f, 1 / fit[i].shrink);
    }
    return seconds;
}

static void print_cell(double *error, size_t trials)
{
    double mean = 0;
    for (size_t i = 0; i < trials; i++)
        mean += error[i] / (double)trials;
    qsort(error, trials, sizeof *error, by_value);
    printf(" %6.0f /%5.0f |", mean, error[trials / 2]);
}

static void print_row(recon_ctx *ctx, const recon_fisher *ring, const setting *s, size_t trials)
{
    recon_so3 *samples = malloc(trials * s->k * sizeof *samples);
    recon_fisher_fit *fit = malloc(trials * sizeof *fit);
    double *error[ESTIMATORS], seconds[ESTIMATORS];
    for (int e = 0; e < ESTIMATORS; e++)
        error[e] = malloc(trials * sizeof **error);
    for (size_t t = 0; t < trials; t++) {
        recon_rng rng = recon_rng_new(7, t);
        draw(samples + t * s->k, ring, s, &rng);
    }
    seconds[MOMENT] =
        fit_all(ctx, error[MOMENT], NULL, samples, fit, trials, s->k, RECON_FISHER_MOMENT);
    seconds[ML] = fit_all(ctx, error[ML], NULL, samples, fit, trials, s->k, RECON_FISHER_ML);
    seconds[ROBUST] = fit_all(ctx, error[ROBUST], error[UNSHRUNK], samples, fit, trials, s->k,
                              RECON_FISHER_ROBUST);
    printf("| %3zu, %2.0f, %2.0f %% |", s->k, s->noise_degrees, 100 * s->wrong);
    for (int e = 0; e < ESTIMATORS; e++)
        print_cell(error[e], trials);
    printf(" %.0f / %.0f / %.0f |\n", 1e6 * seconds[MOMENT], 1e6 * seconds[ML],
           1e6 * seconds[ROBUST]);
    for (int e = 0; e < ESTIMATORS; e++)
        free(error[e]);
    free(samples);
    free(fit);
}

/* Squared sine of the angle between the first world axis and e1. */
static double tilt(const double axis[3])
{
    return axis[1] * axis[1] + axis[2] * axis[2];
}

static void print_axis_row(recon_ctx *ctx, const recon_fisher *ring, const setting *s,
                           size_t trials)
{
    recon_so3 *samples = malloc(s->k * sizeof *samples);
    double chordal = 0, robust = 0, d[3] = { 0 };
    size_t determined = 0;
    for (size_t t = 0; t < trials; t++) {
        recon_rng rng = recon_rng_new(8, t);
        recon_so3_center center;
        recon_fisher_fit fit;
        double axis[3];
        draw(samples, ring, s, &rng);
        if (recon_so3_mean(ctx, &center, samples, s->k, NULL) != RECON_OK ||
            recon_fisher_fit_samples(ctx, &fit, samples, s->k, NULL) != RECON_OK)
            exit(1);
        recon_so3_act(axis, fit.fisher.mode, fit.fisher.body[0]);
        chordal += tilt(center.axis_world) / (double)trials;
        robust += tilt(axis) / (double)trials;
        determined += recon_so3_free_directions(center.singular, (double)s->k) == 0;
        for (int i = 0; i < 3; i++)
            d[i] += center.singular[i] / (double)trials;
    }
    printf("| %zu, %.0f %% | %.2f | %.2f | %.3f %.3f %.3f | %zu |\n", s->k, 100 * s->wrong,
           sqrt(chordal) * 180 / M_PI, sqrt(robust) * 180 / M_PI, d[0], d[1], d[2], determined);
    free(samples);
}

int main(int argc, char **argv)
{
    static const setting rows[] = { { 25, 0, 0 },   { 25, 0, .05 }, { 25, 0, .15 },  { 25, 5, 0 },
                                    { 25, 5, .05 }, { 25, 5, .15 }, { 25, 10, .05 }, { 80, 0, 0 },
                                    { 80, 0, .05 }, { 80, 0, .15 } };
    static const setting axis_rows[] = {
        { 10, 0, 0 }, { 25, 0, 0 }, { 25, 0, .05 }, { 80, 0, 0 }, { 80, 0, .05 }
    };
    size_t trials = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 2000;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    recon_fisher ring;
    if (!ctx || trials == 0 || recon_fisher_of(ctx, &ring, truth) != RECON_OK)
        return 1;
    printf("squared error of F, mean / median of %zu trials; one thread\n", trials);
    printf("| k, noise, wrong | moment (paper) | maximum likelihood | robust | robust, not shrunk "
           "| us a fit |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        print_row(ctx, &ring, &rows[i], trials);
    printf(
        "\nworld axis of the ring, degrees root mean square; mean singular values; sets of %zu "
        "whose spin is called determined\n"
        "| k, wrong | mean | robust fit | singular values | determined |\n|---|---|---|---|---|\n",
        trials);
    for (size_t i = 0; i < sizeof axis_rows / sizeof *axis_rows; i++)
        print_axis_row(ctx, &ring, &axis_rows[i], trials);
    recon_ctx_free(ctx);
    return 0;
}
