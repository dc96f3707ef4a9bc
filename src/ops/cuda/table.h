/* table.h - the entries of the cuda table, a few to a file. */
#ifndef OPS_CUDA_TABLE_H
#define OPS_CUDA_TABLE_H

#include "ops/ops.h"

/* state.cu */
recon_status cuda_alloc(recon_ctx *ctx, void **out, size_t bytes);
void cuda_release(recon_ctx *ctx, void *block);
recon_status cuda_upload(recon_ctx *ctx, void *to, const void *host, size_t bytes);
recon_status cuda_download(recon_ctx *ctx, void *host, const void *from, size_t bytes);
recon_status cuda_zero(recon_ctx *ctx, void *block, size_t bytes);
recon_status cuda_sync(recon_ctx *ctx);

/* nccl.cu */
recon_status cuda_gather_ranks(recon_ctx *ctx, void *rows, const size_t *begin, size_t bytes);

/* loss.cu, steer.cu */
recon_status cuda_norm2(recon_ctx *ctx, double *out, const void *x, size_t n, recon_dtype type);
int cuda_steer_pays(recon_ctx *ctx, const recon_steer_args *args, int training);

/* nearest.cu */
recon_status cuda_nearest(recon_ctx *ctx, const recon_nearest_args *args);
size_t cuda_nearest_tiles(const recon_nearest_args *args);

#define DECLARE(name, kind)                                                                        \
    recon_status cuda_##name(recon_ctx *ctx, const recon_##kind##_args *args);
RECON_OPS(DECLARE)
#undef DECLARE

#endif
