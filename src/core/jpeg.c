/* jpeg.c - JPEG pictures through libjpeg-turbo.
 *
 * The library reports errors by a function that must not return: it jumps. Whatever such a jump may
 * skip lives in a struct that the function with setjmp was given, and no function between setjmp and
 * the jump owns anything. */
#include "core/blocks.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/picture.h"
#include "core/svg.h"

#include <stdlib.h>
#include <string.h>

#ifdef RECON_HAVE_JPEG
#include <setjmp.h>
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>

/* One bit of Huffman code for a block of 8 x 8 samples, of which a channel may have one for 32 x 32
 * pixels: no file has more pixels in a byte. */
#define RATIO_MAX 1536
/* A hostile file repeats the scans of a progressive one, and each takes the time of a picture. */
enum {
    SCANS_MAX = 200,
    SEGMENT_MAX = 0xffff,
    CHUNK = RECON_BLOCK_JPEG,
    EXIF = JPEG_APP0 + 1,
    PROFILE = JPEG_APP0 + 2,
    UPRIGHT = 1,
    FIRST_TURNED = 5
};

typedef struct {
    struct jpeg_error_mgr errors; /* first: the library knows its address */
    struct jpeg_progress_mgr progress;
    struct jpeg_destination_mgr taker;
    jmp_buf jump;
    recon_ctx *ctx;
    const char *name;
    recon_status status;
    struct jpeg_decompress_struct in;
    struct jpeg_compress_struct out;
    size_t size; /* of the file that is read */
    int orientation;
    recon_picture_sink *sink;
    uint8_t *block;             /* one row, or all of them */
    const recon_pixels *pixels; /* writing: what they are like, who gives them, where they go */
    recon_pixel_rows *give;
    const void *giver;
    const recon_jpeg_options *options;
    recon_writer writer;
    recon_markup *memory; /* where it goes instead; or NULL */
    uint8_t chunk[CHUNK];
} session;

static session *session_of(j_common_ptr common)
{
    return (session *)common->err;
}

static void give_up(session *s, recon_status status, const char *message)
{
    if (s->status == RECON_OK)
        s->status = recon_fail(s->ctx, status, "%s: %s", s->name, message);
    longjmp(s->jump, 1);
}

static void on_error(j_common_ptr common)
{
    char message[JMSG_LENGTH_MAX];
    common->err->format_message(common, message);
    int memory = common->err->msg_code == JERR_OUT_OF_MEMORY;
    give_up(session_of(common), memory ? RECON_ERR_MEMORY : RECON_ERR_FORMAT, message);
}

/* What the library would mend by making pixels up is an error; other complaints harm nothing. */
static void on_message(j_common_ptr common, int level)
{
    switch (level < 0 ? common->err->msg_code : 0) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
        give_up(session_of(common), RECON_ERR_FORMAT, "the file is cut short");
        break;
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC: on_error(common); break;
    default: break;
    }
}

static void on_output(j_common_ptr common)
{
    (void)common;
}

static void on_progress(j_common_ptr common)
{
    if (((j_decompress_ptr)common)->input_scan_number > SCANS_MAX)
        give_up(session_of(common), RECON_ERR_FORMAT, "too many scans");
}

static recon_status session_new(recon_ctx *ctx, session **out, const char *name)
{
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    session *s = *out;
    s->ctx = ctx;
    s->name = name;
    s->writer.fd = -1;
    s->progress.progress_monitor = on_progress;
    s->in.err = s->out.err = jpeg_std_error(&s->errors);
    s->errors.error_exit = on_error;
    s->errors.emit_message = on_message;
    s->errors.output_message = on_output;
    return RECON_OK;
}

static recon_status session_end(session *s)
{
    recon_status status = s->status;
    if (s->in.mem)
        jpeg_destroy_decompress(&s->in);
    if (s->out.mem)
        jpeg_destroy_compress(&s->out);
    recon_writer_close(&s->writer);
    recon_free_all(s->block, s);
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

static void open_source(session *s, const void *bytes, size_t size)
{
    s->size = size;
    jpeg_create_decompress(&s->in);
    s->in.progress = &s->progress;
    jpeg_save_markers(&s->in, EXIF, SEGMENT_MAX);
    jpeg_save_markers(&s->in, PROFILE, SEGMENT_MAX);
    jpeg_mem_src(&s->in, bytes, size);
    jpeg_read_header(&s->in, TRUE);
}

static recon_status read_head(session *s)
{
    struct jpeg_decompress_struct *in = &s->in;
    int grey = in->num_components == 1, oriented;
    if (in->num_components == 4)
        return recon_fail(s->ctx, RECON_ERR_FORMAT,
                          "%s: the colours are CMYK, which is not read: convert it to RGB",
                          s->name);
    if (!grey && in->num_components != 3)
        return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: %d channels: 1 or 3", s->name,
                          in->num_components);
    in->out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    int orientation = UPRIGHT;
    for (jpeg_saved_marker_ptr m = in->marker_list; m && orientation == UPRIGHT; m = m->next)
        if (m->marker == EXIF)
            orientation = recon_exif_orientation(m->data, m->data_length);
    s->orientation = orientation;
    oriented = s->orientation >= FIRST_TURNED;
    s->sink->oriented = s->orientation != UPRIGHT;
    s->sink->interlaced = s->orientation != UPRIGHT || jpeg_has_multiple_scans(in);
    s->sink->head = (recon_pixels){ .height = oriented ? in->image_width : in->image_height,
                                    .width = oriented ? in->image_height : in->image_width,
                                    .channels = grey ? 1 : 3 };
    RECON_CHECK(recon_picture_check(s->ctx, &s->sink->head, RATIO_MAX, s->size, s->name));
    return recon_picture_begin(s->ctx, s->sink, s->size, s->name);
}

