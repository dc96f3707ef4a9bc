/* sweep.h - passes over the rows of a matrix with each thread at fixed columns: sums down the
 * columns, and updates whose factors belong to a column and stay in registers.
 *
 * Rows come in segments: either `offset` says where each begins, or all have `rows` rows, the last one
 * what is left of `all`. Sums are made in two passes and always in the same order: blocks of rows first,
 * then over the blocks in double. On a deterministic backend the order does not depend on how many
 * segments there are: ranks have more or fewer of a batch's things, and of its slices. */
#ifndef OPS_CUDA_SWEEP_H
#define OPS_CUDA_SWEEP_H

#include "ops/cuda/kernel.h"
#include "ops/slices.h"

struct sweep {
    size_t segments, rows, cols; /* rows of one segment; with offset, of an average one */
    size_t all;                  /* rows of all segments                               */
    const int *offset;           /* [segments + 1] or NULL                             */
    unsigned tx, ty, tiles, chunks;

    __device__ size_t first(size_t segment) const
    {
        return offset ? (size_t)offset[segment] : segment * rows;
    }
    __device__ size_t count(size_t segment) const
    {
        if (offset)
            return (size_t)(offset[segment + 1] - offset[segment]);
        size_t left = all - segment * rows;
        return left < rows ? left : rows;
    }
};

/* Where a thread of a sweep works. */
struct sweep_place {
    size_t segment, col, row, end, step;
};

template <int N> __device__ sweep_place sweep_here(const sweep &s)
{
    sweep_place p;
    p.segment = blockIdx.x / s.tiles;
    p.col = ((size_t)(blockIdx.x % s.tiles) * s.tx + threadIdx.x) * N;
    p.row = s.first(p.segment) + (size_t)blockIdx.y * s.ty + threadIdx.y;
    p.end = p.col < s.cols ? s.first(p.segment) + s.count(p.segment) : 0;
    p.step = (size_t)s.ty * s.chunks;
    return p;
}

/* A block is tx column packs wide and ty rows high, so that narrow matrices are read whole. `share`
 * segments are cut into as many blocks as the GPU holds at a time, so that they go down the rows together
 * and there is no last wave of a few; 0: each is one. */
template <int N> sweep sweep_cut(const recon_ctx *ctx, sweep s, size_t share)
{
    size_t packs = (s.cols + N - 1) / N;
    s.tx = 1;
    while (s.tx < packs && s.tx < 32)
        s.tx *= 2;
    s.ty = THREADS / s.tx;
    s.tiles = (unsigned)((packs + s.tx - 1) / s.tx);
    size_t most = (s.rows + 4 * s.ty - 1) / (4 * s.ty); /* a thread gets four rows or more */
    size_t want = share ? (size_t)cuda_of(ctx)->processors * 4 / (s.tiles * share + 1) : 1;
    size_t chunks = most < want ? most : want;
    s.chunks = (unsigned)(chunks < 1 ? 1 : chunks > 1024 ? 1024 : chunks);
    return s;
}

/* A plan of sums. Where they must not depend on the number of ranks, their blocks are those of slices; the
 * average size of segments with an offset is another at every rank. */
template <int N>
sweep sweep_plan(const recon_ctx *ctx, size_t segments, size_t rows, size_t cols, const int *offset,
                 size_t all = 0)
{
    sweep s = { segments, rows, cols, all ? all : segments * rows, offset, 1, THREADS, 1, 1 };
    if (cuda_of(ctx)->tune)
        return sweep_cut<N>(ctx, s, segments);
    return sweep_cut<N>(ctx, s, offset ? 0 : RECON_SLICES);
}

/* A plan of a pass that sums nothing. */
template <int N>
sweep sweep_update(const recon_ctx *ctx, size_t segments, size_t rows, size_t cols,
                   const int *offset)
{
    sweep s = { segments, rows, cols, segments * rows, offset, 1, THREADS, 1, 1 };
    return sweep_cut<N>(ctx, s, segments);
}

inline dim3 sweep_grid(const sweep &s)
{
    return dim3((unsigned)(s.segments * s.tiles), s.chunks);
}

/* use(row, fetch(row)) for the thread's rows, in order. AHEAD fetches are under way at a time: one
 * access a thread does not fill the memory's pipeline, and the compiler may not move a load above a
 * store. */
