/* blur.c - separable blurring with a stride. Both ways are one sum: over the places of the other
 * image that a place of this one is joined to. */
#include "ops/ref/ref.h"

/* The tap between row (or column) `large` of x and `small` of y; 0 when they are too far apart. */
static double tap(const recon_blur_args *a, size_t small, size_t large)
{
    size_t i = large + a->size / 2 - small * a->stride; /* wraps around when below 0 */
    return i < a->size ? a->taps[i] : 0;
}

static void span(const recon_blur_args *a, const recon_tensor *to, const recon_tensor *from,
                 int back, size_t begin, size_t end)
{
    size_t h = from->shape[1], w = from->shape[2], c = from->shape[3], wide = to->shape[2];
    for (size_t at = begin * wide * c; at < end * wide * c; at++) {
        size_t channel = at % c, col = at / c % wide, row = at / c / wide % to->shape[1];
        size_t n = at / c / wide / to->shape[1];
        double sum = 0;
        for (size_t i = 0; i < h; i++) {
            double vertical = back ? tap(a, i, row) : tap(a, row, i);
            for (size_t j = 0; j < w && vertical != 0; j++)
                sum += vertical * (back ? tap(a, j, col) : tap(a, col, j)) *
                       recon_ref_get(from, ((n * h + i) * w + j) * c + channel);
        }
        recon_ref_set(to, at, sum);
    }
}

static void forward_span(const void *args, size_t begin, size_t end)
{
    const recon_blur_args *a = args;
    span(a, &a->y, &a->x, 0, begin, end);
}

static void back_span(const void *args, size_t begin, size_t end)
{
    const recon_blur_args *a = args;
    span(a, &a->dx, &a->dy, 1, begin, end);
}

recon_status recon_ref_blur(recon_ctx *ctx, const recon_blur_args *args)
{
    return recon_ref_spans(ctx, forward_span, args, args->y.shape[0] * args->y.shape[1], 1);
}

recon_status recon_ref_blur_back(recon_ctx *ctx, const recon_blur_args *args)
{
    return recon_ref_spans(ctx, back_span, args, args->dx.shape[0] * args->dx.shape[1], 1);
}
