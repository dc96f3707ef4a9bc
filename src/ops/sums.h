/* sums.h - sums over a batch that is cut into slices (slices.h): the tasks of a slice in order,
 * then the slices in one fixed tree, whichever rank has them. So a sum has the same bits on any
 * number of ranks.
 *
 * recon_pieces_sum sums at once what the next kernel needs. Gradients of weights are only needed
 * after the backward pass: recon_gradient_sum delays them while the context collects
 * (recon_sums_begin), and recon_sums_finish exchanges all of them together. */
#ifndef OPS_SUMS_H
#define OPS_SUMS_H

#include "ops/slices.h"

/* out [width] = the sum over the whole batch of what the tasks have left in part, [width] each and
 * `stride` bytes apart: F32 or F64. The parts are not kept; out may be the first of them. */
recon_status recon_pieces_sum(recon_ctx *ctx, const recon_pieces *pieces, void *out,
                              recon_dtype type, void *part, size_t stride, size_t width);

/* The same for floats that may wait. */
typedef struct {
    const recon_pieces *pieces;
    void *part; /* as above, F32 unless as_double */
    size_t stride, width;
    int as_double;
    /* Puts what was added up into the order of out; NULL: it is in it. Sums of slices are put in
     * order too, so it may do nothing else. Not with as_double. */
    recon_status (*arrange)(recon_ctx *ctx, const void *user, float *out, float *sum);
    const void *user;
    float *out; /* [count] */
    size_t count;
} recon_gradient;
recon_status recon_gradient_sum(recon_ctx *ctx, const recon_gradient *g);

/* Gradients that wait: of batches that ranks share, from here to recon_sums_end. Their out is
 * written by recon_sums_finish at the latest, which all ranks call; what waits at the end is
 * forgotten. *sums is made where it is NULL, and kept from one way back to the next. */
typedef struct recon_sums recon_sums;
recon_status recon_sums_begin(recon_ctx *ctx, recon_sums **sums);
recon_status recon_sums_finish(recon_ctx *ctx);
void recon_sums_end(recon_ctx *ctx);
void recon_sums_free(recon_sums *sums);
/* Does what is to be written to out wait? */
int recon_sums_wait_for(const recon_ctx *ctx, const void *out);

#endif
