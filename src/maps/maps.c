/* maps.c - Lambda, Theta and the density of angles: heads on z, and their answers. */
#include <recon/stats/tail.h>
#include "maps/maps.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

static const recon_bundle_kind kind = { recon_heads, RECON_HEADS, sizeof(recon_so2_map),
                                        "theta.family" };

/* --- the object ------------------------------------------------------------------------------- */

recon_status recon_maps_new(recon_ctx *ctx, recon_maps **out, size_t d, size_t hidden,
                            double dropout, uint64_t seed)
{
    recon_status status = recon_alloc(ctx, out, 1, sizeof **out);
    if (status == RECON_OK)
        status = recon_bundle_new(ctx, &(*out)->bundle, &kind, d, hidden, dropout, seed);
    return status;
}

void recon_maps_free(recon_ctx *ctx, recon_maps *m)
{
    if (!m)
        return;
    recon_bundle_free(ctx, &m->bundle);
    free(m);
}

recon_maps_info recon_maps_describe(const recon_maps *m)
{
    const recon_bundle *b = &m->bundle;
    return (recon_maps_info){ b->d, b->hidden, b->weights, (recon_so2_family)b->number,
                              (size_t)b->calibration.n };
}

const recon_params *recon_maps_params(const recon_maps *maps)
{
    return maps->bundle.params;
}

recon_status recon_maps_open(recon_ctx *ctx, recon_maps **out, const char *path)
{
    recon_maps *m = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_alloc(ctx, &m, 1, sizeof *m));
    RECON_TRY(recon_bundle_open(ctx, &m->bundle, &kind, path));
    double family = m->bundle.number;
    if (family != RECON_SO2_UNIFORM && family != RECON_SO2_NORMAL)
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_FORMAT, "%s: 'theta.family' is %g: 1 or 2", path, family));
    *out = m;
done:
    if (status != RECON_OK)
        recon_maps_free(ctx, m);
    return status;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* The width of the arc or of the normal that keeps as many angles as near. Of a normal the median,
 * 0.6745 sigma: the share that is least moved by others. Of an arc 85 %: so much of an arc and of a
 * normal of the same variance lie equally near, within 2 %, and a mixture of few peaks that stands
 * for an arc has a shape in between. */
static double width_of(const recon_so2_density *p, recon_so2_family family)
{
    double width = family == RECON_SO2_UNIFORM ? recon_so2_deviation(p, 0.85) / 0.85
                                               : recon_so2_deviation(p, 0.5) / 0.6744897501960817;
    return fmin(fmax(width, RECON_THETA_LEAST), M_PI);
}

typedef struct {
    recon_so2_family family;
    recon_so2_map *maps;
    double *lambda;
} answers;

static recon_status take_all(recon_ctx *ctx, void *user, size_t at, void *maps, size_t n)
{
    const answers *a = user;
    const recon_so2_map *from = maps;
    recon_so2_map *to = a->maps + at;
    (void)ctx;
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i];
        to[i].family = a->family;
        to[i].theta_label = from[i].theta;
        to[i].theta = width_of(&from[i].density, a->family);
    }
    return RECON_OK;
}

static recon_status take_lambda(recon_ctx *ctx, void *user, size_t at, void *maps, size_t n)
{
    const answers *a = user;
    (void)ctx;
    for (size_t i = 0; i < n; i++)
        a->lambda[at + i] = ((const recon_so2_map *)maps)[i].lambda;
    return RECON_OK;
}

recon_status recon_maps_apply(recon_ctx *ctx, recon_so2_map *out, const recon_maps *maps,
                              const float *z, size_t n)
{
    answers a = { .family = (recon_so2_family)maps->bundle.number, .maps = out };
    return recon_bundle_apply(ctx, &maps->bundle, ~0u, z, n, take_all, &a);
}

recon_status recon_maps_lambda(recon_ctx *ctx, double *out, const recon_maps *maps, const float *z,
                               size_t n)
{
    answers a = { .lambda = out };
    return recon_bundle_apply(ctx, &maps->bundle, 1u << RECON_HEAD_LAMBDA, z, n, take_lambda, &a);
}

double recon_maps_p_value(const recon_maps *maps, const recon_so2_map *map, double psi)
{
    const recon_tails *t = &maps->bundle.tails;
    return t->bin[0].n > 0 ? recon_tails_p_value(t, recon_so2_tail_point(map, psi))
                           : recon_so2_tail(&map->density, psi);
}

double recon_maps_threshold(const recon_maps *maps, double false_alarms)
{
    return recon_calibration_threshold(&maps->bundle.calibration, false_alarms);
}
