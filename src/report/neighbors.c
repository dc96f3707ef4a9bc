/* neighbors.c - inputs beside their nearest neighbours; a miss is framed, and crossed out at the
 * corner, so that it is seen without colour. */
#include "report/canvas.h"
#include "report/tile.h"
#include "core/fail.h"

#include <math.h>

enum { GAP = 8, APART = 26, HEADING = 20, MARK = 11 };

typedef struct {
    double cell, pitch_y, top, left; /* left: where the neighbours begin */
} layout;

static layout lay_out(const recon_neighbor_sheet *s)
{
    layout l = { .cell = s->cell > 0 ? s->cell : 52 };
    int captions = recon_tile_captions(s->inputs, s->rows) ||
                   recon_tile_captions(s->neighbors, s->rows * s->k);
    l.pitch_y = l.cell + GAP + (captions ? RECON_TILE_CAPTION : 0);
    l.top = recon_canvas_top(s->title) + HEADING;
    l.left = RECON_MARGIN + l.cell + APART;
    return l;
}

/* A tick or a cross in a box at the lower right corner. */
static void draw_mark(recon_svg *svg, double x, double y, int hit)
{
    recon_svg_rect(svg, hit ? "c3" : "c2", x - MARK, y - MARK, MARK, MARK);
    recon_svg_path(svg, "mark");
    recon_svg_move(svg, x - MARK + 2.5, y - (hit ? 5.5 : MARK - 2.5));
    recon_svg_to(svg, x - (hit ? 6.5 : 2.5), y - 2.5);
    if (!hit)
        recon_svg_move(svg, x - MARK + 2.5, y - 2.5);
    recon_svg_to(svg, x - 2.5, y - MARK + 2.5);
    recon_svg_path_end(svg);
}

static void draw_row(recon_ctx *ctx, recon_svg *svg, const recon_neighbor_sheet *s, const layout *l,
                     size_t row)
{
    double y = l->top + l->pitch_y * (double)row;
    recon_tile_draw(ctx, svg, RECON_MARGIN, y, l->cell, &s->inputs[row]);
    for (size_t i = 0; i < s->k; i++) {
        double x = l->left + (l->cell + GAP) * (double)i;
        recon_tile_draw(ctx, svg, x, y, l->cell, &s->neighbors[row * s->k + i]);
        if (!s->hit)
            continue;
        int hit = s->hit[row * s->k + i] != 0;
        recon_svg_rect(svg, hit ? "c3 frame" : "c2 frame", x, y, l->cell, l->cell);
        draw_mark(svg, x + l->cell, y + l->cell, hit);
    }
}

static const char *describe(recon_words *words, const recon_neighbor_sheet *s)
{
    size_t hits = 0;
    if (!s->hit)
        return recon_words_add(words, "%zu inputs with %zu neighbours each.", s->rows, s->k);
    for (size_t i = 0; i < s->rows * s->k; i++)
        hits += s->hit[i] != 0;
    return recon_words_add(words,
                           "%zu inputs with %zu neighbours each; %zu of %zu neighbours are "
                           "of the input's class.",
                           s->rows, s->k, hits, s->rows * s->k);
}

recon_status recon_figure_neighbors(recon_ctx *ctx, char **out, const recon_neighbor_sheet *s)
{
    static const recon_key keys[] = { { RECON_KEY_AREA, "c3", "same class" },
                                      { RECON_KEY_AREA, "c2", "another class" } };
    recon_words words = { .used = 0 };
    recon_svg *svg;
    recon_status status;
    *out = NULL;
    if (s->rows == 0 || s->k == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "neighbors: %zu inputs with %zu neighbours",
                          s->rows, s->k);
    RECON_TRY(recon_tile_check(ctx, "neighbors", "input", s->inputs, s->rows));
    RECON_TRY(recon_tile_check(ctx, "neighbors", "neighbour", s->neighbors, s->rows * s->k));
    layout l = lay_out(s);
    double width = fmax(l.left + (l.cell + GAP) * (double)s->k - GAP + RECON_MARGIN, 280);
    double below = l.top + l.pitch_y * (double)s->rows;
    RECON_TRY(recon_canvas_open(ctx, &svg, width, below + RECON_ROW + RECON_MARGIN, s->title,
                                s->desc ? s->desc : describe(&words, s)));
    recon_svg_text(svg, "head", RECON_MARGIN, l.top - 8, "input");
    recon_svg_text(svg, "head", l.left, l.top - 8, "neighbours, nearest first");
    for (size_t row = 0; row < s->rows; row++)
        draw_row(ctx, svg, s, &l, row);
    recon_legend_draw(svg, RECON_MARGIN, below, width, keys, s->hit ? 2 : 0);
    status = recon_svg_finish(svg, out);
done:
    return status;
}
