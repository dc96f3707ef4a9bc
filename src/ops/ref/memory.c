/* memory.c - the backend's memory is the host's. */
#include "ops/ref/ref.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

recon_status recon_ref_alloc(recon_ctx *ctx, void **out, size_t bytes)
{
    return recon_alloc_raw(ctx, out, bytes, 1);
}

void recon_ref_release(recon_ctx *ctx, void *block)
{
    (void)ctx;
    free(block);
}

static recon_status copy(void *to, const void *from, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
    return RECON_OK;
}

recon_status recon_ref_upload(recon_ctx *ctx, void *to, const void *host, size_t bytes)
{
    (void)ctx;
    return copy(to, host, bytes);
}

recon_status recon_ref_download(recon_ctx *ctx, void *host, const void *from, size_t bytes)
{
    (void)ctx;
    return copy(host, from, bytes);
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
