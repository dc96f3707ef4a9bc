/* image.c - resampling one image.
 *
 * The weight of a pixel is a factor of its row times one of its column, so each axis gives a few
 * taps; a tap outside keeps a pixel inside and the weight 0, which leaves the loop over a row
 * without branches. Places are in double: a rotation by 90 degrees then lands on pixels to within a
 * float's rounding, and is exact. */
#include <recon/data/dataset.h>
#include "core/simd.h"

#include "core/threads.h"
#include "data/image.h"

#include <math.h>
#include <string.h>

enum { LINEAR = 2, CUBIC = 4 };

/* What an image is made of. */
typedef enum { FLOATS, BYTES, WORDS } samples;

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

static inline __attribute__((always_inline)) float sample(const void *in, size_t at, samples of)
{
    return of == FLOATS  ? ((const float *)in)[at]
           : of == BYTES ? (float)((const uint8_t *)in)[at]
                         : (float)((const uint16_t *)in)[at];
}

/* One pixel from its taps. */
static inline __attribute__((always_inline)) void blend(float *restrict out, const void *in,
                                                        const taps *row, const taps *col, int width,
                                                        size_t channels, int n, samples of)
{
    for (size_t c = 0; c < channels; c++) {
        float sum = 0;
        for (int i = 0; i < n; i++) {
            float line = 0;
            for (int j = 0; j < n; j++)
                line +=
                    col->weight[j] *
                    sample(in,
                           ((size_t)row->at[i] * (size_t)width + (size_t)col->at[j]) * channels + c,
                           of);
            sum += row->weight[i] * line;
        }
        out[c] = sum;
    }
}

/* The same where the last channel is alpha: colours count by it. */
static inline __attribute__((always_inline)) void blend_alpha(float *restrict out, const void *in,
                                                              const taps *row, const taps *col,
                                                              int width, size_t channels, int n,
                                                              samples of)
{
    size_t last = channels - 1;
    for (size_t c = 0; c < channels; c++)
        out[c] = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            size_t at = ((size_t)row->at[i] * (size_t)width + (size_t)col->at[j]) * channels;
            float weight = row->weight[i] * col->weight[j] * sample(in, at + last, of);
            for (size_t c = 0; c < last; c++)
                out[c] += weight * sample(in, at + c, of);
            out[last] += weight;
        }
    for (size_t c = 0; c < last; c++)
        out[c] = out[last] > 0 ? out[c] / out[last] : 0;
}

/* Pixels from .. to - 1 of row p, to out. channels, n, of and alpha stand apart from the frame:
 * constants where it is inlined. */
static inline __attribute__((always_inline)) void warp_row(float *restrict out, const void *in,
                                                           const frame *f, int p, int from, int to,
                                                           size_t channels, int n, samples of,
                                                           int alpha)
{
    const double(*m)[2] = f->source.matrix, up = f->middle_y - p;
    double x0 = m[0][1] * up + f->source.shift[0] + f->middle_x;
    double y0 = f->middle_y - m[1][1] * up - f->source.shift[1];
    double x1 = m[0][0], y1 = -m[1][0];
    int height = f->height, width = f->width;
    double middle = f->middle_x;
    for (int q = from; q < to; q++, out += channels) {
        double right = q - middle;
        taps row = taps_at(y0 + y1 * right, height, n), col = taps_at(x0 + x1 * right, width, n);
        if (alpha)
            blend_alpha(out, in, &row, &col, width, channels, n, of);
        else
            blend(out, in, &row, &col, width, channels, n, of);
    }
}

RECON_CLONES static void warp_grey(float *restrict out, const float *restrict in, const frame *f)
{
    for (int p = 0; p < f->height; p++)
        warp_row(out + (size_t)p * (size_t)f->width, in, f, p, 0, f->width, 1, LINEAR, FLOATS, 0);
}

RECON_CLONES static void warp_linear(float *restrict out, const float *restrict in, const frame *f)
{
    for (int p = 0; p < f->height; p++)
        warp_row(out + (size_t)p * (size_t)f->width * f->channels, in, f, p, 0, f->width,
                 f->channels, LINEAR, FLOATS, 0);
}

