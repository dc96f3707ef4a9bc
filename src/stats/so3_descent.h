/* so3_descent.h - going down to a Frechet or a Tukey mean. */
#ifndef STATS_SO3_DESCENT_H
#define STATS_SO3_DESCENT_H

#include <recon/group/so3.h>
#include "stats/so3_frame.h"

/* A point with its loss: the sum of half the squared distances, or of Tukey's m(distance; c). */
typedef struct {
    recon_so3 at;
    double loss;
    double step[3];  /* to the minimum, were the loss quadratic */
    double farthest; /* distance of the farthest sample         */
} recon_so3_descent;

/* c = 0: the Frechet loss. */
recon_so3_descent recon_so3_probe(recon_so3 at, const recon_so3 *g, size_t n, double c);
recon_so3_descent recon_so3_descend(recon_so3 from, const recon_so3 *g, size_t n, double c);

/* Whether a has the lower loss; within tie, whether it is nearer the identity. */
int recon_so3_better(const recon_so3_descent *a, const recon_so3_descent *b, double tie);

/* The Frechet mean of samples with this frame. */
recon_so3 recon_so3_frechet(const recon_so3_frame *frame, const recon_so3 *g, size_t n);

#define RECON_SO3_SAME 1e-9 /* losses this close (relative) tie */

#endif
