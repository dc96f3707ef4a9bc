/* lists.c - see lists.h. */
#include "knn/lists.h"
#include "core/fail.h"
#include "core/memory.h"

recon_shortlist recon_lists_tile(const recon_lists *lists, size_t tile)
{
    recon_shortlist part = lists->all;
    size_t begin = tile * RECON_TILE;
    part.begin = begin;
    part.count = lists->p->n - begin < RECON_TILE ? lists->p->n - begin : RECON_TILE;
    part.floor += begin;
    part.used += begin;
    part.candidates += begin * part.capacity;
    return part;
}

void recon_lists_push(recon_sweep *sweep, size_t count, const float *row_shift, size_t first_row,
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
            recon_shortlist_push(cols, hit.col, for_col, (uint32_t)(first_row + hit.row), scratch);
    }
}

recon_status recon_lists_scan(recon_ctx *ctx, recon_sweep *sweep, recon_lists *rows,
                              size_t row_tile, recon_lists *cols, recon_neighbor *scratch)
{
    size_t col_tile = sweep->begin / RECON_TILE, next = 0, count;
    recon_shortlist row = recon_lists_tile(rows, row_tile), col = recon_lists_tile(cols, col_tile);
    recon_status status = RECON_OK;
    pthread_mutex_lock(&rows->lock[row_tile]); /* always in this order */
    pthread_mutex_lock(&cols->lock[col_tile]);
    while (status == RECON_OK && next < row.count) {
        status =
            recon_sweep_scan(ctx, sweep, rows->p, row_tile, row.floor, col.floor, &next, &count);
        if (status == RECON_OK)
            recon_lists_push(sweep, count, rows->p->shift + row.begin, row.begin, &row, &col,
                             scratch);
    }
    pthread_mutex_unlock(&cols->lock[col_tile]);
    pthread_mutex_unlock(&rows->lock[row_tile]);
    return status;
}

recon_status recon_lists_make(recon_ctx *ctx, recon_lists *out, const recon_points *p,
                              const recon_points *points, size_t k)
{
    *out = (recon_lists){ .p = p, .tiles = recon_tile_count(p->n) };
    out->all = (recon_shortlist){
        .rows = p, .points = points, .count = p->n, .k = k, .capacity = recon_shortlist_capacity(k)
    };
    recon_shortlist *l = &out->all;
    RECON_CHECK(recon_alloc_raw(ctx, &l->floor, l->count, sizeof *l->floor));
    RECON_CHECK(recon_alloc_raw(ctx, &l->used, l->count, sizeof *l->used));
    RECON_CHECK(
        recon_alloc_raw(ctx, &l->candidates, l->count, l->capacity * sizeof *l->candidates));
    RECON_CHECK(recon_alloc(ctx, &out->lock, out->tiles, sizeof *out->lock));
    for (size_t i = 0; i < out->tiles; i++)
        pthread_mutex_init(&out->lock[i], NULL);
    recon_shortlist_clear(l);
    return RECON_OK;
}

void recon_lists_free(recon_lists *lists)
{
    for (size_t i = 0; lists->lock && i < lists->tiles; i++)
        pthread_mutex_destroy(&lists->lock[i]);
    recon_free_all(lists->lock, lists->all.floor, lists->all.used, lists->all.candidates);
    *lists = (recon_lists){ 0 };
}
