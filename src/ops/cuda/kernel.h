/* kernel.h - what the kernels share: numbers stored as float or bf16 and computed in float, loads
 * and stores of 16 bytes, and one way to launch. */
#ifndef OPS_CUDA_KERNEL_H
#define OPS_CUDA_KERNEL_H

#include <cuda_bf16.h>
#include <stdint.h>
#include <string.h>
#include "ops/cuda/state.h"

typedef __nv_bfloat16 bf16;

#define THREADS 256 /* of a block, everywhere */

__device__ inline float to_float(float x)
{
    return x;
}
__device__ inline float to_float(double x)
{
    return (float)x;
}
__device__ inline float to_float(bf16 x)
{
    return __bfloat162float(x);
}
__device__ inline void assign(float &to, float x)
{
    to = x;
}
__device__ inline void assign(double &to, float x)
{
    to = x;
}
__device__ inline void assign(bf16 &to, float x)
{
    to = __float2bfloat16(x);
}

/* How many numbers of type T fill 16 bytes. */
template <class T> constexpr int WIDE = 16 / (int)sizeof(T);

/* N numbers as one access (two, where they are 32 bytes). */
template <class T, int N> struct alignas(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) pack {
    T v[N];
};

template <int N, class T> __device__ inline pack<T, N> fetch(const T *from)
{
    return *reinterpret_cast<const pack<T, N> *>(from);
}

template <int N, class T> __device__ inline void unpack(float (&to)[N], const pack<T, N> &p)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        to[i] = to_float(p.v[i]);
}

template <int N, class T> __device__ inline void load(float (&to)[N], const T *from)
{
    unpack(to, fetch<N>(from));
}

/* As whole words: left to itself, the compiler may store a pack of bf16 one number at a time. */
template <int N, class T> __device__ inline void save(T *to, const float (&from)[N])
{
    pack<T, N> p;
#pragma unroll
    for (int i = 0; i < N; i++)
        assign(p.v[i], from[i]);
    if constexpr (sizeof p % sizeof(uint4) == 0) {
        uint4 words[sizeof p / sizeof(uint4)];
        memcpy(words, &p, sizeof p);
#pragma unroll
        for (size_t i = 0; i < sizeof p / sizeof(uint4); i++)
            __stwb(reinterpret_cast<uint4 *>(to) + i, words[i]);
    } else {
        *reinterpret_cast<pack<T, N> *>(to) = p;
    }
}

/* May all of these be read and written 16 bytes at a time? NULL may. */
template <class... P> bool aligned(const P *...pointer)
{
    return ((reinterpret_cast<uintptr_t>(pointer) % 16 == 0) && ...);
}

/* Arguments are converted to the kernel's own types here, so that calls read like calls. */
template <class... P, class... A>
recon_status launch(recon_ctx *ctx, const char *name, void (*kernel)(P...), dim3 grid, dim3 block,
                    A... args)
{
    kernel<<<grid, block, 0, cuda_of(ctx)->stream>>>(static_cast<P>(args)...);
    cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? RECON_OK : cuda_failed(ctx, name, error);
}

/* Blocks for n threads: enough to fill the GPU, no more; kernels stride over the rest. */
inline unsigned blocks_for(const recon_ctx *ctx, size_t n)
{
    size_t blocks = (n + THREADS - 1) / THREADS;
    size_t full = (size_t)cuda_of(ctx)->processors * 16;
    return (unsigned)(blocks < full ? blocks : full);
}

/* f.at<N>(i) for i = 0, N, 2 N ...: N numbers from i on; the tail one by one. */
template <int N, class F> __global__ void each_kernel(size_t n, F f)
{
    size_t step = (size_t)gridDim.x * blockDim.x * N;
    for (size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * N; i < n; i += step)
        if (i + N <= n)
            f.template at<N>(i);
        else
            for (size_t j = i; j < n; j++)
                f.template at<1>(j);
}

/* The same at width 1 and with no tail: for kernels that place their own accesses. */
template <class F> __global__ void index_kernel(size_t n, F f)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        f.at(i);
}

template <int N, class F>
recon_status each(recon_ctx *ctx, const char *name, size_t n, F f, bool wide)
{
    if (n == 0)
        return RECON_OK;
    if (!wide)
        return launch(ctx, name, each_kernel<1, F>, blocks_for(ctx, n), THREADS, n, f);
    return launch(ctx, name, each_kernel<N, F>, blocks_for(ctx, (n + N - 1) / N), THREADS, n, f);
}

template <class F> recon_status each_index(recon_ctx *ctx, const char *name, size_t n, F f)
{
    if (n == 0)
        return RECON_OK;
    return launch(ctx, name, index_kernel<F>, blocks_for(ctx, n), THREADS, n, f);
}

/* The sum over a block, in the same order each time; thread 0 has it. */
template <class T> __device__ T block_sum(T x)
{
    __shared__ T all[THREADS];
    all[threadIdx.x] = x;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            all[threadIdx.x] += all[threadIdx.x + half];
        __syncthreads();
    }
    return all[0];
}

/* f(T()) with T the type of the activations. */
template <class F> recon_status by_type(recon_ctx *ctx, const char *name, recon_dtype type, F f)
{
    if (type == RECON_F32)
        return f(float());
    if (type == RECON_BF16)
        return f(bf16());
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "%s on cuda: float32 or bfloat16, not %s", name,
                      recon_dtype_name(type));
}

__device__ inline float sigmoid(float x)
{
    return 1 / (1 + __expf(-x));
}

/* The tensor's numbers; NULL stays NULL. */
template <class T> T *data(const recon_tensor &t)
{
    return static_cast<T *>(t.data);
}

#endif
