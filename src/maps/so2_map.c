/* so2_map.c - what follows from the maps of an input and its pose. */
#include "maps/so2_map.h"
#include "group/so2/mean.h"
#include "group/so2/fit.h"
#include <math.h>
#include <recon/group/so2.h>
#include "group/tail.h"

#include <float.h>

#define EITHER                                                                                     \
    1.456 /* standard deviations that 85 % keep within: 1.440 of a normal, 1.472 of an arc */

double recon_so2_absolute(const recon_so2_map *map, double psi)
{
    return recon_so2_compose(psi, recon_so2_inverse(map->lambda));
}

double recon_so2_map_score(const recon_so2_map *map, double psi)
{
    return recon_so2_score(&map->density, psi);
}

/* Of each part that counts the logarithm of its share in the density at psi; the largest is *best.
 */
static double shares_of(double *log_share, int *best, const recon_so2_density *p, double psi)
{
    double sum = 0;
    *best = 0;
    for (int i = 0; i < p->parts; i++) {
        const recon_so2_part *part = &p->part[i];
        double s = sin((psi - p->center - part->mean) / 2), kappa = part->kappa;
        log_share[i] = part->weight < RECON_KIND_LEAST
                           ? -INFINITY
                           : log(part->weight) - 2 * kappa * s * s - recon_vonmises_log_norm(kappa);
        *best = log_share[i] > log_share[*best] ? i : *best;
    }
    for (int i = 0; i < p->parts; i++)
        sum += exp(log_share[i] - log_share[*best]);
    return log_share[*best] + log(sum);
}

/* Its largest moment: that of two opposite modes is the second. */
static double sharpness_of(const recon_so2_density *p)
{
    double moment[RECON_SO2_MOMENTS], most = 0;
    recon_so2_moments(moment, p);
    for (int m = 0; m < RECON_SO2_MOMENTS; m++)
        most = fmax(most, moment[m]);
    return most;
}

recon_tail_point recon_so2_tail_point(const recon_so2_map *map, double psi)
{
    const recon_so2_density *p = &map->density;
    double log_share[RECON_SO2_PARTS_MAX], most = 0;
    int best;
    if (!isfinite(psi))
        return (recon_tail_point){ 0, NAN };
    if (p->family == RECON_SO2_BINS)
        return (recon_tail_point){ sharpness_of(p), recon_so2_tail(p, psi) };
    double least = shares_of(log_share, &best, p, psi) + log(RECON_KIND_SHARE);
    for (int i = 0; i < p->parts; i++) {
        recon_so2_density part = { .family = RECON_SO2_VONMISES,
                                   .center = recon_so2_wrap(p->center + p->part[i].mean),
                                   .width = p->part[i].kappa,
                                   .background = p->background };
        if (i == best || log_share[i] >= least)
            most = fmax(most, recon_so2_tail(&part, psi));
    }
    return (recon_tail_point){ 1 - recon_vonmises_spread(p->part[best].kappa), most };
}

double recon_so2_width(const recon_so2_density *p, recon_so2_family family)
{
    int either = family == RECON_SO2_UNIFORM || p->family == RECON_SO2_BINS;
    double width =
        either ? recon_so2_deviation(p, 0.85) / (family == RECON_SO2_UNIFORM ? 0.85 : EITHER)
               : recon_so2_deviation(p, 0.5) / 0.6744897501960817;
    return fmin(fmax(width, RECON_THETA_LEAST), M_PI);
}

void recon_so2_map_density(recon_so2_map *map, double psi, const float *log_q, recon_maps_part part)
{
    recon_so2_density alone;
    map->density = (recon_so2_density){ .family = RECON_SO2_BINS, .center = psi };
    for (int b = 0; b < RECON_POSE_BINS; b++)
        map->density.bin[(RECON_POSE_BINS - b) % RECON_POSE_BINS] = fmaxf(expf(log_q[b]), FLT_MIN);
    map->lambda = recon_so2_centre(&map->density, &alone);
    if (part == RECON_MAPS_ALL)
        map->theta = recon_so2_width(&alone, map->family);
}
