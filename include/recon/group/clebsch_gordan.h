/* clebsch_gordan.h - the coupling of two degrees to a third.
 *
 * For degrees l1, l2, l3 with |l1 - l2| <= l3 <= l1 + l2 there is, up to a factor, one real tensor
 * C with
 *
 *     sum over a, b of C[a][b][c] (D^l1 x)[a] (D^l2 y)[b] = D^l3 (the same of x and y) [c]
 *
 * for every rotation, in the basis of harmonics.h. The factor is chosen as in e3nn: the sum of
 * C^2 is 1, and the sign is that of the complex Clebsch-Gordan coefficients <l1 m1 l2 m2 | l3
 * m3> (Condon and Shortley's phases), transformed to the real basis with a factor (-i)^l for
 * each degree, which makes the tensor real. So C(1,1,0) = delta / sqrt 3, C(1,1,1) = epsilon /
 * sqrt 6. */
#ifndef RECON_GROUP_CLEBSCH_GORDAN_H
#define RECON_GROUP_CLEBSCH_GORDAN_H

#include <recon/core/status.h>

/* Writes C to out [2 l1 + 1][2 l2 + 1][2 l3 + 1]; zeros if the three degrees make no triangle.
 * Exact to rounding up to degree 20, or if one degree is at most 1; above, digits are lost (an
 * error of 3e-12 for three degrees of 30). */
RECON_API void recon_clebsch_gordan(double *out, int l1, int l2, int l3);

#endif
