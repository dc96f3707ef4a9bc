/* roses.c - a grid of circles: pose distributions by class, before and after centring (the paper's
 * grid of distributions). */
#include "report/canvas.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <recon/group/so2.h>
#include <string.h>

/* --- histograms, densities, ranges and marks around a circle -------------------------------- */

#define UNIFORM (0.5 / M_PI) /* the density of no preference */

recon_ring recon_ring_at(double x, double y, double rim)
{
    return (recon_ring){ .x = x, .y = y, .hole = 0.22 * rim, .rim = rim, .peak = UNIFORM };
}

double recon_ring_radius(const recon_ring *ring, double density)
{
    double hole2 = ring->hole * ring->hole, rim2 = ring->rim * ring->rim;
    return sqrt(hole2 + (rim2 - hole2) * fmin(density / ring->peak, 1));
}

static double across(const recon_ring *ring, double angle, double radius)
{
    return ring->x - radius * sin(angle);
}

static double down(const recon_ring *ring, double angle, double radius)
{
    return ring->y - radius * cos(angle);
}

void recon_ring_histogram(double *out, const double *angles, size_t n, size_t bins)
{
    double width = 2 * M_PI / (double)bins;
    memset(out, 0, bins * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        double rotation = recon_so2_wrap(angles[i]) / (2 * M_PI); /* -1/2 .. 1/2 */
        long bin = (long)floor(rotation * (double)bins + 0.5);
        out[(size_t)(bin + (long)bins) % bins] += 1 / ((double)n * width);
    }
}

enum { SAMPLES = 360 };

double recon_density_peak(const recon_so2_density *p)
{
    double peak = fmax(UNIFORM, exp(recon_so2_log_density(p, p->center))); /* none is below it */
    for (int i = 0; i < SAMPLES; i++)
        peak = fmax(peak, exp(recon_so2_log_density(p, 2 * M_PI * i / SAMPLES)));
    return peak;
}

/* From where the pen is, at angle from, to angle to, in arcs of at most a quarter. */
static void arc(recon_svg *svg, const recon_ring *ring, double radius, double from, double to)
{
    int pieces = (int)ceil(fabs(to - from) / (M_PI / 2) - 1e-9);
    for (int i = 1; i <= pieces; i++) {
        double angle = from + (to - from) * i / pieces;
        recon_svg_arc(svg, radius, to < from, across(ring, angle, radius),
                      down(ring, angle, radius));
    }
}

static void label(recon_svg *svg, const recon_ring *ring, double angle, const char *text)
{
    double radius = ring->rim + 11;
    double x = across(ring, angle, radius), y = down(ring, angle, radius);
    double side = sin(angle);
    const char *cls = side > 0.5    ? "small muted end"
                      : side < -0.5 ? "small muted"
                                    : "small muted mid";
    recon_svg_text(svg, cls, x + 4 * side, y + 3.5 + (cos(angle) < -0.5 ? 3 : 0), text);
}

void recon_ring_draw_frame(recon_svg *svg, const recon_ring *ring)
{
    for (int i = 0; i < 12; i++)
        recon_svg_line(svg, "grid", across(ring, i * M_PI / 6, ring->hole),
                       down(ring, i * M_PI / 6, ring->hole), across(ring, i * M_PI / 6, ring->rim),
                       down(ring, i * M_PI / 6, ring->rim));
    recon_svg_circle(svg, "edge", ring->x, ring->y, ring->rim);
    recon_svg_circle(svg, "edge", ring->x, ring->y, ring->hole);
    if (ring->peak > UNIFORM)
        recon_svg_circle(svg, "edge dashed", ring->x, ring->y, recon_ring_radius(ring, UNIFORM));
}

void recon_ring_draw_labels(recon_svg *svg, const recon_ring *ring)
{
    label(svg, ring, 0, "0\xc2\xb0");
    label(svg, ring, M_PI / 2, "90\xc2\xb0");
    label(svg, ring, M_PI, "180\xc2\xb0");
    label(svg, ring, -M_PI / 2,
          "\xe2\x88\x92"
          "90\xc2\xb0");
}

