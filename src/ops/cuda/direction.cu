/* direction.cu - rows scaled to length one, a warp a row; angles of pairs, a thread a pair. The
 * formulas are in rows/direction.h. */
#include "ops/cuda/kernel.h"
#include "ops/cuda/table.h"

#define WARP 32

/* The sum over a warp, in a fixed order; every lane has it. */
__device__ static float warp_sum(float x)
{
    for (int half = WARP / 2; half > 0; half /= 2)
        x += __shfl_xor_sync(0xffffffff, x, half);
    return x;
}

template <class T> __device__ static float row_dot(const T *a, const T *b, size_t cols)
{
    float sum = 0;
    for (size_t i = threadIdx.x % WARP; i < cols; i += WARP)
        sum += to_float(a[i]) * to_float(b[i]);
    return warp_sum(sum);
}

template <class T> struct unit_forward {
    T *y;
    const T *x;
    size_t cols;
    __device__ void row(size_t r) const
    {
        const T *from = x + r * cols;
        float norm = sqrtf(row_dot(from, from, cols));
        float least = norm < (float)RECON_UNIT_LEAST ? (float)RECON_UNIT_LEAST : norm;
        for (size_t i = threadIdx.x % WARP; i < cols; i += WARP)
            assign(y[r * cols + i], to_float(from[i]) / least);
    }
};

template <class T> struct unit_backward {
    T *dx;
    const T *dy, *x;
    size_t cols;
    __device__ void row(size_t r) const
    {
        const T *from = x + r * cols, *down = dy + r * cols;
        float norm = sqrtf(row_dot(from, from, cols));
        float inv = norm <= (float)RECON_UNIT_LEAST ? 0 : 1 / norm;
        float along = row_dot(from, down, cols) * inv * inv;
        for (size_t i = threadIdx.x % WARP; i < cols; i += WARP)
            assign(dx[r * cols + i], (to_float(down[i]) - to_float(from[i]) * along) * inv);
    }
};

template <class F> __global__ void rows_kernel(size_t rows, F f)
{
    size_t step = (size_t)gridDim.x * (THREADS / WARP);
    for (size_t r = ((size_t)blockIdx.x * THREADS + threadIdx.x) / WARP; r < rows; r += step)
        f.row(r);
}

template <class F> static recon_status each_row(recon_ctx *ctx, const char *name, size_t n, F f)
{
    if (n == 0)
        return RECON_OK;
    return launch(ctx, name, rows_kernel<F>, blocks_for(ctx, n * WARP), THREADS, n, f);
}

recon_status cuda_unit(recon_ctx *ctx, const recon_unit_args *a)
{
    return by_type(ctx, "unit", a->x.type, [&]<class T>(T) {
        unit_forward<T> f = { data<T>(a->y), data<T>(a->x), recon_tensor_cols(&a->x) };
        return each_row(ctx, "unit", recon_tensor_rows(&a->x), f);
    });
}

recon_status cuda_unit_back(recon_ctx *ctx, const recon_unit_args *a)
{
    return by_type(ctx, "unit_back", a->x.type, [&]<class T>(T) {
        unit_backward<T> f = { data<T>(a->dx), data<T>(a->dy), data<T>(a->x),
                               recon_tensor_cols(&a->x) };
        return each_row(ctx, "unit_back", recon_tensor_rows(&a->x), f);
    });
}

struct angle_forward {
    float *y;
    const float *x;
    __device__ void at(size_t i) const
    {
        y[i] = atan2f(x[2 * i + 1], x[2 * i]);
    }
};

struct angle_backward {
    float *dx;
    const float *dy, *x;
    __device__ void at(size_t i) const
    {
        float square = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1];
        float slope = square == 0 ? 0 : dy[i] / square;
        float rotation = slope * -x[2 * i + 1];
        dx[2 * i + 1] = slope * x[2 * i];
        dx[2 * i] = rotation;
    }
};

recon_status cuda_angle(recon_ctx *ctx, const recon_angle_args *a)
{
    angle_forward f = { data<float>(a->y), data<float>(a->x) };
    return each_index(ctx, "angle", recon_tensor_count(&a->y), f);
}

recon_status cuda_angle_back(recon_ctx *ctx, const recon_angle_args *a)
{
    angle_backward f = { data<float>(a->dx), data<float>(a->dy), data<float>(a->x) };
    return each_index(ctx, "angle_back", recon_tensor_count(&a->y), f);
}
