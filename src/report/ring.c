/* ring.c - histograms, densities, ranges and marks around a circle. */
#include "report/ring.h"
#include "report/canvas.h"
#include <recon/group/so2.h>

#include <math.h>
#include <string.h>

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
