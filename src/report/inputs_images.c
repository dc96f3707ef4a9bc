/* inputs_images.c - images as pairs and in listings. Picture files are read once more, since what a
 * network saw of them is small. */
#include "core/fail.h"
#include "core/memory.h"
#include "core/picture.h"
#include "core/text.h"
#include "core/threads.h"
#include "data/dataset.h"
#include "data/folder.h"
#include "data/formats.h"
#include "data/image.h"
#include "report/inputs.h"
#include "report/page_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    PAIR = 320,             /* the longer side of a picture of a pair, at most */
    FILES_MOST = 256 << 20, /* bytes that are read again for a listing; beyond it the images
                                   serve as they were opened                     */
    PIXELS_MOST = 64 << 20, /* of one of them, as bytes                         */
    ACROSS = 10,            /* pictures of a listing in a sheet, in both ways   */
    SHEET = ACROSS * ACROSS,
    DRAWN_MOST = 10000, /* with a picture */
    SIDE_LEAST = 16,
    SIDE_MOST = 160,
    SHARP = 64 /* a side that is small enough for PNG */
};
#define BYTES_A_PIXEL 0.42 /* of a JPEG of good quality, about */

/* --- one picture, made small -------------------------------------------------------------------- */

typedef struct {
    recon_pixels pixels; /* grey or colour, 8 bits; the longer side fills it */
    uint8_t ground[3];   /* the mean colour of its edge                      */
} small;

/* A sample of a file, over white where it is transparent. */
static float sample(const recon_pixels *p, size_t y, size_t x, size_t c)
{
    size_t at = (y * p->width + x) * p->channels, colours = p->channels - (size_t) !!p->alpha;
    float most = p->deep ? 65535 : 255, v[2];
    const size_t of[2] = { at + (colours < 3 ? 0 : c), at + p->channels - 1 };
    for (int i = 0; i < 2; i++)
        v[i] =
            (p->deep ? ((const uint16_t *)(const void *)p->bytes)[of[i]] : p->bytes[of[i]]) / most;
    return p->alpha ? v[1] * v[0] + 1 - v[1] : v[0];
}

/* The picture in colour as floats, by whole blocks no larger than they must be. */
static recon_status from_file(recon_ctx *ctx, float **out, recon_image_size *size,
                              const recon_pixels *p, size_t side)
{
    size_t longer = p->height > p->width ? p->height : p->width;
    size_t by = longer / (2 * side) > 0 ? longer / (2 * side) : 1;
    *size = (recon_image_size){ (p->height + by - 1) / by, (p->width + by - 1) / by, 3 };
    RECON_CHECK(recon_alloc_raw(ctx, out, size->height * size->width, 3 * sizeof **out));
    for (size_t i = 0; i < size->height * size->width * 3; i++) {
        size_t top = i / 3 / size->width * by, left = i / 3 % size->width * by;
        size_t bottom = top + by < p->height ? top + by : p->height;
        size_t right = left + by < p->width ? left + by : p->width;
        float sum = 0;
        for (size_t y = top; y < bottom; y++)
            for (size_t x = left; x < right; x++)
                sum += sample(p, y, x, i % 3);
        (*out)[i] = sum / (float)((bottom - top) * (right - left));
    }
    return RECON_OK;
}

/* Image i as it was opened, before it was cropped. */
static recon_status from_memory(recon_ctx *ctx, float **out, recon_image_size *size,
                                const recon_dataset *d, size_t i)
{
    recon_dataset_info info = recon_dataset_describe(d);
    size_t pixels = info.height * info.width, some = info.channels < 3 ? 1 : 3;
    *size = (recon_image_size){ info.height, info.width, some };
    RECON_CHECK(recon_alloc_raw(ctx, out, pixels, info.channels * sizeof **out));
    recon_dataset_whole(*out, d, i);
    for (size_t p = 0; p < pixels * some; p++)
        (*out)[p] = (*out)[p / some * info.channels + p % some];
    return RECON_OK;
}

static uint8_t byte_of(float v)
{
    return (uint8_t)lrintf(255 * fminf(fmaxf(isfinite(v) ? v : 0, 0), 1));
}

