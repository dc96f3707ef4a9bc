/* gemm.c - matrix products by oneDNN, else by OpenBLAS, one library thread per tile.
 *
 * The product is cut into tiles of fixed size under recon_parallel, so that its bits do not depend
 * on the number of threads. oneDNN comes first because it is up to 1.3x faster on the tall thin
 * products we make, and because its thread count can be set per calling thread. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/dnnl.h"
#include "ops/cpu/elements.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/threads.h"

#define TILE_M RECON_BLOCK_GEMM_M
#define TILE_N RECON_BLOCK_GEMM_N

#if defined(RECON_HAVE_DNNL)
#include "core/memory.h"
#include "ops/cpu/guard.h"

#include <dnnl.h>

static recon_status tile(recon_ctx *ctx, const recon_gemm_args *g)
{
    char ta = g->transpose_a ? 'T' : 'N', tb = g->transpose_b ? 'T' : 'N';
    dnnl_dim_t m = (dnnl_dim_t)g->m, n = (dnnl_dim_t)g->n, k = (dnnl_dim_t)g->k;
    dnnl_dim_t lda = (dnnl_dim_t)g->lda, ldb = (dnnl_dim_t)g->ldb, ldc = (dnnl_dim_t)g->ldc;
    const int32_t zero = 0;
    recon_status room = recon_room_check(ctx, RECON_LIBRARY_ROOM);
    if (room != RECON_OK)
        return room;
    recon_guard guard = recon_guard_enter();
    dnnl_status_t s = g->type == RECON_I8 ? dnnl_gemm_s8s8s32(ta, tb, 'F', m, n, k, 1, g->a, lda, 0,
                                                              g->b, ldb, 0, 0, g->c, ldc, &zero)
                                          : dnnl_sgemm(ta, tb, m, n, k, (float)g->alpha, g->a, lda,
                                                       g->b, ldb, (float)g->beta, g->c, ldc);
    recon_guard_leave(&guard);
    if (s != dnnl_success)
        return recon_fail(ctx, RECON_ERR_NUMERIC, "oneDNN gemm %zu x %zu x %zu: status %d", g->m,
                          g->n, g->k, (int)s);
    return RECON_OK;
}

#elif defined(RECON_HAVE_OPENBLAS)
#include <cblas.h>

static recon_status tile(recon_ctx *ctx, const recon_gemm_args *g)
{
    (void)ctx;
    if (openblas_get_num_threads() != 1)
        openblas_set_num_threads(1); /* the parallel loop is ours */
    cblas_sgemm(CblasRowMajor, g->transpose_a ? CblasTrans : CblasNoTrans,
                g->transpose_b ? CblasTrans : CblasNoTrans, (blasint)g->m, (blasint)g->n,
                (blasint)g->k, (float)g->alpha, g->a, (blasint)g->lda, g->b, (blasint)g->ldb,
                (float)g->beta, g->c, (blasint)g->ldc);
    return RECON_OK;
}

#else

static recon_status tile(recon_ctx *ctx, const recon_gemm_args *g)
{
    return recon_ops_ref.gemm(ctx, g);
}
#endif

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
    RECON_CHECK(tile(ctx, &f));
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
    return g.type == RECON_BF16 ? bf16_tile(ctx, &g, worker) : tile(ctx, &g);
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
