/* ring_tour.c - see ring.h. A tour is a row of stops, one for each piece of each rank that is met.
 * While a rank works on one stop, the rows of the next one arrive and what was found at the one
 * before goes home: three stops are in memory, whatever the size of a part. */
#include "knn/ring.h"
#include "knn/tiles.h"
#include "comm/comm.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

/* What is in memory of a stop. */
typedef struct {
    float *z;                     /* [piece][d] of the rank that is met     */
    double *kth, *own_kth;        /* [piece] of that rank; of the own piece */
    recon_neighbor *found, *home; /* [piece][k] for that rank; for the own piece */
    recon_exchange rows, lists;
} stop_memory;

typedef struct {
    const recon_tour_plan *plan;
    int rank, size;
    size_t piece, pieces, stops; /* rows of a stop; stops at a rank, at all */
    stop_memory memory[3];
    recon_neighbor *scratch;
} tour;

/* Rows of piece `piece` of a rank; none behind its last one. */
static recon_share piece_of(recon_ctx *ctx, const tour *t, int rank, size_t piece)
{
    recon_share s = recon_comm_share(ctx, rank, t->plan->n, RECON_TILE);
    size_t begin = s.begin + piece * t->piece, end = begin + t->piece;
    return (recon_share){ begin < s.end ? begin : s.end, end < s.end ? end : s.end };
}

static int step_of(const tour *t, size_t stop)
{
    return 1 + (int)(stop / t->pieces);
}

static int met(const tour *t, size_t stop)
{
    return (t->rank + step_of(t, stop)) % t->size;
}

static int visited(const tour *t, size_t stop)
{
    return (t->rank - step_of(t, stop) + t->size) % t->size;
}

static size_t length(recon_share s)
{
    return s.end - s.begin;
}

/* Rows of a stop begin to arrive, and own rows to leave. */
static recon_status begin_rows(recon_ctx *ctx, tour *t, size_t stop)
{
    const recon_tour_plan *p = t->plan;
    stop_memory *m = &t->memory[stop % 3];
    size_t row = p->d * sizeof *p->z, own = recon_comm_own(ctx, p->n, RECON_TILE).begin;
    recon_share in = piece_of(ctx, t, met(t, stop), stop % t->pieces);
    recon_share out = piece_of(ctx, t, t->rank, stop % t->pieces);
    recon_status status;
    RECON_TRY(recon_exchange_recv(ctx, &m->rows, m->z, length(in) * row, met(t, stop)));
    RECON_TRY(recon_exchange_send(ctx, &m->rows, p->z + out.begin * p->d, length(out) * row,
                                  visited(t, stop)));
    if (!p->best)
        goto done;
    for (size_t i = out.begin; i < out.end; i++)
        m->own_kth[i - out.begin] = p->best[(i - own + 1) * p->k - 1].score;
    RECON_TRY(
        recon_exchange_recv(ctx, &m->rows, m->kth, length(in) * sizeof *m->kth, met(t, stop)));
    RECON_TRY(recon_exchange_send(ctx, &m->rows, m->own_kth, length(out) * sizeof *m->own_kth,
                                  visited(t, stop)));
done:
    return status;
}

/* What was found at a stop goes home, and what was found for own rows arrives. */
static recon_status begin_lists(recon_ctx *ctx, tour *t, size_t stop)
{
    stop_memory *m = &t->memory[stop % 3];
    size_t list = t->plan->k * sizeof *m->found;
    recon_share theirs = piece_of(ctx, t, met(t, stop), stop % t->pieces);
    recon_share own = piece_of(ctx, t, t->rank, stop % t->pieces);
    if (!t->plan->best)
        return RECON_OK;
    RECON_CHECK(recon_exchange_recv(ctx, &m->lists, m->home, length(own) * list, visited(t, stop)));
    return recon_exchange_send(ctx, &m->lists, m->found, length(theirs) * list, met(t, stop));
}