static void find_ground(small *s)
{
    const recon_pixels *p = &s->pixels;
    size_t sum[3] = { 0 }, n = 0;
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++) {
            if (y > 0 && y + 1 < p->height && x > 0 && x + 1 < p->width)
                continue;
            for (size_t c = 0; c < 3; c++)
                sum[c] += p->bytes[(y * p->width + x) * p->channels + c % p->channels];
            n++;
        }
    for (size_t c = 0; c < 3; c++)
        s->ground[c] = (uint8_t)(sum[c] / n);
}

/* Image i with its longer side at most `side`; of its file where this may be read. */
static recon_status make_small(recon_ctx *ctx, small *out, const recon_dataset *d, size_t i,
                               size_t side, size_t most)
{
    const char *path = most ? recon_dataset_path(d, i) : NULL;
    recon_image_size from;
    recon_pixels file = { 0 };
    float *whole = NULL, *fitted = NULL;
    recon_status status = path ? recon_picture_read(ctx, &file, path, most) : RECON_ERR_INPUT;
    *out = (small){ .pixels = { 0 } };
    if (status == RECON_ERR_MEMORY)
        return status;
    RECON_TRY(status == RECON_OK ? from_file(ctx, &whole, &from, &file, side)
                                 : from_memory(ctx, &whole, &from, d, i));
    size_t longer = from.height > from.width ? from.height : from.width;
    side = side < longer ? side : longer;
    RECON_TRY(recon_alloc_raw(ctx, &fitted, side * side, from.channels * sizeof *fitted));
    recon_image_fit(fitted, side, whole, from.height, from.width, from.channels);
    size_t height = (from.height * side + longer / 2) / longer,
           width = (from.width * side + longer / 2) / longer;
    out->pixels = (recon_pixels){ .height = height ? height : 1,
                                  .width = width ? width : 1,
                                  .channels = from.channels };
    RECON_TRY(recon_alloc_raw(ctx, &out->pixels.bytes, recon_pixels_size(&out->pixels), 1));
    for (size_t k = 0; k < recon_pixels_size(&out->pixels); k++) {
        size_t c = k % from.channels, at = k / from.channels;
        size_t y = at / out->pixels.width + (side - out->pixels.height) / 2,
               x = at % out->pixels.width + (side - out->pixels.width) / 2;
        out->pixels.bytes[k] = byte_of(fitted[(y * side + x) * from.channels + c]);
    }
    find_ground(out);
done:
    free(file.bytes);
    free(fitted);
    free(whole);
    return status;
}

/* As the address of an image: PNG where that is asked for or nothing else can be written. */
static recon_status put_address(recon_ctx *ctx, recon_markup *m, const recon_pixels *p, int quality,
                                size_t *size)
{
    uint8_t *bytes = NULL;
    recon_status status =
        quality ? recon_jpeg_encode(ctx, &bytes, size, p, quality) : RECON_ERR_UNSUPPORTED;
    int jpeg = status == RECON_OK;
    if (status == RECON_ERR_UNSUPPORTED)
        status = recon_png_encode(ctx, &bytes, size, p->bytes, p->height, p->width, p->channels);
    if (status == RECON_OK) {
        recon_markup_put(m, jpeg ? "data:image/jpeg;base64," : "data:image/png;base64,");
        recon_markup_base64(m, bytes, *size);
    }
    free(bytes);
    return status;
}

/* --- pairs ------------------------------------------------------------------------------------ */

typedef struct {
    const recon_listing *l;
    const size_t *row;
    small *out;
    size_t side, most;
} job;

static recon_status make_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    job *j = arg;
    (void)worker;
    return make_small(ctx, &j->out[i], recon_data_images(j->l->data), j->row ? j->row[i] : i,
                      j->side, j->most);
}

static void put_text(recon_markup *m, const char *before, const char *text, const char *after)
{
    recon_markup_put(m, before);
    recon_markup_escaped(m, text);
    recon_markup_put(m, after);
}

