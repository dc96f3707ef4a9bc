/* pictures.c - picture files rotated at their own size.
 *
 * The whole picture is held once, as its samples are; what is rotated goes to the file row by row.
 */
#include "cli/pictures.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/picture.h"
#include "data/image.h"

#include "core/png.h"
#include <stdlib.h>
#include <string.h>

/* A picture that is read whole, within the budget. */
typedef struct {
    recon_picture_sink sink; /* first: begin gets this one's address */
    recon_budget *budget;
    size_t taken;
} whole;

static recon_status begin(recon_ctx *ctx, recon_picture_sink *sink)
{
    whole *w = (whole *)sink;
    size_t bytes = recon_pixels_size(&sink->head);
    recon_budget_take(w->budget, bytes);
    w->taken = bytes;
    return recon_alloc_raw(ctx, &sink->head.bytes, bytes, 1);
}

enum { BAND = 64 }; /* rows that are rotated at once */

typedef struct {
    const recon_pixels *in;
    double angle;
    recon_interpolation interpolation;
    uint8_t *band; /* [BAND] rows */
} rotated;

static void rotate_row(const void *user, size_t y, uint8_t *out)
{
    const rotated *t = user;
    size_t stride = recon_pixels_size(t->in) / t->in->height, left = t->in->height - y;
    if (y % BAND == 0)
        recon_pixels_rotate(t->band, t->in, t->angle, y, left < BAND ? left : BAND,
                            t->interpolation);
    memcpy(out, t->band + y % BAND * stride, stride);
}

recon_status cli_picture_rotate(recon_ctx *ctx, const char *to, const char *from, double angle,
                                const cli_rotation *how)
{
    whole w = { .sink = { .most = how->most, .begin = begin }, .budget = how->budget };
    const recon_pixels *p = &w.sink.head;
    rotated t = { .in = p, .angle = angle, .interpolation = how->interpolation };
    recon_status status;
    RECON_TRY(recon_picture_scan_file(ctx, &w.sink, from));
    RECON_TRY(recon_alloc_raw(ctx, &t.band, BAND, recon_pixels_size(p) / p->height));
    RECON_TRY(recon_png_write_rows(ctx, to, p, rotate_row, &t));
done:
    free(t.band);
    free(p->bytes);
    recon_budget_give(how->budget, w.taken);
    return status;
}

recon_status cli_picture_copy(recon_ctx *ctx, const char *to, const char *from)
{
    recon_writer copy = { .fd = -1 };
    recon_file file = { 0 };
    recon_status status;
    RECON_TRY(recon_file_open(ctx, &file, from));
    RECON_TRY(recon_writer_open(ctx, &copy, to));
    RECON_TRY(recon_writer_write(ctx, &copy, file.bytes, file.size));
    RECON_TRY(recon_writer_commit(ctx, &copy));
done:
    recon_writer_close(&copy);
    recon_file_close(&file);
    return status;
}

typedef struct {
    const float *x;
    size_t stride;
} floats;

static void float_row(const void *user, size_t y, uint8_t *out)
{
    const floats *f = user;
    const float *x = f->x + y * f->stride;
    for (size_t i = 0; i < f->stride; i++)
        out[i] = (uint8_t)(255 * (x[i] < 0 ? 0 : x[i] > 1 ? 1 : x[i]) + 0.5f);
}

recon_status cli_picture_write(recon_ctx *ctx, const char *to, const float *x, size_t height,
                               size_t width, size_t channels)
{
    const recon_pixels head = { .height = height, .width = width, .channels = channels };
    return recon_png_write_rows(ctx, to, &head, float_row, &(floats){ x, width * channels });
}
