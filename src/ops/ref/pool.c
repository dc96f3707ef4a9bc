/* pool.c - average and max pooling. The gradient asks each input which windows it lies in. */
#include "ops/ref/ref.h"

static double window(const recon_pool_args *a, size_t at, size_t w, size_t c, int32_t *won)
{
    double sum = 0, best = recon_ref_get(&a->x, at);
    *won = 0;
    for (size_t i = 0; i < a->size; i++)
        for (size_t j = 0; j < a->size; j++) {
            double x = recon_ref_get(&a->x, at + (i * w + j) * c);
            sum += x;
            if (x > best) {
                best = x;
                *won = (int32_t)(i * a->size + j);
            }
        }
    return a->max ? best : sum / (double)(a->size * a->size);
}

/* Rows of y, over all images. */
static void pool_span(const void *args, size_t begin, size_t end)
{
    const recon_pool_args *a = args;
    size_t h = a->x.shape[1], w = a->x.shape[2], c = a->x.shape[3];
    size_t p = a->y.shape[1], q = a->y.shape[2];
    for (size_t i = begin * q * c; i < end * q * c; i++) {
        size_t channel = i % c, col = i / c % q, row = i / c / q % p, n = i / c / q / p;
        size_t at = ((n * h + row * a->stride) * w + col * a->stride) * c + channel;
        int32_t won;
        recon_ref_set(&a->y, i, window(a, at, w, c, &won));
        if (a->max)
            ((int32_t *)a->index.data)[i] = won;
    }
}

recon_status recon_ref_pool(recon_ctx *ctx, const recon_pool_args *args)
{
    return recon_ref_spans(ctx, pool_span, args, args->y.shape[0] * args->y.shape[1], 4);
}

/* What the windows over input row, col of image n send back to one channel. */
static double gradient(const recon_pool_args *a, size_t n, size_t row, size_t col, size_t channel)
{
    size_t p = a->dy.shape[1], q = a->dy.shape[2], c = a->dy.shape[3];
    size_t top = row < a->size ? 0 : (row - a->size) / a->stride + 1;
    size_t left = col < a->size ? 0 : (col - a->size) / a->stride + 1;
    double sum = 0;
    for (size_t i = top; i < p && i * a->stride <= row; i++)
        for (size_t j = left; j < q && j * a->stride <= col; j++) {
            size_t at = ((n * p + i) * q + j) * c + channel;
            size_t place = (row - i * a->stride) * a->size + col - j * a->stride;
            if (!a->max)
                sum += recon_ref_get(&a->dy, at) / (double)(a->size * a->size);
            else if (recon_ref_int(&a->index, at) == place)
                sum += recon_ref_get(&a->dy, at);
        }
    return sum;
}

static void pool_back_span(const void *args, size_t begin, size_t end)
{
    const recon_pool_args *a = args;
    size_t h = a->dx.shape[1], w = a->dx.shape[2], c = a->dx.shape[3];
    for (size_t i = begin * w * c; i < end * w * c; i++)
        recon_ref_set(&a->dx, i, gradient(a, i / c / w / h, i / c / w % h, i / c % w, i % c));
}

recon_status recon_ref_pool_back(recon_ctx *ctx, const recon_pool_args *args)
{
    return recon_ref_spans(ctx, pool_back_span, args, args->dx.shape[0] * args->dx.shape[1], 4);
}
