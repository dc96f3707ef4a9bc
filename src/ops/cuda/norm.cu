/* norm.cu - batch norm, norm of vector fields, and both per segment.
 *
 * The formulas are those of ref/norm.c. Sums are taken about the first row of the segment, so that
 * a large mean does not drown the variance in float. Three launches: sums over blocks of rows, sums
 * over the blocks, the update with its factors in registers. The sum and the ReLU behind a norm are
 * part of the update, and of both passes backward.
 *
 * Of a batch in slices each slice is a segment of the sums, which then meet in double. */
#include "ops/cuda/slices.h"
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
    size_t batch; /* rows, where segments are slices of a batch with the same statistics; else 0 */

    __device__ size_t place(size_t segment, size_t channel) const
    {
        return (batch ? 0 : segment * channels) + channel;
    }
    __device__ size_t count(size_t segment) const
    {
        return batch ? batch : rows.count(segment);
    }
    __device__ float inv_of(size_t segment, size_t channel) const
    {
        return inv ? inv[place(segment, channel)]
                   : (float)rsqrt((double)running_var[channel] + eps);
    }
    __device__ float mean_of(size_t segment, size_t channel) const
    {
        if (field > 1)
            return 0;
        return mean ? mean[place(segment, channel)] : running_mean[channel];
    }
    /* What n rows have: kept, and the running ones moved. */
    __device__ void keep(size_t at, size_t channel, double n, double middle, double var) const
    {
        inv[at] = (float)(1 / sqrt(var + eps));
        if (mean)
            mean[at] = (float)middle;
        if (mean && running_mean)
            running_mean[channel] += momentum * (mean[at] - running_mean[channel]);
        if (running_var) {
            float now = (float)(mean && n > 1 ? var * n / (n - 1) : var);
            running_var[channel] += momentum * (now - running_var[channel]);
        }
    }
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
    static constexpr int AHEAD = 4;
    const T *x;
    template <int N> __device__ norm_pivot<N> factors(size_t segment, size_t col) const
    {
        norm_pivot<N> pivot = {};
        if (mean)
            load(pivot.x, x + rows.first(segment) * rows.cols + col);
        return pivot;
    }
    template <int N> __device__ pack<T, N> fetch(size_t row, size_t col) const
    {
        return ::fetch<N>(x + row * rows.cols + col);
    }
    template <int N>
    __device__ void add(float (&acc)[2][N], const norm_pivot<N> &pivot, const pack<T, N> &in,
                        size_t, size_t) const
    {
        float v[N];
        unpack(v, in);
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
        this->keep(segment * channels + channel, channel, n, pivot(segment, channel) + off, var);
    }
    __device__ double pivot(size_t segment, size_t channel) const
    {
        return mean && rows.count(segment) ? to_float(x[rows.first(segment) * rows.cols + channel])
                                           : 0;
    }
};

/* The same of slices: sums of x and of its square, in double, about zero: so they can be added up. */
template <class T> struct norm_slice_moments : norm_moments<T> {
    double *sums; /* [slices][2][channels] */
    __device__ void finish(size_t slice, size_t channel, const double (&sum)[2]) const
    {
        double n = (double)this->rows.count(slice), pivot = this->pivot(slice, channel);
        double *at = sums + 2 * slice * this->channels + channel;
        at[0] = sum[0] + n * pivot;
        at[this->channels] = sum[1] + pivot * (2 * sum[0] + n * pivot);
    }
};

struct norm_found : norm_params {
    const double *sums; /* [2][channels] of the batch */
    __device__ void at(size_t channel) const
    {
        double n = (double)batch, middle = sums[channel] / n, square = sums[channels + channel] / n;
        double var = mean ? fmax(square - middle * middle, 0.) : square / field;
        keep(channel, channel, n, middle, var);
    }
};

/* ---- y = f((x - mean) gain + shift + skip) ---- */

