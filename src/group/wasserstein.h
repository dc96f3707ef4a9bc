/* wasserstein.h - the p-Wasserstein distance of two samples of angles,
 *
 *     W_p = (min over transport plans of the mean of d^p)^(1/p),
 *
 * where d is the geodesic distance in radians and all points of a sample have the same weight. It
 * is exact, without binning or regularisation. Empty samples, values that are not finite (the
 * message names sample and index), and p outside [1, 16], where d^p would underflow, are errors. */
#ifndef GROUP_WASSERSTEIN_H
#define GROUP_WASSERSTEIN_H

#include <stddef.h>
#include <recon/core/ctx.h>

/* For samples of any two sizes, in (n + m) log(n m) time; angles need not be wrapped. */
recon_status recon_so2_wasserstein(recon_ctx *ctx, double *out, const double *a /* [n] */,
                                   const double *b /* [m] */, size_t n, size_t m, double p);

#endif
