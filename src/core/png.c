/* png.c - PNG pictures through libpng.
 *
 * libpng reports errors by longjmp. Whatever such a jump may skip lives in a struct that the
 * function with setjmp was given, and no function between setjmp and the jump owns anything. */
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/picture.h"

#include <stdlib.h>
#include <string.h>

#ifdef RECON_HAVE_PNG
#include <png.h>
#include <setjmp.h>
#endif

typedef struct {
    recon_ctx *ctx;
    const char *name;
    const uint8_t *bytes; /* reading: the file, and where its rows go */
    size_t size, at;
    recon_picture_sink *sink;
    uint8_t *block;      /* one row, or all of them                    */
    recon_pixels pixels; /* writing: what they are like, who gives them, and who takes the file */
    recon_pixel_rows *give;
    const void *giver;
    recon_status (*take)(void *taker, recon_ctx *ctx, const void *bytes, size_t n);
    void *taker;
#ifdef RECON_HAVE_PNG
    png_bytepp rows;
    png_structp png;
    png_infop info;
#endif
    recon_status status;
} session;

static recon_status check_size(recon_ctx *ctx, size_t height, size_t width, const char *name)
{
    if (height < 1 || width < 1 || height > RECON_PIXELS_SIDE || width > RECON_PIXELS_SIDE)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: a picture of %zu x %zu: sides of 1 to %d",
                          name, height, width, RECON_PIXELS_SIDE);
    return RECON_OK;
}

#ifdef RECON_HAVE_PNG

#define RATIO_MAX 1032      /* deflate cannot do better */
#define ANCILLARY (1 << 20) /* bytes a chunk that is no picture may unfold to */
#define IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define LARGE     ((size_t)1 << 22) /* bytes of a picture from which on time counts more */
enum { SIGNATURE = 8, FASTER = 3 }; /* FASTER: a third of the time of zlib's 6 on photographs */

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

static recon_status read_head(session *s)
{
    recon_picture_sink *sink = s->sink;
    size_t height = png_get_image_height(s->png, s->info);
    size_t width = png_get_image_width(s->png, s->info);
    size_t stored = png_get_rowbytes(s->png, s->info); /* in a row, unpacked */
    RECON_CHECK(check_size(s->ctx, height, width, s->name));
    if (stored * height / RATIO_MAX > s->size)
        return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: %zu x %zu pixels cannot be in %zu bytes",
                          s->name, height, width, s->size);
    sink->interlaced = png_get_interlace_type(s->png, s->info) != PNG_INTERLACE_NONE;
    sink->head = (recon_pixels){ .height = height, .width = width };
    sink->head.deep = png_get_bit_depth(s->png, s->info) == 16;
    /* Every kind of PNG becomes 1 to 4 channels of bytes, or of words in the machine's order. */
    png_set_expand(s->png);
    if (s->sink->shallow)
        png_set_scale_16(s->png);
    else if (IS_LITTLE)
        png_set_swap(s->png);
    png_set_interlace_handling(s->png);
    png_read_update_info(s->png, s->info);
    sink->head.channels = png_get_channels(s->png, s->info);
    sink->head.alpha = sink->head.channels % 2 == 0;
    return recon_picture_begin(s->ctx, sink, s->size, s->name);
}

/* All rows at once: into the sink's room, or from a block of our own to its `row`. */
static recon_status read_whole(session *s)
{
    const recon_pixels *head = &s->sink->head;
    size_t height = head->height, stride = recon_pixels_size(head) / height;
    if (!head->bytes)
        RECON_CHECK(recon_alloc_raw(s->ctx, &s->block, height, stride));
    RECON_CHECK(recon_alloc_raw(s->ctx, &s->rows, height, sizeof *s->rows));
    for (size_t i = 0; i < height; i++)
        s->rows[i] = (head->bytes ? head->bytes : s->block) + i * stride;
    png_read_image(s->png, s->rows);
    for (size_t i = 0; s->block && i < height; i++)
        s->sink->row(s->sink, i, s->rows[i]);
    return RECON_OK;
}

