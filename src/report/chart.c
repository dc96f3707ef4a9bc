/* chart.c - lines, points, bars and histograms in axes, in panels side by side under one legend. */
#include "report/chart.h"
#include "core/fail.h"
#include "report/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- nice ticks, and what is drawn from them ------------------------------------------------ */

/* The smallest of 1, 2, 5 times a power of ten that is not below x. */
static double nice(double x)
{
    double unit = pow(10, floor(log10(x)));
    double ratio = x / unit;
    return unit * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

static double nice_degrees(double x)
{
    static const double steps[] = { 15, 30, 45, 60, 90 };
    if (x <= 10)
        return nice(x);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (x <= steps[i])
            return steps[i];
    return 180 * ceil(x / 180);
}

static double choose_step(recon_axis_kind kind, double low, double high)
{
    if (kind == RECON_AXIS_LOG)
        return log10(high / low) <= 2.5 ? 0 : ceil(log10(high / low) / 8);
    double rough = (high - low) / 6;
    return kind == RECON_AXIS_DEGREES ? nice_degrees(rough) : nice(rough);
}

/* The tick of a logarithmic axis with this number: 1, 2, 5, 10, 20 ... or powers of ten. */
static double log_tick(const recon_axis *axis, long i)
{
    static const double of_decade[] = { 1, 2, 5 };
    if (axis->step > 0)
        return pow(10, axis->step * (double)i);
    long decade = (long)floor((double)i / 3);
    return of_decade[i - 3 * decade] * pow(10, (double)decade);
}

/* Numbers that should be equal may differ in the last digits. */
#define SLACK 1e-9

static long log_index_below(const recon_axis *axis, double value)
{
    double per = axis->step > 0 ? 1 / axis->step : 3;
    long i = (long)floor(per * floor(log10(value) + SLACK) + SLACK);
    while (log_tick(axis, i + 1) <= value * (1 + SLACK))
        i++;
    return i;
}

recon_axis recon_axis_between(recon_axis_kind kind, double low, double high)
{
    return (
        recon_axis){ .kind = kind, .low = low, .high = high, .step = choose_step(kind, low, high) };
}

recon_axis recon_axis_cover(recon_axis_kind kind, double low, double high)
{
    if (high - low <=
        SLACK * fmax(fabs(low), fabs(high))) { /* a single value: room on both sides */
        double room = low == 0 ? 1 : fabs(low) / 2;
        low -= room;
        high += kind == RECON_AXIS_LOG ? 2 * room : room;
    }
    recon_axis axis = recon_axis_between(kind, low, high);
    if (kind == RECON_AXIS_LOG) {
        long last = log_index_below(&axis, high);
        axis.low = log_tick(&axis, log_index_below(&axis, low));
        axis.high = log_tick(&axis, last + (log_tick(&axis, last) < high * (1 - SLACK)));
    } else {
        axis.low = axis.step * floor(low / axis.step + SLACK);
        axis.high = axis.step * ceil(high / axis.step - SLACK);
    }
    return axis;
}

double recon_axis_at(const recon_axis *axis, double value)
{
    double v = fmin(fmax(value, axis->low), axis->high);
    double share = axis->kind == RECON_AXIS_LOG ? log(v / axis->low) / log(axis->high / axis->low)
                                                : (v - axis->low) / (axis->high - axis->low);
    return axis->from + (axis->to - axis->from) * share;
}

size_t recon_axis_ticks(const recon_axis *axis, double ticks[RECON_TICKS_MAX])
{
    size_t n = 0;
    int is_log = axis->kind == RECON_AXIS_LOG;
    if (axis->kind == RECON_AXIS_COLUMNS)
        return 0;
    long first =
        is_log ? log_index_below(axis, axis->low) : (long)ceil(axis->low / axis->step - SLACK);
    if (is_log && log_tick(axis, first) < axis->low * (1 - SLACK))
        first++;
    for (long i = first; n < RECON_TICKS_MAX; i++) {
        double at = is_log ? log_tick(axis, i) : axis->step * (double)i;
        if (at > axis->high + SLACK * fabs(axis->high))
            break;
        ticks[n++] = at;
    }
    return n;
}

/* Small powers of ten are written as powers; everything else with the decimals its step needs. */
static const char *tick_text(recon_shown out, const recon_axis *axis, double value)
{
    static const char *const digit[] = { "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",
                                         "\xc2\xb3",     "\xe2\x81\xb4", "\xe2\x81\xb5",
                                         "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8",
                                         "\xe2\x81\xb9" };
    double power = axis->kind == RECON_AXIS_LOG ? floor(log10(value) + SLACK)
                                                : floor(log10(axis->step) + SLACK);
    if (axis->kind == RECON_AXIS_LOG && axis->step > 0 && (power < -3 || power > 4)) {
        int size = (int)fabs(power);
        snprintf(out, sizeof(recon_shown), "10%s%s%s", power < 0 ? "\xe2\x81\xbb" : "",
                 size >= 10 ? digit[size / 10 % 10] : "", digit[size % 10]);
        return out;
    }
    return recon_show(out, value, (int)fmin(fmax(-power, 0), 9), "");
}

static void draw_x(recon_svg *svg, const recon_axis *x, const recon_axis *y)
{
    double tick[RECON_TICKS_MAX];
    recon_shown text;
    size_t n = recon_axis_ticks(x, tick);
    for (size_t i = 0; i < n; i++) {
        double at = recon_axis_at(x, tick[i]);
        recon_svg_line(svg, "grid", at, y->from, at, y->to);
        recon_svg_line(svg, "axis", at, y->from, at, y->from + 4);
        recon_svg_text(svg, "mid", at, y->from + 16, tick_text(text, x, tick[i]));
    }
}

static void draw_y(recon_svg *svg, const recon_axis *x, const recon_axis *y)
{
    double tick[RECON_TICKS_MAX];
    recon_shown text;
    size_t n = recon_axis_ticks(y, tick);
    for (size_t i = 0; i < n; i++) {
        double at = recon_axis_at(y, tick[i]);
        recon_svg_line(svg, "grid", x->from, at, x->to, at);
        recon_svg_line(svg, "axis", x->from - 4, at, x->from, at);
        recon_svg_text(svg, "end", x->from - 7, at + 4, tick_text(text, y, tick[i]));
    }
}

void recon_axes_draw(recon_svg *svg, const recon_axis *x, const recon_axis *y, const char *x_label,
                     const char *y_label)
{
    draw_x(svg, x, y);
    draw_y(svg, x, y);
    recon_svg_path(svg, "axis");
    recon_svg_move(svg, x->from, y->to);
    recon_svg_to(svg, x->from, y->from);
    recon_svg_to(svg, x->to, y->from);
    recon_svg_path_end(svg);
    recon_short_text text;
    if (x_label)
        recon_svg_text(svg, "mid", (x->from + x->to) / 2, y->from + 34,
                       recon_text_fit(text, x_label, x->to - x->from, 11));
    if (y_label)
        recon_svg_text_upwards(svg, "mid", x->from - 44, (y->from + y->to) / 2,
                               recon_text_fit(text, y_label, y->from - y->to, 11));
}

#define POSITIVE 1e-30 /* smaller numbers are zero to a logarithmic axis */

enum { DOTS_MAX = 40 /* more points than this are a curve, not measurements */ };
enum { BINS = 40, BINS_MAX = 400, COLUMN_NAME = 16 /* room that one needs */ };
enum { WIDTH = 300, WIDTH_ALONE = 440, HEIGHT = 230, HEADING = 20, APART = 26, PANELS_MAX = 8 };

/* --- checks ----------------------------------------------------------------------------------- */

static recon_status check_series(recon_ctx *ctx, const char *figure, const recon_series *s,
                                 int log_x)
{
    if (s->count == 0 || !s->low != !s->high)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s", figure,
                          s->count ? "bars with one end" : "no points");
    if (s->bins > BINS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu bins, not at most %d", figure, s->bins,
                          BINS_MAX);
    RECON_CHECK(recon_figure_check(ctx, figure, "x", s->x, s->count));
    if (s->y)
        RECON_CHECK(recon_figure_check(ctx, figure, "y", s->y, s->count));
    if (s->low) {
        RECON_CHECK(recon_figure_check(ctx, figure, "low", s->low, s->count));
        RECON_CHECK(recon_figure_check(ctx, figure, "high", s->high, s->count));
    }
    for (size_t i = 0; i < s->count; i++)
        if (log_x && s->x[i] < POSITIVE)
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: x %zu is %g, not for a logarithmic axis",
                              figure, i, s->x[i]);
    return RECON_OK;
}