RECON_CLONES static void warp_cubic(float *restrict out, const float *restrict in, const frame *f)
{
    for (int p = 0; p < f->height; p++)
        warp_row(out + (size_t)p * (size_t)f->width * f->channels, in, f, p, 0, f->width,
                 f->channels, CUBIC, FLOATS, 0);
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

recon_affine recon_image_rotate_source(double angle)
{
    double c = cos(angle), s = sin(angle);
    return (recon_affine){ { { c, s }, { -s, c } }, { 0, 0 } };
}

void recon_image_rotate(float *out, const float *in, size_t height, size_t width, size_t channels,
                        double angle, recon_interpolation interpolation)
{
    recon_affine source = recon_image_rotate_source(angle);
    if (angle == 0)
        memcpy(out, in, height * width * channels * sizeof *out);
    else
        recon_image_warp(out, in, height, width, channels, &source, interpolation);
}

/* --- pictures of whole numbers ----------------------------------------------------------------
 *
 * In tiles: along a row of the result a rotated picture is read across its rows, and each of its
 * pixels would miss the cache. */

enum { TILE = 64, CHANNELS = 4 };

static inline __attribute__((always_inline)) void rotate_linear(float *restrict out, const void *in,
                                                                const frame *f, int p, int from,
                                                                int to, samples of)
{
    switch (f->channels) {
    case 1: warp_row(out, in, f, p, from, to, 1, LINEAR, of, 0); break;
    case 2: warp_row(out, in, f, p, from, to, 2, LINEAR, of, 1); break;
    case 3: warp_row(out, in, f, p, from, to, 3, LINEAR, of, 0); break;
    default: warp_row(out, in, f, p, from, to, 4, LINEAR, of, 1);
    }
}

RECON_CLONES static void rotate_bytes(float *restrict out, const void *in, const frame *f, int p,
                                      int from, int to)
{
    rotate_linear(out, in, f, p, from, to, BYTES);
}

RECON_CLONES static void rotation_words(float *restrict out, const void *in, const frame *f, int p,
                                        int from, int to)
{
    rotate_linear(out, in, f, p, from, to, WORDS);
}

/* Slower anyway: no loop over channels is unrolled. */
RECON_CLONES static void rotate_cubic(float *restrict out, const void *in, const frame *f, int p,
                                      int from, int to, samples of)
{
    if (f->channels % 2)
        warp_row(out, in, f, p, from, to, f->channels, CUBIC, of, 0);
    else
        warp_row(out, in, f, p, from, to, f->channels, CUBIC, of, 1);
}

/* To the nearest whole number that a sample can hold. */
RECON_CLONES static void round_bytes(uint8_t *restrict out, const float *restrict in, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)((in[i] < 0 ? 0 : in[i] > 255 ? 255 : in[i]) + 0.5f);
}

static void round_words(uint8_t *out, const float *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t word = (uint16_t)((in[i] < 0 ? 0 : in[i] > 65535 ? 65535 : in[i]) + 0.5f);
        memcpy(out + 2 * i, &word, sizeof word);
    }
}

void recon_pixels_rotate(uint8_t *out, const recon_pixels *in, double angle, size_t first, size_t n,
                         recon_interpolation interpolation)
{
    frame f = { (int)in->height,
                (int)in->width,
                in->channels,
                ((double)in->width - 1) / 2,
                ((double)in->height - 1) / 2,
                recon_image_rotate_source(angle) };
    size_t pixel = in->channels * (in->deep ? 2 : 1), row = in->width * pixel;
    float tile[TILE * CHANNELS];
    if (angle == 0) { /* colours stay, also where they cannot be seen */
        memcpy(out, in->bytes + first * row, n * row);
        return;
    }
    for (int from = 0, to; from < f.width; from = to) {
        to = f.width - from < TILE ? f.width : from + TILE;
        for (size_t y = 0; y < n; y++) {
            int p = (int)(first + y);
            if (interpolation == RECON_BICUBIC)
                rotate_cubic(tile, in->bytes, &f, p, from, to, in->deep ? WORDS : BYTES);
            else
                (in->deep ? rotation_words : rotate_bytes)(tile, in->bytes, &f, p, from, to);
            (in->deep ? round_words : round_bytes)(out + (y * in->width + (size_t)from) * pixel,
                                                   tile, (size_t)(to - from) * in->channels);
        }
    }
}

/* --- many ---------------------------------------------------------------------------------------
 */

enum { IMAGES_A_TASK = 16 };

typedef struct {
    float *out;
    const float *in;
    const size_t *from;
    const double *angle;
    size_t n;
    recon_image_size size;
    recon_interpolation interpolation;
} batch;

static recon_status rotate_some(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const batch *b = arg;
    const recon_image_size *s = &b->size;
    size_t pixels = s->height * s->width * s->channels, end = (task + 1) * IMAGES_A_TASK;
    (void)ctx, (void)worker;
    for (size_t i = task * IMAGES_A_TASK; i < end && i < b->n; i++)
        recon_image_rotate(b->out + i * pixels, b->in + (b->from ? b->from[i] : i) * pixels,
                           s->height, s->width, s->channels, b->angle[i], b->interpolation);
    return RECON_OK;
}

recon_status recon_images_rotate(recon_ctx *ctx, float *out, const float *in, const size_t *from,
                                 const double *angle, size_t n, const recon_image_size *size,
                                 recon_interpolation interpolation)
{
    batch b = { out, in, from, angle, n, *size, interpolation };
    return recon_parallel(ctx, rotate_some, &b, (n + IMAGES_A_TASK - 1) / IMAGES_A_TASK);
}
