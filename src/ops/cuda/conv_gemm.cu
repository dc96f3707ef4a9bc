/* conv_gemm.cu - the patches of x under the filter are written out as rows, so that convolution is
 * a product with the filters; images are taken a few at a time, to bound the memory. The gradient
 * by x is the product the other way, and each input adds up the patches it lies in. */
#include "ops/cuda/conv_plan.h"
#include "ops/cuda/kernel.h"
#include "ops/cuda/table.h"

#define PATCH_BYTES ((size_t)256 << 20)

/* patches[n p q][kh kw c] of x. */
template <class T> struct write_patches {
    conv_dims d;
    T *patches;
    const T *x;
    __device__ void at(size_t i) const
    {
        size_t c = i % d.c, tap = i / d.c % (d.kh * d.kw), pixel = i / d.c / (d.kh * d.kw);
        size_t row = pixel / d.q % d.p * d.stride + tap / d.kw - d.pad; /* outside: huge */
        size_t col = pixel % d.q * d.stride + tap % d.kw - d.pad;
        size_t n = pixel / d.q / d.p;
        T zero;
        assign(zero, 0);
        patches[i] = row < d.h && col < d.w ? x[((n * d.h + row) * d.w + col) * d.c + c] : zero;
    }
};

template <class T> struct add_patches {
    conv_dims d;
    T *dx;
    const T *patches;
    __device__ void at(size_t i) const
    {
        size_t c = i % d.c, col = i / d.c % d.w, row = i / d.c / d.w % d.h, n = i / d.c / d.w / d.h;
        float sum = 0;
        for (size_t tap = 0; tap < d.kh * d.kw; tap++) {
            size_t down = row + d.pad - tap / d.kw, across = col + d.pad - tap % d.kw;
            size_t p = down / d.stride, q = across / d.stride;
            if (p >= d.p || q >= d.q || down % d.stride || across % d.stride)
                continue;
            size_t pixel = (n * d.p + p) * d.q + q;
            sum += to_float(patches[(pixel * d.kh * d.kw + tap) * d.c + c]);
        }
        assign(dx[i], sum);
    }
};

/* The product of one pass over the images from first on. */
static recon_gemm_args product_of(conv_pass pass, recon_dtype type, const conv_dims &d,
                                  const conv_operands &on, void *patches, void *y, bool again)
{
    size_t pixels = d.n * d.p * d.q, taps = d.kh * d.kw * d.c;
    recon_gemm_args g = {};
    g.type = type;
    g.tf32 = d.tf32;
    g.c_bf16 = type == RECON_BF16 && pass != CONV_BACK_FILTER;
    g.alpha = 1;
    g.beta = again;
    g.m = pass == CONV_BACK_FILTER ? d.o : pixels;
    g.n = pass == CONV_FORWARD ? d.o : taps;
    g.k = pass == CONV_FORWARD ? taps : pass == CONV_BACK_DATA ? d.o : pixels;
    g.transpose_a = pass == CONV_BACK_FILTER;
    g.transpose_b = pass == CONV_FORWARD;
    g.a = pass == CONV_FORWARD ? patches : y;
    g.lda = pass == CONV_FORWARD ? taps : d.o;
    g.b = pass == CONV_BACK_FILTER ? patches : on.w;
    g.ldb = taps;
    g.c = pass == CONV_FORWARD ? y : pass == CONV_BACK_DATA ? patches : on.w;
    g.ldc = pass == CONV_FORWARD ? d.o : taps;
    return g;
}

template <class T>
static recon_status run(recon_ctx *ctx, conv_pass pass, recon_dtype type, const conv_dims &d,
                        const conv_operands &on)
{
    size_t row = d.p * d.q * d.kh * d.kw * d.c; /* patch numbers of one image */
    size_t images = PATCH_BYTES / (row * sizeof(T) + 1) + 1;
    T *patches, *x = static_cast<T *>(on.x), *y = static_cast<T *>(on.y);
    if (images > d.n)
        images = d.n;
    TRY(scratch_take(ctx, &patches, images * row));
    for (size_t first = 0; first < d.n; first += images) {
        conv_dims part = d;
        part.n = d.n - first < images ? d.n - first : images;
        T *px = x + first * d.h * d.w * d.c, *py = y + first * d.p * d.q * d.o;
        recon_gemm_args g =
            product_of(pass, type, part, on, patches, py, pass == CONV_BACK_FILTER && first > 0);
        if (pass != CONV_BACK_DATA)
            TRY(each_index(ctx, "conv", part.n * row, write_patches<T>{ part, patches, px }));
        TRY(cuda_gemm(ctx, &g));
        if (pass == CONV_BACK_DATA)
            TRY(each_index(ctx, "conv_back", part.n * d.h * d.w * d.c,
                           add_patches<T>{ part, px, patches }));
    }
    return RECON_OK;
}

recon_status conv_gemm(recon_ctx *ctx, conv_pass pass, recon_dtype type, const conv_dims &dims,
                       const conv_operands &on)
{
    return by_type(ctx, "conv", type,
                   [&](auto t) { return run<decltype(t)>(ctx, pass, type, dims, on); });
}
