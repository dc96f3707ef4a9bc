/* resize.c - bilinear resizing: between two rows, then between two columns, channels as vectors. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/images.h"
#include "core/simd.h"

#include <math.h>
#include <string.h>

typedef struct {
    size_t h, w, p, q, c; /* of x and of y */
    int align_corners;
} sizes;

/* The two pixels that pixel i of `to` lies between among `from`, and how far behind the first. */
typedef struct {
    size_t first, second;
    float part;
} place;

static place place_of(size_t i, size_t from, size_t to, int align_corners)
{
    double last = (double)from - 1, at;
    if (align_corners)
        at = to > 1 ? (double)i * last / ((double)to - 1) : 0;
    else
        at = fmin(fmax(((double)i + 0.5) * (double)from / (double)to - 0.5, 0), last);
    size_t first = (size_t)at;
    return (place){ first, first + 1 < from ? first + 1 : first, (float)(at - (double)first) };
}

/* The corners of y's pixel i, j in x, and their weights. */
typedef struct {
    size_t at[4];
    float weight[4];
} corners;

static inline corners corners_of(const sizes *s, const place *row, size_t j)
{
    place col = place_of(j, s->w, s->q, s->align_corners);
    size_t top = row->first * s->w, bottom = row->second * s->w;
    float fy = row->part, fx = col.part;
    return (corners){ { (top + col.first) * s->c, (top + col.second) * s->c,
                        (bottom + col.first) * s->c, (bottom + col.second) * s->c },
                      { (1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx } };
}

RECON_CLONES static void sample(float *restrict y, const float *restrict x, const sizes *s)
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

RECON_CLONES static void unsample(float *restrict dx, const float *restrict dy, const sizes *s)
{
    memset(dx, 0, s->h * s->w * s->c * sizeof *dx);
    for (size_t i = 0; i < s->p; i++) {
        place row = place_of(i, s->h, s->p, s->align_corners);
        for (size_t j = 0; j < s->q; j++, dy += s->c) {
            corners k = corners_of(s, &row, j);
            for (int t = 0; t < 4; t++)
                recon_add_scaled(dx + k.at[t], k.weight[t], dy, s->c);
        }
    }
}

static sizes sizes_of(const recon_tensor *x, const recon_tensor *y, int align_corners)
{
    return (
        sizes){ x->shape[1], x->shape[2], y->shape[1], y->shape[2], x->shape[3], align_corners };
}

static void resize_image(const void *args, size_t n, float *y, const float *x)
{
    (void)n;
    sample(y, x, args);
}

static void resize_back_image(const void *args, size_t n, float *dx, const float *dy)
{
    (void)n;
    unsample(dx, dy, args);
}

recon_status recon_cpu_resize(recon_ctx *ctx, const recon_resize_args *args)
{
    sizes s = sizes_of(&args->x, &args->y, args->align_corners);
    return recon_images(ctx, resize_image, &s, &args->y, &args->x);
}

recon_status recon_cpu_resize_back(recon_ctx *ctx, const recon_resize_args *args)
{
    sizes s = sizes_of(&args->dx, &args->dy, args->align_corners);
    return recon_images(ctx, resize_back_image, &s, &args->dx, &args->dy);
}
