/* so2_centre.h - the centre of a density of angles that may have any shape.
 *
 * With one mode it is the chordal mean: the top of a broad, flat mode lies anywhere on it by chance.
 * With several the mean may lie where no pose does; then it is the chordal mean of the heaviest mode
 * alone. Only what rises above RECON_CENTRE_FLOOR of the mode's peak counts: the floor that surrounds
 * a peak is doubt, spread over most of the circle, and pulls the mean however low it is. It is
 * subtracted, not cut off, so that the centre is continuous. A mode is a stretch of the circle
 * between two valleys. A valley parts two modes if the density in it is below RECON_VALLEY of the
 * lower peak beside it, and if either side holds RECON_MODE_LEAST of the mass. */
#ifndef STATS_SO2_CENTRE_H
#define STATS_SO2_CENTRE_H

#include <recon/stats/so2_density.h>

#define RECON_VALLEY       0.05
#define RECON_MODE_LEAST   0.1
#define RECON_CENTRE_FLOOR 0.1

/* p is RECON_SO2_BINS. Returns the centre, in (-pi, pi]. *alone, which may be NULL, becomes the
 * heaviest mode as a density of its own: with one mode that is p. */
double recon_so2_centre(const recon_so2_density *p, recon_so2_density *alone);

#endif
