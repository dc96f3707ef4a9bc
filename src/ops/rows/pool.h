/* pool.h - average and max pooling, an image at a time, the channels as vectors. */
#ifndef OPS_ROWS_POOL_H
#define OPS_ROWS_POOL_H

#include "ops/rows/real.h"

/* Sizes of one image before and after. */
typedef struct {
    size_t w, p, q, c, size, stride;
} window;

static window window_of(const recon_pool_args *a, const recon_tensor *x, const recon_tensor *y)
{
    return (window){ x->shape[2], y->shape[1], y->shape[2], y->shape[3], a->size, a->stride };
}

/* Offset of the window of output i, j, in numbers. */
static inline size_t window_corner(const window *v, size_t i, size_t j)
{
    return (i * v->stride * v->w + j * v->stride) * v->c;
}

RECON_CLONES static void average(real *restrict y, const real *restrict x, const window *v)
{
    real share = 1 / (real)(v->size * v->size);
    for (size_t i = 0; i < v->p; i++)
        for (size_t j = 0; j < v->q; j++, y += v->c) {
            const real *at = x + window_corner(v, i, j);
            scale_run(y, share, at, v->c);
            for (size_t k = 1; k < v->size * v->size; k++)
                add_scaled(y, share, at + (k / v->size * v->w + k % v->size) * v->c, v->c);
        }
}

RECON_CLONES static void spread(real *restrict dx, const real *restrict dy, const window *v)
{
    real share = 1 / (real)(v->size * v->size);
    for (size_t i = 0; i < v->p; i++)
        for (size_t j = 0; j < v->q; j++, dy += v->c)
            for (size_t k = 0; k < v->size * v->size; k++)
                add_scaled(dx + window_corner(v, i, j) + (k / v->size * v->w + k % v->size) * v->c,
                           share, dy, v->c);
}

RECON_CLONES static void largest(real *restrict y, int32_t *restrict index, const real *restrict x,
                                 const window *v)
{
    for (size_t i = 0; i < v->p; i++)
        for (size_t j = 0; j < v->q; j++, y += v->c, index += v->c) {
            const real *at = x + window_corner(v, i, j);
            memcpy(y, at, v->c * sizeof *y);
            memset(index, 0, v->c * sizeof *index);
            for (size_t k = 1; k < v->size * v->size; k++) {
                const real *from = at + (k / v->size * v->w + k % v->size) * v->c;
                for (size_t c = 0; c < v->c; c++) {
                    index[c] = from[c] > y[c] ? (int32_t)k : index[c];
                    y[c] = from[c] > y[c] ? from[c] : y[c];
                }
            }
        }
}

static void send_back(real *dx, const int32_t *index, const real *dy, const window *v)
{
    for (size_t i = 0; i < v->p; i++)
        for (size_t j = 0; j < v->q; j++, dy += v->c, index += v->c) {
            real *at = dx + window_corner(v, i, j);
            for (size_t c = 0; c < v->c; c++) {
                size_t k = (size_t)index[c];
                at[(k / v->size * v->w + k % v->size) * v->c + c] += dy[c];
            }
        }
}

static void pool_image(const void *args, size_t n, real *y, const real *x, const real *dy,
                       real *scratch)
{
    const recon_pool_args *a = args;
    window v = window_of(a, &a->x, &a->y);
    (void)dy, (void)scratch;
    if (a->max)
        largest(y, (int32_t *)a->index.data + n * v.p * v.q * v.c, x, &v);
    else
        average(y, x, &v);
}

static void pool_back_image(const void *args, size_t n, real *dx, const real *x, const real *dy,
                            real *scratch)
{
    const recon_pool_args *a = args;
    window v = window_of(a, &a->dx, &a->dy);
    (void)x, (void)scratch;
    memset(dx, 0, a->dx.shape[1] * v.w * v.c * sizeof *dx);
    if (a->max)
        send_back(dx, (const int32_t *)a->index.data + n * v.p * v.q * v.c, dy, &v);
    else
        spread(dx, dy, &v);
}

recon_status ENTRY(pool)(recon_ctx *ctx, const recon_pool_args *args)
{
    return each_image(ctx, pool_image, args, &args->y, &args->x, NULL);
}

recon_status ENTRY(pool_back)(recon_ctx *ctx, const recon_pool_args *args)
{
    return each_image(ctx, pool_back_image, args, &args->dx, NULL, &args->dy);
}

#endif
