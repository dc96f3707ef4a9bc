/* rotate.h - rotating images about their middle.
 *
 * Places are measured in pixels from the middle, X to the right and Y down, so that an image that
 * is not square rotates as on paper, without shear. Content that goes counter-clockwise by t on the
 * screen comes, at X, Y, from
 *
 *   X' = cos t X - sin t Y,   Y' = sin t X + cos t Y,   dX'/dt = -Y',   dY'/dt = X'.
 *
 * Places are in double, so that all backends agree on the pixels a place lies between. */
#ifndef OPS_ROWS_ROTATE_H
#define OPS_ROWS_ROTATE_H

#include "ops/rows/real.h"

typedef struct {
    long h, w;
    size_t c;
    double middle_x, middle_y, cosine, sine;
} rotation;

static rotation rotation_of(const recon_rotate_args *a, size_t n)
{
    double t = (double)get_real(&a->angle, n);
    const size_t *s = a->dy.data ? a->dy.shape : a->x.shape;
    return (rotation){ (long)s[1], (long)s[2], s[3], ((double)s[2] - 1) / 2, ((double)s[1] - 1) / 2,
                       cos(t),     sin(t) };
}

/* Where pixel p, q comes from: the pixel up and left of it, and the way from there. */
typedef struct {
    double x, y; /* from the middle */
    long row, col;
    real fy, fx;
} source;

static inline source source_of(const rotation *t, size_t p, size_t q)
{
    double y = (double)p - t->middle_y, x = (double)q - t->middle_x;
    source s = { .x = t->cosine * x - t->sine * y, .y = t->sine * x + t->cosine * y };
    double row = s.y + t->middle_y, col = s.x + t->middle_x, top = floor(row), left = floor(col);
    s.row = (long)top, s.col = (long)left;
    s.fy = (real)(row - top), s.fx = (real)(col - left);
    return s;
}

/* Offset of the k-th corner in numbers, or -1 when it is outside. */
static inline long corner(const rotation *t, const source *s, int k)
{
    long r = s->row + k / 2, c = s->col + k % 2;
    return r >= 0 && c >= 0 && r < t->h && c < t->w ? (r * t->w + c) * (long)t->c : -1;
}

static inline real weight(const source *s, int k)
{
    return (k / 2 ? s->fy : 1 - s->fy) * (k % 2 ? s->fx : 1 - s->fx);
}

/* One channel, one row of y, without a branch: a pixel outside counts with weight 0. */
RECON_CLONES static void rotate_row(real *restrict y, const real *restrict x, const rotation *t,
                                    size_t p)
{
    int h = (int)t->h, w = (int)t->w;
    double down = (double)p - t->middle_y, cosine = t->cosine, sine = t->sine;
    double middle_x = t->middle_x, middle_y = t->middle_y;
    for (int q = 0; q < w; q++) {
        double across = (double)q - middle_x;
        double row = sine * across + cosine * down + middle_y;
        double col = cosine * across - sine * down + middle_x;
        double top = floor(row), left = floor(col);
        real fy = (real)(row - top), fx = (real)(col - left);
        int r = (int)top, c = (int)left;
        real upper = ((r >= 0) & (r < h)) ? 1 - fy : 0, lower = ((r >= -1) & (r < h - 1)) ? fy : 0;
        real first = ((c >= 0) & (c < w)) ? 1 - fx : 0, second = ((c >= -1) & (c < w - 1)) ? fx : 0;
        int r0 = r < 0 ? 0 : r >= h ? h - 1 : r, r1 = r < -1 ? 0 : r >= h - 1 ? h - 1 : r + 1;
        int c0 = c < 0 ? 0 : c >= w ? w - 1 : c, c1 = c < -1 ? 0 : c >= w - 1 ? w - 1 : c + 1;
        y[q] = upper * (first * x[r0 * w + c0] + second * x[r0 * w + c1]) +
               lower * (first * x[r1 * w + c0] + second * x[r1 * w + c1]);
    }
}

RECON_CLONES static void rotate(real *restrict y, const real *restrict x, const rotation *t)
{
    for (size_t p = 0; p < (size_t)t->h; p++)
        for (size_t q = 0; q < (size_t)t->w; q++, y += t->c) {
            source s = source_of(t, p, q);
            memset(y, 0, t->c * sizeof *y);
            for (int k = 0; k < 4; k++) {
                long at = corner(t, &s, k);
                if (at >= 0)
                    add_scaled(y, weight(&s, k), x + at, t->c);
            }
        }
}

RECON_CLONES static void rotate_back(real *restrict dx, const real *restrict dy, const rotation *t)
{
    memset(dx, 0, (size_t)(t->h * t->w) * t->c * sizeof *dx);
    for (size_t p = 0; p < (size_t)t->h; p++)
        for (size_t q = 0; q < (size_t)t->w; q++, dy += t->c) {
            source s = source_of(t, p, q);
            for (int k = 0; k < 4; k++) {
                long at = corner(t, &s, k);
                if (at >= 0)
                    add_scaled(dx + at, weight(&s, k), dy, t->c);
            }
        }
}

/* The sum over pixels of dy times the derivative of the sample by the angle. */
RECON_CLONES static double along_angle(const real *dy, const real *x, const rotation *t)
{
    double sum = 0;
    for (size_t p = 0; p < (size_t)t->h; p++)
        for (size_t q = 0; q < (size_t)t->w; q++, dy += t->c) {
            source s = source_of(t, p, q);
            for (int k = 0; k < 4; k++) {
                long at = corner(t, &s, k);
                real by_x = (k % 2 ? 1 : -1) * (k / 2 ? s.fy : 1 - s.fy);
                real by_y = (k / 2 ? 1 : -1) * (k % 2 ? s.fx : 1 - s.fx);
                double slope = (double)by_y * s.x - (double)by_x * s.y;
                for (size_t c = 0; at >= 0 && c < t->c; c++)
                    sum += slope * (double)(dy[c] * x[(size_t)at + c]);
            }
        }
    return sum;
}

static void rotate_image(const void *args, size_t n, real *y, const real *x, const real *dy,
                         real *scratch)
{
    rotation t = rotation_of(args, n);
    (void)dy, (void)scratch;
    if (t.c > 1)
        rotate(y, x, &t);
    else
        for (size_t p = 0; p < (size_t)t.h; p++)
            rotate_row(y + p * (size_t)t.w, x, &t, p);
}

static void rotate_back_image(const void *args, size_t n, real *dx, const real *x, const real *dy,
                              real *scratch)
{
    rotation t = rotation_of(args, n);
    (void)x, (void)scratch;
    rotate_back(dx, dy, &t);
}

static void angle_of_image(const void *args, size_t n, real *dangle, const real *x, const real *dy,
                           real *scratch)
{
    rotation t = rotation_of(args, n);
    (void)scratch;
    *dangle = (real)along_angle(dy, x, &t);
}

recon_status ENTRY(rotate)(recon_ctx *ctx, const recon_rotate_args *args)
{
    return each_image(ctx, rotate_image, args, &args->y, &args->x, NULL);
}

recon_status ENTRY(rotate_back)(recon_ctx *ctx, const recon_rotate_args *args)
{
    if (args->dx.data)
        RECON_CHECK(each_image(ctx, rotate_back_image, args, &args->dx, NULL, &args->dy));
    if (args->dangle.data)
        RECON_CHECK(each_image(ctx, angle_of_image, args, &args->dangle, &args->x, &args->dy));
    return RECON_OK;
}

#endif