/* A square of side 100 with the picture in it. The second shows the first one's picture, rotated. */
static recon_status put_square(recon_ctx *ctx, recon_markup *m, const small *s, const char *id,
                               const recon_line *line, int rotated)
{
    const recon_pixels *p = &s->pixels;
    double longer = fmax((double)p->height, (double)p->width), back = -line->pose[0];
    double width = 100 * (double)p->width / longer, height = 100 * (double)p->height / longer;
    char text[256];
    recon_svg_digits digits[4];
    size_t size;
    snprintf(text, sizeof text,
             "<svg viewBox=\"0 0 100 100\" role=\"img\" aria-label=\"%s\"><rect width=\"100\" "
             "height=\"100\" fill=\"#%02x%02x%02x\"/>",
             rotated ? "as it should be" : "as given", s->ground[0], s->ground[1], s->ground[2]);
    recon_markup_put(m, text);
    snprintf(text, sizeof text, "<use href=\"#%s\" transform=\"rotate(%s 50 50)\"/></svg>\n", id,
             recon_svg_number(digits[0], line->rotated ? -RECON_TO_DEGREES * back : 0, 2));
    if (rotated) {
        recon_markup_put(m, text);
        return RECON_OK;
    }
    snprintf(text, sizeof text,
             "<image id=\"%s\" class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" "
             "href=\"",
             id, longer < SHARP ? "pixels" : "smooth",
             recon_svg_number(digits[0], (100 - width) / 2, 2),
             recon_svg_number(digits[1], (100 - height) / 2, 2),
             recon_svg_number(digits[2], width, 2), recon_svg_number(digits[3], height, 2));
    recon_markup_put(m, text);
    RECON_CHECK(put_address(ctx, m, p, longer <= SHARP ? 0 : 88, &size));
    recon_markup_put(m, "\"/></svg>\n");
    return RECON_OK;
}

static recon_status put_pairs(recon_ctx *ctx, recon_page *page, const recon_listing *l,
                              const size_t *row, size_t n, const char *caption)
{
    recon_markup *m = recon_page_next(page);
    recon_line_words words;
    char id[64];
    job j = { .l = l, .row = row, .side = PAIR, .most = SIZE_MAX };
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &j.out, n, sizeof *j.out));
    RECON_TRY(recon_parallel(ctx, make_one, &j, n));
    page->figures++;
    recon_markup_put(m, "<figure class=\"pairs\">\n<ul>\n");
    for (size_t i = 0; i < n; i++) {
        const recon_line *line = &l->line[row[i]];
        snprintf(id, sizeof id, "pair-%zu-%zu", page->figures, i);
        put_text(m, "<li class=\"", recon_natural_name(line->verdict),
                 line->rotated ? " rotated\">\n" : "\">\n");
        RECON_TRY(put_square(ctx, m, &j.out[i], id, line, 0));
        RECON_TRY(put_square(ctx, m, &j.out[i], id, line, 1));
        put_text(m, "<bdi>", line->name, "</bdi>");
        put_text(m, "<span>", recon_line_say(words, line, l->group), "</span></li>\n");
    }
    put_text(m, "</ul>\n<figcaption>", caption, "</figcaption>\n</figure>\n");
done:
    for (size_t i = 0; j.out && i < n; i++)
        free(j.out[i].pixels.bytes);
    free(j.out);
    return status;
}

/* --- listings --------------------------------------------------------------------------------- */

static int are_files_few(const recon_dataset *d, size_t n)
{
    struct stat s;
    size_t bytes = 0;
    for (size_t i = 0; i < n && bytes <= FILES_MOST; i++) {
        const char *path = recon_dataset_path(d, i);
        if (path && stat(path, &s) == 0)
            bytes += (size_t)s.st_size;
    }
    return bytes <= FILES_MOST;
}

typedef struct {
    job j;
    recon_pixels sheet;
    size_t first, n; /* images of the sheet */
    size_t budget;   /* bytes of a sheet    */
    int quality;     /* found by the first sheet; 0: PNG */
    recon_markup grounds;
} sheets;

/* Image k of the sheet, on its ground, in the middle of its place. */
static void put_into_sheet(sheets *s, size_t k)
{
    const small *from = &s->j.out[k];
    size_t side = s->j.side, channels = s->sheet.channels;
    size_t top = (side - from->pixels.height) / 2, left = (side - from->pixels.width) / 2;
    uint8_t *to =
        s->sheet.bytes + (k / ACROSS * side * s->sheet.width + k % ACROSS * side) * channels;
    char hex[8];
    for (size_t i = 0; i < side * side * channels; i++) {
        size_t c = i % channels, x = i / channels % side - left, y = i / channels / side - top;
        const recon_pixels *p = &from->pixels;
        to[i / (side * channels) * s->sheet.width * channels + i % (side * channels)] =
            x < p->width && y < p->height
                ? p->bytes[(y * p->width + x) * p->channels + c % p->channels]
                : from->ground[c];
    }
    snprintf(hex, sizeof hex, "%02x%02x%02x", from->ground[0], from->ground[1], from->ground[2]);
    recon_markup_put(&s->grounds, hex);
}

