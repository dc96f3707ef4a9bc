/* field_norm.cu - norms and nonlinearities of scalars and pairs, in one pass.
 *
 * The formulas are those of ref/field_norm.c. A thread sweeps down N columns: wide ones hold whole
 * pairs, and a lone one fetches its partner. Sums go by column, scalars' about the first row; a
 * launch over the fields joins the two columns of a pair; then the update runs with its factors in
 * registers. Of a batch in slices each slice is a segment of the sums, which then meet in double. */
#include "ops/cuda/slices.h"
#include "ops/cuda/sweep.h"
#include "ops/cuda/table.h"

struct fields_params {
    sweep rows;
    size_t scalars, fields;
    float eps;
    const float *scale, *shift, *bias;
    const float *mean, *inv;                 /* of the batch, or */
    const float *running_mean, *running_var; /* when inv is NULL */

    __device__ size_t field(size_t col) const
    {
        return col < scalars ? col : scalars + (col - scalars) / 2;
    }
};

/* The factors of columns col .. col + N. */
template <int N> struct fields_factors {
    bool pair[N];
    float mean[N], inv[N], gain[N], offset[N]; /* gain = scale inv; offset: shift or bias */
    __device__ fields_factors(const fields_params &p, size_t col)
    {
        for (int k = 0; k < N; k++) {
            size_t f = p.field(col + k);
            pair[k] = col + k >= p.scalars;
            inv[k] = p.inv ? p.inv[f] : (float)rsqrt((double)p.running_var[f] + p.eps);
            mean[k] = pair[k] ? 0 : p.inv ? p.mean[f] : p.running_mean[f];
            gain[k] = p.scale[f] * inv[k];
            offset[k] = pair[k] ? p.bias[f - p.scalars] : p.shift[f];
        }
    }
};

/* N numbers of a row, and for each the other component of its pair (for scalars: not used). */
template <int N, class T>
__device__ void load_pairs(float (&v)[N], float (&other)[N], const T *row, size_t col,
                           size_t scalars)
{
    load(v, row + col);
    for (int k = 0; k < N; k++)
        other[k] = N > 1 ? v[N > 1 ? k ^ 1 : 0] : 0;
    if (N == 1 && col >= scalars)
        other[0] = to_float(row[scalars + ((col - scalars) ^ 1)]);
}

/* ---- statistics ---- */

template <int N> struct fields_pivot {
    float x[N];
};

