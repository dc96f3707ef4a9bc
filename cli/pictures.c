/* pictures.c - rotates picture files at their own size. The picture is in memory once, with its own
 * samples, and the result is written row by row. */
#include "cli/pictures.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/picture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAND = 64 }; /* rows that are rotated at once */

/* A picture that is read whole, within the budget, and rotated as its rows are asked for. */
typedef struct {
    recon_picture_sink sink; /* first: begin gets this one's address */
    recon_budget *budget;
    size_t taken;
    recon_pixels_rotation how;
    recon_pixels result; /* what the rotated picture is like, without bytes */
    uint8_t *band;       /* [BAND] rows of it */
} rotated;

static recon_status begin(recon_ctx *ctx, recon_picture_sink *sink)
{
    rotated *r = (rotated *)sink;
    size_t bytes = recon_pixels_size(&sink->head);
    recon_budget_take(r->budget, bytes);
    r->taken = bytes;
    return recon_alloc_raw(ctx, &sink->head.bytes, bytes, 1);
}

static void rotate_row(const void *user, size_t y, uint8_t *out)
{
    const rotated *r = user;
    size_t height = r->result.height, stride = recon_pixels_size(&r->result) / height;
    if (y % BAND == 0)
        recon_pixels_rotate(r->band, &r->sink.head, &r->how, y,
                            height - y < BAND ? height - y : BAND);
    memcpy(out, r->band + y % BAND * stride, stride);
}

static recon_status rotated_open(recon_ctx *ctx, rotated *r, const recon_file *file,
                                 const char *name, double angle, const cli_rotation *how)
{
    size_t page;
    *r = (rotated){ .sink = { .most = how->most, .begin = begin },
                    .budget = how->budget,
                    .how = {
                        .angle = angle, .interpolation = how->interpolation, .fill = how->fill } };
    recon_picture_page(name, &page);
    r->sink.page = page == SIZE_MAX ? 0 : page;
    RECON_CHECK(recon_picture_scan(ctx, &r->sink, file->bytes, file->size, name));
    r->result = r->sink.head;
    r->result.bytes = NULL;
    if (how->keep_all)
        recon_pixels_frame(&r->result.height, &r->result.width, &r->sink.head, angle);
    r->how.height = r->result.height;
    r->how.width = r->result.width;
    return recon_alloc_raw(ctx, &r->band, BAND, recon_pixels_size(&r->result) / r->result.height);
}

static void rotated_close(rotated *r)
{
    recon_free_all(r->band, r->sink.head.bytes);
    recon_budget_give(r->budget, r->taken);
}

/* --- one picture ------------------------------------------------------------------------------ */

static recon_status copy(recon_ctx *ctx, const char *to, const char *from, const recon_file *file,
                         const cli_rotation *how)
{
    recon_writer out = { .fd = -1 };
    recon_status status;
    if (how->link && linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW) == 0)
        return RECON_OK;
    RECON_TRY(recon_writer_open(ctx, &out, to));
    RECON_TRY(recon_writer_write(ctx, &out, file->bytes, file->size));
    RECON_TRY(recon_writer_commit(ctx, &out));
done:
    recon_writer_close(&out);
    return status;
}

static int begins(const recon_file *file, const char *bytes, size_t n)
{
    return file->size >= n && !memcmp(file->bytes, bytes, n);
}

/* The format that a picture is written in: its own. What the name says may be wrong, and a JPEG
 * could not hold the samples of every PNG that is called one. */
static recon_picture_kind kind_of(const recon_file *file)
{
    if (begins(file, "\xff\xd8", 2))
        return RECON_PICTURE_JPEG;
    return begins(file, "II", 2) || begins(file, "MM", 2) ? RECON_PICTURE_TIFF : RECON_PICTURE_PNG;
}

/* Whether the file may stay as it is: it keeps its name, and its pixels lie as they are to be
 * seen. */
static int is_as_it_should_be(recon_ctx *ctx, const recon_file *file, const char *from)
{
    recon_picture_sink sink = { .most = SIZE_MAX }; /* it was read before */
    return recon_picture_kind_of(from) != RECON_PICTURE_OTHER &&
           recon_picture_scan(ctx, &sink, file->bytes, file->size, from) == RECON_OK &&
           !sink.oriented;
}

