/* so2_kind.c - maps of angles: what their heads have said, made an answer. */
#include <recon/data/dataset.h>
#include "maps/so2_heads.h"
#include "stats/so2_moments.h"

#include <math.h>

static int is_family(double number)
{
    return number == RECON_SO2_UNIFORM || number == RECON_SO2_NORMAL;
}

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

static recon_status finish(recon_ctx *ctx, void *maps, size_t n, recon_maps_part part,
                           double number)
{
    recon_so2_map *map = maps;
    (void)ctx;
    for (size_t i = 0; part == RECON_MAPS_ALL && i < n; i++) {
        map[i].family = (recon_so2_family)number;
        map[i].theta_label = map[i].theta;
        map[i].theta = width_of(&map[i].density, map[i].family);
    }
    return RECON_OK;
}

static double score(const void *map, const void *psi)
{
    return recon_so2_map_score(map, *(const double *)psi);
}

static recon_tail_point tail(const void *map, const void *psi)
{
    return recon_so2_tail_point(map, *(const double *)psi);
}

const recon_maps_kind recon_so2_maps = {
    .group = RECON_SO2,
    .name = "so2",
    .head = recon_so2_heads,
    .heads = RECON_SO2_HEADS,
    .lambda = 1u << RECON_SO2_LAMBDA,
    .map = sizeof(recon_so2_map),
    .number = "theta.family",
    .number_is = "1 or 2",
    .number_fits = is_family,
    .defaults = { .hidden = 256,
                  .epochs = 30,
                  .batch = 256,
                  .rate = 1e-3,
                  .decay = 0.01,
                  .dropout = 0.2,
                  .held_out = 1.0 / RECON_HELD_OUT /* as many as a backbone does */ },
    .as_split = 1,
    .targets = recon_so2_targets,
    .finish = finish,
    .score = score,
    .tail = tail,
};