static recon_status read_rows(session *s)
{
    const recon_pixels *head = &s->sink->head;
    RECON_CHECK(recon_alloc_raw(s->ctx, &s->block, recon_pixels_size(head) / head->height, 1));
    for (size_t i = 0; i < head->height; i++) {
        png_read_row(s->png, s->block, NULL);
        s->sink->row(s->sink, i, s->block);
    }
    return RECON_OK;
}

/* Whether there are several pictures in it: a chunk says so before the first one's pixels. */
static int is_animation(const uint8_t *bytes, size_t size)
{
    enum { LENGTH = 4, OVERHEAD = 12 };
    for (size_t at = SIGNATURE; at + OVERHEAD <= size;) {
        const uint8_t *b = bytes + at;
        size_t n = (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
        if (!memcmp(b + LENGTH, "acTL", 4))
            return 1;
        if (!memcmp(b + LENGTH, "IDAT", 4) || n > size - at - OVERHEAD)
            return 0;
        at += n + OVERHEAD;
    }
    return 0;
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
    s->status = read_head(s);
    if (s->status != RECON_OK || !s->sink->begin)
        return;
    s->status = s->sink->head.bytes || s->sink->interlaced ? read_whole(s) : read_rows(s);
    if (s->status == RECON_OK)
        png_read_end(s->png, NULL);
}

recon_status recon_png_scan(recon_ctx *ctx, recon_picture_sink *sink, const void *bytes,
                            size_t size, const char *name)
{
    session s = { .ctx = ctx, .name = name, .bytes = bytes, .size = size, .sink = sink };
    if (size < SIGNATURE || png_sig_cmp(bytes, 0, SIGNATURE) != 0)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: not a PNG file", name);
    if (is_animation(bytes, size))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: an animation (APNG), which is not read",
                          name);
    s.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning, &s, on_alloc,
                                     on_free);
    s.info = s.png ? png_create_info_struct(s.png) : NULL;
    if (s.info)
        read_picture(&s);
    else
        s.status = recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", name);
    png_destroy_read_struct(&s.png, &s.info, NULL);
    recon_free_all(s.rows, s.block);
    return s.status;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void put(png_structp png, png_bytep bytes, size_t n)
{
    session *s = png_get_io_ptr(png);
    s->status = s->take(s->taker, s->ctx, bytes, n);
    if (s->status != RECON_OK)
        png_error(png, "cannot be written");
}

static void flush(png_structp png)
{
    (void)png;
}

static int colour_type(size_t channels)
{
    static const int types[] = { PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGBA };
    return types[channels - 1];
}

static void write_picture(session *s)
{
    const recon_pixels *p = &s->pixels;
    if (setjmp(png_jmpbuf(s->png)))
        return;
    png_set_write_fn(s->png, s, put, flush);
    png_set_IHDR(s->png, s->info, (png_uint_32)p->width, (png_uint_32)p->height, p->deep ? 16 : 8,
                 colour_type(p->channels), PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (recon_pixels_size(p) > LARGE)
        png_set_compression_level(s->png, FASTER);
    png_write_info(s->png, s->info);
    if (p->deep && IS_LITTLE)
        png_set_swap(s->png);
    for (size_t i = 0; i < p->height; i++) {
        s->give(s->giver, i, s->block);
        png_write_row(s->png, s->block);
    }
    png_write_end(s->png, s->info);
}

static recon_status encode(session *s)
{
    s->status =
        recon_alloc_raw(s->ctx, &s->block, recon_pixels_size(&s->pixels) / s->pixels.height, 1);
    if (s->status != RECON_OK)
        return s->status;
    s->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, s, on_error, on_warning, s, on_alloc,
                                       on_free);
    s->info = s->png ? png_create_info_struct(s->png) : NULL;
    if (s->info)
        write_picture(s);
    else
        s->status = recon_fail(s->ctx, RECON_ERR_MEMORY, "%s: out of memory", s->name);
    png_destroy_write_struct(&s->png, &s->info);
    free(s->block);
    return s->status;
}

