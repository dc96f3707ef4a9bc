/* standard.h (private) - embeddings with every column at mean 0 and variance 1. */
#ifndef MAPS_STANDARD_H
#define MAPS_STANDARD_H

#include <recon/core/ctx.h>

/* RECON_ERR_INPUT for a number that is not finite. */
recon_status recon_embeddings_check(recon_ctx *ctx, const float *z, size_t n, size_t d);

/* mean and scale [d] of n >= 1 rows, both zero before. A column that stays the same to rounding
 * says nothing: its scale is 0. Rounded as files keep them, so that maps answer the same bits
 * before and after. */
void recon_standard_find(double *mean, double *scale, const float *z, size_t n, size_t d);

/* out = (z - mean) scale, n rows of d. */
void recon_standardize(float *out, const float *z, size_t n, size_t d, const double *mean,
                       const double *scale);

#endif
