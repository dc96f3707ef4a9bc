/* tiff.c - TIFF pictures through libtiff.
 *
 * Its errors come to a handler of each file, so nothing is printed and nothing is global. A page is
 * decoded strip by strip, or tile by tile, into a block that holds it whole: strips may hold one
 * channel each, and tiles lie side by side. */
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/picture.h"

#include <stdlib.h>
#include <string.h>

#ifdef RECON_HAVE_TIFF
#include <stdarg.h>
#include <stdio.h>

#include <tiffio.h>

/* LZW and deflate do no better; fax codes do, of blank pages: see recon_picture_check. */
#define RATIO_MAX 2048
#define SMALL     ((size_t)16 << 20) /* bytes that any file may ask for */
enum { PALETTE = 3, OPAQUE8 = 255, OPAQUE16 = 65535, PAGES_MAX = 65535 };

struct recon_tiff_writer {
    recon_ctx *ctx; /* of the call at hand */
    const char *name;
    recon_status status;
    TIFF *tif;
    const uint8_t *bytes; /* reading: the file */
    uint64_t size, at;    /* either: where in it the next byte is */
    recon_writer writer;
    char *path;
};
typedef recon_tiff_writer session;

/* --- the file --------------------------------------------------------------------------------- */

static int on_error(TIFF *tif, void *user, const char *module, const char *format, va_list list)
{
    session *s = user;
    char text[256];
    (void)tif;
    (void)module;
    if (!s->ctx || s->status != RECON_OK)
        return 1;
    vsnprintf(text, sizeof text, format, list);
    int memory = !strstr(text, "is beyond the") &&
                 (strstr(text, "ut of memory") || strstr(text, "No space for"));
    s->status =
        recon_fail(s->ctx, memory ? RECON_ERR_MEMORY : RECON_ERR_FORMAT, "%s: %s", s->name, text);
    return 1;
}

static int on_warning(TIFF *tif, void *user, const char *module, const char *format, va_list list)
{
    (void)tif;
    (void)user;
    (void)module;
    (void)format;
    (void)list;
    return 1;
}

static tmsize_t read_bytes(thandle_t handle, void *out, tmsize_t n)
{
    session *s = handle;
    if (!s->bytes) {
        tmsize_t got = recon_writer_read_at(&s->writer, out, (size_t)n, s->at);
        s->at += got > 0 ? (uint64_t)got : 0;
        return got;
    }
    uint64_t left = s->at < s->size ? s->size - s->at : 0;
    size_t take = (uint64_t)n < left ? (size_t)n : (size_t)left;
    memcpy(out, s->bytes + (s->at < s->size ? s->at : 0), take);
    s->at += take;
    return (tmsize_t)take;
}

static tmsize_t write_bytes(thandle_t handle, void *bytes, tmsize_t n)
{
    session *s = handle;
    recon_status status = recon_writer_write_at(s->ctx, &s->writer, bytes, (size_t)n, s->at);
    if (status != RECON_OK) {
        s->status = s->status == RECON_OK ? status : s->status;
        return -1;
    }
    s->at += (uint64_t)n;
    s->size = s->at > s->size ? s->at : s->size;
    return n;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    session *s = handle;
    s->at = offset + (whence == SEEK_CUR ? s->at : whence == SEEK_END ? s->size : 0);
    return s->at;
}

static toff_t size_of(thandle_t handle)
{
    return ((session *)handle)->size;
}

static int stay_open(thandle_t handle)
{
    (void)handle;
    return 0;
}

/* mode "m": not mapped. most: bytes of the largest block it may take. */
static TIFF *open_tiff(session *s, const char *mode, size_t most)
{
    TIFFOpenOptions *o = TIFFOpenOptionsAlloc();
    if (!o)
        return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(o, on_error, s);
    TIFFOpenOptionsSetWarningHandlerExtR(o, on_warning, s);
    TIFFOpenOptionsSetMaxSingleMemAlloc(o, (tmsize_t)most);
    TIFF *tif = TIFFClientOpenExt(s->name, mode, s, read_bytes, write_bytes, seek, stay_open,
                                  size_of, NULL, NULL, o);
    TIFFOpenOptionsFree(o);
    return tif;
}

