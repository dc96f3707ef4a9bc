/* plan.c - kernels that do nothing. */
#include "ops/plan.h"

static recon_status no_upload(recon_ctx *ctx, void *to, const void *host, size_t bytes)
{
    (void)ctx, (void)to, (void)host, (void)bytes;
    return RECON_OK;
}

static recon_status no_download(recon_ctx *ctx, void *host, const void *from, size_t bytes)
{
    (void)ctx, (void)host, (void)from, (void)bytes;
    return RECON_OK;
}

static recon_status no_zero(recon_ctx *ctx, void *block, size_t bytes)
{
    (void)ctx, (void)block, (void)bytes;
    return RECON_OK;
}

static recon_status no_norm2(recon_ctx *ctx, double *out, const void *x, size_t n, recon_dtype type)
{
    (void)ctx, (void)out, (void)x, (void)n, (void)type;
    return RECON_OK;
}

#define NO_KERNEL(name, kind)                                                                      \
    static recon_status no_##name(recon_ctx *ctx, const recon_##kind##_args *args)                 \
    {                                                                                              \
        (void)ctx, (void)args;                                                                     \
        return RECON_OK;                                                                           \
    }
/* clang-format off */
RECON_OPS(NO_KERNEL)
RECON_HOST_OPS(NO_KERNEL)

recon_ops recon_ops_plan(const recon_ops *real)
{
    recon_ops plan = *real;
    plan.upload = no_upload;
    plan.download = no_download;
    plan.zero = no_zero;
    plan.norm2 = no_norm2;
#define WITHOUT(name, kind) plan.name = real->name ? no_##name : NULL; /* which may be asked for */
    RECON_OPS(WITHOUT)
    RECON_HOST_OPS(WITHOUT)
#undef WITHOUT
    return plan;
}
/* clang-format on */
