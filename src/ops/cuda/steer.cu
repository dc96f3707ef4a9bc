/* steer.cu - a convolution by waves: a thread a feature, then cuBLAS.
 *
 * Images are taken a few at a time, to bound the memory of the features. Next to cuDNN's dense
 * convolutions on tensor cores the filtering is what costs: it is bound by memory, and the dense
 * filters are not. A batch in slices goes slice by slice. */
#include "ops/cuda/slices.h"
#include "ops/cuda/table.h"
#include "ops/steer.h"

#define FEATURE_BYTES ((size_t)256 << 20)

/* One plane of a product on the images of a pass. */
template <class T> struct plane_pass {
    recon_steer_sizes s;
    unsigned from, channels, conjugate;
    const float *a, *b; /* waves; b NULL: none */
    unsigned depth, at; /* features of a pixel, and the plane's first */
    T *feature;
    /* The sign of wave b in feature c, on its partner's channel; of wave a on its own. */
    __device__ float sign_a(unsigned c) const
    {
        return c % 2 && conjugate ? -1.0f : 1.0f;
    }
    __device__ float sign_b(unsigned c) const
    {
        return c % 2 || conjugate ? 1.0f : -1.0f;
    }
};

template <class T> struct filter_plane {
    plane_pass<T> p;
    const T *x;
    __device__ void at(size_t i) const
    {
        const recon_steer_sizes &s = p.s;
        unsigned c = (unsigned)(i % p.channels), size = (unsigned)s.size;
        size_t pixel = i / p.channels, q = pixel % s.q, row = pixel / s.q % s.p;
        const T *image = x + pixel / s.q / s.p * s.h * s.w * s.c + p.from;
        float sum = 0;
        for (unsigned tap = 0; tap < size * size; tap++) {
            size_t down = row + tap / size - s.pad, across = q + tap % size - s.pad;
            if (down >= s.h || across >= s.w) /* outside: huge */
                continue;
            const T *from = image + (down * s.w + across) * s.c;
            sum += (p.b ? p.sign_a(c) : 1.0f) * p.a[tap] * to_float(from[c]);
            if (p.b)
                sum += p.sign_b(c) * p.b[tap] * to_float(from[c ^ 1]);
        }
        assign(p.feature[pixel * p.depth + p.at + c], sum);
    }
};

/* Adds what a plane's gradient makes of each number of dx. */
struct unfilter_plane {
    plane_pass<float> p;
    float *dx;
    __device__ void at(size_t i) const
    {
        const recon_steer_sizes &s = p.s;
        unsigned c = (unsigned)(i % p.channels), size = (unsigned)s.size;
        size_t place = i / p.channels, col = place % s.w, row = place / s.w % s.h;
        size_t image = place / s.w / s.h * s.p * s.q;
        float sum = 0;
        for (unsigned tap = 0; tap < size * size; tap++) {
            size_t down = row + s.pad - tap / size, across = col + s.pad - tap % size;
            if (down >= s.p || across >= s.q)
                continue;
            const float *d = p.feature + (image + down * s.q + across) * p.depth + p.at;
            sum += (p.b ? p.sign_a(c) : 1.0f) * p.a[tap] * d[c];
            if (p.b)
                sum += p.sign_b(c ^ 1) * p.b[tap] * d[c ^ 1];
        }
        dx[place * s.c + p.from + c] += sum;
    }
};

/* One product on the images first .. first + s.n. */
struct steer_pass {
    const recon_steer_args *a;
    recon_steer_sizes s;
    const recon_steer_plane *plane;
    size_t planes, depth, outputs, to, weights, first;
    void *feature;   /* of the type of x */
    float *gradient; /* of the features  */
    float *dx;       /* sums, of all images */
};

template <class T>
static plane_pass<T> plane_of(const steer_pass &v, const recon_steer_plane &plane, size_t at,
                              T *feature)
{
    const float *wave = data<float>(v.a->wave);
    size_t taps = v.s.size * v.s.size;
    return { v.s,
             (unsigned)plane.from,
             (unsigned)plane.channels,
             (unsigned)plane.conjugate,
             wave + plane.a * taps,
             plane.b < 0 ? nullptr : wave + plane.b * taps,
             (unsigned)v.depth,
             (unsigned)at,
             feature };
}

template <class T> static recon_status filter(recon_ctx *ctx, const steer_pass &v)
{
    const T *x = data<T>(v.a->x) + v.first * v.s.h * v.s.w * v.s.c;
    size_t at = 0, pixels = v.s.n * v.s.p * v.s.q;
    for (size_t i = 0; i < v.planes; at += v.plane[i++].channels)
        TRY(each_index(ctx, "steer", pixels * v.plane[i].channels,
                       filter_plane<T>{ plane_of(v, v.plane[i], at, (T *)v.feature), x }));
    return RECON_OK;
}

static recon_status unfilter(recon_ctx *ctx, const steer_pass &v)
{
    float *dx = v.dx + v.first * v.s.h * v.s.w * v.s.c;
    size_t at = 0, places = v.s.n * v.s.h * v.s.w;
    for (size_t i = 0; i < v.planes; at += v.plane[i++].channels)
        TRY(each_index(ctx, "steer_back", places * v.plane[i].channels,
                       unfilter_plane{ plane_of(v, v.plane[i], at, v.gradient), dx }));
    return RECON_OK;
}

static recon_gemm_args product_of(const steer_pass &v)
{
    recon_gemm_args g = {};
    g.type = v.a->x.type;
    g.tf32 = v.a->tf32;
    g.alpha = 1;
    return g;
}

