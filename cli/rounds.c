/* rounds.c - see rounds.h. */
#include "cli/rounds.h"
#include "comm/comm.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/identity.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static recon_status take_all(recon_ctx *ctx, const cli_rounds *r, const char *answers, size_t at,
                             size_t end)
{
    recon_status status = RECON_OK;
    for (size_t from = at; status == RECON_OK && from < end; from += r->block) {
        size_t n = least(r->block, end - from);
        recon_progress_hold(ctx);
        status = r->take(ctx, r->arg, answers + (from - at) * r->each, from, n);
        recon_progress_release(ctx);
        recon_progress_add(ctx, n);
    }
    return status;
}

/* Inputs at .. at + size * block. begin [size + 1] is where the blocks of the ranks begin in it. */
static recon_status run_round(recon_ctx *ctx, const cli_rounds *r, char *answers, size_t *begin,
                              size_t at)
{
    size_t size = (size_t)recon_comm_size(ctx), rank = (size_t)recon_comm_rank(ctx);
    recon_status status = RECON_OK;
    for (size_t i = 0; i <= size; i++)
        begin[i] = least(at + i * r->block, r->n) - at;
    recon_progress_hold(ctx);
    if (begin[rank + 1] > begin[rank])
        status = r->answer(ctx, r->arg, answers + begin[rank] * r->each, at + begin[rank],
                           begin[rank + 1] - begin[rank]);
    recon_progress_release(ctx);
    RECON_TRY(recon_comm_agree(ctx, status));
    RECON_TRY(recon_comm_gather_parts(ctx, answers, begin, r->each));
    if (rank == 0)
        status = take_all(ctx, r, answers, at, at + begin[size]);
    RECON_TRY(recon_comm_agree(ctx, status));
done:
    return status;
}

recon_status cli_rounds_run(recon_ctx *ctx, const cli_rounds *r, const char *label)
{
    size_t size = (size_t)recon_comm_size(ctx), *begin = NULL;
    char *answers = NULL;
    recon_status status;
    RECON_TRY(recon_identity_compare(ctx, r->data));
    RECON_TRY(recon_alloc(ctx, &begin, size + 1, sizeof *begin));
    RECON_TRY(recon_alloc_raw(ctx, &answers, size * r->block, r->each));
    recon_progress_begin(ctx, label, r->n);
    for (size_t at = 0; at < r->n; at += size * r->block)
        RECON_TRY(run_round(ctx, r, answers, begin, at));
    recon_progress_end(ctx);
done:
    recon_free_all(begin, answers);
    return status;
}
