/* picture.c - formats of picture files, their limits, and reading a whole picture. */
#include "core/picture.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MEGABYTE 1e6
#define SMALL    ((size_t)16 << 20) /* bytes: a blank page of a scan takes that from next to nothing */

recon_status recon_picture_check(recon_ctx *ctx, const recon_pixels *head, size_t ratio,
                                 size_t size, const char *name)
{
    if (head->height < 1 || head->width < 1 || head->height > RECON_PIXELS_SIDE ||
        head->width > RECON_PIXELS_SIDE)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: a picture of %zu x %zu: sides of 1 to %d",
                          name, head->height, head->width, RECON_PIXELS_SIDE);
    if (head->channels < 1 || head->channels > RECON_PIXELS_CHANNELS)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: %zu channels: 1 to %d", name, head->channels,
                          RECON_PIXELS_CHANNELS);
    if (recon_pixels_size(head) > SMALL && recon_pixels_size(head) / ratio > size)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: %zu x %zu pixels cannot be in %zu bytes",
                          name, head->height, head->width, size);
    return RECON_OK;
}

recon_status recon_picture_begin(recon_ctx *ctx, recon_picture_sink *sink, size_t size,
                                 const char *name)
{
    size_t need = recon_pixels_size(&sink->head),
           most = sink->most ? sink->most : RECON_PIXELS_MOST;
    if (need > most && need / RECON_PIXELS_RATIO > size)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: a picture of %zu x %zu would take %.0f MB from a file of %.2f MB: "
                          "%.0f " RECON_PICTURE_LIMIT,
                          name, sink->head.height, sink->head.width, (double)need / MEGABYTE,
                          (double)size / MEGABYTE, (double)most / MEGABYTE);
    if (sink->shallow)
        sink->head.deep = 0;
    return sink->begin ? sink->begin(ctx, sink) : RECON_OK;
}

/* --- orientation ------------------------------------------------------------------------------ */

/* Where pixel x of upright row y lies in a file: at `first` + x `step` pixels, for the row. */
typedef struct {
    ptrdiff_t first, step;
} line;

static line line_of(const recon_pixels *upright, size_t y, int orientation)
{
    ptrdiff_t h = (ptrdiff_t)upright->height, w = (ptrdiff_t)upright->width, i = (ptrdiff_t)y;
    switch (orientation) {
    case 2: return (line){ i * w + w - 1, -1 };
    case 3: return (line){ (h - 1 - i) * w + w - 1, -1 };
    case 4: return (line){ (h - 1 - i) * w, 1 };
    case 5: return (line){ i, h };
    case 6: return (line){ (w - 1) * h + i, -h };
    case 7: return (line){ (w - 1) * h + h - 1 - i, -h };
    case 8: return (line){ h - 1 - i, h };
    default: return (line){ i * w, 1 };
    }
}

recon_status recon_picture_turn(recon_ctx *ctx, recon_picture_sink *sink, const uint8_t *stored,
                                int orientation)
{
    const recon_pixels *head = &sink->head;
    size_t pixel = head->channels * (head->deep ? 2 : 1), stride = head->width * pixel;
    uint8_t *own = NULL;
    recon_status status = RECON_OK;
    if (!head->bytes)
        RECON_TRY(recon_alloc_raw(ctx, &own, stride, 1));
    for (size_t y = 0; y < head->height; y++) {
        line l = line_of(head, y, orientation);
        const uint8_t *from = stored + l.first * (ptrdiff_t)pixel;
        uint8_t *to = own ? own : head->bytes + y * stride;
        for (size_t x = 0; x < head->width; x++, from += l.step * (ptrdiff_t)pixel)
            memcpy(to + x * pixel, from, pixel);
        if (own)
            sink->row(sink, y, own);
    }
done:
    free(own);
    return status;
}

/* --- names ------------------------------------------------------------------------------------ */

