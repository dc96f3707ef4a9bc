/* chart.h - one panel of lines in axes: what the curves of a report have in common. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "report/axes.h"
#include "report/canvas.h"

enum { RECON_CHART_LEFT = 58, RECON_CHART_BELOW = 42 }; /* room for numbers and labels */

typedef struct {
    recon_axis x, y;
} recon_chart;

/* Refuses what cannot be drawn; figure and the number of the series go into the message. */
recon_status recon_chart_check(recon_ctx *ctx, const char *figure, const recon_line_panel *panel);

/* Draws a panel that was checked: the axes' lines enclose x, y, width, height. */
recon_chart recon_chart_draw(recon_svg *svg, const recon_line_panel *panel, double x, double y,
                             double width, double height);

#endif