static void sector(recon_svg *svg, const recon_ring *ring, double from, double to, double radius)
{
    recon_svg_move(svg, across(ring, from, ring->hole), down(ring, from, ring->hole));
    recon_svg_to(svg, across(ring, from, radius), down(ring, from, radius));
    arc(svg, ring, radius, from, to);
    recon_svg_to(svg, across(ring, to, ring->hole), down(ring, to, ring->hole));
    arc(svg, ring, ring->hole, to, from);
    recon_svg_path_close(svg);
}

void recon_ring_draw_bars(recon_svg *svg, const recon_ring *ring, const char *cls,
                          const double *densities, size_t bins)
{
    double width = 2 * M_PI / (double)bins;
    recon_svg_path(svg, cls);
    for (size_t i = 0; i < bins; i++)
        if (densities[i] > 0)
            sector(svg, ring, ((double)i - 0.5) * width, ((double)i + 0.5) * width,
                   recon_ring_radius(ring, densities[i]));
    recon_svg_path_end(svg);
}

static void outline(recon_svg *svg, const recon_ring *ring, const recon_so2_density *p)
{
    for (int i = 0; i < SAMPLES; i++) {
        double angle = 2 * M_PI * i / SAMPLES;
        double radius = recon_ring_radius(ring, exp(recon_so2_log_density(p, angle)));
        (i ? recon_svg_to : recon_svg_move)(svg, across(ring, angle, radius),
                                            down(ring, angle, radius));
    }
    recon_svg_path_close(svg);
}

void recon_ring_draw_density(recon_svg *svg, const recon_ring *ring, const char *cls,
                             const recon_so2_density *p)
{
    recon_svg_path(svg, cls);
    outline(svg, ring, p);
    recon_svg_path_end(svg);
}

void recon_ring_fill_density(recon_svg *svg, const recon_ring *ring, const char *cls,
                             const recon_so2_density *p)
{
    recon_svg_path(svg, cls);
    outline(svg, ring, p);
    recon_svg_move(svg, across(ring, 0, ring->hole), down(ring, 0, ring->hole));
    arc(svg, ring, ring->hole, 0, 2 * M_PI);
    recon_svg_path_end(svg);
}

void recon_ring_draw_range(recon_svg *svg, const recon_ring *ring, const char *cls, double from,
                           double to)
{
    double radius = ring->rim + 3, span = fmod(to - from, 2 * M_PI);
    if (to - from >= 2 * M_PI)
        span = 2 * M_PI;
    else if (span < 0) /* counter-clockwise, past 180 degrees if need be */
        span += 2 * M_PI;
    recon_svg_path(svg, cls);
    recon_svg_move(svg, across(ring, from, radius), down(ring, from, radius));
    arc(svg, ring, radius, from, from + span);
    recon_svg_path_end(svg);
}

void recon_ring_draw_mark(recon_svg *svg, const recon_ring *ring, const char *cls, double angle)
{
    recon_svg_circle(svg, cls, across(ring, angle, ring->rim), down(ring, angle, ring->rim), 3.8);
}

void recon_ring_draw_ray(recon_svg *svg, const recon_ring *ring, const char *cls, double angle)
{
    recon_svg_line(svg, cls, across(ring, angle, ring->hole), down(ring, angle, ring->hole),
                   across(ring, angle, ring->rim + 6), down(ring, angle, ring->rim + 6));
}

enum { RIM = 48, CELL_X = 2 * RIM + 28, CELL_Y = 2 * RIM + 22 };
enum { NAME = 16, NAMES = 92, PICTURE = 56, PICTURE_Y = PICTURE + 6 };

typedef struct {
    const recon_roses *roses;
    size_t bins;
    double *densities; /* [rows * columns][bins] */
    double peak;       /* of all, where they share one */
    double left, top, pitch_y;
} grid;

static recon_status check_rose(recon_ctx *ctx, const recon_rose *rose)
{
    double range[] = { rose->from, rose->to };
    RECON_CHECK(recon_figure_check(ctx, "roses", "angle", rose->angles, rose->count));
    RECON_CHECK(recon_figure_check(ctx, "roses", "end of the range", range, 2));
    for (size_t m = 0; m < rose->mode_count; m++)
        RECON_CHECK(recon_figure_check(ctx, "roses", "a mode:", &rose->modes[m].at, 1));
    return RECON_OK;
}

