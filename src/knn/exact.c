/* exact.c - exact k-nearest neighbours by tiles of a matrix product.
 *
 * A tile of scores serves its rows and its columns, so all pairs cost half the products. Tiles may
 * run in any order and on any thread: the lists they feed hold every candidate that could win, and
 * the final choice is made by exact scores, so the answer is the same whatever the order. */
#include "knn/search.h"
#include "knn/lists.h"
#include "comm/comm.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#define RUN 16 /* tiles of rows per task: packing the columns then costs next to nothing */

typedef struct {
    size_t k;
    int include_self;
    recon_tally tally;
    recon_lists lists; /* of every row */
    recon_neighbor *out;
} self_search;

/* A tile with itself: every pair is there twice, so rows alone are served. */
static recon_status scan_diagonal(recon_ctx *ctx, self_search *s, recon_sweep *sweep,
                                  recon_neighbor *scratch)
{
    size_t tile = sweep->begin / RECON_TILE, next = 0, count, kept;
    recon_shortlist rows = recon_lists_tile(&s->lists, tile);
    recon_status status = RECON_OK;
    while (next < rows.count) {
        status = recon_sweep_scan(ctx, sweep, s->lists.p, tile, rows.floor, NULL, &next, &count);
        if (status != RECON_OK)
            return status;
        kept = 0;
        for (size_t h = 0; h < count; h++)
            if (s->include_self || sweep->hits[h].row != sweep->hits[h].col)
                sweep->hits[kept++] = sweep->hits[h];
        recon_lists_push(sweep, kept, s->lists.p->shift + rows.begin, rows.begin, &rows, NULL,
                         scratch);
    }
    return status;
}

static recon_status diagonal_task(recon_ctx *ctx, void *arg, size_t tile, int worker)
{
    self_search *s = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_sweep sweep;
    recon_neighbor *scratch;
    size_t rows;
    RECON_CHECK(recon_arena_take(ctx, arena, &scratch, s->lists.all.capacity, sizeof *scratch));
    RECON_CHECK(recon_sweep_begin(ctx, &sweep, arena, s->lists.p, tile, &s->tally));
    RECON_CHECK(recon_sweep_scores(ctx, &sweep, s->lists.p, tile, 0, &rows));
    RECON_CHECK(scan_diagonal(ctx, s, &sweep, scratch));
    recon_progress_add(ctx, 1);
    return RECON_OK;
}

/* Tasks off the diagonal: for each tile of columns, runs of the tiles of rows before it. */
static void find_run(size_t index, size_t *col_tile, size_t *first)
{
    size_t j = 1, runs = 1;
    while (index >= runs) {
        index -= runs;
        j++;
        runs = (j + RUN - 1) / RUN;
    }
    *col_tile = j;
    *first = index * RUN;
}

static size_t count_runs(size_t tiles)
{
    size_t runs = 0;
    for (size_t j = 1; j < tiles; j++)
        runs += (j + RUN - 1) / RUN;
    return runs;
}

static recon_status run_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    self_search *s = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_sweep sweep;
    recon_neighbor *scratch;
    size_t col_tile, first, rows;
    find_run(index, &col_tile, &first);
    RECON_CHECK(recon_arena_take(ctx, arena, &scratch, s->lists.all.capacity, sizeof *scratch));
    RECON_CHECK(recon_sweep_begin(ctx, &sweep, arena, s->lists.p, col_tile, &s->tally));
    for (size_t i = first; i < first + RUN && i < col_tile; i++) {
        RECON_CHECK(recon_sweep_scores(ctx, &sweep, s->lists.p, i, 1, &rows));
        RECON_CHECK(recon_lists_scan(ctx, &sweep, &s->lists, i, &s->lists, scratch));
        RECON_CHECK(recon_comm_poll(ctx, worker));
        recon_progress_add(ctx, 1);
    }
    return RECON_OK;
}

static recon_status finish_task(recon_ctx *ctx, void *arg, size_t tile, int worker)
{
    self_search *s = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_shortlist rows = recon_lists_tile(&s->lists, tile);
    recon_neighbor *found;
    RECON_CHECK(recon_arena_take(ctx, arena, &found, rows.capacity, sizeof *found));
    for (size_t i = 0; i < rows.count; i++) {
        recon_shortlist_fetch(&rows, i + 1);
        recon_shortlist_take(&rows, i, found);
        memcpy(s->out + (rows.begin + i) * s->k, found, s->k * sizeof *found);
    }
    return RECON_OK;
}

