/* sheet.c - a grid of drawings. */
#include "report/sheet.h"
#include "core/fail.h"

#include <math.h>

enum { GAP = 10, HEADING = 20, CAPTION = 13, NAMES_MAX = 190 };
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
    double names, pitch_x, pitch_y, top;
} layout;

static layout lay_out(const recon_sheet *s)
{
    layout l = { .pitch_x = s->cell + GAP };
    for (size_t i = 0; s->names && i < s->rows; i++)
        l.names = fmax(l.names, fmin(1.15 * recon_text_width(s->names[i], 11) + GAP, NAMES_MAX));
    l.pitch_y = s->cell + GAP + (s->captions ? CAPTION : 0);
    l.top = recon_canvas_top(s->title) + (s->headings ? HEADING : 0);
    return l;
}

static void draw_words(recon_svg *svg, const recon_sheet *s, const layout *l)
{
    recon_short_text text;
    for (size_t c = 0; s->headings && c < s->columns; c++)
        recon_svg_text(svg, "head mid",
                       RECON_MARGIN + l->names + l->pitch_x * (double)c + s->cell / 2, l->top - 8,
                       recon_text_fit(text, s->headings[c], ROOM * l->pitch_x, 11));
    for (size_t r = 0; s->names && r < s->rows; r++)
        recon_svg_text(svg, "end", RECON_MARGIN + l->names - GAP,
                       l->top + l->pitch_y * (double)r + s->cell / 2 + 4,
                       recon_text_fit(text, s->names[r], l->names - GAP, 11));
}

void recon_sheet_caption(recon_svg *svg, double x, double y, double side, const char *caption)
{
    recon_short_text text;
    if (caption)
        recon_svg_text(svg, "small mid", x + side / 2, y + side + CAPTION - 2,
                       recon_text_fit(text, caption, ROOM * (side + GAP), 9.5));
}

recon_status recon_sheet_make(recon_ctx *ctx, char **out, const recon_sheet *s,
                              recon_sheet_cell *draw, const void *user)
{
    layout l = lay_out(s);
    double width = 2 * RECON_MARGIN + l.names + l.pitch_x * (double)s->columns - GAP;
    double height = l.top + l.pitch_y * (double)s->rows - GAP + RECON_MARGIN;
    recon_svg *svg;
    recon_status status;
    RECON_TRY(recon_canvas_open(ctx, &svg, width, height, s->title, s->desc));
    draw_words(svg, s, &l);
    for (size_t i = 0; i < s->rows * s->columns; i++)
        draw(ctx, svg, RECON_MARGIN + l.names + l.pitch_x * (double)(i % s->columns),
             l.top + l.pitch_y * (double)(i / s->columns), s->cell, user, i);
    status = recon_svg_finish(svg, out);
done:
    return status;
}
