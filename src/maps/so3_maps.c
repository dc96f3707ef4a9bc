/* so3_maps.c - Lambda, Theta and the density of rotations: heads on z, and their answers. */
#include "maps/so3_maps.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "maps/so3_heads.h"

#include <recon/stats/fisher_gauge.h>
#include <stdlib.h>

enum { BLOCK = 64 /* maps of a task */ };

static const recon_bundle_kind kind = { recon_so3_heads, RECON_SO3_HEADS, sizeof(recon_so3_map),
                                        "theta.unit" };

/* --- the object ------------------------------------------------------------------------------- */

recon_status recon_so3_maps_new(recon_ctx *ctx, recon_so3_maps **out, size_t d, size_t hidden,
                                double dropout, uint64_t seed)
{
    recon_status status = recon_alloc(ctx, out, 1, sizeof **out);
    if (status == RECON_OK)
        status = recon_bundle_new(ctx, &(*out)->bundle, &kind, d, hidden, dropout, seed);
    return status;
}

void recon_so3_maps_free(recon_ctx *ctx, recon_so3_maps *m)
{
    if (!m)
        return;
    recon_bundle_free(ctx, &m->bundle);
    free(m);
}

recon_so3_maps_info recon_so3_maps_describe(const recon_so3_maps *m)
{
    const recon_bundle *b = &m->bundle;
    return (recon_so3_maps_info){ b->d, b->hidden, b->weights, b->number,
                                  (size_t)b->calibration.n };
}

const recon_params *recon_so3_maps_params(const recon_so3_maps *maps)
{
    return maps->bundle.params;
}

recon_status recon_so3_maps_open(recon_ctx *ctx, recon_so3_maps **out, const char *path)
{
    recon_so3_maps *m = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_alloc(ctx, &m, 1, sizeof *m));
    RECON_TRY(recon_bundle_open(ctx, &m->bundle, &kind, path));
    if (!(m->bundle.number > 0 && m->bundle.number < 1e9))
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: 'theta.unit' is %g: above 0", path,
                             m->bundle.number));
    *out = m;
done:
    if (status != RECON_OK)
        recon_so3_maps_free(ctx, m);
    return status;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* From the density's F to all that follows from it. */
static recon_status finish(recon_ctx *ctx, recon_so3_map *m)
{
    double f[9];
    for (int i = 0; i < 9; i++)
        f[i] = m->density.f[i];
    recon_status status = recon_fisher_of(ctx, &m->density, f);
    if (status != RECON_OK)
        return recon_note(ctx, status, "what the density head puts out");
    m->free = recon_fisher_free(&m->density);
    m->lambda = recon_fisher_gauge(&m->density, m->free);
    recon_fisher_center(m->theta, f, m->lambda);
    return RECON_OK;
}

typedef struct {
    recon_so3_map *maps;
    size_t n;
} pass;

static recon_status finish_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const pass *p = arg;
    recon_status status = RECON_OK;
    (void)worker;
    for (size_t i = task * BLOCK; status == RECON_OK && i < (task + 1) * BLOCK && i < p->n; i++)
        status = finish(ctx, &p->maps[i]);
    return status;
}

static recon_status finish_all(recon_ctx *ctx, recon_so3_map *maps, size_t n)
{
    return recon_parallel(ctx, finish_task, &(pass){ maps, n }, (n + BLOCK - 1) / BLOCK);
}

static recon_status take_all(recon_ctx *ctx, void *user, size_t at, void *maps, size_t n)
{
    recon_so3_map *to = (recon_so3_map *)user + at, *from = maps;
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
    return finish_all(ctx, to, n);
}

typedef struct {
    recon_so3 *lambda;
    int *free;
} centers;

static recon_status take_lambda(recon_ctx *ctx, void *user, size_t at, void *maps, size_t n)
{
    const centers *to = user;
    recon_so3_map *from = maps;
    recon_status status = finish_all(ctx, from, n);
    for (size_t i = 0; status == RECON_OK && i < n; i++) {
        to->lambda[at + i] = from[i].lambda;
        if (to->free)
            to->free[at + i] = from[i].free;
    }
    return status;
}

recon_status recon_so3_maps_apply(recon_ctx *ctx, recon_so3_map *out, const recon_so3_maps *maps,
                                  const float *z, size_t n)
{
    return recon_bundle_apply(ctx, &maps->bundle, ~0u, z, n, take_all, out);
}

recon_status recon_so3_maps_lambda(recon_ctx *ctx, recon_so3 *out, int *free,
                                   const recon_so3_maps *maps, const float *z, size_t n)
{
    return recon_bundle_apply(ctx, &maps->bundle, 1u << RECON_SO3_DENSITY, z, n, take_lambda,
                              &(centers){ out, free });
}

recon_tail_point recon_so3_tail_point(const recon_so3_map *map, recon_so3 psi)
{
    const double *m = map->density.moment; /* one pose: 1 1 1; an axis: 1 0 0; none: 0 0 0 */
    return (recon_tail_point){ (1 - map->background) * (m[0] + m[1] + m[2]) / 3,
                               recon_so3_map_tail(map, psi) };
}

double recon_so3_maps_p_value(const recon_so3_maps *maps, const recon_so3_map *map, recon_so3 psi)
{
    return recon_tails_p_value(&maps->bundle.tails, recon_so3_tail_point(map, psi));
}

double recon_so3_maps_threshold(const recon_so3_maps *maps, double false_alarms)
{
    return recon_calibration_threshold(&maps->bundle.calibration, false_alarms);
}
