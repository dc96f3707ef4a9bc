/* clebsch_gordan.h - how two degrees make a third.
 *
 * For degrees l1, l2, l3 with |l1 - l2| <= l3 <= l1 + l2 there is, up to a factor, one real tensor
 * C with
 *
 *     sum over a, b of C[a][b][c] (D^l1 x)[a] (D^l2 y)[b] = D^l3 (the same of x and y) [c]
 *
 * for every rotation, in the basis of harmonics.h. The factor is fixed as e3nn's: sum of C^2 = 1,
 * and the sign is that of the complex Clebsch-Gordan coefficients <l1 m1 l2 m2 | l3 m3> (Condon and
 * Shortley's phases) carried to the real basis with a factor (-i)^l for each degree, which makes
 * the tensor real. Then C(1,1,0) = delta / sqrt 3, C(1,1,1) = epsilon / sqrt 6. */
#ifndef RECON_GROUP_CLEBSCH_GORDAN_H
#define RECON_GROUP_CLEBSCH_GORDAN_H

#include <recon/core/status.h>

/* out [2 l1 + 1][2 l2 + 1][2 l3 + 1]; zeros where the three make no triangle. To rounding up to
 * degree 20 or whenever one degree is at most 1; beyond, digits are lost (3e-12 at
 * three times 30). */
RECON_API void recon_clebsch_gordan(double *out, int l1, int l2, int l3);

#endif
