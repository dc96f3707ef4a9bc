/* crop.c - centres and scales objects to fill their frame.
 *
 * Both axes have the same scale, from the smallest circle around the object (Welzl, 1991), so that
 * cropping commutes with rotating. */
#include "data/crop.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 500 };

typedef struct {
    double x, y;
} point;

typedef struct {
    point at;
    double radius;
} circle;

/* --- against the background ------------------------------------------------------------------- */

typedef struct {
    const float *pixels;
    size_t height, width, channels;
} picture;

static size_t border_count(const picture *p)
{
    return 2 * p->width + 2 * p->height;
}

/* Pixel i of the border; corners come twice. */
static const float *border_at(const picture *p, size_t i)
{
    size_t row, column;
    if (i < 2 * p->width) {
        row = i < p->width ? 0 : p->height - 1;
        column = i % p->width;
    } else {
        row = (i - 2 * p->width) % p->height;
        column = i < 2 * p->width + p->height ? 0 : p->width - 1;
    }
    return p->pixels + (row * p->width + column) * p->channels;
}

static double difference(const float *pixel, const float *background, size_t channels)
{
    double most = 0;
    for (size_t c = 0; c < channels; c++)
        most = fmax(most, fabs((double)pixel[c] - (double)background[c]));
    return most;
}

/* The median of the border; the noise about it, as a standard deviation. room: [border]. */
static double find_background(float *background, const picture *p, size_t channels, double *room)
{
    size_t n = border_count(p);
    for (size_t c = 0; c < channels; c++) {
        for (size_t i = 0; i < n; i++)
            room[i] = (double)border_at(p, i)[c];
        recon_sort_doubles(room, n);
        background[c] = (float)recon_quantile(room, n, 0.5);
    }
    for (size_t i = 0; i < n; i++)
        room[i] = difference(border_at(p, i), background, channels);
    recon_sort_doubles(room, n);
    return 1.4826 * recon_quantile(room, n, 0.5);
}

/* How much each pixel differs, and marks on those that are object. The difference from which on
 * they are; 0: there is none. *most: the largest. */
static double mark(uint8_t *mask, double *differs, double *most, const picture *p,
                   const float *background, size_t channels, double noise)
{
    size_t n = p->height * p->width;
    *most = 0;
    for (size_t i = 0; i < n; i++) {
        differs[i] = difference(p->pixels + i * p->channels, background, channels);
        *most = fmax(*most, differs[i]);
    }
    double least = fmax(RECON_CROP_SEEN * *most, RECON_CROP_NOISE * noise);
    for (size_t i = 0; i < n; i++)
        mask[i] = differs[i] > least;
    return *most > least ? least : 0;
}

/* --- specks ----------------------------------------------------------------------------------- */

/* The part that pixel `first` belongs to, diagonals included: its pixels get another mark. stack:
 * [n]. */
static size_t fill(uint8_t *mask, const picture *p, size_t first, uint8_t from, uint8_t to,
                   size_t *stack)
{
    size_t held = 0, count = 0;
    mask[first] = to;
    stack[held++] = first;
    while (held) {
        size_t i = stack[--held], row = i / p->width, column = i % p->width;
        count++;
        for (size_t r = row ? row - 1 : 0; r <= row + 1 && r < p->height; r++)
            for (size_t c = column ? column - 1 : 0; c <= column + 1 && c < p->width; c++)
                if (mask[r * p->width + c] == from) {
                    mask[r * p->width + c] = to;
                    stack[held++] = r * p->width + c;
                }
    }
    return count;
}

static void remove_specks(uint8_t *mask, const picture *p, size_t *stack)
{
    enum { NONE, SEEN, COUNTED, KEPT };
    size_t n = p->height * p->width, largest = 0;
    for (size_t i = 0; i < n; i++)
        if (mask[i] == SEEN) {
            size_t count = fill(mask, p, i, SEEN, COUNTED, stack);
            largest = count > largest ? count : largest;
        }
    for (size_t i = 0; i < n; i++)
        if (mask[i] == COUNTED &&
            (double)fill(mask, p, i, COUNTED, KEPT, stack) < RECON_CROP_PART * (double)largest)
            fill(mask, p, i, KEPT, NONE, stack);
}

static int touches_border(const uint8_t *mask, const picture *p)
{
    int touches = 0;
    for (size_t row = 0; row < p->height; row++)
        touches |= mask[row * p->width] | mask[(row + 1) * p->width - 1];
    for (size_t column = 0; column < p->width; column++)
        touches |= mask[column] | mask[(p->height - 1) * p->width + column];
    return touches;
}

/* --- the smallest circle ---------------------------------------------------------------------- */

static int is_within(const circle *c, point p)
{
    return hypot(p.x - c->at.x, p.y - c->at.y) <= c->radius * (1 + 1e-12) + 1e-12;
}

static circle around_two(point a, point b)
{
    return (circle){ { (a.x + b.x) / 2, (a.y + b.y) / 2 }, hypot(a.x - b.x, a.y - b.y) / 2 };
}

