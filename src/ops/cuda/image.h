/* image.h - kernels over images n, h, w, c: one thread a pixel and a pack of channels. */
#ifndef OPS_CUDA_IMAGE_H
#define OPS_CUDA_IMAGE_H

#include "ops/cuda/kernel.h"

struct image_shape {
    unsigned n, h, w, c;
};

static inline image_shape shape_of(const recon_tensor &t)
{
    return { (unsigned)t.shape[0], (unsigned)t.shape[1], (unsigned)t.shape[2],
             (unsigned)t.shape[3] };
}

/* One pixel of one image, and the first of its N channels. */
struct image_place {
    unsigned n, row, col, c;
    size_t at; /* of that channel */
};

template <int N> __device__ inline image_place place_of(const image_shape &s, size_t i)
{
    unsigned packs = s.c / N;
    size_t pixel = i / packs;
    image_place p;
    p.c = (unsigned)(i % packs) * N;
    p.col = (unsigned)(pixel % s.w);
    p.row = (unsigned)(pixel / s.w % s.h);
    p.n = (unsigned)(pixel / s.w / s.h);
    p.at = pixel * s.c + p.c;
    return p;
}

/* Where a pixel's channels from c on begin. */
__device__ inline size_t pixel_at(const image_shape &s, unsigned n, unsigned row, unsigned col,
                                  unsigned c)
{
    return (((size_t)n * s.h + row) * s.w + col) * s.c + c;
}

/* Runs F<N, T> over the pixels of shape, N wide where the channels and pointers allow it. */
template <template <int, class> class F, class T, class... A>
recon_status each_pixel(recon_ctx *ctx, const char *name, const image_shape &shape, bool wide,
                        A... args)
{
    size_t n = (size_t)shape.n * shape.h * shape.w * shape.c;
    if (wide && shape.c % WIDE<T> == 0)
        return each_index(ctx, name, n / WIDE<T>, F<WIDE<T>, T>{ args... });
    return each_index(ctx, name, n, F<1, T>{ args... });
}

#endif
