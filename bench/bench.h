/* bench.h - what benches share. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <recon/recon.h>
#include "core/ctx.h"

#include <stdio.h>
#include <stdlib.h>

static inline void must(recon_ctx *ctx, recon_status status)
{
    if (status == RECON_OK)
        return;
    fprintf(stderr, "%s\n", recon_ctx_message(ctx));
    exit(1);
}

/* Rows around a thousand centers, as wide as the centers are apart. */
static inline void fill_clusters(float *z, size_t n, size_t d)
{
    for (size_t i = 0; i < n; i++) {
        recon_rng r = recon_rng_new(1, i), center = recon_rng_new(2, i % 1000);
        for (size_t c = 0; c < d; c++)
            z[i * d + c] = (float)(recon_rng_normal(&center) + 0.5 * recon_rng_normal(&r));
    }
}

#endif
