/* gallery.c - images in columns: the paper's figures 1 and 3b; and inputs beside their neighbours, where
 * a miss is framed, and crossed out at the corner, so that it is seen without colour. */
#include "report/canvas.h"
#include "core/memory.h"
#include "core/fail.h"
#include "core/picture.h"

#include <math.h>
#include <stdlib.h>

/* --- a picture ------------------------------------------------------------------------------ */

enum { SIDE_MAX = 4096, TIMES_MAX = 16 };

static int drawable(const recon_picture *p)
{
    return p->height > 0 && p->height <= SIDE_MAX && p->width > 0 && p->width <= SIDE_MAX &&
           p->channels > 0;
}

/* Channels that are drawn: the first three as red, green and blue, or the first as grey. */
static size_t drawn(const recon_picture *p)
{
    return p->channels < 3 ? 1 : 3;
}

recon_status recon_tile_check(recon_ctx *ctx, const char *figure, const char *what,
                              const recon_picture *pictures, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const recon_picture *p = &pictures[i];
        if (!p->pixels)
            continue;
        if (!drawable(p))
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s %zu is %zu x %zu x %zu", figure, what,
                              i, p->height, p->width, p->channels);
        for (size_t k = 0; k < p->height * p->width * p->channels; k++)
            if (!isfinite(p->pixels[k]))
                return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s %zu: pixel %zu is %g", figure, what,
                                  i, k / p->channels, (double)p->pixels[k]);
    }
    return RECON_OK;
}

/* Each pixel `times` times in both directions, as bytes. */
static void magnify(uint8_t *out, const recon_picture *p, size_t times)
{
    for (size_t y = 0; y < p->height * times; y++)
        for (size_t x = 0; x < p->width * times; x++)
            for (size_t c = 0; c < drawn(p); c++) {
                float v = p->pixels[((y / times) * p->width + x / times) * p->channels + c];
                *out++ = (uint8_t)lrintf(255 * fminf(fmaxf(v, 0), 1));
            }
}

static recon_status encode(recon_ctx *ctx, uint8_t **out, size_t *size, const recon_picture *p,
                           double side)
{
    size_t longer = p->height > p->width ? p->height : p->width;
    size_t times = (size_t)fmin(fmax(ceil(side / (double)longer), 1), TIMES_MAX);
    uint8_t *bytes = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &bytes, p->height * p->width * times * times, drawn(p)));
    magnify(bytes, p, times);
    RECON_TRY(
        recon_png_encode(ctx, out, size, bytes, p->height * times, p->width * times, drawn(p)));
done:
    free(bytes);
    return status;
}

void recon_tile_draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                     const recon_picture *picture)
{
    uint8_t *png = NULL;
    size_t size = 0;
    recon_short_text text;
    if (picture->pixels) {
        double scale = side / fmax((double)picture->width, (double)picture->height);
        double width = scale * (double)picture->width, height = scale * (double)picture->height;
        double left = x + (side - width) / 2, top = y + (side - height) / 2;
        recon_svg_fail(svg, encode(ctx, &png, &size, picture, side));
        recon_svg_image(svg, "pixels", left, top, width, height, png, size, picture->caption);
        recon_svg_rect(svg, "edge", left, top, width, height);
    }
    if (picture->caption)
        recon_svg_text(svg, "small mid", x + side / 2, y + side + RECON_TILE_CAPTION - 2,
                       recon_text_fit(text, picture->caption, side + 5, 9.5));
    free(png);
}

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
