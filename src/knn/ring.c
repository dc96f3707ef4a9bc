/* ring.c - see ring.h. At step t of a tour each rank receives the rows of the t-th rank after it,
 * and sends its own to the t-th before it: first those of the neighbour, then of the neighbour's
 * neighbour. All pairs of one set need half the tour. */
#include "knn/ring.h"
#include "knn/search.h"
#include "knn/lists.h"
#include "comm/comm.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "ops/ops.h"

#include <stdlib.h>

#define RUN   ((size_t)16)               /* tiles of own rows per task at least */
#define AHEAD 8                          /* lists between asking for rows and using them */
#define PIECE ((size_t)512 * RECON_TILE) /* rows that travel at a time to a device */

/* --- preparation ------------------------------------------------------------------------------ */

static recon_status check_sizes(recon_ctx *ctx, size_t n, size_t d, const recon_knn_options *o,
                                size_t most)
{
    if (n == 0 || d == 0 || n >= UINT32_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "embeddings have %zu rows of %zu", n, d);
    if (o->k == 0 || o->k > most)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "k = %zu, but a point has only %zu possible neighbours", o->k, most);
    if (o->method == RECON_KNN_IVF || o->method == RECON_KNN_HNSW)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                          "over ranks the search is exact: leave out {approx}");
    return recon_knn_options_check(ctx, o);
}

/* The mean and the scale that all parts of z share. */
static recon_status find_frame(recon_ctx *ctx, recon_points *like, const float *own, size_t rows,
                               size_t n, size_t d, recon_metric metric)
{
    size_t size = (size_t)recon_comm_size(ctx);
    double *sums = NULL;
    recon_status status = RECON_OK;
    *like = (recon_points){ .scale = 1 };
    if (metric == RECON_COSINE)
        return RECON_OK;
    if (metric == RECON_EUCLIDEAN) {
        RECON_TRY(recon_alloc(ctx, &sums, size * d, sizeof *sums));
        RECON_TRY(recon_alloc(ctx, &like->mean, d, sizeof *like->mean));
        recon_points_sum(sums + (size_t)recon_comm_rank(ctx) * d, own, rows, d);
        RECON_TRY(recon_comm_sum(ctx, like->mean, sums, size, d));
        for (size_t c = 0; c < d; c++)
            like->mean[c] /= (double)n;
    }
    double longest = recon_points_longest(own, rows, d, like->mean);
    RECON_TRY(recon_comm_max(ctx, &longest));
    like->scale = recon_points_scale(longest);
done:
    free(sums);
    return status;
}

recon_status recon_ring_prepare(recon_ctx *ctx, recon_points *own, recon_points *like,
                                const float *z, size_t n, size_t d, recon_metric metric,
                                const char *what)
{
    recon_share s = recon_comm_own(ctx, n, RECON_TILE);
    const float *rows = z + s.begin * d;
    *own = *like = (recon_points){ 0 };
    RECON_CHECK(
        recon_comm_agree(ctx, recon_points_check(ctx, rows, s.end - s.begin, d, s.begin, what)));
    RECON_CHECK(find_frame(ctx, like, rows, s.end - s.begin, n, d, metric));
    return recon_comm_agree(ctx, recon_points_make_part(ctx, own, rows, s.end - s.begin, d, s.begin,
                                                        metric, like, what));
}

/* --- visitors as an index ---------------------------------------------------------------------- */

typedef struct {
    const recon_points *queries;
    recon_neighbor *best; /* [own queries][k] */
    size_t k;
} query_tour;

static recon_status answer(recon_ctx *ctx, void *arg, const recon_visit *v)
{
    query_tour *s = arg;
    recon_points visitor = { 0 };
    recon_status status = RECON_OK;
    if (v->rows == 0 || s->queries->n == 0)
        return RECON_OK;
    RECON_TRY(recon_points_make_part(ctx, &visitor, v->z, v->rows, s->queries->d, v->first,
                                     s->queries->metric, v->like, "embeddings"));
    RECON_TRY(recon_exact_search_more(ctx, s->best, s->queries, &visitor, v->first, s->k));
done:
    recon_points_free(&visitor);
    return status;
}

/* The rows of all other ranks come by, in pieces that are worth a device's while where there is
 * one. */
static recon_status ask_all(recon_ctx *ctx, query_tour *s, const float *z, size_t n,
                            const recon_points *like)
{
    return recon_tour(ctx, &(recon_tour_plan){ .z = z,
                                               .n = n,
                                               .d = s->queries->d,
                                               .like = like,
                                               .piece = recon_ops_of(ctx)->nearest ? PIECE : 0,
                                               .arg = s,
                                               .meet = answer });
}

