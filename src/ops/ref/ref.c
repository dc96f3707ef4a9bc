/* ref.c - the table of plain loops: the truth for tests, and what runs when no library is found. */
#include "ops/ref/ref.h"
#include "comm/comm.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- the backend's memory is the host's ---- */

recon_status recon_ref_alloc(recon_ctx *ctx, void **out, size_t bytes)
{
    return recon_alloc_raw(ctx, out, bytes, 1);
}

void recon_ref_release(recon_ctx *ctx, void *block)
{
    (void)ctx;
    free(block);
}

recon_status recon_ref_upload(recon_ctx *ctx, void *to, const void *host, size_t bytes)
{
    (void)ctx;
    if (bytes)
        memcpy(to, host, bytes);
    return RECON_OK;
}

recon_status recon_ref_download(recon_ctx *ctx, void *host, const void *from, size_t bytes)
{
    return recon_ref_upload(ctx, host, from, bytes);
}

recon_status recon_ref_zero(recon_ctx *ctx, void *block, size_t bytes)
{
    (void)ctx;
    if (bytes)
        memset(block, 0, bytes);
    return RECON_OK;
}

recon_status recon_ref_sync(recon_ctx *ctx)
{
    (void)ctx;
    return RECON_OK;
}

/* ---- the table ---- */

static int has_fast_bytes(void)
{
    return 0;
}

static int has_fast_bf16(recon_ctx *ctx)
{
    (void)ctx;
    return 0;
}

#define ENTRY(name, kind) .name = recon_ref_##name,
/* clang-format off */
const recon_ops recon_ops_ref = {
    .name = "ref",
    .has_fast_bytes = has_fast_bytes,
    .has_fast_bf16 = has_fast_bf16,
    .steer_pays = recon_ref_steer_pays,
    .alloc = recon_ref_alloc,
    .release = recon_ref_release,
    .upload = recon_ref_upload,
    .download = recon_ref_download,
    .zero = recon_ref_zero,
    .sync = recon_ref_sync,
    .gather_ranks = recon_comm_gather_parts,
    .norm2 = recon_ref_norm2,
    RECON_OPS(ENTRY)
    RECON_HOST_OPS(ENTRY)
};
/* clang-format on */
