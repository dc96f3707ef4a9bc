/* image.c - resampling one image.
 *
 * The weight of a pixel is the product of a row and a column factor, so each axis has a few taps; a
 * tap outside reads a pixel inside with the weight 0, which avoids branches in the loop over a row.
 * Positions are double, so that a rotation by 90 degrees hits pixels to within a float's rounding
 * and is exact. */
#include "core/blocks.h"
#include "core/fail.h"
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
    return ((at >= 0) & (at < size)) ? weight : 0;
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
    taps t = { { 0 }, { 0 } };
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
    double out_x, out_y; /* the middle of the result */
    int alpha;           /* of pictures of whole numbers */
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
    const double(*m)[2] = f->source.matrix, up = f->out_y - p;
    double x0 = m[0][1] * up + f->source.shift[0] + f->middle_x;
    double y0 = f->middle_y - m[1][1] * up - f->source.shift[1];
    double x1 = m[0][0], y1 = -m[1][0];
    int height = f->height, width = f->width;
    double middle = f->out_x;
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

/* Floats whose last channel is alpha. */
RECON_CLONES static void warp_alpha(float *restrict out, const float *restrict in, const frame *f,
                                    int n)
{
    for (int p = 0; p < f->height; p++)
        warp_row(out + (size_t)p * (size_t)f->width * f->channels, in, f, p, 0, f->width,
                 f->channels, n, FLOATS, 1);
}

/* A result as large as the image. */
static frame frame_of(size_t height, size_t width, size_t channels, const recon_affine *source)
{
    double x = ((double)width - 1) / 2, y = ((double)height - 1) / 2;
    return (frame){ .height = (int)height,
                    .width = (int)width,
                    .channels = channels,
                    .middle_x = x,
                    .middle_y = y,
                    .source = *source,
                    .out_x = x,
                    .out_y = y };
}

