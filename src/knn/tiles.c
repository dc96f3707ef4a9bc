/* tiles.c - packing, products and scans. */
#include "knn/tiles.h"
#include "core/fail.h"

#include <math.h>

#define HITS ((size_t)8192)

static void pack(float *out, const float *rows, size_t n, size_t d)
{
    enum { SIDE = 16 };
    for (size_t i0 = 0; i0 < n; i0 += SIDE)
        for (size_t c0 = 0; c0 < d; c0 += SIDE)
            for (size_t c = c0; c < d && c < c0 + SIDE; c++)
                for (size_t i = i0; i < n && i < i0 + SIDE; i++)
                    out[c * n + i] = rows[i * d + c];
}

static size_t tile_rows(const recon_points *p, size_t tile)
{
    size_t left = p->n - tile * RECON_TILE;
    return left < RECON_TILE ? left : RECON_TILE;
}

recon_status recon_sweep_begin(recon_ctx *ctx, recon_sweep *out, recon_arena *arena,
                               const recon_points *cols, size_t tile)
{
    recon_status status;
    *out = (recon_sweep){
        .cols = cols, .begin = tile * RECON_TILE, .count = tile_rows(cols, tile), .capacity = HITS
    };
    RECON_TRY(recon_arena_take(ctx, arena, &out->packed, cols->d * out->count, sizeof(float)));
    RECON_TRY(recon_arena_take(ctx, arena, &out->scores, RECON_TILE * out->count, sizeof(float)));
    RECON_TRY(recon_arena_take(ctx, arena, &out->infinite, RECON_TILE, sizeof(float)));
    RECON_TRY(recon_arena_take(ctx, arena, &out->hits, HITS, sizeof *out->hits));
    for (size_t i = 0; i < RECON_TILE; i++)
        out->infinite[i] = INFINITY;
    pack(out->packed, cols->w + out->begin * cols->d, out->count, cols->d);
done:
    return status;
}

recon_status recon_sweep_scores(recon_ctx *ctx, recon_sweep *sweep, const recon_points *rows,
                                size_t tile, size_t *count)
{
    *count = tile_rows(rows, tile);
    return recon_ops_of(ctx)->gemm(ctx,
                                   &(recon_gemm_args){ .type = RECON_F32,
                                                       .m = *count,
                                                       .n = sweep->count,
                                                       .k = rows->d,
                                                       .alpha = 1,
                                                       .a = rows->w + tile * RECON_TILE * rows->d,
                                                       .lda = rows->d,
                                                       .b = sweep->packed,
                                                       .ldb = sweep->count,
                                                       .c = sweep->scores,
                                                       .ldc = sweep->count });
}

recon_status recon_sweep_scan(recon_ctx *ctx, recon_sweep *sweep, const recon_points *rows,
                              size_t tile, const float *row_floor, const float *col_floor,
                              size_t *next, size_t *count)
{
    return recon_ops_of(ctx)->topk(
        ctx, &(recon_topk_args){ .scores = sweep->scores,
                                 .ld = sweep->count,
                                 .rows = tile_rows(rows, tile),
                                 .cols = sweep->count,
                                 .row_floor = row_floor ? row_floor : sweep->infinite,
                                 .row_shift = rows->shift + tile * RECON_TILE,
                                 .col_floor = col_floor ? col_floor : sweep->infinite,
                                 .col_shift = sweep->cols->shift + sweep->begin,
                                 .hits = sweep->hits,
                                 .capacity = sweep->capacity,
                                 .count = count,
                                 .next = next });
}
