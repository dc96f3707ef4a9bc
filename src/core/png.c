/* png.c - PNG pictures through libpng.
 *
 * libpng reports errors by longjmp. Whatever such a jump may skip lives in a struct that the
 * function with setjmp was given, and no function between setjmp and the jump owns anything. */
#include <recon/core/png.h>
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

static recon_status check_size(recon_ctx *ctx, size_t height, size_t width, const char *name)
{
    if (height < 1 || width < 1 || height > RECON_PIXELS_SIDE || width > RECON_PIXELS_SIDE)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: a picture of %zu x %zu: sides of 1 to %d",
                          name, height, width, RECON_PIXELS_SIDE);
    return RECON_OK;
}

#ifdef RECON_HAVE_PNG

#include <png.h>
#include <setjmp.h>

#define RATIO_MAX    1032              /* deflate cannot do better */
#define ANCILLARY    (1 << 20)         /* bytes a chunk that is no picture may unfold to */
#define ROOM         ((size_t)1 << 24) /* pixels that a file of any size may have */
#define FIRST_BUFFER ((size_t)1 << 14)
enum { SIGNATURE = 8 };

typedef struct {
    recon_ctx *ctx;
    const char *name;
    const uint8_t *bytes; /* reading: the file */
    size_t size, at;
    uint8_t *made; /* writing: the file */
    size_t capacity;
    png_structp png;
    png_infop info;
    png_bytepp rows;
    recon_pixels pixels;
    uint8_t *block; /* with alpha, before it is laid over black */
    recon_status status;
} session;

static void on_error(png_structp png, png_const_charp message)
{
    session *s = png_get_error_ptr(png);
    if (s->status == RECON_OK)
        s->status = recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: %s", s->name, message);
    png_longjmp(png, 1);
}

/* libpng tells a lack of memory from a broken file by the words alone, so its memory is ours. */
static void *on_alloc(png_structp png, png_alloc_size_t size)
{
    session *s = png_get_mem_ptr(png);
    void *block = malloc(size);
    if (!block && s->status == RECON_OK)
        s->status = recon_fail(s->ctx, RECON_ERR_MEMORY, "%s: out of memory", s->name);
    return block;
}

static void on_free(png_structp png, void *block)
{
    (void)png;
    free(block);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* --- reading ---------------------------------------------------------------------------------- */

static void take(png_structp png, png_bytep out, size_t n)
{
    session *s = png_get_io_ptr(png);
    if (n > s->size - s->at)
        png_error(png, "the file is cut short");
    memcpy(out, s->bytes + s->at, n);
    s->at += n;
}

/* Every kind of PNG becomes bytes of 1 to 4 channels. */
static void simplify(session *s)
{
    png_set_expand(s->png);
    png_set_scale_16(s->png);
    png_set_interlace_handling(s->png);
    png_read_update_info(s->png, s->info);
}

static recon_status make_room(session *s)
{
    size_t height = png_get_image_height(s->png, s->info);
    size_t width = png_get_image_width(s->png, s->info);
    size_t stored = png_get_rowbytes(s->png, s->info); /* in a row, unpacked */
    recon_status status;
    RECON_TRY(check_size(s->ctx, height, width, s->name));
    if (stored * height / RATIO_MAX > s->size ||
        (height * width > ROOM && height * width / RATIO_MAX > s->size))
        RECON_TRY(recon_fail(s->ctx, RECON_ERR_FORMAT,
                             "%s: %zu x %zu pixels cannot be in %zu bytes", s->name, height, width,
                             s->size));
    simplify(s);
    s->pixels = (recon_pixels){ .height = height, .width = width };
    s->pixels.channels = png_get_channels(s->png, s->info);
    RECON_TRY(recon_alloc_raw(s->ctx, &s->block, height, width * s->pixels.channels));
    RECON_TRY(recon_alloc_raw(s->ctx, &s->rows, height, sizeof *s->rows));
    for (size_t i = 0; i < height; i++)
        s->rows[i] = s->block + i * width * s->pixels.channels;
done:
    return status;
}

static void read_picture(session *s)
{
    if (setjmp(png_jmpbuf(s->png)))
        return;
    png_set_read_fn(s->png, s, take);
    png_set_user_limits(s->png, RECON_PIXELS_SIDE, RECON_PIXELS_SIDE);
    png_set_chunk_malloc_max(s->png, ANCILLARY);
    png_set_keep_unknown_chunks(s->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1); /* texts, profiles ... */
    png_read_info(s->png, s->info);
    s->status = make_room(s);
    if (s->status != RECON_OK)
        return;
    png_read_image(s->png, s->rows);
    png_read_end(s->png, NULL);
}

/* From 2 channels to 1, from 4 to 3; in place, where there is less to write than was read. */
static void lay_over_black(recon_pixels *p)
{
    size_t from = p->channels, to = from - 1, n = p->height * p->width;
    for (size_t i = 0; i < n; i++) {
        unsigned alpha = p->bytes[i * from + to];
        for (size_t c = 0; c < to; c++)
            p->bytes[i * to + c] = (uint8_t)((p->bytes[i * from + c] * alpha + 127) / 255);
    }
    p->channels = to;
}

recon_status recon_png_decode(recon_ctx *ctx, recon_pixels *out, const void *bytes, size_t size,
                              const char *name)
{
    session s = { .ctx = ctx, .name = name, .bytes = bytes, .size = size };
    *out = (recon_pixels){ 0 };
    if (size < SIGNATURE || png_sig_cmp(bytes, 0, SIGNATURE) != 0)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: not a PNG file", name);
    s.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning, &s, on_alloc,
                                     on_free);
    s.info = s.png ? png_create_info_struct(s.png) : NULL;
    if (s.info)
        read_picture(&s);
    else
        s.status = recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", name);
    png_destroy_read_struct(&s.png, &s.info, NULL);
    free(s.rows);
    if (s.status != RECON_OK) {
        free(s.block);
        return s.status;
    }
    *out = s.pixels;
    out->bytes = s.block;
    if (out->channels % 2 == 0)
        lay_over_black(out);
    return RECON_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void give(png_structp png, png_bytep bytes, size_t n)
{
    session *s = png_get_io_ptr(png);
    while (s->capacity - s->at < n) {
        size_t larger = s->capacity ? 2 * s->capacity : FIRST_BUFFER;
        uint8_t *block;
        s->status = recon_alloc_raw(s->ctx, &block, larger, 1);
        if (s->status != RECON_OK)
            png_error(png, "out of memory");
        if (s->at)
            memcpy(block, s->made, s->at);
        free(s->made);
        s->made = block;
        s->capacity = larger;
    }
    memcpy(s->made + s->at, bytes, n);
    s->at += n;
}

static void flush(png_structp png)
{
    (void)png;
}

static int colour_type(size_t channels)
{
    return channels == 1   ? PNG_COLOR_TYPE_GRAY
           : channels == 3 ? PNG_COLOR_TYPE_RGB
                           : PNG_COLOR_TYPE_RGBA;
}

static void write_picture(session *s)
{
    const recon_pixels *p = &s->pixels;
    if (setjmp(png_jmpbuf(s->png)))
        return;
    png_set_write_fn(s->png, s, give, flush);
    png_set_IHDR(s->png, s->info, (png_uint_32)p->width, (png_uint_32)p->height, 8,
                 colour_type(p->channels), PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(s->png, s->info);
    for (size_t i = 0; i < p->height; i++)
        png_write_row(s->png, p->bytes + i * p->width * p->channels);
    png_write_end(s->png, s->info);
}

static recon_status encode(recon_ctx *ctx, uint8_t **out, size_t *size, recon_pixels pixels,
                           const char *name)
{
    session s = { .ctx = ctx, .name = name, .pixels = pixels };
    s.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning, &s, on_alloc,
                                      on_free);
    s.info = s.png ? png_create_info_struct(s.png) : NULL;
    if (s.info)
        write_picture(&s);
    else
        s.status = recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", name);
    png_destroy_write_struct(&s.png, &s.info);
    if (s.status != RECON_OK) {
        free(s.made);
        return s.status;
    }
    *out = s.made;
    *size = s.at;
    return RECON_OK;
}

#else

static recon_status no_png(recon_ctx *ctx, const char *name)
{
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                      "%s: built without libpng: install libpng-dev and build again", name);
}

