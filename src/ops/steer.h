/* steer.h - the sizes of a convolution by waves, for every table. */
#ifndef OPS_STEER_H
#define OPS_STEER_H

#include "ops/ops.h"

/* x n,h,w,c to y n,p,q,o by waves size x size. */
typedef struct {
    size_t n, h, w, c, p, q, o, size, pad;
} recon_steer_sizes;

static inline recon_steer_sizes recon_steer_sizes_of(const recon_steer_args *a)
{
    const size_t *shape = a->x.shape, size = a->wave.shape[1];
    recon_steer_sizes s = { shape[0], shape[1], shape[2], shape[3], 0, 0, 0, size, a->pad };
    s.p = s.h + 2 * s.pad + 1 - s.size;
    s.q = s.w + 2 * s.pad + 1 - s.size;
    for (size_t i = 0; i < a->products; i++)
        s.o += a->product[i].outputs;
    return s;
}

/* Features of a product: the channels of its planes. */
static inline size_t recon_steer_depth(const recon_steer_plane *plane, size_t planes)
{
    size_t depth = 0;
    for (size_t i = 0; i < planes; i++)
        depth += plane[i].channels;
    return depth;
}

/* Multiply-adds a pixel: of the convolution with the filters written out, and of the products. */
static inline double recon_steer_dense_work(const recon_steer_args *a)
{
    recon_steer_sizes s = recon_steer_sizes_of(a);
    return (double)(s.size * s.size) * (double)s.c * (double)s.o;
}
static inline double recon_steer_product_work(const recon_steer_args *a)
{
    const recon_steer_plane *plane = a->plane;
    double work = 0;
    for (size_t i = 0; i < a->products; i++) {
        work +=
            (double)recon_steer_depth(plane, a->product[i].planes) * (double)a->product[i].outputs;
        plane += a->product[i].planes;
    }
    return work;
}

#endif
