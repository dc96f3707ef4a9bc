/* sheet.h - a grid of drawings with headings, names and captions, and the way things in space are
 * seen in it. */
#ifndef REPORT_SHEET_H
#define REPORT_SHEET_H

#include "report/canvas.h"

/* What there is at a place of the grid. */
typedef struct {
    int shown;           /* 0: nothing */
    const char *caption; /* may be NULL */
} recon_sheet_place;

typedef struct {
    const char *figure, *title, *desc; /* figure: in messages */
    size_t rows, columns;
    const char *const *headings; /* [columns]; may be NULL, and so may each */
    const char *const *names;    /* [rows]; may be NULL    */
    double cell;
    double heading; /* columns are at least as wide; 0: as a cell            */
    size_t blocks;  /* rows go on side by side in so many blocks; 0: one     */
    /* Refuses what cannot be drawn; what is at place i. */
    recon_status (*check)(recon_ctx *ctx, const void *user, size_t i, recon_sheet_place *place);
    /* Draws number i of the grid into the square x, y, side. */
    void (*draw)(recon_ctx *ctx, recon_svg *svg, double x, double y, double side, const void *user,
                 size_t i);
    const void *user;
    const recon_key *keys; /* [key_count] of the legend */
    size_t key_count;
} recon_sheet;

/* RECON_ERR_INPUT where there is nothing to show. */
recon_status recon_sheet_make(recon_ctx *ctx, char **out, const recon_sheet *sheet);

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