recon_status recon_chart_check(recon_ctx *ctx, const char *figure, const recon_panel *panel)
{
    recon_status status;
    double ends[] = { panel->x_from, panel->x_to, panel->y_from, panel->y_to };
    if (panel->count == 0 || panel->count + panel->mark_count > RECON_SERIES_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu series, not 1 to %d", figure,
                          panel->count + panel->mark_count, RECON_SERIES_MAX);
    RECON_TRY(recon_figure_check(ctx, figure, "end of an axis", ends, 4));
    for (size_t i = 0; i < panel->mark_count; i++)
        RECON_TRY(recon_figure_check(ctx, figure, "mark", &panel->marks[i].at, 1));
    for (size_t i = 0; i < panel->count; i++) {
        status = check_series(ctx, figure, &panel->series[i], panel->log_x);
        if (status != RECON_OK)
            return recon_note(ctx, status, "series %zu", i);
    }
done:
    return status;
}

/* --- axes ------------------------------------------------------------------------------------- */

typedef struct {
    recon_axis x, y;
} axes;

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

static recon_axis x_axis(const recon_panel *panel)
{
    recon_axis_kind kind = panel->log_x     ? RECON_AXIS_LOG
                           : panel->degrees ? RECON_AXIS_DEGREES
                                            : RECON_AXIS_LINEAR;
    range r = { INFINITY, -INFINITY };
    if (panel->columns)
        return (recon_axis){ .kind = RECON_AXIS_COLUMNS, .high = (double)panel->column_count };
    if (panel->x_from < panel->x_to)
        return recon_axis_between(kind, panel->x_from, panel->x_to);
    for (size_t i = 0; i < panel->count; i++)
        widen(&r, panel->series[i].x, panel->series[i].count, panel->log_x);
    for (size_t i = 0; i < panel->mark_count; i++)
        widen(&r, &panel->marks[i].at, 1, panel->log_x);
    return cover(kind, r);
}

