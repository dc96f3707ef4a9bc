/* slices.c - sums over slices: neighbours, then neighbours of those, and so on.
 *
 * A rank adds what lies within its own slices. What is left is sent to all, and everybody adds the
 * rest: of two ranks one vector each, and at most one for each slice. */
#include "ops/slices.h"
#include "comm/comm.h"
#include "core/arena.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

#define CHUNK 4096 /* numbers that are added at a time */

recon_slices recon_slices_of(const recon_ctx *ctx, size_t all)
{
    size_t each = (all + RECON_SLICES - 1) / RECON_SLICES;
    size_t count = each ? (all + each - 1) / each : 0;
    recon_share own = recon_comm_own(ctx, count, 1);
    return (recon_slices){ all, each, count, own.begin, own.end };
}

recon_slices recon_slices_in_rows(const recon_tensor *x, size_t rows)
{
    if (!x->slices)
        return (recon_slices){ rows, rows, 1, 0, 1 };
    recon_slices s = *x->slices;
    size_t here = recon_slices_here(&s), by = here ? rows / here : 0;
    s.all *= by;
    s.each *= by;
    return s;
}

recon_pieces recon_pieces_of(recon_slices s, size_t piece)
{
    recon_pieces p = { .s = s, .piece = piece < s.each ? piece : s.each };
    size_t here = recon_slices_here(&s);
    if (here == 0)
        return p;
    p.per = (s.each + p.piece - 1) / p.piece;
    p.tasks = here / s.each * p.per + (here % s.each + p.piece - 1) / p.piece;
    return p;
}

recon_pieces recon_pieces_alone(size_t tasks)
{
    return recon_pieces_of((recon_slices){ tasks, tasks, 1, 0, 1 }, 1);
}

recon_pieces recon_pieces_each(const recon_slices *s, size_t tasks)
{
    return recon_pieces_of((recon_slices){ s->count * tasks, tasks, s->count, s->begin, s->end },
                           1);
}

/* --- the tree --------------------------------------------------------------------------------- */

/* Slice `right` is added to slice `left`, at a rank that has both, or everywhere: -1. */
typedef struct {
    size_t left, right;
    int where;
} merge;

typedef struct {
    merge merge[RECON_SLICES];
    size_t merges;
    int sent[RECON_SLICES];  /* whether a slice's place is still in use when ranks meet */
    int owner[RECON_SLICES]; /* the rank of each slice */
} tree;

static tree tree_of(const recon_ctx *ctx, const recon_slices *s)
{
    tree t = { .merges = 0 };
    int at[RECON_SLICES];
    int alone = s->begin == 0 && s->end == s->count;
    for (int r = 0; r < recon_comm_size(ctx); r++) {
        recon_share own = recon_comm_share(ctx, r, s->count, 1);
        for (size_t i = own.begin; i < own.end; i++)
            t.owner[i] = alone ? recon_comm_rank(ctx) : r;
    }
    for (size_t i = 0; i < s->count; i++) {
        at[i] = t.owner[i];
        t.sent[i] = 1;
    }
    for (size_t apart = 1; apart < s->count; apart *= 2)
        for (size_t i = 0; i + apart < s->count; i += 2 * apart) {
            int together = at[i] >= 0 && at[i] == at[i + apart];
            t.merge[t.merges++] = (merge){ i, i + apart, together ? at[i] : -1 };
            at[i] = together ? at[i] : -1;
            if (together)
                t.sent[i + apart] = 0;
        }
    return t;
}

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
    const tree *tree;
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
        const merge *m = &j->tree->merge[i];
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
    const tree *t = j->tree;
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
    tree t = tree_of(ctx, &p->s);
    int alone = p->s.begin == 0 && p->s.end == p->s.count;
    job j = { p, &t, recon_comm_rank(ctx), type, alone ? out : NULL, part, stride, width };
    if (p->tasks == 0) {
        memset(out, 0, width * recon_dtype_size(type));
        return RECON_OK;
    }
    recon_status status = recon_parallel(ctx, chunk_task, &j, (width + CHUNK - 1) / CHUNK);
    return status == RECON_OK && !alone ? meet(ctx, &j, out) : status;
}
