/* plots.c - what a report draws as charts: histograms, receiver operating curves with their areas, and
 * the width of each class, predicted beside true. */
#include "report/chart.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

recon_status recon_figure_histogram(recon_ctx *ctx, char **out, const recon_histogram_plot *p)
{
    recon_words words = { .used = 0 };
    const recon_series values = { .x = p->values, .count = p->count, .bins = p->bins };
    const recon_panel panel = { .x_label = p->x_label,
                                .y_label = "count",
                                .series = &values,
                                .count = 1,
                                .x_from = p->from,
                                .x_to = p->to,
                                .marks = p->marks,
                                .mark_count = p->mark_count };
    recon_words_add(&words, "A histogram of %zu values of %s.", p->count,
                    p->x_label ? p->x_label : "x");
    return recon_figure_chart(ctx, out,
                              &(recon_chart){ .title = p->title,
                                              .desc = p->desc ? p->desc : words.text,
                                              .panels = &panel,
                                              .count = 1,
                                              .height = 200 });
}

/* --- receiver operating curves ---------------------------------------------------------------- */

enum { SIDE = 330 /* of a square plot */ };
#define NEAR 0.002 /* points closer than this to the last, less than a pixel, are not drawn */

typedef struct {
    char name[160];
    double *x, *y;
} curve;

static int within(double v)
{
    return v >= 0 && v <= 1; /* false for NaN */
}

static recon_status check_roc(recon_ctx *ctx, const recon_roc_plot *p)
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
static recon_status trace(recon_ctx *ctx, recon_series *out, curve *c, const recon_roc_line *line)
{
    recon_svg_digits digits;
    recon_short_text name;
    size_t n = 0;
    double area = 0;
    RECON_CHECK(recon_alloc_raw(ctx, &c->x, line->count, sizeof(double)));
    RECON_CHECK(recon_alloc_raw(ctx, &c->y, line->count, sizeof(double)));
    for (size_t i = 0; i < line->count; i++) {
        double x = line->points[i].false_positive, y = line->points[i].true_positive;
        if (i > 0)
            area += (x - line->points[i - 1].false_positive) *
                    (y + line->points[i - 1].true_positive) / 2;
        if (i > 0 && i + 1 < line->count && hypot(x - c->x[n - 1], y - c->y[n - 1]) < NEAR)
            continue;
        c->x[n] = x;
        c->y[n++] = y;
    }
    snprintf(c->name, sizeof c->name, "%s%sarea %s",
             line->name ? recon_text_fit(name, line->name, 180, 11) : "", line->name ? ", " : "",
             recon_svg_number(digits, area, 3));
    *out = (recon_series){ .name = c->name, .x = c->x, .y = c->y, .count = n };
    return RECON_OK;
}

recon_status recon_figure_roc(recon_ctx *ctx, char **out, const recon_roc_plot *p)
{
    curve curves[RECON_SERIES_MAX] = { { "", NULL, NULL } };
    recon_series series[RECON_SERIES_MAX];
    const recon_panel panel = {
        .x_label = p->x_label ? p->x_label : "false positives, share of the negatives",
        .y_label = p->y_label ? p->y_label : "true positives, share of the positives",
        .series = series,
        .count = p->count,
        .x_to = 1,
        .y_to = 1,
        .diagonal = 1
    };
    recon_words words = { .used = 0 };
    recon_status status;
    *out = NULL;
    RECON_TRY(check_roc(ctx, p));
    for (size_t k = 0; k < p->count; k++)
        RECON_TRY(trace(ctx, &series[k], &curves[k], &p->lines[k]));
    recon_words_add(&words, "Receiver operating curves:");
    for (size_t k = 0; k < p->count; k++)
        recon_words_add(&words, "%s %s", k ? ";" : "", curves[k].name);
    RECON_TRY(recon_figure_chart(ctx, out,
                                 &(recon_chart){ .title = p->title,
                                                 .desc = p->desc ? p->desc : words.text,
                                                 .panels = &panel,
                                                 .count = 1,
                                                 .width = SIDE,
                                                 .height = SIDE }));
done:
    for (size_t k = 0; k < RECON_SERIES_MAX; k++) {
        free(curves[k].x);
        free(curves[k].y);
    }
    return status;
}

/* --- widths ----------------------------------------------------------------------------------- */

/* A class has a column of its own, so that nothing has to be moved where several have one true width
 * (in the paper's figure 3a, predicted against true, they would lie on top of each other). A table has
 * the same numbers. */
enum { LEFT = RECON_MARGIN + RECON_CHART_LEFT, TABLE = LEFT + SIDE + 30, TABLE_WIDTH = 250 };

static recon_status check_theta(recon_ctx *ctx, const recon_theta_plot *p)
{
    recon_status status = RECON_OK;
    if (p->count == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "theta: no classes");
    for (size_t i = 0; i < p->count; i++) {
        const recon_theta_class *c = &p->classes[i];
        double values[] = { c->truth, c->predicted, c->low, c->high };
        status = recon_figure_check(ctx, "theta", "value", values, 4);
        if (status == RECON_OK && fmin(c->truth, c->predicted) < 0)
            status = recon_fail(ctx, RECON_ERR_INPUT, "theta: a width of %g: 0 at least",
                                fmin(c->truth, c->predicted));
        if (status != RECON_OK)
            return recon_note(ctx, status, "class %zu", i);
    }
    return status;
}

