/* rotate.c - rotating images about their middle.
 *
 * Places are measured in pixels from the middle, X to the right and Y down, so that an image that
 * is not square rotates as on paper, without shear. Content that goes counter-clockwise by t on the
 * screen comes, at X, Y, from
 *
 *   X' = cos t X - sin t Y,   Y' = sin t X + cos t Y,   dX'/dt = -Y',   dY'/dt = X'. */
#include "ops/ref/sample.h"
#include "core/fail.h"

#include <math.h>

/* The source of pixel p, q of image n: from the middle, and from the first pixel's centre. */
typedef struct {
    double x, y, row, col;
} source;

static source source_of(const recon_rotate_args *a, size_t n, size_t p, size_t q)
{
    double middle_y = ((double)a->x.shape[1] - 1) / 2, middle_x = ((double)a->x.shape[2] - 1) / 2;
    double y = (double)p - middle_y, x = (double)q - middle_x, t = recon_ref_get(&a->angle, n);
    source s = { .x = cos(t) * x - sin(t) * y, .y = sin(t) * x + cos(t) * y };
    s.row = s.y + middle_y;
    s.col = s.x + middle_x;
    return s;
}

/* Each weight is a factor of the row times one of the column. */
static recon_sample taps(const recon_rotate_args *a, double row, double col, const double by_row[2],
                         const double by_col[2])
{
    recon_sample s = { 0 };
    double h = (double)a->x.shape[1], w = (double)a->x.shape[2];
    for (int k = 0; k < 4; k++) {
        double r = floor(row) + k / 2, c = floor(col) + k % 2;
        if (!(r >= 0 && c >= 0 && r < h && c < w)) /* nor where the angle is NaN */
            continue;
        s.at[k] = (size_t)(r * w + c);
        s.weight[k] = by_row[k / 2] * by_col[k % 2];
    }
    return s;
}

static recon_sample rotate_sample(const void *args, size_t n, size_t p, size_t q)
{
    source s = source_of(args, n, p, q);
    double fy = s.row - floor(s.row), fx = s.col - floor(s.col);
    return taps(args, s.row, s.col, (double[]){ 1 - fy, fy }, (double[]){ 1 - fx, fx });
}

/* The derivative of the sample by the angle, again as weights. */
static recon_sample rotating_sample(const void *args, size_t n, size_t p, size_t q)
{
    source s = source_of(args, n, p, q);
    double fy = s.row - floor(s.row), fx = s.col - floor(s.col), slope[] = { -1, 1 };
    recon_sample by_x = taps(args, s.row, s.col, (double[]){ 1 - fy, fy }, slope);
    recon_sample by_y = taps(args, s.row, s.col, slope, (double[]){ 1 - fx, fx });
    for (int k = 0; k < 4; k++)
        by_x.weight[k] = by_y.weight[k] * s.x - by_x.weight[k] * s.y;
    return by_x;
}

recon_status recon_ref_rotate(recon_ctx *ctx, const recon_rotate_args *args)
{
    return recon_ref_sample(ctx, &args->y, &args->x, rotate_sample, args);
}

static void dangle_span(const void *args, size_t begin, size_t end)
{
    const recon_rotate_args *a = args;
    size_t h = a->x.shape[1], w = a->x.shape[2], c = a->x.shape[3];
    for (size_t n = begin; n < end; n++) {
        double sum = 0;
        for (size_t i = 0; i < h * w; i++) {
            recon_sample s = rotating_sample(a, n, i / w, i % w);
            for (size_t k = 0; k < c; k++)
                sum += recon_ref_get(&a->dy, (n * h * w + i) * c + k) *
                       recon_sample_value(&s, &a->x, n * h * w * c, c, k);
        }
        recon_ref_set(&a->dangle, n, sum);
    }
}

recon_status recon_ref_rotate_back(recon_ctx *ctx, const recon_rotate_args *args)
{
    recon_status status = RECON_OK;
    if (args->dx.data)
        RECON_TRY(recon_ref_unsample(ctx, &args->dx, &args->dy, rotate_sample, args));
    if (args->dangle.data)
        RECON_TRY(recon_ref_spans(ctx, dangle_span, args, args->angle.shape[0], 1));
done:
    return status;
}
