/* bench_so3_modes - how often sets of rotations are said to have several modes.
 *
 *   build/bench/bench_so3_modes [TRIALS]       600 trials take some seconds */
#include <recon/group/matrix_fisher.h>
#include <recon/group/mean.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum { BALL, RING, STRAY_RING, NORMAL, STRAY_NORMAL, TWO, TWO_NEAR, FIVE, HAAR } kind;

static const char *const name[] = { "uniform within 90 deg",
                                    "ring, diag(100, .001, .001)",
                                    "ring, 10 % outliers",
                                    "normal, 13 deg an axis",
                                    "normal, 10 % outliers",
                                    "two modes 180 deg apart, 13 deg",
                                    "two modes 90 deg apart, 13 deg",
                                    "five modes 72 deg apart, 13 deg",
                                    "uniform on SO(3)" };

/* A mode 13 degrees wide, rotated about z. */
static recon_so3 mode(recon_rng *rng, double rotation)
{
    double v[3];
    for (int k = 0; k < 3; k++)
        v[k] = 0.225 * recon_rng_normal(rng);
    return recon_so3_compose(recon_so3_exp((double[3]){ 0, 0, rotation }), recon_so3_exp(v));
}

static recon_so3 draw(kind of, const recon_fisher *ring, recon_rng *rng)
{
    recon_so3 q = recon_so3_haar(rng);
    int stray = recon_rng_uniform(rng) < 0.1;
    switch (of) {
    case BALL:
        while (recon_so3_angle(q) > M_PI / 2)
            q = recon_so3_haar(rng);
        break;
    case STRAY_RING:
    case RING:
        if (of == RING || !stray)
            recon_fisher_sample(&q, ring, 1, rng);
        break;
    case NORMAL: return mode(rng, 0);
    case STRAY_NORMAL: return stray ? q : mode(rng, 0);
    case TWO: return mode(rng, M_PI * (double)recon_rng_below(rng, 2));
    case TWO_NEAR: return mode(rng, M_PI / 2 * (double)recon_rng_below(rng, 2));
    case FIVE: return mode(rng, 2 * M_PI / 5 * (double)recon_rng_below(rng, 5));
    case HAAR: break;
    }
    return q;
}

static double share(recon_ctx *ctx, kind of, const recon_fisher *ring, size_t k, size_t trials)
{
    recon_so3 *g = malloc(k * sizeof *g);
    size_t several = 0;
    for (size_t t = 0; g && t < trials; t++) {
        recon_rng rng = recon_rng_new(9, t);
        recon_so3_center center;
        for (size_t i = 0; i < k; i++)
            g[i] = draw(of, ring, &rng);
        if (recon_so3_mean(ctx, &center, g, k, NULL) != RECON_OK)
            exit(1);
        several += center.modes > 1;
    }
    free(g);
    return 100.0 * (double)several / (double)trials;
}

int main(int argc, char **argv)
{
    static const double f[9] = { 100, 0, 0, 0, .001, 0, 0, 0, .001 };
    static const size_t sizes[] = { 10, 25, 50, 100 };
    size_t trials = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 600;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    recon_fisher ring;
    if (!ctx || trials == 0 || recon_fisher_of(ctx, &ring, f) != RECON_OK)
        return 1;
    printf("sets of %zu said to have several modes\n| samples | k = 10 | 25 | 50 | 100 |\n"
           "|---|---|---|---|---|\n",
           trials);
    for (int of = BALL; of <= HAAR; of++) {
        printf("| %s |", name[of]);
        for (int i = 0; i < 4; i++)
            printf(" %.1f %% |", share(ctx, (kind)of, &ring, sizes[i], trials));
        printf("\n");
    }
    recon_ctx_free(ctx);
    return 0;
}
