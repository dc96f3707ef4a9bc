/* tiles.h - blocked scores of rows against columns, one tile at a time.
 *
 * The columns of a sweep are packed once, transposed, because products whose second matrix lies
 * row-wise run fastest; the rows then stream past.
 *
 * A coarse tile multiplies bytes, which is several times faster and has an error with a known
 * bound. Its scan lowers the floors by that bound, and entries that pass are scored again exactly,
 * so a caller gets the same hits from either. If too many pass (many points closer together than
 * bytes resolve), the tally shows it and tiles are no longer coarse. */
#ifndef KNN_TILES_H
#define KNN_TILES_H

#include <stdatomic.h>
#include "knn/points.h"
#include "ops/ops.h"
#include "core/arena.h"

#define RECON_TILE 512 /* rows and columns of a tile: its scores stay in the second-level cache */

/* Shared by the sweeps of one search: whether coarse tiles are worth it now. */
typedef struct {
    atomic_uint share; /* of entries that passed, lately, in 1 / 65536 */
    atomic_uint turn;  /* tiles since */
} recon_tally;

typedef struct {
    const recon_points *cols;
    recon_tally *tally;
    size_t begin, count;          /* the columns of this sweep */
    float *packed;                /* [d][count] */
    int8_t *packed_bytes;         /* [d][count], NULL without bytes */
    void *scores;                 /* [RECON_TILE][count] float, or int32 when coarse */
    int coarse;                   /* what the scores are just now */
    float *made;                  /* [RECON_TILE][d] rows that have no w; the caller's */
    float *infinite;              /* [RECON_TILE] a floor that nothing reaches */
    float *row_floor, *col_floor; /* [RECON_TILE] lowered floors */
    recon_hit *hits;
    size_t capacity;
} recon_sweep;

static inline size_t recon_tile_count(size_t n)
{
    return (n + RECON_TILE - 1) / RECON_TILE;
}

/* Packs tile `tile` of cols, with scratch from the arena (the caller's mark frees it). */
recon_status recon_sweep_begin(recon_ctx *ctx, recon_sweep *out, recon_arena *arena,
                               const recon_points *cols, size_t tile, recon_tally *tally);

/* Makes the scores w_row . w_col for tile `tile` of rows; *count is its number of rows. Coarse only
 * where the floors have risen already: everything passes a floor of minus infinity. */
recon_status recon_sweep_scores(recon_ctx *ctx, recon_sweep *sweep, const recon_points *rows,
                                size_t tile, int may_be_coarse, size_t *count);

/* The scan of ops.h over the scores just made. A floor that is NULL is infinite. Call until *next
 * equals the number of rows; *count hits are in sweep->hits after each call. */
recon_status recon_sweep_scan(recon_ctx *ctx, recon_sweep *sweep, const recon_points *rows,
                              size_t tile, const float *row_floor, const float *col_floor,
                              size_t *next, size_t *count);

#endif
