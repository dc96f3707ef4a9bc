/* exact.c - exact k-nearest neighbours by tiles of a matrix product.
 *
 * A tile of scores serves its rows and its columns, so all pairs cost half the products. Tiles may
 * run in any order and on any thread: the lists they feed hold every candidate that could win, and
 * the final choice is made by exact scores, so the answer is the same whatever the order. */
#include "knn/exact.h"
#include "knn/tiles.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define RUN 16 /* tiles of rows per task: packing the columns then costs next to nothing */

typedef struct {
    const recon_points *p;
    size_t k, tiles;
    int include_self;
    recon_tally tally;
    recon_shortlist all;   /* the lists of every row */
    pthread_mutex_t *lock; /* [tiles] a tile of rows has one owner at a time */
    recon_neighbor *out;
} self_search;

/* The lists of one tile of rows. */
static recon_shortlist lists_of(const self_search *s, size_t tile)
{
    recon_shortlist part = s->all;
    size_t begin = tile * RECON_TILE;
    part.begin = begin;
    part.count = s->p->n - begin < RECON_TILE ? s->p->n - begin : RECON_TILE;
    part.floor += begin;
    part.used += begin;
    part.candidates += begin * part.capacity;
    return part;
}

/* Each hit goes to its row's list and to its column's, if it passes there. */
static void push_hits(recon_sweep *sweep, size_t count, const float *row_shift,
                      recon_shortlist *rows, recon_shortlist *cols, recon_neighbor *scratch)
{
    const float *col_shift = sweep->cols->shift + sweep->begin;
    for (size_t h = 0; h < count; h++) {
        recon_hit hit = sweep->hits[h];
        float for_row = hit.score - col_shift[hit.col], for_col = hit.score - row_shift[hit.row];
        if (rows && for_row >= rows->floor[hit.row])
            recon_shortlist_push(rows, hit.row, for_row, (uint32_t)(sweep->begin + hit.col),
                                 scratch);
        if (cols && for_col >= cols->floor[hit.col])
            recon_shortlist_push(cols, hit.col, for_col, (uint32_t)(rows->begin + hit.row),
                                 scratch);
    }
}

static recon_status scan_pair(recon_ctx *ctx, self_search *s, recon_sweep *sweep, size_t row_tile,
                              recon_neighbor *scratch)
{
    size_t col_tile = sweep->begin / RECON_TILE, next = 0, count;
    recon_shortlist rows = lists_of(s, row_tile), cols = lists_of(s, col_tile);
    recon_status status = RECON_OK;
    pthread_mutex_lock(&s->lock[row_tile]); /* row_tile < col_tile: always in this order */
    pthread_mutex_lock(&s->lock[col_tile]);
    while (status == RECON_OK && next < rows.count) {
        status =
            recon_sweep_scan(ctx, sweep, s->p, row_tile, rows.floor, cols.floor, &next, &count);
        if (status == RECON_OK)
            push_hits(sweep, count, s->p->shift + rows.begin, &rows, &cols, scratch);
    }
    pthread_mutex_unlock(&s->lock[col_tile]);
    pthread_mutex_unlock(&s->lock[row_tile]);
    return status;
}

/* A tile with itself: every pair is there twice, so rows alone are served. */
static recon_status scan_diagonal(recon_ctx *ctx, self_search *s, recon_sweep *sweep,
                                  recon_neighbor *scratch)
{
    size_t tile = sweep->begin / RECON_TILE, next = 0, count, kept;
    recon_shortlist rows = lists_of(s, tile);
    recon_status status = RECON_OK;
    while (next < rows.count) {
        status = recon_sweep_scan(ctx, sweep, s->p, tile, rows.floor, NULL, &next, &count);
        if (status != RECON_OK)
            return status;
        kept = 0;
        for (size_t h = 0; h < count; h++)
            if (s->include_self || sweep->hits[h].row != sweep->hits[h].col)
                sweep->hits[kept++] = sweep->hits[h];
        push_hits(sweep, kept, s->p->shift + rows.begin, &rows, NULL, scratch);
    }
    return status;
}

