/* canvas.h - what all figures share: paper, style, words, legend. */
#ifndef REPORT_CANVAS_H
#define REPORT_CANVAS_H

#include "report/figure.h"

enum { RECON_MARGIN = 14, RECON_ROW = 18 /* from one line of text to the next */ };

/* Paper of this size, in the one style, with the title on it: the figure begins below
 * recon_canvas_top. */
recon_status recon_canvas_open(recon_ctx *ctx, recon_svg **out, double width, double height,
                               const char *title, const char *desc);
double recon_canvas_top(const char *title);

/* About how wide text of this size comes out, and text that is no wider. */
double recon_text_width(const char *text, double size);
typedef char recon_short_text[128];
const char *recon_text_fit(recon_short_text out, const char *text, double width, double size);

/* The classes of the n-th series: its colour, and "line", "area" ... */
typedef char recon_class[32];
const char *recon_series_class(recon_class out, size_t n, const char *what);

/* A sentence that grows; what does not fit is left off. Only %s, %d and %zu: other numbers depend
 * on the locale. */
typedef struct {
    char text[640];
    size_t used;
} recon_words;
const char *recon_words_add(recon_words *words, const char *fmt, ...) RECON_PRINTF(2, 3);

/* A number for the reader: a minus that looks like one, and what is to stand behind it. */
typedef char recon_shown[80];
const char *recon_show(recon_shown out, double value, int decimals, const char *unit);
const char *recon_show_degrees(recon_shown out, double radians, int decimals);

/* RECON_ERR_INPUT, naming figure, what and index, unless all n are finite and of a size that can be
 * written beside an axis. */
#define RECON_FIGURE_LARGEST 1e9
recon_status recon_figure_check(recon_ctx *ctx, const char *figure, const char *what,
                                const double *values, size_t n);

/* A legend flows from left to right, in as many rows as it needs. */
typedef enum { RECON_KEY_AREA, RECON_KEY_LINE, RECON_KEY_MARK } recon_key_shape;
typedef struct {
    recon_key_shape shape;
    const char *cls, *text;
} recon_key;
double recon_legend_height(const recon_key *keys, size_t n, double width);
void recon_legend_draw(recon_svg *svg, double x, double y, double width, const recon_key *keys,
                       size_t n);

#endif
