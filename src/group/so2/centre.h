/* centre.h - the centre of a density of angles that may have any shape.
 *
 * With one mode it is a chordal mean: the top of a broad, flat mode lies anywhere on it by chance. With
 * several the mean may lie where no pose does; then it is that of the heaviest mode alone. A mode is a
 * stretch of the circle between two valleys. A valley parts two modes if the density in it is below
 * RECON_VALLEY of the lower peak beside it, and if either side holds RECON_MODE_LEAST of the mass.
 *
 * Of an arc the middle is known from its ends, and much better than from how much of the mass is in either
 * half: n poses that are even on it have a mean that is off by its width / sqrt(12 n), but ends that are
 * off by its width / n. So a mode is levelled first: of what is above RECON_CENTRE_LEVEL of its peak a
 * tenth counts, RECON_CENTRE_ABOVE. An arc with bumps up to 1 / RECON_CENTRE_LEVEL times as high as the
 * rest becomes nearly flat, and a density that is nearly even all around still has a direction.
 *
 * The low floor around a peak is doubt and must not pull the mean, but a flat arc counts as a whole.
 * Nothing has to tell one from the other: a flat arc of the mode's mass and height, once levelled, would
 * have the width mass / level. The mean is taken again of what lies within RECON_CENTRE_REACH such widths
 * of the last mean, to either side, RECON_CENTRE_STEPS times, each with the mass that was within. A flat
 * arc lies within. A peak on a floor does not: the window shrinks onto it, as the floor's mass is left
 * out. The mean of all comes first, so that the centre is continuous in p as long as the mode is the
 * same. */
#ifndef GROUP_SO2_CENTRE_H
#define GROUP_SO2_CENTRE_H

#include <recon/group/so2_density.h>

#define RECON_VALLEY       0.05
#define RECON_MODE_LEAST   0.1
#define RECON_CENTRE_LEVEL 0.4
#define RECON_CENTRE_ABOVE 0.1
#define RECON_CENTRE_REACH 0.75
#define RECON_CENTRE_STEPS 4
#define RECON_CENTRE_STAY                                                                          \
    1e-6 /* of the last sum, at the last mean: where nothing lies within, it stays */

/* p is RECON_SO2_BINS. Returns the centre, in (-pi, pi]. *alone, which may be NULL, becomes the
 * heaviest mode as a density of its own: with one mode that is p. */
double recon_so2_centre(const recon_so2_density *p, recon_so2_density *alone);

#endif