static recon_status diagonal_task(recon_ctx *ctx, void *arg, size_t tile, int worker)
{
    self_search *s = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    recon_sweep sweep;
    recon_neighbor *scratch;
    recon_status status;
    size_t rows;
    RECON_TRY(recon_arena_take(ctx, arena, &scratch, s->all.capacity, sizeof *scratch));
    RECON_TRY(recon_sweep_begin(ctx, &sweep, arena, s->p, tile, &s->tally));
    RECON_TRY(recon_sweep_scores(ctx, &sweep, s->p, tile, 0, &rows));
    RECON_TRY(scan_diagonal(ctx, s, &sweep, scratch));
    recon_progress_add(ctx, 1);
done:
    recon_arena_release(arena, mark);
    return status;
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
    recon_mark mark = recon_arena_mark(arena);
    recon_sweep sweep;
    recon_neighbor *scratch;
    recon_status status;
    size_t col_tile, first, rows;
    find_run(index, &col_tile, &first);
    RECON_TRY(recon_arena_take(ctx, arena, &scratch, s->all.capacity, sizeof *scratch));
    RECON_TRY(recon_sweep_begin(ctx, &sweep, arena, s->p, col_tile, &s->tally));
    for (size_t i = first; i < first + RUN && i < col_tile; i++) {
        RECON_TRY(recon_sweep_scores(ctx, &sweep, s->p, i, 1, &rows));
        RECON_TRY(scan_pair(ctx, s, &sweep, i, scratch));
        recon_progress_add(ctx, 1);
    }
done:
    recon_arena_release(arena, mark);
    return status;
}

static recon_status finish_task(recon_ctx *ctx, void *arg, size_t tile, int worker)
{
    self_search *s = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    recon_shortlist rows = lists_of(s, tile);
    recon_neighbor *found;
    recon_status status;
    RECON_TRY(recon_arena_take(ctx, arena, &found, rows.capacity, sizeof *found));
    for (size_t i = 0; i < rows.count; i++) {
        recon_shortlist_take(&rows, i, found);
        memcpy(s->out + (rows.begin + i) * s->k, found, s->k * sizeof *found);
    }
done:
    recon_arena_release(arena, mark);
    return status;
}

static recon_status make_lists(recon_ctx *ctx, recon_shortlist *l, const recon_points *rows,
                               const recon_points *points, size_t k)
{
    recon_status status;
    *l = (recon_shortlist){ .rows = rows,
                            .points = points,
                            .count = rows->n,
                            .k = k,
                            .capacity = recon_shortlist_capacity(k) };
    RECON_TRY(recon_alloc_raw(ctx, &l->floor, l->count, sizeof *l->floor));
    RECON_TRY(recon_alloc_raw(ctx, &l->used, l->count, sizeof *l->used));
    RECON_TRY(recon_alloc_raw(ctx, &l->candidates, l->count, l->capacity * sizeof *l->candidates));
    recon_shortlist_clear(l);
done:
    return status;
}

static void free_lists(recon_shortlist *l)
{
    free(l->floor);
    free(l->used);
    free(l->candidates);
}

recon_status recon_exact_self(recon_ctx *ctx, recon_neighbor *out, const recon_points *p, size_t k,
                              int include_self)
{
    self_search s = {
        .p = p, .k = k, .tiles = recon_tile_count(p->n), .include_self = include_self, .out = out
    };
    recon_status status;
    RECON_TRY(make_lists(ctx, &s.all, p, p, k));
    RECON_TRY(recon_alloc(ctx, &s.lock, s.tiles, sizeof *s.lock));
    for (size_t i = 0; i < s.tiles; i++)
        pthread_mutex_init(&s.lock[i], NULL);
    recon_progress_begin(ctx, "neighbours", s.tiles * (s.tiles + 1) / 2);
    RECON_TRY(recon_parallel(ctx, diagonal_task, &s, s.tiles)); /* floors rise everywhere first */
    RECON_TRY(recon_parallel(ctx, run_task, &s, count_runs(s.tiles)));
    RECON_TRY(recon_parallel(ctx, finish_task, &s, s.tiles));
    recon_progress_end(ctx);
done:
    for (size_t i = 0; s.lock && i < s.tiles; i++)
        pthread_mutex_destroy(&s.lock[i]);
    free(s.lock);
    free_lists(&s.all);
    return status;
}

/* Queries against an index: tiles of queries are the packed columns, the index streams past. Few
 * queries are shared out over parts of the index, whose findings are merged. */
typedef struct {
    const recon_points *queries, *p;
    size_t k, parts, part_tiles;
    recon_tally tally;
    recon_neighbor *found; /* [queries][parts][k], unused places have score -inf */
} query_search;

