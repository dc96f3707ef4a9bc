/* whiten.h (private) - whitens embeddings, so that the training data have the same variance in
 * every direction and a deviation counts most where the data hardly vary.
 *
 * A network puts most of its variance into few directions. Inputs unlike the training data differ
 * in the others, which contribute little to Euclidean distances of z, and less to cosines. */
#ifndef MODEL_WHITEN_H
#define MODEL_WHITEN_H

#include <recon/core/ctx.h>

/* With more dimensions, each is only scaled, since the matrix grows with their square. */
enum { RECON_WHITEN_MOST = 1024 };

/* The number of coefficients: d x d, or d. */
size_t recon_whiten_count(size_t d);

/* Computes U, out [recon_whiten_count(d)], such that the rows z U of n >= 1 rows have unit
 * covariance: the inverse of the transposed Cholesky factor, which is upper triangular, of the
 * covariance with a tenth of its mean variance added in every direction. This handles few rows and
 * directions without variance. */
recon_status recon_whiten_find(recon_ctx *ctx, float *out, const float *z, size_t n, size_t d);

/* out = scale * z U, n rows of d. out is not z. */
recon_status recon_whiten(recon_ctx *ctx, float *out, const float *z, size_t n, size_t d,
                          const float *u, float scale);

#endif
