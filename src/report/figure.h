/* figure.h - the figures of a report, each a function of plain arrays that gives SVG text.
 *
 * The text comes through *out and is freed with free(); recon_svg_save (core/svg.h) makes a file of
 * it, and an HTML page takes it as it is. Colours are chosen for colour-blind readers. A page on
 * dark ground sets CSS variables: --recon-ink (text and axes), --recon-ground (behind the figure,
 * may be transparent), --recon-1 .. --recon-6 (series) and --recon-on (text on those); without them
 * a figure is dark on white.
 *
 * Angles are radians and shown in degrees. On circles 0, the natural pose, is on top and angles
 * grow counter-clockwise. Every figure has a title that is shown (NULL: none) and a description for
 * those who cannot see it (NULL: made from the data). Numbers that are not finite or beyond 1e9,
 * and figures without anything to show, are RECON_ERR_INPUT with the place in the message; then
 * *out is NULL. Names and captions may be NULL where the field says so; too long ones are shortened
 * with an ellipsis. */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include <stddef.h>
#include <stdint.h>
#include <recon/core/ctx.h>
#include "core/svg.h"
#include "data/elements.h"
#include "stats/roc.h"
#include <recon/group/so2_density.h>
#include <recon/group/mean.h>

/* An image to be shown: 0 is black, 1 white, what lies beyond is cut. One channel or three. Pixels
 * that are NULL leave the place empty. */
typedef struct {
    const float *pixels; /* [height][width][channels] */
    size_t height, width, channels;
    const char *caption; /* below it; may be NULL */
} recon_picture;

/* Images in columns with headings: input, canonical by IE-AE, by RECON, truth; or an input and its
 * neighbours in the embedding, each marked as of the same class or another. */
typedef enum { RECON_MARK_NONE = 0, RECON_MARK_HIT, RECON_MARK_MISS } recon_picture_mark;
typedef struct {
    const char *title, *desc;
    const recon_picture *pictures; /* [rows][columns] */
    size_t rows, columns;
    const char *const *headings; /* [columns]; may be NULL, and so may each            */
    const char *const *names;    /* [rows]; may be NULL                               */
    size_t blocks;               /* rows go on side by side in so many blocks; 0: one */
    double cell;                 /* side of a picture, pixels; 0: 64                  */
    const uint8_t *marks;        /* [rows][columns] a recon_picture_mark; NULL: none  */
} recon_gallery;

recon_status recon_figure_gallery(recon_ctx *ctx, char **out, const recon_gallery *g);

/* One circle: angles as a histogram whose area is their share, a density, modes, a true range. */
typedef struct {
    const char *name;     /* above it; may be NULL      */
    const double *angles; /* [count]; may be NULL       */
    size_t count;
    const recon_so2_density *density; /* NULL: none     */
    const recon_so2_mode *modes;      /* [mode_count]   */
    size_t mode_count;
    double from, to; /* the true range, counter-clockwise; equal: none */
} recon_rose;

/* A grid of circles, such as one row before centring and one after. A circle that has neither
 * angles nor density is left empty. */
typedef struct {
    const char *title, *desc;
    const recon_rose *roses; /* [rows][columns] */
    size_t rows, columns;
    const char *const *headings;   /* [columns]; may be NULL */
    const char *const *names;      /* [rows]; may be NULL    */
    const recon_picture *pictures; /* [picture_rows][columns] above the circles; may be NULL */
    size_t picture_rows;
    size_t bins;              /* of the histograms; 0: 36, one for 10 degrees; at most 360 */
    int own_scale;            /* 1: each circle to its own highest density; 0: all to one  */
    const char *curve, *mark; /* what the key calls density and modes; NULL: fitted density, mode */
} recon_roses;

recon_status recon_figure_roses(recon_ctx *ctx, char **out, const recon_roses *r);

#define RECON_SERIES_MAX 6 /* as many colours as can be distinguished */

/* Lines through points, with bars from low to high where those are given; or a histogram. */
typedef struct {
    const char *name;    /* NULL: not in the legend */
    const double *x, *y; /* [count]; y NULL: how often x occurs, the ends counting what is beyond */
    const double *low, *high; /* [count]; both NULL: no bars */
    size_t count;             /* at least 1 */
    int dashed;               /* such as values of the paper */
    int loose;                /* points that no line joins   */
    int level;                /* each point is a short line, as wide as a column */
    size_t bins;              /* of a histogram; 0: 40; at most 400 */
} recon_series;

/* A value of x that has a name: a line across. */
typedef struct {
    const char *name;
    double at;
} recon_mark;

typedef struct {
    const char *heading, *x_label, *y_label; /* each may be NULL */
    const recon_series *series;
    size_t count;     /* at most RECON_SERIES_MAX, together with the marks */
    int log_x, log_y; /* logarithmic axes; x must be positive then, a y that is not is left out */
    int degrees;      /* 1: ticks of x at 15, 30, 45 ..., or of y where x are columns */
    double x_from, x_to; /* equal: taken from the data */
    double y_from, y_to;
    const recon_mark *marks;
    size_t mark_count;
    const char *const
        *columns; /* [column_count] what x stand for, 0.5 for the first; NULL: numbers */
    size_t column_count;
    int diagonal; /* 1: a dashed line from corner to corner */
} recon_panel;

/* Panels side by side under one legend: the n-th series of each has the n-th colour, and series of
 * one name and colour stand in the legend once. */