static recon_status write_tiff(recon_ctx *ctx, const char *to, const rotated *r,
                               const recon_file *file)
{
    const recon_tiff_source source = { file->bytes, file->size, r->sink.page };
    recon_tiff_writer *out = NULL;
    recon_status status;
    RECON_TRY(recon_tiff_writer_open(ctx, &out, to, recon_pixels_size(&r->result)));
    RECON_TRY(recon_tiff_writer_add(ctx, out, &r->result, rotate_row, r, &source));
    RECON_TRY(recon_tiff_writer_commit(ctx, out));
done:
    recon_tiff_writer_close(out);
    return status;
}

static recon_status write_rotated(recon_ctx *ctx, const char *to, const rotated *r,
                                  const recon_file *file, int quality)
{
    const recon_jpeg_options o = { quality, file->bytes, file->size };
    switch (kind_of(file)) {
    case RECON_PICTURE_JPEG: return recon_jpeg_write_rows(ctx, to, &r->result, rotate_row, r, &o);
    case RECON_PICTURE_TIFF: return write_tiff(ctx, to, r, file);
    default: return recon_png_write_rows(ctx, to, &r->result, rotate_row, r);
    }
}

recon_status cli_picture_rotate(recon_ctx *ctx, const char *to, const char *from, double angle,
                                const cli_rotation *how)
{
    rotated r = { .budget = how->budget };
    recon_file file = { 0 };
    recon_status status;
    RECON_TRY(recon_file_open(ctx, &file, from));
    if (angle == 0 && is_as_it_should_be(ctx, &file, from)) {
        status = copy(ctx, to, from, &file, how);
        goto done;
    }
    RECON_TRY(rotated_open(ctx, &r, &file, from, angle, how));
    RECON_TRY(write_rotated(ctx, to, &r, &file, how->quality));
done:
    rotated_close(&r);
    recon_file_close(&file);
    return status;
}

/* --- the pages of a stack --------------------------------------------------------------------- */

static recon_status add_page(recon_ctx *ctx, recon_tiff_writer *out, const recon_file *file,
                             const char *from, double angle, const cli_rotation *how)
{
    rotated r;
    recon_status status = rotated_open(ctx, &r, file, from, angle, how);
    const recon_tiff_source source = { file->bytes, file->size, r.sink.page };
    if (status == RECON_OK)
        status = recon_tiff_writer_add(ctx, out, &r.result, rotate_row, &r, &source);
    rotated_close(&r);
    return status;
}

/* Bytes of all pixels, about: enough to choose the kind of TIFF. *as_is: nothing is to be done. */
static recon_status measure(recon_ctx *ctx, size_t *bytes, int *as_is, const recon_file *file,
                            const char *const *from, const double *angle, size_t n)
{
    recon_status status = RECON_OK;
    *bytes = 0;
    *as_is = n == recon_tiff_pages(file->bytes, file->size);
    for (size_t i = 0; status == RECON_OK && i < n; i++) {
        recon_picture_sink sink = { .most = SIZE_MAX };
        recon_picture_page(from[i], &sink.page);
        status = recon_picture_scan(ctx, &sink, file->bytes, file->size, from[i]);
        *bytes += 2 * recon_pixels_size(&sink.head); /* twice: a frame may be enlarged */
        *as_is &= angle[i] == 0 && !sink.oriented;
    }
    return status;
}

recon_status cli_pages_rotate(recon_ctx *ctx, const char *to, const char *const *from,
                              const double *angle, size_t n, const cli_rotation *how)
{
    recon_tiff_writer *out = NULL;
    recon_file file = { 0 };
    char *bare = NULL;
    int as_is;
    size_t bytes, page, length = recon_picture_page(from[0], &page);
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &bare, length + 1, 1));
    memcpy(bare, from[0], length);
    RECON_TRY(recon_file_open(ctx, &file, bare));
    RECON_TRY(measure(ctx, &bytes, &as_is, &file, from, angle, n));
    if (as_is) {
        status = copy(ctx, to, bare, &file, how);
        goto done;
    }
    RECON_TRY(recon_tiff_writer_open(ctx, &out, to, bytes));
    for (size_t i = 0; i < n; i++)
        RECON_TRY(add_page(ctx, out, &file, from[i], angle[i], how));
    RECON_TRY(recon_tiff_writer_commit(ctx, out));
done:
    recon_tiff_writer_close(out);
    recon_file_close(&file);
    free(bare);
    return status;
}

/* --- pictures that have no file --------------------------------------------------------------- */

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
