/* resize.c - bilinear resizing, both corner conventions. */
#include "ops/ref/sample.h"

#include <math.h>

typedef struct {
    size_t h, w, p, q; /* of x and of y */
    int align_corners;
} resizing;

/* Where pixel i of to pixels lies among from pixels. */
static double place(size_t i, size_t from, size_t to, int align_corners)
{
    double last = (double)from - 1;
    if (align_corners)
        return to > 1 ? (double)i * last / ((double)to - 1) : 0;
    return fmin(fmax(((double)i + 0.5) * (double)from / (double)to - 0.5, 0), last);
}

static recon_sample resize_sample(const void *args, size_t n, size_t p, size_t q)
{
    (void)n;
    const resizing *r = args;
    double y = place(p, r->h, r->p, r->align_corners), x = place(q, r->w, r->q, r->align_corners);
    size_t top = (size_t)y, left = (size_t)x;
    size_t bottom = top + 1 < r->h ? top + 1 : top, right = left + 1 < r->w ? left + 1 : left;
    double fy = y - (double)top, fx = x - (double)left;
    return (recon_sample){ { top * r->w + left, top * r->w + right, bottom * r->w + left,
                             bottom * r->w + right },
                           { (1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx } };
}

static resizing between(const recon_tensor *x, const recon_tensor *y, int align_corners)
{
    return (resizing){ x->shape[1], x->shape[2], y->shape[1], y->shape[2], align_corners };
}

recon_status recon_ref_resize(recon_ctx *ctx, const recon_resize_args *args)
{
    resizing r = between(&args->x, &args->y, args->align_corners);
    return recon_ref_sample(ctx, &args->y, &args->x, resize_sample, &r);
}

recon_status recon_ref_resize_back(recon_ctx *ctx, const recon_resize_args *args)
{
    resizing r = between(&args->dx, &args->dy, args->align_corners);
    return recon_ref_unsample(ctx, &args->dx, &args->dy, resize_sample, &r);
}
