/* lines.c - panels of lines side by side: hit rate and prediction error against k. */
#include "report/chart.h"
#include "core/fail.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 300, WIDTH_ALONE = 440, HEIGHT = 230, HEADING = 20, APART = 26, PANELS_MAX = 8 };

typedef struct {
    recon_key keys[PANELS_MAX * RECON_SERIES_MAX];
    recon_class classes[PANELS_MAX * RECON_SERIES_MAX];
    size_t n;
} legend;

/* Each name once in each colour. */
static void add_key(legend *l, const recon_series *s, size_t colour)
{
    recon_class *cls = &l->classes[l->n];
    recon_series_class(*cls, colour, s->dashed ? "line dashed" : "line");
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->keys[i].text, s->name) == 0 && strcmp(l->classes[i], *cls) == 0)
            return;
    l->keys[l->n++] = (recon_key){ RECON_KEY_LINE, *cls, s->name };
}

static void list_keys(legend *l, const recon_line_plot *p)
{
    l->n = 0;
    for (size_t k = 0; k < p->count; k++)
        for (size_t i = 0; i < p->panels[k].count; i++)
            if (p->panels[k].series[i].name)
                add_key(l, &p->panels[k].series[i], i);
}

static const char *describe(recon_words *words, const recon_line_plot *p)
{
    for (size_t k = 0; k < p->count; k++) {
        const recon_line_panel *panel = &p->panels[k];
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

static double heading(const recon_line_plot *p)
{
    for (size_t k = 0; k < p->count; k++)
        if (p->panels[k].heading)
            return HEADING;
    return 0;
}

static recon_status check_plot(recon_ctx *ctx, const recon_line_plot *p)
{
    recon_status status = RECON_OK;
    if (p->count == 0 || p->count > PANELS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "lines: %zu panels, not 1 to %d", p->count,
                          PANELS_MAX);
    for (size_t k = 0; k < p->count && status == RECON_OK; k++)
        status = recon_chart_check(ctx, "lines", &p->panels[k]);
    return status;
}

recon_status recon_figure_lines(recon_ctx *ctx, char **out, const recon_line_plot *p)
{
    legend l;
    recon_words words = { .used = 0 };
    recon_svg *svg;
    recon_status status;
    *out = NULL;
    RECON_TRY(check_plot(ctx, p));
    double width = p->count == 1 ? WIDTH_ALONE : WIDTH, pitch = RECON_CHART_LEFT + width + APART;
    double left = RECON_MARGIN + RECON_CHART_LEFT, top = recon_canvas_top(p->title) + heading(p);
    double inner = pitch * (double)p->count - APART, below = top + HEIGHT + RECON_CHART_BELOW;
    list_keys(&l, p);
    double keys_height = recon_legend_height(l.keys, l.n, inner - RECON_CHART_LEFT);
    RECON_TRY(recon_canvas_open(ctx, &svg, inner + 2 * RECON_MARGIN + 6,
                                below + keys_height + RECON_MARGIN, p->title,
                                p->desc ? p->desc : describe(&words, p)));
    for (size_t k = 0; k < p->count; k++)
        recon_chart_draw(svg, &p->panels[k], left + pitch * (double)k, top, width, HEIGHT);
    recon_legend_draw(svg, left, below, inner - RECON_CHART_LEFT, l.keys, l.n);
    status = recon_svg_finish(svg, out);
done:
    return status;
}
