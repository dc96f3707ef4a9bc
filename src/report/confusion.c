/* confusion.c - which class was taken for which: a heat map with counts. */
#include "report/canvas.h"
#include "core/fail.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 36, CLASSES_MAX = 64, NAME_MAX = 110, LEVELS = 10, RECALL = 56 };

typedef struct {
    double left, top, below; /* the corner of the matrix; room for names below it */
    int upwards;             /* names below it do not fit across a cell */
} layout;

static const char *name_of(char out[24], const recon_confusion *c, size_t i)
{
    if (c->names)
        return c->names[i];
    snprintf(out, 24, "%zu", i);
    return out;
}

static layout lay_out(const recon_confusion *c)
{
    char number[24];
    double widest = 0;
    for (size_t i = 0; i < c->classes; i++)
        widest = fmax(widest, recon_text_width(name_of(number, c, i), 11));
    widest = fmin(widest, NAME_MAX);
    int upwards = widest > CELL - 4;
    return (layout){ .left = RECON_MARGIN + 20 + widest + 8,
                     .top = recon_canvas_top(c->title) + 18,
                     .below = upwards ? widest + 14 : 18,
                     .upwards = upwards };
}

static double row_sum(const recon_confusion *c, size_t row)
{
    double sum = 0;
    for (size_t j = 0; j < c->classes; j++)
        sum += (double)c->counts[row * c->classes + j];
    return sum;
}

/* A count in at most four characters: 12345 is 12k. */
static const char *count_text(char out[32], uint64_t count)
{
    static const char *const unit[] = { "", "k", "M", "G", "T", "P", "E" };
    int i = 0;
    for (; count > 9999; i++)
        count = count / 1000 + (count % 1000 >= 500);
    snprintf(out, 32, "%llu%s", (unsigned long long)count, unit[i]);
    return out;
}

static void draw_cell(recon_svg *svg, const recon_confusion *c, const layout *l, size_t row,
                      size_t column)
{
    char cls[8], text[32];
    uint64_t count = c->counts[row * c->classes + column];
    double sum = row_sum(c, row);
    /* steps are finer among the small shares, which are what one looks for */
    int heat =
        sum > 0 ? (int)fmin(ceil(LEVELS * sqrt((double)count / sum)), LEVELS) - (count > 0) : 0;
    double x = l->left + CELL * (double)column, y = l->top + CELL * (double)row;
    snprintf(cls, sizeof cls, "h%d", heat);
    if (count > 0)
        recon_svg_rect(svg, cls, x, y, CELL, CELL);
    if (count > 0)
        recon_svg_text(svg, heat > 5 ? "small mid on" : "small mid", x + CELL / 2.0,
                       y + CELL / 2.0 + 3.5, count_text(text, count));
}

static void draw_names(recon_svg *svg, const recon_confusion *c, const layout *l)
{
    char number[24];
    recon_short_text text;
    double end = l->top + CELL * (double)c->classes;
    for (size_t i = 0; i < c->classes; i++) {
        double middle = CELL * ((double)i + 0.5);
        const char *name = recon_text_fit(text, name_of(number, c, i), NAME_MAX, 11);
        recon_svg_text(svg, "end", l->left - 8, l->top + middle + 4, name);
        if (l->upwards)
            recon_svg_text_upwards(svg, "end", l->left + middle + 4, end + 8, name);
        else
            recon_svg_text(svg, "mid", l->left + middle, end + 15, name);
    }
    double center = CELL * (double)c->classes / 2;
    recon_svg_text_upwards(svg, "head mid", RECON_MARGIN + 9, l->top + center,
                           c->rows ? c->rows : "true class");
    recon_svg_text(svg, "head mid", l->left + center, end + l->below + 14,
                   c->columns ? c->columns : "predicted class");
}

static void draw_recall(recon_svg *svg, const recon_confusion *c, const layout *l)
{
    recon_shown text;
    double x = l->left + CELL * (double)c->classes + RECALL - 4;
    recon_svg_text(svg, "head end", x, l->top - 7, c->diagonal ? c->diagonal : "correct");
    for (size_t i = 0; i < c->classes; i++) {
        double sum = row_sum(c, i), correct = (double)c->counts[i * c->classes + i];
        if (sum > 0)
            recon_svg_text(svg, "end", x, l->top + CELL * ((double)i + 0.5) + 4,
                           recon_show(text, 100 * correct / sum, 1, "%"));
    }
}

static void draw_grid(recon_svg *svg, size_t classes, const layout *l)
{
    double side = CELL * (double)classes;
    for (size_t i = 0; i <= classes; i++) {
        double at = CELL * (double)i;
        recon_svg_line(svg, "grid", l->left + at, l->top, l->left + at, l->top + side);
        recon_svg_line(svg, "grid", l->left, l->top + at, l->left + side, l->top + at);
    }
}

static const char *describe(recon_words *words, const recon_confusion *c)
{
    double correct = 0, all = 0;
    recon_shown text;
    for (size_t i = 0; i < c->classes; i++) {
        correct += (double)c->counts[i * c->classes + i];
        all += row_sum(c, i);
    }
    return recon_words_add(words, "Confusion matrix of %zu classes: %s %s.", c->classes,
                           recon_show(text, 100 * correct / all, 2, "%"),
                           c->diagonal ? c->diagonal : "correct");
}

static recon_status check_plot(recon_ctx *ctx, const recon_confusion *c)
{
    double all = 0;
    if (c->classes == 0 || c->classes > CLASSES_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "confusion: %zu classes, not 1 to %d", c->classes,
                          CLASSES_MAX);
    for (size_t i = 0; i < c->classes; i++)
        all += row_sum(c, i);
    return all > 0 ? RECON_OK : recon_fail(ctx, RECON_ERR_INPUT, "confusion: all counts are zero");
}

recon_status recon_figure_confusion(recon_ctx *ctx, char **out, const recon_confusion *c)
{
    recon_words words = { .used = 0 };
    recon_svg *svg;
    *out = NULL;
    RECON_CHECK(check_plot(ctx, c));
    layout l = lay_out(c);
    double side = CELL * (double)c->classes;
    RECON_CHECK(recon_canvas_open(ctx, &svg, l.left + side + RECALL + RECON_MARGIN,
                                  l.top + side + l.below + 20 + RECON_MARGIN, c->title,
                                  c->desc ? c->desc : describe(&words, c)));
    for (size_t i = 0; i < c->classes * c->classes; i++)
        draw_cell(svg, c, &l, i / c->classes, i % c->classes);
    draw_grid(svg, c->classes, &l);
    draw_names(svg, c, &l);
    draw_recall(svg, c, &l);
    return recon_svg_finish(svg, out);
}
