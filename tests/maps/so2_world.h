/* so2_world.h - four classes of angles, each with an offset and a spread of its own. */
#ifndef TESTS_MAPS_SO2_WORLD_H
#define TESTS_MAPS_SO2_WORLD_H

#include "world.h"

#include <recon/group/so2.h>

enum { SO2_CLASSES = 4, SO2_TRAIN = 2200, SO2_TEST = 1000, SO2_N = SO2_TRAIN + SO2_TEST };

static inline double draw(recon_so2_family family, double spread, recon_rng *r)
{
    return spread *
           (family == RECON_SO2_NORMAL ? recon_rng_normal(r) : 2 * recon_rng_uniform(r) - 1);
}

/* SEAM: the first class lies where angles jump. TURNED: the last is seen from either end, half of
 * its poses are rotated by pi. */
typedef enum { PLAIN, SEAM, ROTATED } twist;

static inline world *new_so2_world(recon_so2_family family, twist how)
{
    static const double spread[SO2_CLASSES] = { 10 * DEGREE, 20 * DEGREE, 40 * DEGREE,
                                                10 * DEGREE };
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->group = RECON_SO2;
    w->train = SO2_TRAIN;
    w->test = SO2_TEST;
    w->k = 40;
    w->family = family;
    w->quick = (recon_maps_options){
        .hidden = 64, .epochs = 10, .batch = 64, .rate = 6e-3, .dropout = 0.1
    };
    w->brief = (recon_maps_options){ .hidden = 16, .epochs = 1, .batch = 64 };
    for (size_t c = 0; c < SO2_CLASSES; c++) {
        w->so2_offset[c] = recon_so2_wrap((how == SEAM ? M_PI : -1.5) + 1.1 * (double)c);
        w->spread[c] = spread[c];
    }
    for (size_t i = 0; i < SO2_N; i++) {
        recon_rng r = recon_rng_new(41, i);
        size_t c = i % SO2_CLASSES;
        for (size_t j = 0; j < D; j++)
            w->z[i][j] = (float)(5 + (j == c) + 0.1 * recon_rng_normal(&r));
        double g = draw(family, w->spread[c], &r);
        if (how == ROTATED && c == 3 && recon_rng_below(&r, 2))
            g += M_PI;
        w->so2[i] = recon_so2_compose(g, w->so2_offset[c]);
    }
    return w;
}

#endif
