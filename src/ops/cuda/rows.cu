/* rows.cu - rows by index, sums over segments of rows and over a dimension. */
#include "ops/cuda/slices.h"
#include "ops/cuda/sweep.h"
#include "ops/cuda/table.h"

/* Numbers of one row: all dimensions but the first. */
static size_t width_of(const recon_tensor &t)
{
    size_t n = 1;
    for (int i = 1; i < t.ndim; i++)
        n *= t.shape[i];
    return n;
}

/* Can rows of this width be read 16 bytes at a time? */
template <class T> static bool wide_rows(size_t width, const void *a, const void *b)
{
    return width % WIDE<T> == 0 && aligned(a, b);
}

/* ---- sums of rows: row r of a segment is x[order[r]], or x[r] ---- */

template <class T, class Y = T> struct row_sums {
    Y *y;
    const T *x;
    const int *order; /* or NULL */
    size_t width;
    float scale;
    template <int N> __device__ no_factors factors(size_t, size_t) const
    {
        return {};
    }
    template <int N>
    __device__ void add(float (&acc)[1][N], no_factors, size_t row, size_t col) const
    {
        float v[N];
        load(v, x + (order ? (size_t)order[row] : row) * width + col);
        for (int k = 0; k < N; k++)
            acc[0][k] += v[k];
    }
    __device__ void finish(size_t segment, size_t col, const double (&sum)[1]) const
    {
        if constexpr (sizeof(Y) == sizeof(double))
            y[segment * width + col] = sum[0] * scale;
        else
            assign(y[segment * width + col], (float)(scale * sum[0]));
    }
};

template <class T, class Y>
static recon_status sum_segments(recon_ctx *ctx, const char *name, const row_sums<T, Y> &f,
                                 size_t segments, size_t rows, const int *offset, size_t all = 0)
{
    if (wide_rows<T>(f.width, f.x, nullptr))
        return column_sums<1, WIDE<T>>(ctx, name, f, segments, rows, f.width, offset, 1, all);
    return column_sums<1, 1>(ctx, name, f, segments, rows, f.width, offset, 1, all);
}

template <class T>
static recon_status sum_rows(recon_ctx *ctx, const char *name, const row_sums<T> &f,
                             size_t segments, size_t rows, const int *offset)
{
    scratch_begin(ctx);
    return sum_segments(ctx, name, f, segments, rows, offset);
}

/* ---- sums over a batch in slices ---- */

template <class T> struct round_sums {
    T *y;
    const double *sum;
    double scale;
    __device__ void at(size_t i) const
    {
        assign(y[i], (float)(scale * sum[i]));
    }
};

template <class T> static recon_status sum_batch(recon_ctx *ctx, const recon_reduce_args *a)
{
    recon_slices s = recon_slices_in_rows(&a->x, a->middle);
    size_t here = recon_slices_here(&s);
    row_sums<T, double> f = { nullptr, data<T>(a->x), nullptr, a->inner, 1 };
    scratch_begin(ctx);
    TRY(scratch_take(ctx, &f.y, slices_here(s) * a->inner));
    TRY(sum_segments(ctx, "reduce", f, slices_here(s), s.each, nullptr, here));
    TRY(sum_slices(ctx, s, f.y, f.y, a->inner, a->inner));
    return each_index(ctx, "reduce", a->inner, round_sums<T>{ data<T>(a->y), f.y, a->scale });
}

/* ---- sums of few rows: a thread a number ---- */

#define FEW 16

template <class T> struct few_sums {
    T *y;
    const T *x;
    size_t middle, inner;
    float scale;
    __device__ void at(size_t i) const
    {
        const T *from = x + i / inner * middle * inner + i % inner;
        float sum = 0;
        for (size_t m = 0; m < middle; m++)
            sum += to_float(from[m * inner]);
        assign(y[i], scale * sum);
    }
};

/* ---- copies of rows: row r of y is scale times row f(r) of x ---- */

