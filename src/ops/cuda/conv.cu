/* conv.cu - convolution and linear layers, forward and backward.
 *
 * A filter of one pixel is a product of matrices and goes to cuBLAS; everything else goes to cuDNN,
 * and what cuDNN has no plan for to conv_gemm. The tensor cores want channels in eights: in BF16
 * other counts are filled up with zeros in scratch memory on the way in and cut off on the way out.
 * Bias and ReLU are one more pass over y; their gradients share one pass over dy. A batch in slices is
 * convolved slice by slice. */
#include "ops/cuda/conv_plan.h"
#include "ops/cuda/slices.h"
#include "ops/cuda/sweep.h"
#include "ops/cuda/table.h"

static conv_dims dims_of(const recon_conv_args *a)
{
    bool image = a->x.ndim == 4;
    conv_dims d = {};
    d.tf32 = a->tf32;
    d.n = image ? a->x.shape[0] : recon_tensor_rows(&a->x);
    d.h = image ? a->x.shape[1] : 1;
    d.w = image ? a->x.shape[2] : 1;
    d.c = recon_tensor_cols(&a->x);
    d.o = a->w.shape[0];
    d.kh = a->w.ndim == 4 ? a->w.shape[1] : 1;
    d.kw = a->w.ndim == 4 ? a->w.shape[2] : 1;
    d.stride = image ? a->stride : 1;
    d.pad = image ? a->pad : 0;
    d.p = (d.h + 2 * d.pad - d.kh) / d.stride + 1;
    d.q = (d.w + 2 * d.pad - d.kw) / d.stride + 1;
    return d;
}

static bool is_product(const conv_dims &d)
{
    return d.kh == 1 && d.kw == 1 && d.stride == 1 && d.pad == 0;
}

template <class T> static size_t fill_up(size_t channels)
{
    return sizeof(T) == 2 ? (channels + 7) / 8 * 8 : channels;
}

/* ---- matrices with columns filled up or cut off, in any type ---- */

template <class To, class From> struct fit_columns {
    To *to;
    const From *from;
    size_t to_cols, from_cols;
    __device__ void at(size_t i) const
    {
        size_t row = i / to_cols, col = i % to_cols;
        assign(to[i], col < from_cols ? to_float(from[row * from_cols + col]) : 0);
    }
};

template <class To, class From>
static recon_status fit(recon_ctx *ctx, To *to, size_t to_cols, const From *from, size_t from_cols,
                        size_t rows)
{
    return each_index(ctx, "conv", rows * to_cols,
                      fit_columns<To, From>{ to, from, to_cols, from_cols });
}

/* What cuDNN reads in place of `from`: itself, or a copy with `rows` rows (of zeros past its own)
 * of `cols` columns. */
template <class T>
static recon_status fitted(recon_ctx *ctx, T **out, T *from, size_t from_rows, size_t rows,
                           size_t from_cols, size_t cols)
{
    *out = from;
    if (rows == from_rows && cols == from_cols && aligned(from))
        return RECON_OK;
    TRY(scratch_take(ctx, out, rows * cols));
    TRY(cuda_zero(ctx, *out + from_rows * cols, (rows - from_rows) * cols * sizeof(T)));
    return fit(ctx, *out, cols, from, from_cols, from_rows);
}

/* ---- one pass, by whoever can ---- */

static recon_status convolve(recon_ctx *ctx, conv_pass pass, recon_dtype type, const conv_dims &d,
                             const conv_operands &on)
{
    const conv_plan *plan;
    TRY(conv_plan_find(ctx, &plan, conv_key{ pass, type, type, d }, on));
    return plan ? conv_plan_run(ctx, plan, on) : conv_gemm(ctx, pass, type, d, on);
}

/* dw is F32 where cuDNN can give it so; else, and where that is timed to be faster, it is rounded
 * to the type and widened again. */
template <class T>
static recon_status convolve_filter(recon_ctx *ctx, recon_dtype type, const conv_dims &d,
                                    const conv_operands &on)
{
    const conv_plan *wide, *narrow = nullptr;
    size_t n = d.o * d.kh * d.kw * d.c;
    TRY(conv_plan_find(ctx, &wide, conv_key{ CONV_BACK_FILTER, type, RECON_F32, d }, on));
    bool ask = type == RECON_BF16 && (!wide || conv_plan_ms(wide) > 0);
    if (ask) {
        conv_operands rounded = on;
        TRY(scratch_take(ctx, &rounded.w, n * sizeof(T)));
        TRY(conv_plan_find(ctx, &narrow, conv_key{ CONV_BACK_FILTER, type, type, d }, rounded));
        if (narrow && (!wide || conv_plan_ms(narrow) < conv_plan_ms(wide))) {
            TRY(conv_plan_run(ctx, narrow, rounded));
            return fit(ctx, static_cast<float *>(on.w), n, static_cast<T *>(rounded.w), n, 1);
        }
    }
    return wide ? conv_plan_run(ctx, wide, on) : conv_gemm(ctx, CONV_BACK_FILTER, type, d, on);
}

