/* so2_map.c - what follows from the maps of an input and its pose. */
#include <recon/maps/so2_map.h>
#include <recon/group/so2.h>

double recon_so2_absolute(const recon_so2_map *map, double psi)
{
    return recon_so2_compose(psi, recon_so2_inverse(map->lambda));
}

double recon_so2_map_score(const recon_so2_map *map, double psi)
{
    return recon_so2_score(&map->density, psi);
}

void recon_so2_map_lean(recon_so2_map *map, double psi, double lean)
{
    map->lambda = recon_so2_wrap(psi - lean);
}
