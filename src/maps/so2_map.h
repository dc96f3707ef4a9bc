/* so2_map.h (private) - what the maps say of one input, and what follows from it once its pose is
 * known. */
#ifndef MAPS_SO2_MAP_H
#define MAPS_SO2_MAP_H

#include <recon/group/so2_density.h>
#include "maps/part.h"
#include "maps/tails.h"

/* The narrowest theta: a twentieth of a degree. */
#define RECON_THETA_LEAST 1e-3

/* Angles are radians in the backbone's frame, that of psi. */
typedef struct {
    double lambda;           /* Lambda(x), the natural pose; (-pi, pi]                       */
    double theta;            /* Theta(x), how far it rotates about it; RECON_THETA_LEAST on    */
    double theta_label;      /* the same as learned from Algorithm 1's widths, as in the paper */
    recon_so2_family family; /* RECON_SO2_UNIFORM: theta is a half-width; _NORMAL: a sigma   */
    double midpoint, half_width; /* the paper's uncentred support; midpoint in (-pi, pi]         */
    recon_so2_density density;   /* of psi given x: a mixture, in the backbone's frame           */
} recon_so2_map;

/* The width of the arc or of the normal that keeps as many angles as near. Of a normal the median,
 * 0.6745 sigma: the share that is least moved by others. Of an arc 85 %: so much of an arc and of a
 * normal of the same variance lie equally near, within 2 %, and a density that has learned an arc
 * has a shape in between. Of the bins of a pose density 85 % too: they follow laws of all shapes, and
 * that share gives the standard deviation of either. */
double recon_so2_width(const recon_so2_density *p, recon_so2_family family);

/* Lambda, Theta and the density from the pose density q of a backbone that has one, log q
 * [RECON_POSE_BINS], in place of the heads on z: Lambda(x) = psi(x) c^-1 with c the centre of q, and
 * p(g | x) = q(psi(x) g^-1 | x), which is nowhere below FLT_MIN: no score is infinite. log_q is finite.
 * map->family is set unless Lambda is all that is asked for. */
void recon_so2_map_density(recon_so2_map *map, double psi, const float *log_q,
                           recon_maps_part part);

/* g_abs = psi Lambda^-1, in (-pi, pi]. The paper scores poses by its size; without centring, by
 * the distance of psi from the midpoint. */
double recon_so2_absolute(const recon_so2_map *map, double psi);

/* -log p(psi | x), which is -log p(g_abs): how unnatural the pose is. */
double recon_so2_map_score(const recon_so2_map *map, double psi);

/* How unusual the pose is for this input: the chance of one as far out, under the part of the
 * density that excuses it best. Those parts count that the input may be of, judged by its pose:
 * they have a weight of RECON_KIND_LEAST at least, and of the density at psi a share of
 * RECON_KIND_SHARE. In [0, 1]; recon_maps_p_value makes a p-value of it. With the sharpness of the part
 * that has the largest share in the density at psi. */
#define RECON_KIND_LEAST 0.01
#define RECON_KIND_SHARE 0.1
recon_tail_point recon_so2_tail_point(const recon_so2_map *map, double psi);

#endif