template <class T> struct fields_moments : fields_params {
    const T *x;
    float *sums; /* [2][cols] */
    template <int N> __device__ fields_pivot<N> factors(size_t segment, size_t col) const
    {
        fields_pivot<N> pivot;
        load(pivot.x, x + rows.first(segment) * rows.cols + col);
        for (int k = 0; k < N; k++)
            pivot.x[k] = col + k < scalars ? pivot.x[k] : 0;
        return pivot;
    }
    template <int N>
    __device__ void add(float (&acc)[2][N], const fields_pivot<N> &pivot, size_t row,
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
    __device__ void finish(size_t, size_t col, const double (&sum)[2]) const
    {
        sums[col] = (float)sum[0];
        sums[rows.cols + col] = (float)sum[1];
    }
};

/* The same of slices, in double and about zero: so they can be added up. */
template <class T> struct fields_slice_moments : fields_moments<T> {
    double *sums; /* [slices][2][cols] */
    __device__ void finish(size_t slice, size_t col, const double (&sum)[2]) const
    {
        size_t cols = this->rows.cols;
        double n = (double)this->rows.count(slice);
        double pivot =
            col < this->scalars ? to_float(this->x[this->rows.first(slice) * cols + col]) : 0;
        sums[2 * slice * cols + col] = sum[0] + n * pivot;
        sums[(2 * slice + 1) * cols + col] = sum[1] + pivot * (2 * sum[0] + n * pivot);
    }
};

template <class S, class T> struct fields_find {
    const S *sums; /* [2][cols] */
    const T *x;    /* what they are about: the first row; NULL: zero */
    float *mean, *inv, *running_mean, *running_var;
    size_t scalars, cols;
    double count, eps;
    float momentum;
    __device__ void at(size_t f) const
    {
        const S *square = sums + cols;
        size_t c = 2 * f - scalars; /* of a pair */
        double off = f < scalars ? sums[f] / count : 0;
        double var = f < scalars ? fmax(square[f] / count - off * off, 0.)
                                 : ((double)square[c] + square[c + 1]) / (2 * count);
        inv[f] = (float)(1 / sqrt(var + eps));
        if (f < scalars) {
            mean[f] = (float)((x ? to_float(x[f]) : 0) + off);
            running_mean[f] += momentum * (mean[f] - running_mean[f]);
            var *= count > 1 ? count / (count - 1) : 1;
        }
        running_var[f] += momentum * ((float)var - running_var[f]);
    }
};

/* ---- forward ---- */

template <int N, class T> __global__ void fields_kernel(fields_params p, T *y, const T *x)
{
    sweep_place at = sweep_here<N>(p.rows);
    if (at.row >= at.end)
        return;
    fields_factors<N> f(p, at.col);
    for (size_t row = at.row; row < at.end; row += at.step) {
        float v[N], other[N];
        load_pairs(v, other, x + row * p.rows.cols, at.col, p.scalars);
        for (int k = 0; k < N; k++) {
            float u = (v[k] - f.mean[k]) * f.gain[k];
            if (f.pair[k]) {
                float w = other[k] * f.gain[k], norm = sqrtf(u * u + w * w);
                v[k] = (norm > 0 && norm + f.offset[k] > 0 ? 1 + f.offset[k] / norm : 0) * u;
            } else {
                u += f.offset[k];
                v[k] = u < 0 ? 0 : u; /* so, a NaN stays one */
            }
        }
        save(y + row * p.rows.cols + at.col, v);
    }
}

static fields_params params_of(const recon_field_norm_args *a)
{
    fields_params p = {};
    p.scalars = a->scalars;
    p.fields = a->scalars + a->pairs;
    p.eps = (float)a->eps;
    p.scale = data<float>(a->scale);
    p.shift = data<float>(a->shift);
    p.bias = data<float>(a->bias);
    p.mean = a->training ? data<float>(a->mean) : nullptr;
    p.inv = a->training ? data<float>(a->inv) : nullptr;
    p.running_mean = data<float>(a->running_mean);
    p.running_var = data<float>(a->running_var);
    return p;
}

/* The batch's rows; one that is not cut is a single slice. */
static recon_slices batch_of(const recon_field_norm_args *a)
{
    return recon_slices_in_rows(&a->x, recon_tensor_rows(&a->x));
}

/* f sweeps over the slices that are here, and leaves sums of each; then the batch's are the first. */
template <int N, class F>
static recon_status sum_batch(recon_ctx *ctx, const char *name, const recon_field_norm_args *a,
                              F &f)
{
    recon_slices s = batch_of(a);
    size_t cols = recon_tensor_cols(&a->x), here = recon_slices_here(&s);
    f.rows = sweep_plan<N>(ctx, slices_here(s), s.each, cols, nullptr, here);
    TRY(scratch_take(ctx, &f.sums, slices_here(s) * 2 * cols));
    TRY((column_sums<2, N>(ctx, name, f, slices_here(s), s.each, cols, nullptr, 1, here)));
    return sum_slices(ctx, s, f.sums, f.sums, 2 * cols, 2 * cols);
}

template <class S, class T>
static recon_status find_statistics(recon_ctx *ctx, const recon_field_norm_args *a, const T *x,
                                    const S *sums)
{
    fields_find<S, T> f = { sums,
                            x,
                            data<float>(a->mean),
                            data<float>(a->inv),
                            data<float>(a->running_mean),
                            data<float>(a->running_var),
                            a->scalars,
                            recon_tensor_cols(&a->x),
                            (double)batch_of(a).all,
                            a->eps,
                            (float)a->momentum };
    return each_index(ctx, "field_norm", a->scalars + a->pairs, f);
}

template <int N, class T>
static recon_status find_batch(recon_ctx *ctx, const recon_field_norm_args *a)
{
    fields_slice_moments<T> f;
    static_cast<fields_params &>(f) = params_of(a);
    f.x = data<T>(a->x);
    TRY(sum_batch<N>(ctx, "field_norm", a, f));
    return find_statistics(ctx, a, static_cast<const T *>(nullptr),
                           static_cast<const double *>(f.sums));
}

template <int N, class T>
static recon_status fields_forward(recon_ctx *ctx, const recon_field_norm_args *a)
{
    fields_moments<T> f;
    size_t rows = recon_tensor_rows(&a->x), cols = recon_tensor_cols(&a->x);
    static_cast<fields_params &>(f) = params_of(a);
    f.rows = sweep_update<N>(ctx, 1, rows, cols, nullptr);
    f.x = data<T>(a->x);
    scratch_begin(ctx);
    if (a->training && a->x.slices) {
        TRY((find_batch<N, T>(ctx, a)));
    } else if (a->training) {
        TRY(scratch_take(ctx, &f.sums, 2 * cols));
        TRY((column_sums<2, N>(ctx, "field_norm", f, 1, rows, cols, nullptr, 1)));
        TRY(find_statistics(ctx, a, f.x, static_cast<const float *>(f.sums)));
    }
    return launch(ctx, "field_norm", fields_kernel<N, T>, sweep_grid(f.rows),
                  dim3(f.rows.tx, f.rows.ty), static_cast<fields_params &>(f), data<T>(a->y), f.x);
}

/* Wide columns must not take a pair apart. */
template <class T> static bool is_wide(const recon_field_norm_args *a)
{
    return recon_tensor_cols(&a->x) % WIDE<T> == 0 && a->scalars % 2 == 0 &&
           aligned(a->x.data, a->y.data, a->dy.data, a->dx.data);
}

recon_status cuda_field_norm(recon_ctx *ctx, const recon_field_norm_args *a)
{
    return by_type(ctx, "field_norm", a->x.type, [&]<class T>(T) {
        return is_wide<T>(a) ? fields_forward<WIDE<T>, T>(ctx, a) : fields_forward<1, T>(ctx, a);
    });
}

/* ---- backward ---- */

/* The gradient in front of the nonlinearity from that behind it, d and (of a pair) dother. Returns
 * the offset's. */
__device__ static float pull(float &d, float dother, bool pair, float u, float w, float offset)
{
    if (!pair) {
        d = u + offset > 0 ? d : 0;
        return d;
    }
    float norm = sqrtf(u * u + w * w), dot = u * d + w * dother;
    bool open = norm > 0 && norm + offset > 0;
    float inv = open ? 1 / norm : 0, unit = dot * inv;
    d = open ? (1 + offset * inv) * d - unit * offset * inv * inv * u : 0;
    return unit;
}

/* Sums of the offset's gradient and of du xhat, by column. Both columns of a pair find the whole
 * gradient of its bias. */
template <class T> struct fields_slopes : fields_params {
    const T *dy, *x;
    float *sums; /* [2][cols] */
    template <int N> __device__ fields_factors<N> factors(size_t, size_t col) const
    {
        return fields_factors<N>(*this, col);
    }
    template <int N>
    __device__ void add(float (&acc)[2][N], const fields_factors<N> &f, size_t row,
                        size_t col) const
    {
        float d[N], dother[N], v[N], other[N];
        load_pairs(d, dother, dy + row * rows.cols, col, scalars);
        load_pairs(v, other, x + row * rows.cols, col, scalars);
        for (int k = 0; k < N; k++) {
            float off = v[k] - f.mean[k];
            acc[0][k] += pull(d[k], dother[k], f.pair[k], off * f.gain[k], other[k] * f.gain[k],
                              f.offset[k]);
            acc[1][k] += d[k] * off * f.inv[k];
        }
    }
    __device__ void finish(size_t, size_t col, const double (&sum)[2]) const
    {
        sums[col] = (float)sum[0];
        sums[rows.cols + col] = (float)sum[1];
    }
};

/* The same of slices, in double. */
template <class T> struct fields_slice_slopes : fields_slopes<T> {
    double *sums; /* [slices][2][cols] */
    __device__ void finish(size_t slice, size_t col, const double (&sum)[2]) const
    {
        size_t cols = this->rows.cols;
        sums[2 * slice * cols + col] = sum[0];
        sums[(2 * slice + 1) * cols + col] = sum[1];
    }
};

/* Gradients of the parameters; then what dx needs of each field: back and along. */
template <class S> struct fields_total {
    const S *sums; /* [2][cols] */
    float *dscale, *dshift, *dbias;
    float *back, *along;
    size_t scalars, cols;
    float count; /* 0: the statistics are constants */
    __device__ void at(size_t f) const
    {
        size_t c = 2 * f - scalars; /* of a pair */
        bool pair = f >= scalars;
        float offset = (float)sums[pair ? c : f];
        float slope = (float)(pair ? sums[cols + c] + sums[cols + c + 1] : sums[cols + f]);
        if (dscale)
            dscale[f] = slope;
        if (pair && dbias)
            dbias[f - scalars] = offset;
        if (!pair && dshift)
            dshift[f] = offset;
        back[f] = count > 0 && !pair ? offset / count : 0;
        along[f] = count > 0 ? slope / (pair ? 2 * count : count) : 0;
    }
};

template <int N, class T>
__global__ void fields_back_kernel(fields_params p, T *dx, const T *dy, const T *x,
                                   const float *back, const float *along)
{
    sweep_place at = sweep_here<N>(p.rows);
    if (at.row >= at.end)
        return;
    fields_factors<N> f(p, at.col);
    float shift[N], slope[N];
    for (int k = 0; k < N; k++) {
        size_t field = p.field(at.col + k);
        shift[k] = back[field];
        slope[k] = along[field] * f.inv[k];
    }
    for (size_t row = at.row; row < at.end; row += at.step) {
        float d[N], dother[N], v[N], other[N];
        load_pairs(d, dother, dy + row * p.rows.cols, at.col, p.scalars);
        load_pairs(v, other, x + row * p.rows.cols, at.col, p.scalars);
        for (int k = 0; k < N; k++) {
            float off = v[k] - f.mean[k];
            pull(d[k], dother[k], f.pair[k], off * f.gain[k], other[k] * f.gain[k], f.offset[k]);
            d[k] = f.gain[k] * (d[k] - shift[k] - off * slope[k]);
        }
        save(dx + row * p.rows.cols + at.col, d);
    }
}

template <class S>
static recon_status find_slopes(recon_ctx *ctx, const recon_field_norm_args *a, const S *sums,
                                float *back)
{
    size_t fields = a->scalars + a->pairs;
    fields_total<S> total = { sums,
                              data<float>(a->dscale),
                              data<float>(a->dshift),
                              data<float>(a->dbias),
                              back,
                              back + fields,
                              a->scalars,
                              recon_tensor_cols(&a->x),
                              a->training ? (float)batch_of(a).all : 0 };
    return each_index(ctx, "field_norm_back", fields, total);
}

template <int N, class T>
static recon_status find_batch_slopes(recon_ctx *ctx, const recon_field_norm_args *a,
                                      const fields_slopes<T> &slopes, float *back)
{
    fields_slice_slopes<T> f;
    static_cast<fields_slopes<T> &>(f) = slopes;
    TRY(sum_batch<N>(ctx, "field_norm_back", a, f));
    return find_slopes(ctx, a, static_cast<const double *>(f.sums), back);
}

template <int N, class T>
static recon_status fields_backward(recon_ctx *ctx, const recon_field_norm_args *a)
{
    fields_slopes<T> f;
    size_t rows = recon_tensor_rows(&a->x), cols = recon_tensor_cols(&a->x);
    float *back;
    static_cast<fields_params &>(f) = params_of(a);
    f.rows = sweep_update<N>(ctx, 1, rows, cols, nullptr);
    f.dy = data<T>(a->dy);
    f.x = data<T>(a->x);
    scratch_begin(ctx);
    TRY(scratch_take(ctx, &back, 2 * f.fields));
    if (a->x.slices) {
        TRY((find_batch_slopes<N, T>(ctx, a, f, back)));
    } else {
        TRY(scratch_take(ctx, &f.sums, 2 * cols));
        TRY((column_sums<2, N>(ctx, "field_norm_back", f, 1, rows, cols, nullptr, 1)));
        TRY(find_slopes(ctx, a, static_cast<const float *>(f.sums), back));
    }
    return launch(ctx, "field_norm_back", fields_back_kernel<N, T>, sweep_grid(f.rows),
                  dim3(f.rows.tx, f.rows.ty), static_cast<fields_params &>(f), data<T>(a->dx), f.dy,
                  f.x, back, back + f.fields);
}

recon_status cuda_field_norm_back(recon_ctx *ctx, const recon_field_norm_args *a)
{
    return by_type(ctx, "field_norm_back", a->x.type, [&]<class T>(T) {
        return is_wide<T>(a) ? fields_backward<WIDE<T>, T>(ctx, a) : fields_backward<1, T>(ctx, a);
    });
}
