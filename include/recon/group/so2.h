/* so2.h - rotations of the plane, held as one angle in radians in (-pi, pi].
 *
 * Counter-clockwise as seen on screen. */
#ifndef RECON_GROUP_SO2_H
#define RECON_GROUP_SO2_H

#include <stddef.h>
#include <recon/core/rng.h>

RECON_API double recon_so2_wrap(double angle);           /* into (-pi, pi] */
RECON_API double recon_so2_compose(double a, double b);  /* a after b */
RECON_API double recon_so2_inverse(double a);            /* the inverse rotation */
RECON_API double recon_so2_distance(double a, double b); /* along the shorter arc: [0, pi] */
RECON_API double recon_so2_haar(recon_rng *rng);         /* a uniformly random angle */
RECON_API void recon_so2_act(double out[2], double a, const double v[2]); /* out may be v */

#endif
