/* gallery.c - images in columns: the paper's figures 1 and 3b. */
#include "report/canvas.h"
#include "report/tile.h"
#include "core/fail.h"

#include <math.h>

enum { GAP = 8, BLOCK_GAP = 30, HEADING = 20 };

/* The place of everything, once for sizing the paper and drawing. */
typedef struct {
    double cell, names, pitch_x, pitch_y, block, top;
    size_t per_block, blocks;
} layout;

static double widest(const char *const *names, size_t n)
{
    double width = 0;
    for (size_t i = 0; names && i < n; i++)
        width = fmax(width, recon_text_width(names[i], 11));
    return fmin(width, 140);
}

static layout lay_out(const recon_gallery *g)
{
    layout l = { .cell = g->cell > 0 ? g->cell : 64, .names = widest(g->names, g->rows) };
    size_t blocks = g->blocks ? g->blocks : 1;
    l.per_block = (g->rows + blocks - 1) / blocks;
    l.blocks = (g->rows + l.per_block - 1) / l.per_block;
    l.names += l.names > 0 ? GAP : 0;
    l.pitch_x = fmax(l.cell, widest(g->headings, g->columns)) + GAP;
    l.pitch_y = l.cell + GAP;
    if (recon_tile_captions(g->pictures, g->rows * g->columns))
        l.pitch_y += RECON_TILE_CAPTION;
    l.block = l.names + l.pitch_x * (double)g->columns - GAP + BLOCK_GAP;
    l.top = recon_canvas_top(g->title) + (g->headings ? HEADING : 0);
    return l;
}

static void draw_row(recon_ctx *ctx, recon_svg *svg, const recon_gallery *g, const layout *l,
                     size_t row)
{
    recon_short_text text;
    double x = RECON_MARGIN + l->block * (double)(row / l->per_block);
    double y = l->top + l->pitch_y * (double)(row % l->per_block);
    if (g->names)
        recon_svg_text(svg, "end", x + l->names - GAP, y + l->cell / 2 + 4,
                       recon_text_fit(text, g->names[row], l->names, 11));
    for (size_t c = 0; c < g->columns; c++) {
        double at = x + l->names + l->pitch_x * (double)c + (l->pitch_x - GAP - l->cell) / 2;
        recon_tile_draw(ctx, svg, at, y, l->cell, &g->pictures[row * g->columns + c]);
    }
}

static void draw_headings(recon_svg *svg, const recon_gallery *g, const layout *l)
{
    recon_short_text text;
    for (size_t b = 0; g->headings && b < l->blocks; b++)
        for (size_t c = 0; c < g->columns; c++)
            recon_svg_text(svg, "head mid",
                           RECON_MARGIN + l->block * (double)b + l->names + l->pitch_x * (double)c +
                               (l->pitch_x - GAP) / 2,
                           l->top - 8, recon_text_fit(text, g->headings[c], l->pitch_x, 11));
}

static const char *describe(recon_words *words, const recon_gallery *g)
{
    recon_words_add(words, "%zu rows of images.", g->rows);
    for (size_t c = 0; g->headings && c < g->columns; c++)
        recon_words_add(words, "%s%s", c ? ", " : " Columns: ", g->headings[c]);
    return words->text;
}

recon_status recon_figure_gallery(recon_ctx *ctx, char **out, const recon_gallery *g)
{
    recon_words words = { .used = 0 };
    recon_svg *svg;
    recon_status status;
    *out = NULL;
    if (g->rows == 0 || g->columns == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "gallery: %zu x %zu pictures", g->rows, g->columns);
    RECON_TRY(recon_tile_check(ctx, "gallery", "picture", g->pictures, g->rows * g->columns));
    layout l = lay_out(g);
    double width = 2 * RECON_MARGIN + l.block * (double)l.blocks - BLOCK_GAP;
    double height = l.top + l.pitch_y * (double)l.per_block + RECON_MARGIN - GAP;
    RECON_TRY(recon_canvas_open(ctx, &svg, width, height, g->title,
                                g->desc ? g->desc : describe(&words, g)));
    draw_headings(svg, g, &l);
    for (size_t row = 0; row < g->rows; row++)
        draw_row(ctx, svg, g, &l, row);
    status = recon_svg_finish(svg, out);
done:
    return status;
}
