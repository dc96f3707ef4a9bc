/* trust_frame.c - whether the frame of the images tells the pose.
 *
 * Bars beside a picture, its edges, a mask that is not round: what rotates with an image and is no part of
 * what it shows gives the rotation away, and a network learns that first. Here the content is taken away,
 * and the frame kept: every image becomes its ground, the median colour of its border, between bars where
 * it has such. Copies of that are rotated, and what the density knows of their rotations it can only know
 * from the frame. */
#include "model/trust.h"
#include "backbone/ieae.h"
#include "backbone/kinds.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset.h"
#include "data/formats.h"
#include "data/image.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdlib.h>

enum { IMAGES = 48, COPIES = 2, SHARED = 4 /* one in so many has bars of the same sizes */ };
#define SAME 0.02f /* of the pixels of a bar */

typedef struct {
    size_t top, bottom, left, right; /* rows top .. bottom - 1, likewise columns */
} box;

typedef struct {
    recon_image_size size;
    size_t pixels, n;
    float *images; /* [n][pixels] */
    box *boxes;    /* [n] */
} sample;

static int is_like(const float *a, const float *b, size_t channels)
{
    for (size_t c = 0; c < channels; c++)
        if (fabsf(a[c] - b[c]) > SAME)
            return 0;
    return 1;
}

/* Whether n pixels, `step` apart, have the colour of a corner. */
static int is_bar(const float *x, size_t n, size_t step, const float *corner, size_t channels)
{
    for (size_t i = 0; i < n; i++)
        if (!is_like(x + i * step, corner, channels))
            return 0;
    return 1;
}

/* What lies between the bars of one colour; all of an image of one colour. */
static box between_bars(const float *x, const recon_image_size *s)
{
    size_t c = s->channels, wide = s->width * c;
    box all = { 0, s->height, 0, s->width }, b = all;
    while (b.top < b.bottom && is_bar(x + b.top * wide, s->width, c, x, c))
        b.top++;
    if (b.top == b.bottom)
        return all;
    while (is_bar(x + (b.bottom - 1) * wide, s->width, c, x, c))
        b.bottom--;
    while (is_bar(x + b.left * c, s->height, wide, x, c))
        b.left++;
    while (is_bar(x + (b.right - 1) * c, s->height, wide, x, c))
        b.right--;
    return b;
}

static int is_same(const box *a, const box *b)
{
    return a->top == b->top && a->bottom == b->bottom && a->left == b->left && a->right == b->right;
}

static size_t border_count(const box *b)
{
    return 2 * (b->bottom - b->top + b->right - b->left);
}

/* Pixel i of the border of a box; corners come twice. */
static const float *border_at(const float *x, const recon_image_size *s, const box *b, size_t i)
{
    size_t height = b->bottom - b->top, row, column;
    if (i < 2 * height) {
        row = b->top + i / 2;
        column = i % 2 ? b->right - 1 : b->left;
    } else {
        row = i % 2 ? b->bottom - 1 : b->top;
        column = b->left + (i - 2 * height) / 2;
    }
    return x + (row * s->width + column) * s->channels;
}

/* Objects on a ground of one colour lie in boxes, too, but do not fill them to the border, and each lies in
 * its own. */
static int is_frame(const sample *s, size_t i)
{
    const box *b = &s->boxes[i];
    const float *x = s->images + i * s->pixels;
    size_t height = b->bottom - b->top, width = b->right - b->left, same = 0, filled = 0;
    for (size_t j = 0; j < s->n; j++)
        same += (size_t)is_same(b, &s->boxes[j]);
    for (size_t k = 0; k < border_count(b); k++)
        filled += (size_t)!is_like(border_at(x, &s->size, b, k), x, s->size.channels);
    return SHARED * same >= s->n && 4 * filled >= 3 * border_count(b) &&
           (height > width ? height - width : width - height) > 1;
}

