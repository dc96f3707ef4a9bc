/* gemm.cu - products of matrices by cuBLAS. Row-major c = a b is column-major c^T = b^T a^T, and a
 * row-major matrix read by columns is its transpose: so a and b change places and nothing moves. */
#include "ops/cuda/kernel.h"
#include "ops/cuda/table.h"

#include <limits.h>

static cublasOperation_t form(int transpose)
{
    return transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* A leading dimension of nothing must still be 1. */
static int lead(size_t ld)
{
    return ld ? (int)ld : 1;
}

/* Products of bytes are for completeness: the search that wants them fast runs on the host. */
struct byte_product {
    recon_gemm_args g;
    __device__ void at(size_t out) const
    {
        const int8_t *a = static_cast<const int8_t *>(g.a), *b = static_cast<const int8_t *>(g.b);
        size_t row = out / g.n, col = out % g.n;
        int32_t sum = 0;
        for (size_t l = 0; l < g.k; l++)
            sum += a[g.transpose_a ? l * g.lda + row : row * g.lda + l] *
                   b[g.transpose_b ? col * g.ldb + l : l * g.ldb + col];
        static_cast<int32_t *>(g.c)[row * g.ldc + col] = sum;
    }
};

static recon_status check_gemm(recon_ctx *ctx, const recon_gemm_args *g)
{
    if (g->type != RECON_F32 && g->type != RECON_BF16 && g->type != RECON_F64)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                          "gemm on cuda: float32, float64, bfloat16 or int8, not %s",
                          recon_dtype_name(g->type));
    size_t largest = g->m | g->n | g->k | g->lda | g->ldb | g->ldc;
    if (largest > INT_MAX)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "gemm on cuda: %zu x %zu x %zu is too large",
                          g->m, g->n, g->k);
    return RECON_OK;
}

static cublasComputeType_t compute_in(const recon_gemm_args *g)
{
    if (g->type == RECON_F64)
        return CUBLAS_COMPUTE_64F;
    return g->type == RECON_F32 && g->tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

recon_status cuda_gemm(recon_ctx *ctx, const recon_gemm_args *g)
{
    if (g->type == RECON_I8)
        return each_index(ctx, "gemm", g->m * g->n, byte_product{ *g });
    TRY(check_gemm(ctx, g));
    if (g->m == 0 || g->n == 0)
        return RECON_OK;
    bool wide = g->type == RECON_F64, narrow = g->type == RECON_BF16;
    float alpha = (float)g->alpha, beta = (float)g->beta;
    const void *alpha_at = wide ? (const void *)&g->alpha : &alpha;
    const void *beta_at = wide ? (const void *)&g->beta : &beta;
    cudaDataType in = wide ? CUDA_R_64F : narrow ? CUDA_R_16BF : CUDA_R_32F;
    cudaDataType out = narrow && !g->c_bf16 ? CUDA_R_32F : in;
    BLAS_TRY(cublasGemmEx(cuda_of(ctx)->blas, form(g->transpose_b), form(g->transpose_a), (int)g->n,
                          (int)g->m, (int)g->k, alpha_at, g->b, in, lead(g->ldb), g->a, in,
                          lead(g->lda), beta_at, g->c, out, lead(g->ldc), compute_in(g),
                          CUBLAS_GEMM_DEFAULT));
    return RECON_OK;
}
