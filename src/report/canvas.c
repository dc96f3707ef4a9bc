/* canvas.c - paper, style, words and legend.
 *
 * The palette is Okabe and Ito's (Color Universal Design, 2008) without its yellow and with the
 * lightest of the others darkened: they must show on white. Each colour is said twice: renderers
 * that do not know variables keep the first. */
#include "report/canvas.h"
#include "core/text.h"
#include "core/fail.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PAINT(property, name, value)                                                               \
    property ":" value ";" property ":var(--recon-" name "," value ");"
#define COLOUR(n, value) ".recon .c" n "{" PAINT("fill", n, value) PAINT("stroke", n, value) "}\n"
#define HEAT(n, opacity)                                                                           \
    ".recon .h" n "{" PAINT("fill", "1", "#0072b2") "fill-opacity:" opacity "}\n"

/* clang-format off */
static const char style[] =
    "\n.recon{font:11px/1 'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;"
        PAINT("color", "ink", "#1d2329") "}\n"
    ".recon text{fill:currentColor;stroke:none}\n"
    ".recon .ground{" PAINT("fill", "ground", "#fff") "}\n"
    COLOUR("1", "#0072b2") COLOUR("2", "#d55e00") COLOUR("3", "#009e73")
    COLOUR("4", "#b3589a") COLOUR("5", "#c98700") COLOUR("6", "#4fa6dc")
    ".recon .line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}\n"
    ".recon .thin{fill:none;stroke-width:1}\n"
    ".recon .wide{fill:none;stroke-width:3.5}\n"
    ".recon .dashed{stroke-dasharray:5 4}\n"
    ".recon .area{stroke-width:.5;fill-rule:evenodd;fill-opacity:.35}\n"
    ".recon .dot{stroke-width:1.2;" PAINT("stroke", "ground", "#fff") "}\n"
    ".recon .axis{fill:none;stroke:currentColor;stroke-opacity:.75}\n"
    ".recon .grid{fill:none;stroke:currentColor;stroke-opacity:.16}\n"
    ".recon .edge{fill:none;stroke:currentColor;stroke-opacity:.3}\n"
    ".recon .mark{fill:none;stroke-width:1.8;" PAINT("stroke", "on", "#fff") "}\n"
    ".recon .frame{fill:none;stroke-width:2.2}\n"
    ".recon .pixels{image-rendering:optimizeSpeed;image-rendering:pixelated}\n"
    ".recon .title{font-size:14px;font-weight:600}\n"
    ".recon .head{font-weight:600}\n"
    ".recon .small{font-size:9.5px}\n"
    ".recon .muted{fill-opacity:.72}\n"
    ".recon .halo{paint-order:stroke;stroke-width:2.5;" PAINT("stroke", "ground", "#fff") "}\n"
    ".recon .mid{text-anchor:middle}\n"
    ".recon .end{text-anchor:end}\n"
    ".recon .reach{fill:none}\n"
    ".recon .pole{fill:none;stroke-width:1.6;stroke-linecap:round;" PAINT("stroke", "4", "#b3589a") "}\n"
    ".recon .bond{fill:none;stroke-width:3;stroke-linecap:round;stroke:#8a9199}\n"
    ".recon .atom{fill:#c98700;stroke:#1d2329;stroke-width:.6;stroke-opacity:.6}\n"
    ".recon .hydrogen{fill:#f4f5f6}.recon .carbon{fill:#5c656e}.recon .nitrogen{fill:#0072b2}\n"
    ".recon .oxygen{fill:#d03a1f}.recon .halogen{fill:#009e73}.recon .sulfur{fill:#e0b400}\n"
    ".recon text.on{" PAINT("fill", "on", "#fff") "}\n"
    HEAT("0", "0") HEAT("1", ".07") HEAT("2", ".16") HEAT("3", ".26") HEAT("4", ".36")
    HEAT("5", ".48") HEAT("6", ".62") HEAT("7", ".74") HEAT("8", ".86") HEAT("9", "1");
/* clang-format on */

double recon_canvas_top(const char *title)
{
    return title ? RECON_MARGIN + 30 : RECON_MARGIN;
}

recon_status recon_canvas_open(recon_ctx *ctx, recon_svg **out, double width, double height,
                               const char *title, const char *desc)
{
    width = ceil(width); /* half a pixel of ground at the edge would show */
    height = ceil(height);
    recon_svg_options options = {
        .title = title ? title : "figure", .desc = desc, .cls = "recon", .style = style
    };
    RECON_CHECK(recon_svg_new(ctx, out, width, height, &options));
    recon_svg_rect(*out, "ground", 0, 0, width, height);
    recon_short_text shown;
    if (title)
        recon_svg_text(*out, "title", RECON_MARGIN, RECON_MARGIN + 12,
                       recon_text_fit(shown, title, width - 2 * RECON_MARGIN, 14));
    return RECON_OK;
}

