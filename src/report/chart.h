/* chart.h - the x-y chart of a report: lines, points, bars and histograms in axes. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "report/canvas.h"

/* --- axes: from numbers to places on paper ------------------------------------------------------ */

enum { RECON_TICKS_MAX = 24 };

typedef enum {
    RECON_AXIS_LINEAR = 0,
    RECON_AXIS_LOG,
    RECON_AXIS_DEGREES,
    RECON_AXIS_COLUMNS /* of things that are no numbers: it has no ticks */
} recon_axis_kind;

typedef struct {
    recon_axis_kind kind;
    double low, high; /* the numbers at its ends, low < high                             */
    double from, to;  /* where those ends are on paper                                   */
    double step;      /* between ticks; LOG: decades between them, 0 for ticks at 1, 2, 5 */
} recon_axis;

/* The axis on which low .. high fit: ends at ticks, as few as read well. All finite; for LOG low >
 * 0. Equal ends are moved apart. Where it lies is left to the caller. */
recon_axis recon_axis_cover(recon_axis_kind kind, double low, double high);

/* The same with its ends where they are. */
recon_axis recon_axis_between(recon_axis_kind kind, double low, double high);

/* Where a number lies. One beyond the axis lies at its end. */
double recon_axis_at(const recon_axis *axis, double value);

/* Ticks within the axis, ascending. Returns how many. */
size_t recon_axis_ticks(const recon_axis *axis, double ticks[RECON_TICKS_MAX]);

/* Both axes with grid, ticks and labels (NULL: none); y labels end left of x->from. */
void recon_axes_draw(recon_svg *svg, const recon_axis *x, const recon_axis *y, const char *x_label,
                     const char *y_label);

/* --- charts ----------------------------------------------------------------------------------- */

enum { RECON_CHART_LEFT = 58, RECON_CHART_BELOW = 42 }; /* room for numbers and labels */

/* Refuses what cannot be drawn; figure and the number of the series go into the message. */
recon_status recon_chart_check(recon_ctx *ctx, const char *figure, const recon_panel *panel);

/* Draws a panel that was checked: the axes' lines enclose x, y, width, height. */
void recon_chart_draw(recon_svg *svg, const recon_panel *panel, double x, double y, double width,
                      double height);

/* What stands below column i: a short name, or its number. */
const char *recon_chart_column(char out[8], const char *name, size_t i);

#endif