/* How many values each bar counts; the most. */
static size_t count_bins(size_t bars[BINS_MAX], const recon_series *s, const recon_axis *x)
{
    size_t bins = s->bins ? s->bins : BINS, most = 0;
    memset(bars, 0, bins * sizeof *bars);
    for (size_t i = 0; i < s->count; i++) {
        double at = (s->x[i] - x->low) / (x->high - x->low) * (double)bins;
        size_t bar = (size_t)fmin(fmax(floor(at), 0), (double)(bins - 1));
        most = ++bars[bar] > most ? bars[bar] : most;
    }
    return most;
}

/* Counts begin at 0, and so does what columns have. */
static recon_axis y_axis(const recon_panel *panel, const recon_axis *x)
{
    recon_axis_kind kind = panel->log_y                       ? RECON_AXIS_LOG
                           : panel->columns && panel->degrees ? RECON_AXIS_DEGREES
                                                              : RECON_AXIS_LINEAR;
    range r = { panel->columns ? 0 : INFINITY, panel->columns ? 0 : -INFINITY };
    size_t bars[BINS_MAX];
    if (panel->y_from < panel->y_to)
        return recon_axis_between(kind, panel->y_from, panel->y_to);
    for (size_t i = 0; i < panel->count; i++) {
        const recon_series *s = &panel->series[i];
        if (!s->y)
            widen(&r, (double[]){ 0, (double)count_bins(bars, s, x) }, 2, 0);
        widen(&r, s->y, s->count, panel->log_y);
        widen(&r, s->low, s->count, panel->log_y);
        widen(&r, s->high, s->count, panel->log_y);
    }
    return cover(kind, r);
}

const char *recon_chart_column(char out[8], const char *name, size_t i)
{
    if (name && strlen(name) <= 2)
        return name;
    snprintf(out, 8, "%zu", i % 1000);
    return out;
}