void recon_image_warp(float *out, const float *in, size_t height, size_t width, size_t channels,
                      const recon_affine *source, recon_interpolation interpolation)
{
    const frame f = frame_of(height, width, channels, source);
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

enum { TILE = RECON_BLOCK_PIXELS };

static inline __attribute__((always_inline)) void rotate_linear(float *restrict out, const void *in,
                                                                const frame *f, int p, int from,
                                                                int to, samples of)
{
    size_t channels = f->channels;
    if (channels == 1)
        warp_row(out, in, f, p, from, to, 1, LINEAR, of, 0);
    else if (channels == 3 && !f->alpha)
        warp_row(out, in, f, p, from, to, 3, LINEAR, of, 0);
    else if (channels == 4 && f->alpha)
        warp_row(out, in, f, p, from, to, 4, LINEAR, of, 1);
    else if (f->alpha)
        warp_row(out, in, f, p, from, to, channels, LINEAR, of, 1);
    else
        warp_row(out, in, f, p, from, to, channels, LINEAR, of, 0);
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
    if (!f->alpha)
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

/* --- what comes into the frame -------------------------------------------------------------- */

static double clamp(double place, int size)
{
    return place < 0 ? 0 : place > size - 1 ? size - 1 : place;
}

static float sum_of(const taps *t, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += t->weight[k];
    return sum;
}

/* Lays a pixel that lies outside by a share over the colour of that. */
static void lay_over(float *out, const frame *f, float outside, const float *colour, float most)
{
    size_t colours = f->channels - (f->alpha ? 1 : 0);
    float alpha = f->alpha ? out[colours] : most, own = f->alpha ? alpha : 1,
          other = outside * (f->alpha ? most : 1), whole = f->alpha ? own + other : 1;
    for (size_t c = 0; c < colours; c++)
        out[c] = whole > 0 ? (out[c] * own + colour[c] * other) / whole : 0;
    if (f->alpha)
        out[colours] = alpha + other;
}

/* Pixels from .. to - 1 of row p, which outside of the picture are zero so far. */
static void fill_row(float *out, const void *in, const frame *f, int p, int from, int to, int n,
                     samples of, const recon_fill *fill)
{
    const double(*m)[2] = f->source.matrix, up = f->out_y - p;
    const uint8_t *rgb = fill->colour;
    float most = of == WORDS ? 65535 : 255, colour[RECON_PIXELS_CHANNELS];
    float grey = (299.0f * rgb[0] + 587.0f * rgb[1] + 114.0f * rgb[2]) / 1000;
    size_t colours = f->channels - (f->alpha ? 1 : 0);
    for (size_t c = 0; fill->kind == RECON_FILL_COLOUR && c < colours; c++)
        colour[c] = (colours == 3 ? rgb[c] : grey) * most / 255;
    for (int q = from; q < to; q++, out += f->channels) {
        double x = m[0][0] * (q - f->out_x) + m[0][1] * up + f->source.shift[0] + f->middle_x;
        double y = f->middle_y - m[1][0] * (q - f->out_x) - m[1][1] * up - f->source.shift[1];
        taps row = taps_at(y, f->height, n), col = taps_at(x, f->width, n);
        float outside = 1 - sum_of(&row, n) * sum_of(&col, n);
        if (fabsf(outside) < 1e-4f)
            continue;
        if (fill->kind == RECON_FILL_COLOUR) {
            lay_over(out, f, outside, colour, most);
            continue;
        }
        /* The edge goes on for ever: the pixel at the nearest place that is inside. */
        row = taps_at(clamp(y, f->height), f->height, LINEAR);
        col = taps_at(clamp(x, f->width), f->width, LINEAR);
        (f->alpha ? blend_alpha : blend)(out, in, &row, &col, f->width, f->channels, LINEAR, of);
    }
}

void recon_image_fill_edge(float *out, const float *in, size_t height, size_t width,
                           size_t channels, const recon_affine *source,
                           recon_interpolation interpolation)
{
    const frame f = frame_of(height, width, channels, source);
    int n = interpolation == RECON_BICUBIC ? CUBIC : LINEAR;
    for (int p = 0; p < f.height; p++)
        fill_row(out + (size_t)p * width * channels, in, &f, p, 0, f.width, n, FLOATS,
                 &(recon_fill){ .kind = RECON_FILL_EDGE });
}

void recon_pixels_frame(size_t *height, size_t *width, const recon_pixels *in, double angle)
{
    const double exact = 1e-6; /* quarter turns give whole numbers */
    double c = fabs(cos(angle)), s = fabs(sin(angle)), h = (double)in->height,
           w = (double)in->width;
    *height = (size_t)ceil(h * c + w * s - exact);
    *width = (size_t)ceil(w * c + h * s - exact);
}

static void rotate_tile(float *tile, const recon_pixels *in, const frame *f,
                        const recon_pixels_rotation *how, int p, int from, int to)
{
    int cubic = how->interpolation == RECON_BICUBIC;
    samples of = in->deep ? WORDS : BYTES;
    if (cubic)
        rotate_cubic(tile, in->bytes, f, p, from, to, of);
    else
        (in->deep ? rotation_words : rotate_bytes)(tile, in->bytes, f, p, from, to);
    if (how->fill.kind != RECON_FILL_ZERO)
        fill_row(tile, in->bytes, f, p, from, to, cubic ? CUBIC : LINEAR, of, &how->fill);
}

void recon_pixels_rotate(uint8_t *out, const recon_pixels *in, const recon_pixels_rotation *how,
                         size_t first, size_t n)
{
    size_t height = how->height ? how->height : in->height,
           width = how->width ? how->width : in->width;
    frame f = { .height = (int)in->height,
                .width = (int)in->width,
                .channels = in->channels,
                .middle_x = ((double)in->width - 1) / 2,
                .middle_y = ((double)in->height - 1) / 2,
                .source = recon_image_rotate_source(how->angle),
                .out_x = ((double)width - 1) / 2,
                .out_y = ((double)height - 1) / 2,
                .alpha = in->alpha };
    size_t pixel = in->channels * (in->deep ? 2 : 1), row = in->width * pixel;
    float tile[TILE * RECON_PIXELS_CHANNELS];
    if (how->angle == 0 && height == in->height && width == in->width) {
        memcpy(out, in->bytes + first * row, n * row); /* also colours that cannot be seen */
        return;
    }
    for (size_t from = 0, to; from < width; from = to) {
        to = width - from < TILE ? width : from + TILE;
        for (size_t y = 0; y < n; y++) {
            rotate_tile(tile, in, &f, how, (int)(first + y), (int)from, (int)to);
            (in->deep ? round_words : round_bytes)(out + (y * width + from) * pixel, tile,
                                                   (to - from) * in->channels);
        }
    }
}

/* --- many ---------------------------------------------------------------------------------------
 */

enum { IMAGES_A_TASK = RECON_BLOCK_ROTATE };

typedef struct {
    float *out;
    const float *in;
    const size_t *from;
    const double *angle;
    size_t n;
    recon_image_size size;
    recon_interpolation interpolation;
    int edge;
} batch;

static recon_status rotate_some(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const batch *b = arg;
    const recon_image_size *s = &b->size;
    size_t pixels = s->height * s->width * s->channels, end = (task + 1) * IMAGES_A_TASK;
    (void)ctx, (void)worker;
    for (size_t i = task * IMAGES_A_TASK; i < end && i < b->n; i++) {
        const float *in = b->in + (b->from ? b->from[i] : i) * pixels;
        recon_affine source = recon_image_rotate_source(b->angle[i]);
        recon_image_rotate(b->out + i * pixels, in, s->height, s->width, s->channels, b->angle[i],
                           b->interpolation);
        if (b->edge && b->angle[i] != 0)
            recon_image_fill_edge(b->out + i * pixels, in, s->height, s->width, s->channels,
                                  &source, b->interpolation);
    }
    return RECON_OK;
}

recon_status recon_images_rotate(recon_ctx *ctx, float *out, const float *in, const size_t *from,
                                 const double *angle, size_t n, const recon_image_size *size,
                                 recon_interpolation interpolation, int edge)
{
    batch b = { out, in, from, angle, n, *size, interpolation, edge };
    return recon_parallel(ctx, rotate_some, &b, (n + IMAGES_A_TASK - 1) / IMAGES_A_TASK);
}

/* --- a picture at hand ------------------------------------------------------------------------ */

enum { ROWS_A_TASK = RECON_BLOCK_PIXELS };

typedef struct {
    uint8_t *out;
    recon_pixels in;
    recon_pixels_rotation how;
} turning;

static recon_status rotate_rows(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const turning *t = arg;
    size_t first = task * ROWS_A_TASK, left = t->in.height - first;
    (void)ctx, (void)worker;
    recon_pixels_rotate(t->out + first * (recon_pixels_size(&t->in) / t->in.height), &t->in,
                        &t->how, first, left < ROWS_A_TASK ? left : ROWS_A_TASK);
    return RECON_OK;
}

recon_status recon_bitmap_check(recon_ctx *ctx, const recon_bitmap *in)
{
    if (!in->height || !in->width || !in->channels || in->height > RECON_PIXELS_SIDE ||
        in->width > RECON_PIXELS_SIDE || in->channels > RECON_PIXELS_CHANNELS ||
        (in->alpha && in->channels < 2))
        return recon_fail(ctx, RECON_ERR_INPUT, "a picture of %zu x %zu x %zu", in->height,
                          in->width, in->channels);
    if (in->dtype != RECON_U8 && in->dtype != RECON_U16 && in->dtype != RECON_F32)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "a picture of %s: uint8, uint16 or float32 is needed",
                          recon_dtype_name(in->dtype));
    return RECON_OK;
}

static void rotate_floats(float *out, const recon_bitmap *in, double angle,
                          recon_interpolation interpolation)
{
    recon_affine source = recon_image_rotate_source(angle);
    const frame f = frame_of(in->height, in->width, in->channels, &source);
    if (in->alpha && angle != 0) /* by 0 colours that cannot be seen are kept, too */
        warp_alpha(out, in->samples, &f, interpolation == RECON_BICUBIC ? CUBIC : LINEAR);
    else
        recon_image_rotate(out, in->samples, in->height, in->width, in->channels, angle,
                           interpolation);
}

recon_status recon_bitmap_rotate(recon_ctx *ctx, void *out, const recon_bitmap *in, double angle,
                                 recon_interpolation interpolation)
{
    turning t = { .out = out,
                  .in = { .height = in->height,
                          .width = in->width,
                          .channels = in->channels,
                          .bytes = (uint8_t *)in->samples, /* read alone */
                          .deep = in->dtype == RECON_U16,
                          .alpha = in->alpha },
                  .how = { .angle = angle, .interpolation = interpolation } };
    RECON_CHECK(recon_bitmap_check(ctx, in));
    RECON_CHECK(recon_enum_check(ctx, interpolation, RECON_BICUBIC, "interpolation"));
    if (in->dtype == RECON_F32) {
        rotate_floats(out, in, angle, interpolation);
        return RECON_OK;
    }
    return recon_parallel(ctx, rotate_rows, &t, (in->height + ROWS_A_TASK - 1) / ROWS_A_TASK);
}
