/* norm.cu - batch norm, norm of vector fields, and both per segment.
 *
 * The formulas are those of ref/norm.c. Sums are taken about the first row of the segment, so that
 * a large mean does not drown the variance in float. Three launches: sums over blocks of rows, sums
 * over the blocks, the update with its factors in registers. */
#include "ops/cuda/sweep.h"
#include "ops/cuda/table.h"

/* One norm as the kernels see it. mean is NULL for vector fields. */
struct norm_params {
    sweep rows; /* geometry of the sums: where segments begin */
    unsigned field;
    size_t channels;
    float eps, momentum;
    const float *scale, *shift;
    float *running_mean, *running_var; /* NULL: not to be updated */
    float *mean, *inv;                 /* [segments][channels]    */
};

static bool from_batch(const recon_norm_args *a)
{
    return a->training || a->offset.data;
}

/* ---- statistics ---- */

template <int N> struct norm_pivot {
    float x[N];
};

template <class T> struct norm_moments : norm_params {
    const T *x;
    template <int N> __device__ norm_pivot<N> factors(size_t segment, size_t col) const
    {
        norm_pivot<N> pivot = {};
        if (mean)
            load(pivot.x, x + rows.first(segment) * rows.cols + col);
        return pivot;
    }
    template <int N>
    __device__ void add(float (&acc)[2][N], const norm_pivot<N> &pivot, size_t row,
                        size_t col) const
    {
        float v[N];
        load(v, x + row * rows.cols + col);
        for (int k = 0; k < N; k++) {
            float d = v[k] - pivot.x[k];
            acc[0][k] += d;
            acc[1][k] += d * d;
        }
    }
    __device__ void finish(size_t segment, size_t channel, const double (&sum)[2]) const
    {
        double n = rows.count(segment) ? (double)rows.count(segment) : 1, off = sum[0] / n;
        double var = mean ? fmax(sum[1] / n - off * off, 0.) : sum[1] / (n * field);
        size_t at = segment * channels + channel;
        inv[at] = (float)(1 / sqrt(var + eps));
        if (mean) {
            float pivot =
                rows.count(segment) ? to_float(x[rows.first(segment) * rows.cols + channel]) : 0;
            mean[at] = (float)(pivot + off);
        }
        if (mean && running_mean)
            running_mean[channel] += momentum * (mean[at] - running_mean[channel]);
        if (running_var) {
            float now = (float)(mean && n > 1 ? var * n / (n - 1) : var);
            running_var[channel] += momentum * (now - running_var[channel]);
        }
    }
};

/* ---- y = x a + b ---- */

/* The factors of columns col .. col + N of a segment. */
template <int N> struct norm_factors {
    float mean[N], inv[N], scale[N];
    __device__ norm_factors(const norm_params &p, size_t segment, size_t col)
    {
        for (int k = 0; k < N; k++) {
            size_t channel = (col + k) / p.field, at = segment * p.channels + channel;
            inv[k] = p.inv ? p.inv[at] : (float)rsqrt((double)p.running_var[channel] + p.eps);
            const float *from = p.mean ? p.mean : p.running_mean;
            mean[k] = p.field > 1 ? 0 : from[p.mean ? at : channel];
            scale[k] = p.scale[channel];
        }
    }
};

template <int N, class T> __global__ void norm_kernel(norm_params p, T *y, const T *x)
{
    sweep_place at = sweep_here<N>(p.rows);
    if (at.row >= at.end)
        return;
    norm_factors<N> f(p, at.segment, at.col);
    float shift[N];
    for (int k = 0; k < N; k++)
        shift[k] = p.shift ? p.shift[at.col + k] : 0;
    for (size_t row = at.row; row < at.end; row += at.step) {
        float v[N];
        load(v, x + row * p.rows.cols + at.col);
        for (int k = 0; k < N; k++)
            v[k] = f.scale[k] * ((v[k] - f.mean[k]) * f.inv[k]) + shift[k];
        save(y + row * p.rows.cols + at.col, v);
    }
}

static norm_params params_of(const recon_norm_args *a)
{
    norm_params p = {};
    p.field = (unsigned)a->field;
    p.channels = recon_tensor_count(&a->scale);
    p.eps = (float)a->eps;
    p.momentum = (float)a->momentum;
    p.scale = data<float>(a->scale);
    p.shift = a->field == 1 ? data<float>(a->shift) : nullptr;
    bool running = !a->offset.data;
    p.running_mean = running && a->field == 1 ? data<float>(a->running_mean) : nullptr;
    p.running_var = running ? data<float>(a->running_var) : nullptr;
    p.mean = from_batch(a) && a->field == 1 ? data<float>(a->mean) : nullptr;
    p.inv = from_batch(a) ? data<float>(a->inv) : nullptr;
    return p;
}

static size_t segments_of(const recon_norm_args *a)
{
    return a->offset.data ? recon_tensor_count(&a->offset) - 1 : 1;
}

/* Rows of an average segment. */
static size_t rows_of(const recon_norm_args *a)
{
    size_t segments = segments_of(a);
    return segments ? recon_tensor_rows(&a->x) / segments : 0;
}

