/* bench_so3_mean - chordal means of many small sets of rotations, and the full default mean.
 *
 *   build/bench/bench_so3_mean          lines of "name threads seconds sets/s"
 *   bench/peers_so3_mean.py             the same lines for numpy and SciPy
 */
#include <recon/group/mean.h>

#include <stdio.h>
#include <stdlib.h>
#include "core/ctx.h"
#include "group/mean.h"

enum { SETS = 174481, K = 25, REPEATS = 5, FULL_SETS = 20000 };

static void report(const char *name, int threads, double seconds, size_t sets)
{
    printf("%-24s %d thread%s %9.4f s %12.0f sets/s\n", name, threads, threads > 1 ? "s" : " ",
           seconds, (double)sets / seconds);
}

static int bench(int threads, const recon_so3 *samples, recon_so3 *mean, double *singular,
                 recon_so3_center *center)
{
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = threads });
    double best = 1e9;
    recon_status status = ctx ? RECON_OK : RECON_ERR_MEMORY;
    for (int i = 0; i < REPEATS && status == RECON_OK; i++) {
        double begun = recon_now();
        status = recon_so3_chordal_batch(ctx, mean, singular, samples, SETS, K);
        double taken = recon_now() - begun;
        best = taken < best ? taken : best;
    }
    report("recon chordal", threads, best, SETS);
    double begun = recon_now();
    if (status == RECON_OK)
        status = recon_so3_mean_batch(ctx, center, samples, FULL_SETS, K, NULL);
    report("recon mean and modes", threads, recon_now() - begun, FULL_SETS);
    recon_ctx_free(ctx);
    return status != RECON_OK;
}

int main(void)
{
    recon_so3 *samples = malloc(sizeof *samples * SETS * K), *mean = malloc(sizeof *mean * SETS);
    double *singular = malloc(sizeof *singular * 3 * SETS);
    recon_so3_center *center = malloc(sizeof *center * FULL_SETS);
    if (!samples || !mean || !singular || !center)
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
    int failed = bench(1, samples, mean, singular, center);
    failed |= bench(2, samples, mean, singular, center);
    free(samples), free(mean), free(singular), free(center);
    return failed;
}
