/* sheet.c - a grid of drawings. */
#include "report/canvas.h"
#include "core/fail.h"

#include <math.h>

enum { GAP = 10, BLOCK_GAP = 30, HEADING = 20, CAPTION = 13, NAMES_MAX = 190 };
#define ROOM 0.78 /* of the width is used: in the widest font, bold, letters take up the rest */

/* Rows: right, up, towards the reader; 35 degrees round z from x, 25 above the plane. */
static const double view[3][3] = {
    { -0.57357643635104605, 0.8191520442889918, 0 },
    { -0.34618861305875415, -0.24240387650610401, 0.90630778703664994 },
    { 0.74240387650610407, 0.51983679072568445, 0.42261826174069944 },
};

void recon_view(double out[3], const double at[3])
{
    double x = at[0], y = at[1], z = at[2];
    for (int i = 0; i < 3; i++)
        out[i] = view[i][0] * x + view[i][1] * y + view[i][2] * z;
}

void recon_view_back(double out[3], const double seen[3])
{
    double a = seen[0], b = seen[1], c = seen[2];
    for (int i = 0; i < 3; i++)
        out[i] = view[0][i] * a + view[1][i] * b + view[2][i] * c;
}

void recon_space_begin(recon_svg *svg, double x, double y, double side)
{
    recon_svg_group(svg, "space");
    recon_svg_rect(svg, "reach", x, y, side, side);
}

typedef struct {
    double names, pitch_x, pitch_y, top, block;
    size_t per_block, blocks;
} layout;

static layout lay_out(const recon_sheet *s, int captions)
{
    layout l = { .pitch_x = fmax(s->cell, s->heading / ROOM) + GAP };
    size_t blocks = s->blocks ? s->blocks : 1;
    for (size_t i = 0; s->names && i < s->rows; i++)
        l.names = fmax(l.names, fmin(1.15 * recon_text_width(s->names[i], 11) + GAP, NAMES_MAX));
    l.per_block = (s->rows + blocks - 1) / blocks;
    l.blocks = (s->rows + l.per_block - 1) / l.per_block;
    l.pitch_y = s->cell + GAP + (captions ? CAPTION : 0);
    l.top = recon_canvas_top(s->title) + (s->headings ? HEADING : 0);
    l.block = l.names + l.pitch_x * (double)s->columns - GAP + BLOCK_GAP;
    return l;
}

/* The corner of row r, where its names begin. */
static double row_x(const layout *l, size_t r)
{
    return RECON_MARGIN + l->block * (double)(r / l->per_block);
}

static double row_y(const layout *l, size_t r)
{
    return l->top + l->pitch_y * (double)(r % l->per_block);
}

static void draw_words(recon_svg *svg, const recon_sheet *s, const layout *l)
{
    recon_short_text text;
    for (size_t i = 0; s->headings && i < l->blocks * s->columns; i++)
        if (s->headings[i % s->columns])
            recon_svg_text(
                svg, "head mid",
                row_x(l, i / s->columns * l->per_block) + l->names +
                    l->pitch_x * (double)(i % s->columns) + (l->pitch_x - GAP) / 2,
                l->top - 8,
                recon_text_fit(text, s->headings[i % s->columns], ROOM * l->pitch_x, 11));
    for (size_t r = 0; s->names && r < s->rows; r++)
        recon_svg_text(svg, "end", row_x(l, r) + l->names - GAP, row_y(l, r) + s->cell / 2 + 4,
                       recon_text_fit(text, s->names[r], l->names - GAP, 11));
}

void recon_sheet_caption(recon_svg *svg, double x, double y, double side, const char *caption)
{
    recon_short_text text;
    if (caption)
        recon_svg_text(svg, "small mid", x + side / 2, y + side + CAPTION - 2,
                       recon_text_fit(text, caption, ROOM * (side + GAP), 9.5));
}

static recon_status check(recon_ctx *ctx, const recon_sheet *s, int *captions)
{
    int shown = 0;
    if (s->rows == 0 || s->columns == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu x %zu pictures", s->figure, s->rows,
                          s->columns);
    for (size_t i = 0; i < s->rows * s->columns; i++) {
        recon_sheet_place place = { 0 };
        RECON_CHECK(s->check(ctx, s->user, i, &place));
        shown |= place.shown;
        *captions |= place.caption != NULL;
    }
    return shown ? RECON_OK : recon_fail(ctx, RECON_ERR_INPUT, "%s: nothing to show", s->figure);
}

recon_status recon_sheet_make(recon_ctx *ctx, char **out, const recon_sheet *s)
{
    int captions = 0;
    recon_svg *svg;
    *out = NULL;
    RECON_CHECK(check(ctx, s, &captions));
    layout l = lay_out(s, captions);
    double inner = l.block * (double)l.blocks - BLOCK_GAP;
    double below = l.top + l.pitch_y * (double)l.per_block - GAP;
    double keys = recon_legend_height(s->keys, s->key_count, inner);
    RECON_CHECK(recon_canvas_open(ctx, &svg, inner + 2 * RECON_MARGIN,
                                  below + (keys > 0 ? keys + GAP : 0) + RECON_MARGIN, s->title,
                                  s->desc));
    draw_words(svg, s, &l);
    for (size_t i = 0; i < s->rows * s->columns; i++)
        s->draw(ctx, svg,
                row_x(&l, i / s->columns) + l.names + l.pitch_x * (double)(i % s->columns) +
                    (l.pitch_x - GAP - s->cell) / 2,
                row_y(&l, i / s->columns), s->cell, s->user, i);
    recon_legend_draw(svg, RECON_MARGIN, below + GAP, inner, s->keys, s->key_count);
    return recon_svg_finish(svg, out);
}
