/* natural.c - classes that are each other's rotation, such as 6 and 9: the backbone gives both one
 * canonical, so their poses lie apart on one circle; centring gives each its own natural pose and
 * lays the distributions over each other. */
#include "report/canvas.h"
#include "report/ring.h"
#include "report/tile.h"
#include "core/fail.h"

#include <math.h>

enum { RIM = 84, CELL = 2 * (RIM + RECON_RING_OUTSIDE) + 26, SIDE = 52, GAP = 8 };
enum { HEADING = 24, SHOWN_MAX = 6 /* pictures of a class */ };

typedef const double *sample_of(const recon_natural_class *c);

static const double *before(const recon_natural_class *c)
{
    return c->before;
}

static const double *after(const recon_natural_class *c)
{
    return c->after;
}

static recon_status check_class(recon_ctx *ctx, const recon_natural_class *c)
{
    recon_status status;
    if (c->count == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "natural: no poses");
    RECON_TRY(recon_figure_check(ctx, "natural", "pose before", c->before, c->count));
    RECON_TRY(recon_figure_check(ctx, "natural", "pose after", c->after, c->count));
    RECON_TRY(recon_tile_check(ctx, "natural", "picture", c->pictures, c->picture_count));
done:
    return status;
}

static recon_status check_plot(recon_ctx *ctx, const recon_natural_plot *p)
{
    if (p->count == 0 || p->count > RECON_SERIES_MAX || p->bins > RECON_BINS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "natural: %zu classes (1 to %d), %zu bins (to %d)",
                          p->count, RECON_SERIES_MAX, p->bins, RECON_BINS_MAX);
    for (size_t k = 0; k < p->count; k++) {
        recon_status status = check_class(ctx, &p->classes[k]);
        if (status != RECON_OK)
            return recon_note(ctx, status, "class %zu", k);
    }
    return RECON_OK;
}

static size_t bins_of(const recon_natural_plot *p)
{
    return p->bins ? p->bins : RECON_BINS;
}

static double peak_of(const recon_natural_plot *p)
{
    double densities[RECON_BINS_MAX], peak = 0;
    sample_of *const samples[] = { before, after };
    for (size_t k = 0; k < p->count; k++)
        for (int s = 0; s < 2; s++) {
            recon_ring_histogram(densities, samples[s](&p->classes[k]), p->classes[k].count,
                                 bins_of(p));
            for (size_t i = 0; i < bins_of(p); i++)
                peak = fmax(peak, densities[i]);
        }
    return peak;
}

static void draw_circle(recon_svg *svg, const recon_natural_plot *p, recon_ring ring,
                        sample_of *sample, const char *heading)
{
    double densities[RECON_BINS_MAX];
    recon_class cls;
    recon_ring_draw_frame(svg, &ring);
    recon_ring_draw_labels(svg, &ring);
    recon_svg_text(svg, "head mid", ring.x, ring.y - RIM - RECON_RING_OUTSIDE - 4, heading);
    for (size_t k = 0; k < p->count; k++) {
        const recon_natural_class *c = &p->classes[k];
        recon_ring_histogram(densities, sample(c), c->count, bins_of(p));
        recon_ring_draw_bars(svg, &ring, recon_series_class(cls, k, "area"), densities, bins_of(p));
    }
}

static size_t shown(const recon_natural_class *c)
{
    return c->picture_count < SHOWN_MAX ? c->picture_count : SHOWN_MAX;
}

/* A row of pictures for each class, beside a swatch of its colour. */
static void draw_pictures(recon_ctx *ctx, recon_svg *svg, const recon_natural_plot *p, double top)
{
    recon_class cls;
    recon_short_text text;
    recon_svg_text(svg, "head", RECON_MARGIN, top - 12, "natural pose");
    for (size_t k = 0; k < p->count; k++) {
        const recon_natural_class *c = &p->classes[k];
        double y = top + (SIDE + 34.0) * (double)k;
        recon_svg_rect(svg, recon_series_class(cls, k, "area"), RECON_MARGIN, y, 12, 10);
        recon_svg_text(svg, NULL, RECON_MARGIN + 18, y + 9,
                       recon_text_fit(text, c->name ? c->name : "", SHOWN_MAX * SIDE, 11));
        for (size_t i = 0; i < shown(c); i++)
            recon_tile_draw(ctx, svg, RECON_MARGIN + (SIDE + GAP) * (double)i, y + 16, SIDE,
                            &c->pictures[i]);
    }
}

static double pictures_width(const recon_natural_plot *p)
{
    size_t most = 2;
    for (size_t k = 0; k < p->count; k++)
        most = shown(&p->classes[k]) > most ? shown(&p->classes[k]) : most;
    return (SIDE + GAP) * (double)most;
}

static const char *describe(recon_words *words, const recon_natural_plot *p)
{
    recon_words_add(words, "Natural poses of");
    for (size_t k = 0; k < p->count; k++)
        recon_words_add(words, "%s %s", k ? "," : "", p->classes[k].name ? p->classes[k].name : "");
    return recon_words_add(words, "; their pose distributions in the shared frame and centred.");
}

recon_status recon_figure_natural(recon_ctx *ctx, char **out, const recon_natural_plot *p)
{
    recon_words words = { .used = 0 };
    recon_svg *svg;
    recon_status status;
    *out = NULL;
    RECON_TRY(check_plot(ctx, p));
    double top = recon_canvas_top(p->title) + HEADING, left = RECON_MARGIN + pictures_width(p) + 10;
    double height = fmax(2 * RIM + 42, (SIDE + 34.0) * (double)p->count) + top + RECON_MARGIN;
    RECON_TRY(recon_canvas_open(ctx, &svg, left + 2 * CELL + RECON_MARGIN, height, p->title,
                                p->desc ? p->desc : describe(&words, p)));
    recon_ring ring = recon_ring_at(left + CELL / 2.0, top + RIM + 18, RIM);
    ring.peak = peak_of(p);
    draw_pictures(ctx, svg, p, top);
    draw_circle(svg, p, ring, before, "before: the frame they share");
    ring.x += CELL;
    draw_circle(svg, p, ring, after, "after centring");
    status = recon_svg_finish(svg, out);
done:
    return status;
}