static recon_status self_on_host(recon_ctx *ctx, recon_neighbor *out, const recon_points *p,
                                 size_t k, int include_self)
{
    self_search s = { .k = k, .include_self = include_self, .out = out };
    size_t tiles = recon_tile_count(p->n);
    recon_status status;
    RECON_TRY(recon_lists_make(ctx, &s.lists, p, p, k));
    recon_progress_begin(ctx, "neighbours", tiles * (tiles + 1) / 2);
    RECON_TRY(recon_parallel(ctx, diagonal_task, &s, tiles)); /* floors rise everywhere first */
    RECON_TRY(recon_parallel(ctx, run_task, &s, count_runs(tiles)));
    RECON_TRY(recon_parallel(ctx, finish_task, &s, tiles));
    recon_progress_end(ctx);
done:
    recon_lists_free(&s.lists);
    return status;
}

/* What does not fit into a device's memory is searched here. */
static int is_answered(recon_ctx *ctx, recon_status status)
{
    if (status != RECON_ERR_MEMORY)
        return 1;
    recon_log(ctx, RECON_LOG_WARN, "%s: searching on the host", recon_ctx_message(ctx));
    return 0;
}

recon_status recon_exact_self(recon_ctx *ctx, recon_neighbor *out, const recon_points *p, size_t k,
                              int include_self)
{
    if (recon_device_takes(ctx, p, p, k)) {
        recon_status status = recon_device_self(ctx, out, p, k, include_self);
        if (is_answered(ctx, status))
            return status;
    }
    return self_on_host(ctx, out, p, k, include_self);
}

/* Queries against an index: tiles of queries are the packed columns, the index streams past. Few
 * queries are shared out over parts of the index, whose findings are merged. */
typedef struct {
    const recon_points *queries, *p;
    size_t k, parts, part_tiles, first;
    int shows; /* progress is counted in tiles here, not by the caller */
    recon_tally tally;
    const recon_neighbor *known; /* [queries][k] */
    recon_neighbor *found;       /* [queries][parts][k], unused places have score -inf */
} query_search;

/* --- few queries: one product of bytes a row costs less than the tiles */

#define FEW       ((size_t)24)   /* queries */
#define FEW_TILES ((size_t)1024) /* tiles of one query: what a thread is worth waking for */

typedef struct {
    const query_search *search;
    recon_shortlist *lists;
    int16_t *query;   /* [FEW][d] */
    int32_t *product; /* [RECON_TILE] */
    recon_neighbor *scratch;
} few_scan;

static int are_few(const query_search *s)
{
    return s->p->bytes && s->queries->bytes && s->queries->n <= FEW;
}

/* What a product of bytes must reach for the list's floor. */
static float few_floor(const few_scan *f, size_t q)
{
    const recon_points *queries = f->search->queries;
    double error = recon_points_coarse_error(queries, q, f->search->p);
    return recon_float_below((float)((double)f->lists->floor[q] - error));
}

static void scan_few(const few_scan *f, size_t begin, size_t n, size_t q)
{
    const recon_points *p = f->search->p, *queries = f->search->queries;
    float step = queries->step[q], floor = few_floor(f, q);
    recon_points_coarse(f->product, p, begin, n, f->query + q * p->d);
    for (size_t i = 0; i < n; i++) {
        size_t row = begin + i;
        if ((float)f->product[i] * p->step[row] * step - p->shift[row] < floor)
            continue;
        float score = recon_points_product(p, row, queries, q) - p->shift[row];
        if (score >= f->lists->floor[q]) {
            recon_shortlist_push(f->lists, q, score, (uint32_t)row, f->scratch);
            floor = few_floor(f, q);
        }
    }
}