static recon_status check_roses(recon_ctx *ctx, const recon_roses *r)
{
    size_t shown = 0;
    recon_status drawn =
        recon_tile_check(ctx, "roses", "picture", r->pictures, r->picture_rows * r->columns);
    if (drawn != RECON_OK)
        return drawn;
    if (r->bins > RECON_BINS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "roses: %zu bins, at most %d", r->bins,
                          RECON_BINS_MAX);
    for (size_t i = 0; i < r->rows * r->columns; i++) {
        recon_status status = check_rose(ctx, &r->roses[i]);
        if (status != RECON_OK)
            return recon_note(ctx, status, "circle %zu", i);
        shown += r->roses[i].count > 0 || r->roses[i].density;
    }
    if (shown == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "roses: no circle has angles or a density");
    return RECON_OK;
}

/* The highest bar; without bars, the top of the density. A density may be much sharper than the
 * bins: it is cut at the rim rather than let to shrink them. */
static double peak_of(const recon_rose *rose, const double *densities, size_t bins)
{
    double peak = 0;
    for (size_t i = 0; i < bins; i++)
        peak = fmax(peak, densities[i]);
    return rose->count > 0 ? peak : rose->density ? recon_density_peak(rose->density) : 0;
}

static void measure(grid *g)
{
    for (size_t i = 0; i < g->roses->rows * g->roses->columns; i++) {
        const recon_rose *rose = &g->roses->roses[i];
        double *densities = g->densities + i * g->bins;
        if (rose->count > 0)
            recon_ring_histogram(densities, rose->angles, rose->count, g->bins);
        g->peak = fmax(g->peak, peak_of(rose, densities, g->bins));
    }
}

static void draw_rose(recon_svg *svg, const grid *g, size_t row, size_t column)
{
    size_t i = row * g->roses->columns + column;
    const recon_rose *rose = &g->roses->roses[i];
    const double *densities = g->densities + i * g->bins;
    recon_short_text text;
    recon_ring ring = recon_ring_at(g->left + CELL_X * ((double)column + 0.5),
                                    g->top + g->pitch_y * (double)(row + 1) - CELL_Y / 2.0, RIM);
    if (rose->count == 0 && !rose->density)
        return;
    ring.peak = g->roses->own_scale ? peak_of(rose, densities, g->bins) : g->peak;
    recon_ring_draw_frame(svg, &ring);
    if (rose->name)
        recon_svg_text(svg, "mid", ring.x, ring.y - CELL_Y / 2.0 - 1,
                       recon_text_fit(text, rose->name, CELL_X, 11));
    if (rose->count > 0)
        recon_ring_draw_bars(svg, &ring, "c1 area", densities, g->bins);
    if (rose->density)
        recon_ring_draw_density(svg, &ring, "c2 line", rose->density);
    if (rose->from != rose->to)
        recon_ring_draw_range(svg, &ring, "c3 wide", rose->from, rose->to);
    for (size_t m = 0; m < rose->mode_count; m++)
        recon_ring_draw_mark(svg, &ring, "c2 dot", rose->modes[m].at);
}

/* Above the circles, column by column. */
static void draw_pictures(recon_ctx *ctx, recon_svg *svg, const grid *g)
{
    const recon_roses *r = g->roses;
    for (size_t i = 0; i < r->picture_rows * r->columns; i++)
        recon_tile_draw(ctx, svg,
                        g->left + CELL_X * ((double)(i % r->columns) + 0.5) - PICTURE / 2.0,
                        g->top - PICTURE_Y * (double)(r->picture_rows - i / r->columns), PICTURE,
                        &r->pictures[i]);
}

/* Only what is in the figure. Returns how many. */
static size_t list_keys(recon_key keys[5], const recon_roses *r)
{
    int bars = 0, curves = 0, ranges = 0, modes = 0;
    for (size_t i = 0; i < r->rows * r->columns; i++) {
        bars |= r->roses[i].count > 0;
        curves |= r->roses[i].density != NULL;
        ranges |= r->roses[i].from != r->roses[i].to;
        modes |= r->roses[i].mode_count > 0;
    }
    size_t n = 0;
    if (bars)
        keys[n++] = (recon_key){ RECON_KEY_AREA, "c1 area", "poses (area is their share)" };
    if (curves)
        keys[n++] =
            (recon_key){ RECON_KEY_LINE, "c2 line", r->curve ? r->curve : "fitted density" };
    if (modes)
        keys[n++] = (recon_key){ RECON_KEY_MARK, "c2 dot", r->mark ? r->mark : "mode" };
    if (ranges)
        keys[n++] = (recon_key){ RECON_KEY_LINE, "c3 wide", "true range" };
    keys[n++] = (recon_key){ RECON_KEY_LINE, "edge dashed", "uniform" };
    return n;
}

