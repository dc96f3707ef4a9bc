/* cpu.c - the table for the host's processor. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/dnnl.h"
#include "ops/ref/ref.h"
#include "comm/comm.h"

/* What takes the library's place is ref's, which does not heed them. */
static int has_slices(recon_ctx *ctx)
{
    (void)ctx;
    return recon_dnnl_is_there();
}

#define ENTRY(name, kind) .name = recon_cpu_##name,
/* clang-format off */
const recon_ops recon_ops_cpu = {
    .name = RECON_CPU_NAME,
    .has_fast_bytes = recon_dnnl_has_exact_bytes,
    .has_fast_bf16 = recon_dnnl_has_fast_bf16,
    .steer_pays = recon_cpu_steer_pays,
    .has_slices = has_slices,
    .alloc = recon_ref_alloc,
    .release = recon_ref_release,
    .upload = recon_ref_upload,
    .download = recon_ref_download,
    .zero = recon_ref_zero,
    .sync = recon_ref_sync,
    .gather_ranks = recon_comm_gather_parts,
    .norm2 = recon_cpu_norm2,
    RECON_OPS(ENTRY)
    RECON_HOST_OPS(ENTRY)
};
/* clang-format on */
