/* moments.h - the trigonometric moments of a density of angles, and whether a pose with that
 * density is defined at all, or only modulo a part of a turn. */
#ifndef GROUP_SO2_MOMENTS_H
#define GROUP_SO2_MOMENTS_H

#include <recon/group/so2_density.h>

enum { RECON_SO2_MOMENTS = 4 };

/* moment[m - 1] = |E exp(i m theta)| in closed form, m = 1 .. RECON_SO2_MOMENTS. */
void recon_so2_moments(double moment[RECON_SO2_MOMENTS], const recon_so2_density *p);

/* The distance from the mean direction that this share of the angles, in (0, 1], keeps within: a
 * width that the rest, from elsewhere, hardly moves. */
double recon_so2_deviation(const recon_so2_density *p, double share);

/* How many poses look alike: m means that the pose is defined modulo 360 / m degrees.
 *
 * The moments of one mode fall with m, those of m modes evenly spaced and equally heavy vanish
 * below the m-th. So m = 2, 3, 4 when the m-th moment is at least RECON_FOLD_CLEAR and twice every
 * lower one, the lowest such m; for two sharp opposite modes that is when the lighter has a quarter
 * of the weight. 0 when no moment reaches RECON_FOLD_LEAST: nothing is defined. Otherwise 1. A
 * quarter is what a normal distribution of 95 degrees has, or a uniform one on +-142: beyond, one
 * pose is hardly likelier than the others. */
#define RECON_FOLD_CLEAR 0.25
#define RECON_FOLD_LEAST 0.25
int recon_so2_fold(const double moment[RECON_SO2_MOMENTS]);

#endif
