/* whiten.h (private) - embeddings in coordinates in which the training data have the same variance
 * in every direction, so that a step off the data counts most where the data hardly vary.
 *
 * A network puts most of its variance into few directions. What it has never seen differs in the
 * others: there Euclidean distances of z itself see little, and cosines less. */
#ifndef MODEL_WHITEN_H
#define MODEL_WHITEN_H

#include <recon/core/ctx.h>

/* Beyond so many dimensions each is only scaled: the matrix would grow with their square. */
enum { RECON_WHITEN_MOST = 1024 };

/* How many numbers it takes: d x d, or d. */
size_t recon_whiten_count(size_t d);

/* To out [recon_whiten_count(d)] U such that rows z U of n >= 1 rows have unit covariance: of the
 * covariance with a tenth of its mean variance added in every direction, the inverse of the
 * transposed Cholesky factor, which is upper triangular. Few rows, and directions without any
 * variance, do no harm. */
recon_status recon_whiten_find(recon_ctx *ctx, float *out, const float *z, size_t n, size_t d);

/* out = scale * z U, n rows of d. out is not z. */
recon_status recon_whiten(recon_ctx *ctx, float *out, const float *z, size_t n, size_t d,
                          const float *u, float scale);

#endif
