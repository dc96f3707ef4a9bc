/* chart.h - the x-y chart of a report: lines, points, bars and histograms in axes. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "report/axes.h"
#include "report/canvas.h"

enum { RECON_CHART_LEFT = 58, RECON_CHART_BELOW = 42 }; /* room for numbers and labels */

/* Refuses what cannot be drawn; figure and the number of the series go into the message. */
recon_status recon_chart_check(recon_ctx *ctx, const char *figure, const recon_panel *panel);

/* Draws a panel that was checked: the axes' lines enclose x, y, width, height. */
void recon_chart_draw(recon_svg *svg, const recon_panel *panel, double x, double y, double width,
                      double height);

/* What stands below column i: a short name, or its number. */
const char *recon_chart_column(char out[8], const char *name, size_t i);

#endif
