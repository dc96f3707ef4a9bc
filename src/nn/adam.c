/* adam.c - the optimiser: one kernel over the block of weights. */
#include "nn/adam.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

static size_t block_bytes(const recon_params *p)
{
    return p->n_weights * recon_dtype_size(p->type);
}

static recon_status start_average(recon_ctx *ctx, const recon_adam *a)
{
    const recon_params *p = a->params;
    recon_tensor from = { .type = p->type, .ndim = 1, .shape = { p->n_weights } }, to = from;
    from.data = p->weights;
    to.data = a->average;
    return recon_ops_of(ctx)->add(ctx, &(recon_add_args){ .alpha = 1, .y = to, .a = from });
}

recon_status recon_adam_reset(recon_ctx *ctx, recon_adam *a)
{
    const recon_ops *ops = recon_ops_of(ctx);
    a->steps = 0;
    RECON_CHECK(ops->zero(ctx, a->m, block_bytes(a->params)));
    RECON_CHECK(ops->zero(ctx, a->v, block_bytes(a->params)));
    if (a->average)
        RECON_CHECK(start_average(ctx, a));
    return RECON_OK;
}

recon_status recon_adam_new(recon_ctx *ctx, recon_adam **out, recon_params *params,
                            const recon_adam_options *options)
{
    const recon_ops *ops = recon_ops_of(ctx);
    recon_adam *a;
    recon_status status;
    *out = NULL;
    RECON_CHECK(recon_alloc(ctx, &a, 1, sizeof *a));
    a->params = params;
    a->options = options ? *options : (recon_adam_options){ 0 };
    a->options.b1 = a->options.b1 > 0 ? a->options.b1 : 0.9;
    a->options.b2 = a->options.b2 > 0 ? a->options.b2 : 0.999;
    a->options.eps = a->options.eps > 0 ? a->options.eps : 1e-8;
    RECON_TRY(ops->alloc(ctx, (void **)&a->m, block_bytes(params)));
    RECON_TRY(ops->alloc(ctx, (void **)&a->v, block_bytes(params)));
    RECON_TRY(ops->alloc(ctx, (void **)&a->state, sizeof *a->state));
    RECON_TRY(ops->alloc(ctx, (void **)&a->norm, sizeof *a->norm));
    if (a->options.average > 0)
        RECON_TRY(ops->alloc(ctx, (void **)&a->average, block_bytes(params)));
    RECON_TRY(recon_adam_reset(ctx, a));
    *out = a;
done:
    if (status != RECON_OK)
        recon_adam_free(ctx, a);
    return status;
}

void recon_adam_free(recon_ctx *ctx, recon_adam *a)
{
    if (!a)
        return;
    void *blocks[] = { a->m, a->v, a->average, a->state, a->norm };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (blocks[i])
            recon_ops_of(ctx)->release(ctx, blocks[i]);
    free(a);
}

recon_status recon_adam_prepare(recon_ctx *ctx, recon_adam *a, double rate)
{
    double t = (double)++a->steps;
    recon_adam_state state = { rate, 1 - pow(a->options.b1, t), 1 - pow(a->options.b2, t) };
    return recon_ops_of(ctx)->upload(ctx, a->state, &state, sizeof state);
}

recon_status recon_adam_apply(recon_ctx *ctx, recon_adam *a)
{
    const recon_ops *ops = recon_ops_of(ctx);
    recon_params *p = a->params;
    recon_adam_args args = { .n = p->n_weights,
                             .b1 = a->options.b1,
                             .b2 = a->options.b2,
                             .eps = a->options.eps,
                             .decay = a->options.decay,
                             .clip = a->options.clip,
                             .ema_decay = a->options.average,
                             .state = a->state,
                             .grad_norm = a->norm,
                             .w = p->weights,
                             .g = p->gradients,
                             .m = a->m,
                             .v = a->v,
                             .ema = a->average,
                             .bf16 = p->low,
                             .type = p->type };
    recon_status status = RECON_OK;
    if (a->options.clip > 0)
        status = ops->norm2(ctx, a->norm, p->gradients, p->n_weights, p->type);
    return status == RECON_OK ? ops->adam(ctx, &args) : status;
}

recon_status recon_adam_update(recon_ctx *ctx, recon_adam *adam, double rate)
{
    RECON_CHECK(recon_adam_prepare(ctx, adam, rate));
    return recon_adam_apply(ctx, adam);
}

recon_status recon_adam_swap(recon_ctx *ctx, recon_adam *a)
{
    if (!a->average)
        return RECON_OK;
    char *weights = a->params->weights;
    recon_params_use(a->params, a->average);
    a->average = weights;
    return recon_params_round(ctx, a->params);
}