recon_status recon_png_decode(recon_ctx *ctx, recon_pixels *out, const void *bytes, size_t size,
                              const char *name)
{
    (void)bytes;
    (void)size;
    *out = (recon_pixels){ 0 };
    return no_png(ctx, name);
}

static recon_status encode(recon_ctx *ctx, uint8_t **out, size_t *size, recon_pixels pixels,
                           const char *name)
{
    (void)out;
    (void)size;
    (void)pixels;
    return no_png(ctx, name);
}

#endif

/* --- files ------------------------------------------------------------------------------------ */

recon_status recon_png_read(recon_ctx *ctx, recon_pixels *out, const char *path)
{
    recon_file file;
    recon_status status = recon_file_open(ctx, &file, path);
    *out = (recon_pixels){ 0 };
    if (status != RECON_OK)
        return status;
    status = recon_png_decode(ctx, out, file.bytes, file.size, path);
    recon_file_close(&file);
    return status;
}

static recon_status check_and_encode(recon_ctx *ctx, uint8_t **out, size_t *size,
                                     const uint8_t *pixels, size_t height, size_t width,
                                     size_t channels, const char *name)
{
    /* libpng's row is not const, though it is not written to */
    const recon_pixels all = { height, width, channels, (uint8_t *)(uintptr_t)pixels };
    *out = NULL;
    *size = 0;
    if (check_size(ctx, height, width, name) != RECON_OK)
        return RECON_ERR_INPUT;
    if (channels != 1 && channels != 3 && channels != 4)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu channels: 1, 3 or 4", name, channels);
    return encode(ctx, out, size, all, name);
}

recon_status recon_png_encode(recon_ctx *ctx, uint8_t **out, size_t *size, const uint8_t *pixels,
                              size_t height, size_t width, size_t channels)
{
    return check_and_encode(ctx, out, size, pixels, height, width, channels, "PNG");
}

recon_status recon_png_write(recon_ctx *ctx, const char *path, const uint8_t *pixels, size_t height,
                             size_t width, size_t channels)
{
    recon_writer writer = { .fd = -1 };
    uint8_t *bytes = NULL;
    size_t size;
    recon_status status;
    RECON_TRY(check_and_encode(ctx, &bytes, &size, pixels, height, width, channels, path));
    RECON_TRY(recon_writer_open(ctx, &writer, path));
    RECON_TRY(recon_writer_write(ctx, &writer, bytes, size));
    RECON_TRY(recon_writer_commit(ctx, &writer));
done:
    recon_writer_close(&writer);
    free(bytes);
    return status;
}