static size_t most_of(size_t size)
{
    return SMALL + (size < SIZE_MAX / 4 / RATIO_MAX ? RATIO_MAX * size : SIZE_MAX / 4);
}

/* What the library said, or what we say where it said nothing. */
static recon_status blame(session *s, const char *message)
{
    return s->status != RECON_OK ? s->status
                                 : recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: %s", s->name, message);
}

/* --- what a page is like ---------------------------------------------------------------------- */

typedef struct {
    session *s;
    uint32_t width, height; /* as stored */
    uint16_t bits, samples; /* of a channel; channels of the file */
    uint16_t photometric, orientation, compression;
    int separate, tiled;    /* each channel by itself; tiles, not strips */
    int multiplied;         /* alpha is multiplied into the colours */
    uint16_t *map[PALETTE]; /* lent; of a palette */
    recon_picture_sink *sink;
    uint8_t *block, *piece; /* all pixels as stored; a strip or tile */
    uint8_t *to;            /* the block, or the sink's room */
} page;

static uint16_t word_of(TIFF *tif, uint32_t tag)
{
    uint16_t value = 0;
    TIFFGetFieldDefaulted(tif, tag, &value);
    return value;
}

static int is_read(uint16_t compression)
{
    static const uint16_t known[] = { COMPRESSION_NONE,      COMPRESSION_CCITTRLE,
                                      COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4,
                                      COMPRESSION_LZW,       COMPRESSION_JPEG,
                                      COMPRESSION_DEFLATE,   COMPRESSION_ADOBE_DEFLATE,
                                      COMPRESSION_PACKBITS };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == compression)
            return TIFFIsCODECConfigured(compression);
    return 0;
}

static const char *problem_of(const page *p)
{
    int bits = p->bits == 8 || p->bits == 16 ||
               ((p->bits == 1 || p->bits == 2 || p->bits == 4) && p->samples == 1);
    switch (p->photometric) {
    case PHOTOMETRIC_SEPARATED: return "the colours are CMYK, which is not read: convert it to RGB";
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK: break;
    case PHOTOMETRIC_RGB:
        if (p->samples >= 3)
            break;
        return "colours of fewer than 3 channels";
    case PHOTOMETRIC_PALETTE:
        if (p->samples == 1 && p->map[0] && p->bits <= 8)
            break;
        return "a palette of an unusual kind";
    case PHOTOMETRIC_YCBCR:
        if (p->compression == COMPRESSION_JPEG && p->samples == 3 && !p->separate)
            break;
        return "colours are YCbCr without JPEG compression, which is not read";
    default: return "the colours are neither grey, RGB nor of a palette: convert it to RGB";
    }
    if (word_of(p->s->tif, TIFFTAG_SAMPLEFORMAT) != SAMPLEFORMAT_UINT &&
        word_of(p->s->tif, TIFFTAG_SAMPLEFORMAT) != SAMPLEFORMAT_VOID)
        return "samples are signed or floating point: convert them to 8 or 16 bits";
    return bits ? NULL : "samples have neither 8 nor 16 bits";
}

/* Alpha counts as such where it is the one channel beyond the colours. */
static void find_alpha(page *p, recon_pixels *head)
{
    uint16_t n = 0, *kinds = NULL;
    uint16_t colours = p->photometric == PHOTOMETRIC_RGB ? 3 : 1;
    if (!TIFFGetField(p->s->tif, TIFFTAG_EXTRASAMPLES, &n, &kinds) || n != 1 ||
        p->samples != colours + 1)
        return;
    p->multiplied = kinds[0] == EXTRASAMPLE_ASSOCALPHA;
    head->alpha = p->multiplied || kinds[0] == EXTRASAMPLE_UNASSALPHA;
}

