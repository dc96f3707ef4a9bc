/* wigner.h - real Wigner matrices: how the components of a degree rotate.
 *
 * D^l is the real orthogonal (2l+1) x (2l+1) matrix with Y_l(R v) = D^l(R) Y_l(v), in the basis of
 * harmonics.h: D^0 = 1, D^1 = R, and D^l(a b) = D^l(a) D^l(b). A reflection -1 acts on degree l by
 * (-1)^l where parity is kept. */
#ifndef RECON_GROUP_WIGNER_H
#define RECON_GROUP_WIGNER_H

#include <recon/group/irreps.h>
#include <recon/group/so3.h>

/* out [2l+1][2l+1], row-major. Any l >= 0; orthogonal to 1e-13 at l = 30. */
RECON_API recon_status recon_wigner(recon_ctx *ctx, double *out, int l, recon_so3 rotation);

/* Rotates rows of features, in [rows][dim] to out; out may be in. */
RECON_API recon_status recon_irreps_rotate(recon_ctx *ctx, double *out, const double *in,
                                           size_t rows, const recon_irreps *irreps,
                                           recon_so3 rotation);

#endif
