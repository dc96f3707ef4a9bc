/* tile.h - pictures on paper: pixels as a PNG inside the figure, caption below. */
#ifndef REPORT_TILE_H
#define REPORT_TILE_H

#include "report/figure.h"

#define RECON_TILE_CAPTION 13 /* a caption's height */

/* RECON_ERR_INPUT, naming figure, what and index, unless each of the n pictures can be drawn. */
recon_status recon_tile_check(recon_ctx *ctx, const char *figure, const char *what,
                              const recon_picture *pictures, size_t n);

/* The picture in a square of this side, its shape kept; its caption below if it has one. What goes
 * wrong stays with the svg. */
void recon_tile_draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                     const recon_picture *picture);

#endif
