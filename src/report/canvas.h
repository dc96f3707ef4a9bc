/* canvas.h - what figures share: paper, style, words, legend; pictures, circles, grids, things in space. */
#ifndef REPORT_CANVAS_H
#define REPORT_CANVAS_H

#include "report/figure.h"

enum { RECON_MARGIN = 14, RECON_ROW = 18 /* from one line of text to the next */ };

/* Paper of this size, in the one style, with the title on it: the figure begins below
 * recon_canvas_top. */
recon_status recon_canvas_open(recon_ctx *ctx, recon_svg **out, double width, double height,
                               const char *title, const char *desc);
double recon_canvas_top(const char *title);

/* About how wide text of this size comes out, and text that is no wider. */
double recon_text_width(const char *text, double size);
typedef char recon_short_text[128];
const char *recon_text_fit(recon_short_text out, const char *text, double width, double size);

/* The classes of the n-th series: its colour, and "line", "area" ... */
typedef char recon_class[32];
const char *recon_series_class(recon_class out, size_t n, const char *what);

/* A sentence that grows; what does not fit is left off. Only %s, %d and %zu: other numbers depend
 * on the locale. */
typedef struct {
    char text[640];
    size_t used;
} recon_words;
const char *recon_words_add(recon_words *words, const char *fmt, ...) RECON_PRINTF(2, 3);

/* A number for the reader: a minus that looks like one, and what is to stand behind it. */
typedef char recon_shown[80];
const char *recon_show(recon_shown out, double value, int decimals, const char *unit);
const char *recon_show_degrees(recon_shown out, double radians, int decimals);

/* RECON_ERR_INPUT, naming figure, what and index, unless all n are finite and of a size that can be
 * written beside an axis. */
#define RECON_FIGURE_LARGEST 1e9
recon_status recon_figure_check(recon_ctx *ctx, const char *figure, const char *what,
                                const double *values, size_t n);

/* A legend flows from left to right, in as many rows as it needs. */
typedef enum { RECON_KEY_AREA, RECON_KEY_LINE, RECON_KEY_MARK } recon_key_shape;
typedef struct {
    recon_key_shape shape;
    const char *cls, *text;
} recon_key;
double recon_legend_height(const recon_key *keys, size_t n, double width);
void recon_legend_draw(recon_svg *svg, double x, double y, double width, const recon_key *keys,
                       size_t n);

/* --- pictures: pixels as a PNG inside the figure, a caption below --------------------------- */

#define RECON_TILE_CAPTION 13 /* a caption's height */

/* RECON_ERR_INPUT, naming figure, what and index, unless each of the n pictures can be drawn. */
recon_status recon_tile_check(recon_ctx *ctx, const char *figure, const char *what,
                              const recon_picture *pictures, size_t n);

/* The picture in a square of this side, its shape kept; its caption below if it has one. What goes
 * wrong stays with the svg. */
void recon_tile_draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                     const recon_picture *picture);

/* --- distributions around a circle ---------------------------------------------------------- */

/* A density is drawn outwards from a hole so that area, not radius, is proportional to it: the whole of a
 * histogram covers the same area whatever its shape. 0 is on top, angles grow counter-clockwise. */
typedef struct {
    double x, y;      /* its middle             */
    double hole, rim; /* radii of density 0 and of the highest */
    double peak;      /* the density at the rim, > 0 */
} recon_ring;

enum { RECON_RING_OUTSIDE = 24 /* beyond the rim: labels */ };
enum { RECON_BINS = 36 /* unless told otherwise */, RECON_BINS_MAX = 360 };

/* A ring of this radius. peak may be set later. */
recon_ring recon_ring_at(double x, double y, double rim);
double recon_ring_radius(const recon_ring *ring, double density); /* cut at the rim */

/* Densities (per radian) in bins of equal width, the first centred on 0: they sum, times the width,
 * to 1. n > 0, angles finite. */
void recon_ring_histogram(double *out /* [bins] */, const double *angles, size_t n, size_t bins);
double recon_density_peak(const recon_so2_density *p); /* > 0 */

void recon_ring_draw_frame(recon_svg *svg, const recon_ring *ring);
void recon_ring_draw_labels(recon_svg *svg, const recon_ring *ring);
void recon_ring_draw_bars(recon_svg *svg, const recon_ring *ring, const char *cls,
                          const double *densities, size_t bins);
/* As a curve, or as the area between it and the hole. */
void recon_ring_draw_density(recon_svg *svg, const recon_ring *ring, const char *cls,
                             const recon_so2_density *p);
void recon_ring_fill_density(recon_svg *svg, const recon_ring *ring, const char *cls,
                             const recon_so2_density *p);
void recon_ring_draw_range(recon_svg *svg, const recon_ring *ring, const char *cls, double from,
                           double to);
/* A point on the rim, and a line from the hole to beyond the rim. */
void recon_ring_draw_mark(recon_svg *svg, const recon_ring *ring, const char *cls, double angle);
void recon_ring_draw_ray(recon_svg *svg, const recon_ring *ring, const char *cls, double angle);

/* --- a grid of drawings with headings, names and captions ----------------------------------- */

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

/* --- one drawing of a thing in space, for a grid -------------------------------------------- */

/* Into the square x, y, side, with the caption below it; an empty one draws nothing. number is for
 * the message. */
recon_status recon_sphere_check(recon_ctx *ctx, const recon_sphere *s, size_t number);
void recon_sphere_draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                       const recon_sphere *s);
recon_status recon_molecule_check(recon_ctx *ctx, const recon_molecule_picture *m, size_t number);
void recon_molecule_draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                         const recon_molecule_picture *m);

/* The middle of a molecule's atoms and the scale at which it fills a square of side 2 whichever way
 * it is rotated: two pictures of one molecule have one scale. */
double recon_molecule_scale(double middle[3], const recon_molecule_picture *m);
double recon_atom_radius(uint8_t z);    /* as drawn, Angstrom */
const char *recon_atom_look(uint8_t z); /* its classes        */

#endif
