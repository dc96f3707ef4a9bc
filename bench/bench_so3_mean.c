/* bench_so3_mean - the default mean, with its modes, of many small sets of rotations.
 *
 *   build/bench/bench_so3_mean          lines of "name threads seconds sets/s" */
#include <recon/group/mean.h>

#include <stdio.h>
#include <stdlib.h>
#include "core/ctx.h"
#include "group/mean.h"

enum { SETS = 20000, K = 25 };

static int bench(int threads, const recon_so3 *samples, recon_so3_center *center)
{
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = threads });
    double begun = recon_now();
    recon_status status =
        ctx ? recon_so3_mean_batch(ctx, center, samples, SETS, K, NULL) : RECON_ERR_MEMORY;
    double seconds = recon_now() - begun;
    printf("%-24s %d thread%s %9.4f s %12.0f sets/s\n", "recon mean and modes", threads,
           threads > 1 ? "s" : " ", seconds, SETS / seconds);
    recon_ctx_free(ctx);
    return status != RECON_OK;
}

int main(void)
{
    recon_so3 *samples = malloc(sizeof *samples * SETS * K);
    recon_so3_center *center = malloc(sizeof *center * SETS);
    if (!samples || !center)
        return 1;
    for (size_t i = 0; i < SETS; i++) { /* a different centre for each set, 20 degrees an axis */
        recon_rng rng = recon_rng_new(3, i);
        recon_so3 at = recon_so3_haar(&rng);
        for (size_t j = 0; j < K; j++) {
            double v[3];
            for (int a = 0; a < 3; a++)
                v[a] = 0.35 * recon_rng_normal(&rng);
            samples[i * K + j] = recon_so3_compose(recon_so3_exp(v), at);
        }
    }
    int failed = bench(1, samples, center);
    failed |= bench(2, samples, center);
    free(samples), free(center);
    return failed;
}