/* rows x o = rows x c times c x o, and its two gradients. */
static recon_status multiply(recon_ctx *ctx, conv_pass pass, recon_dtype type, const conv_dims &d,
                             const conv_operands &on)
{
    size_t rows = d.n * d.h * d.w;
    recon_gemm_args g = {};
    g.type = type;
    g.tf32 = d.tf32;
    g.c_bf16 = type == RECON_BF16 && pass != CONV_BACK_FILTER;
    g.alpha = 1;
    g.m = pass == CONV_BACK_FILTER ? d.o : rows;
    g.n = pass == CONV_FORWARD ? d.o : d.c;
    g.k = pass == CONV_FORWARD ? d.c : pass == CONV_BACK_DATA ? d.o : rows;
    g.transpose_a = pass == CONV_BACK_FILTER;
    g.transpose_b = pass == CONV_FORWARD;
    g.a = pass == CONV_FORWARD ? on.x : on.y;
    g.lda = pass == CONV_FORWARD ? d.c : d.o;
    g.b = pass == CONV_BACK_FILTER ? on.x : on.w;
    g.ldb = d.c;
    g.c = pass == CONV_FORWARD ? on.y : pass == CONV_BACK_DATA ? on.x : on.w;
    g.ldc = pass == CONV_FORWARD ? d.o : d.c;
    return cuda_gemm(ctx, &g);
}

/* ---- forward ---- */

/* y = act(from + bias), from being `cols` wide; y and from may be one. */
template <int N, class T>
__global__ void bias_kernel(sweep s, T *y, const T *from, size_t cols, const float *bias, int relu)
{
    sweep_place at = sweep_here<N>(s);
    if (at.row >= at.end)
        return;
    float b[N];
    for (int k = 0; k < N; k++)
        b[k] = bias ? bias[at.col + k] : 0;
    for (size_t row = at.row; row < at.end; row += at.step) {
        float v[N];
        load(v, from + row * cols + at.col);
        for (int k = 0; k < N; k++)
            v[k] = relu && v[k] + b[k] < 0 ? 0 : v[k] + b[k];
        save(y + row * s.cols + at.col, v);
    }
}

template <int N, class T>
static recon_status add_bias(recon_ctx *ctx, const recon_conv_args *a, const T *from, size_t cols)
{
    size_t o = recon_tensor_cols(&a->y), rows = recon_tensor_rows(&a->y);
    sweep s = sweep_update<N>(ctx, 1, rows, o, nullptr);
    return launch(ctx, "conv", bias_kernel<N, T>, sweep_grid(s), dim3(s.tx, s.ty), s, data<T>(a->y),
                  from, cols, data<float>(a->bias), a->relu);
}

template <class T>
static recon_status forward_images(recon_ctx *ctx, const recon_conv_args *a, const conv_dims &d,
                                   T **y, size_t *cols)
{
    conv_dims f = d;
    T *x, *w;
    f.c = fill_up<T>(d.c);
    f.o = fill_up<T>(d.o);
    *cols = f.o;
    *y = data<T>(a->y);
    TRY(fitted(ctx, &x, data<T>(a->x), d.n * d.h * d.w, d.n * d.h * d.w, d.c, f.c));
    TRY(fitted(ctx, &w, data<T>(a->w), d.o * d.kh * d.kw, f.o * d.kh * d.kw, d.c, f.c));
    if (f.o != d.o || !aligned(*y))
        TRY(scratch_take(ctx, y, d.n * d.p * d.q * f.o));
    return convolve(ctx, CONV_FORWARD, a->x.type, f, conv_operands{ x, w, *y });
}

template <class T> static recon_status forward(recon_ctx *ctx, const recon_conv_args *a)
{
    conv_dims d = dims_of(a);
    T *from = data<T>(a->y);
    size_t cols = d.o;
    if (d.n == 0)
        return RECON_OK;
    scratch_begin(ctx);
    if (is_product(d))
        TRY(multiply(ctx, CONV_FORWARD, a->x.type, d,
                     conv_operands{ a->x.data, a->w.data, a->y.data }));
    else
        TRY(forward_images<T>(ctx, a, d, &from, &cols));
    if (from == a->y.data && !a->bias.data && !a->relu)
        return RECON_OK;
    if (d.o % WIDE<T> == 0 && aligned(a->y.data))
        return add_bias<WIDE<T>, T>(ctx, a, from, cols);
    return add_bias<1, T>(ctx, a, from, cols);
}

recon_status cuda_conv(recon_ctx *ctx, const recon_conv_args *args)
{
    typedef recon_conv_args A;
    if (args->x.slices)
        return in_slices<A>(ctx, args, cuda_conv, { &A::x }, { &A::y });
    return by_type(ctx, "conv", args->x.type,
                   [&](auto t) { return forward<decltype(t)>(ctx, args); });
}

/* ---- backward ---- */

