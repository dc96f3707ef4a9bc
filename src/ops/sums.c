/* sums.c - sums over slices: neighbours, then neighbours of those, and so on.
 *
 * A rank adds what lies within its own slices, which leaves it a vector or two. A sum that is needed at
 * once has few numbers: what is left is sent to all, and everybody adds the rest. Of gradients there are
 * many: each rank is sent its share of the numbers, adds the rest for all, and sends the sums round. */
#include "ops/sums.h"
#include "comm/comm.h"
#include "core/blocks.h"
#include "core/arena.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/simd.h"
#include "core/threads.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK RECON_BLOCK_SUMS
#define LINE  64 /* bytes: where a gradient begins, and a rank's share */

/* --- adding --------------------------------------------------------------------------------------- */

RECON_CLONES static void add_floats(float *restrict out, const float *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] += x[i];
}

RECON_CLONES static void add_doubles(double *restrict out, const double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] += x[i];
}

static void add(recon_dtype type, void *out, const void *x, size_t n)
{
    if (type == RECON_F64)
        add_doubles(out, x, n);
    else
        add_floats(out, x, n);
}

/* --- a sum ------------------------------------------------------------------------------------ */

typedef struct {
    const recon_pieces *pieces;
    const recon_slice_tree *tree;
    int rank;
    recon_dtype type;
    char *out; /* NULL: ranks have to meet first */
    char *part;
    size_t stride, width;
} job;

/* What this rank's slice i has, from number `at` on. */
static char *slice_at(const job *j, size_t i, size_t at)
{
    size_t first = (i - j->pieces->s.begin) * j->pieces->per;
    return j->part + first * j->stride + at * recon_dtype_size(j->type);
}

static recon_status chunk_task(recon_ctx *ctx, void *arg, size_t chunk, int worker)
{
    const job *j = arg;
    const recon_pieces *p = j->pieces;
    size_t at = chunk * CHUNK, n = j->width - at < CHUNK ? j->width - at : CHUNK;
    (void)ctx, (void)worker;
    for (size_t task = 0; task < p->tasks; task++)
        if (task % p->per)
            add(j->type, slice_at(j, p->s.begin + task / p->per, at),
                j->part + task * j->stride + at * recon_dtype_size(j->type), n);
    for (size_t i = 0; i < j->tree->merges; i++) {
        const recon_slice_merge *m = &j->tree->merge[i];
        if (m->where == j->rank)
            add(j->type, slice_at(j, m->left, at), slice_at(j, m->right, at), n);
    }
    if (j->out)
        memmove(j->out + at * recon_dtype_size(j->type), slice_at(j, 0, at),
                n * recon_dtype_size(j->type));
    return RECON_OK;
}

