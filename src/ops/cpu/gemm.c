/* gemm.c - matrix products by oneDNN, else by OpenBLAS, one library thread per tile.
 *
 * The product is cut into tiles of fixed size under recon_parallel, so that its bits do not depend
 * on the number of threads. oneDNN comes first because it is up to 1.3x faster on the tall thin
 * products we make, and because its thread count can be set per calling thread. */
#include "ops/cpu/cpu.h"
#include "core/fail.h"
#include "core/threads.h"

#define TILE_M 512
#define TILE_N 1024

#if defined(RECON_HAVE_DNNL)
#include <dnnl.h>
#include <omp.h>

static recon_status tile(recon_ctx *ctx, const recon_gemm_args *g)
{
    int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    dnnl_status_t s =
        dnnl_sgemm(g->transpose_a ? 'T' : 'N', g->transpose_b ? 'T' : 'N', (dnnl_dim_t)g->m,
                   (dnnl_dim_t)g->n, (dnnl_dim_t)g->k, (float)g->alpha, g->a, (dnnl_dim_t)g->lda,
                   g->b, (dnnl_dim_t)g->ldb, (float)g->beta, g->c, (dnnl_dim_t)g->ldc);
    omp_set_num_threads(threads);
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

static recon_status tile_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    (void)worker;
    recon_gemm_args g = *(const recon_gemm_args *)arg;
    size_t across = (g.n + TILE_N - 1) / TILE_N;
    size_t i = index / across * TILE_M, j = index % across * TILE_N;
    g.a = (const float *)g.a + i * (g.transpose_a ? 1 : g.lda);
    g.b = (const float *)g.b + j * (g.transpose_b ? g.ldb : 1);
    g.c = (float *)g.c + i * g.ldc + j;
    g.m = g.m - i < TILE_M ? g.m - i : TILE_M;
    g.n = g.n - j < TILE_N ? g.n - j : TILE_N;
    return tile(ctx, &g);
}

recon_status recon_cpu_gemm(recon_ctx *ctx, const recon_gemm_args *g)
{
    if (g->type != RECON_F32) /* double is for checking, not for speed */
        return recon_ops_ref.gemm(ctx, g);
    size_t tiles = (g->m + TILE_M - 1) / TILE_M * ((g->n + TILE_N - 1) / TILE_N);
    return recon_parallel(ctx, tile_task, (void *)g, tiles);
}