/* Bytes that begin a character of UTF-8. */
static int begins(char c)
{
    return (c & 0xc0) != 0x80;
}

/* About the width of the character that begins with this byte, in text of size 1. */
static double width_of(char c)
{
    if (!begins(c))
        return 0;
    if (strchr(" .,:;'|!()[]ijlftrI/", c))
        return 0.34;
    if (strchr("mwMW%@", c))
        return 0.88;
    return c >= 'A' && c <= 'Z' ? 0.69 : 0.59;
}

double recon_text_width(const char *text, double size)
{
    double width = 0;
    for (; text && *text; text++)
        width += size * width_of(*text);
    return width;
}

const char *recon_text_fit(recon_short_text out, const char *text, double width, double size)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    double used = 0.6 * size; /* the ellipsis itself */
    size_t cut = 0;
    if (recon_text_width(text, size) <= width && strlen(text) < sizeof(recon_short_text))
        return strcpy(out, text);
    while (text[cut] && cut < sizeof(recon_short_text) - sizeof ellipsis) {
        used += size * width_of(text[cut]);
        if (used > width)
            break;
        cut++;
    }
    while (cut > 0 && !begins(text[cut])) /* not into the middle of a character */
        cut--;
    memcpy(out, text, cut);
    strcpy(out + cut, ellipsis);
    return out;
}

const char *recon_series_class(recon_class out, size_t n, const char *what)
{
    snprintf(out, sizeof(recon_class), "c%zu %.20s", n % RECON_SERIES_MAX + 1, what);
    return out;
}

const char *recon_words_add(recon_words *words, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    size_t room = sizeof words->text - words->used;
    int n = vsnprintf(words->text + words->used, room, fmt, ap);
    va_end(ap);
    if (n > 0)
        words->used += (size_t)n < room ? (size_t)n : room - 1;
    return words->text;
}

const char *recon_show(recon_shown out, double value, int decimals, const char *unit)
{
    recon_svg_digits digits;
    recon_svg_number(digits, value, decimals);
    int negative = digits[0] == '-';
    snprintf(out, sizeof(recon_shown), "%s%s%.16s", negative ? "\xe2\x88\x92" : "",
             digits + negative, unit);
    return out;
}

const char *recon_show_degrees(recon_shown out, double radians, int decimals)
{
    return recon_show(out, radians * RECON_TO_DEGREES, decimals, "\xc2\xb0");
}

recon_status recon_figure_check(recon_ctx *ctx, const char *figure, const char *what,
                                const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(values[i]) <= RECON_FIGURE_LARGEST))
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s %zu is %g", figure, what, i, values[i]);
    return RECON_OK;
}

enum { KEY = 26 /* wide, with the gap to its text */, BETWEEN = 16 };

/* Where the i-th key goes, given where the one before it ended. */
static void advance(double *x, double *row, const recon_key *key, double width)
{
    double needs = KEY + recon_text_width(key->text, 11);
    if (*x > 0 && *x + needs > width) {
        *x = 0;
        *row += RECON_ROW;
    }
}

double recon_legend_height(const recon_key *keys, size_t n, double width)
{
    double x = 0, row = 0;
    for (size_t i = 0; i < n; i++) {
        advance(&x, &row, &keys[i], width);
        x += KEY + recon_text_width(keys[i].text, 11) + BETWEEN;
    }
    return n ? row + RECON_ROW : 0;
}

static void draw_key(recon_svg *svg, const recon_key *key, double x, double y, double width)
{
    recon_short_text text;
    if (key->shape == RECON_KEY_AREA)
        recon_svg_rect(svg, key->cls, x + 4, y + 4, 12, 10);
    else if (key->shape == RECON_KEY_MARK)
        recon_svg_circle(svg, key->cls, x + 10, y + 9, 3.8);
    else
        recon_svg_line(svg, key->cls, x, y + 9, x + 20, y + 9);
    recon_svg_text(svg, NULL, x + KEY, y + 13, recon_text_fit(text, key->text, width - KEY, 11));
}

void recon_legend_draw(recon_svg *svg, double x, double y, double width, const recon_key *keys,
                       size_t n)
{
    double at = 0, row = 0;
    for (size_t i = 0; i < n; i++) {
        advance(&at, &row, &keys[i], width);
        draw_key(svg, &keys[i], x + at, y + row, width);
        at += KEY + recon_text_width(keys[i].text, 11) + BETWEEN;
    }
}
