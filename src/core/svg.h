/* svg.h - pictures as SVG text, written element by element.
 *
 * A picture is a view box that scales to the available width, up to its own. It can be a file of
 * its own or part of an HTML page, without scripts, fonts or external resources. Its looks come
 * from class names and one style sheet. Coordinates are pixels of the view box, x to the right, y
 * down, printed to a hundredth, the same in every locale.
 *
 * Elements return nothing: the first failure (memory, a coordinate that is not finite) is kept,
 * later elements do nothing, and recon_svg_finish returns it, with the message in the context of
 * the picture. Text may be any bytes: what XML cannot hold is replaced. A class may be NULL. */
#ifndef CORE_SVG_H
#define CORE_SVG_H

#include <stddef.h>
#include <recon/core/ctx.h>

typedef struct recon_svg recon_svg;

/* All may be NULL. */
typedef struct {
    const char *title; /* title and description, for readers who cannot see the picture */
    const char *desc;
    const char *cls;   /* class of the picture itself */
    const char *style; /* its style sheet, CSS */
} recon_svg_options;

/* Begins a picture of this size; options may be NULL. */
recon_status recon_svg_new(recon_ctx *ctx, recon_svg **out, double width, double height,
                           const recon_svg_options *options);

/* Ends the picture and frees it. *out receives its text, for free(), or NULL on failure. */
recon_status recon_svg_finish(recon_svg *svg, char **out);

/* Records a failure of the drawing code as the picture's own. RECON_OK changes nothing. */
void recon_svg_fail(recon_svg *svg, recon_status status);

/* Writes text to path as a whole or not at all. If path is a link, its target is replaced; with
 * _over the link itself is. */
recon_status recon_svg_save(recon_ctx *ctx, const char *path, const char *text);
recon_status recon_svg_save_over(recon_ctx *ctx, const char *path, const char *text);

/* Add one element each; text is escaped, and begins at x, y unless its class changes that. */
void recon_svg_line(recon_svg *svg, const char *cls, double x1, double y1, double x2, double y2);
void recon_svg_rect(recon_svg *svg, const char *cls, double x, double y, double width,
                    double height);
void recon_svg_circle(recon_svg *svg, const char *cls, double x, double y, double radius);
void recon_svg_text(recon_svg *svg, const char *cls, double x, double y, const char *text);
void recon_svg_text_upwards(recon_svg *svg, const char *cls, double x, double y, const char *text);

/* An image stretched to the rectangle, from the bytes of a PNG file. label describes it, or is
 * NULL. */
void recon_svg_image(recon_svg *svg, const char *cls, double x, double y, double width,
                     double height, const void *png, size_t size, const char *label);

/* A path: begin, then moves, lines and arcs, then end. An arc is the shorter one of a circle of
 * this radius, from where the pen is, clockwise on screen or counter-clockwise. */
void recon_svg_path(recon_svg *svg, const char *cls);
void recon_svg_move(recon_svg *svg, double x, double y);
void recon_svg_to(recon_svg *svg, double x, double y);
void recon_svg_arc(recon_svg *svg, double radius, int clockwise, double x, double y);
void recon_svg_path_close(recon_svg *svg);
void recon_svg_path_end(recon_svg *svg);

/* Elements between the two share a class. */
void recon_svg_group(recon_svg *svg, const char *cls);
void recon_svg_group_end(recon_svg *svg);

/* Prints value with this many decimals (0 .. 9), a decimal point and no negative zero: "-0.50",
 * "12". A value that is not finite or exceeds 1e9 in magnitude is "?". Returns out. */
typedef char recon_svg_digits[48];
char *recon_svg_number(recon_svg_digits out, double value, int decimals);

/* --- markup */

typedef struct {
    recon_ctx *ctx;
    recon_status status; /* the first failure */
    char *text;          /* [used], terminated by a zero once it is not empty */
    size_t used, room;
} recon_markup;

void recon_markup_bytes(recon_markup *m, const void *bytes, size_t n);
/* Appends text unchanged. */
void recon_markup_put(recon_markup *m, const char *text);
/* Appends bytes as base64. */
void recon_markup_base64(recon_markup *m, const void *bytes, size_t n);
/* Appends text of an element or attribute: markup is escaped; bytes that are not UTF-8, and
 * characters that XML lacks or that text.h lists, are replaced. */
void recon_markup_escaped(recon_markup *m, const char *text);
/* The same for the first n bytes of text. */
void recon_markup_escaped_part(recon_markup *m, const char *text, size_t n);

#endif
