/* tail.h - the tail of a pose, how unusual it is for its own density.
 *
 * * It is the probability that a pose drawn from the density, including the background, has a score
 * (-log p) at least as high. On a flat arc, where scores tie, the distance from the centre decides.
 * For poses drawn from the density itself the tail is uniform on [0, 1]. */
#ifndef GROUP_TAIL_H
#define GROUP_TAIL_H

#include "group/so3/fisher.h"
#include <recon/group/so2_density.h>

/* For a table of bins: the range of densities, relative to that of the pose, over which other poses
 * pass from likelier (0) to less likely (1). LEAST keeps the range positive if the density is. */
#define RECON_TAIL_TIE   0.005
#define RECON_TAIL_LEAST 1e-30

/* Exact for arcs and normals; by quadrature for others, to about 1e-3. */
double recon_so2_tail(const recon_so2_density *p, double angle);

/* For the mixture (1 - background) p + background of matrix_fisher.h, by a saddlepoint
 * approximation (Lugannani and Rice 1980): exact for rings, to about 0.01 otherwise. */
double recon_fisher_tail(const recon_fisher *fisher, double background, recon_so3 g);

/* For several modes: the largest tail under the modes with at least a tenth of the density at g. */
double recon_fisher_parts_tail(const recon_fisher_mixture *mixture, recon_so3 g);

#endif
