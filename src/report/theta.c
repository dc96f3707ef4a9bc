/* theta.c - the width of each class's distribution, predicted beside true, with a table of the same.
 *
 * A class has a column of its own, so that nothing has to be moved where several have one true width
 * (in the paper's figure 3a, predicted against true, they would lie on top of each other). */
#include "report/axes.h"
#include "report/canvas.h"
#include "core/text.h"
#include "core/fail.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLOT = 330, LEFT = RECON_MARGIN + 58, TABLE = LEFT + PLOT + 30, TABLE_WIDTH = 250 };
enum { RADIUS = 5, NAME = 8 /* units that a mark needs */ };

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
    return recon_axis_cover(RECON_AXIS_DEGREES, 0, fmax(high * RECON_TO_DEGREES * 1.04, 1));
}

/* Short names stand below their column, others in the table beside their number. */
static const char *mark(char out[8], const recon_theta_plot *p, size_t i)
{
    const char *name = p->classes[i].name;
    if (name && strlen(name) <= 2)
        return name;
    snprintf(out, 8, "%zu", i % 1000);
    return out;
}

/* The middle of the column of class i. */
static double place(const recon_theta_plot *p, size_t i, const recon_axis *x)
{
    return x->from + (x->to - x->from) * ((double)i + 0.5) / (double)p->count;
}

static void draw_class(recon_svg *svg, const recon_theta_plot *p, size_t i, const recon_axis *x,
                       const recon_axis *y)
{
    const recon_theta_class *c = &p->classes[i];
    char text[8];
    double at = place(p, i, x), column = (x->to - x->from) / (double)p->count;
    double predicted = recon_axis_at(y, c->predicted * RECON_TO_DEGREES),
           truth = recon_axis_at(y, c->truth * RECON_TO_DEGREES);
    size_t every = (size_t)ceil(2 * NAME / column); /* of many classes some are named */
    recon_svg_line(svg, "c2 line", at - 0.4 * column, truth, at + 0.4 * column, truth);
    if (c->low != c->high) /* a spread may reach below 0, a width does not */
        recon_svg_line(svg, "c1 line", at, recon_axis_at(y, fmax(c->low, 0) * RECON_TO_DEGREES), at,
                       recon_axis_at(y, fmax(c->high, 0) * RECON_TO_DEGREES));
    recon_svg_circle(svg, "c1 dot", at, predicted, fmin(RADIUS, 0.4 * column));
    if (i % every == 0)
        recon_svg_text(svg, "mid", at, y->from + 16, mark(text, p, i));
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
    recon_words_add(words, "Predicted and true width.");
    for (size_t i = 0; i < p->count; i++)
        recon_words_add(words, " %s: %s, true %s.", p->classes[i].name ? p->classes[i].name : "?",
                        recon_show_degrees(predicted, p->classes[i].predicted, 1),
                        recon_show_degrees(truth, p->classes[i].truth, 1));
    return words->text;
}

static void draw_plot(recon_svg *svg, const recon_theta_plot *p, double top)
{
    recon_words y_label = { .used = 0 };
    const char *what = p->what ? p->what : "theta";
    recon_axis x = { .kind = RECON_AXIS_COLUMNS, .high = 1, .from = LEFT, .to = LEFT + PLOT },
               y = scale(p);
    y.from = top + PLOT, y.to = top;
    recon_axes_draw(svg, &x, &y, "class", recon_words_add(&y_label, "%.60s (degrees)", what));
    for (size_t i = 0; i < p->count; i++)
        draw_class(svg, p, i, &x, &y);
}

recon_status recon_figure_theta(recon_ctx *ctx, char **out, const recon_theta_plot *p)
{
    int bars = 0;
    for (size_t i = 0; i < p->count; i++)
        bars |= p->classes[i].low != p->classes[i].high;
    const recon_key keys[] = { { RECON_KEY_AREA, "c1",
                                 bars ? "predicted, with spread" : "predicted" },
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