static recon_status read_head(page *p)
{
    session *s = p->s;
    TIFF *tif = s->tif;
    recon_pixels *head = &p->sink->head;
    if (!TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &p->width) ||
        !TIFFGetField(tif, TIFFTAG_IMAGELENGTH, &p->height) ||
        !TIFFGetField(tif, TIFFTAG_PHOTOMETRIC, &p->photometric))
        return blame(s, "the page is not complete");
    p->bits = word_of(tif, TIFFTAG_BITSPERSAMPLE);
    p->samples = word_of(tif, TIFFTAG_SAMPLESPERPIXEL);
    p->compression = word_of(tif, TIFFTAG_COMPRESSION);
    p->orientation = word_of(tif, TIFFTAG_ORIENTATION);
    if (p->orientation < ORIENTATION_TOPLEFT || p->orientation > ORIENTATION_LEFTBOT)
        p->orientation = ORIENTATION_TOPLEFT;
    p->separate = p->samples > 1 && word_of(tif, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
    p->tiled = TIFFIsTiled(tif);
    if (p->photometric == PHOTOMETRIC_PALETTE &&
        !TIFFGetField(tif, TIFFTAG_COLORMAP, &p->map[0], &p->map[1], &p->map[2]))
        p->map[0] = NULL;
    if (!is_read(p->compression))
        return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: compression %u is not read", s->name,
                          p->compression);
    if (problem_of(p))
        return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: %s", s->name, problem_of(p));
    if (p->photometric == PHOTOMETRIC_YCBCR)
        TIFFSetField(tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    int oriented = p->orientation >= ORIENTATION_LEFTTOP;
    *head = (recon_pixels){ .height = oriented ? p->width : p->height,
                            .width = oriented ? p->height : p->width,
                            .channels = p->map[0] ? PALETTE : p->samples,
                            .deep = p->bits == 16 };
    find_alpha(p, head);
    p->sink->interlaced = 1;
    p->sink->oriented = p->orientation != ORIENTATION_TOPLEFT;
    return recon_picture_check(s->ctx, head, RATIO_MAX, (size_t)s->size, s->name);
}

/* --- pixels ----------------------------------------------------------------------------------- */

/* Sample i of a packed row, as 0 .. 255 or 0 .. 65535. */
static unsigned sample_of(const page *p, const uint8_t *row, size_t i)
{
    if (p->bits == 8)
        return row[i];
    if (p->bits == 16) {
        uint16_t word;
        memcpy(&word, row + 2 * i, sizeof word);
        return word;
    }
    unsigned per = 8u / p->bits, most = (1u << p->bits) - 1;
    unsigned value = row[i / per] >> (8 - p->bits - i % per * p->bits) & most;
    return p->map[0] ? value : value * OPAQUE8 / most;
}

static void put_sample(const page *p, size_t at, unsigned value)
{
    if (p->bits == 16 && p->sink->head.deep) {
        uint16_t word = (uint16_t)value;
        memcpy(p->to + 2 * at, &word, sizeof word);
    } else {
        p->to[at] = (uint8_t)(p->bits == 16 ? (value * OPAQUE8 + 32895) >> 16 : value);
    }
}

/* n pixels of a packed row, to row y from x on; of channel `first` alone, or of all. */
static void unpack(const page *p, const uint8_t *row, size_t y, size_t x, size_t n, size_t first)
{
    size_t count = p->separate ? 1 : p->samples, channels = p->sink->head.channels;
    unsigned most = p->bits == 16 ? OPAQUE16 : OPAQUE8;
    size_t at = (y * p->width + x) * channels + first;
    for (size_t i = 0; i < n; i++, at += channels)
        for (size_t c = 0; c < count; c++) {
            unsigned value = sample_of(p, row, i * count + c);
            if (p->map[0])
                for (size_t k = 0; k < PALETTE; k++)
                    put_sample(p, at + k, p->map[k][value] >> 8);
            else
                put_sample(p, at + c,
                           p->photometric == PHOTOMETRIC_MINISWHITE &&
                                   !(p->sink->head.alpha && first + c + 1 == channels)
                               ? most - value
                               : value);
        }
}

