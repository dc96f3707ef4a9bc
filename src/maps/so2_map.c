/* so2_map.c - what follows from the maps of an input and its pose. */
#include "maps/so2_map.h"
#include <math.h>
#include <recon/group/so2.h>
#include <recon/stats/tail.h>

double recon_so2_absolute(const recon_so2_map *map, double psi)
{
    return recon_so2_compose(psi, recon_so2_inverse(map->lambda));
}

double recon_so2_map_score(const recon_so2_map *map, double psi)
{
    return recon_so2_score(&map->density, psi);
}

double recon_so2_map_tail(const recon_so2_map *map, double psi)
{
    const recon_so2_density *p = &map->density;
    double most = 0;
    for (int i = 0; i < p->parts; i++) {
        recon_so2_density part = { .family = RECON_SO2_VONMISES,
                                   .center = recon_so2_wrap(p->center + p->part[i].mean),
                                   .width = p->part[i].kappa,
                                   .background = p->background };
        if (p->part[i].weight >= RECON_KIND_LEAST)
            most = fmax(most, recon_so2_tail(&part, psi));
    }
    return isfinite(psi) ? most : NAN;
}

void recon_so2_map_lean(recon_so2_map *map, double psi, double lean)
{
    map->lambda = recon_so2_wrap(psi - lean);
}