static recon_status search_part(recon_ctx *ctx, query_search *s, recon_shortlist *lists,
                                recon_sweep *sweep, size_t part, recon_neighbor *scratch)
{
    size_t tiles = recon_tile_count(s->p->n), next, count, rows;
    size_t end = (part + 1) * s->part_tiles < tiles ? (part + 1) * s->part_tiles : tiles;
    recon_status status = RECON_OK;
    size_t first = part * s->part_tiles;
    for (size_t tile = first; tile < end; tile++) {
        RECON_TRY(recon_sweep_scores(ctx, sweep, s->p, tile, tile > first, &rows));
        for (next = 0; next < rows;) {
            RECON_TRY(recon_sweep_scan(ctx, sweep, s->p, tile, NULL, lists->floor, &next, &count));
            for (size_t h = 0; h < count; h++) {
                size_t index = tile * RECON_TILE + sweep->hits[h].row, q = sweep->hits[h].col;
                float score = sweep->hits[h].score - s->p->shift[index];
                if (score >= lists->floor[q])
                    recon_shortlist_push(lists, q, score, (uint32_t)index, scratch);
            }
        }
        recon_progress_add(ctx, 1);
    }
done:
    return status;
}

static void store_found(query_search *s, recon_shortlist *lists, size_t part,
                        recon_neighbor *scratch)
{
    for (size_t q = 0; q < lists->count; q++) {
        recon_neighbor *to = s->found + ((lists->begin + q) * s->parts + part) * s->k;
        recon_shortlist_take(lists, q, scratch);
        memcpy(to, scratch, (lists->used[q] < s->k ? lists->used[q] : s->k) * sizeof *to);
    }
}

static recon_status query_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    query_search *s = arg;
    size_t tile = index / s->parts, part = index % s->parts;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    recon_sweep sweep;
    recon_neighbor *scratch;
    recon_shortlist l = {
        .rows = s->queries, .points = s->p, .k = s->k, .capacity = recon_shortlist_capacity(s->k)
    };
    recon_status status;
    RECON_TRY(recon_sweep_begin(ctx, &sweep, arena, s->queries, tile, &s->tally));
    l.begin = sweep.begin;
    l.count = sweep.count;
    RECON_TRY(recon_arena_take(ctx, arena, &scratch, l.capacity, sizeof *scratch));
    RECON_TRY(recon_arena_take(ctx, arena, &l.floor, l.count, sizeof *l.floor));
    RECON_TRY(recon_arena_take(ctx, arena, &l.used, l.count, sizeof *l.used));
    RECON_TRY(
        recon_arena_take(ctx, arena, &l.candidates, l.count * l.capacity, sizeof *l.candidates));
    recon_shortlist_clear(&l);
    RECON_TRY(search_part(ctx, s, &l, &sweep, part, scratch));
    store_found(s, &l, part, scratch);
done:
    recon_arena_release(arena, mark);
    return status;
}

/* As few parts as keep every thread busy: each part starts with low floors. */
static size_t choose_parts(size_t query_tiles, size_t index_tiles, int threads)
{
    size_t wanted = 4 * (size_t)threads;
    size_t parts = query_tiles >= wanted ? 1 : (wanted + query_tiles - 1) / query_tiles;
    return parts < index_tiles ? parts : index_tiles;
}

recon_status recon_exact_search(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                const recon_points *p, size_t k)
{
    size_t query_tiles = recon_tile_count(queries->n), tiles = recon_tile_count(p->n);
    query_search s = { .queries = queries, .p = p, .k = k };
    recon_status status = RECON_OK;
    if (queries->n == 0)
        return RECON_OK;
    s.parts = choose_parts(query_tiles, tiles, recon_ctx_threads(ctx));
    s.part_tiles = (tiles + s.parts - 1) / s.parts;
    RECON_TRY(recon_alloc_raw(ctx, &s.found, queries->n * s.parts, k * sizeof *s.found));
    for (size_t i = 0; i < queries->n * s.parts * k; i++)
        s.found[i] = (recon_neighbor){ -INFINITY, UINT32_MAX };
    recon_progress_begin(ctx, "neighbours", query_tiles * tiles);
    RECON_TRY(recon_parallel(ctx, query_task, &s, query_tiles * s.parts));
    recon_progress_end(ctx);
    for (size_t q = 0; q < queries->n; q++) {
        recon_neighbor *all = s.found + q * s.parts * k;
        if (s.parts > 1)
            recon_neighbors_sort(all, s.parts * k);
        memcpy(out + q * k, all, k * sizeof *out);
    }
done:
    free(s.found);
    return status;
}
