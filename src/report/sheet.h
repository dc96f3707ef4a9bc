/* sheet.h - a grid of drawings with headings, names and captions, and the way things in space are
 * seen in it. */
#ifndef REPORT_SHEET_H
#define REPORT_SHEET_H

#include "report/canvas.h"

typedef struct {
    const char *title, *desc;
    size_t rows, columns;        /* at least 1 of each */
    const char *const *headings; /* [columns]; may be NULL */
    const char *const *names;    /* [rows]; may be NULL    */
    double cell;
    int captions; /* 1: there is a line of text below each drawing */
} recon_sheet;

/* Draws number i of the grid into the square x, y, side. */
typedef void recon_sheet_cell(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                              const void *user, size_t i);

recon_status recon_sheet_make(recon_ctx *ctx, char **out, const recon_sheet *sheet,
                              recon_sheet_cell *draw, const void *user);

/* A caption below the square x, y, side. */
void recon_sheet_caption(recon_svg *svg, double x, double y, double side, const char *caption);

/* A place in space as the reader sees it: to the right, up, and towards the reader. z points up, x
 * to the lower left and y to the right. */
void recon_view(double out[3], const double at[3]);
/* The other way. */
void recon_view_back(double out[3], const double seen[3]);

/* Begins the group of one thing in space, with its square: a page's script draws into it anew. End
 * it with recon_svg_group_end. */
void recon_space_begin(recon_svg *svg, double x, double y, double side);

#endif
