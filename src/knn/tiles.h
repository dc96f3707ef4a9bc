/* tiles.h - blocked scores of rows against columns, one tile at a time.
 *
 * The columns of a sweep are packed once, transposed, because products whose second matrix lies
 * row-wise run fastest; the rows then stream past. */
#ifndef KNN_TILES_H
#define KNN_TILES_H

#include "knn/points.h"
#include "ops/ops.h"
#include "core/arena.h"

#define RECON_TILE 512 /* rows and columns of a tile: its scores stay in the second-level cache */

typedef struct {
    const recon_points *cols;
    size_t begin, count; /* the columns of this sweep */
    float *packed;       /* [d][count] */
    float *scores;       /* [RECON_TILE][count] */
    float *infinite;     /* [RECON_TILE] a floor that nothing reaches */
    recon_hit *hits;
    size_t capacity;
} recon_sweep;

static inline size_t recon_tile_count(size_t n)
{
    return (n + RECON_TILE - 1) / RECON_TILE;
}

/* Packs tile `tile` of cols, with scratch from the arena (the caller's mark frees it). */
recon_status recon_sweep_begin(recon_ctx *ctx, recon_sweep *out, recon_arena *arena,
                               const recon_points *cols, size_t tile);

/* Fills scores with w_row . w_col for tile `tile` of rows; *count is its number of rows. */
recon_status recon_sweep_scores(recon_ctx *ctx, recon_sweep *sweep, const recon_points *rows,
                                size_t tile, size_t *count);

/* The scan of ops.h over the scores just made. A floor that is NULL is infinite. Call until *next
 * equals the number of rows; *count hits are in sweep->hits after each call. */
recon_status recon_sweep_scan(recon_ctx *ctx, recon_sweep *sweep, const recon_points *rows,
                              size_t tile, const float *row_floor, const float *col_floor,
                              size_t *next, size_t *count);

#endif
