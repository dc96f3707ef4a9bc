/* image.c - resampling one image.
 *
 * The weight of a pixel is a factor of its row times one of its column, so each axis gives a few
 * taps; a tap outside keeps a pixel inside and the weight 0, which leaves the loop over a row
 * without branches. Places are in double: a turn by 90 degrees then lands on pixels to within a
 * float's rounding, and is exact. */
#include <recon/data/image.h>
#include "core/simd.h"

#include <math.h>

enum { LINEAR = 2, CUBIC = 4 };

typedef struct {
    int at[CUBIC];
    float weight[CUBIC];
} taps;

static inline __attribute__((always_inline)) float clip(float weight, int at, int size)
{
    return (at >= 0) & (at < size) ? weight : 0;
}

/* n taps about a place on an axis, counted from the first pixel's centre. */
static inline __attribute__((always_inline)) taps taps_at(double place, int size, int n)
{
    double low = -CUBIC, high = (double)size + CUBIC;
    place = place > low ? place : low; /* and NaN */
    place = place < high ? place : high;
    double floored = floor(place);
    float f = (float)(place - floored), w[CUBIC] = { 1 - f, f };
    int first = (int)floored - (n / 2 - 1);
    if (n == CUBIC) {
        w[0] = f * (-0.5f + f * (1 - 0.5f * f));
        w[1] = 1 + f * f * (-2.5f + 1.5f * f);
        w[2] = f * (0.5f + f * (2 - 1.5f * f));
        w[3] = f * f * (-0.5f + 0.5f * f);
    }
    taps t;
    for (int k = 0; k < n; k++) {
        int at = first + k;
        t.weight[k] = clip(w[k], at, size);
        t.at[k] = at < 0 ? 0 : at >= size ? size - 1 : at;
    }
    return t;
}

typedef struct {
    int height, width;
    size_t channels;
    double middle_x, middle_y;
    recon_affine source;
} frame;

/* One row of out. channels and n stand apart from the frame: constants where it is inlined. */
static inline __attribute__((always_inline)) void warp_row(float *restrict out,
                                                           const float *restrict in, const frame *f,
                                                           int p, size_t channels, int n)
{
    const double(*m)[2] = f->source.matrix, up = f->middle_y - p;
    double x0 = m[0][1] * up + f->source.shift[0] + f->middle_x;
    double y0 = f->middle_y - m[1][1] * up - f->source.shift[1];
    double x1 = m[0][0], y1 = -m[1][0];
    int height = f->height, width = f->width;
    double middle = f->middle_x;
    for (int q = 0; q < width; q++) {
        double right = q - middle;
        taps row = taps_at(y0 + y1 * right, height, n), col = taps_at(x0 + x1 * right, width, n);
        for (size_t c = 0; c < channels; c++) {
            float sum = 0;
            for (int i = 0; i < n; i++) {
                float line = 0;
                for (int j = 0; j < n; j++)
                    line +=
                        col.weight[j] *
                        in[((size_t)row.at[i] * (size_t)width + (size_t)col.at[j]) * channels + c];
                sum += row.weight[i] * line;
            }
            out[(size_t)q * channels + c] = sum;
        }
    }
}

RECON_CLONES static void warp_grey(float *restrict out, const float *restrict in, const frame *f)
{
    for (int p = 0; p < f->height; p++)
        warp_row(out + (size_t)p * (size_t)f->width, in, f, p, 1, LINEAR);
}

RECON_CLONES static void warp_linear(float *restrict out, const float *restrict in, const frame *f)
{
    for (int p = 0; p < f->height; p++)
        warp_row(out + (size_t)p * (size_t)f->width * f->channels, in, f, p, f->channels, LINEAR);
}

RECON_CLONES static void warp_cubic(float *restrict out, const float *restrict in, const frame *f)
{
    for (int p = 0; p < f->height; p++)
        warp_row(out + (size_t)p * (size_t)f->width * f->channels, in, f, p, f->channels, CUBIC);
}

void recon_image_warp(float *out, const float *in, size_t height, size_t width, size_t channels,
                      const recon_affine *source, recon_interpolation interpolation)
{
    frame f = {
        (int)height, (int)width, channels, ((double)width - 1) / 2, ((double)height - 1) / 2,
        *source
    };
    if (height == 0 || width == 0)
        return;
    if (interpolation == RECON_BICUBIC)
        warp_cubic(out, in, &f);
    else if (channels == 1)
        warp_grey(out, in, &f);
    else
        warp_linear(out, in, &f);
}

/* Pixels first .. last of an axis that a triangle about a place covers, and their weights. */
typedef struct {
    double place, reach;
    size_t first, last; /* last < first: the place is outside */
} window;

static window window_at(double place, double reach, size_t size)
{
    window w = { place, reach, 1, 0 };
    if (place < -0.5 || place > (double)size - 0.5)
        return w;
    w.first = place - reach > 0 ? (size_t)ceil(place - reach) : 0;
    w.last = place + reach < (double)size - 1 ? (size_t)floor(place + reach) : size - 1;
    return w;
}

static double window_weight(const window *w, size_t at)
{
    return 1 - fabs((double)at - w->place) / w->reach;
}

static void average(float *out, const float *in, size_t width, size_t channels, const window *row,
                    const window *col)
{
    double total = 0;
    for (size_t c = 0; c < channels; c++) {
        double sum = 0;
        total = 0;
        for (size_t i = row->first; i <= row->last; i++)
            for (size_t j = col->first; j <= col->last; j++) {
                double weight = window_weight(row, i) * window_weight(col, j);
                sum += weight * (double)in[(i * width + j) * channels + c];
                total += weight;
            }
        out[c] = total > 0 ? (float)(sum / total) : 0;
    }
}

void recon_image_fit(float *out, size_t size, const float *in, size_t height, size_t width,
                     size_t channels)
{
    double step = (double)(height > width ? height : width) / (double)size;
    double reach = step > 1 ? step : 1, middle = ((double)size - 1) / 2;
    for (size_t p = 0; p < size; p++)
        for (size_t q = 0; q < size; q++, out += channels) {
            window row =
                window_at(((double)p - middle) * step + ((double)height - 1) / 2, reach, height);
            window col =
                window_at(((double)q - middle) * step + ((double)width - 1) / 2, reach, width);
            average(out, in, width, channels, &row, &col);
        }
}

recon_affine recon_image_turn_source(double angle)
{
    double c = cos(angle), s = sin(angle);
    return (recon_affine){ { { c, s }, { -s, c } }, { 0, 0 } };
}

void recon_image_turn(float *out, const float *in, size_t height, size_t width, size_t channels,
                      double angle, recon_interpolation interpolation)
{
    recon_affine source = recon_image_turn_source(angle);
    recon_image_warp(out, in, height, width, channels, &source, interpolation);
}
