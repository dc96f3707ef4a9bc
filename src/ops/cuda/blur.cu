/* blur.cu - separable blurring with a stride, one thread a pixel and a pack of channels. */
#include "ops/cuda/image.h"
#include "ops/cuda/table.h"

struct blur_taps {
    unsigned size, stride;
    float tap[RECON_BLUR_TAPS];
    __device__ float between(unsigned small, unsigned large) const
    {
        unsigned i = large + size / 2 - small * stride; /* wraps around when below 0 */
        return i < size ? tap[i] : 0;
    }
};

template <int N, class T> struct blur_forward {
    image_shape to, from; /* of y, of x */
    T *y;
    const T *x;
    blur_taps b;
    __device__ void at(size_t i) const
    {
        image_place p = place_of<N>(to, i);
        unsigned reach = b.size / 2, row = p.row * b.stride, col = p.col * b.stride;
        float sum[N] = {};
        for (unsigned r = row > reach ? row - reach : 0; r < min(row + reach + 1, from.h); r++)
            for (unsigned q = col > reach ? col - reach : 0; q < min(col + reach + 1, from.w);
                 q++) {
                float v[N], factor = b.between(p.row, r) * b.between(p.col, q);
                load(v, x + pixel_at(from, p.n, r, q, p.c));
                for (int k = 0; k < N; k++)
                    sum[k] += factor * v[k];
            }
        save(y + p.at, sum);
    }
};

template <int N, class T> struct blur_backward {
    image_shape to, from; /* of dx, of dy */
    T *dx;
    const T *dy;
    blur_taps b;
    /* The first place of y that reaches this one of x. */
    __device__ unsigned first(unsigned large) const
    {
        unsigned reach = b.size / 2;
        return large > reach ? (large - reach + b.stride - 1) / b.stride : 0;
    }
    __device__ unsigned end(unsigned large, unsigned count) const
    {
        return min((large + b.size / 2) / b.stride + 1, count);
    }
    __device__ void at(size_t i) const
    {
        image_place p = place_of<N>(to, i);
        float sum[N] = {};
        for (unsigned r = first(p.row); r < end(p.row, from.h); r++)
            for (unsigned q = first(p.col); q < end(p.col, from.w); q++) {
                float v[N], factor = b.between(r, p.row) * b.between(q, p.col);
                load(v, dy + pixel_at(from, p.n, r, q, p.c));
                for (int k = 0; k < N; k++)
                    sum[k] += factor * v[k];
            }
        save(dx + p.at, sum);
    }
};

static blur_taps taps_of(const recon_blur_args *a)
{
    blur_taps b = { (unsigned)a->size, (unsigned)a->stride, {} };
    for (size_t i = 0; i < a->size; i++)
        b.tap[i] = (float)a->taps[i];
    return b;
}

recon_status cuda_blur(recon_ctx *ctx, const recon_blur_args *a)
{
    return by_type(ctx, "blur", a->x.type, [&](auto t) {
        typedef decltype(t) T;
        image_shape to = shape_of(a->y), from = shape_of(a->x);
        return each_pixel<blur_forward, T>(ctx, "blur", to, aligned(a->y.data, a->x.data), to, from,
                                           data<T>(a->y), data<T>(a->x), taps_of(a));
    });
}

recon_status cuda_blur_back(recon_ctx *ctx, const recon_blur_args *a)
{
    return by_type(ctx, "blur_back", a->dx.type, [&](auto t) {
        typedef decltype(t) T;
        image_shape to = shape_of(a->dx), from = shape_of(a->dy);
        return each_pixel<blur_backward, T>(ctx, "blur_back", to, aligned(a->dx.data, a->dy.data),
                                            to, from, data<T>(a->dx), data<T>(a->dy), taps_of(a));
    });
}
