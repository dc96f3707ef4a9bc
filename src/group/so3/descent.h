/* descent.h - going down to a Frechet or a Tukey mean. */
#ifndef GROUP_SO3_DESCENT_H
#define GROUP_SO3_DESCENT_H

#include <recon/group/so3.h>
#include "group/so3/frame.h"

/* A point with its loss: the sum of half the squared distances, or of Tukey's m(distance; c). */
typedef struct {
    recon_so3 at;
    double loss;
    double step[3];  /* to the minimum, were the loss quadratic */
    double farthest; /* distance of the farthest sample         */
} recon_so3_descent;

/* Samples, each with a weight, or all with the weight 1 where weight is NULL. */
typedef struct {
    const recon_so3 *g;
    const double *weight;
    size_t n;
} recon_so3_samples;

/* c = 0: the Frechet loss. */
recon_so3_descent recon_so3_probe(recon_so3 at, const recon_so3_samples *s, double c);
recon_so3_descent recon_so3_descend(recon_so3 from, const recon_so3_samples *s, double c);

/* Whether a has the lower loss; within tie, whether it is nearer the identity. */
int recon_so3_better(const recon_so3_descent *a, const recon_so3_descent *b, double tie);

/* The Frechet mean of samples with this frame. */
recon_so3 recon_so3_frechet(const recon_so3_frame *frame, const recon_so3_samples *s);

/* The rotation at an angle from the mode on the circle through mode and second: for a ring, the
 * ring; and the angle at which a rotation comes closest to that circle. */
recon_so3 recon_so3_on_circle(const recon_so3_frame *frame, double angle);
double recon_so3_along_circle(const recon_so3_frame *frame, recon_so3 g);

#define RECON_SO3_SAME 1e-9 /* losses this close (relative) tie */

#endif