template <int N, class T> static recon_status norm_forward(recon_ctx *ctx, const recon_norm_args *a)
{
    norm_params p = params_of(a);
    size_t segments = segments_of(a), rows = rows_of(a), cols = recon_tensor_cols(&a->x);
    const int *offset = data<int>(a->offset);
    p.rows = sweep_plan<N>(ctx, segments, rows, cols, offset);
    if (segments == 0 || recon_tensor_count(&a->x) == 0)
        return RECON_OK;
    scratch_begin(ctx);
    if (from_batch(a)) {
        norm_moments<T> f;
        static_cast<norm_params &>(f) = p;
        f.x = data<T>(a->x);
        TRY((column_sums<2, N>(ctx, "norm", f, segments, rows, cols, offset, a->field)));
    }
    return launch(ctx, "norm", norm_kernel<N, T>, sweep_grid(p.rows), dim3(p.rows.tx, p.rows.ty), p,
                  data<T>(a->y), data<T>(a->x));
}

recon_status cuda_norm(recon_ctx *ctx, const recon_norm_args *a)
{
    return by_type(ctx, "norm", a->x.type, [&](auto t) {
        typedef decltype(t) T;
        bool wide = recon_tensor_cols(&a->x) % WIDE<T> == 0 && aligned(a->x.data, a->y.data);
        return wide ? norm_forward<WIDE<T>, T>(ctx, a) : norm_forward<1, T>(ctx, a);
    });
}

/* ---- backward ---- */

/* Sums of dy and of dy xhat, per segment. */
template <class T> struct norm_gradients : norm_params {
    const T *dy, *x;
    float *sums; /* [segments][2][channels] */
    template <int N> __device__ norm_factors<N> factors(size_t segment, size_t col) const
    {
        return norm_factors<N>(*this, segment, col);
    }
    template <int N>
    __device__ void add(float (&acc)[2][N], const norm_factors<N> &f, size_t row, size_t col) const
    {
        float d[N], v[N];
        load(d, dy + row * rows.cols + col);
        load(v, x + row * rows.cols + col);
        for (int k = 0; k < N; k++) {
            acc[0][k] += d[k];
            acc[1][k] += d[k] * (v[k] - f.mean[k]) * f.inv[k];
        }
    }
    __device__ void finish(size_t segment, size_t channel, const double (&sum)[2]) const
    {
        for (int k = 0; k < 2; k++)
            sums[(segment * 2 + k) * channels + channel] = (float)sum[k];
    }
};

/* dscale and dshift: the sums over all segments, in order. */
struct norm_total {
    float *dscale, *dshift;
    const float *sums;
    size_t segments, channels;
    __device__ void at(size_t channel) const
    {
        double first = 0, second = 0;
        for (size_t s = 0; s < segments; s++) {
            first += sums[2 * s * channels + channel];
            second += sums[(2 * s + 1) * channels + channel];
        }
        if (dscale)
            dscale[channel] = (float)second;
        if (dshift)
            dshift[channel] = (float)first;
    }
};

template <int N, class T>
__global__ void norm_back_kernel(norm_params p, T *dx, const T *dy, const T *x, const float *sums,
                                 int batch)
{
    sweep_place at = sweep_here<N>(p.rows);
    if (at.row >= at.end)
        return;
    norm_factors<N> f(p, at.segment, at.col);
    float back[N], along[N], n = (float)p.rows.count(at.segment);
    for (int k = 0; k < N; k++) {
        size_t channel = (at.col + k) / p.field;
        const float *sum = sums + 2 * at.segment * p.channels + channel;
        back[k] = batch && p.field == 1 ? sum[0] / n : 0;
        along[k] = batch ? sum[p.channels] / (n * p.field) : 0;
    }
    for (size_t row = at.row; row < at.end; row += at.step) {
        size_t i = row * p.rows.cols + at.col;
        float d[N], v[N];
        load(d, dy + i);
        load(v, x + i);
        for (int k = 0; k < N; k++) {
            float xhat = (v[k] - f.mean[k]) * f.inv[k];
            d[k] = f.scale[k] * f.inv[k] * (d[k] - back[k] - xhat * along[k]);
        }
        save(dx + i, d);
    }
}

template <int N, class T>
static recon_status norm_backward(recon_ctx *ctx, const recon_norm_args *a)
{
    norm_gradients<T> f;
    static_cast<norm_params &>(f) = params_of(a);
    size_t segments = segments_of(a), rows = rows_of(a), cols = recon_tensor_cols(&a->x);
    const int *offset = data<int>(a->offset);
    f.rows = sweep_plan<N>(ctx, segments, rows, cols, offset);
    f.dy = data<T>(a->dy);
    f.x = data<T>(a->x);
    scratch_begin(ctx);
    TRY(scratch_take(ctx, &f.sums, segments * 2 * f.channels));
    TRY((column_sums<2, N>(ctx, "norm_back", f, segments, rows, cols, offset, a->field)));
    norm_total total = { data<float>(a->dscale), a->field == 1 ? data<float>(a->dshift) : nullptr,
                         f.sums, segments, f.channels };
    TRY(each_index(ctx, "norm_back", f.channels, total));
    if (!a->dx.data || recon_tensor_count(&a->x) == 0)
        return RECON_OK;
    return launch(ctx, "norm_back", norm_back_kernel<N, T>, sweep_grid(f.rows),
                  dim3(f.rows.tx, f.rows.ty), static_cast<norm_params &>(f), data<T>(a->dx), f.dy,
                  f.x, f.sums, from_batch(a));
}

recon_status cuda_norm_back(recon_ctx *ctx, const recon_norm_args *a)
{
    return by_type(ctx, "norm_back", a->x.type, [&](auto t) {
        typedef decltype(t) T;
        bool wide =
            recon_tensor_cols(&a->x) % WIDE<T> == 0 && aligned(a->x.data, a->dx.data, a->dy.data);
        return wide ? norm_backward<WIDE<T>, T>(ctx, a) : norm_backward<1, T>(ctx, a);
    });
}