static recon_status end_lists(recon_ctx *ctx, tour *t, size_t stop)
{
    stop_memory *m = &t->memory[stop % 3];
    size_t first = recon_comm_own(ctx, t->plan->n, RECON_TILE).begin;
    recon_share own = piece_of(ctx, t, t->rank, stop % t->pieces);
    if (!t->plan->best)
        return RECON_OK;
    RECON_CHECK(recon_exchange_wait(ctx, &m->lists));
    t->plan->come_home(t->plan->arg, own.begin - first, length(own), m->home, t->scratch);
    return RECON_OK;
}

static recon_status alloc_memory(recon_ctx *ctx, tour *t)
{
    const recon_tour_plan *p = t->plan;
    for (int i = 0; i < 3; i++) {
        stop_memory *m = &t->memory[i];
        RECON_CHECK(recon_alloc_raw(ctx, &m->z, t->piece * p->d, sizeof *m->z));
        if (!p->best)
            continue;
        RECON_CHECK(recon_alloc_raw(ctx, &m->kth, t->piece, sizeof *m->kth));
        RECON_CHECK(recon_alloc_raw(ctx, &m->own_kth, t->piece, sizeof *m->own_kth));
        RECON_CHECK(recon_alloc_raw(ctx, &m->found, t->piece * p->k, sizeof *m->found));
        RECON_CHECK(recon_alloc_raw(ctx, &m->home, t->piece * p->k, sizeof *m->home));
    }
    return recon_alloc_raw(ctx, &t->scratch, p->k + 1, sizeof *t->scratch);
}

static void free_memory(recon_ctx *ctx, tour *t)
{
    for (int i = 0; i < 3; i++) {
        stop_memory *m = &t->memory[i];
        recon_exchange_close(ctx, &m->rows);
        recon_exchange_close(ctx, &m->lists);
        recon_free_all(m->z, m->kth, m->own_kth, m->found, m->home);
    }
    free(t->scratch);
}

recon_status recon_tour(recon_ctx *ctx, const recon_tour_plan *plan)
{
    tour t = { .plan = plan, .rank = recon_comm_rank(ctx), .size = recon_comm_size(ctx) };
    recon_status status = RECON_OK;
    size_t most = 1; /* rows of a rank */
    for (int r = 0; r < t.size; r++) {
        size_t rows = length(recon_comm_share(ctx, r, t.plan->n, RECON_TILE));
        most = rows > most ? rows : most;
    }
    t.piece = t.plan->piece ? t.plan->piece : 8 * RECON_TILE;
    t.piece = t.piece < most ? t.piece : most;
    t.pieces = (most + t.piece - 1) / t.piece;
    t.stops = t.pieces * (size_t)(plan->half ? t.size / 2 : t.size - 1);
    if (t.stops == 0)
        return RECON_OK;
    RECON_TRY(alloc_memory(ctx, &t));
    recon_progress_begin(ctx, "other ranks", t.stops);
    RECON_TRY(begin_rows(ctx, &t, 0));
    for (size_t stop = 0; stop < t.stops; stop++) {
        RECON_TRY(recon_exchange_wait(ctx, &t.memory[stop % 3].rows));
        if (stop + 1 < t.stops)
            RECON_TRY(begin_rows(ctx, &t, stop + 1));
        if (stop > 0)
            RECON_TRY(begin_lists(ctx, &t, stop - 1));
        stop_memory *m = &t.memory[stop % 3];
        recon_share s = piece_of(ctx, &t, met(&t, stop), stop % t.pieces);
        recon_visit v = { .z = m->z,
                          .first = s.begin,
                          .rows = length(s),
                          .mutual = met(&t, stop) == visited(&t, stop) && t.plan->half,
                          .like = t.plan->like,
                          .kth = m->kth,
                          .found = m->found };
        RECON_TRY(t.plan->meet(ctx, t.plan->arg, &v));
        if (stop > 0)
            RECON_TRY(end_lists(ctx, &t, stop - 1));
        recon_progress_add(ctx, 1);
    }
    RECON_TRY(begin_lists(ctx, &t, t.stops - 1));
    RECON_TRY(end_lists(ctx, &t, t.stops - 1));
    recon_progress_end(ctx);
done:
    free_memory(ctx, &t);
    return status;
}
