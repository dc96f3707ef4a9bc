/* world.h - points whose truth is known, of either group: classes about their own prototypes in z,
 * poses spread about an arbitrary offset of each class. so2_world.h and so3_world.h make them. */
#ifndef TESTS_MAPS_WORLD_H
#define TESTS_MAPS_WORLD_H

#include "scratch.h"
#include "maps/maps.h"
#include "maps/so2_map.h"
#include "maps/so3_map.h"

#include <recon/normalize/normalize.h>

enum { D = 8, WORLD_MOST = 3200, WORLD_CLASSES = 6 };
#define DEGREE (M_PI / 180)

typedef struct {
    const recon_group *group;
    size_t train, test, k; /* points to fit, and to ask; neighbours */
    recon_so2_family family;
    recon_maps_options quick, brief; /* a fit that is good, and one that is none */
    float z[WORLD_MOST][D];
    double so2[WORLD_MOST], so2_offset[WORLD_CLASSES], spread[WORLD_CLASSES];
    recon_so3 so3[WORLD_MOST], so3_offset[WORLD_CLASSES];
} world;

/* The pose of point i. */
static inline const double *psi_of(const world *w, size_t i)
{
    return w->group == RECON_SO2 ? &w->so2[i] : (const double *)&w->so3[i];
}

static inline recon_embedded points(const world *w, size_t n)
{
    recon_embedded e = { .n = n, .d = D, .z = &w->z[0][0] };
    e.group = w->group;
    e.poses = psi_of(w, 0);
    return e;
}

/* To be freed. */
static inline recon_frames frames_of(recon_ctx *ctx, const world *w, const recon_embedded *e,
                                     size_t k)
{
    recon_normalize_options o = { .knn.k = k, .family = w->family, .no_symmetry = 1 };
    recon_frames f;
    CHECK_OK(ctx, recon_normalize(ctx, &f, e, NULL, &o));
    if (w->group == RECON_SO3)
        CHECK_OK(ctx, recon_frames_gauge(ctx, &f));
    return f;
}

static inline recon_maps *fit(recon_ctx *ctx, const world *w, const recon_maps_options *options)
{
    recon_embedded e = points(w, w->train);
    recon_frames f = frames_of(ctx, w, &e, w->k);
    recon_maps *m;
    CHECK_OK(ctx, recon_maps_fit(ctx, &m, &e, &f, options));
    recon_frames_free(&f);
    return m;
}

/* What the maps say of the test points: recon_so2_map or recon_so3_map. */
static inline void *maps_of_test(recon_ctx *ctx, const world *w, const recon_maps *m)
{
    void *map = calloc(w->test, m->kind->map);
    assert_non_null(map);
    CHECK_OK(ctx, recon_maps_apply(ctx, map, m,
                                   &(recon_maps_inputs){ .n = w->test, .z = w->z[w->train] },
                                   RECON_MAPS_ALL));
    return map;
}

#endif
