/* svg.c - SVG text, element by element. */
#include "core/svg.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"

#define LARGEST 1e9 /* of all numbers: beyond it they lose their decimals, and mean nothing */

struct recon_svg {
    recon_markup markup;
    int depth; /* groups and paths not yet ended */
};

static void put_bytes(recon_svg *svg, const char *bytes, size_t n)
{
    recon_markup_bytes(&svg->markup, bytes, n);
}

static void put(recon_svg *svg, const char *text)
{
    recon_markup_put(&svg->markup, text);
}

static void put_escaped(recon_svg *svg, const char *text)
{
    recon_markup_escaped(&svg->markup, text);
}

char *recon_svg_number(recon_svg_digits out, double value, int decimals)
{
    assert(decimals >= 0 && decimals <= 9);
    if (!(fabs(value) <= LARGEST))
        return strcpy(out, "?");
    long long unit = 1;
    for (int i = 0; i < decimals; i++)
        unit *= 10;
    long long scaled = llround(value * (double)unit), size = llabs(scaled);
    const char *sign = scaled < 0 ? "-" : "";
    if (decimals)
        snprintf(out, sizeof(recon_svg_digits), "%s%lld.%0*lld", sign, size / unit, decimals,
                 size % unit);
    else
        snprintf(out, sizeof(recon_svg_digits), "%s%lld", sign, size);
    return out;
}

/* A coordinate: hundredths, without the zeros that say nothing. */
static void put_number(recon_svg *svg, double value)
{
    recon_svg_digits digits;
    if (!(fabs(value) <= LARGEST) && svg->markup.status == RECON_OK)
        svg->markup.status =
            recon_fail(svg->markup.ctx, RECON_ERR_INPUT, "svg: a coordinate is %g", value);
    recon_svg_number(digits, value, 2);
    size_t n = strlen(digits);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    put_bytes(svg, digits, n - (digits[n - 1] == '.'));
}

static void put_attribute(recon_svg *svg, const char *name, double value)
{
    put(svg, " ");
    put(svg, name);
    put(svg, "=\"");
    put_number(svg, value);
    put(svg, "\"");
}

static void open_tag(recon_svg *svg, const char *name, const char *cls)
{
    put(svg, "<");
    put(svg, name);
    if (!cls)
        return;
    put(svg, " class=\"");
    put_escaped(svg, cls);
    put(svg, "\"");
}

static void put_element(recon_svg *svg, const char *name, const char *text)
{
    if (!text)
        return;
    open_tag(svg, name, NULL);
    put(svg, ">");
    put_escaped(svg, text);
    put(svg, "</");
    put(svg, name);
    put(svg, ">\n");
}

