/* fisher_gauge.h - one rotation to stand for a matrix Fisher distribution, chosen so that it does
 * not follow noise.
 *
 * Where the poses of a class lie on a ring (F has one large singular value), every rotation of the
 * ring is as good a centre as the mode U V^T, and which of them the mode is, the noise decides: two
 * neighbourhoods of one class disagree by 90 degrees in the median. What the data do determine is
 * that a body axis b goes to a world axis w. The gauge is then the least rotation that takes b to
 * w, a smooth function of the two axes (but for b = -w, where no smooth choice exists). In general
 * it is, among the rotations that are equally good centres, the one nearest the identity: the mode
 * where nothing is free, the identity where all is. */
#ifndef GROUP_SO3_FISHER_GAUGE_H
#define GROUP_SO3_FISHER_GAUGE_H

#include "group/mean.h"
#include <recon/group/matrix_fisher.h>

/* A rotation with a concentration below this, a mean cosine below a half, is called free: it is what 25
 * samples cannot tell from a uniform one (recon_so3_free_directions). */
#define RECON_FISHER_LOOSE 1.16

/* How many directions the mode may be rotated in before the density objects, 0 .. 3, in the terms of
 * recon_so3_free_directions: 1 is a ring. */
int recon_fisher_free(const recon_fisher *fisher);

/* The centre nearest the identity when so many directions are free. Rotating the world (g F) rotates
 * it on the left and changing the body's frame (F h) on the right: exactly where nothing is free,
 * and on a ring up to a spin about the world axis. */
recon_so3 recon_fisher_gauge(const recon_fisher *fisher, int free_directions);

/* The best determined direction: body, in the frame before the rotation, goes to world. */
void recon_fisher_axes(double body[3], double world[3], const recon_fisher *fisher);

/* F g^-1, row-major: where R has F, R g^-1 has this. g is any rotation, and the gauge's own F is
 * the one about the identity. */
void recon_fisher_center(double out[9], const double f[9], recon_so3 g);

#endif
