/* bench_maps.c - how long the heads on z take to fit, and what an embedding costs them.
 *
 *   bench_maps cpu|cuda|ref [POINTS [EPOCHS [HIDDEN]]]      default 60000 points, 1 epoch, 512
 *
 * Embeddings of 128 numbers in ten classes, frames made up: only time is looked at. */
#include <recon/ops/backend.h>
#include "core/ctx.h"
#include "maps/maps.h"
#include "maps/so2_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { D = 128, CLASSES = 10, FEW = 10000, REPEATS = 5 };

typedef struct {
    float *z;
    double *psi, *gamma, *theta;
} points;

static int make_points(points *p, size_t n)
{
    *p = (points){ malloc(n * D * sizeof(float)), malloc(n * sizeof(double)),
                   malloc(n * sizeof(double)), malloc(n * sizeof(double)) };
    if (!p->z || !p->psi || !p->gamma || !p->theta)
        return 0;
    for (size_t i = 0; i < n; i++) {
        recon_rng r = recon_rng_new(1, i);
        for (size_t j = 0; j < D; j++)
            p->z[i * D + j] = (float)(recon_rng_normal(&r) + 4 * (j == i % CLASSES));
        p->gamma[i] = (double)(i % CLASSES) - 3;
        p->theta[i] = 1;
        p->psi[i] = p->gamma[i] + 2 * recon_rng_uniform(&r) - 1;
    }
    return 1;
}

static void free_points(points *p)
{
    free(p->z);
    free(p->psi);
    free(p->gamma);
    free(p->theta);
}

static recon_status time_answers(recon_ctx *ctx, const recon_maps *m, const points *p, size_t n)
{
    recon_so2_map *map = malloc(n * sizeof *map);
    double best[2] = { HUGE_VAL, HUGE_VAL };
    recon_status status = map ? RECON_OK : RECON_ERR_MEMORY;
    for (int i = 0; status == RECON_OK && i < 2 * REPEATS; i++) {
        double begun = recon_now();
        status = recon_maps_apply(ctx, map, m, &(recon_maps_inputs){ .n = n, .z = p->z },
                                  i % 2 ? RECON_MAPS_ALL : RECON_MAPS_LAMBDA);
        best[i % 2] = fmin(best[i % 2], recon_now() - begun);
    }
    printf("Lambda alone  %8.5f ms an embedding\nall heads     %8.5f ms\n",
           best[0] / (double)n * 1e3, best[1] / (double)n * 1e3);
    free(map);
    return status;
}

static recon_status run(recon_ctx *ctx, const points *p, size_t n, const recon_maps_options *o)
{
    const recon_embedded data = { .n = n, .d = D, .z = p->z, .group = RECON_SO2, .poses = p->psi };
    const recon_frames frames = { .group = RECON_SO2,
                                  .rows = n,
                                  .gamma = p->gamma,
                                  .theta = p->theta,
                                  .family = RECON_SO2_UNIFORM };
    recon_maps *m = NULL;
    double begun = recon_now();
    recon_status status = recon_maps_fit(ctx, &m, &data, &frames, o);
    if (status == RECON_OK) {
        printf("fit           %8.2f s, %zu points, %zu epochs, hidden %zu, %zu weights\n",
               recon_now() - begun, n, o->epochs, o->hidden, recon_maps_describe(m).weights);
        status = time_answers(ctx, m, p, n < FEW ? n : FEW);
    }
    recon_maps_free(ctx, m);
    return status;
}

int main(int argc, char **argv)
{
    size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 60000;
    recon_maps_options o = { .epochs = argc > 3 ? strtoul(argv[3], NULL, 10) : 1,
                             .hidden = argc > 4 ? strtoul(argv[4], NULL, 10) : 512 };
    recon_ctx *ctx = recon_ctx_new(NULL);
    points p;
    if (!ctx || !make_points(&p, n) ||
        recon_ops_attach(ctx, argc > 1 ? argv[1] : "cpu") != RECON_OK || run(ctx, &p, n, &o)) {
        fprintf(stderr, "bench_maps: %s\n", ctx ? recon_ctx_message(ctx) : "no context");
        return 1;
    }
    free_points(&p);
    recon_ctx_free(ctx);
    return 0;
}
