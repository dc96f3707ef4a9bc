/* Errors of the means on the circle over many simulated sets, and the time of one set.
 *
 *   build/bench/bench_so2_mean [REPEATS]
 *
 * RMS error in degrees from the true centre (with several modes: from the nearest of them), the
 * share of sets within 25 degrees of it, the share called multimodal. */
#include "group/mean.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <recon/core/rng.h>
#include <recon/group/so2.h>
#include <recon/group/mean.h>

#define DEGREE (M_PI / 180)

typedef enum { UNIFORM, NORMAL } shape;
typedef enum { NONE, OUTLIERS, CLUMP } pollution;

typedef struct {
    const char *name;
    shape shape;
    double width; /* half-width or sigma, degrees */
    int modes;    /* at 0, 360 / modes ...        */
    pollution pollution;
    double share; /* of it */
} scene;

static const scene scenes[] = {
    { "uniform +-60", UNIFORM, 60, 1, NONE, 0 },
    { "uniform +-90", UNIFORM, 90, 1, NONE, 0 },
    { "normal 32", NORMAL, 32, 1, NONE, 0 },
    { "normal 64", NORMAL, 64, 1, NONE, 0 },
    { "normal 2", NORMAL, 2, 1, NONE, 0 },
    { "two modes", NORMAL, 12.9, 2, NONE, 0 },
    { "three modes", NORMAL, 12.9, 3, NONE, 0 },
    { "normal 2, 20% outliers", NORMAL, 2, 1, OUTLIERS, 0.2 },
    { "normal 2, 20% clump", NORMAL, 2, 1, CLUMP, 0.2 },
    { "normal 12.9, 20% outliers", NORMAL, 12.9, 1, OUTLIERS, 0.2 },
    { "normal 12.9, 20% clump", NORMAL, 12.9, 1, CLUMP, 0.2 },
    { "normal 32, 20% outliers", NORMAL, 32, 1, OUTLIERS, 0.2 },
    { "normal 32, 20% clump", NORMAL, 32, 1, CLUMP, 0.2 },
    { "uniform +-60, 20% outliers", UNIFORM, 60, 1, OUTLIERS, 0.2 },
    { "uniform +-60, 20% clump", UNIFORM, 60, 1, CLUMP, 0.2 },
    { "uniform +-90, 20% outliers", UNIFORM, 90, 1, OUTLIERS, 0.2 },
    { "uniform +-90, 20% clump", UNIFORM, 90, 1, CLUMP, 0.2 },
};

/* A clump lies at 140 degrees, as a neighbouring class would, 5 degrees wide. */
static double draw(recon_rng *rng, const scene *s)
{
    if (recon_rng_uniform(rng) < s->share)
        return s->pollution == CLUMP ? recon_so2_wrap(DEGREE * (140 + 5 * recon_rng_normal(rng)))
                                     : recon_so2_haar(rng);
    double spread = s->shape == UNIFORM ? 2 * recon_rng_uniform(rng) - 1 : recon_rng_normal(rng);
    double mode = 2 * M_PI / s->modes * (double)recon_rng_below(rng, (uint64_t)s->modes);
    return recon_so2_wrap(mode + DEGREE * s->width * spread);
}

typedef struct {
    double rms, hits, split, seconds;
} figures;

static double error_of(double mean, int modes)
{
    return fabs(remainder(mean, 2 * M_PI / modes)) / DEGREE;
}

static figures measure(recon_ctx *ctx, const scene *s, const double *angles, size_t sets, size_t k,
                       recon_mean_kind kind, recon_so2_center *out)
{
    figures f = { 0 };
    clock_t begun = clock();
    if (recon_so2_mean_batch(ctx, out, angles, sets, k, &(recon_mean_options){ .kind = kind }))
        exit(1);
    f.seconds = (double)(clock() - begun) / CLOCKS_PER_SEC / (double)sets;
    for (size_t i = 0; i < sets; i++) {
        double error = error_of(out[i].mean, s->modes);
        f.rms += error * error;
        f.hits += error < 25;
        f.split += out[i].modes > 1;
    }
    f.rms = sqrt(f.rms / (double)sets);
    f.hits *= 100.0 / (double)sets;
    f.split *= 100.0 / (double)sets;
    return f;
}

static void row(recon_ctx *ctx, const scene *s, size_t k, size_t sets)
{
    double *angles = malloc(sets * k * sizeof *angles);
    recon_so2_center *out = malloc(sets * sizeof *out);
    if (!angles || !out)
        exit(1);
    recon_rng rng = recon_rng_new(1, k);
    for (size_t i = 0; i < sets * k; i++)
        angles[i] = draw(&rng, s);
    figures frechet = measure(ctx, s, angles, sets, k, RECON_MEAN_FRECHET, out);
    figures robust = measure(ctx, s, angles, sets, k, RECON_MEAN_AUTO, out);
    printf("| %-24s | %4zu | %7.2f | %5.1f | %7.2f | %5.1f | %6.3f | %5.2f | %6.1f |\n", s->name, k,
           frechet.rms, frechet.hits, robust.rms, robust.hits, robust.rms / frechet.rms,
           robust.split, 1e6 * robust.seconds);
    free(angles);
    free(out);
}

int main(int argc, char **argv)
{
    size_t repeats = argc > 1 ? (size_t)atol(argv[1]) : 20000;
    static const size_t sizes[] = { 10, 15, 25, 50 };
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    if (!ctx)
        return 1;
    printf("| angles                   |    k | Frechet | <25   | default | <25   | ratio  | split "
           "| us a set |\n");
    printf("| ---                      |  --- |     --- |   --- |     --- |   --- |    --- |   --- "
           "|      --- |\n");
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
            row(ctx, &scenes[i], sizes[j], repeats);
    recon_ctx_free(ctx);
    return 0;
}