/* Median colour of the border of a box, in one channel. room: [border_count]. */
static float ground_of(const float *x, const recon_image_size *s, const box *b, size_t channel,
                       double *room)
{
    size_t n = border_count(b);
    for (size_t i = 0; i < n; i++)
        room[i] = (double)border_at(x, s, b, i)[channel];
    recon_sort_doubles(room, n);
    return (float)recon_quantile(room, n, 0.5);
}

static void take_content(float *x, const recon_image_size *s, const box *b, double *room)
{
    for (size_t c = 0; c < s->channels; c++) {
        float ground = ground_of(x, s, b, c, room);
        for (size_t row = b->top; row < b->bottom; row++)
            for (size_t column = b->left; column < b->right; column++)
                x[(row * s->width + column) * s->channels + c] = ground;
    }
}

static recon_status empty_all(recon_ctx *ctx, sample *s)
{
    const box all = { 0, s->size.height, 0, s->size.width };
    double *room;
    recon_status status = recon_alloc_raw(ctx, &room, border_count(&all), sizeof *room);
    for (size_t i = 0; status == RECON_OK && i < s->n; i++)
        s->boxes[i] = between_bars(s->images + i * s->pixels, &s->size);
    for (size_t i = 0; status == RECON_OK && i < s->n; i++)
        take_content(s->images + i * s->pixels, &s->size, is_frame(s, i) ? &s->boxes[i] : &all,
                     room);
    free(room);
    return status;
}

/* Mean of what the density knows of the rotations of copies, nats. */
static recon_status read_rotations(recon_ctx *ctx, double *out, const sample *s,
                                   const recon_ieae *net)
{
    float *copies = NULL, *density = NULL;
    size_t *from = NULL, n = s->n * COPIES;
    double *angle = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &copies, n * s->pixels, sizeof *copies));
    RECON_TRY(recon_alloc_raw(ctx, &density, n * RECON_POSE_BINS, sizeof *density));
    RECON_TRY(recon_alloc_raw(ctx, &from, n, sizeof *from));
    RECON_TRY(recon_alloc_raw(ctx, &angle, n, sizeof *angle));
    for (size_t i = 0; i < n; i++) {
        recon_rng rng = recon_rng_new(1, i);
        angle[i] = recon_so2_haar(&rng);
        from[i] = i / COPIES;
    }
    RECON_TRY(
        recon_images_rotate(ctx, copies, s->images, from, angle, n, &s->size, RECON_BILINEAR, 0));
    RECON_TRY(recon_ieae_embed(ctx, &(recon_seen){ .density = density }, net, copies, n));
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out += (log(2 * M_PI) +
                 (double)density[i * RECON_POSE_BINS + (size_t)recon_pose_bin(angle[i])]) /
                (double)n;
done:
    free(angle);
    free(from);
    free(density);
    free(copies);
    return status;
}

recon_status recon_trust_frame(recon_ctx *ctx, double *out, const recon_backbone *backbone,
                               const recon_data *data)
{
    const recon_ieae *net = recon_backbone_ieae(backbone);
    const recon_dataset *images = recon_data_images(data);
    sample s = { .n = 0 };
    recon_status status = RECON_OK;
    *out = NAN;
    if (!net || !backbone->density || !images)
        return RECON_OK;
    recon_dataset_info d = recon_dataset_describe(images);
    s.size = (recon_image_size){ d.height, d.width, d.channels };
    s.pixels = recon_dataset_pixels(&d);
    s.n = d.n < IMAGES ? d.n : IMAGES;
    RECON_TRY(recon_alloc_raw(ctx, &s.images, s.n * s.pixels, sizeof *s.images));
    RECON_TRY(recon_alloc_raw(ctx, &s.boxes, s.n, sizeof *s.boxes));
    for (size_t i = 0; i < s.n; i++)
        recon_dataset_get(s.images + i * s.pixels, images, i * d.n / s.n);
    RECON_TRY(empty_all(ctx, &s));
    RECON_TRY(read_rotations(ctx, out, &s, net));
done:
    free(s.boxes);
    free(s.images);
    return status;
}