/* --- all pairs -------------------------------------------------------------------------------- */

typedef struct {
    const recon_points *mine;
    recon_points visitor;
    recon_lists own, theirs; /* lists of both for each other's rows */
    recon_neighbor *best;    /* [own][k] */
    const recon_visit *visit;
    recon_tally tally;
    size_t k, run; /* tiles of own rows per task */
} self_tour;

static recon_status floor_task(recon_ctx *ctx, void *arg, size_t tile, int worker)
{
    self_tour *s = arg;
    recon_shortlist rows = recon_lists_tile(&s->own, tile);
    (void)ctx, (void)worker;
    recon_shortlist_clear(&rows);
    for (size_t i = 0; i < rows.count; i++)
        rows.floor[i] = recon_shortlist_floor(s->mine, rows.begin + i, &s->visitor,
                                              s->best[(rows.begin + i + 1) * s->k - 1].score);
    return RECON_OK;
}

static recon_status pair_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    self_tour *s = arg;
    size_t runs = (s->own.tiles + s->run - 1) / s->run, first = index % runs * s->run;
    size_t col = index / runs;
    size_t mine = s->mine->first / RECON_TILE, theirs = s->visitor.first / RECON_TILE, rows;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_sweep sweep;
    recon_neighbor *scratch;
    RECON_CHECK(recon_arena_take(ctx, arena, &scratch, s->own.all.capacity, sizeof *scratch));
    RECON_CHECK(recon_sweep_begin(ctx, &sweep, arena, &s->visitor, col, &s->tally));
    for (size_t i = first; i < first + s->run && i < s->own.tiles; i++) {
        if (!recon_visit_is_ours(s->visit, mine + i, theirs + col))
            continue;
        RECON_CHECK(recon_sweep_scores(ctx, &sweep, s->mine, i, 1, &rows));
        RECON_CHECK(recon_lists_scan(ctx, &sweep, &s->own, i, &s->theirs, scratch));
        RECON_CHECK(recon_comm_poll(ctx, worker));
    }
    return RECON_OK;
}

/* What the lists of a tile hold, exactly, with the places that the rows of `points` have among
 * all. */
static size_t take(recon_shortlist *lists, size_t i, size_t k, recon_neighbor *out)
{
    size_t count = lists->used[i] < k ? lists->used[i] : k;
    if (count)
        recon_shortlist_take(lists, i, out);
    for (size_t c = 0; c < count; c++)
        out[c].index += (uint32_t)lists->points->first;
    return count;
}

static recon_status keep_task(recon_ctx *ctx, void *arg, size_t tile, int worker)
{
    self_tour *s = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_shortlist rows = recon_lists_tile(&s->own, tile);
    recon_neighbor *found, *scratch;
    RECON_CHECK(recon_arena_take(ctx, arena, &found, rows.capacity, sizeof *found));
    RECON_CHECK(recon_arena_take(ctx, arena, &scratch, s->k, sizeof *scratch));
    for (size_t i = 0; i < rows.count; i++) {
        recon_shortlist_fetch(&rows, i + AHEAD);
        size_t count = take(&rows, i, s->k, found);
        recon_neighbors_merge(s->best + (rows.begin + i) * s->k, s->k, found, count, scratch);
    }
    return RECON_OK;
}

/* The lists of the visitor's rows go home. */
static recon_status pack_visitor(recon_ctx *ctx, self_tour *s, recon_neighbor *out)
{
    recon_neighbor *found = NULL;
    recon_shortlist *lists = &s->theirs.all;
    recon_status status = recon_alloc_raw(ctx, &found, lists->capacity, sizeof *found);
    recon_neighbors_clear(out, lists->count * s->k);
    for (size_t i = 0; status == RECON_OK && i < lists->count; i++) {
        recon_shortlist_fetch(lists, i + AHEAD);
        memcpy(out + i * s->k, found, take(lists, i, s->k, found) * sizeof *found);
    }
    free(found);
    return status;
}

