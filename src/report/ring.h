/* ring.h - distributions around a circle.
 *
 * A density is drawn outwards from a hole so that area, not radius, is proportional to it: the
 * whole of a histogram covers the same area whatever its shape. 0 is on top, angles grow
 * counter-clockwise. */
#ifndef REPORT_RING_H
#define REPORT_RING_H

#include "report/figure.h"

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

#endif