/* Through three points; where they are on one line, around the two that are farthest apart. */
static circle around_three(point a, point b, point c)
{
    double bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y,
           d = 2 * (bx * cy - by * cx);
    if (fabs(d) < 1e-9) {
        circle ab = around_two(a, b), bc = around_two(b, c), ca = around_two(c, a);
        circle longest = ab.radius > bc.radius ? ab : bc;
        return ca.radius > longest.radius ? ca : longest;
    }
    double b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
    double x = (cy * b2 - by * c2) / d, y = (bx * c2 - cx * b2) / d;
    return (circle){ { a.x + x, a.y + y }, hypot(x, y) };
}

/* Each point outside of the circle so far lies on the next one. Points in random order take time in
 * proportion to their number. */
static circle enclose(const point *p, size_t n)
{
    circle c = { p[0], 0 };
    for (size_t i = 1; i < n; i++) {
        if (is_within(&c, p[i]))
            continue;
        c = (circle){ p[i], 0 };
        for (size_t j = 0; j < i; j++) {
            if (is_within(&c, p[j]))
                continue;
            c = around_two(p[i], p[j]);
            for (size_t k = 0; k < j; k++)
                if (!is_within(&c, p[k]))
                    c = around_three(p[i], p[j], p[k]);
        }
    }
    return c;
}

/* Pixels of a row or a column, `step` apart. */
typedef struct {
    const uint8_t *mask;
    const double *differs;
    size_t n, step;
    double least;
} line;

/* Where the object begins, or seen from behind ends: between the last pixel before it and its first
 * one, as their differences say, so that the place moves by less than a pixel when the object does.
 * NaN: it is not on this line. */
static double edge(const line *l, int behind)
{
    for (size_t i = 0; i < l->n; i++) {
        size_t at = (behind ? l->n - 1 - i : i) * l->step;
        if (!l->mask[at])
            continue;
        double here = l->differs[at],
               before = i ? l->differs[behind ? at + l->step : at - l->step] : 0;
        double into = before < l->least ? (here - l->least) / (here - before) : 1;
        double place = (double)i + 0.5 - into;
        return behind ? (double)l->n - place : place;
    }
    return NAN;
}

static void shuffle(point *p, size_t n)
{
    recon_rng rng = recon_rng_new(0, 0);
    for (size_t i = n; i > 1; i--) {
        size_t j = recon_rng_below(&rng, i);
        point other = p[j];
        p[j] = p[i - 1];
        p[i - 1] = other;
    }
}

/* Both ends of each row and column, in random order: the outermost points are among them. */
static size_t find_ends(point *out, const uint8_t *mask, const double *differs, const picture *p,
                        double least)
{
    size_t n = 0;
    for (size_t i = 0; i < p->height + p->width; i++) {
        int is_row = i < p->height;
        size_t k = is_row ? i : i - p->height, first = is_row ? k * p->width : k;
        const line l = { mask + first, differs + first, is_row ? p->width : p->height,
                         is_row ? 1 : p->width, least };
        for (int behind = 0; behind < 2; behind++) {
            double along = edge(&l, behind), across = (double)k + 0.5;
            if (!isnan(along))
                out[n++] = is_row ? (point){ along, across } : (point){ across, along };
        }
    }
    shuffle(out, n);
    return n;
}

recon_status recon_object_find(recon_ctx *ctx, recon_object *out, const float *image, size_t height,
                               size_t width, size_t channels)
{
    const picture p = { image, height, width, channels };
    size_t looked = channels < RECON_CROP_CHANNELS ? channels : RECON_CROP_CHANNELS;
    double *border = NULL, *differs = NULL;
    uint8_t *mask = NULL;
    size_t *stack = NULL;
    point *ends = NULL;
    recon_status status;
    *out = (recon_object){ 0 };
    RECON_TRY(recon_alloc_raw(ctx, &border, border_count(&p), sizeof *border));
    RECON_TRY(recon_alloc_raw(ctx, &mask, height * width, 1));
    RECON_TRY(recon_alloc_raw(ctx, &stack, height * width, sizeof *stack));
    RECON_TRY(recon_alloc_raw(ctx, &differs, height * width, sizeof *differs));
    RECON_TRY(recon_alloc_raw(ctx, &ends, 2 * (height + width), sizeof *ends));
    double noise = find_background(out->background, &p, looked, border);
    double most, least = mark(mask, differs, &most, &p, out->background, looked, noise);
    out->scene = noise > RECON_CROP_SEEN * most;
    if (least > 0) {
        remove_specks(mask, &p, stack);
        out->touches = touches_border(mask, &p);
        circle c = enclose(ends, find_ends(ends, mask, differs, &p, least));
        out->x = c.at.x;
        out->y = c.at.y;
        out->radius = fmax(c.radius, 0.5); /* of one pixel */
    }
done:
    recon_free_all(ends, stack, mask, differs, border);
    return status;
}

/* --- resampled -------------------------------------------------------------------------------- */