#ifdef RECON_HAVE_JPEG
#define JPEG RECON_PICTURE_JPEG, 1, NULL
#else
#define JPEG RECON_PICTURE_JPEG, 0, "libjpeg: install libjpeg62-turbo-dev"
#endif
#ifdef RECON_HAVE_TIFF
#define TIFF RECON_PICTURE_TIFF, 1, NULL
#else
#define TIFF RECON_PICTURE_TIFF, 0, "libtiff: install libtiff-dev"
#endif
#define READ   RECON_PICTURE_OTHER, 1, NULL
#define UNREAD RECON_PICTURE_OTHER, 0, NULL

const recon_picture_ending recon_picture_endings[RECON_PICTURE_ENDINGS] = {
    { ".png", RECON_PICTURE_PNG, 1, NULL },
    { ".pgm", READ },
    { ".ppm", READ },
    { ".pnm", READ },
    { ".jpg", JPEG },
    { ".jpeg", JPEG },
    { ".jfif", JPEG },
    { ".jpe", JPEG },
    { ".tif", TIFF },
    { ".tiff", TIFF },
    { ".gif", UNREAD },
    { ".webp", UNREAD },
    { ".bmp", UNREAD },
    { ".heic", UNREAD },
    { ".heif", UNREAD },
    { ".avif", UNREAD },
    { ".jp2", UNREAD },
    { ".jxl", UNREAD },
    { ".tga", UNREAD },
    { ".pbm", UNREAD },
    { ".apng", UNREAD },
    { ".dng", UNREAD },
    { ".cr2", UNREAD },
    { ".cr3", UNREAD },
    { ".nef", UNREAD },
    { ".arw", UNREAD },
    { ".raf", UNREAD },
    { ".orf", UNREAD },
    { ".rw2", UNREAD },
    { ".psd", UNREAD },
    { ".svg", UNREAD },
};

/* Of a name of n characters. */
static const recon_picture_ending *ending_of(const char *name, size_t n)
{
    for (size_t i = 0; i < RECON_PICTURE_ENDINGS; i++) {
        size_t length = strlen(recon_picture_endings[i].ending);
        if (n >= length && !strncasecmp(name + n - length, recon_picture_endings[i].ending, length))
            return &recon_picture_endings[i];
    }
    return NULL;
}

const recon_picture_ending *recon_picture_ending_of(const char *name)
{
    return ending_of(name, strlen(name));
}

int recon_picture_is_read(const char *name)
{
    const recon_picture_ending *e = recon_picture_ending_of(name);
    return e && e->is_read;
}

recon_picture_kind recon_picture_kind_of(const char *file)
{
    size_t page;
    const recon_picture_ending *e = ending_of(file, recon_picture_page(file, &page));
    return e ? e->kind : RECON_PICTURE_OTHER;
}

void recon_picture_name(char *out, size_t room, const char *file)
{
    size_t page, n = recon_picture_page(file, &page);
    snprintf(out, room, "%.*s%s", (int)n, file,
             recon_picture_kind_of(file) == RECON_PICTURE_OTHER ? ".png" : "");
}

/* --- formats ---------------------------------------------------------------------------------- */

typedef struct {
    const char *begins;
    size_t n;
    const char *name;
    recon_picture_format *scan; /* NULL: not read */
} format;

static const format formats[] = {
    { "\x89PNG", 4, "PNG", recon_png_scan },
    { "\xff\xd8", 2, "JPEG", recon_jpeg_scan },
    { "II*\0", 4, "TIFF", recon_tiff_scan },
    { "MM\0*", 4, "TIFF", recon_tiff_scan },
    { "II+\0", 4, "BigTIFF", recon_tiff_scan },
    { "MM\0+", 4, "BigTIFF", recon_tiff_scan },
    { "GIF8", 4, "GIF", NULL },
    { "RIFF", 4, "WebP", NULL },
    { "BM", 2, "BMP", NULL },
    { "P", 1, "PNM", recon_pnm_scan },
};

