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

recon_status cuda_gemm(recon_ctx *ctx, const recon_gemm_args *args);

/* conv.cu */
recon_status cuda_conv(recon_ctx *ctx, const recon_conv_args *args);
recon_status cuda_conv_back(recon_ctx *ctx, const recon_conv_args *args);

/* steer.cu */
recon_status cuda_steer(recon_ctx *ctx, const recon_steer_args *args);
recon_status cuda_steer_back(recon_ctx *ctx, const recon_steer_args *args);
int cuda_steer_pays(recon_ctx *ctx, const recon_steer_args *args, int training);

/* elementwise.cu */
recon_status cuda_map(recon_ctx *ctx, const recon_map_args *args);
recon_status cuda_map_back(recon_ctx *ctx, const recon_map_args *args);
recon_status cuda_add(recon_ctx *ctx, const recon_add_args *args);
recon_status cuda_gate(recon_ctx *ctx, const recon_gate_args *args);
recon_status cuda_gate_back(recon_ctx *ctx, const recon_gate_args *args);
recon_status cuda_cross(recon_ctx *ctx, const recon_cross_args *args);
recon_status cuda_dropout(recon_ctx *ctx, const recon_dropout_args *args);
recon_status cuda_columns(recon_ctx *ctx, const recon_columns_args *args);
recon_status cuda_adam(recon_ctx *ctx, const recon_adam_args *args);

/* norm.cu */
recon_status cuda_norm(recon_ctx *ctx, const recon_norm_args *args);
recon_status cuda_norm_back(recon_ctx *ctx, const recon_norm_args *args);

/* direction.cu */
recon_status cuda_unit(recon_ctx *ctx, const recon_unit_args *args);
recon_status cuda_unit_back(recon_ctx *ctx, const recon_unit_args *args);
recon_status cuda_angle(recon_ctx *ctx, const recon_angle_args *args);
recon_status cuda_angle_back(recon_ctx *ctx, const recon_angle_args *args);
/* field_norm.cu */
recon_status cuda_field_norm(recon_ctx *ctx, const recon_field_norm_args *args);
recon_status cuda_field_norm_back(recon_ctx *ctx, const recon_field_norm_args *args);

/* pool.cu, resize.cu, rotate.cu */
recon_status cuda_pool(recon_ctx *ctx, const recon_pool_args *args);
recon_status cuda_pool_back(recon_ctx *ctx, const recon_pool_args *args);
recon_status cuda_resize(recon_ctx *ctx, const recon_resize_args *args);
recon_status cuda_resize_back(recon_ctx *ctx, const recon_resize_args *args);
recon_status cuda_rotate(recon_ctx *ctx, const recon_rotate_args *args);
recon_status cuda_rotate_back(recon_ctx *ctx, const recon_rotate_args *args);

/* rows.cu */
recon_status cuda_gather(recon_ctx *ctx, const recon_gather_args *args);
recon_status cuda_gather_back(recon_ctx *ctx, const recon_gather_args *args);
recon_status cuda_segment_sum(recon_ctx *ctx, const recon_segment_args *args);
recon_status cuda_segment_sum_back(recon_ctx *ctx, const recon_segment_args *args);
recon_status cuda_sparse(recon_ctx *ctx, const recon_sparse_args *args);
recon_status cuda_reduce(recon_ctx *ctx, const recon_reduce_args *args);
recon_status cuda_reduce_back(recon_ctx *ctx, const recon_reduce_args *args);

/* pairs.cu */
recon_status cuda_pairs(recon_ctx *ctx, const recon_pairs_args *args);
recon_status cuda_pairs_back(recon_ctx *ctx, const recon_pairs_args *args);

/* activate.cu */
recon_status cuda_activate(recon_ctx *ctx, const recon_activate_args *args);
recon_status cuda_activate_back(recon_ctx *ctx, const recon_activate_args *args);

/* tensor_product.cu */
recon_status cuda_tensor_product(recon_ctx *ctx, const recon_tensor_product_args *args);
recon_status cuda_tensor_product_back(recon_ctx *ctx, const recon_tensor_product_args *args);

/* couple.cu */
recon_status cuda_couple(recon_ctx *ctx, const recon_couple_args *args);
recon_status cuda_couple_back(recon_ctx *ctx, const recon_couple_args *args);

/* expand.cu */
recon_status cuda_expand(recon_ctx *ctx, const recon_expand_args *args);
recon_status cuda_expand_back(recon_ctx *ctx, const recon_expand_args *args);

/* loss.cu */
recon_status cuda_loss(recon_ctx *ctx, const recon_loss_args *args);
recon_status cuda_loss_back(recon_ctx *ctx, const recon_loss_args *args);
recon_status cuda_norm2(recon_ctx *ctx, double *out, const void *x, size_t n, recon_dtype type);

#endif