template <int N, class T> struct row_copies {
    T *y;
    const T *x;
    const int *index;  /* y[r] = x[index[r]]; or NULL, and then */
    const int *offset; /* y[r] = x[segment of r]; or NULL, and then */
    size_t segments;
    size_t repeat; /* y[r] = x[r / repeat] */
    size_t width;
    float scale;
    __device__ size_t source(size_t r) const
    {
        if (index)
            return (size_t)index[r];
        if (!offset)
            return r / repeat;
        size_t low = 0, high = segments; /* offset[low] <= r < offset[high] */
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            if ((size_t)offset[middle] <= r)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
    __device__ void at(size_t i) const
    {
        size_t packs = width / N, row = i / packs, col = i % packs * N;
        float v[N];
        load(v, x + source(row) * width + col);
        for (int k = 0; k < N; k++)
            v[k] *= scale;
        save(y + row * width + col, v);
    }
};

template <class T>
static recon_status copy_rows(recon_ctx *ctx, const char *name, const row_copies<1, T> &f,
                              size_t rows)
{
    size_t n = rows * f.width;
    if (!wide_rows<T>(f.width, f.x, f.y))
        return each_index(ctx, name, n, f);
    row_copies<WIDE<T>, T> w = {
        f.y, f.x, f.index, f.offset, f.segments, f.repeat, f.width, f.scale
    };
    return each_index(ctx, name, n / WIDE<T>, w);
}

/* ---- sparse matrices: row r of y is a weighted sum of rows of x, N columns a thread ---- */

template <int N, class T> struct sparse_rows {
    T *y;
    const T *x;
    const int *index, *offset;
    const float *weight;
    size_t width;
    __device__ void at(size_t i) const
    {
        size_t packs = width / N, row = i / packs, col = i % packs * N;
        float sum[N] = {}, v[N];
        for (int e = offset[row]; e < offset[row + 1]; e++) {
            load(v, x + (size_t)index[e] * width + col);
            for (int k = 0; k < N; k++)
                sum[k] += weight[e] * v[k];
        }
        save(y + row * width + col, sum);
    }
};

/* ---- the entries ---- */

recon_status cuda_sparse(recon_ctx *ctx, const recon_sparse_args *a)
{
    return by_type(ctx, "sparse", a->x.type, [&]<class T>(T) {
        size_t width = width_of(a->x), n = a->y.shape[0] * width;
        sparse_rows<1, T> f = { data<T>(a->y),        data<T>(a->x),          data<int>(a->index),
                                data<int>(a->offset), data<float>(a->weight), width };
        if (!wide_rows<T>(width, f.x, f.y))
            return each_index(ctx, "sparse", n, f);
        sparse_rows<WIDE<T>, T> w = { f.y, f.x, f.index, f.offset, f.weight, width };
        return each_index(ctx, "sparse", n / WIDE<T>, w);
    });
}

recon_status cuda_gather(recon_ctx *ctx, const recon_gather_args *a)
{
    return by_type(ctx, "gather", a->x.type, [&]<class T>(T) {
        row_copies<1, T> f = {
            data<T>(a->y), data<T>(a->x), data<int>(a->index), nullptr, 0, 1, width_of(a->x), 1
        };
        return copy_rows<T>(ctx, "gather", f, a->y.shape[0]);
    });
}

recon_status cuda_gather_back(recon_ctx *ctx, const recon_gather_args *a)
{
    return by_type(ctx, "gather_back", a->dx.type, [&]<class T>(T) {
        row_sums<T> f = { data<T>(a->dx), data<T>(a->dy), data<int>(a->order), width_of(a->dx), 1 };
        size_t rows = a->dx.shape[0], edges = a->dy.shape[0];
        return sum_rows<T>(ctx, "gather_back", f, rows, edges / (rows ? rows : 1),
                           data<int>(a->offset));
    });
}

recon_status cuda_segment_sum(recon_ctx *ctx, const recon_segment_args *a)
{
    return by_type(ctx, "segment_sum", a->x.type, [&]<class T>(T) {
        row_sums<T> f = { data<T>(a->y), data<T>(a->x), nullptr, width_of(a->y), 1 };
        size_t segments = a->y.shape[0], edges = a->x.shape[0];
        return sum_rows<T>(ctx, "segment_sum", f, segments, edges / (segments ? segments : 1),
                           data<int>(a->offset));
    });
}

recon_status cuda_segment_sum_back(recon_ctx *ctx, const recon_segment_args *a)
{
    return by_type(ctx, "segment_sum_back", a->dx.type, [&]<class T>(T) {
        row_copies<1, T> f = { data<T>(a->dx),  data<T>(a->dy),
                               nullptr,         data<int>(a->offset),
                               a->dy.shape[0],  1,
                               width_of(a->dy), 1 };
        return copy_rows<T>(ctx, "segment_sum_back", f, a->dx.shape[0]);
    });
}

recon_status cuda_reduce(recon_ctx *ctx, const recon_reduce_args *a)
{
    return by_type(ctx, "reduce", a->x.type, [&]<class T>(T) {
        T *y = data<T>(a->y);
        const T *x = data<T>(a->x);
        if (a->x.slices && a->batch)
            return sum_batch<T>(ctx, a);
        if (a->middle <= FEW)
            return each_index(ctx, "reduce", a->outer * a->inner,
                              few_sums<T>{ y, x, a->middle, a->inner, (float)a->scale });
        row_sums<T> f = { y, x, nullptr, a->inner, (float)a->scale };
        return sum_rows<T>(ctx, "reduce", f, a->outer, a->middle, nullptr);
    });
}

recon_status cuda_reduce_back(recon_ctx *ctx, const recon_reduce_args *a)
{
    return by_type(ctx, "reduce_back", a->dx.type, [&]<class T>(T) {
        row_copies<1, T> f = { data<T>(a->dx), data<T>(a->dy), nullptr,        nullptr, 0,
                               a->middle,      a->inner,       (float)a->scale };
        return copy_rows<T>(ctx, "reduce_back", f, a->outer * a->middle);
    });
}
