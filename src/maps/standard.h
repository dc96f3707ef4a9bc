/* standard.h (private) - standardizes embeddings: mean 0 and variance 1 in every column. */
#ifndef MAPS_STANDARD_H
#define MAPS_STANDARD_H

#include <recon/core/ctx.h>

/* RECON_ERR_INPUT for a number that is not finite. */
recon_status recon_embeddings_check(recon_ctx *ctx, const float *z, size_t n, size_t d);

/* Computes mean and scale [d] of n >= 1 rows; both must be zero before. A column that is constant
 * up to rounding gets the scale 0. The results are rounded as in files, so that maps give the same
 * bits before and after saving. */
void recon_standard_find(double *mean, double *scale, const float *z, size_t n, size_t d);

/* out = (z - mean) scale, n rows of d. */
void recon_standardize(float *out, const float *z, size_t n, size_t d, const double *mean,
                       const double *scale);

#endif