static recon_status search_few(recon_ctx *ctx, query_search *s, recon_shortlist *lists, size_t part,
                               recon_neighbor *scratch, int worker)
{
    recon_arena *arena = recon_worker_arena(ctx, worker);
    few_scan f = { .search = s, .lists = lists, .scratch = scratch };
    size_t d = s->p->d, end = (part + 1) * s->part_tiles * RECON_TILE;
    RECON_CHECK(recon_arena_take(ctx, arena, &f.query, s->queries->n, d * sizeof *f.query));
    RECON_CHECK(recon_arena_take(ctx, arena, &f.product, RECON_TILE, sizeof *f.product));
    for (size_t i = 0; i < s->queries->n * d; i++)
        f.query[i] = s->queries->bytes[i];
    end = end < s->p->n ? end : s->p->n;
    for (size_t at = part * s->part_tiles * RECON_TILE; at < end; at += RECON_TILE) {
        for (size_t q = 0; q < s->queries->n; q++)
            scan_few(&f, at, end - at < RECON_TILE ? end - at : RECON_TILE, q);
        if (s->shows)
            recon_progress_add(ctx, 1);
        RECON_CHECK(recon_interrupted(ctx));
    }
    return RECON_OK;
}

static recon_status search_part(recon_ctx *ctx, query_search *s, recon_shortlist *lists,
                                recon_sweep *sweep, size_t part, recon_neighbor *scratch,
                                int worker)
{
    size_t tiles = recon_tile_count(s->p->n), next, count, rows;
    size_t end = (part + 1) * s->part_tiles < tiles ? (part + 1) * s->part_tiles : tiles;
    size_t first = part * s->part_tiles;
    for (size_t tile = first; tile < end; tile++) {
        RECON_CHECK(recon_sweep_scores(ctx, sweep, s->p, tile,
                                       tile > first || lists->floor[0] > -INFINITY, &rows));
        for (next = 0; next < rows;) {
            RECON_CHECK(
                recon_sweep_scan(ctx, sweep, s->p, tile, NULL, lists->floor, &next, &count));
            for (size_t h = 0; h < count; h++) {
                size_t index = tile * RECON_TILE + sweep->hits[h].row, q = sweep->hits[h].col;
                float score = sweep->hits[h].score - s->p->shift[index];
                if (score >= lists->floor[q])
                    recon_shortlist_push(lists, q, score, (uint32_t)index, scratch);
            }
        }
        RECON_CHECK(recon_comm_poll(ctx, worker));
        if (s->shows)
            recon_progress_add(ctx, 1);
    }
    return RECON_OK;
}

static recon_status query_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    query_search *s = arg;
    size_t tile = index / s->parts, part = index % s->parts;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_sweep sweep;
    recon_neighbor *scratch;
    recon_shortlist l = {
        .rows = s->queries, .points = s->p, .k = s->k, .capacity = recon_shortlist_capacity(s->k)
    };
    l.begin = tile * RECON_TILE;
    l.count = s->queries->n - l.begin < RECON_TILE ? s->queries->n - l.begin : RECON_TILE;
    RECON_CHECK(recon_arena_take(ctx, arena, &scratch, l.capacity, sizeof *scratch));
    RECON_CHECK(recon_arena_take(ctx, arena, &l.floor, l.count, sizeof *l.floor));
    RECON_CHECK(recon_arena_take(ctx, arena, &l.used, l.count, sizeof *l.used));
    RECON_CHECK(
        recon_arena_take(ctx, arena, &l.candidates, l.count * l.capacity, sizeof *l.candidates));
    recon_shortlist_clear(&l);
    for (size_t q = 0; q < l.count; q++)
        l.floor[q] = recon_shortlist_floor(s->queries, l.begin + q, s->p,
                                           s->known[(l.begin + q) * s->k + s->k - 1].score);
    if (are_few(s)) {
        RECON_CHECK(search_few(ctx, s, &l, part, scratch, worker));
    } else {
        RECON_CHECK(recon_sweep_begin(ctx, &sweep, arena, s->queries, tile, &s->tally));
        if (!s->p->w)
            RECON_CHECK(recon_arena_take(ctx, arena, &sweep.made, RECON_TILE,
                                         s->p->d * sizeof *sweep.made));
        RECON_CHECK(search_part(ctx, s, &l, &sweep, part, scratch, worker));
    }
    for (size_t q = 0; q < l.count; q++) {
        recon_neighbor *to = s->found + ((l.begin + q) * s->parts + part) * s->k;
        recon_shortlist_take(&l, q, scratch);
        for (size_t i = 0; i < l.used[q] && i < s->k; i++)
            to[i] = (recon_neighbor){ scratch[i].score, scratch[i].index + (uint32_t)s->first };
    }
    return RECON_OK;
}