template <int AHEAD, class Fetch, class Use>
__device__ void sweep_rows(const sweep_place &p, Fetch fetch, Use use)
{
    size_t row = p.row;
    for (; row + (AHEAD - 1) * p.step < p.end; row += AHEAD * p.step) {
        decltype(fetch(row)) v[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            v[i] = fetch(row + i * p.step);
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            use(row + i * p.step, v[i]);
    }
    for (; row < p.end; row += p.step)
        use(row, fetch(row));
}

/* For functors that need nothing of their columns. */
struct no_factors {
};

/* Functors may read apart from adding: F::AHEAD rows at a time by f.fetch<N>, then f.add<N> of each. */
template <class F>
concept fetches_ahead = requires
{
    F::AHEAD;
};

/* partial[segment][chunk][K][cols] = sums of what f.add<N> adds to its K x N accumulators, given
 * what f.factors<N> found of the thread's columns. */
template <int K, int N, class F> __global__ void column_kernel(sweep s, F f, float *partial)
{
    __shared__ float all[K * N * THREADS];
    sweep_place p = sweep_here<N>(s);
    float acc[K][N] = {};
    if (p.row < p.end) {
        auto factors = f.template factors<N>(p.segment, p.col);
        if constexpr (fetches_ahead<F>)
            sweep_rows<F::AHEAD>(
                p, [&](size_t row) { return f.template fetch<N>(row, p.col); },
                [&](size_t row, const auto &v) { f.template add<N>(acc, factors, v, row, p.col); });
        else
            for (size_t row = p.row; row < p.end; row += p.step)
                f.template add<N>(acc, factors, row, p.col);
    }
    unsigned me = threadIdx.y * s.tx + threadIdx.x;
#pragma unroll
    for (int i = 0; i < K * N; i++)
        all[i * THREADS + me] = acc[i / N][i % N];
    __syncthreads();
    for (unsigned out = me; out < K * N * s.tx; out += THREADS) {
        unsigned x = out / N % s.tx, j = out % N, k = out / (N * s.tx);
        size_t col = ((size_t)(blockIdx.x % s.tiles) * s.tx + x) * N + j;
        float sum = 0;
        for (unsigned y = 0; y < s.ty; y++)
            sum += all[(k * N + j) * THREADS + y * s.tx + x];
        if (col < s.cols)
            partial[((p.segment * s.chunks + blockIdx.y) * K + k) * s.cols + col] = sum;
    }
}

/* f.finish(segment, channel, sums[K]), a channel being `field` columns side by side. X channels a
 * block, Y threads for each of them. */
template <int K, int X, int Y, class F>
__global__ void column_finish_kernel(sweep s, F f, const float *partial, unsigned field)
{
    __shared__ double all[Y][K][X];
    size_t channels = s.cols / field, tiles = (channels + X - 1) / X;
    size_t segment = blockIdx.x / tiles;
    size_t channel = blockIdx.x % tiles * X + threadIdx.x;
    double acc[K] = {};
#pragma unroll 4
    for (size_t chunk = threadIdx.y; channel < channels && chunk < s.chunks; chunk += Y)
        for (int k = 0; k < K; k++)
            for (unsigned j = 0; j < field; j++)
                acc[k] +=
                    partial[((segment * s.chunks + chunk) * K + k) * s.cols + channel * field + j];
    for (int k = 0; k < K; k++)
        all[threadIdx.y][k][threadIdx.x] = acc[k];
    __syncthreads();
    for (unsigned half = Y / 2; half > 0; half /= 2) {
        for (int k = 0; threadIdx.y < half && k < K; k++)
            all[threadIdx.y][k][threadIdx.x] += all[threadIdx.y + half][k][threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.y != 0 || channel >= channels)
        return;
    for (int k = 0; k < K; k++)
        acc[k] = all[0][k][threadIdx.x];
    f.finish(segment, channel, acc);
}

template <int K, int X, int Y, class F>
recon_status column_finish(recon_ctx *ctx, const char *name, const sweep &s, F f,
                           const float *partial, size_t field)
{
    size_t tiles = (s.cols / field + X - 1) / X;
    return launch(ctx, name, column_finish_kernel<K, X, Y, F>, dim3((unsigned)(s.segments * tiles)),
                  dim3(X, Y), s, f, partial, (unsigned)field);
}

/* Both passes. The caller has begun scratch; N wide where the columns and pointers allow it. all: of
 * segments without offset, the rows where the last segment has fewer. */
template <int K, int N, class F>
recon_status column_sums(recon_ctx *ctx, const char *name, F f, size_t segments, size_t rows,
                         size_t cols, const int *offset, size_t field, size_t all = 0)
{
    if (segments == 0 || cols == 0)
        return RECON_OK;
    sweep s = sweep_plan<N>(ctx, segments, rows, cols, offset, all);
    float *partial;
    TRY(scratch_take(ctx, &partial, segments * s.chunks * K * cols));
    TRY(launch(ctx, name, column_kernel<K, N, F>, sweep_grid(s), dim3(s.tx, s.ty), s, f, partial));
    /* A thread that adds up a hundred numbers spends its time waiting for them, and the GPU waits for
     * it: of many blocks of rows a channel gets many threads. */
    if (s.chunks > 64)
        return column_finish<K, 8, 64>(ctx, name, s, f, partial, field);
    return column_finish<K, 32, 8>(ctx, name, s, f, partial, field);
}

#endif
