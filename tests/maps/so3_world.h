/* so3_world.h - six classes of rotations: rings about the three axes, and one class about a single
 * rotation, with an arbitrary right factor for each class. */
#ifndef TESTS_MAPS_SO3_WORLD_H
#define TESTS_MAPS_SO3_WORLD_H

#include "world.h"

enum {
    SO3_CLASSES = 6,
    SO3_TRAIN = SO3_CLASSES * 80,
    SO3_TEST = 600,
    SO3_N = SO3_TRAIN + SO3_TEST
};
#define S 100.0

/* F of a class, about its natural pose: rings about the three axes, and one class that rotates
 * about a single pose. */
static inline void truth(double f[9], size_t c)
{
    static const double firm[3] = { 80, 60, 40 };
    for (int i = 0; i < 9; i++)
        f[i] = i % 4 ? 0 : c == SO3_CLASSES - 1 ? firm[i / 4] : i / 4 == (int)(c % 3) ? S : 0;
}

/* wrong: the share of poses that are anything; left and right: factors of all poses. */
static inline world *new_so3_world(recon_ctx *ctx, double wrong, recon_so3 left, recon_so3 right)
{
    world *w = calloc(1, sizeof *w);
    recon_fisher fisher[SO3_CLASSES];
    assert_non_null(w);
    w->group = RECON_SO3;
    w->train = SO3_TRAIN;
    w->test = SO3_TEST;
    w->k = 25;
    w->quick = (recon_maps_options){ .hidden = 64, .epochs = 110, .batch = 48, .rate = 8e-3 };
    w->brief = (recon_maps_options){ .hidden = 16, .epochs = 2, .batch = 48 };
    for (size_t c = 0; c < SO3_CLASSES; c++) {
        recon_rng r = recon_rng_new(41, c);
        double f[9];
        truth(f, c);
        CHECK_OK(ctx, recon_fisher_of(ctx, &fisher[c], f));
        w->so3_offset[c] = recon_so3_compose(recon_so3_haar(&r), right);
    }
    for (size_t i = 0; i < SO3_N; i++) {
        recon_rng r = recon_rng_new(42, i);
        size_t c = i % SO3_CLASSES;
        for (size_t j = 0; j < D; j++)
            w->z[i][j] = (float)(2 + (j == c) + 0.1 * recon_rng_normal(&r));
        recon_so3 g;
        recon_fisher_sample(&g, &fisher[c], 1, &r);
        if (recon_rng_uniform(&r) < wrong)
            g = recon_so3_haar(&r);
        w->so3[i] = recon_so3_compose(left, recon_so3_compose(g, w->so3_offset[c]));
    }
    return w;
}

static inline world *plain_so3_world(recon_ctx *ctx, double wrong)
{
    return new_so3_world(ctx, wrong, recon_so3_identity(), recon_so3_identity());
}

#endif