/* Of many columns some are named. */
static void draw_columns(recon_svg *svg, const axes *on, const recon_panel *panel)
{
    char text[8];
    double width = (on->x.to - on->x.from) / (double)panel->column_count;
    for (size_t i = 0; i < panel->column_count; i += (size_t)ceil(COLUMN_NAME / width))
        recon_svg_text(svg, "mid", recon_axis_at(&on->x, (double)i + 0.5), on->y.from + 16,
                       recon_chart_column(text, panel->columns[i], i));
}

/* --- series ----------------------------------------------------------------------------------- */

static int shown(const axes *on, double y)
{
    return on->y.kind != RECON_AXIS_LOG || y >= POSITIVE;
}

static void draw_line(recon_svg *svg, const axes *on, const recon_series *s, const char *cls)
{
    int drawing = 0;
    recon_svg_path(svg, cls);
    for (size_t i = 0; i < s->count; i++) {
        if (shown(on, s->y[i]))
            (drawing ? recon_svg_to : recon_svg_move)(svg, recon_axis_at(&on->x, s->x[i]),
                                                      recon_axis_at(&on->y, s->y[i]));
        drawing = shown(on, s->y[i]);
    }
    recon_svg_path_end(svg);
}

static void draw_bar(recon_svg *svg, const axes *on, const char *cls, double x, double low,
                     double high)
{
    double at = recon_axis_at(&on->x, x);
    double top = recon_axis_at(&on->y, high), bottom = recon_axis_at(&on->y, low);
    recon_svg_line(svg, cls, at, bottom, at, top);
    recon_svg_line(svg, cls, at - 3, bottom, at + 3, bottom);
    recon_svg_line(svg, cls, at - 3, top, at + 3, top);
}

static void draw_histogram(recon_svg *svg, const axes *on, const recon_series *s, const char *cls)
{
    size_t bars[BINS_MAX], bins = s->bins ? s->bins : BINS;
    double width = (on->x.to - on->x.from) / (double)bins;
    count_bins(bars, s, &on->x);
    for (size_t i = 0; i < bins; i++) {
        double top = recon_axis_at(&on->y, (double)bars[i]);
        if (bars[i])
            recon_svg_rect(svg, cls, on->x.from + width * (double)i, top, width, on->y.from - top);
    }
}

static void draw_levels(recon_svg *svg, const axes *on, const recon_series *s, const char *cls)
{
    for (size_t i = 0; i < s->count; i++) {
        double at = recon_axis_at(&on->y, s->y[i]);
        recon_svg_line(svg, cls, recon_axis_at(&on->x, s->x[i] - 0.4), at,
                       recon_axis_at(&on->x, s->x[i] + 0.4), at);
    }
}

static void draw_points(recon_svg *svg, const axes *on, const recon_series *s, size_t n)
{
    recon_class cls;
    if (!s->loose)
        draw_line(svg, on, s, recon_series_class(cls, n, s->dashed ? "line dashed" : "line"));
    for (size_t i = 0; s->low && i < s->count; i++)
        draw_bar(svg, on, recon_series_class(cls, n, "thin"), s->x[i], s->low[i], s->high[i]);
    if (s->count > DOTS_MAX && !s->loose)
        return;
    for (size_t i = 0; i < s->count; i++)
        if (shown(on, s->y[i]))
            recon_svg_circle(svg, recon_series_class(cls, n, "dot"), recon_axis_at(&on->x, s->x[i]),
                             recon_axis_at(&on->y, s->y[i]), s->count > DOTS_MAX ? 1.8 : 3.4);
}

void recon_chart_draw(recon_svg *svg, const recon_panel *panel, double x, double y, double width,
                      double height)
{
    axes on = { .x = x_axis(panel) };
    recon_short_text text;
    recon_class cls;
    on.y = y_axis(panel, &on.x);
    on.x.from = x;
    on.x.to = x + width;
    on.y.from = y + height;
    on.y.to = y;
    if (panel->heading)
        recon_svg_text(svg, "head", x, y - 10, recon_text_fit(text, panel->heading, width, 11));
    recon_axes_draw(svg, &on.x, &on.y, panel->x_label, panel->y_label);
    if (panel->columns)
        draw_columns(svg, &on, panel);
    for (size_t i = panel->count; i-- > 0;) { /* the first on top */
        const recon_series *s = &panel->series[i];
        if (!s->y)
            draw_histogram(svg, &on, s, recon_series_class(cls, i, "area"));
        else if (s->level)
            draw_levels(svg, &on, s, recon_series_class(cls, i, "line"));
        else
            draw_points(svg, &on, s, i);
    }
    for (size_t i = 0; i < panel->mark_count; i++) {
        double at = recon_axis_at(&on.x, panel->marks[i].at);
        recon_svg_line(svg, recon_series_class(cls, panel->count + i, "line dashed"), at, on.y.from,
                       at, on.y.to);
    }
    if (panel->diagonal)
        recon_svg_line(svg, "axis dashed", on.x.from, on.y.from, on.x.to, on.y.to);
}

