/* wasserstein.h - how far apart two samples of poses are: the p-Wasserstein distance,
 *
 *     W_p = (min over plans of the mean of d^p)^(1/p),
 *
 * d the geodesic distance in radians, every point of a sample with the same weight. Exact: nothing
 * is binned or regularised. Both fail on empty samples, on values that are not finite (the message
 * names sample and index), and on p outside [1, 16], beyond which d^p would underflow. */
#ifndef GROUP_WASSERSTEIN_H
#define GROUP_WASSERSTEIN_H

#include <stddef.h>
#include <recon/core/ctx.h>
#include <recon/group/so3.h>

/* On the circle, for samples of any two sizes; angles in radians need not be wrapped. Time grows
 * as (n + m) log(n m). */
recon_status recon_so2_wasserstein(recon_ctx *ctx, double *out, const double *a /* [n] */,
                                   const double *b /* [m] */, size_t n, size_t m, double p);

/* On SO(3), for two samples of the same size, by an optimal assignment. Time grows as n^3, memory
 * as n^2. */
recon_status recon_so3_wasserstein(recon_ctx *ctx, double *out, const recon_so3 *a /* [n] */,
                                   const recon_so3 *b /* [n] */, size_t n, double p);

#endif