static recon_status search(recon_ctx *ctx, query_search *s, recon_neighbor *out)
{
    size_t n = s->queries->n, k = s->k;
    size_t query_tiles = recon_tile_count(n), tiles = recon_tile_count(s->p->n);
    recon_neighbor *scratch = NULL;
    recon_status status = RECON_OK;
    if (n == 0 || s->p->n == 0)
        return RECON_OK;
    s->known = out;
    /* As few parts as keep every thread busy: each part starts with low floors. */
    size_t wanted = are_few(s) ? n * tiles / FEW_TILES + 1 : SIZE_MAX;
    size_t threads = (size_t)recon_ctx_threads(ctx), busy = threads > 1 ? 4 * threads : 1;
    wanted = wanted < busy ? wanted : busy;
    size_t parts = query_tiles >= wanted ? 1 : (wanted + query_tiles - 1) / query_tiles;
    s->parts = parts < tiles ? parts : tiles;
    s->part_tiles = (tiles + s->parts - 1) / s->parts;
    RECON_TRY(recon_alloc_raw(ctx, &s->found, n * s->parts, k * sizeof *s->found));
    RECON_TRY(recon_alloc_raw(ctx, &scratch, k, sizeof *scratch));
    recon_neighbors_clear(s->found, n * s->parts * k);
    RECON_TRY(recon_parallel(ctx, query_task, s, query_tiles * s->parts));
    for (size_t q = 0; q < n; q++) {
        /* What every part has found, into what was known. */
        for (size_t part = 0; part < s->parts; part++)
            recon_neighbors_merge(out + q * s->k, s->k, s->found + (q * s->parts + part) * s->k,
                                  s->k, scratch);
    }
done:
    recon_free_all(s->found, scratch);
    return status;
}

recon_status recon_exact_search_on(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                   const recon_points *p, size_t first, size_t k)
{
    return search(ctx, &(query_search){ .queries = queries, .p = p, .k = k, .first = first }, out);
}

static recon_status more_on_device(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                   const recon_points *p, size_t first, size_t k)
{
    size_t n = queries->n;
    recon_neighbor *found = NULL, *scratch = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &found, n * k, sizeof *found));
    RECON_TRY(recon_alloc_raw(ctx, &scratch, k, sizeof *scratch));
    recon_progress_hold(ctx); /* the device counts tiles of its own */
    status = recon_device_search(ctx, found, queries, p, k);
    recon_progress_release(ctx);
    RECON_TRY(status);
    for (size_t i = 0; i < n * k; i++)
        found[i].index += (uint32_t)first;
    for (size_t i = 0; i < n; i++)
        recon_neighbors_merge(out + i * k, k, found + i * k, k, scratch);
done:
    recon_free_all(found, scratch);
    return status;
}

recon_status recon_exact_search_more(recon_ctx *ctx, recon_neighbor *out,
                                     const recon_points *queries, const recon_points *p,
                                     size_t first, size_t k)
{
    if (recon_device_takes(ctx, queries, p, k)) {
        recon_status status = more_on_device(ctx, out, queries, p, first, k);
        if (is_answered(ctx, status))
            return status;
    }
    return recon_exact_search_on(ctx, out, queries, p, first, k);
}

static recon_status search_on_host(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                   const recon_points *p, size_t k)
{
    query_search s = { .queries = queries, .p = p, .k = k, .shows = 1 };
    recon_neighbors_clear(out, queries->n * k);
    recon_progress_begin(ctx, "neighbours", recon_tile_count(queries->n) * recon_tile_count(p->n));
    RECON_CHECK(search(ctx, &s, out));
    recon_progress_end(ctx);
    return RECON_OK;
}

recon_status recon_exact_search(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                const recon_points *p, size_t k)
{
    if (recon_device_takes(ctx, queries, p, k)) {
        recon_status status = recon_device_search(ctx, out, queries, p, k);
        if (is_answered(ctx, status))
            return status;
    }
    return search_on_host(ctx, out, queries, p, k);
}
