/* wasserstein.h - how far apart two samples of angles are: the p-Wasserstein distance,
 *
 *     W_p = (min over plans of the mean of d^p)^(1/p),
 *
 * d the geodesic distance in radians, every point of a sample with the same weight. Exact: nothing
 * is binned or regularised. It fails on empty samples, on values that are not finite (the message
 * names sample and index), and on p outside [1, 16], beyond which d^p would underflow. */
#ifndef GROUP_WASSERSTEIN_H
#define GROUP_WASSERSTEIN_H

#include <stddef.h>
#include <recon/core/ctx.h>

/* On the circle, for samples of any two sizes; angles in radians need not be wrapped. Time grows
 * as (n + m) log(n m). */
recon_status recon_so2_wasserstein(recon_ctx *ctx, double *out, const double *a /* [n] */,
                                   const double *b /* [m] */, size_t n, size_t m, double p);

#endif
