/* ops.c - the choice of a table, the one that does nothing, and recording. */
#include "ops/ops.h"
#include "ops/cpu/cpu.h"
#include "ops/cuda/attach.h"
#include "ops/graph.h"
#include "ops/peers.h"
#include "ops/state.h"
#include "comm/comm.h"
#include "core/ctx.h"
#include "core/fail.h"

#include <string.h>

void *recon_ops_state(const recon_ctx *ctx)
{
    return ctx->backend;
}

void recon_ops_set_state(recon_ctx *ctx, void *state, void (*release)(void *state))
{
    if (ctx->backend_free)
        ctx->backend_free(ctx->backend);
    ctx->backend = state;
    ctx->backend_free = release;
}

static recon_status attach_cuda(recon_ctx *ctx, int deterministic)
{
#ifdef RECON_HAVE_CUDA
    RECON_CHECK(recon_cuda_open(ctx, recon_comm_place(ctx)));
    recon_cuda_tune(ctx, !deterministic);
    ctx->ops = &recon_ops_cuda;
    return RECON_OK;
#else
    (void)deterministic;
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                      "backend cuda is not in this build: make CUDA=1 adds it");
#endif
}

static recon_status attach_host(recon_ctx *ctx, const recon_ops *table)
{
    recon_ops_set_state(ctx, NULL, NULL);
    ctx->ops = table;
    return RECON_OK;
}

recon_status recon_ops_attach(recon_ctx *ctx, const char *name)
{
    if (strcmp(name, "cpu") == 0)
        return attach_host(ctx, &recon_ops_cpu);
    if (strcmp(name, "ref") == 0)
        return attach_host(ctx, &recon_ops_ref);
    if (strcmp(name, "cuda") == 0)
        return attach_cuda(ctx, 0);
    if (strcmp(name, "cuda-deterministic") == 0)
        return attach_cuda(ctx, 1);
    return recon_fail(ctx, RECON_ERR_INPUT,
                      "unknown backend '%s': cpu, cuda, cuda-deterministic or ref", name);
}

const recon_ops *recon_ops_of(recon_ctx *ctx)
{
    if (!ctx->ops)
        ctx->ops = &recon_ops_cpu;
    return ctx->ops;
}

const recon_ops *recon_ops_on_host(recon_ctx *ctx)
{
    return recon_ops_of(ctx) == &recon_ops_ref ? &recon_ops_ref : &recon_ops_cpu;
}

const char *recon_ops_name(recon_ctx *ctx)
{
    const recon_ops *ops = recon_ops_of(ctx);
    return ops == &recon_ops_cpu ? recon_cpu_name() : ops->name;
}

const recon_graph_table *recon_ops_graphs(recon_ctx *ctx)
{
#ifdef RECON_HAVE_CUDA
    if (ctx->ops == &recon_ops_cuda)
        return &recon_cuda_graphs;
#endif
    (void)ctx;
    return NULL;
}

const recon_peer_table *recon_ops_peers(recon_ctx *ctx)
{
#ifdef RECON_HAVE_CUDA
    if (ctx->ops == &recon_ops_cuda)
        return &recon_cuda_peers;
#endif
    (void)ctx;
    return NULL;
}

recon_precision recon_precision_on(recon_ctx *ctx, recon_precision precision)
{
    if (recon_ops_of(ctx) == &recon_ops_cpu)
        recon_cpu_warn(ctx); /* a network is about to be used */
    if (precision != RECON_AUTO)
        return precision;
    return recon_ops_of(ctx)->has_fast_bf16(ctx) ? RECON_MIXED : RECON_SINGLE;
}

const char *recon_precision_name(recon_precision precision)
{
    static const char *const name[] = { [RECON_SINGLE] = "f32",
                                        [RECON_MIXED] = "bf16",
                                        [RECON_DOUBLE] = "f64",
                                        [RECON_TF32] = "tf32",
                                        [RECON_AUTO] = "auto" };
    return (unsigned)precision <= RECON_AUTO ? name[precision] : "?";
}

/* --- a table whose kernels do nothing ----------------------------------------------------------- */

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

/* --- recording, where the table can -------------------------------------------------------------- */

static recon_status refuse(recon_ctx *ctx)
{
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "backend %s cannot record a step",
                      recon_ops_name(ctx));
}

recon_status recon_graph_begin(recon_ctx *ctx)
{
    const recon_graph_table *table = recon_ops_graphs(ctx);
    return table ? table->begin(ctx) : refuse(ctx);
}

recon_status recon_graph_end(recon_ctx *ctx, recon_graph **out)
{
    const recon_graph_table *table = recon_ops_graphs(ctx);
    *out = NULL;
    return table ? table->end(ctx, out) : refuse(ctx);
}

recon_status recon_graph_launch(recon_ctx *ctx, const recon_graph *graph)
{
    const recon_graph_table *table = recon_ops_graphs(ctx);
    return table ? table->launch(ctx, graph) : refuse(ctx);
}

void recon_graph_free(recon_ctx *ctx, recon_graph *graph)
{
    const recon_graph_table *table = recon_ops_graphs(ctx);
    if (table && graph)
        table->release(graph);
}
