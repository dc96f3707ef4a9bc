/* theta.c - the width of each class's distribution, predicted against true (the paper's figure
 * 3a), with a table of the same beside it. */
#include "report/axes.h"
#include "report/canvas.h"
#include "core/degrees.h"
#include "core/fail.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLOT = 330, LEFT = RECON_MARGIN + 58, TABLE = LEFT + PLOT + 30, TABLE_WIDTH = 250 };
enum { RADIUS = 8, APART = 18 /* classes of one true value stand side by side */ };

#define SAME 0.25 /* degrees */

static recon_status check_plot(recon_ctx *ctx, const recon_theta_plot *p)
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

static recon_axis scale(const recon_theta_plot *p)
{
    double high = 0;
    for (size_t i = 0; i < p->count; i++) {
        const recon_theta_class *c = &p->classes[i];
        high = fmax(high, fmax(fmax(c->truth, c->predicted), fmax(c->low, c->high)));
    }
    recon_axis axis =
        recon_axis_cover(RECON_AXIS_DEGREES, 0, fmax(high * RECON_TO_DEGREES * 1.04, 1));
    axis.low -= 0.08 * (axis.high - axis.low); /* room for several classes at zero */
    return axis;
}

/* How many classes share the true value of class i, and how many of them come before it. */
static void group_of(const recon_theta_plot *p, size_t i, size_t *size, size_t *rank)
{
    *size = *rank = 0;
    for (size_t k = 0; k < p->count; k++)
        if (fabs(p->classes[k].truth - p->classes[i].truth) * RECON_TO_DEGREES < SAME) {
            *rank += k < i;
            (*size)++;
        }
}

/* Short names go into the point, others into the table beside their number. */
static const char *mark(char out[8], const recon_theta_plot *p, size_t i)
{
    const char *name = p->classes[i].name;
    if (name && strlen(name) <= 2)
        return name;
    snprintf(out, 8, "%zu", i % 1000);
    return out;
}

/* Where class i stands, and how far it is to the next of its group. */
static double place(const recon_theta_plot *p, size_t i, const recon_axis *x, double *apart)
{
    size_t size, rank;
    group_of(p, i, &size, &rank);
    *apart = fmin(APART, PLOT / 2.0 / (double)size);
    double half = *apart * (double)(size - 1) / 2;
    double middle = recon_axis_at(x, p->classes[i].truth * RECON_TO_DEGREES);
    middle = fmin(fmax(middle, x->from + half + RADIUS), x->to - half - RADIUS);
    return middle - half + *apart * (double)rank;
}

static void draw_truth(recon_svg *svg, const recon_theta_plot *p, size_t i, const recon_axis *x,
                       const recon_axis *y)
{
    double apart, at = place(p, i, x, &apart);
    double truth = recon_axis_at(y, p->classes[i].truth * RECON_TO_DEGREES);
    recon_svg_line(svg, "c2 line", at - apart / 2, truth, at + apart / 2, truth);
}

static void draw_class(recon_svg *svg, const recon_theta_plot *p, size_t i, const recon_axis *x,
                       const recon_axis *y)
{
    const recon_theta_class *c = &p->classes[i];
    char text[8];
    double apart, at = place(p, i, x, &apart);
    double predicted = recon_axis_at(y, c->predicted * RECON_TO_DEGREES);
    if (c->low != c->high) /* a spread may reach below 0, a width does not */
        recon_svg_line(svg, "c1 line", at, recon_axis_at(y, fmax(c->low, 0) * RECON_TO_DEGREES), at,
                       recon_axis_at(y, fmax(c->high, 0) * RECON_TO_DEGREES));
    recon_svg_circle(svg, "c1 dot", at, predicted, RADIUS);
    recon_svg_text(svg, "small mid on", at, predicted + 3.4, mark(text, p, i));
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
        double row = y + RECON_ROW * (double)(i + 1) + 4;
        recon_svg_text(svg, "muted", TABLE, row, mark(index, p, i));
        if (c->name && mark(index, p, i) != c->name)
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

static const char *describe(recon_words *words, const recon_theta_plot *p)
{
    recon_shown truth, predicted;
    recon_words_add(words, "Predicted against true width.");
    for (size_t i = 0; i < p->count; i++)
        recon_words_add(words, " %s: %s, true %s.", p->classes[i].name ? p->classes[i].name : "?",
                        recon_show_degrees(predicted, p->classes[i].predicted, 1),
                        recon_show_degrees(truth, p->classes[i].truth, 1));
    return words->text;
}

static void draw_plot(recon_svg *svg, const recon_theta_plot *p, double top)
{
    recon_words x_label = { .used = 0 }, y_label = { .used = 0 };
    const char *what = p->what ? p->what : "theta";
    recon_axis x = scale(p), y = x;
    x.from = LEFT, x.to = LEFT + PLOT;
    y.from = top + PLOT, y.to = top;
    recon_axes_draw(svg, &x, &y, recon_words_add(&x_label, "true %.60s (degrees)", what),
                    recon_words_add(&y_label, "predicted %.60s (degrees)", what));
    recon_svg_line(svg, "axis dashed", x.from, y.from, x.to, y.to);
    for (size_t i = 0; i < p->count; i++)
        draw_truth(svg, p, i, &x, &y);
    for (size_t i = 0; i < p->count; i++)
        draw_class(svg, p, i, &x, &y);
}

recon_status recon_figure_theta(recon_ctx *ctx, char **out, const recon_theta_plot *p)
{
    static const recon_key keys[] = { { RECON_KEY_AREA, "c1", "predicted, with spread" },
                                      { RECON_KEY_LINE, "c2 line", "true" } };
    recon_words desc = { .used = 0 };
    recon_svg *svg;
    recon_status status;
    *out = NULL;
    RECON_TRY(check_plot(ctx, p));
    double top = recon_canvas_top(p->title), table = RECON_ROW * (double)(p->count + 2) + 30;
    double height = top + fmax(PLOT + 42 + RECON_ROW, table) + RECON_MARGIN;
    RECON_TRY(recon_canvas_open(ctx, &svg, TABLE + TABLE_WIDTH + RECON_MARGIN, height, p->title,
                                p->desc ? p->desc : describe(&desc, p)));
    draw_plot(svg, p, top);
    recon_legend_draw(svg, LEFT, top + PLOT + 42, PLOT, keys, 2);
    draw_table(svg, p, top + 12);
    status = recon_svg_finish(svg, out);
done:
    return status;
}
