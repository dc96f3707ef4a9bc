/* histogram.c - how often values occur, with lines across at values that have a name. */
#include "report/chart.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 440, HEIGHT = 200, BINS = 40, BINS_MAX = 400 };

static recon_status check_plot(recon_ctx *ctx, const recon_histogram_plot *p)
{
    recon_status status;
    double ends[] = { p->from, p->to };
    if (p->count == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "histogram: no values");
    if (p->bins > BINS_MAX || p->mark_count >= RECON_SERIES_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "histogram: %zu bins (to %d), %zu marks (to %d)",
                          p->bins, BINS_MAX, p->mark_count, RECON_SERIES_MAX - 1);
    RECON_TRY(recon_figure_check(ctx, "histogram", "value", p->values, p->count));
    RECON_TRY(recon_figure_check(ctx, "histogram", "end", ends, 2));
    for (size_t i = 0; i < p->mark_count; i++)
        RECON_TRY(recon_figure_check(ctx, "histogram", "mark", &p->marks[i].at, 1));
done:
    return status;
}

static recon_axis x_axis(const recon_histogram_plot *p)
{
    double low = p->values[0], high = low;
    if (p->from < p->to)
        return recon_axis_between(RECON_AXIS_LINEAR, p->from, p->to);
    for (size_t i = 0; i < p->count; i++) {
        low = fmin(low, p->values[i]);
        high = fmax(high, p->values[i]);
    }
    for (size_t i = 0; i < p->mark_count; i++) {
        low = fmin(low, p->marks[i].at);
        high = fmax(high, p->marks[i].at);
    }
    return recon_axis_cover(RECON_AXIS_LINEAR, low, high);
}

static size_t count(size_t *bars, size_t bins, const recon_axis *x, const recon_histogram_plot *p)
{
    size_t highest = 0;
    for (size_t i = 0; i < p->count; i++) {
        double at = (p->values[i] - x->low) / (x->high - x->low) * (double)bins;
        size_t bar = (size_t)fmin(fmax(floor(at), 0), (double)(bins - 1));
        highest = ++bars[bar] > highest ? bars[bar] : highest;
    }
    return highest;
}

static void draw_bars(recon_svg *svg, const size_t *bars, size_t bins, const recon_axis *x,
                      const recon_axis *y)
{
    double width = (x->to - x->from) / (double)bins;
    for (size_t i = 0; i < bins; i++) {
        double top = recon_axis_at(y, (double)bars[i]);
        if (bars[i])
            recon_svg_rect(svg, "c1 area", x->from + width * (double)i, top, width, y->from - top);
    }
}

static void draw_marks(recon_svg *svg, const recon_histogram_plot *p, const recon_axis *x,
                       const recon_axis *y, double below)
{
    recon_key keys[RECON_SERIES_MAX];
    recon_class classes[RECON_SERIES_MAX];
    for (size_t i = 0; i < p->mark_count; i++) {
        double at = recon_axis_at(x, p->marks[i].at);
        recon_series_class(classes[i], i + 1, "line dashed");
        recon_svg_line(svg, classes[i], at, y->from, at, y->to);
        keys[i] = (recon_key){ RECON_KEY_LINE, classes[i], p->marks[i].name };
    }
    recon_legend_draw(svg, x->from, below, WIDTH, keys, p->mark_count);
}

static double legend_height(const recon_histogram_plot *p)
{
    recon_key keys[RECON_SERIES_MAX];
    for (size_t i = 0; i < p->mark_count; i++)
        keys[i] = (recon_key){ RECON_KEY_LINE, "", p->marks[i].name };
    return recon_legend_height(keys, p->mark_count, WIDTH);
}

recon_status recon_figure_histogram(recon_ctx *ctx, char **out, const recon_histogram_plot *p)
{
    size_t bins = p->bins ? p->bins : BINS, *bars = NULL;
    recon_words words = { .used = 0 };
    recon_svg *svg;
    recon_status status;
    *out = NULL;
    RECON_TRY(check_plot(ctx, p));
    RECON_TRY(recon_alloc(ctx, &bars, bins, sizeof *bars));
    recon_axis x = x_axis(p);
    recon_axis y = recon_axis_cover(RECON_AXIS_LINEAR, 0, (double)count(bars, bins, &x, p));
    double left = RECON_MARGIN + RECON_CHART_LEFT, top = recon_canvas_top(p->title);
    double below = top + HEIGHT + RECON_CHART_BELOW;
    x.from = left;
    x.to = left + WIDTH;
    y.from = top + HEIGHT;
    y.to = top;
    recon_words_add(&words, "A histogram of %zu values of %s.", p->count,
                    p->x_label ? p->x_label : "x");
    RECON_TRY(recon_canvas_open(ctx, &svg, left + WIDTH + RECON_MARGIN + 6,
                                below + legend_height(p) + RECON_MARGIN, p->title,
                                p->desc ? p->desc : words.text));
    recon_axes_draw(svg, &x, &y, p->x_label, "count");
    draw_bars(svg, bars, bins, &x, &y);
    draw_marks(svg, p, &x, &y, below);
    status = recon_svg_finish(svg, out);
done:
    free(bars);
    return status;
}