/* --- the figure ------------------------------------------------------------------------------- */

typedef struct {
    recon_key keys[PANELS_MAX * RECON_SERIES_MAX];
    recon_class classes[PANELS_MAX * RECON_SERIES_MAX];
    size_t n;
} legend;

/* Each name once in each colour. */
static void add_key(legend *l, const char *name, size_t colour, int dashed)
{
    recon_class *cls = &l->classes[l->n];
    recon_series_class(*cls, colour, dashed ? "line dashed" : "line");
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->keys[i].text, name) == 0 && strcmp(l->classes[i], *cls) == 0)
            return;
    l->keys[l->n++] = (recon_key){ RECON_KEY_LINE, *cls, name };
}

static void list_keys(legend *l, const recon_chart *c)
{
    l->n = 0;
    for (size_t k = 0; k < c->count; k++) {
        const recon_panel *panel = &c->panels[k];
        for (size_t i = 0; i < panel->count; i++)
            if (panel->series[i].name)
                add_key(l, panel->series[i].name, i, panel->series[i].dashed);
        for (size_t i = 0; i < panel->mark_count; i++)
            add_key(l, panel->marks[i].name, panel->count + i, 1);
    }
}

static const char *describe(recon_words *words, const recon_chart *c)
{
    for (size_t k = 0; k < c->count; k++) {
        const recon_panel *panel = &c->panels[k];
        recon_words_add(words, "%s%s against %s: ", k ? " " : "",
                        panel->y_label ? panel->y_label : "y",
                        panel->x_label ? panel->x_label : "x");
        for (size_t i = 0; i < panel->count; i++)
            recon_words_add(words, "%s%s", i ? ", " : "",
                            panel->series[i].name ? panel->series[i].name : "a line");
        recon_words_add(words, ".");
    }
    return words->text;
}

static double heading(const recon_chart *c)
{
    for (size_t k = 0; k < c->count; k++)
        if (c->panels[k].heading)
            return HEADING;
    return 0;
}

recon_status recon_figure_chart(recon_ctx *ctx, char **out, const recon_chart *c)
{
    legend l;
    recon_words words = { .used = 0 };
    recon_svg *svg;
    *out = NULL;
    if (c->count == 0 || c->count > PANELS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "chart: %zu panels, not 1 to %d", c->count,
                          PANELS_MAX);
    for (size_t k = 0; k < c->count; k++)
        RECON_CHECK(recon_chart_check(ctx, "chart", &c->panels[k]));
    double width = c->width > 0 ? c->width : c->count == 1 ? WIDTH_ALONE : WIDTH;
    double height = c->height > 0 ? c->height : HEIGHT, pitch = RECON_CHART_LEFT + width + APART;
    double left = RECON_MARGIN + RECON_CHART_LEFT, top = recon_canvas_top(c->title) + heading(c);
    double inner = pitch * (double)c->count - APART, below = top + height + RECON_CHART_BELOW;
    list_keys(&l, c);
    double keys_height = recon_legend_height(l.keys, l.n, inner - RECON_CHART_LEFT);
    RECON_CHECK(recon_canvas_open(ctx, &svg, inner + 2 * RECON_MARGIN + 6,
                                  below + keys_height + RECON_MARGIN, c->title,
                                  c->desc ? c->desc : describe(&words, c)));
    for (size_t k = 0; k < c->count; k++)
        recon_chart_draw(svg, &c->panels[k], left + pitch * (double)k, top, width, height);
    recon_legend_draw(svg, left, below, inner - RECON_CHART_LEFT, l.keys, l.n);
    return recon_svg_finish(svg, out);
}