/* Rows as the file has them: into the sink's room, into a block of our own where they have to be
 * oriented, or one by one. */
static recon_status read_rows(session *s)
{
    recon_picture_sink *sink = s->sink;
    size_t height = s->in.image_height, stride = s->in.image_width * sink->head.channels;
    int upright = s->orientation == UPRIGHT;
    uint8_t *all = upright ? sink->head.bytes : NULL;
    recon_status status = RECON_OK;
    if (!all)
        status = recon_alloc_raw(s->ctx, &s->block, upright ? 1 : height, stride);
    if (status != RECON_OK)
        return status;
    jpeg_start_decompress(&s->in);
    for (size_t y = 0; y < height; y++) {
        JSAMPROW row = all ? all + y * stride : s->block + (upright ? 0 : y * stride);
        jpeg_read_scanlines(&s->in, &row, 1);
        if (upright && !all)
            sink->row(sink, y, row);
    }
    return upright ? status : recon_picture_turn(s->ctx, sink, s->block, s->orientation);
}

static void read_picture(session *s, const void *bytes, size_t size)
{
    if (setjmp(s->jump))
        return;
    open_source(s, bytes, size);
    s->status = read_head(s);
    if (s->status == RECON_OK && s->sink->begin)
        s->status = read_rows(s);
}

