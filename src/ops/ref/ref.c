/* ref.c - the table of plain loops: the truth for tests, and what runs when no library is found. */
#include "ops/ref/ref.h"

static int has_fast_bytes(void)
{
    return 0;
}

static int has_fast_bf16(recon_ctx *ctx)
{
    (void)ctx;
    return 0;
}

const recon_ops recon_ops_ref = {
    .name = "ref",
    .has_fast_bytes = has_fast_bytes,
    .has_fast_bf16 = has_fast_bf16,

    .alloc = recon_ref_alloc,
    .release = recon_ref_release,
    .upload = recon_ref_upload,
    .download = recon_ref_download,
    .zero = recon_ref_zero,
    .sync = recon_ref_sync,

    .gemm = recon_ref_gemm,
    .topk = recon_ref_topk,
    .conv = recon_ref_conv,
    .conv_back = recon_ref_conv_back,
    .steer = recon_ref_steer,
    .steer_back = recon_ref_steer_back,
    .steer_pays = recon_ref_steer_pays,
    .map = recon_ref_map,
    .map_back = recon_ref_map_back,
    .add = recon_ref_add,
    .gate = recon_ref_gate,
    .gate_back = recon_ref_gate_back,
    .cross = recon_ref_cross,
    .norm = recon_ref_norm,
    .norm_back = recon_ref_norm_back,
    .unit = recon_ref_unit,
    .unit_back = recon_ref_unit_back,
    .angle = recon_ref_angle,
    .angle_back = recon_ref_angle_back,
    .field_norm = recon_ref_field_norm,
    .field_norm_back = recon_ref_field_norm_back,
    .pool = recon_ref_pool,
    .pool_back = recon_ref_pool_back,
    .resize = recon_ref_resize,
    .resize_back = recon_ref_resize_back,
    .rotate = recon_ref_rotate,
    .rotate_back = recon_ref_rotate_back,
    .dropout = recon_ref_dropout,
    .gather = recon_ref_gather,
    .gather_back = recon_ref_gather_back,
    .segment_sum = recon_ref_segment_sum,
    .segment_sum_back = recon_ref_segment_sum_back,
    .pairs = recon_ref_pairs,
    .pairs_back = recon_ref_pairs_back,
    .sparse = recon_ref_sparse,
    .reduce = recon_ref_reduce,
    .reduce_back = recon_ref_reduce_back,
    .tensor_product = recon_ref_tensor_product,
    .tensor_product_back = recon_ref_tensor_product_back,
    .couple = recon_ref_couple,
    .couple_back = recon_ref_couple_back,
    .couple_edges = recon_ref_couple_edges,
    .couple_edges_back = recon_ref_couple_edges_back,
    .activate = recon_ref_activate,
    .activate_back = recon_ref_activate_back,
    .expand = recon_ref_expand,
    .expand_back = recon_ref_expand_back,
    .columns = recon_ref_columns,
    .loss = recon_ref_loss,
    .loss_back = recon_ref_loss_back,
    .norm2 = recon_ref_norm2,
    .adam = recon_ref_adam,
};
