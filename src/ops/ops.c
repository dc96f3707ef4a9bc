/* ops.c - the choice of a table. */
#include "ops/ops.h"
#include "core/ctx.h"
#include "core/fail.h"

#include <string.h>

recon_status recon_ops_attach(recon_ctx *ctx, const char *name)
{
    if (strcmp(name, "cpu") == 0)
        ctx->ops = &recon_ops_cpu;
    else if (strcmp(name, "ref") == 0)
        ctx->ops = &recon_ops_ref;
    else
        return recon_fail(ctx, RECON_ERR_INPUT, "no backend is called '%s': cpu or ref", name);
    return RECON_OK;
}

const recon_ops *recon_ops_of(recon_ctx *ctx)
{
    if (!ctx->ops)
        ctx->ops = &recon_ops_cpu;
    return ctx->ops;
}

const char *recon_ops_name(recon_ctx *ctx)
{
    return recon_ops_of(ctx)->name;
}