recon_status recon_jpeg_scan(recon_ctx *ctx, recon_picture_sink *sink, const void *bytes,
                             size_t size, const char *name)
{
    session *s;
    if (size < 3 || memcmp(bytes, "\xff\xd8\xff", 3) != 0)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: not a JPEG file", name);
    RECON_CHECK(session_new(ctx, &s, name));
    s->sink = sink;
    read_picture(s, bytes, size);
    return session_end(s);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void begin_taking(j_compress_ptr out)
{
    session *s = session_of((j_common_ptr)out);
    s->taker.next_output_byte = s->chunk;
    s->taker.free_in_buffer = CHUNK;
}

static void take(session *s, size_t n)
{
    if (s->memory) {
        recon_markup_bytes(s->memory, s->chunk, n);
        s->status = s->memory->status;
    } else
        s->status = recon_writer_write(s->ctx, &s->writer, s->chunk, n);
    if (s->status != RECON_OK)
        longjmp(s->jump, 1);
}

static boolean take_chunk(j_compress_ptr out)
{
    take(session_of((j_common_ptr)out), CHUNK);
    begin_taking(out);
    return TRUE;
}

static void take_rest(j_compress_ptr out)
{
    session *s = session_of((j_common_ptr)out);
    take(s, CHUNK - s->taker.free_in_buffer);
}

static int begins_with(jpeg_saved_marker_ptr m, const char *text, size_t n)
{
    return m->data_length >= n && !memcmp(m->data, text, n);
}

/* EXIF and the colour profile. Other segments may say where further pictures are in the file, or
 * which way is up. */
static void copy_segments(session *s)
{
    for (jpeg_saved_marker_ptr m = s->in.marker_list; m; m = m->next) {
        int exif = begins_with(m, "Exif\0", 6), icc = begins_with(m, "ICC_PROFILE", 12);
        if (exif)
            recon_exif_reset(m->data, m->data_length);
        if (exif || icc)
            jpeg_write_marker(&s->out, m->marker, m->data, m->data_length);
    }
}

static void write_picture(session *s)
{
    const recon_jpeg_options *o = s->options;
    struct jpeg_compress_struct *out = &s->out;
    const recon_pixels *p = s->pixels;
    JSAMPROW row = s->block;
    if (setjmp(s->jump))
        return;
    if (o->bytes)
        open_source(s, o->bytes, o->size);
    jpeg_create_compress(out);
    s->taker.init_destination = begin_taking;
    s->taker.empty_output_buffer = take_chunk;
    s->taker.term_destination = take_rest;
    out->dest = &s->taker;
    out->image_width = (JDIMENSION)p->width;
    out->image_height = (JDIMENSION)p->height;
    out->input_components = (int)p->channels;
    out->in_color_space = p->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(out);
    jpeg_set_quality(out, o->quality ? o->quality : RECON_JPEG_QUALITY, TRUE);
    if (o->bytes) {
        /* Density, and full resolution of colours where the source has it. */
        const struct jpeg_decompress_struct *in = &s->in;
        s->out.density_unit = in->density_unit;
        s->out.X_density = in->X_density;
        s->out.Y_density = in->Y_density;
        if (in->num_components == 3 && s->out.num_components == 3 && in->max_h_samp_factor == 1 &&
            in->max_v_samp_factor == 1)
            s->out.comp_info[0].h_samp_factor = s->out.comp_info[0].v_samp_factor = 1;
    }
    jpeg_start_compress(out, TRUE);
    if (o->bytes)
        copy_segments(s);
    for (size_t y = 0; y < p->height; y++) {
        s->give(s->giver, y, s->block);
        jpeg_write_scanlines(out, &row, 1);
    }
    jpeg_finish_compress(out);
    if (!s->memory)
        s->status = recon_writer_commit(s->ctx, &s->writer);
}

/* To a file, or to memory where there is any. */
static recon_status write_rows(recon_ctx *ctx, const char *path, recon_markup *memory,
                               const recon_pixels *head, recon_pixel_rows *rows, const void *user,
                               const recon_jpeg_options *options)
{
    session *s;
    if (head->deep || (head->channels != 1 && head->channels != 3))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: a JPEG file has 1 or 3 channels of 8 bits, and this picture has %zu "
                          "of %d: give it the ending of its format",
                          path, head->channels, head->deep ? 16 : 8);
    if (recon_picture_check(ctx, head, 1, recon_pixels_size(head), path) != RECON_OK)
        return RECON_ERR_INPUT;
    recon_status status = session_new(ctx, &s, path);
    if (status != RECON_OK)
        return status;
    s->pixels = head;
    s->give = rows;
    s->giver = user;
    s->options = options;
    s->memory = memory;
    s->status = recon_alloc_raw(ctx, &s->block, head->width, head->channels);
    if (s->status == RECON_OK && !memory)
        s->status = recon_writer_open(ctx, &s->writer, path);
    if (s->status == RECON_OK)
        write_picture(s);
    return session_end(s);
}

recon_status recon_jpeg_write_rows(recon_ctx *ctx, const char *path, const recon_pixels *head,
                                   recon_pixel_rows *rows, const void *user,
                                   const recon_jpeg_options *options)
{
    static const recon_jpeg_options defaults = { 0 };
    return write_rows(ctx, path, NULL, head, rows, user, options ? options : &defaults);
}

static void copy_row(const void *user, size_t y, uint8_t *out)
{
    const recon_pixels *p = user;
    memcpy(out, p->bytes + y * p->width * p->channels, p->width * p->channels);
}

recon_status recon_jpeg_encode(recon_ctx *ctx, uint8_t **out, size_t *size,
                               const recon_pixels *pixels, int quality)
{
    recon_markup memory = { .ctx = ctx };
    recon_status status = write_rows(ctx, "JPEG", &memory, pixels, copy_row, pixels,
                                     &(recon_jpeg_options){ .quality = quality });
    if (status != RECON_OK) {
        free(memory.text);
        memory = (recon_markup){ 0 };
    }
    *out = (uint8_t *)memory.text;
    *size = memory.used;
    return status;
}

#else

static recon_status no_jpeg(recon_ctx *ctx, const char *name)
{
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                      "%s: built without libjpeg: install libjpeg62-turbo-dev and build again",
                      name);
}

recon_status recon_jpeg_scan(recon_ctx *ctx, recon_picture_sink *sink, const void *bytes,
                             size_t size, const char *name)
{
    (void)sink;
    (void)bytes;
    (void)size;
    return no_jpeg(ctx, name);
}

recon_status recon_jpeg_write_rows(recon_ctx *ctx, const char *path, const recon_pixels *head,
                                   recon_pixel_rows *rows, const void *user,
                                   const recon_jpeg_options *options)
{
    (void)head;
    (void)rows;
    (void)user;
    (void)options;
    return no_jpeg(ctx, path);
}

recon_status recon_jpeg_encode(recon_ctx *ctx, uint8_t **out, size_t *size,
                               const recon_pixels *pixels, int quality)
{
    (void)pixels;
    (void)quality;
    *out = NULL;
    *size = 0;
    return no_jpeg(ctx, "JPEG");
}

#endif