recon_status recon_picture_scan(recon_ctx *ctx, recon_picture_sink *sink, const void *bytes,
                                size_t size, const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const format *f = &formats[i];
        if (size < f->n || memcmp(bytes, f->begins, f->n) != 0)
            continue;
        return f->scan ? f->scan(ctx, sink, bytes, size, name)
                       : recon_fail(ctx, RECON_ERR_FORMAT, "%s: a %s file, which is not read", name,
                                    f->name);
    }
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: not a PNG, JPEG, TIFF, PGM or PPM file", name);
}

/* --- pages ------------------------------------------------------------------------------------ */

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t recon_picture_page(const char *path, size_t *page)
{
    enum { DIGITS = 9 };
    const char *mark = strrchr(path, '#'), *dot;
    size_t n = strlen(path), at;
    *page = SIZE_MAX;
    if (!mark || !mark[1] || mark[1] == '0' || strlen(mark + 1) > DIGITS)
        return n;
    at = (size_t)(mark - path);
    for (dot = mark; dot > path && *dot != '.';)
        dot--;
    if (strncasecmp(dot, ".tif#", 5) != 0 && strncasecmp(dot, ".tiff#", 6) != 0)
        return n;
    size_t number = 0;
    for (const char *c = mark + 1; *c; c++) {
        if (!is_digit(*c))
            return n;
        number = 10 * number + (size_t)(*c - '0');
    }
    *page = number - 1;
    return at;
}

recon_status recon_picture_pages(recon_ctx *ctx, size_t *pages, const char *path)
{
    recon_file file;
    recon_status status = recon_file_open(ctx, &file, path);
    *pages = 1;
    if (status != RECON_OK)
        return status == RECON_ERR_MEMORY || status == RECON_ERR_INTERRUPTED ? status : RECON_OK;
    *pages = recon_tiff_pages(file.bytes, file.size);
    recon_file_close(&file);
    return RECON_OK;
}

static recon_status open_page(recon_ctx *ctx, recon_file *file, recon_picture_sink *sink,
                              const char *path)
{
    size_t page, n = recon_picture_page(path, &page);
    char *bare = NULL;
    recon_status status;
    if (page == SIZE_MAX)
        return recon_file_open(ctx, file, path);
    RECON_TRY(recon_alloc(ctx, &bare, n + 1, 1));
    memcpy(bare, path, n);
    RECON_TRY(recon_file_open(ctx, file, bare));
    sink->page = page;
done:
    free(bare);
    return status;
}

recon_status recon_picture_scan_file(recon_ctx *ctx, recon_picture_sink *sink, const char *path)
{
    recon_file file;
    RECON_CHECK(open_page(ctx, &file, sink, path));
    recon_status status = recon_picture_scan(ctx, sink, file.bytes, file.size, path);
    recon_file_close(&file);
    return status;
}

/* --- whole pictures --------------------------------------------------------------------------- */

static recon_status make_room(recon_ctx *ctx, recon_picture_sink *sink)
{
    return recon_alloc_raw(ctx, &sink->head.bytes, recon_pixels_size(&sink->head), 1);
}

static recon_status take_whole(recon_pixels *out, const recon_picture_sink *sink,
                               recon_status status)
{
    if (status == RECON_OK) {
        *out = sink->head;
        return status;
    }
    free(sink->head.bytes);
    *out = (recon_pixels){ 0 };
    return status;
}

recon_status recon_picture_whole(recon_ctx *ctx, recon_pixels *out, recon_picture_format *scan,
                                 const void *bytes, size_t size, const char *name)
{
    recon_picture_sink sink = { .begin = make_room };
    return take_whole(out, &sink, scan(ctx, &sink, bytes, size, name));
}

recon_status recon_picture_read(recon_ctx *ctx, recon_pixels *out, const char *path, size_t most)
{
    recon_picture_sink sink = { .most = most, .begin = make_room };
    return take_whole(out, &sink, recon_picture_scan_file(ctx, &sink, path));
}