template <class T> static recon_status forward(recon_ctx *ctx, const steer_pass &v)
{
    recon_gemm_args g = product_of(v);
    T *y = data<T>(v.a->y) + v.first * v.s.p * v.s.q * v.s.o + v.to;
    if (v.depth == 0) {
        CUDA_TRY(cudaMemset2DAsync(y, v.s.o * sizeof(T), 0, v.outputs * sizeof(T),
                                   v.s.n * v.s.p * v.s.q, cuda_of(ctx)->stream));
        return RECON_OK;
    }
    TRY(filter<T>(ctx, v));
    g.m = v.s.n * v.s.p * v.s.q, g.n = v.outputs, g.k = v.depth;
    g.transpose_b = 1;
    g.c_bf16 = g.type == RECON_BF16;
    g.a = v.feature, g.lda = v.depth;
    g.b = data<T>(v.a->w) + v.weights, g.ldb = v.depth;
    g.c = y, g.ldc = v.s.o;
    return cuda_gemm(ctx, &g);
}

template <class T> static recon_status backward(recon_ctx *ctx, const steer_pass &v)
{
    recon_gemm_args g = product_of(v);
    const T *dy = data<T>(v.a->dy) + v.first * v.s.p * v.s.q * v.s.o + v.to;
    size_t pixels = v.s.n * v.s.p * v.s.q;
    g.a = dy, g.lda = v.s.o;
    if (v.a->dw.data) {
        TRY(filter<T>(ctx, v));
        g.m = v.outputs, g.n = v.depth, g.k = pixels;
        g.transpose_a = 1;
        g.beta = v.first > 0;
        g.b = v.feature, g.ldb = v.depth;
        g.c = data<float>(v.a->dw) + v.weights, g.ldc = v.depth;
        TRY(cuda_gemm(ctx, &g));
    }
    if (!v.dx)
        return RECON_OK;
    g.m = pixels, g.n = v.depth, g.k = v.outputs;
    g.transpose_a = 0;
    g.beta = 0;
    g.b = data<T>(v.a->w) + v.weights, g.ldb = v.depth;
    g.c = v.gradient, g.ldc = v.depth;
    TRY(cuda_gemm(ctx, &g));
    return unfilter(ctx, v);
}

/* The images of one product, as many at a time as the features' memory allows. */
template <class F> static recon_status each_pass(recon_ctx *ctx, steer_pass v, F run)
{
    size_t all = v.s.n, pixel = (v.depth ? v.depth : 1) * sizeof(float);
    size_t fit = FEATURE_BYTES / (v.s.p * v.s.q * pixel);
    v.s.n = fit < 1 ? 1 : fit < all ? fit : all;
    TRY(scratch_take(ctx, &v.feature, v.s.n * v.s.p * v.s.q * pixel));
    TRY(scratch_take(ctx, &v.gradient, v.s.n * v.s.p * v.s.q * (v.depth ? v.depth : 1)));
    for (; v.first < all; v.first += v.s.n) {
        v.s.n = all - v.first < v.s.n ? all - v.first : v.s.n;
        TRY(run(v));
    }
    return RECON_OK;
}

template <class F>
static recon_status each_product(recon_ctx *ctx, const recon_steer_args *a, float *dx, F run)
{
    steer_pass v = {};
    v.a = a;
    v.s = recon_steer_sizes_of(a);
    v.plane = a->plane;
    v.dx = dx;
    size_t used = cuda_of(ctx)->scratch_used;
    for (size_t i = 0; i < a->products; i++) {
        v.planes = a->product[i].planes;
        v.outputs = a->product[i].outputs;
        v.depth = recon_steer_depth(v.plane, v.planes);
        cuda_of(ctx)->scratch_used = used; /* the stream is in order: the next may use it again */
        TRY(each_pass(ctx, v, run));
        v.plane += v.planes;
        v.to += v.outputs;
        v.weights += v.outputs * v.depth;
    }
    return RECON_OK;
}

recon_status cuda_steer(recon_ctx *ctx, const recon_steer_args *a)
{
    typedef recon_steer_args A;
    if (a->x.slices)
        return in_slices<A>(ctx, a, cuda_steer, { &A::x }, { &A::y });
    return by_type(ctx, "steer", a->x.type, [&]<class T>(T) {
        scratch_begin(ctx);
        return each_product(ctx, a, nullptr,
                            [&](const steer_pass &v) { return forward<T>(ctx, v); });
    });
}

recon_status cuda_steer_back(recon_ctx *ctx, const recon_steer_args *a)
{
    typedef recon_steer_args A;
    if (a->x.slices)
        return in_slices<A>(ctx, a, cuda_steer_back, { &A::x, &A::dy }, { &A::dx }, { &A::dw });
    return by_type(ctx, "steer_back", a->x.type, [&]<class T>(T) {
        size_t count = recon_tensor_count(&a->x);
        float *dx = nullptr;
        scratch_begin(ctx);
        if (a->dx.data)
            TRY(scratch_take(ctx, &dx, count));
        if (dx)
            TRY(cuda_zero(ctx, dx, count * sizeof(float)));
        if (a->dw.data)
            TRY(cuda_zero(ctx, a->dw.data, recon_tensor_bytes(&a->dw)));
        TRY(each_product(ctx, a, dx, [&](const steer_pass &v) { return backward<T>(ctx, v); }));
        if (!dx)
            return (recon_status)RECON_OK;
        recon_add_args cast = {};
        cast.alpha = 1;
        cast.y = a->dx;
        cast.a = a->x;
        cast.a.type = RECON_F32;
        cast.a.data = dx;
        return cuda_add(ctx, &cast);
    });
}

/* Not against cuDNN on tensor cores: the products shrink, but the features have to pass through
 * memory twice. */
int cuda_steer_pays(recon_ctx *, const recon_steer_args *, int)
{
    return 0;
}
