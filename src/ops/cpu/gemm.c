/* gemm.c - matrix products by oneDNN, else by a BLAS, else by loops of ours, one thread per tile.
 *
 * The product is cut into tiles of fixed size under recon_parallel, so that its bits do not depend
 * on the number of threads. oneDNN comes first because it is up to 1.3x faster on the tall thin
 * products we make, and because its thread count can be set per calling thread. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/dnnl.h"
#include "ops/cpu/elements.h"
#include "ops/cpu/guard.h"
#include "ops/cpu/libraries.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

#define TILE_M RECON_BLOCK_GEMM_M
#define TILE_N RECON_BLOCK_GEMM_N

static recon_status onednn_tile(recon_ctx *ctx, const recon_onednn *onednn,
                                const recon_gemm_args *g)
{
    RECON_CHECK(recon_room_check(ctx, RECON_LIBRARY_ROOM));
    recon_guard guard = recon_guard_enter();
    recon_onednn_result r = onednn->gemm(g);
    recon_guard_leave(&guard);
    if (r.status)
        return recon_fail(ctx, RECON_ERR_NUMERIC, "oneDNN gemm %zu x %zu x %zu: status %d", g->m,
                          g->n, g->k, r.status);
    return RECON_OK;
}

/* Without a library: six rows of c and sixteen columns at a time, whose sums stay in registers. */
enum { DOWN = 6, ACROSS = 16 };

RECON_CLONES static void block(float out[DOWN][ACROSS], const float *const a[DOWN], size_t step,
                               const float *b, size_t k)
{
    typedef float lane __attribute__((vector_size(ACROSS * sizeof(float))));
    lane sum[DOWN] = { { 0 } };
    for (size_t l = 0; l < k; l++, b += ACROSS) {
        lane row;
        memcpy(&row, b, sizeof row);
        for (int i = 0; i < DOWN; i++)
            sum[i] += a[i][l * step] * row;
    }
    memcpy(out, sum, sizeof sum);
}

/* Sixteen columns of b as k rows of sixteen, filled up with 0. */
static void strip(float *restrict out, const recon_gemm_args *g, size_t j)
{
    const float *b = g->b;
    size_t width = g->n - j < ACROSS ? g->n - j : ACROSS;
    if (width < ACROSS)
        memset(out, 0, g->k * ACROSS * sizeof *out);
    for (size_t l = 0; !g->transpose_b && l < g->k; l++)
        memcpy(out + l * ACROSS, b + l * g->ldb + j, width * sizeof *out);
    for (size_t c = 0; g->transpose_b && c < width; c++)
        for (size_t l = 0; l < g->k; l++)
            out[l * ACROSS + c] = b[(j + c) * g->ldb + l];
}

static void put(const recon_gemm_args *g, size_t i, size_t j, size_t rows, float sums[DOWN][ACROSS])
{
    size_t cols = g->n - j < ACROSS ? g->n - j : ACROSS;
    float alpha = (float)g->alpha, beta = (float)g->beta;
    for (size_t r = 0; r < rows; r++) {
        float *restrict c = (float *)g->c + (i + r) * g->ldc + j;
        for (size_t x = 0; x < cols; x++)
            c[x] = beta != 0 ? alpha * sums[r][x] + beta * c[x] : alpha * sums[r][x];
    }
}

static recon_status plain_tile(recon_ctx *ctx, const recon_gemm_args *g, int worker)
{
    size_t a_row = g->transpose_a ? 1 : g->lda, a_step = g->transpose_a ? g->lda : 1;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    float *b, sums[DOWN][ACROSS];
    RECON_CHECK(recon_arena_take(ctx, arena, &b, g->k * ACROSS + 1, sizeof *b));
    for (size_t j = 0; j < g->n; j += ACROSS) {
        strip(b, g, j);
        for (size_t i = 0; i < g->m; i += DOWN) {
            size_t rows = g->m - i < DOWN ? g->m - i : DOWN;
            const float *a[DOWN];
            for (size_t r = 0; r < DOWN; r++) /* the last one again, where there are no more */
                a[r] = (const float *)g->a + (i + (r < rows ? r : rows - 1)) * a_row;
            block(sums, a, a_step, b, g->k);
            put(g, i, j, rows, sums);
        }
    }
    recon_arena_release(arena, mark);
    return RECON_OK;
}

