/* so3_map.c - what follows from the maps of an input and its pose. */
#include "maps/so3_map.h"
#include "group/so3/fisher.h"
#include "group/tail.h"
#include "group/so3/frame.h"

recon_so3 recon_so3_map_mode(const recon_so3_map *map, int k)
{
    const recon_fisher *mode = &map->modes.part[k];
    return recon_fisher_gauge(mode, recon_fisher_free(mode));
}

recon_so3 recon_so3_absolute(const recon_so3_map *map, recon_so3 psi)
{
    return recon_so3_compose(psi, recon_so3_inverse(map->lambda));
}

double recon_so3_map_score(const recon_so3_map *map, recon_so3 psi)
{
    return -recon_fisher_parts_log_density(&map->modes, psi);
}

double recon_so3_map_tail(const recon_so3_map *map, recon_so3 psi)
{
    return recon_fisher_parts_tail(&map->modes, psi);
}

double recon_so3_map_trace(const recon_so3_map *map, recon_so3 psi)
{
    return -recon_so3_trace(map->theta, recon_so3_absolute(map, psi));
}

double recon_so3_map_trace_label(const recon_so3_map *map, recon_so3 psi)
{
    return -recon_so3_trace(map->theta_label,
                            recon_so3_compose(psi, recon_so3_inverse(map->lambda_label)));
}

double recon_so3_map_trace_uncentred(const recon_so3_map *map, recon_so3 psi)
{
    return -recon_so3_trace(map->support, psi);
}
