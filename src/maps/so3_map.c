/* so3_map.c - what follows from the maps of an input and its pose. */
#include <recon/maps/so3_map.h>
#include <recon/stats/tail.h>

recon_so3 recon_so3_absolute(const recon_so3_map *map, recon_so3 psi)
{
    return recon_so3_compose(psi, recon_so3_inverse(map->lambda));
}

double recon_so3_map_score(const recon_so3_map *map, recon_so3 psi)
{
    return -recon_fisher_mixture_log_density(&map->density, map->background, psi);
}

double recon_so3_map_tail(const recon_so3_map *map, recon_so3 psi)
{
    return recon_fisher_tail(&map->density, map->background, psi);
}

static double trace(const double f[9], recon_so3 g)
{
    double r[9], sum = 0;
    recon_so3_to_matrix(r, g);
    for (int i = 0; i < 9; i++)
        sum += f[i] * r[i];
    return sum;
}

double recon_so3_map_trace(const recon_so3_map *map, recon_so3 psi)
{
    return -trace(map->theta, recon_so3_absolute(map, psi));
}

double recon_so3_map_trace_label(const recon_so3_map *map, recon_so3 psi)
{
    return -trace(map->theta_label, recon_so3_compose(psi, recon_so3_inverse(map->lambda_label)));
}

double recon_so3_map_trace_uncentred(const recon_so3_map *map, recon_so3 psi)
{
    return -trace(map->support, psi);
}