/* What is left of all ranks, in the order of their slices, and added up. */
static recon_status meet(recon_ctx *ctx, const job *j, void *out)
{
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    size_t bytes = j->width * recon_dtype_size(j->type), place[RECON_SLICES], sent = 0;
    size_t begin[RECON_SLICES + 1] = { 0 };
    const recon_slice_tree *t = j->tree;
    recon_status status = RECON_OK;
    char *all;
    for (size_t i = 0; i < j->pieces->s.count; i++) {
        place[i] = sent;
        sent += (size_t)t->sent[i];
        begin[t->owner[i] + 1] = sent;
    }
    RECON_TRY(recon_arena_take(ctx, arena, &all, sent, bytes));
    for (size_t i = j->pieces->s.begin; i < j->pieces->s.end; i++)
        if (t->sent[i])
            memcpy(all + place[i] * bytes, slice_at(j, i, 0), bytes);
    RECON_TRY(recon_comm_gather_parts(ctx, all, begin, bytes));
    for (size_t i = 0; i < t->merges; i++)
        if (t->merge[i].where < 0)
            add(j->type, all + place[t->merge[i].left] * bytes,
                all + place[t->merge[i].right] * bytes, j->width);
    memcpy(out, all, bytes);
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_pieces_sum(recon_ctx *ctx, const recon_pieces *p, void *out, recon_dtype type,
                              void *part, size_t stride, size_t width)
{
    recon_slice_tree t = recon_slice_tree_of(ctx, &p->s);
    int alone = recon_slices_alone(&p->s);
    job j = { p, &t, recon_comm_rank(ctx), type, alone ? out : NULL, part, stride, width };
    if (p->tasks == 0) {
        memset(out, 0, width * recon_dtype_size(type));
        return RECON_OK;
    }
    recon_status status = recon_parallel(ctx, chunk_task, &j, (width + CHUNK - 1) / CHUNK);
    return status == RECON_OK && !alone ? meet(ctx, &j, out) : status;
}

/* --- gradients that wait ------------------------------------------------------------------------ */

typedef struct {
    size_t at, count; /* bytes before it, numbers */
    int as_double;
    float *out;
} waiting;

struct recon_sums {
    recon_slices s; /* of all that wait */
    recon_slice_tree tree;
    waiting *list;
    size_t waits, room;
    char *own[RECON_SLICES]; /* what is left of own slices: of all that wait, one behind another */
    size_t own_room[RECON_SLICES], bytes;
    char *theirs; /* what the others have left, of this rank's share */
    size_t theirs_room;
};

recon_status recon_sums_begin(recon_ctx *ctx, recon_sums **sums)
{
    recon_status status = *sums ? RECON_OK : recon_alloc(ctx, sums, 1, sizeof **sums);
    ctx->sums = *sums;
    return status;
}

void recon_sums_end(recon_ctx *ctx)
{
    if (ctx->sums)
        ctx->sums->waits = ctx->sums->bytes = 0;
    ctx->sums = NULL;
}

void recon_sums_free(recon_sums *s)
{
    for (size_t i = 0; s && i < RECON_SLICES; i++)
        free(s->own[i]);
    if (s) {
        recon_free_all(s->list, s->theirs);
    }
    free(s);
}

int recon_sums_wait_for(const recon_ctx *ctx, const void *out)
{
    for (size_t i = 0; ctx->sums && i < ctx->sums->waits; i++)
        if (ctx->sums->list[i].out == out)
            return 1;
    return 0;
}

static recon_dtype type_of(const recon_gradient *g)
{
    return g->as_double ? RECON_F64 : RECON_F32;
}

/* The sum of a slice, or of all of them, where it belongs. */
static recon_status put(recon_ctx *ctx, const recon_gradient *g, void *to, void *sum)
{
    if (g->arrange)
        return g->arrange(ctx, g->user, to, sum);
    memcpy(to, sum, g->count * recon_dtype_size(type_of(g)));
    return RECON_OK;
}

static void round_to_floats(float *out, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (float)x[i];
}

static recon_status sum_now(recon_ctx *ctx, const recon_gradient *g)
{
    int direct = !g->arrange && !g->as_double;
    void *sum = direct ? (void *)g->out : g->part;
    recon_status status =
        recon_pieces_sum(ctx, g->pieces, sum, type_of(g), g->part, g->stride, g->width);
    if (status == RECON_OK && g->as_double)
        round_to_floats(g->out, sum, g->count);
    return status == RECON_OK && g->arrange ? g->arrange(ctx, g->user, g->out, sum) : status;
}

recon_status recon_gradient_sum(recon_ctx *ctx, const recon_gradient *g)
{
    recon_sums *s = ctx->sums;
    if (g->pieces->tasks == 0) {
        memset(g->out, 0, g->count * sizeof *g->out);
        return RECON_OK;
    }
    if (!s || recon_slices_alone(&g->pieces->s))
        return sum_now(ctx, g);
    /* Room for one more, behind those that wait. Those of a batch that is cut otherwise go
     * first. */
    if (s->waits && s->s.count != g->pieces->s.count)
        RECON_CHECK(recon_sums_finish(ctx));
    s->s = g->pieces->s;
    s->tree = recon_slice_tree_of(ctx, &s->s);
    RECON_CHECK(recon_grow(ctx, &s->list, &s->room, s->waits, s->waits + 1, sizeof *s->list));
    size_t lines = (g->count * recon_dtype_size(type_of(g)) + LINE - 1) / LINE;
    for (size_t i = s->s.begin, k = 0; i < s->s.end; i++)
        if (s->tree.sent[i]) {
            RECON_CHECK(
                recon_grow(ctx, &s->own[k], &s->own_room[k], s->bytes, s->bytes + lines * LINE, 1));
            k++;
        }
    s->list[s->waits++] = (waiting){ s->bytes, g->count, g->as_double, g->out };
    s->bytes += lines * LINE;
    job j = { g->pieces, &s->tree, recon_comm_rank(ctx), type_of(g), NULL, g->part,
              g->stride, g->width };
    RECON_CHECK(recon_parallel(ctx, chunk_task, &j, (g->width + CHUNK - 1) / CHUNK));
    for (size_t i = s->s.begin, k = 0; i < s->s.end; i++)
        if (s->tree.sent[i])
            RECON_CHECK(put(ctx, g, s->own[k++] + s->list[s->waits - 1].at, slice_at(&j, i, 0)));
    return RECON_OK;
}

/* --- all of them at once ------------------------------------------------------------------------ */

/* How many vectors a rank has left. */
static size_t left_at(const recon_sums *s, int rank)
{
    size_t n = 0;
    for (size_t i = 0; i < s->s.count; i++)
        n += s->tree.owner[i] == rank && s->tree.sent[i];
    return n;
}

/* Own vectors, of the share of `to`, against the vectors of `from`. */
static recon_status swap_shares(recon_ctx *ctx, const recon_sums *s, int to, int from, char *in)
{
    recon_share theirs = recon_comm_share(ctx, to, s->bytes, LINE);
    recon_share mine = recon_comm_own(ctx, s->bytes, LINE);
    size_t sends = left_at(s, recon_comm_rank(ctx)), receives = left_at(s, from);
    size_t bytes = mine.end - mine.begin;
    recon_exchange x = { 0 };
    recon_status status = RECON_OK;
    for (size_t k = 0; k < sends || k < receives; k++) {
        if (k < receives)
            RECON_TRY(recon_exchange_recv(ctx, &x, in + k * bytes, bytes, from));
        if (k < sends)
            RECON_TRY(recon_exchange_send(ctx, &x, s->own[k] + theirs.begin,
                                          theirs.end - theirs.begin, to));
        RECON_TRY(recon_exchange_wait(ctx, &x));
    }
done:
    recon_exchange_close(ctx, &x);
    return status;
}

/* The numbers of this rank's share, each in its own type; both begin with the share. */
static void add_share(const recon_sums *s, recon_share mine, char *left, const char *right)
{
    for (size_t i = 0; i < s->waits; i++) {
        const waiting *w = &s->list[i];
        recon_dtype type = w->as_double ? RECON_F64 : RECON_F32;
        size_t end = w->at + w->count * recon_dtype_size(type);
        size_t from = w->at > mine.begin ? w->at : mine.begin, to = end < mine.end ? end : mine.end;
        if (from < to)
            add(type, left + (from - mine.begin), right + (from - mine.begin),
                (to - from) / recon_dtype_size(type));
    }
}

/* What is left of the tree, for the share; the sum comes to own[0]. */
static void add_vectors(recon_ctx *ctx, recon_sums *s, char **by)
{
    recon_share mine = recon_comm_own(ctx, s->bytes, LINE);
    size_t next[RECON_SLICES] = { 0 };
    char *slice[RECON_SLICES] = { NULL };
    for (size_t i = 0; i < s->s.count; i++)
        if (s->tree.sent[i]) {
            int r = s->tree.owner[i];
            size_t k = next[r]++;
            slice[i] = r == recon_comm_rank(ctx) ? s->own[k] + mine.begin
                                                 : by[r] + k * (mine.end - mine.begin);
        }
    for (size_t i = 0; i < s->tree.merges; i++) {
        const recon_slice_merge *m = &s->tree.merge[i];
        if (m->where < 0)
            add_share(s, mine, slice[m->left], slice[m->right]);
    }
    memmove(s->own[0] + mine.begin, slice[0], mine.end - mine.begin);
}

recon_status recon_sums_finish(recon_ctx *ctx)
{
    recon_sums *s = ctx->sums;
    char *by[RECON_SLICES];
    if (!s || s->waits == 0)
        return RECON_OK;
    /* This rank's share of all vectors; by[r] is the first of rank r. */
    int size = recon_comm_size(ctx), rank = recon_comm_rank(ctx);
    recon_share mine = recon_comm_own(ctx, s->bytes, LINE);
    size_t bytes = mine.end - mine.begin, vectors = 0, at = 0;
    for (int r = 0; r < size; r++)
        vectors += left_at(s, r);
    RECON_CHECK(recon_grow(ctx, &s->theirs, &s->theirs_room, 0, vectors * bytes, 1));
    for (int step = 1; step < size; step++) {
        int from = (rank - step + size) % size;
        by[from] = s->theirs + at;
        RECON_CHECK(swap_shares(ctx, s, (rank + step) % size, from, by[from]));
        at += left_at(s, from) * bytes;
    }
    add_vectors(ctx, s, by);
    RECON_CHECK(recon_comm_gather(ctx, s->own[0], s->bytes, LINE, 1));
    for (size_t i = 0; i < s->waits; i++) {
        const waiting *w = &s->list[i];
        if (w->as_double)
            round_to_floats(w->out, (const double *)(s->own[0] + w->at), w->count);
        else
            memcpy(w->out, s->own[0] + w->at, w->count * sizeof(float));
    }
    s->waits = s->bytes = 0;
    return RECON_OK;
}
