/* bench_groups - means on SE(3) of many small sets, for bench/peers_groups.py to repeat.
 *
 *   build/bench/bench_groups DIR [SETS]      writes poses.npy, chordal.npy and mean.npy, N x 4 x 4, and prints the
 *                                            seconds of both kinds of mean on one thread */
#include "bench.h"
#include "group/rigid.h"

#include <string.h>

enum { K = 25 };

static void save(recon_ctx *ctx, const char *dir, const char *name, const double *poses, size_t n)
{
    char path[4096];
    double *m = malloc(n * 16 * sizeof *m);
    if (!m)
        exit(1);
    recon_group_se3.write(&recon_group_se3, m, poses, n);
    snprintf(path, sizeof path, "%s/%s.npy", dir, name);
    must(ctx,
         recon_npy_write(
             ctx, path,
             &(recon_array){ .dtype = RECON_F64, .ndim = 3, .shape = { n, 4, 4 }, .data = m }));
    free(m);
}

int main(int argc, char **argv)
{
    const recon_group *g = &recon_group_se3;
    size_t sets = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000, w = g->numbers;
    double *poses = malloc(sets * K * w * sizeof *poses), *mean = malloc(sets * w * sizeof *mean);
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    if (argc < 2 || !poses || !mean || !ctx)
        return 1;
    for (size_t i = 0; i < sets * K;
         i++) { /* 0.3 radians and units about a pose of the set's own */
        recon_rng rng = recon_rng_new(5, i), own = recon_rng_new(6, i / K);
        double v[6], at[7];
        for (int a = 0; a < 6; a++)
            v[a] = 0.3 * recon_rng_normal(&rng);
        g->exp(g, poses + i * w, v);
        g->haar(g, at, &own);
        g->compose(g, poses + i * w, poses + i * w, at);
    }
    save(ctx, argv[1], "poses", poses, sets * K);
    for (int chordal = 0; chordal < 2; chordal++) {
        recon_mean_kind kind = chordal ? RECON_MEAN_CHORDAL : RECON_MEAN_FRECHET;
        double begun = recon_now();
        for (size_t s = 0; s < sets; s++)
            must(ctx, recon_rigid_mean(ctx, g, mean + s * w, poses + s * K * w, K, kind));
        printf("%s %.4f\n", chordal ? "chordal" : "mean", recon_now() - begun);
        save(ctx, argv[1], chordal ? "chordal" : "mean", mean, sets);
    }
    recon_ctx_free(ctx);
    free(poses), free(mean);
    return 0;
}
