/* tail.h - the probability of a score as high: how unusual a pose is for its own density.
 *
 * The chance that a pose drawn from the density, background included, scores (-log p) at least as
 * high as the given one. On a flat arc, where scores tie, the distance from the centre decides.
 * What is broad is not thereby unusual: of poses drawn from the density itself the tail is uniform
 * on [0, 1]. */
#ifndef GROUP_TAIL_H
#define GROUP_TAIL_H

#include "group/so3/fisher.h"
#include <recon/group/so2_density.h>

/* Of a table of bins: the range of densities, as a share of the pose's own, over which others pass from
 * likelier (0) to less likely (1). LEAST keeps it above zero where the pose's is. */
#define RECON_TAIL_TIE   0.005
#define RECON_TAIL_LEAST 1e-30

/* Exact for arcs and normals; others by quadrature, to about 1e-3. */
double recon_so2_tail(const recon_so2_density *p, double angle);

/* Of the mixture (1 - background) p + background of matrix_fisher.h, by a saddlepoint approximation
 * (Lugannani and Rice 1980), exact for rings, to about 0.01 otherwise. */
double recon_fisher_tail(const recon_fisher *fisher, double background, recon_so3 g);

/* Of several modes: the largest tail under any mode that g may belong to, those that have at least
 * a tenth of the density there. */
double recon_fisher_parts_tail(const recon_fisher_mixture *mixture, recon_so3 g);

#endif
