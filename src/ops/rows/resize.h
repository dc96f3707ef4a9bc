/* resize.h - bilinear resizing: between two rows, then between two columns, channels as vectors. */
#ifndef OPS_ROWS_RESIZE_H
#define OPS_ROWS_RESIZE_H

#include "ops/rows/real.h"

typedef struct {
    size_t h, w, p, q, c; /* of x and of y */
    int align_corners;
} resizing;

/* The two pixels that pixel i of `to` lies between among `from`, and how far behind the first. */
typedef struct {
    size_t first, second;
    real part;
} place;

static place place_of(size_t i, size_t from, size_t to, int align_corners)
{
    double last = (double)from - 1, at;
    if (align_corners)
        at = to > 1 ? (double)i * last / ((double)to - 1) : 0;
    else
        at = fmin(fmax(((double)i + 0.5) * (double)from / (double)to - 0.5, 0), last);
    size_t first = (size_t)at;
    return (place){ first, first + 1 < from ? first + 1 : first, (real)(at - (double)first) };
}

/* The corners of y's pixel i, j in x, and their weights. */
typedef struct {
    size_t at[4];
    real weight[4];
} corners;

static inline corners corners_of(const resizing *s, const place *row, size_t j)
{
    place col = place_of(j, s->w, s->q, s->align_corners);
    size_t top = row->first * s->w, bottom = row->second * s->w;
    real fy = row->part, fx = col.part;
    return (corners){ { (top + col.first) * s->c, (top + col.second) * s->c,
                        (bottom + col.first) * s->c, (bottom + col.second) * s->c },
                      { (1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx } };
}

RECON_CLONES static void resize(real *restrict y, const real *restrict x, const resizing *s)
{
    for (size_t i = 0; i < s->p; i++) {
        place row = place_of(i, s->h, s->p, s->align_corners);
        for (size_t j = 0; j < s->q; j++, y += s->c) {
            corners k = corners_of(s, &row, j);
            for (size_t c = 0; c < s->c; c++)
                y[c] = k.weight[0] * x[k.at[0] + c] + k.weight[1] * x[k.at[1] + c] +
                       k.weight[2] * x[k.at[2] + c] + k.weight[3] * x[k.at[3] + c];
        }
    }
}

RECON_CLONES static void resize_back(real *restrict dx, const real *restrict dy, const resizing *s)
{
    memset(dx, 0, s->h * s->w * s->c * sizeof *dx);
    for (size_t i = 0; i < s->p; i++) {
        place row = place_of(i, s->h, s->p, s->align_corners);
        for (size_t j = 0; j < s->q; j++, dy += s->c) {
            corners k = corners_of(s, &row, j);
            for (int t = 0; t < 4; t++)
                add_scaled(dx + k.at[t], k.weight[t], dy, s->c);
        }
    }
}

static resizing resizing_of(const recon_tensor *x, const recon_tensor *y, int align_corners)
{
    return (resizing){ x->shape[1], x->shape[2], y->shape[1],
                       y->shape[2], x->shape[3], align_corners };
}

static void resize_image(const void *args, size_t n, real *y, const real *x, const real *dy,
                         real *scratch)
{
    (void)n, (void)dy, (void)scratch;
    resize(y, x, args);
}

static void resize_back_image(const void *args, size_t n, real *dx, const real *x, const real *dy,
                              real *scratch)
{
    (void)n, (void)x, (void)scratch;
    resize_back(dx, dy, args);
}

recon_status ENTRY(resize)(recon_ctx *ctx, const recon_resize_args *args)
{
    resizing s = resizing_of(&args->x, &args->y, args->align_corners);
    return each_image(ctx, resize_image, &s, &args->y, &args->x, NULL);
}

recon_status ENTRY(resize_back)(recon_ctx *ctx, const recon_resize_args *args)
{
    resizing s = resizing_of(&args->dx, &args->dy, args->align_corners);
    return each_image(ctx, resize_back_image, &s, &args->dx, NULL, &args->dy);
}

#endif