static recon_status tile(recon_ctx *ctx, const recon_gemm_args *g, int worker)
{
    const recon_onednn *onednn = recon_onednn_get();
    if (onednn)
        return onednn_tile(ctx, onednn, g);
    const recon_blas *blas = recon_blas_get();
    if (!blas)
        return plain_tile(ctx, g, worker);
    blas->sgemm(g);
    return RECON_OK;
}

/* rows x cols of bf16, ld apart, as floats without gaps. */
static recon_status widen(recon_ctx *ctx, recon_arena *arena, float **out, const uint16_t *x,
                          size_t rows, size_t cols, size_t ld)
{
    RECON_CHECK(recon_arena_take(ctx, arena, out, rows * cols, sizeof **out));
    for (size_t r = 0; r < rows; r++)
        recon_floats_from_bf16(*out + r * cols, x + r * ld, cols);
    return RECON_OK;
}

/* A tile of bf16, through float: Debian's libraries have no such product for plain matrices. */
static recon_status bf16_tile(recon_ctx *ctx, const recon_gemm_args *g, int worker)
{
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_gemm_args f = *g;
    size_t rows_a = g->transpose_a ? g->k : g->m, rows_b = g->transpose_b ? g->n : g->k;
    float *a, *b, *c = g->c;
    f.type = RECON_F32;
    f.lda = g->transpose_a ? g->m : g->k;
    f.ldb = g->transpose_b ? g->k : g->n;
    RECON_CHECK(widen(ctx, arena, &a, g->a, rows_a, f.lda, g->lda));
    RECON_CHECK(widen(ctx, arena, &b, g->b, rows_b, f.ldb, g->ldb));
    if (g->c_bf16) {
        RECON_CHECK(widen(ctx, arena, &c, g->c, g->m, g->n, g->ldc));
        f.ldc = g->n;
    }
    f.a = a, f.b = b, f.c = c;
    RECON_CHECK(tile(ctx, &f, worker));
    for (size_t r = 0; g->c_bf16 && r < g->m; r++)
        recon_floats_to_bf16((uint16_t *)g->c + r * g->ldc, c + r * g->n, g->n);
    return RECON_OK;
}

static recon_status tile_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    recon_gemm_args g = *(const recon_gemm_args *)arg;
    size_t across = (g.n + TILE_N - 1) / TILE_N;
    size_t i = index / across * TILE_M, j = index % across * TILE_N;
    size_t size = recon_dtype_size(g.type);
    g.a = (const char *)g.a + i * (g.transpose_a ? 1 : g.lda) * size;
    g.b = (const char *)g.b + j * (g.transpose_b ? g.ldb : 1) * size;
    g.c = (char *)g.c + (i * g.ldc + j) * (g.c_bf16 ? 2 : 4); /* float and int32 alike */
    g.m = g.m - i < TILE_M ? g.m - i : TILE_M;
    g.n = g.n - j < TILE_N ? g.n - j : TILE_N;
    if (g.type == RECON_I8 && recon_dnnl_takes_amx() && recon_bytes_fit(&g))
        return recon_bytes_tile(ctx, &g, worker);
    return g.type == RECON_BF16 ? bf16_tile(ctx, &g, worker) : tile(ctx, &g, worker);
}

recon_status recon_cpu_gemm(recon_ctx *ctx, const recon_gemm_args *g)
{
    int ours = g->type == RECON_F32 || g->type == RECON_BF16 ||
               (g->type == RECON_I8 && recon_dnnl_has_exact_bytes());
    if (!ours) /* double is for checking, not for speed */
        return recon_ops_ref.gemm(ctx, g);
    size_t tiles = (g->m + TILE_M - 1) / TILE_M * ((g->n + TILE_N - 1) / TILE_N);
    return recon_parallel(ctx, tile_task, (void *)g, tiles);
}

recon_status recon_cpu_product(recon_ctx *ctx, float *c, size_t ldc, recon_matrix a, recon_matrix b,
                               const size_t mnk[3], double beta)
{
    return recon_cpu_gemm(ctx, &(recon_gemm_args){ .type = RECON_F32,
                                                   .transpose_a = a.transpose,
                                                   .transpose_b = b.transpose,
                                                   .m = mnk[0],
                                                   .n = mnk[1],
                                                   .k = mnk[2],
                                                   .alpha = 1,
                                                   .beta = beta,
                                                   .a = a.at,
                                                   .b = b.at,
                                                   .c = c,
                                                   .lda = a.ld,
                                                   .ldb = b.ld,
                                                   .ldc = ldc });
}
