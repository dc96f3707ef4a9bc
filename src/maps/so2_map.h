/* so2_map.h (private) - what the maps say of one input, and what follows from it once its pose is
 * known. */
#ifndef MAPS_SO2_MAP_H
#define MAPS_SO2_MAP_H

#include <recon/stats/so2_density.h>
#include "maps/tails.h"

/* The narrowest theta: a twentieth of a degree. */
#define RECON_THETA_LEAST 1e-3

/* Angles are radians in the backbone's frame, that of psi. */
typedef struct {
    double lambda;           /* Lambda(x), the natural pose; (-pi, pi]                       */
    double theta;            /* Theta(x), how far it turns about it; RECON_THETA_LEAST on    */
    double theta_label;      /* the same as learned from Algorithm 1's widths, as in the paper */
    recon_so2_family family; /* RECON_SO2_UNIFORM: theta is a half-width; _NORMAL: a sigma   */
    double midpoint, half_width; /* the paper's uncentred support; midpoint in (-pi, pi]         */
    recon_so2_density density;   /* of psi given x: a mixture, in the backbone's frame           */
} recon_so2_map;

/* Lambda(x) = psi(x) nu(x)^-1 from the lean of a backbone that has one, in place of the head on z.
 */
void recon_so2_map_lean(recon_so2_map *map, double psi, double lean);

/* g_abs = psi Lambda^-1, in (-pi, pi]. The paper scores poses by its size; without centring, by
 * the distance of psi from the midpoint. */
double recon_so2_absolute(const recon_so2_map *map, double psi);

/* -log p(psi | x), which is -log p(g_abs): how unnatural the pose is. */
double recon_so2_map_score(const recon_so2_map *map, double psi);

/* How unusual the pose is for this input: the chance of one as far out, under the part of the
 * density that excuses it best. Those parts count that the input may be of, judged by its pose:
 * they have a weight of RECON_KIND_LEAST at least, and of the density at psi a share of
 * RECON_KIND_SHARE. In [0, 1]; recon_maps_p_value makes a p-value of it. */
#define RECON_KIND_LEAST 0.01
#define RECON_KIND_SHARE 0.1
double recon_so2_map_tail(const recon_so2_map *map, double psi);
/* The same with the sharpness of the part that has the largest share in the density at psi. */
recon_tail_point recon_so2_tail_point(const recon_so2_map *map, double psi);

#endif
