/* table.cu - the table for the GPU. The scan of a streamed top-k works on host memory:
 * cpu/ has it. */
#include "ops/cuda/state.h"
#include "ops/cuda/table.h"

static int has_fast_bytes(void)
{
    return 0;
}

/* Where runs are to repeat, they do so on any number of ranks. */
static int has_slices(recon_ctx *ctx)
{
    return !cuda_of(ctx)->tune;
}

static int has_fast_bf16(recon_ctx *)
{
    return 1;
}

#define ENTRY(name, kind) .name = cuda_##name,
/* clang-format off */
extern "C" const recon_ops recon_ops_cuda = {
    .name = "cuda (cuDNN)",
    .has_fast_bytes = has_fast_bytes,
    .has_fast_bf16 = has_fast_bf16,
    .steer_pays = cuda_steer_pays,
    .has_slices = has_slices,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .upload = cuda_upload,
    .download = cuda_download,
    .zero = cuda_zero,
    .sync = cuda_sync,
    .gather_ranks = cuda_gather_ranks,
    .norm2 = cuda_norm2,
    .nearest = cuda_nearest,
    .nearest_tiles = cuda_nearest_tiles,
    .nearest_pairs = 0x1p26,
    RECON_OPS(ENTRY)
    .topk = nullptr,
};
/* clang-format on */
