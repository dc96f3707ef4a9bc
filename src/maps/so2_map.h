/* so2_map.h (private) - the maps' output for one input, and the scores of its pose. */
#ifndef MAPS_SO2_MAP_H
#define MAPS_SO2_MAP_H

#include <recon/group/so2_density.h>
#include "maps/part.h"
#include "maps/tails.h"

/* The narrowest theta: a twentieth of a degree. */
#define RECON_THETA_LEAST 1e-3

/* Angles are radians in the backbone's frame, that of psi. */
typedef struct {
    double lambda;           /* Lambda(x), the natural pose; (-pi, pi] */
    double theta;            /* Theta(x), how far it rotates about it; RECON_THETA_LEAST on */
    double theta_label;      /* the same as learned from Algorithm 1's widths, as in the paper */
    recon_so2_family family; /* RECON_SO2_UNIFORM: theta is a half-width; _NORMAL: a sigma */
    double midpoint, half_width; /* the paper's uncentred support; midpoint in (-pi, pi] */
    recon_so2_density density;   /* of psi given x: a mixture, in the backbone's frame */
} recon_so2_map;

/* Returns the width of the arc or normal that holds the same share of the angles within the same
 * distance. The share is a half for a normal, the median of 0.6745 sigma, which outliers affect
 * least. It is 85 % for an arc: within 2 %, an arc and a normal of the same variance hold it within
 * the same distance, and a density that learned an arc has a shape in between. It is 85 % for the
 * bins of a pose density too, which follow laws of all shapes. */
double recon_so2_width(const recon_so2_density *p, recon_so2_family family);

/* Computes Lambda, Theta and the density from the backbone's pose density, log_q [RECON_POSE_BINS],
 * instead of the heads on z: Lambda(x) = psi(x) c^-1, where c is the centre of q, and p(g | x) =
 * q(psi(x) g^-1 | x), which is at least FLT_MIN, so that no score is infinite. log_q must be
 * finite. map->family must be set unless only Lambda is computed. */
void recon_so2_map_density(recon_so2_map *map, double psi, const float *log_q,
                           recon_maps_part part);

/* Returns g_abs = psi Lambda^-1, in (-pi, pi]. The paper's score is its absolute value; without
 * centring, it is the distance of psi from the midpoint. */
double recon_so2_absolute(const recon_so2_map *map, double psi);

/* Returns the score -log p(psi | x), which is -log p(g_abs). */
double recon_so2_map_score(const recon_so2_map *map, double psi);

/* Returns how unusual the pose is for this input: the largest tail under the parts of the density
 * that the pose may come from, those with a weight of at least RECON_KIND_LEAST and a share of at
 * least RECON_KIND_SHARE in the density at psi. It is in [0, 1]; recon_maps_p_value turns it into a
 * p-value. The sharpness is that of the part with the largest share. */
#define RECON_KIND_LEAST 0.01
#define RECON_KIND_SHARE 0.1
recon_tail_point recon_so2_tail_point(const recon_so2_map *map, double psi);

#endif
