/* chart.c - lines, points and bars in axes. */
#include "report/chart.h"
#include "core/fail.h"

#include <math.h>

#define POSITIVE 1e-30 /* smaller numbers are zero to a logarithmic axis */

enum { DOTS_MAX = 40 /* more points than this are a curve, not measurements */ };

static recon_status check_series(recon_ctx *ctx, const char *figure, const recon_series *s,
                                 int log_x)
{
    recon_status status;
    if (s->count == 0 || !s->low != !s->high)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s", figure,
                          s->count ? "bars with one end" : "no points");
    RECON_TRY(recon_figure_check(ctx, figure, "x", s->x, s->count));
    RECON_TRY(recon_figure_check(ctx, figure, "y", s->y, s->count));
    if (s->low) {
        RECON_TRY(recon_figure_check(ctx, figure, "low", s->low, s->count));
        RECON_TRY(recon_figure_check(ctx, figure, "high", s->high, s->count));
    }
    for (size_t i = 0; i < s->count; i++)
        if (log_x && s->x[i] < POSITIVE)
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: x %zu is %g, not for a logarithmic axis",
                              figure, i, s->x[i]);
done:
    return status;
}

recon_status recon_chart_check(recon_ctx *ctx, const char *figure, const recon_line_panel *panel)
{
    recon_status status;
    double ends[] = { panel->x_from, panel->x_to, panel->y_from, panel->y_to };
    if (panel->count == 0 || panel->count > RECON_SERIES_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu series, not 1 to %d", figure, panel->count,
                          RECON_SERIES_MAX);
    RECON_TRY(recon_figure_check(ctx, figure, "end of an axis", ends, 4));
    for (size_t i = 0; i < panel->count; i++) {
        status = check_series(ctx, figure, &panel->series[i], panel->log_x);
        if (status != RECON_OK)
            return recon_note(ctx, status, "series %zu", i);
    }
done:
    return status;
}

typedef struct {
    double low, high;
} range;

static void widen(range *r, const double *values, size_t n, int positive)
{
    for (size_t i = 0; values && i < n; i++)
        if (!positive || values[i] >= POSITIVE) {
            r->low = fmin(r->low, values[i]);
            r->high = fmax(r->high, values[i]);
        }
}

static recon_axis cover(recon_axis_kind kind, range r)
{
    if (r.low > r.high) /* nothing on a logarithmic axis */
        r = (range){ 0.1, 1 };
    return recon_axis_cover(kind, r.low, r.high);
}

static recon_axis x_axis(const recon_line_panel *panel)
{
    recon_axis_kind kind = panel->log_x     ? RECON_AXIS_LOG
                           : panel->degrees ? RECON_AXIS_DEGREES
                                            : RECON_AXIS_LINEAR;
    range r = { INFINITY, -INFINITY };
    if (panel->x_from < panel->x_to)
        return recon_axis_between(kind, panel->x_from, panel->x_to);
    for (size_t i = 0; i < panel->count; i++)
        widen(&r, panel->series[i].x, panel->series[i].count, panel->log_x);
    return cover(kind, r);
}

static recon_axis y_axis(const recon_line_panel *panel)
{
    recon_axis_kind kind = panel->log_y ? RECON_AXIS_LOG : RECON_AXIS_LINEAR;
    range r = { INFINITY, -INFINITY };
    if (panel->y_from < panel->y_to)
        return recon_axis_between(kind, panel->y_from, panel->y_to);
    for (size_t i = 0; i < panel->count; i++) {
        const recon_series *s = &panel->series[i];
        widen(&r, s->y, s->count, panel->log_y);
        widen(&r, s->low, s->count, panel->log_y);
        widen(&r, s->high, s->count, panel->log_y);
    }
    return cover(kind, r);
}

static int shown(const recon_chart *chart, double y)
{
    return chart->y.kind != RECON_AXIS_LOG || y >= POSITIVE;
}

static void draw_line(recon_svg *svg, const recon_chart *chart, const recon_series *s,
                      const char *cls)
{
    int drawing = 0;
    recon_svg_path(svg, cls);
    for (size_t i = 0; i < s->count; i++) {
        if (shown(chart, s->y[i]))
            (drawing ? recon_svg_to : recon_svg_move)(svg, recon_axis_at(&chart->x, s->x[i]),
                                                      recon_axis_at(&chart->y, s->y[i]));
        drawing = shown(chart, s->y[i]);
    }
    recon_svg_path_end(svg);
}

static void draw_bar(recon_svg *svg, const recon_chart *chart, const char *cls, double x,
                     double low, double high)
{
    double at = recon_axis_at(&chart->x, x);
    double top = recon_axis_at(&chart->y, high), bottom = recon_axis_at(&chart->y, low);
    recon_svg_line(svg, cls, at, bottom, at, top);
    recon_svg_line(svg, cls, at - 3, bottom, at + 3, bottom);
    recon_svg_line(svg, cls, at - 3, top, at + 3, top);
}

static void draw_series(recon_svg *svg, const recon_chart *chart, const recon_series *s, size_t n)
{
    recon_class cls;
    if (!s->loose)
        draw_line(svg, chart, s, recon_series_class(cls, n, s->dashed ? "line dashed" : "line"));
    for (size_t i = 0; s->low && i < s->count; i++)
        draw_bar(svg, chart, recon_series_class(cls, n, "thin"), s->x[i], s->low[i], s->high[i]);
    if (s->count > DOTS_MAX && !s->loose)
        return;
    for (size_t i = 0; i < s->count; i++)
        if (shown(chart, s->y[i]))
            recon_svg_circle(svg, recon_series_class(cls, n, "dot"),
                             recon_axis_at(&chart->x, s->x[i]), recon_axis_at(&chart->y, s->y[i]),
                             s->count > DOTS_MAX ? 1.8 : 3.4);
}

recon_chart recon_chart_draw(recon_svg *svg, const recon_line_panel *panel, double x, double y,
                             double width, double height)
{
    recon_chart chart = { x_axis(panel), y_axis(panel) };
    recon_short_text text;
    chart.x.from = x;
    chart.x.to = x + width;
    chart.y.from = y + height;
    chart.y.to = y;
    if (panel->heading)
        recon_svg_text(svg, "head", x, y - 10, recon_text_fit(text, panel->heading, width, 11));
    recon_axes_draw(svg, &chart.x, &chart.y, panel->x_label, panel->y_label);
    for (size_t i = panel->count; i-- > 0;) /* the first on top */
        draw_series(svg, &chart, &panel->series[i], i);
    return chart;
}