static recon_status read_strips(page *p, size_t plane)
{
    session *s = p->s;
    uint32_t rows = p->height;
    tmsize_t stride = TIFFScanlineSize(s->tif), size = TIFFStripSize(s->tif);
    TIFFGetFieldDefaulted(s->tif, TIFFTAG_ROWSPERSTRIP, &rows);
    rows = rows < 1 || rows > p->height ? p->height : rows;
    if (stride < 1 || size < (tmsize_t)rows * stride || (size_t)size > most_of((size_t)s->size))
        return blame(s, "the strips do not have the size of the picture");
    if (!p->piece && recon_alloc(s->ctx, &p->piece, (size_t)size, 1) != RECON_OK)
        return RECON_ERR_MEMORY;
    for (uint32_t y = 0; y < p->height; y += rows) {
        size_t n = p->height - y < rows ? p->height - y : rows;
        uint32_t strip = TIFFComputeStrip(s->tif, y, (uint16_t)plane);
        if (TIFFReadEncodedStrip(s->tif, strip, p->piece, (tmsize_t)n * stride) <
            (tmsize_t)n * stride)
            return blame(s, "the file is cut short");
        for (size_t i = 0; i < n; i++)
            unpack(p, p->piece + i * (size_t)stride, y + i, 0, p->width, plane);
    }
    return RECON_OK;
}

static recon_status read_tiles(page *p, size_t plane)
{
    session *s = p->s;
    uint32_t wide = 0, high = 0;
    tmsize_t size = TIFFTileSize(s->tif), stride = TIFFTileRowSize(s->tif);
    TIFFGetField(s->tif, TIFFTAG_TILEWIDTH, &wide);
    TIFFGetField(s->tif, TIFFTAG_TILELENGTH, &high);
    if (wide < 1 || high < 1 || wide > RECON_PIXELS_SIDE || high > RECON_PIXELS_SIDE ||
        stride < 1 || size < (tmsize_t)high * stride || (size_t)size > most_of((size_t)s->size) ||
        ((size_t)size > SMALL && (size_t)size / 4 > recon_pixels_size(&p->sink->head)))
        return blame(s, "tiles of this size cannot be read");
    if (!p->piece && recon_alloc(s->ctx, &p->piece, (size_t)size, 1) != RECON_OK)
        return RECON_ERR_MEMORY;
    for (uint32_t y = 0; y < p->height; y += high)
        for (uint32_t x = 0; x < p->width; x += wide) {
            size_t rows = p->height - y < high ? p->height - y : high;
            size_t n = p->width - x < wide ? p->width - x : wide;
            if (TIFFReadTile(s->tif, p->piece, x, y, 0, (uint16_t)plane) < size)
                return blame(s, "the file is cut short");
            for (size_t i = 0; i < rows; i++)
                unpack(p, p->piece + i * (size_t)stride, y + i, x, n, plane);
        }
    return RECON_OK;
}

static recon_status read_pixels(page *p)
{
    recon_picture_sink *sink = p->sink;
    int direct = sink->head.bytes && p->orientation == ORIENTATION_TOPLEFT;
    recon_status status = RECON_OK;
    if (!direct)
        RECON_TRY(recon_alloc_raw(p->s->ctx, &p->block, recon_pixels_size(&sink->head), 1));
    p->to = direct ? sink->head.bytes : p->block;
    for (size_t plane = 0; plane < (p->separate ? p->samples : 1u); plane++)
        RECON_TRY((p->tiled ? read_tiles : read_strips)(p, plane));
    if (p->multiplied) {
        /* Colours as they are without their alpha. */
        const recon_pixels *head = &p->sink->head;
        size_t n = head->height * head->width, c = head->channels;
        for (size_t i = 0; i < n * c; i += c)
            for (size_t k = 0; k + 1 < c; k++)
                if (head->deep) {
                    uint16_t *v = (uint16_t *)(void *)p->to + i;
                    unsigned value = v[c - 1] ? (unsigned)v[k] * OPAQUE16 / v[c - 1] : 0;
                    v[k] = (uint16_t)(value < OPAQUE16 ? value : OPAQUE16);
                } else {
                    uint8_t *v = p->to + i;
                    unsigned value = v[c - 1] ? (v[k] * 255u + v[c - 1] / 2u) / v[c - 1] : 0;
                    v[k] = (uint8_t)(value < OPAQUE8 ? value : OPAQUE8);
                }
    }
    if (!direct)
        RECON_TRY(recon_picture_turn(p->s->ctx, sink, p->block, p->orientation));
done:
    recon_free_all(p->block, p->piece);
    return status;
}

