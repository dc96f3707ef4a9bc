/* peers.c - joining, and sums of blocks. */
#include "nn/peers.h"
#include "comm/comm.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "ops/ops.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char machine[192], card[RECON_PEERS_CARD];
} place;

/* NCCL refuses two ranks on one GPU, in words of its own and not at once. */
static recon_status check_places(recon_ctx *ctx, const place *all, int size)
{
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++)
            if (!memcmp(&all[i], &all[j], sizeof *all))
                return recon_fail(
                    ctx, RECON_ERR_UNSUPPORTED,
                    "ranks %d and %d share one GPU, and NCCL needs one for each rank: "
                    "start fewer ranks (RECON_NCCL=none lets them share it, slowly)",
                    j, i);
    return RECON_OK;
}

static recon_status look_around(recon_ctx *ctx, const recon_peers *p)
{
    int rank = recon_comm_rank(ctx);
    place *all = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &all, (size_t)p->size, sizeof *all));
    gethostname(all[rank].machine, sizeof all[rank].machine - 1);
    RECON_TRY(recon_comm_agree(ctx, p->table->card(ctx, all[rank].card)));
    RECON_TRY(recon_comm_gather(ctx, all, (size_t)p->size, 1, sizeof *all));
    RECON_TRY(recon_comm_agree(ctx, check_places(ctx, all, p->size)));
done:
    free(all);
    return status;
}

/* Whether all ranks have the library: they agree before anybody waits in it. */
static recon_status make_id(recon_ctx *ctx, const recon_peers *p, unsigned char *id, int *there)
{
    recon_status status = p->table->make_id(ctx, id);
    double missing = status == RECON_ERR_UNSUPPORTED;
    recon_status asked = recon_comm_max(ctx, &missing);
    *there = missing == 0;
    if (asked != RECON_OK || !*there)
        return asked;
    return recon_comm_agree(ctx, status);
}

static recon_status join(recon_ctx *ctx, recon_peers *p)
{
    unsigned char id[RECON_PEERS_ID] = { 0 };
    int there;
    RECON_CHECK(make_id(ctx, p, id, &there));
    if (!there) {
        recon_log(ctx, RECON_LOG_WARN,
                  "NCCL is not on every rank (%s): gradients go through the host's memory and MPI",
                  recon_ctx_message(ctx));
        p->table = NULL;
        return RECON_OK;
    }
    RECON_CHECK(look_around(ctx, p));
    RECON_CHECK(recon_comm_broadcast(ctx, id, sizeof id, 0));
    return recon_comm_agree(ctx, p->table->join(ctx, id, recon_comm_rank(ctx), p->size));
}

recon_status recon_peers_open(recon_ctx *ctx, recon_peers *p)
{
    *p = (recon_peers){ .size = recon_comm_size(ctx), .table = recon_ops_peers(ctx) };
    return p->size > 1 && p->table ? join(ctx, p) : RECON_OK;
}

void recon_peers_close(recon_peers *p)
{
    free(p->all);
    *p = (recon_peers){ .size = 1 };
}

/* --- through the hosts ------------------------------------------------------------------------ */

static recon_status make_room(recon_ctx *ctx, recon_peers *p, size_t n)
{
    if (n <= p->room)
        return RECON_OK;
    free(p->all);
    p->room = 0;
    recon_status status = recon_alloc_raw(ctx, &p->all, (size_t)p->size * n, sizeof *p->all);
    if (status == RECON_OK)
        p->room = n;
    return status;
}

static recon_status sum_on_hosts(recon_ctx *ctx, recon_peers *p, float *x, size_t n)
{
    const recon_ops *ops = recon_ops_of(ctx);
    size_t bytes = n * sizeof *x;
    RECON_CHECK(make_room(ctx, p, n));
    RECON_CHECK(ops->download(ctx, p->all + (size_t)recon_comm_rank(ctx) * n, x, bytes));
    RECON_CHECK(recon_comm_gather(ctx, p->all, (size_t)p->size, 1, bytes));
    /* In the same order as a deterministic device: neighbours, then neighbours of those. */
    for (int apart = 1; apart < p->size; apart *= 2)
        for (int r = 0; r + apart < p->size; r += 2 * apart) {
            float *to = p->all + (size_t)r * n;
            const float *from = p->all + (size_t)(r + apart) * n;
            for (size_t i = 0; i < n; i++)
                to[i] += from[i];
        }
    return ops->upload(ctx, x, p->all, bytes);
}

/* --- buckets ---------------------------------------------------------------------------------- */

void recon_peers_begin(recon_peers *p, const recon_params *params)
{
    size_t each = params->n_weights / RECON_PEERS_BUCKETS + 1;
    each = each < RECON_PEERS_BUCKET ? RECON_PEERS_BUCKET : each;
    recon_bucket *b = &p->bucket[0];
    *b = (recon_bucket){ 0 };
    for (size_t i = 0; i < params->count; i++) {
        const recon_param *e = params->entry[i];
        if (!e->trained)
            continue;
        if (e->offset >= b->begin + each) {
            b->end = e->offset;
            b[1] = (recon_bucket){ .begin = e->offset };
            b++;
        }
        b->waits++;
    }
    b->end = params->n_weights;
    p->buckets = (size_t)(b - p->bucket) + 1;
}

/* Begins; on devices it ends by recon_peers_finish. */
static recon_status sum(recon_ctx *ctx, recon_peers *p, void *x, size_t n)
{
    if (n == 0)
        return RECON_OK;
    return p->table ? p->table->sum(ctx, x, n) : sum_on_hosts(ctx, p, x, n);
}

static recon_status sum_bucket(recon_ctx *ctx, recon_peers *p, const recon_params *params,
                               recon_bucket *b)
{
    b->waits = 0;
    return sum(ctx, p, (float *)params->gradients + b->begin, b->end - b->begin);
}

recon_status recon_peers_ready(recon_ctx *ctx, recon_peers *p, const recon_params *params,
                               const recon_param *param)
{
    recon_bucket *b = p->bucket;
    if (param->owner != params || !param->trained)
        return RECON_OK;
    while (b + 1 < p->bucket + p->buckets && param->offset >= b->end)
        b++;
    return --b->waits == 0 ? sum_bucket(ctx, p, params, b) : RECON_OK;
}

recon_status recon_peers_finish(recon_ctx *ctx, recon_peers *p, recon_params *params)
{
    recon_tensor b = {
        .type = RECON_F32, .ndim = 1, .shape = { params->n_buffers }, .data = params->buffers
    };
    for (size_t i = 0; i < p->buckets; i++)
        if (p->bucket[i].waits) /* for parameters that the backward pass has not reached */
            RECON_CHECK(sum_bucket(ctx, p, params, &p->bucket[i]));
    RECON_CHECK(sum(ctx, p, params->buffers, params->n_buffers));
    if (p->table)
        RECON_CHECK(p->table->sums_end(ctx));
    if (params->n_buffers)
        RECON_CHECK(recon_ops_of(ctx)->add(
            ctx, &(recon_add_args){ .alpha = 1 / (double)p->size, .y = b, .a = b }));
    return RECON_OK;
}