/* A pixel at a place: the mean under a triangle; outside of the picture is background. */
static void sample(float *out, const picture *p, const float *background, double x, double y,
                   double reach)
{
    double total = 0, sum[RECON_CROP_CHANNELS] = { 0 };
    for (double i = ceil(y - reach); i <= y + reach; i++)
        for (double j = ceil(x - reach); j <= x + reach; j++) {
            double weight = (1 - fabs(i - y) / reach) * (1 - fabs(j - x) / reach);
            total += weight;
            if (i < 0 || j < 0 || i >= (double)p->height || j >= (double)p->width)
                continue;
            const float *pixel = p->pixels + ((size_t)i * p->width + (size_t)j) * p->channels;
            for (size_t c = 0; c < p->channels; c++)
                sum[c] += weight * ((double)pixel[c] - (double)background[c]);
        }
    for (size_t c = 0; c < p->channels; c++)
        out[c] = (float)((double)background[c] + sum[c] / total);
}

/* Returns whether an object is on a light background, like paper. */
static int is_on_light(const recon_object *o, size_t channels)
{
    double sum = 0;
    for (size_t c = 0; c < channels; c++)
        sum += (double)o->background[c];
    return o->radius > 0 && sum > 0.5 * (double)channels;
}

/* Returns whether the frame cuts off the object, or would in another orientation, so that the
 * orientation of the frame shows in the picture. */
static int is_cut_off(const recon_object *o, size_t height, size_t width)
{
    double shorter = (double)(height < width ? height : width);
    return height != width && (o->touches || o->scene || 2 * o->radius > shorter);
}

/* Crops the central square of the picture. */
static recon_status crop_square(recon_ctx *ctx, float *out, size_t out_height, size_t out_width,
                                const picture *p)
{
    size_t side = p->height < p->width ? p->height : p->width, row = side * p->channels;
    const float *from =
        p->pixels + ((p->height - side) / 2 * p->width + (p->width - side) / 2) * p->channels;
    float *square;
    recon_status status = recon_alloc_raw(ctx, &square, side * row, sizeof *square);
    for (size_t i = 0; status == RECON_OK && i < side; i++)
        memcpy(square + i * row, from + i * p->width * p->channels, row * sizeof *square);
    if (status == RECON_OK)
        status = recon_image_crop(ctx, out, out_height, out_width, square, side, side, p->channels);
    free(square);
    return status;
}

recon_status recon_image_crop(recon_ctx *ctx, float *out, size_t out_height, size_t out_width,
                              const float *in, size_t height, size_t width, size_t channels)
{
    const picture p = { in, height, width, channels };
    double tall = (double)height / (double)out_height, wide = (double)width / (double)out_width;
    double step = tall > wide ? tall : wide; /* of the whole picture, fitted into the frame */
    double side = (double)(out_height < out_width ? out_height : out_width);
    recon_object object;
    if (channels > RECON_CROP_CHANNELS)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "images of %zu channels cannot be cropped: %d at most", channels,
                          RECON_CROP_CHANNELS);
    RECON_CHECK(recon_object_find(ctx, &object, in, height, width, channels));
    double x = (double)width / 2, y = (double)height / 2;
    if (is_cut_off(&object, height, width))
        return crop_square(ctx, out, out_height, out_width, &p);
    if (object.radius > 0) {
        step = fmin(step, 2 * object.radius / (RECON_CROP_FILL * side));
        x = object.x;
        y = object.y;
    }
    for (size_t i = 0; i < out_height; i++)
        for (size_t j = 0; j < out_width; j++)
            sample(out + (i * out_width + j) * channels, &p, object.background,
                   x + ((double)j + 0.5 - (double)out_width / 2) * step - 0.5,
                   y + ((double)i + 0.5 - (double)out_height / 2) * step - 0.5, fmax(step, 1));
    if (object.radius > 0) { /* ink on any paper is white on what comes into the frame */
        float sign = is_on_light(&object, channels) ? -1 : 1, most = 0;
        for (size_t i = 0; i < out_height * out_width * channels; i++) {
            out[i] = sign * (out[i] - object.background[i % channels]);
            most = fmaxf(most, fabsf(out[i]));
        }
        for (size_t i = 0; i < out_height * out_width * channels; i++)
            out[i] /= most;
    }
    return RECON_OK;
}

/* --- of a set --------------------------------------------------------------------------------- */

recon_status recon_dataset_span(recon_ctx *ctx, double *out, const recon_dataset *data)
{
    recon_dataset_info d = recon_dataset_describe(data);
    size_t n = d.n < LOOKED_AT ? d.n : LOOKED_AT, found = 0;
    double side = (double)(d.height < d.width ? d.height : d.width), *span = NULL;
    float *image = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &span, n, sizeof *span));
    RECON_TRY(recon_alloc_raw(ctx, &image, recon_dataset_pixels(&d), sizeof *image));
    for (size_t i = 0; i < n; i++) {
        recon_object object;
        recon_dataset_get(image, data, i * d.n / n);
        RECON_TRY(recon_object_find(ctx, &object, image, d.height, d.width, d.channels));
        if (object.scene || object.radius > 0)
            span[found++] = object.scene ? 1 : fmin(2 * object.radius / side, 1);
    }
    recon_sort_doubles(span, found);
    *out = found ? recon_quantile(span, found, 0.5) : 1;
done:
    recon_free_all(image, span);
    return status;
}