typedef struct {
    const char *title, *desc;
    const recon_panel *panels;
    size_t count;
    double width, height; /* of a panel; 0: 300, or 440 alone, and 230 */
} recon_chart;

recon_status recon_figure_chart(recon_ctx *ctx, char **out, const recon_chart *c);

/* How often values occur: a chart of one histogram. What lies beyond the ends is counted in the last
 * bars. */
typedef struct {
    const char *title, *desc;
    const char *x_label;  /* may be NULL */
    const double *values; /* [count] */
    size_t count;         /* at least 1 */
    double from, to;      /* equal: taken from the data */
    size_t bins;          /* 0: 40; at most 400 */
    const recon_mark *marks;
    size_t mark_count; /* at most RECON_SERIES_MAX - 1 */
} recon_histogram_plot;

recon_status recon_figure_histogram(recon_ctx *ctx, char **out, const recon_histogram_plot *p);

/* Receiver operating curves from recon_roc_curve; the area under each stands in the legend. */
typedef struct {
    const char *name;              /* may be NULL */
    const recon_roc_point *points; /* [count], from (0, 0) to (1, 1) */
    size_t count;                  /* at least 2 */
} recon_roc_line;

typedef struct {
    const char *title, *desc;
    const recon_roc_line *lines;
    size_t count;                  /* at most RECON_SERIES_MAX */
    const char *x_label, *y_label; /* NULL: "false positives ...", "true positives ..." */
} recon_roc_plot;

recon_status recon_figure_roc(recon_ctx *ctx, char **out, const recon_roc_plot *p);

/* A class's width, true and predicted, with the spread of the predictions. */
typedef struct {
    const char *name;
    double truth, predicted;
    double low, high; /* around predicted; equal: no bar */
} recon_theta_class;

typedef struct {
    const char *title, *desc;
    const char *what; /* "half-width", "sigma"; NULL: "theta" */
    const recon_theta_class *classes;
    size_t count;
} recon_theta_plot;

recon_status recon_figure_theta(recon_ctx *ctx, char **out, const recon_theta_plot *p);

/* How often class i was taken for class j, coloured by the share of i. */
typedef struct {
    const char *title, *desc;
    const uint64_t *counts;                /* [classes][classes], rows are the truth */
    const char *const *names;              /* [classes]; NULL: numbers */
    size_t classes;                        /* at most 64 */
    const char *rows, *columns, *diagonal; /* NULL: "true class", "predicted class", "correct" */
} recon_confusion;

recon_status recon_figure_confusion(recon_ctx *ctx, char **out, const recon_confusion *c);

/* One input's distribution over poses, its own pose in it, and the natural poses it might have. */
typedef struct {
    const char *title, *desc;
    recon_picture input, canonical; /* each may be empty */
    const recon_so2_density *density;
    double pose;                      /* of the input, relative to its natural pose */
    const recon_so2_mode *candidates; /* [candidate_count] natural poses, with weights */
    size_t candidate_count;
    int fold;     /* the pose is only defined modulo 360 / fold degrees; 0, 1: fully defined */
    double score; /* -log p(pose) */
} recon_pose_plot;

recon_status recon_figure_pose(recon_ctx *ctx, char **out, const recon_pose_plot *p);

/* Where a matrix Fisher distribution takes the three axes, on the half of the sphere that faces the
 * reader (see conventions.md for the view), the other half faintly through it: for each axis the
 * density of its image, which is exp(f . u + rho) I0(rho) / c(F) in closed form. x, y and z have
 * the first three colours. */
typedef struct {
    const char *caption; /* below it; may be NULL           */
    const double *f;     /* [9]; NULL leaves the place empty */
} recon_sphere;

typedef struct {
    const char *title, *desc;
    const recon_sphere *spheres; /* [rows][columns] */
    size_t rows, columns;
    const char *const *headings; /* [columns]; may be NULL */
    const char *const *names;    /* [rows]; may be NULL    */
    double cell;                 /* side of a sphere, pixels; 0: 120 */
} recon_sphere_sheet;

recon_status recon_figure_spheres(recon_ctx *ctx, char **out, const recon_sphere_sheet *s);

/* Molecules as balls and sticks, seen from where the spheres are seen from. Bonds are found by
 * distance. */
typedef struct {
    const char *caption; /* below it; may be NULL */
    size_t atoms;        /* 0 leaves the place empty */
    const uint8_t *z;    /* [atoms] */
    const float *xyz;    /* [atoms][3] */
    const double *axis;  /* [3] of unit length: a direction drawn through it; NULL: none */
} recon_molecule_picture;

typedef struct {
    const char *title, *desc;
    const recon_molecule_picture *molecules; /* [rows][columns] */
    size_t rows, columns;
    const char *const *headings; /* [columns]; may be NULL */
    const char *const *names;    /* [rows]; may be NULL    */
    double cell;                 /* side of a picture, pixels; 0: 120 */
} recon_molecule_sheet;

recon_status recon_figure_molecules(recon_ctx *ctx, char **out, const recon_molecule_sheet *s);

/* One molecule: the input, in its natural pose, and the distribution of its poses about that. The
 * axes of the pictures are where its best determined axis points. */
typedef struct {
    const char *title, *desc;
    recon_molecule_picture input, canonical; /* of one atom at least */
    recon_sphere poses;                      /* F of g_abs           */
} recon_pose3_plot;

recon_status recon_figure_pose3(recon_ctx *ctx, char **out, const recon_pose3_plot *p);

#endif
