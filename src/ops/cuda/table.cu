/* table.cu - the table for the GPU. The scan of a streamed top-k works on host memory: cpu/ has it.
 */
#include "ops/cuda/attach.h"
#include "ops/cuda/table.h"

static int has_fast_bytes(void)
{
    return 0;
}

static int has_fast_bf16(recon_ctx *)
{
    return 1;
}

extern "C" const recon_ops recon_ops_cuda = {
    .name = "cuda (cuDNN)",
    .has_fast_bytes = has_fast_bytes,
    .has_fast_bf16 = has_fast_bf16,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .upload = cuda_upload,
    .download = cuda_download,
    .zero = cuda_zero,
    .sync = cuda_sync,
    .gemm = cuda_gemm,
    .topk = nullptr,
    .conv = cuda_conv,
    .conv_back = cuda_conv_back,
    .steer = cuda_steer,
    .steer_back = cuda_steer_back,
    .steer_pays = cuda_steer_pays,
    .map = cuda_map,
    .map_back = cuda_map_back,
    .add = cuda_add,
    .gate = cuda_gate,
    .gate_back = cuda_gate_back,
    .cross = cuda_cross,
    .norm = cuda_norm,
    .norm_back = cuda_norm_back,
    .unit = cuda_unit,
    .unit_back = cuda_unit_back,
    .angle = cuda_angle,
    .angle_back = cuda_angle_back,
    .field_norm = cuda_field_norm,
    .field_norm_back = cuda_field_norm_back,
    .pool = cuda_pool,
    .pool_back = cuda_pool_back,
    .resize = cuda_resize,
    .resize_back = cuda_resize_back,
    .rotate = cuda_rotate,
    .rotate_back = cuda_rotate_back,
    .dropout = cuda_dropout,
    .gather = cuda_gather,
    .gather_back = cuda_gather_back,
    .segment_sum = cuda_segment_sum,
    .segment_sum_back = cuda_segment_sum_back,
    .pairs = cuda_pairs,
    .pairs_back = cuda_pairs_back,
    .sparse = cuda_sparse,
    .reduce = cuda_reduce,
    .reduce_back = cuda_reduce_back,
    .tensor_product = cuda_tensor_product,
    .tensor_product_back = cuda_tensor_product_back,
    .couple = cuda_couple,
    .couple_back = cuda_couple_back,
    .couple_edges = nullptr, /* on tensor cores the products are cheap and memory is not */
    .couple_edges_back = nullptr,
    .activate = cuda_activate,
    .activate_back = cuda_activate_back,
    .expand = cuda_expand,
    .expand_back = cuda_expand_back,
    .columns = cuda_columns,
    .loss = cuda_loss,
    .loss_back = cuda_loss_back,
    .norm2 = cuda_norm2,
    .adam = cuda_adam,
};