/* The factors of columns col .. col + N of a segment. */
template <int N> struct norm_factors {
    float mean[N], gain[N], shift[N];
    __device__ norm_factors(const norm_params &p, size_t segment, size_t col)
    {
        for (int k = 0; k < N; k++) {
            size_t channel = (col + k) / p.field;
            mean[k] = p.mean_of(segment, channel);
            gain[k] = p.scale[channel] * p.inv_of(segment, channel);
            shift[k] = p.shift ? p.shift[channel] : 0;
        }
    }
    /* Rounded alike wherever it is used: backward finds the mask of a ReLU anew from x. */
    __device__ float normed(int k, float x) const
    {
        return __fmaf_rn(x - mean[k], gain[k], shift[k]);
    }
};

template <int N, class T> struct norm_inputs {
    pack<T, N> x, skip;
};

/* SKIP: what is added is there. Known when compiled, it costs no registers where it is not. */
template <int N, bool SKIP, class T>
__global__ void norm_kernel(norm_params p, T *y, const T *x, const T *skip, int relu)
{
    sweep_place at = sweep_here<N>(p.rows);
    if (at.row >= at.end)
        return;
    norm_factors<N> f(p, at.segment, at.col);
    auto read = [&](size_t row) {
        norm_inputs<N, T> in;
        in.x = fetch<N>(x + row * p.rows.cols + at.col);
        if (SKIP)
            in.skip = fetch<N>(skip + row * p.rows.cols + at.col);
        return in;
    };
    sweep_rows<2>(at, read, [&](size_t row, const norm_inputs<N, T> &in) {
        float v[N], w[N];
        unpack(v, in.x);
        if (SKIP)
            unpack(w, in.skip);
        for (int k = 0; k < N; k++) {
            v[k] = SKIP ? f.normed(k, v[k]) + w[k] : f.normed(k, v[k]);
            v[k] = relu && v[k] < 0 ? 0 : v[k];
        }
        save(y + row * p.rows.cols + at.col, v);
    });
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

/* Of rows that no offset takes apart. */
static recon_slices batch_of(const recon_norm_args *a)
{
    return recon_slices_in_rows(&a->x, recon_tensor_rows(&a->x));
}
static bool in_slices(const recon_norm_args *a)
{
    return a->x.slices && !a->offset.data;
}

/* f sweeps over the slices that are here, and leaves sums of each; then the batch's are the first. */
template <int N, class F>
static recon_status sum_batch(recon_ctx *ctx, const char *name, const recon_norm_args *a, F &f)
{
    recon_slices s = batch_of(a);
    size_t width = 2 * f.channels, cols = recon_tensor_cols(&a->x), here = recon_slices_here(&s);
    f.batch = s.all;
    f.rows = sweep_plan<N>(ctx, slices_here(s), s.each, cols, nullptr, here);
    TRY(scratch_take(ctx, &f.sums, slices_here(s) * width));
    TRY((column_sums<2, N>(ctx, name, f, slices_here(s), s.each, cols, nullptr, a->field, here)));
    return sum_slices(ctx, s, f.sums, f.sums, width, width);
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

template <int N, class T>
static recon_status find_batch(recon_ctx *ctx, const recon_norm_args *a, const norm_params &p)
{
    norm_slice_moments<T> f;
    norm_found found;
    static_cast<norm_params &>(f) = p;
    f.x = data<T>(a->x);
    TRY(sum_batch<N>(ctx, "norm", a, f));
    static_cast<norm_params &>(found) = f;
    found.sums = f.sums;
    return each_index(ctx, "norm", p.channels, found);
}

template <int N, class T> static recon_status norm_forward(recon_ctx *ctx, const recon_norm_args *a)
{
    norm_params p = params_of(a);
    size_t segments = segments_of(a), rows = rows_of(a), cols = recon_tensor_cols(&a->x);
    const int *offset = data<int>(a->offset);
    p.rows = sweep_update<N>(ctx, segments, rows, cols, offset);
    if (segments == 0 || recon_tensor_count(&a->x) == 0)
        return RECON_OK;
    scratch_begin(ctx);
    if (from_batch(a) && in_slices(a)) {
        TRY((find_batch<N, T>(ctx, a, p)));
    } else if (from_batch(a)) {
        norm_moments<T> f;
        static_cast<norm_params &>(f) = p;
        f.x = data<T>(a->x);
        TRY((column_sums<2, N>(ctx, "norm", f, segments, rows, cols, offset, a->field)));
    }
    return launch(ctx, "norm", a->skip.data ? norm_kernel<N, true, T> : norm_kernel<N, false, T>,
                  sweep_grid(p.rows), dim3(p.rows.tx, p.rows.ty), p, data<T>(a->y), data<T>(a->x),
                  data<T>(a->skip), a->relu);
}

recon_status cuda_norm(recon_ctx *ctx, const recon_norm_args *a)
{
    return by_type(ctx, "norm", a->x.type, [&]<class T>(T) {
        bool wide =
            recon_tensor_cols(&a->x) % WIDE<T> == 0 && aligned(a->x.data, a->y.data, a->skip.data);
        return wide ? norm_forward<WIDE<T>, T>(ctx, a) : norm_forward<1, T>(ctx, a);
    });
}

/* ---- backward ---- */

/* Where a ReLU's mask comes from. Without skip it is found anew from x, which is read anyway: y need
 * not be. */
enum norm_mask { MASK_NONE, MASK_FROM_X, MASK_FROM_Y };

/* g, the gradient by what the norm gives: of dy alone, or MORE. */
template <class NUMBER, norm_mask MASK, bool MORE> struct norm_slope {
    typedef NUMBER T;
    const T *dy, *more, *y, *x;
    template <int N> struct inputs {
        pack<T, N> dy, more, y, x;
    };
    template <int N> __device__ inputs<N> read(size_t i) const
    {
        inputs<N> in;
        in.dy = ::fetch<N>(dy + i);
        in.x = ::fetch<N>(x + i);
        if (MORE)
            in.more = ::fetch<N>(more + i);
        if (MASK == MASK_FROM_Y)
            in.y = ::fetch<N>(y + i);
        return in;
    }
    template <int N>
    __device__ void find(float (&g)[N], float (&v)[N], const inputs<N> &in,
                         const norm_factors<N> &f) const
    {
        float w[N];
        unpack(g, in.dy);
        unpack(v, in.x);
        if (MORE) {
            unpack(w, in.more);
            for (int k = 0; k < N; k++)
                g[k] += w[k];
        }
        if (MASK == MASK_FROM_Y) {
            unpack(w, in.y);
            for (int k = 0; k < N; k++)
                g[k] = w[k] > 0 ? g[k] : 0;
        }
        for (int k = 0; MASK == MASK_FROM_X && k < N; k++)
            g[k] = f.normed(k, v[k]) > 0 ? g[k] : 0;
    }
};

/* Sums of g and of g (x - mean), per segment; g is kept as dskip. */
template <class S> struct norm_slopes : norm_params {
    static constexpr int AHEAD = 2;
    typedef typename S::T T;
    S slope;
    T *dskip;
    template <int N> __device__ norm_factors<N> factors(size_t segment, size_t col) const
    {
        return norm_factors<N>(*this, segment, col);
    }
    template <int N> __device__ auto fetch(size_t row, size_t col) const
    {
        return slope.template read<N>(row * rows.cols + col);
    }
    template <int N>
    __device__ void add(float (&acc)[2][N], const norm_factors<N> &f,
                        const typename S::template inputs<N> &in, size_t row, size_t col) const
    {
        float g[N], v[N];
        slope.find(g, v, in, f);
        for (int k = 0; k < N; k++) {
            acc[0][k] += g[k];
            acc[1][k] += g[k] * (v[k] - f.mean[k]);
        }
        if (dskip)
            save(dskip + row * rows.cols + col, g);
    }
};

/* Of each segment, with 1 / sigma. */
template <class S> struct norm_gradients : norm_slopes<S> {
    float *sums;            /* [segments][2][channels] */
    float *dscale, *dshift; /* of one segment, or NULL */
    __device__ void finish(size_t segment, size_t channel, const double (&sum)[2]) const
    {
        size_t channels = this->channels;
        float first = (float)sum[0], second = (float)(sum[1] * this->inv_of(segment, channel));
        sums[2 * segment * channels + channel] = first;
        sums[(2 * segment + 1) * channels + channel] = second;
        if (dscale)
            dscale[channel] = second;
        if (dshift)
            dshift[channel] = first;
    }
};

/* Of each slice, as they are. */
template <class S> struct norm_slice_gradients : norm_slopes<S> {
    double *sums; /* [slices][2][channels] */
    __device__ void finish(size_t slice, size_t channel, const double (&sum)[2]) const
    {
        sums[2 * slice * this->channels + channel] = sum[0];
        sums[(2 * slice + 1) * this->channels + channel] = sum[1];
    }
};

struct norm_batch_total : norm_params {
    float *dscale, *dshift, *sums; /* sums [2][channels] */
    const double *total;           /* the same           */
    __device__ void at(size_t channel) const
    {
        sums[channel] = (float)total[channel];
        sums[channels + channel] = (float)(total[channels + channel] * inv_of(0, channel));
        if (dscale)
            dscale[channel] = sums[channels + channel];
        if (dshift)
            dshift[channel] = sums[channel];
    }
};

/* The sums over segments first .. end, in order: of all of them, or of a slice. */
struct norm_total {
    double *total; /* [2][channels] */
    const float *sums;
    size_t first, end, channels;
    __device__ void at(size_t channel) const
    {
        double sum[2] = {};
        for (size_t s = first; s < end; s++)
            for (int k = 0; k < 2; k++)
                sum[k] += sums[(2 * s + k) * channels + channel];
        total[channel] = sum[0];
        total[channels + channel] = sum[1];
    }
};

struct norm_round {
    float *dscale, *dshift;
    const double *total;
    size_t channels;
    __device__ void at(size_t channel) const
    {
        if (dscale)
            dscale[channel] = (float)total[channels + channel];
        if (dshift)
            dshift[channel] = (float)total[channel];
    }
};

template <int N, class S>
__global__ void norm_back_kernel(norm_params p, S slope, typename S::T *dx, const float *sums,
                                 int batch)
{
    sweep_place at = sweep_here<N>(p.rows);
    if (at.row >= at.end)
        return;
    norm_factors<N> f(p, at.segment, at.col);
    float back[N], along[N], n = (float)p.count(at.segment);
    for (int k = 0; k < N; k++) {
        size_t channel = (at.col + k) / p.field;
        const float *sum = sums + 2 * at.segment * p.channels + channel;
        back[k] = batch && p.field == 1 ? sum[0] / n : 0;
        along[k] = batch ? p.inv_of(at.segment, channel) * (sum[p.channels] / (n * p.field)) : 0;
    }
    auto read = [&](size_t row) { return slope.template read<N>(row * p.rows.cols + at.col); };
    sweep_rows<2>(at, read, [&](size_t row, const auto &in) {
        float g[N], v[N];
        slope.find(g, v, in, f);
        for (int k = 0; k < N; k++)
            g[k] = f.gain[k] * (g[k] - back[k] - (v[k] - f.mean[k]) * along[k]);
        save(dx + row * p.rows.cols + at.col, g);
    });
}

template <int N, class S>
static recon_status pull_back(recon_ctx *ctx, const recon_norm_args *a, const norm_params &p,
                              S slope, const float *sums)
{
    return launch(ctx, "norm_back", norm_back_kernel<N, S>, sweep_grid(p.rows),
                  dim3(p.rows.tx, p.rows.ty), p, slope, data<typename S::T>(a->dx), sums,
                  from_batch(a));
}

static float *dscale_of(const recon_norm_args *a)
{
    return data<float>(a->dscale);
}
static float *dshift_of(const recon_norm_args *a)
{
    return a->field == 1 ? data<float>(a->dshift) : nullptr;
}

/* dscale and dshift over all segments; where these are things of a batch in slices, of all ranks. */
static recon_status total_segments(recon_ctx *ctx, const recon_norm_args *a, const float *sums,
                                   size_t channels)
{
    const recon_slices *cut = a->offset.slices;
    size_t segments = segments_of(a), width = 2 * channels;
    recon_slices s = cut ? *cut : recon_slices{ segments, segments, 1, 0, 1 };
    double *total;
    TRY(scratch_take(ctx, &total, slices_here(s) * width));
    if (segments == 0)
        TRY(cuda_zero(ctx, total, width * sizeof *total));
    TRY(each_slice(s, [&](size_t i, size_t first, size_t end) {
        return each_index(ctx, "norm_back", channels,
                          norm_total{ total + i * width, sums, first, end, channels });
    }));
    if (cut)
        TRY(sum_slices(ctx, s, total, total, width, width));
    return each_index(ctx, "norm_back", channels,
                      norm_round{ dscale_of(a), dshift_of(a), total, channels });
}

template <int N, class S>
static recon_status segment_gradients(recon_ctx *ctx, const recon_norm_args *a,
                                      const norm_slopes<S> &slopes, float *sums)
{
    norm_gradients<S> f;
    static_cast<norm_slopes<S> &>(f) = slopes;
    size_t segments = segments_of(a);
    f.sums = sums;
    bool one = segments == 1 && !a->offset.slices;
    f.dscale = one ? dscale_of(a) : nullptr;
    f.dshift = one ? dshift_of(a) : nullptr;
    TRY((column_sums<2, N>(ctx, "norm_back", f, segments, rows_of(a), recon_tensor_cols(&a->x),
                           data<int>(a->offset), a->field)));
    return one ? RECON_OK : total_segments(ctx, a, sums, f.channels);
}

template <int N, class S>
static recon_status batch_gradients(recon_ctx *ctx, const recon_norm_args *a,
                                    const norm_slopes<S> &slopes, float *sums)
{
    norm_slice_gradients<S> f;
    norm_batch_total total;
    static_cast<norm_slopes<S> &>(f) = slopes;
    TRY(sum_batch<N>(ctx, "norm_back", a, f));
    static_cast<norm_params &>(total) = f;
    total.dscale = dscale_of(a);
    total.dshift = dshift_of(a);
    total.sums = sums;
    total.total = f.sums;
    return each_index(ctx, "norm_back", f.channels, total);
}

template <int N, class S>
static recon_status norm_backward(recon_ctx *ctx, const recon_norm_args *a, S slope)
{
    typedef typename S::T T;
    norm_slopes<S> f;
    static_cast<norm_params &>(f) = params_of(a);
    float *sums;
    f.rows = sweep_update<N>(ctx, segments_of(a), rows_of(a), recon_tensor_cols(&a->x),
                             data<int>(a->offset));
    f.slope = slope;
    f.dskip = data<T>(a->dskip);
    f.batch = in_slices(a) ? batch_of(a).all : 0;
    scratch_begin(ctx);
    TRY(scratch_take(ctx, &sums, segments_of(a) * 2 * f.channels));
    TRY(in_slices(a) ? batch_gradients<N>(ctx, a, f, sums) : segment_gradients<N>(ctx, a, f, sums));
    if (!a->dx.data || recon_tensor_count(&a->x) == 0)
        return RECON_OK;
    if (!f.dskip)
        return pull_back<N>(ctx, a, f, slope, sums);
    norm_slope<T, MASK_NONE, false> kept = { f.dskip, nullptr, nullptr, slope.x };
    return pull_back<N>(ctx, a, f, kept, sums);
}

/* f(slope) with the form of it that the arguments ask for. */
template <class T, norm_mask MASK, class F>
static recon_status by_sum(const recon_norm_args *a, F f)
{
    const T *dy = data<T>(a->dy), *more = data<T>(a->dy_more), *y = data<T>(a->y),
            *x = data<T>(a->x);
    if (more)
        return f(norm_slope<T, MASK, true>{ dy, more, y, x });
    return f(norm_slope<T, MASK, false>{ dy, more, y, x });
}

template <class T, class F> static recon_status by_slope(const recon_norm_args *a, F f)
{
    if (!a->relu)
        return by_sum<T, MASK_NONE>(a, f);
    return a->skip.data ? by_sum<T, MASK_FROM_Y>(a, f) : by_sum<T, MASK_FROM_X>(a, f);
}

recon_status cuda_norm_back(recon_ctx *ctx, const recon_norm_args *a)
{
    return by_type(ctx, "norm_back", a->x.type, [&]<class T>(T) {
        bool wide = recon_tensor_cols(&a->x) % WIDE<T> == 0 &&
                    aligned(a->x.data, a->dx.data, a->dy.data, a->dy_more.data, a->dskip.data,
                            a->relu ? a->y.data : nullptr);
        return by_slope<T>(a, [&](auto slope) {
            return wide ? norm_backward<WIDE<T>>(ctx, a, slope) : norm_backward<1>(ctx, a, slope);
        });
    });
}
