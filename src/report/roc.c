/* roc.c - receiver operating curves with their areas. */
#include "report/chart.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

enum { PLOT = 330 };
#define NEAR 0.002 /* points closer than this to the last, less than a pixel, are not drawn */

typedef struct {
    double *x, *y;
    size_t count;
    double area;
} curve;

static int within(double v)
{
    return v >= 0 && v <= 1; /* false for NaN */
}

static recon_status check_plot(recon_ctx *ctx, const recon_roc_plot *p)
{
    if (p->count == 0 || p->count > RECON_SERIES_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "roc: %zu curves, not 1 to %d", p->count,
                          RECON_SERIES_MAX);
    for (size_t k = 0; k < p->count; k++) {
        const recon_roc_line *line = &p->lines[k];
        if (line->count < 2)
            return recon_fail(ctx, RECON_ERR_INPUT, "roc: curve %zu has %zu points", k,
                              line->count);
        for (size_t i = 0; i < line->count; i++)
            if (!within(line->points[i].false_positive) || !within(line->points[i].true_positive))
                return recon_fail(ctx, RECON_ERR_INPUT, "roc: curve %zu: point %zu is (%g, %g)", k,
                                  i, line->points[i].false_positive, line->points[i].true_positive);
    }
    return RECON_OK;
}

/* The trapezes under all points are the exact area; the line needs fewer of them. */
static recon_status trace(recon_ctx *ctx, curve *out, const recon_roc_line *line)
{
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &out->x, line->count, sizeof(double)));
    RECON_TRY(recon_alloc_raw(ctx, &out->y, line->count, sizeof(double)));
    for (size_t i = 0; i < line->count; i++) {
        double x = line->points[i].false_positive, y = line->points[i].true_positive;
        size_t n = out->count;
        if (i > 0)
            out->area += (x - line->points[i - 1].false_positive) *
                         (y + line->points[i - 1].true_positive) / 2;
        if (i > 0 && i + 1 < line->count && hypot(x - out->x[n - 1], y - out->y[n - 1]) < NEAR)
            continue;
        out->x[n] = x;
        out->y[n] = y;
        out->count++;
    }
done:
    return status;
}

/* In the empty corner below the diagonal. */
static void draw_legend(recon_svg *svg, const recon_chart *chart, const recon_roc_plot *p,
                        const curve *curves)
{
    recon_class cls;
    recon_short_text name;
    recon_svg_digits area;
    double x = chart->x.to - 190, y = chart->y.from - 12 - RECON_ROW * (double)p->count;
    recon_svg_text(svg, "head end", chart->x.to - 12, y, "area");
    for (size_t k = 0; k < p->count; k++) {
        y += RECON_ROW;
        recon_svg_line(svg, recon_series_class(cls, k, "line"), x, y - 4, x + 18, y - 4);
        recon_svg_text(svg, NULL, x + 24, y,
                       recon_text_fit(name, p->lines[k].name ? p->lines[k].name : "", 120, 11));
        recon_svg_text(svg, "end", chart->x.to - 12, y, recon_svg_number(area, curves[k].area, 3));
    }
}

static const char *describe(recon_words *words, const recon_roc_plot *p, const curve *curves)
{
    recon_svg_digits area;
    recon_words_add(words, "Receiver operating curves, area under each:");
    for (size_t k = 0; k < p->count; k++)
        recon_words_add(words, "%s %s %s", k ? "," : "", p->lines[k].name ? p->lines[k].name : "",
                        recon_svg_number(area, curves[k].area, 3));
    return words->text;
}

static recon_status draw(recon_ctx *ctx, char **out, const recon_roc_plot *p, const curve *curves)
{
    recon_series series[RECON_SERIES_MAX];
    recon_words words = { .used = 0 };
    recon_svg *svg;
    double top = recon_canvas_top(p->title), left = RECON_MARGIN + RECON_CHART_LEFT;
    for (size_t k = 0; k < p->count; k++)
        series[k] = (recon_series){ .x = curves[k].x, .y = curves[k].y, .count = curves[k].count };
    recon_line_panel panel = {
        .x_label = p->x_label ? p->x_label : "false positives, share of the negatives",
        .y_label = p->y_label ? p->y_label : "true positives, share of the positives",
        .series = series,
        .count = p->count,
        .x_to = 1,
        .y_to = 1
    };
    recon_status status = recon_canvas_open(ctx, &svg, left + PLOT + RECON_MARGIN + 6,
                                            top + PLOT + RECON_CHART_BELOW + RECON_MARGIN, p->title,
                                            p->desc ? p->desc : describe(&words, p, curves));
    if (status != RECON_OK)
        return status;
    recon_chart chart = recon_chart_draw(svg, &panel, left, top, PLOT, PLOT);
    recon_svg_line(svg, "axis dashed", chart.x.from, chart.y.from, chart.x.to, chart.y.to);
    draw_legend(svg, &chart, p, curves);
    return recon_svg_finish(svg, out);
}

recon_status recon_figure_roc(recon_ctx *ctx, char **out, const recon_roc_plot *p)
{
    curve curves[RECON_SERIES_MAX] = { { NULL, NULL, 0, 0 } };
    recon_status status;
    *out = NULL;
    RECON_TRY(check_plot(ctx, p));
    for (size_t k = 0; k < p->count; k++)
        RECON_TRY(trace(ctx, &curves[k], &p->lines[k]));
    status = draw(ctx, out, p, curves);
done:
    for (size_t k = 0; k < RECON_SERIES_MAX; k++) {
        free(curves[k].x);
        free(curves[k].y);
    }
    return status;
}
