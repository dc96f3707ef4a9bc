/* tiles.c - packing, products and scans. */
#include "knn/tiles.h"
#include "core/fail.h"

#define HITS  ((size_t)8192)
#define PAYS  4096 /* of 65536: a coarse tile pays while fewer of its entries pass */
#define RETRY 8    /* otherwise one tile in so many is coarse, to see whether it would */

enum { SIDE = 16 }; /* of the squares in which a block is transposed */

static void pack(float *out, const float *rows, size_t n, size_t d)
{
    for (size_t i0 = 0; i0 < n; i0 += SIDE)
        for (size_t c0 = 0; c0 < d; c0 += SIDE)
            for (size_t c = c0; c < d && c < c0 + SIDE; c++)
                for (size_t i = i0; i < n && i < i0 + SIDE; i++)
                    out[c * n + i] = rows[i * d + c];
}

static void pack_bytes(int8_t *out, const int8_t *rows, size_t n, size_t d)
{
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
                               const recon_points *cols, size_t tile, recon_tally *tally)
{
    size_t first = tile * RECON_TILE, n = tile_rows(cols, tile), d = cols->d;
    *out =
        (recon_sweep){ .cols = cols, .tally = tally, .begin = first, .count = n, .capacity = HITS };
    RECON_CHECK(recon_arena_take(ctx, arena, &out->packed, d * n, sizeof(float)));
    RECON_CHECK(recon_arena_take(ctx, arena, &out->scores, RECON_TILE * n, sizeof(float)));
    RECON_CHECK(recon_arena_take(ctx, arena, &out->infinite, RECON_TILE, sizeof(float)));
    RECON_CHECK(recon_arena_take(ctx, arena, &out->hits, HITS, sizeof *out->hits));
    pack(out->packed, cols->w + first * d, n, d);
    for (size_t i = 0; i < RECON_TILE; i++)
        out->infinite[i] = INFINITY;
    if (cols->bytes && recon_ops_on_host(ctx)->has_fast_bytes()) {
        RECON_CHECK(recon_arena_take(ctx, arena, &out->packed_bytes, d * n, 1));
        RECON_CHECK(recon_arena_take(ctx, arena, &out->row_floor, RECON_TILE, sizeof(float)));
        RECON_CHECK(recon_arena_take(ctx, arena, &out->col_floor, RECON_TILE, sizeof(float)));
        pack_bytes(out->packed_bytes, cols->bytes + first * d, n, d);
    }
    return RECON_OK;
}

static int coarse_pays(recon_tally *tally)
{
    return atomic_load(&tally->share) < PAYS || atomic_fetch_add(&tally->turn, 1) % RETRY == 0;
}

/* Moves the share an eighth of the way to what the last scan saw. */
static void count_hits(recon_tally *tally, size_t hits, size_t entries)
{
    size_t now = hits * 65536 / entries, before = atomic_load(&tally->share);
    atomic_store(&tally->share, (unsigned)((7 * before + now) / 8));
}

recon_status recon_sweep_scores(recon_ctx *ctx, recon_sweep *sweep, const recon_points *rows,
                                size_t tile, int may_be_coarse, size_t *count)
{
    size_t first = tile * RECON_TILE;
    *count = tile_rows(rows, tile);
    sweep->coarse = may_be_coarse && sweep->packed_bytes && coarse_pays(sweep->tally);
    recon_gemm_args g = { .type = RECON_F32,
                          .m = *count,
                          .n = sweep->count,
                          .k = rows->d,
                          .alpha = 1,
                          .a = sweep->coarse ? (const void *)(rows->bytes + first * rows->d)
                                             : recon_points_rows(rows, first, *count, sweep->made),
                          .lda = rows->d,
                          .b = sweep->packed,
                          .ldb = sweep->count,
                          .c = sweep->scores,
                          .ldc = sweep->count };
    if (sweep->coarse) {
        g.type = RECON_I8;
        g.b = sweep->packed_bytes;
    }
    return recon_ops_on_host(ctx)->gemm(ctx, &g);
}

static const float *lowered(float *out, const float *floor, const recon_points *p, size_t begin,
                            size_t n, const recon_points *other)
{
    for (size_t i = 0; i < n; i++) {
        double low = (double)floor[i] - recon_points_coarse_error(p, begin + i, other);
        out[i] = recon_float_below((float)low);
    }
    return out;
}

/* Hits of bytes get the score that a fine tile would have had. */
static void rescore(recon_sweep *sweep, const recon_points *rows, size_t first_row, size_t count)
{
    for (size_t h = 0; h < count; h++) {
        recon_hit *hit = &sweep->hits[h];
        hit->score =
            recon_points_product(rows, first_row + hit->row, sweep->cols, sweep->begin + hit->col);
    }
}

recon_status recon_sweep_scan(recon_ctx *ctx, recon_sweep *sweep, const recon_points *rows,
                              size_t tile, const float *row_floor, const float *col_floor,
                              size_t *next, size_t *count)
{
    const recon_points *cols = sweep->cols;
    size_t first = tile * RECON_TILE, n = tile_rows(rows, tile);
    recon_topk_args t = { .ld = sweep->count,
                          .rows = n,
                          .cols = sweep->count,
                          .row_floor = row_floor,
                          .row_shift = rows->shift + first,
                          .col_floor = col_floor,
                          .col_shift = cols->shift + sweep->begin,
                          .hits = sweep->hits,
                          .capacity = sweep->capacity,
                          .count = count,
                          .next = next };
    if (sweep->coarse) {
        t.bytes = sweep->scores;
        t.row_scale = rows->step + first;
        t.col_scale = cols->step + sweep->begin;
        if (row_floor)
            t.row_floor = lowered(sweep->row_floor, row_floor, rows, first, n, cols);
        if (col_floor)
            t.col_floor =
                lowered(sweep->col_floor, col_floor, cols, sweep->begin, sweep->count, rows);
    } else {
        t.scores = sweep->scores;
    }
    if (!row_floor)
        t.row_floor = sweep->infinite;
    if (!col_floor)
        t.col_floor = sweep->infinite;
    size_t begin = *next;
    RECON_CHECK(recon_ops_on_host(ctx)->topk(ctx, &t));
    if (sweep->coarse) {
        count_hits(sweep->tally, *count, (*next - begin) * sweep->count);
        rescore(sweep, rows, first, *count);
    }
    return RECON_OK;
}