static void draw_table(recon_svg *svg, const recon_theta_plot *p, double y)
{
    static const char *const heading[] = { "class", "true", "predicted" };
    recon_short_text text;
    recon_shown shown;
    char index[8];
    double error = 0;
    for (int k = 0; k < 3; k++)
        recon_svg_text(svg, k ? "head end" : "head", k ? TABLE + 110 + 70 * k : TABLE, y,
                       heading[k]);
    recon_svg_line(svg, "axis", TABLE, y + 6, TABLE + TABLE_WIDTH, y + 6);
    for (size_t i = 0; i < p->count; i++) {
        const recon_theta_class *c = &p->classes[i];
        const char *mark = recon_chart_column(index, c->name, i);
        double row = y + RECON_ROW * (double)(i + 1) + 4;
        recon_svg_text(svg, "muted", TABLE, row, mark);
        if (c->name && mark != c->name)
            recon_svg_text(svg, NULL, TABLE + 22, row, recon_text_fit(text, c->name, 110, 11));
        recon_svg_text(svg, "end", TABLE + 180, row, recon_show_degrees(shown, c->truth, 1));
        recon_svg_text(svg, "end", TABLE + 250, row, recon_show_degrees(shown, c->predicted, 1));
        error += fabs(c->predicted - c->truth) / (double)p->count;
    }
    double last = y + RECON_ROW * (double)(p->count + 1) + 12;
    recon_svg_line(svg, "axis", TABLE, last - 14, TABLE + TABLE_WIDTH, last - 14);
    recon_svg_text(svg, NULL, TABLE, last, "mean absolute error");
    recon_svg_text(svg, "end", TABLE + 250, last, recon_show_degrees(shown, error, 1));
}

static const char *describe_theta(recon_words *words, const recon_theta_plot *p)
{
    recon_shown truth, predicted;
    recon_words_add(words, "Predicted and true width.");
    for (size_t i = 0; i < p->count; i++)
        recon_words_add(words, " %s: %s, true %s.", p->classes[i].name ? p->classes[i].name : "?",
                        recon_show_degrees(predicted, p->classes[i].predicted, 1),
                        recon_show_degrees(truth, p->classes[i].truth, 1));
    return words->text;
}

/* A spread may reach below 0, a width does not. Whether any class has one. */
static int list_widths(double *x, double *truth, double *predicted, double *low, double *high,
                       const recon_theta_plot *p)
{
    int bars = 0;
    for (size_t i = 0; i < p->count; i++) {
        const recon_theta_class *c = &p->classes[i];
        x[i] = (double)i + 0.5;
        truth[i] = c->truth * RECON_TO_DEGREES;
        predicted[i] = c->predicted * RECON_TO_DEGREES;
        low[i] = fmax(c->low, 0) * RECON_TO_DEGREES;
        high[i] = fmax(c->high, 0) * RECON_TO_DEGREES;
        bars |= c->low != c->high;
    }
    return bars;
}

recon_status recon_figure_theta(recon_ctx *ctx, char **out, const recon_theta_plot *p)
{
    recon_words desc = { .used = 0 }, y_label = { .used = 0 };
    const char **names = NULL;
    double *x = NULL;
    recon_svg *svg;
    recon_status status;
    size_t n = p->count;
    *out = NULL;
    RECON_TRY(check_theta(ctx, p));
    RECON_TRY(recon_alloc_raw(ctx, &names, n, sizeof *names));
    RECON_TRY(recon_alloc_raw(ctx, &x, 5 * n, sizeof *x));
    for (size_t i = 0; i < n; i++)
        names[i] = p->classes[i].name;
    int bars = list_widths(x, x + n, x + 2 * n, x + 3 * n, x + 4 * n, p);
    const recon_series series[] = { { .x = x,
                                      .y = x + 2 * n,
                                      .low = bars ? x + 3 * n : NULL,
                                      .high = bars ? x + 4 * n : NULL,
                                      .count = n,
                                      .loose = 1 },
                                    { .x = x, .y = x + n, .count = n, .level = 1 } };
    const recon_key keys[] = { { RECON_KEY_AREA, "c1",
                                 bars ? "predicted, with spread" : "predicted" },
                               { RECON_KEY_LINE, "c2 line", "true" } };
    const recon_panel panel = { .x_label = "class",
                                .y_label = recon_words_add(&y_label, "%.60s (degrees)",
                                                           p->what ? p->what : "theta"),
                                .series = series,
                                .count = 2,
                                .degrees = 1,
                                .columns = names,
                                .column_count = n };
    double top = recon_canvas_top(p->title), table = RECON_ROW * (double)(n + 2) + 30;
    double height = top + fmax(SIDE + RECON_CHART_BELOW + RECON_ROW, table) + RECON_MARGIN;
    RECON_TRY(recon_canvas_open(ctx, &svg, TABLE + TABLE_WIDTH + RECON_MARGIN, height, p->title,
                                p->desc ? p->desc : describe_theta(&desc, p)));
    recon_chart_draw(svg, &panel, LEFT, top, SIDE, SIDE);
    recon_legend_draw(svg, LEFT, top + SIDE + RECON_CHART_BELOW, SIDE, keys, 2);
    draw_table(svg, p, top + 12);
    status = recon_svg_finish(svg, out);
done:
    free(names);
    free(x);
    return status;
}
