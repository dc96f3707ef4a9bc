/* known.h - data whose truth is known: poses g = mu offset, one arbitrary offset a class. */
#ifndef TESTS_NORMALIZE_KNOWN_H
#define TESTS_NORMALIZE_KNOWN_H

#include "scratch.h"

#include <recon/group/so2.h>
#include <recon/normalize/normalize.h>

enum { N = 480, D = 8, CLASSES = 4, K = 40 };

typedef struct {
    float z[N * D];
    double so2[N], offset2[CLASSES];
    recon_so3 so3[N], offset3[CLASSES];
    int64_t label[N];
} data;

static const recon_group *const groups[] = { RECON_SO2, RECON_SO3 };

typedef enum { NORMAL, UNIFORM } form; /* of mu: sigma or half-width is the spread */

static inline void draw(double *angle, recon_so3 *rotation, double spread, form how, recon_rng *r)
{
    double v[3];
    for (int i = 0; i < 3; i++)
        v[i] = spread * (how == NORMAL ? recon_rng_normal(r) : 2 * recon_rng_uniform(r) - 1);
    *angle = recon_so2_wrap(v[0]);
    *rotation = recon_so3_exp(v);
}

/* Classes lie about the first axes; blur is how far they reach into each other. */
static inline data *make_data(double spread, form how, double blur)
{
    data *w = calloc(1, sizeof *w);
    assert_non_null(w);
    for (size_t c = 0; c < CLASSES; c++) {
        recon_rng r = recon_rng_new(1, c);
        w->offset2[c] = recon_so2_haar(&r);
        w->offset3[c] = recon_so3_haar(&r);
    }
    for (size_t i = 0; i < N; i++) {
        recon_rng r = recon_rng_new(2, i);
        size_t c = i % CLASSES;
        w->label[i] = (int64_t)c;
        for (size_t j = 0; j < D; j++)
            w->z[i * D + j] = (float)((j == c) + blur * recon_rng_normal(&r));
        draw(&w->so2[i], &w->so3[i], spread, how, &r);
        w->so2[i] = recon_so2_compose(w->so2[i], w->offset2[c]);
        w->so3[i] = recon_so3_compose(w->so3[i], w->offset3[c]);
    }
    return w;
}

static inline recon_embedded view(const data *w, const recon_group *group, size_t n)
{
    return (recon_embedded){ .n = n,
                             .d = D,
                             .z = w->z,
                             .group = group,
                             .poses = group == RECON_SO2 ? w->so2 : (const double *)w->so3,
                             .labels = w->label };
}

static inline recon_frames normalize(recon_ctx *ctx, const recon_embedded *e,
                                     const recon_embedded *queries, recon_normalize_options o)
{
    recon_frames f;
    CHECK_OK(ctx, recon_normalize(ctx, &f, e, queries, &o));
    return f;
}

/* A fixed family for speed: the choice of one has a test of its own. */
static inline recon_normalize_options neighbors(size_t k)
{
    return (recon_normalize_options){ .knn.k = k, .family = RECON_SO2_NORMAL };
}

static inline recon_normalize_options components(double eps)
{
    return (recon_normalize_options){ .classes = RECON_CLASSES_COMPONENTS, .eps = eps };
}

#endif
