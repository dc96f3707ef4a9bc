/* gallery.c - images in columns: the paper's figures 1 and 3b; and inputs beside their neighbours, where
 * a miss is framed, and crossed out at the corner, so that it is seen without colour. */
#include "report/sheet.h"
#include "report/tile.h"

#include <math.h>

enum { CELL = 64, MARK = 11, HEADING_MAX = 140 };

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

static void draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side, const void *user,
                 size_t i)
{
    const recon_gallery *g = user;
    recon_tile_draw(ctx, svg, x, y, side, &g->pictures[i]);
    if (!g->marks || g->marks[i] == RECON_MARK_NONE)
        return;
    int hit = g->marks[i] == RECON_MARK_HIT;
    recon_svg_rect(svg, hit ? "c3 frame" : "c2 frame", x, y, side, side);
    draw_mark(svg, x + side, y + side, hit);
}

static recon_status check(recon_ctx *ctx, const void *user, size_t i, recon_sheet_place *place)
{
    const recon_gallery *g = user;
    *place = (recon_sheet_place){ g->pictures[i].pixels != NULL, g->pictures[i].caption };
    return i == 0 ? recon_tile_check(ctx, "gallery", "picture", g->pictures, g->rows * g->columns)
                  : RECON_OK;
}

static const char *describe(recon_words *words, const recon_gallery *g)
{
    size_t count[3] = { 0 };
    recon_words_add(words, "%zu rows of images.", g->rows);
    for (size_t c = 0; g->headings && c < g->columns && g->headings[c]; c++)
        recon_words_add(words, "%s%s", c ? ", " : " Columns: ", g->headings[c]);
    for (size_t i = 0; g->marks && i < g->rows * g->columns; i++)
        count[g->marks[i]]++;
    if (g->marks)
        recon_words_add(words, ". %zu of %zu neighbours are of the input's class.",
                        count[RECON_MARK_HIT], count[RECON_MARK_HIT] + count[RECON_MARK_MISS]);
    return words->text;
}

recon_status recon_figure_gallery(recon_ctx *ctx, char **out, const recon_gallery *g)
{
    static const recon_key keys[] = { { RECON_KEY_AREA, "c3", "same class" },
                                      { RECON_KEY_AREA, "c2", "another class" } };
    recon_words words = { .used = 0 };
    double heading = 0;
    for (size_t i = 0; g->headings && i < g->columns; i++)
        heading = fmax(heading, fmin(recon_text_width(g->headings[i], 11), HEADING_MAX));
    return recon_sheet_make(ctx, out,
                            &(recon_sheet){ .figure = "gallery",
                                            .title = g->title,
                                            .desc = g->desc ? g->desc : describe(&words, g),
                                            .rows = g->rows,
                                            .columns = g->columns,
                                            .headings = g->headings,
                                            .names = g->names,
                                            .cell = g->cell > 0 ? g->cell : CELL,
                                            .heading = heading,
                                            .blocks = g->blocks,
                                            .check = check,
                                            .draw = draw,
                                            .user = g,
                                            .keys = keys,
                                            .key_count = g->marks ? 2 : 0 });
}
