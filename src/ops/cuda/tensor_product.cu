/* tensor_product.cu - small products with a fixed tensor c, one block a row.
 *
 * b is shared by all channels of a row, so the row's matrix M[i][k] = sum_j c[i][j][k] b[j] is made
 * once and kept in shared memory: y = a M and da = dy M^T. For db the channels are summed first,
 * G[i][k] = sum_u a[u][i] dy[u][k], and db[j] = sum_ik c[i][j][k] G[i][k]. */
#include "ops/cuda/kernel.h"
#include "ops/cuda/table.h"

#define MATRIX 2048 /* most entries of M */

struct product_shape {
    unsigned channels, ni, nj, nk;
};

template <class T>
__device__ static void row_matrix(float *m, const product_shape &s, const float *c, const T *b)
{
    for (unsigned ik = threadIdx.x; ik < s.ni * s.nk; ik += blockDim.x) {
        unsigned i = ik / s.nk, k = ik % s.nk;
        float sum = 0;
        for (unsigned j = 0; j < s.nj; j++)
            sum += c[(i * s.nj + j) * s.nk + k] * to_float(b[j]);
        m[ik] = sum;
    }
    __syncthreads();
}

/* y = a M, or da = dy M^T. */
template <class T, bool BACK>
__global__ void product_kernel(product_shape s, T *out, const T *in, const T *b, const float *c)
{
    __shared__ float m[MATRIX];
    size_t row = blockIdx.x;
    unsigned to = BACK ? s.ni : s.nk, from = BACK ? s.nk : s.ni;
    row_matrix(m, s, c, b + row * s.nj);
    in += row * s.channels * from;
    out += row * s.channels * to;
    for (unsigned ut = threadIdx.x; ut < s.channels * to; ut += blockDim.x) {
        unsigned u = ut / to, t = ut % to;
        float sum = 0;
        for (unsigned f = 0; f < from; f++)
            sum += to_float(in[u * from + f]) * m[BACK ? t * s.nk + f : f * s.nk + t];
        assign(out[ut], sum);
    }
}

template <class T>
__global__ void product_db_kernel(product_shape s, T *db, const T *dy, const T *a, const float *c)
{
    __shared__ float g[MATRIX];
    size_t row = blockIdx.x;
    a += row * s.channels * s.ni;
    dy += row * s.channels * s.nk;
    for (unsigned ik = threadIdx.x; ik < s.ni * s.nk; ik += blockDim.x) {
        float sum = 0;
        for (unsigned u = 0; u < s.channels; u++)
            sum += to_float(a[u * s.ni + ik / s.nk]) * to_float(dy[u * s.nk + ik % s.nk]);
        g[ik] = sum;
    }
    __syncthreads();
    for (unsigned j = threadIdx.x; j < s.nj; j += blockDim.x) {
        float sum = 0;
        for (unsigned ik = 0; ik < s.ni * s.nk; ik++)
            sum += c[(ik / s.nk * s.nj + j) * s.nk + ik % s.nk] * g[ik];
        assign(db[row * s.nj + j], sum);
    }
}

static recon_status check_product(recon_ctx *ctx, const recon_tensor_product_args *a)
{
    if (a->ni * a->nk <= MATRIX)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                      "tensor product on cuda: %zu x %zu entries of a row's matrix, at most %d",
                      a->ni, a->nk, MATRIX);
}

/* Threads of a block: as many as a row has outputs, in whole warps. */
static unsigned threads_for(size_t n)
{
    size_t threads = (n + 31) / 32 * 32;
    return (unsigned)(threads < 32 ? 32 : threads > THREADS ? THREADS : threads);
}

static product_shape shape_of(const recon_tensor_product_args *a)
{
    return { (unsigned)a->channels, (unsigned)a->ni, (unsigned)a->nj, (unsigned)a->nk };
}

recon_status cuda_tensor_product(recon_ctx *ctx, const recon_tensor_product_args *a)
{
    TRY(check_product(ctx, a));
    if (a->rows == 0)
        return RECON_OK;
    return by_type(ctx, "tensor_product", a->a.type, [&]<class T>(T) {
        return launch(ctx, "tensor_product", product_kernel<T, false>, (unsigned)a->rows,
                      threads_for(a->channels * a->nk), shape_of(a), data<T>(a->y), data<T>(a->a),
                      data<T>(a->b), data<float>(a->c));
    });
}

recon_status cuda_tensor_product_back(recon_ctx *ctx, const recon_tensor_product_args *a)
{
    TRY(check_product(ctx, a));
    if (a->rows == 0)
        return RECON_OK;
    return by_type(ctx, "tensor_product_back", a->dy.type, [&]<class T>(T) {
        product_shape s = shape_of(a);
        const T *dy = data<T>(a->dy);
        const float *c = data<float>(a->c);
        if (a->da.data)
            TRY(launch(ctx, "tensor_product_back", product_kernel<T, true>, (unsigned)a->rows,
                       threads_for(a->channels * a->ni), s, data<T>(a->da), dy, data<T>(a->b), c));
        if (a->db.data)
            TRY(launch(ctx, "tensor_product_back", product_db_kernel<T>, (unsigned)a->rows,
                       threads_for(a->ni * a->nk), s, data<T>(a->db), dy, data<T>(a->a), c));
        return RECON_OK;
    });
}