static recon_status read_page(session *s, recon_picture_sink *sink)
{
    page p = { .s = s, .sink = sink };
    if (sink->page && !TIFFSetDirectory(s->tif, (tdir_t)sink->page))
        return blame(s, "there is no such page");
    RECON_CHECK(read_head(&p));
    RECON_CHECK(recon_picture_begin(s->ctx, sink, (size_t)s->size, s->name));
    if (sink->begin)
        RECON_CHECK(read_pixels(&p));
    return RECON_OK;
}

recon_status recon_tiff_scan(recon_ctx *ctx, recon_picture_sink *sink, const void *bytes,
                             size_t size, const char *name)
{
    session s = { .ctx = ctx, .name = name, .bytes = bytes, .size = size };
    s.tif = open_tiff(&s, "rm", most_of(size));
    if (!s.tif)
        return blame(&s, "not a TIFF file");
    recon_status status = read_page(&s, sink);
    TIFFClose(s.tif);
    return status;
}

size_t recon_tiff_pages(const void *bytes, size_t size)
{
    session s = { .name = "TIFF", .bytes = bytes, .size = size };
    size_t pages = 1;
    if (size < 4 || (memcmp(bytes, "II", 2) != 0 && memcmp(bytes, "MM", 2) != 0))
        return pages;
    s.tif = open_tiff(&s, "rm", most_of(size));
    if (!s.tif)
        return pages;
    pages = TIFFNumberOfDirectories(s.tif);
    TIFFClose(s.tif);
    return pages < 1 ? 1 : pages < PAGES_MAX ? pages : PAGES_MAX;
}

/* --- writing ---------------------------------------------------------------------------------- */

recon_status recon_tiff_writer_open(recon_ctx *ctx, recon_tiff_writer **out, const char *path,
                                    size_t size)
{
    const size_t classic = (size_t)3 << 30; /* offsets of 32 bits, and room for what is no pixel */
    recon_tiff_writer *w;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_alloc(ctx, &w, 1, sizeof *w));
    *out = w;
    w->ctx = ctx;
    w->writer.fd = -1;
    RECON_TRY(recon_alloc(ctx, &w->path, strlen(path) + 1, 1));
    memcpy(w->path, path, strlen(path));
    w->name = w->path;
    RECON_TRY(recon_writer_open(ctx, &w->writer, path));
    w->tif = open_tiff(w, size < classic ? "w" : "w8", 0);
    if (!w->tif)
        status = blame(w, "cannot be written");
done:
    return status;
}

/* How a page is stored; bands beyond the colours do not say whether there are one or three. */
typedef struct {
    uint16_t compression, photometric;
} manner;

/* Of the page that this one was made from. */
static manner adopt(TIFF *to, TIFF *from)
{
    uint32_t n = 0;
    void *profile;
    float resolution;
    char *text;
    if (TIFFGetField(from, TIFFTAG_ICCPROFILE, &n, &profile))
        TIFFSetField(to, TIFFTAG_ICCPROFILE, n, profile);
    if (TIFFGetField(from, TIFFTAG_XRESOLUTION, &resolution))
        TIFFSetField(to, TIFFTAG_XRESOLUTION, resolution);
    if (TIFFGetField(from, TIFFTAG_YRESOLUTION, &resolution))
        TIFFSetField(to, TIFFTAG_YRESOLUTION, resolution);
    TIFFSetField(to, TIFFTAG_RESOLUTIONUNIT, word_of(from, TIFFTAG_RESOLUTIONUNIT));
    if (TIFFGetField(from, TIFFTAG_IMAGEDESCRIPTION, &text))
        TIFFSetField(to, TIFFTAG_IMAGEDESCRIPTION, text);
    return (manner){ word_of(from, TIFFTAG_COMPRESSION), word_of(from, TIFFTAG_PHOTOMETRIC) };
}

static void describe(TIFF *tif, const recon_pixels *head, manner as)
{
    size_t colours = head->channels - (head->alpha ? 1 : 0);
    int rgb = colours == 3 || (colours > 3 && as.photometric == PHOTOMETRIC_RGB);
    uint16_t kinds[RECON_PIXELS_CHANNELS] = { EXTRASAMPLE_UNSPECIFIED };
    size_t extra = head->channels - (rgb ? 3 : 1);
    int kept = as.compression == COMPRESSION_NONE || as.compression == COMPRESSION_LZW ||
               as.compression == COMPRESSION_PACKBITS;
    if (head->alpha)
        kinds[extra - 1] = EXTRASAMPLE_UNASSALPHA;
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)head->width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)head->height);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, (uint16_t)head->channels);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, head->deep ? 16 : 8);
    TIFFSetField(tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tif, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    if (extra)
        TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, (uint16_t)extra, kinds);
    TIFFSetField(tif, TIFFTAG_COMPRESSION, kept ? as.compression : COMPRESSION_ADOBE_DEFLATE);
    if (!kept || as.compression == COMPRESSION_LZW)
        TIFFSetField(tif, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tif, 0));
}