#else

static recon_status no_png(recon_ctx *ctx, const char *name)
{
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                      "%s: built without libpng: install libpng-dev and build again", name);
}

recon_status recon_png_scan(recon_ctx *ctx, recon_picture_sink *sink, const void *bytes,
                            size_t size, const char *name)
{
    (void)sink;
    (void)bytes;
    (void)size;
    return no_png(ctx, name);
}

static recon_status encode(session *s)
{
    return no_png(s->ctx, s->name);
}

#endif

/* --- files ------------------------------------------------------------------------------------ */

static recon_status check_and_encode(session *s)
{
    const recon_pixels *p = &s->pixels;
    if (check_size(s->ctx, p->height, p->width, s->name) != RECON_OK)
        return RECON_ERR_INPUT;
    if (p->channels < 1 || p->channels > 4)
        return recon_fail(s->ctx, RECON_ERR_INPUT, "%s: %zu channels: 1 to 4", s->name,
                          p->channels);
    return encode(s);
}

/* Rows of a picture that is in memory. */
typedef struct {
    const uint8_t *bytes;
    size_t stride;
} whole;

static void copy_row(const void *giver, size_t y, uint8_t *out)
{
    const whole *w = giver;
    memcpy(out, w->bytes + y * w->stride, w->stride);
}

typedef struct {
    uint8_t *bytes;
    size_t size, room;
} buffer;

static recon_status to_memory(void *taker, recon_ctx *ctx, const void *bytes, size_t n)
{
    buffer *b = taker;
    RECON_CHECK(recon_grow(ctx, &b->bytes, &b->room, b->size, b->size + n, 1));
    memcpy(b->bytes + b->size, bytes, n);
    b->size += n;
    return RECON_OK;
}

recon_status recon_png_encode(recon_ctx *ctx, uint8_t **out, size_t *size, const uint8_t *pixels,
                              size_t height, size_t width, size_t channels)
{
    const whole all = { pixels, width * channels };
    buffer file = { 0 };
    session s = { .ctx = ctx,
                  .name = "PNG",
                  .pixels = { .height = height, .width = width, .channels = channels },
                  .give = copy_row,
                  .giver = &all,
                  .take = to_memory,
                  .taker = &file };
    recon_status status = check_and_encode(&s);
    if (status != RECON_OK) {
        free(file.bytes);
        file = (buffer){ 0 };
    }
    *out = file.bytes;
    *size = file.size;
    return status;
}

static recon_status to_file(void *taker, recon_ctx *ctx, const void *bytes, size_t n)
{
    return recon_writer_write(ctx, taker, bytes, n);
}

recon_status recon_png_write_rows(recon_ctx *ctx, const char *path, const recon_pixels *head,
                                  recon_pixel_rows *rows, const void *user)
{
    recon_writer writer = { .fd = -1 };
    session s = { .ctx = ctx,
                  .name = path,
                  .pixels = *head,
                  .give = rows,
                  .giver = user,
                  .take = to_file,
                  .taker = &writer };
    recon_status status;
    RECON_TRY(recon_writer_open(ctx, &writer, path));
    RECON_TRY(check_and_encode(&s));
    RECON_TRY(recon_writer_commit(ctx, &writer));
done:
    recon_writer_close(&writer);
    return status;
}

recon_status recon_png_write(recon_ctx *ctx, const char *path, const uint8_t *pixels, size_t height,
                             size_t width, size_t channels)
{
    const whole all = { pixels, width * channels };
    const recon_pixels head = { .height = height, .width = width, .channels = channels };
    return recon_png_write_rows(ctx, path, &head, copy_row, &all);
}
