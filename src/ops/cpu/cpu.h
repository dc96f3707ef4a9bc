/* cpu.h - the kernels of the cpu table, one file each. */
#ifndef OPS_CPU_CPU_H
#define OPS_CPU_CPU_H

#include "ops/ops.h"

recon_status recon_cpu_gemm(recon_ctx *ctx, const recon_gemm_args *args);
recon_status recon_cpu_topk(recon_ctx *ctx, const recon_topk_args *args);
recon_status recon_cpu_conv(recon_ctx *ctx, const recon_conv_args *args);
recon_status recon_cpu_conv_back(recon_ctx *ctx, const recon_conv_args *args);
recon_status recon_cpu_steer(recon_ctx *ctx, const recon_steer_args *args);
recon_status recon_cpu_steer_back(recon_ctx *ctx, const recon_steer_args *args);
int recon_cpu_steer_pays(recon_ctx *ctx, const recon_steer_args *args, int training);
recon_status recon_cpu_map(recon_ctx *ctx, const recon_map_args *args);
recon_status recon_cpu_map_back(recon_ctx *ctx, const recon_map_args *args);
recon_status recon_cpu_add(recon_ctx *ctx, const recon_add_args *args);
recon_status recon_cpu_gate(recon_ctx *ctx, const recon_gate_args *args);
recon_status recon_cpu_gate_back(recon_ctx *ctx, const recon_gate_args *args);
recon_status recon_cpu_activate(recon_ctx *ctx, const recon_activate_args *args);
recon_status recon_cpu_activate_back(recon_ctx *ctx, const recon_activate_args *args);
recon_status recon_cpu_cross(recon_ctx *ctx, const recon_cross_args *args);
recon_status recon_cpu_norm(recon_ctx *ctx, const recon_norm_args *args);
recon_status recon_cpu_norm_back(recon_ctx *ctx, const recon_norm_args *args);
recon_status recon_cpu_unit(recon_ctx *ctx, const recon_unit_args *args);
recon_status recon_cpu_unit_back(recon_ctx *ctx, const recon_unit_args *args);
recon_status recon_cpu_field_norm(recon_ctx *ctx, const recon_field_norm_args *args);
recon_status recon_cpu_field_norm_back(recon_ctx *ctx, const recon_field_norm_args *args);
recon_status recon_cpu_pool(recon_ctx *ctx, const recon_pool_args *args);
recon_status recon_cpu_pool_back(recon_ctx *ctx, const recon_pool_args *args);
recon_status recon_cpu_resize(recon_ctx *ctx, const recon_resize_args *args);
recon_status recon_cpu_resize_back(recon_ctx *ctx, const recon_resize_args *args);
recon_status recon_cpu_rotate(recon_ctx *ctx, const recon_rotate_args *args);
recon_status recon_cpu_rotate_back(recon_ctx *ctx, const recon_rotate_args *args);
recon_status recon_cpu_dropout(recon_ctx *ctx, const recon_dropout_args *args);
recon_status recon_cpu_sparse(recon_ctx *ctx, const recon_sparse_args *args);
recon_status recon_cpu_gather(recon_ctx *ctx, const recon_gather_args *args);
recon_status recon_cpu_gather_back(recon_ctx *ctx, const recon_gather_args *args);
recon_status recon_cpu_segment_sum(recon_ctx *ctx, const recon_segment_args *args);
recon_status recon_cpu_segment_sum_back(recon_ctx *ctx, const recon_segment_args *args);
recon_status recon_cpu_pairs(recon_ctx *ctx, const recon_pairs_args *args);
recon_status recon_cpu_pairs_back(recon_ctx *ctx, const recon_pairs_args *args);
recon_status recon_cpu_reduce(recon_ctx *ctx, const recon_reduce_args *args);
recon_status recon_cpu_reduce_back(recon_ctx *ctx, const recon_reduce_args *args);
recon_status recon_cpu_couple(recon_ctx *ctx, const recon_couple_args *args);
recon_status recon_cpu_couple_back(recon_ctx *ctx, const recon_couple_args *args);
recon_status recon_cpu_couple_edges(recon_ctx *ctx, const recon_couple_edges_args *args);
recon_status recon_cpu_couple_edges_back(recon_ctx *ctx, const recon_couple_edges_args *args);
recon_status recon_cpu_expand(recon_ctx *ctx, const recon_expand_args *args);
recon_status recon_cpu_expand_back(recon_ctx *ctx, const recon_expand_args *args);
recon_status recon_cpu_columns(recon_ctx *ctx, const recon_columns_args *args);
recon_status recon_cpu_loss(recon_ctx *ctx, const recon_loss_args *args);
recon_status recon_cpu_loss_back(recon_ctx *ctx, const recon_loss_args *args);
recon_status recon_cpu_norm2(recon_ctx *ctx, double *out, const void *x, size_t n,
                             recon_dtype type);
recon_status recon_cpu_adam(recon_ctx *ctx, const recon_adam_args *args);

#if defined(RECON_HAVE_DNNL)
#define RECON_CPU_NAME "cpu (oneDNN)"
#elif defined(RECON_HAVE_OPENBLAS)
#define RECON_CPU_NAME "cpu (OpenBLAS)"
#else
#define RECON_CPU_NAME "cpu (no library)"
#endif

#endif