static manner adopt_from(session *w, const recon_tiff_source *from)
{
    session s = { .name = w->name, .bytes = from->bytes, .size = from->size };
    manner as = { COMPRESSION_ADOBE_DEFLATE, PHOTOMETRIC_MINISBLACK };
    s.tif = open_tiff(&s, "rm", most_of(from->size));
    if (s.tif && TIFFSetDirectory(s.tif, (tdir_t)from->page))
        as = adopt(w->tif, s.tif);
    if (s.tif)
        TIFFClose(s.tif);
    return as;
}

recon_status recon_tiff_writer_add(recon_ctx *ctx, recon_tiff_writer *w, const recon_pixels *head,
                                   recon_pixel_rows *rows, const void *user,
                                   const recon_tiff_source *from)
{
    uint8_t *row = NULL;
    recon_status status;
    w->ctx = ctx;
    if (recon_picture_check(ctx, head, 1, recon_pixels_size(head), w->name) != RECON_OK)
        return RECON_ERR_INPUT;
    RECON_TRY(recon_alloc_raw(ctx, &row, recon_pixels_size(head) / head->height, 1));
    describe(w->tif, head,
             from ? adopt_from(w, from)
                  : (manner){ COMPRESSION_ADOBE_DEFLATE, PHOTOMETRIC_MINISBLACK });
    for (size_t y = 0; y < head->height; y++) {
        rows(user, y, row);
        if (TIFFWriteScanline(w->tif, row, (uint32_t)y, 0) < 0)
            RECON_TRY(blame(w, "cannot be written"));
    }
    if (!TIFFWriteDirectory(w->tif))
        status = blame(w, "cannot be written");
done:
    free(row);
    return status;
}

recon_status recon_tiff_writer_commit(recon_ctx *ctx, recon_tiff_writer *w)
{
    w->ctx = ctx;
    TIFFClose(w->tif);
    w->tif = NULL;
    return w->status != RECON_OK ? w->status : recon_writer_commit(ctx, &w->writer);
}

void recon_tiff_writer_close(recon_tiff_writer *w)
{
    if (!w)
        return;
    if (w->tif) {
        w->status = RECON_ERR_IO; /* nothing more is said */
        TIFFClose(w->tif);
    }
    recon_writer_close(&w->writer);
    recon_free_all(w->path, w);
}

#else

static recon_status no_tiff(recon_ctx *ctx, const char *name)
{
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                      "%s: built without libtiff 4.5: install libtiff-dev and build again", name);
}

recon_status recon_tiff_scan(recon_ctx *ctx, recon_picture_sink *sink, const void *bytes,
                             size_t size, const char *name)
{
    (void)sink;
    (void)bytes;
    (void)size;
    return no_tiff(ctx, name);
}

size_t recon_tiff_pages(const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return 1;
}

recon_status recon_tiff_writer_open(recon_ctx *ctx, recon_tiff_writer **out, const char *path,
                                    size_t size)
{
    (void)size;
    *out = NULL;
    return no_tiff(ctx, path);
}

recon_status recon_tiff_writer_add(recon_ctx *ctx, recon_tiff_writer *writer,
                                   const recon_pixels *head, recon_pixel_rows *rows,
                                   const void *user, const recon_tiff_source *from)
{
    (void)writer;
    (void)head;
    (void)rows;
    (void)user;
    (void)from;
    return no_tiff(ctx, "TIFF");
}

recon_status recon_tiff_writer_commit(recon_ctx *ctx, recon_tiff_writer *writer)
{
    (void)writer;
    return no_tiff(ctx, "TIFF");
}

void recon_tiff_writer_close(recon_tiff_writer *writer)
{
    (void)writer;
}

#endif