/* Sums dbias and writes dy as the other passes want it: masked, `cols` wide, on the way. */
template <class T> struct bias_gradient {
    T *to; /* or NULL */
    const T *dy, *y;
    float *dbias; /* or NULL */
    size_t o, cols;
    int relu;
    template <int N> __device__ no_factors factors(size_t, size_t) const
    {
        return {};
    }
    template <int N>
    __device__ void add(float (&acc)[1][N], no_factors, size_t row, size_t col) const
    {
        float d[N] = {}, v[N];
        if (col < o) {
            load(d, dy + row * o + col);
            if (relu)
                load(v, y + row * o + col);
            for (int k = 0; k < N; k++) {
                d[k] = !relu || v[k] > 0 ? d[k] : 0;
                acc[0][k] += d[k];
            }
        }
        if (to)
            save(to + row * cols + col, d);
    }
    __device__ void finish(size_t, size_t col, const double (&sum)[1]) const
    {
        if (dbias && col < o)
            dbias[col] = (float)sum[0];
    }
};

/* *out is dy ready for use, `cols` wide. */
template <class T>
static recon_status ready_dy(recon_ctx *ctx, T **out, const recon_conv_args *a, size_t o,
                             size_t cols)
{
    size_t rows = recon_tensor_count(&a->dy) / o;
    *out = data<T>(a->dy);
    bool copy = (a->relu || cols != o || !aligned(*out)) && (a->dx.data || a->dw.data);
    if (!copy && !a->dbias.data)
        return RECON_OK;
    bias_gradient<T> f = { nullptr, *out, data<T>(a->y), data<float>(a->dbias), o, cols, a->relu };
    if (copy) {
        TRY(scratch_take(ctx, out, rows * cols));
        f.to = *out;
    }
    if (o % WIDE<T> == 0 && aligned(f.dy, f.relu ? f.y : nullptr))
        return column_sums<1, WIDE<T>>(ctx, "conv_back", f, 1, rows, cols, nullptr, 1);
    return column_sums<1, 1>(ctx, "conv_back", f, 1, rows, cols, nullptr, 1);
}

template <class T>
static recon_status back_data(recon_ctx *ctx, const recon_conv_args *a, const conv_dims &d,
                              const conv_dims &f, T *dy)
{
    size_t pixels = d.n * d.h * d.w;
    T *w, *dx = data<T>(a->dx);
    TRY(fitted(ctx, &w, data<T>(a->w), d.o * d.kh * d.kw, f.o * d.kh * d.kw, d.c, f.c));
    bool direct = f.c == d.c && aligned(dx);
    if (!direct)
        TRY(scratch_take(ctx, &dx, pixels * f.c));
    TRY(convolve(ctx, CONV_BACK_DATA, a->dx.type, f, conv_operands{ dx, w, dy }));
    return direct ? RECON_OK : fit(ctx, data<T>(a->dx), d.c, dx, f.c, pixels);
}

template <class T>
static recon_status back_filter(recon_ctx *ctx, const recon_conv_args *a, const conv_dims &d,
                                const conv_dims &f, T *dy)
{
    size_t pixels = d.n * d.h * d.w;
    T *x;
    float *dw = data<float>(a->dw);
    TRY(fitted(ctx, &x, data<T>(a->x), pixels, pixels, d.c, f.c));
    bool direct = f.c == d.c && f.o == d.o && aligned(dw);
    if (!direct)
        TRY(scratch_take(ctx, &dw, f.o * f.kh * f.kw * f.c));
    TRY(convolve_filter<T>(ctx, a->x.type, f, conv_operands{ x, dw, dy }));
    return direct ? RECON_OK : fit(ctx, data<float>(a->dw), d.c, dw, f.c, d.o * d.kh * d.kw);
}

template <class T> static recon_status backward(recon_ctx *ctx, const recon_conv_args *a)
{
    conv_dims d = dims_of(a), f = d;
    bool product = is_product(d);
    T *dy;
    if (!product) {
        f.c = fill_up<T>(d.c);
        f.o = fill_up<T>(d.o);
    }
    scratch_begin(ctx);
    TRY(ready_dy<T>(ctx, &dy, a, d.o, f.o));
    if (product) {
        if (a->dx.data)
            TRY(multiply(ctx, CONV_BACK_DATA, a->dy.type, d,
                         conv_operands{ a->dx.data, a->w.data, dy }));
        return a->dw.data ? multiply(ctx, CONV_BACK_FILTER, a->dy.type, d,
                                     conv_operands{ a->x.data, a->dw.data, dy })
                          : RECON_OK;
    }
    if (a->dx.data)
        TRY(back_data<T>(ctx, a, d, f, dy));
    return a->dw.data ? back_filter<T>(ctx, a, d, f, dy) : RECON_OK;
}

recon_status cuda_conv_back(recon_ctx *ctx, const recon_conv_args *args)
{
    typedef recon_conv_args A;
    if (args->x.slices)
        return in_slices<A>(ctx, args, cuda_conv_back, { &A::x, &A::y, &A::dy }, { &A::dx },
                            { &A::dw, &A::dbias });
    return by_type(ctx, "conv_back", args->dy.type,
                   [&](auto t) { return backward<decltype(t)>(ctx, args); });
}