static void open_picture(recon_svg *svg, double width, double height, const recon_svg_options *o)
{
    open_tag(svg, "svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"", o->cls);
    put(svg, " viewBox=\"0 0 ");
    put_number(svg, width);
    put(svg, " ");
    put_number(svg, height);
    put(svg, "\" width=\"100%\" style=\"max-width:");
    put_number(svg, width);
    put(svg, "px\">\n");
    put_element(svg, "title", o->title);
    put_element(svg, "desc", o->desc);
    put_element(svg, "style", o->style);
}

static void discard(recon_svg *svg)
{
    recon_free_all(svg->markup.text, svg);
}

recon_status recon_svg_new(recon_ctx *ctx, recon_svg **out, double width, double height,
                           const recon_svg_options *options)
{
    static const recon_svg_options plain;
    *out = NULL;
    if (!(width > 0 && height > 0 && width <= LARGEST && height <= LARGEST))
        return recon_fail(ctx, RECON_ERR_INPUT, "svg: a picture of %g x %g", width, height);
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    (*out)->markup.ctx = ctx;
    open_picture(*out, width, height, options ? options : &plain);
    recon_status status = (*out)->markup.status;
    if (status != RECON_OK) {
        discard(*out);
        *out = NULL;
    }
    return status;
}

recon_status recon_svg_finish(recon_svg *svg, char **out)
{
    assert(svg->depth == 0);
    put(svg, "</svg>\n");
    recon_status status = svg->markup.status;
    *out = NULL;
    if (status == RECON_OK) {
        *out = svg->markup.text;
        svg->markup.text = NULL;
    }
    discard(svg);
    return status;
}

void recon_svg_fail(recon_svg *svg, recon_status status)
{
    if (svg->markup.status == RECON_OK)
        svg->markup.status = status;
}

static recon_status save(recon_ctx *ctx, const char *path, const char *text,
                         recon_status (*open)(recon_ctx *, recon_writer *, const char *))
{
    recon_writer writer = { .fd = -1 };
    recon_status status;
    RECON_TRY(open(ctx, &writer, path));
    RECON_TRY(recon_writer_write(ctx, &writer, text, strlen(text)));
    RECON_TRY(recon_writer_commit(ctx, &writer));
done:
    recon_writer_close(&writer);
    return status;
}

recon_status recon_svg_save(recon_ctx *ctx, const char *path, const char *text)
{
    return save(ctx, path, text, recon_writer_open);
}

recon_status recon_svg_save_over(recon_ctx *ctx, const char *path, const char *text)
{
    return save(ctx, path, text, recon_writer_open_over);
}

void recon_svg_line(recon_svg *svg, const char *cls, double x1, double y1, double x2, double y2)
{
    open_tag(svg, "line", cls);
    put_attribute(svg, "x1", x1);
    put_attribute(svg, "y1", y1);
    put_attribute(svg, "x2", x2);
    put_attribute(svg, "y2", y2);
    put(svg, "/>\n");
}

static void put_box(recon_svg *svg, double x, double y, double width, double height)
{
    put_attribute(svg, "x", x);
    put_attribute(svg, "y", y);
    put_attribute(svg, "width", width);
    put_attribute(svg, "height", height);
}

void recon_svg_rect(recon_svg *svg, const char *cls, double x, double y, double width,
                    double height)
{
    open_tag(svg, "rect", cls);
    put_box(svg, x, y, width, height);
    put(svg, "/>\n");
}

void recon_svg_circle(recon_svg *svg, const char *cls, double x, double y, double radius)
{
    open_tag(svg, "circle", cls);
    put_attribute(svg, "cx", x);
    put_attribute(svg, "cy", y);
    put_attribute(svg, "r", radius);
    put(svg, "/>\n");
}

static void open_text(recon_svg *svg, const char *cls, double x, double y)
{
    open_tag(svg, "text", cls);
    put_attribute(svg, "x", x);
    put_attribute(svg, "y", y);
}

void recon_svg_text(recon_svg *svg, const char *cls, double x, double y, const char *text)
{
    open_text(svg, cls, x, y);
    put(svg, ">");
    put_escaped(svg, text);
    put(svg, "</text>\n");
}

void recon_svg_text_upwards(recon_svg *svg, const char *cls, double x, double y, const char *text)
{
    open_text(svg, cls, x, y);
    put(svg, " transform=\"rotate(-90 ");
    put_number(svg, x);
    put(svg, " ");
    put_number(svg, y);
    put(svg, ")\">");
    put_escaped(svg, text);
    put(svg, "</text>\n");
}

/* Three bytes make four characters; a rest of one or two is filled up with '='. */
void recon_svg_image(recon_svg *svg, const char *cls, double x, double y, double width,
                     double height, const void *png, size_t size, const char *label)
{
    open_tag(svg, "image", cls);
    put_box(svg, x, y, width, height);
    put(svg, " preserveAspectRatio=\"none\" href=\"data:image/png;base64,");
    recon_markup_base64(&svg->markup, png, size);
    put(svg, "\">");
    put_element(svg, "title", label);
    put(svg, "</image>\n");
}

void recon_svg_path(recon_svg *svg, const char *cls)
{
    svg->depth++;
    open_tag(svg, "path", cls);
    put(svg, " d=\"");
}

static void put_point(recon_svg *svg, const char *command, double x, double y)
{
    put(svg, command);
    put_number(svg, x);
    put(svg, " ");
    put_number(svg, y);
}

void recon_svg_move(recon_svg *svg, double x, double y)
{
    put_point(svg, "M", x, y);
}

void recon_svg_to(recon_svg *svg, double x, double y)
{
    put_point(svg, "L", x, y);
}

void recon_svg_arc(recon_svg *svg, double radius, int clockwise, double x, double y)
{
    put_point(svg, "A", radius, radius);
    put_point(svg, clockwise ? " 0 0 1 " : " 0 0 0 ", x, y);
}

void recon_svg_path_close(recon_svg *svg)
{
    put(svg, "Z");
}

void recon_svg_path_end(recon_svg *svg)
{
    svg->depth--;
    put(svg, "\"/>\n");
}

void recon_svg_group(recon_svg *svg, const char *cls)
{
    svg->depth++;
    open_tag(svg, "g", cls);
    put(svg, ">\n");
}

void recon_svg_group_end(recon_svg *svg)
{
    svg->depth--;
    put(svg, "</g>\n");
}

/* --- markup -------------------------------------------------------------------------------------- */

void recon_markup_bytes(recon_markup *m, const void *bytes, size_t n)
{
    if (m->status == RECON_OK && m->room - m->used <= n)
        m->status = recon_grow(m->ctx, &m->text, &m->room, m->used, m->used + n + 1024, 1);
    if (m->status != RECON_OK)
        return;
    memcpy(m->text + m->used, bytes, n);
    m->used += n;
    m->text[m->used] = '\0';
}

void recon_markup_put(recon_markup *m, const char *text)
{
    recon_markup_bytes(m, text, strlen(text));
}

/* Bytes of the character that begins here; 0 where there is none, or none for a page: XML does not
 * have it, or it would steer how the text around it is shown. */
static size_t sequence(const char *text, size_t size)
{
    uint32_t code;
    size_t n = recon_utf8_next(&code, text, size);
    if (n == 0 || code == 0xfffe || code == 0xffff)
        return 0;
    return code == '\t' || code == '\n' || code == '\r' || !recon_utf8_steers(code) ? n : 0;
}

static const char *entity(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    default: return NULL;
    }
}

void recon_markup_escaped(recon_markup *m, const char *text)
{
    recon_markup_escaped_part(m, text, strlen(text));
}

void recon_markup_escaped_part(recon_markup *m, const char *text, size_t size)
{
    const char *end = text + size;
    while (text < end) {
        size_t n = sequence(text, (size_t)(end - text));
        if (n == 0)
            recon_markup_put(m, "\xef\xbf\xbd"); /* the replacement character */
        else if (entity(*text))
            recon_markup_put(m, entity(*text));
        else
            recon_markup_bytes(m, text, n);
        text += n ? n : 1;
    }
}

void recon_markup_base64(recon_markup *m, const void *from, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = from;
    for (size_t i = 0; i < n; i += 3) {
        unsigned b1 = i + 1 < n ? bytes[i + 1] : 0, b2 = i + 2 < n ? bytes[i + 2] : 0;
        unsigned bits = (unsigned)bytes[i] << 16 | b1 << 8 | b2;
        char four[4] = { digit[bits >> 18], digit[bits >> 12 & 63],
                         i + 1 < n ? digit[bits >> 6 & 63] : '=',
                         i + 2 < n ? digit[bits & 63] : '=' };
        recon_markup_bytes(m, four, sizeof four);
    }
}