#define ORIENTED "0\xc2\xb0 is on top, 90\xc2\xb0 on the left. "

static const char *scale_text(recon_words *words, const grid *g)
{
    recon_svg_digits digits;
    if (g->roses->own_scale)
        return recon_words_add(words, ORIENTED "Each circle has its own scale.");
    return recon_words_add(words, ORIENTED "Rim: density %s per radian.",
                           recon_svg_number(digits, g->peak, 2));
}

static void draw_names(recon_svg *svg, const grid *g)
{
    recon_short_text text;
    const recon_roses *r = g->roses;
    for (size_t row = 0; r->names && row < r->rows; row++)
        recon_svg_text(svg, "head", RECON_MARGIN,
                       g->top + g->pitch_y * (double)(row + 1) - CELL_Y / 2.0 + 4,
                       recon_text_fit(text, r->names[row], NAMES, 11));
    double top = g->top - PICTURE_Y * (double)r->picture_rows;
    for (size_t c = 0; r->headings && c < r->columns; c++)
        recon_svg_text(svg, "head mid", g->left + CELL_X * ((double)c + 0.5), top - 8,
                       recon_text_fit(text, r->headings[c], CELL_X, 11));
}

static const char *describe(recon_words *words, const recon_roses *r)
{
    return recon_words_add(words,
                           "%zu x %zu circles with the distribution of poses, angles "
                           "counter-clockwise from the top.",
                           r->rows, r->columns);
}

static recon_status draw(recon_ctx *ctx, char **out, const grid *g)
{
    const recon_roses *r = g->roses;
    recon_key keys[5];
    size_t n = list_keys(keys, r);
    recon_words desc = { .used = 0 }, scale = { .used = 0 };
    recon_svg *svg;
    double inner = fmax(g->left - RECON_MARGIN + CELL_X * (double)r->columns, 300);
    double below = g->top + g->pitch_y * (double)r->rows + 8;
    double keys_height = recon_legend_height(keys, n, inner);
    RECON_CHECK(recon_canvas_open(ctx, &svg, inner + 2 * RECON_MARGIN,
                                  below + keys_height + RECON_ROW + RECON_MARGIN, r->title,
                                  r->desc ? r->desc : describe(&desc, r)));
    draw_names(svg, g);
    draw_pictures(ctx, svg, g);
    for (size_t i = 0; i < r->rows * r->columns; i++)
        draw_rose(svg, g, i / r->columns, i % r->columns);
    recon_legend_draw(svg, RECON_MARGIN, below, inner, keys, n);
    recon_svg_text(svg, "small muted", RECON_MARGIN, below + keys_height + 14,
                   scale_text(&scale, g));
    return recon_svg_finish(svg, out);
}

recon_status recon_figure_roses(recon_ctx *ctx, char **out, const recon_roses *r)
{
    grid g = { .roses = r, .bins = r->bins ? r->bins : RECON_BINS };
    int named = 0;
    recon_status status;
    *out = NULL;
    RECON_TRY(check_roses(ctx, r));
    for (size_t i = 0; i < r->rows * r->columns; i++)
        named |= r->roses[i].name != NULL;
    g.left = RECON_MARGIN + (r->names ? NAMES : 0);
    g.top =
        recon_canvas_top(r->title) + (r->headings ? 20 : 0) + PICTURE_Y * (double)r->picture_rows;
    g.pitch_y = CELL_Y + (named ? NAME : 0);
    RECON_TRY(recon_alloc(ctx, &g.densities, r->rows * r->columns, g.bins * sizeof(double)));
    measure(&g);
    status = draw(ctx, out, &g);
done:
    free(g.densities);
    return status;
}