/* As good as the bytes allow: PNG of small ones, else JPEG. */
static recon_status put_sheet(recon_ctx *ctx, recon_markup *m, sheets *s)
{
    static const int qualities[] = { 0, 85, 70, 50, 25 };
    enum { N = sizeof qualities / sizeof *qualities };
    size_t size, begun = m->used;
    recon_status status = RECON_OK;
    for (int q = s->first ? s->quality : s->j.side < SHARP / 2 ? 0 : 1; q < N; q++) {
        m->used = begun;
        status = put_address(ctx, m, &s->sheet, qualities[q], &size);
        s->quality = q;
        if (status != RECON_OK || s->first || size <= s->budget)
            break;
    }
    return status;
}

static recon_status make_sheet(recon_ctx *ctx, recon_markup *m, sheets *s)
{
    recon_status status;
    size_t rows = (s->n + ACROSS - 1) / ACROSS;
    memset(s->j.out, 0, SHEET * sizeof *s->j.out);
    RECON_TRY(recon_parallel(ctx, make_one, &s->j, s->n));
    s->sheet.height = rows * s->j.side;
    memset(s->sheet.bytes, 0, recon_pixels_size(&s->sheet));
    for (size_t k = 0; k < s->n; k++)
        put_into_sheet(s, k);
    recon_markup_put(m, s->first ? ",\n\"" : "\n\"");
    RECON_TRY(put_sheet(ctx, m, s));
    recon_markup_put(m, "\"");
done:
    for (size_t k = 0; k < s->n; k++)
        free(s->j.out[k].pixels.bytes);
    return status;
}

static recon_status put_pictures(recon_ctx *ctx, recon_markup *m, const recon_listing *l)
{
    const recon_dataset *d = recon_data_images(l->data);
    recon_dataset_info info = recon_dataset_describe(d);
    size_t n = l->n < DRAWN_MOST ? l->n : DRAWN_MOST, row[SHEET];
    int files = recon_dataset_path(d, 0) && are_files_few(d, n);
    double side = sqrt(RECON_LISTING_BYTES / (BYTES_A_PIXEL * (double)n));
    size_t longer = info.height > info.width ? info.height : info.width;
    char text[64];
    sheets s = { .j = { .l = l, .row = row, .most = files ? PIXELS_MOST : 0 },
                 .sheet = { .channels = files || info.channels >= 3 ? 3 : 1 },
                 .budget = RECON_LISTING_BYTES / ((n + SHEET - 1) / SHEET),
                 .grounds = { .ctx = ctx } };
    recon_status status;
    s.j.side =
        (size_t)fmin(fmax(side, SIDE_LEAST), files ? SIDE_MOST : fmin(SIDE_MOST, (double)longer));
    s.sheet.width = ACROSS * s.j.side;
    RECON_TRY(
        recon_alloc_raw(ctx, &s.sheet.bytes, s.sheet.width * s.sheet.width, s.sheet.channels));
    RECON_TRY(recon_alloc(ctx, &s.j.out, SHEET, sizeof *s.j.out));
    snprintf(text, sizeof text, ",\"side\":%zu,\"across\":%d,\"sheets\":[", s.j.side, ACROSS);
    recon_markup_put(m, text);
    for (s.first = 0; s.first < n; s.first += SHEET) {
        s.n = n - s.first < SHEET ? n - s.first : SHEET;
        for (size_t k = 0; k < s.n; k++)
            row[k] = s.first + k;
        RECON_TRY(make_sheet(ctx, m, &s));
    }
    recon_markup_put(m, "],\"grounds\":\"");
    recon_markup_put(m, s.grounds.text ? s.grounds.text : "");
    recon_markup_put(m, "\"");
    status = s.grounds.status;
done:
    free(s.sheet.bytes);
    free(s.j.out);
    free(s.grounds.text);
    return status;
}

const recon_input_drawing recon_images_drawing = { .kind = &recon_images_kind,
                                                   .group = RECON_SO2,
                                                   .new_data = "images:NEW",
                                                   .rotated = "rotated",
                                                   .pairs = put_pairs,
                                                   .pictures = put_pictures };