static recon_status meet(recon_ctx *ctx, void *arg, const recon_visit *v)
{
    self_tour *s = arg;
    recon_status status;
    s->visit = v;
    if (v->rows == 0)
        return RECON_OK;
    RECON_TRY(recon_points_make_part(ctx, &s->visitor, v->z, v->rows, s->mine->d, v->first,
                                     s->mine->metric, v->like, "embeddings"));
    s->own.all.points = &s->visitor;
    RECON_TRY(recon_lists_make(ctx, &s->theirs, &s->visitor, s->mine, s->k));
    for (size_t i = 0; i < v->rows; i++)
        s->theirs.all.floor[i] = recon_shortlist_floor(&s->visitor, i, s->mine, v->kth[i]);
    RECON_TRY(recon_parallel(ctx, floor_task, s, s->own.tiles));
    /* Packing the columns costs the same for few tiles of rows as for many: a task has as many as
     * leave each thread a few tasks. */
    size_t tasks = 4 * (size_t)recon_ctx_threads(ctx);
    size_t run = s->own.tiles * s->theirs.tiles / tasks;
    s->run = run > RUN ? run : RUN;
    size_t runs = (s->own.tiles + s->run - 1) / s->run;
    RECON_TRY(recon_parallel(ctx, pair_task, s, runs * s->theirs.tiles));
    RECON_TRY(recon_parallel(ctx, keep_task, s, s->own.tiles));
    RECON_TRY(pack_visitor(ctx, s, v->found));
done:
    recon_lists_free(&s->theirs);
    recon_points_free(&s->visitor);
    return status;
}

/* What another rank has found for own rows. */
static void come_home(void *arg, size_t first, size_t rows, const recon_neighbor *found,
                      recon_neighbor *scratch)
{
    self_tour *s = arg;
    for (size_t i = 0; i < rows; i++) {
        size_t count = 0;
        const recon_neighbor *more = found + i * s->k;
        while (count < s->k && more[count].score > -INFINITY)
            count++;
        recon_neighbors_merge(s->best + (first + i) * s->k, s->k, more, count, scratch);
    }
}

/* A rank's rows among themselves: places among all rows, and no neighbour where there are too
 * few. */
static recon_status search_own(recon_ctx *ctx, self_tour *s, int include_self)
{
    size_t n = s->mine->n, most = include_self ? n : n - (n > 0), k = s->k < most ? s->k : most;
    recon_neighbor *found = NULL;
    recon_status status = RECON_OK;
    recon_neighbors_clear(s->best, n * s->k);
    if (k == 0)
        return RECON_OK;
    RECON_TRY(recon_alloc_raw(ctx, &found, n * k, sizeof *found));
    RECON_TRY(recon_exact_self(ctx, found, s->mine, k, include_self));
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < k; c++)
            s->best[i * s->k + c] =
                (recon_neighbor){ found[i * k + c].score,
                                  found[i * k + c].index + (uint32_t)s->mine->first };
done:
    free(found);
    return status;
}

static recon_status meet_all(recon_ctx *ctx, self_tour *s, const float *z, size_t n,
                             const recon_points *like)
{
    recon_status status;
    RECON_TRY(recon_lists_make(ctx, &s->own, s->mine, s->mine, s->k));
    RECON_TRY(recon_tour(ctx, &(recon_tour_plan){ .z = z,
                                                  .n = n,
                                                  .d = s->mine->d,
                                                  .k = s->k,
                                                  .best = s->best,
                                                  .like = like,
                                                  .half = 1,
                                                  .arg = s,
                                                  .meet = meet,
                                                  .come_home = come_home }));
done:
    recon_lists_free(&s->own);
    return status;
}

/* A device finds neighbours for rows alone, not for columns at the same time: there own rows are
 * queries, and each pair of ranks meets twice. */
recon_status recon_ring_self(recon_ctx *ctx, recon_neighbor *out, const float *z, size_t n,
                             size_t d, const recon_knn_options *o)
{
    recon_points mine = { 0 }, like = { 0 };
    self_tour s = { .mine = &mine, .best = out, .k = o->k };
    recon_status status;
    RECON_TRY(check_sizes(ctx, n, d, o, o->include_self ? n : n - (n > 0)));
    RECON_TRY(recon_ring_prepare(ctx, &mine, &like, z, n, d, o->metric, "embeddings"));
    RECON_TRY(search_own(ctx, &s, o->include_self));
    if (recon_ops_of(ctx)->nearest)
        RECON_TRY(ask_all(ctx, &(query_tour){ &mine, out, o->k }, z, n, &like));
    else
        RECON_TRY(meet_all(ctx, &s, z, n, &like));
done:
    recon_points_free(&mine);
    recon_points_free(&like);
    return status;
}

/* --- queries ---------------------------------------------------------------------------------- */

