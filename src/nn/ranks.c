/* ranks.c - agreeing, and broadcasts from rank 0. */
#include "nn/peers.h"
#include "comm/comm.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/adam.h"
#include "nn/params.h"
#include "nn/settings.h"
#include "nn/step.h"
#include "ops/ops.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static int has_slices(recon_ctx *ctx)
{
    const recon_ops *ops = recon_ops_of(ctx);
    return ops->has_slices && ops->has_slices(ctx);
}

recon_status recon_ranks_fit(recon_ctx *ctx, size_t units)
{
    size_t ranks = (size_t)recon_comm_size(ctx);
    size_t most = has_slices(ctx) ? recon_slices_of(ctx, units).count : units;
    if (ranks > most)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "a batch of %zu goes to at most %zu ranks, and %zu were started: start "
                          "fewer, or use a larger {batch}",
                          units, most, ranks);
    return RECON_OK;
}

static recon_status check(recon_ctx *ctx, const recon_trainee *it, int cut)
{
    if (!cut && it->params->type != RECON_F32)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                          "training in double precision needs a single process");
    return recon_ranks_fit(ctx, it->units);
}

recon_status recon_ranks_begin(recon_ctx *ctx, recon_slices *cut, recon_peers *peers,
                               recon_slice *part, const recon_trainee *it, const char *settings)
{
    int can = it->shared && it->units && has_slices(ctx);
    *cut = (recon_slices){ 0 };
    *peers = (recon_peers){ .size = 1 };
    *part = (recon_slice){ 0 };
    if (it->shared && recon_comm_size(ctx) > 1) {
        uLong sum = crc32(0, (const Bytef *)settings, (uInt)strlen(settings));
        RECON_CHECK(recon_comm_same(ctx, recon_settings_identity(settings), "the training data"));
        RECON_CHECK(recon_comm_same(ctx, sum, "a setting, or what is held out,"));
        RECON_CHECK(recon_comm_agree(ctx, check(ctx, it, can)));
        RECON_CHECK(recon_peers_open(ctx, peers));
        if (!can) /* each has as many things of a batch as another, or one fewer */
            *part = recon_slice_of(it->units, (size_t)recon_comm_size(ctx),
                                   (size_t)recon_comm_rank(ctx));
    }
    if (can)
        *cut = recon_slices_of(ctx, it->units);
    return RECON_OK;
}

static recon_status share(recon_ctx *ctx, void *block, size_t n, recon_dtype type)
{
    const recon_ops *ops = recon_ops_of(ctx);
    size_t bytes = n * recon_dtype_size(type);
    char *host = NULL;
    recon_status status;
    if (!block || !n)
        return RECON_OK;
    if (ops == recon_ops_on_host(ctx))
        return recon_comm_broadcast(ctx, block, bytes, 0);
    RECON_TRY(recon_alloc_raw(ctx, &host, bytes, 1));
    RECON_TRY(ops->download(ctx, host, block, bytes));
    RECON_TRY(recon_comm_broadcast(ctx, host, bytes, 0));
    RECON_TRY(ops->upload(ctx, block, host, bytes));
done:
    free(host);
    return status;
}

recon_status recon_ranks_weights(recon_ctx *ctx, recon_params *p)
{
    if (recon_comm_size(ctx) == 1)
        return RECON_OK;
    RECON_CHECK(share(ctx, p->weights, p->n_weights, p->type));
    RECON_CHECK(share(ctx, p->buffers, p->n_buffers, p->type));
    return recon_params_round(ctx, p);
}

recon_status recon_ranks_state(recon_ctx *ctx, recon_adam *a, recon_checkpoint *at)
{
    const recon_params *p = a->params;
    const char *settings = at->settings;
    recon_status status = RECON_OK;
    if (recon_comm_size(ctx) == 1)
        return RECON_OK;
    RECON_TRY(recon_ranks_weights(ctx, a->params));
    RECON_TRY(share(ctx, a->m, p->n_weights, p->type));
    RECON_TRY(share(ctx, a->v, p->n_weights, p->type));
    RECON_TRY(share(ctx, a->average, p->n_weights, p->type));
    RECON_TRY(recon_comm_broadcast(ctx, &a->steps, sizeof a->steps, 0));
    RECON_TRY(recon_comm_broadcast(ctx, at, sizeof *at, 0));
done:
    at->settings = settings;
    return status;
}