recon_status recon_ring_search(recon_ctx *ctx, recon_neighbor *out, const float *queries, size_t m,
                               const float *z, size_t n, size_t d, const recon_knn_options *o)
{
    recon_points mine = { 0 }, like = { 0 }, q = { 0 };
    query_tour s = { .queries = &q, .best = out, .k = o->k };
    recon_share own = recon_comm_own(ctx, m, RECON_TILE);
    recon_status status;
    RECON_TRY(check_sizes(ctx, n, d, o, n));
    RECON_TRY(recon_ring_prepare(ctx, &mine, &like, z, n, d, o->metric, "embeddings"));
    RECON_TRY(
        recon_comm_agree(ctx, recon_points_make_part(ctx, &q, queries, own.end - own.begin, d,
                                                     own.begin, o->metric, &like, "queries")));
    RECON_TRY(recon_exact_search(ctx, out, &q, &mine, o->k));
    for (size_t i = 0; i < q.n * o->k; i++)
        if (out[i].score > -INFINITY)
            out[i].index += (uint32_t)mine.first;
    RECON_TRY(ask_all(ctx, &s, z, n, &like));
done:
    recon_points_free(&q);
    recon_points_free(&mine);
    recon_points_free(&like);
    return status;
}

/* --- single rows ------------------------------------------------------------------------------ */

/* Of the wanted rows those that a rank holds, in their order: how many, and to out if there is
 * room. */
static size_t held_by(recon_ctx *ctx, int rank, size_t n, const int64_t *which, size_t m,
                      int64_t *out)
{
    recon_share s = recon_comm_share(ctx, rank, n, RECON_TILE);
    size_t count = 0;
    for (size_t i = 0; i < m; i++)
        if ((size_t)which[i] >= s.begin && (size_t)which[i] < s.end) {
            if (out)
                out[count] = which[i];
            count++;
        }
    return count;
}

/* One rank after another is asked, and answered. */
static recon_status ask(recon_ctx *ctx, float *out, const int64_t *which, size_t m, const float *z,
                        size_t n, size_t d, int step)
{
    int size = recon_comm_size(ctx), rank = recon_comm_rank(ctx);
    int to = (rank + step) % size, from = (rank - step + size) % size;
    size_t wanted = held_by(ctx, to, n, which, m, NULL), asked = 0, at = 0;
    recon_share theirs = recon_comm_share(ctx, to, n, RECON_TILE);
    int64_t *want = NULL, *list = NULL;
    float *answer_in = NULL, *answer_out = NULL;
    recon_exchange x = { 0 };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &want, wanted, sizeof *want));
    RECON_TRY(recon_alloc_raw(ctx, &answer_in, wanted, d * sizeof *answer_in));
    held_by(ctx, to, n, which, m, want);
    RECON_TRY(recon_exchange_recv(ctx, &x, &asked, sizeof asked, from));
    RECON_TRY(recon_exchange_send(ctx, &x, &wanted, sizeof wanted, to));
    RECON_TRY(recon_exchange_wait(ctx, &x));
    RECON_TRY(recon_alloc_raw(ctx, &list, asked, sizeof *list));
    RECON_TRY(recon_alloc_raw(ctx, &answer_out, asked, d * sizeof *answer_out));
    RECON_TRY(recon_exchange_recv(ctx, &x, list, asked * sizeof *list, from));
    RECON_TRY(recon_exchange_send(ctx, &x, want, wanted * sizeof *want, to));
    RECON_TRY(recon_exchange_wait(ctx, &x));
    for (size_t i = 0; i < asked; i++)
        memcpy(answer_out + i * d, z + (size_t)list[i] * d, d * sizeof *z);
    RECON_TRY(recon_exchange_recv(ctx, &x, answer_in, wanted * d * sizeof *answer_in, to));
    RECON_TRY(recon_exchange_send(ctx, &x, answer_out, asked * d * sizeof *answer_out, from));
    RECON_TRY(recon_exchange_wait(ctx, &x));
    for (size_t i = 0; i < m; i++)
        if ((size_t)which[i] >= theirs.begin && (size_t)which[i] < theirs.end)
            memcpy(out + i * d, answer_in + at++ * d, d * sizeof *out);
done:
    recon_exchange_close(ctx, &x);
    recon_free_all(want, list, answer_in, answer_out);
    return status;
}

recon_status recon_ring_rows(recon_ctx *ctx, float *out, const int64_t *which, size_t m,
                             const float *z, size_t n, size_t d)
{
    recon_share own = recon_comm_own(ctx, n, RECON_TILE);
    for (size_t i = 0; i < m; i++)
        if ((size_t)which[i] >= own.begin && (size_t)which[i] < own.end)
            memcpy(out + i * d, z + (size_t)which[i] * d, d * sizeof *out);
    for (int step = 1; step < recon_comm_size(ctx); step++)
        RECON_CHECK(ask(ctx, out, which, m, z, n, d, step));
    return RECON_OK;
}
