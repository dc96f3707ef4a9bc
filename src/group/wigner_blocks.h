/* wigner_blocks.h - fast rotation of rows of harmonics.
 *
 * Computes D^1, D^2, D^3, where Y_l(R v) = D^l(R) Y_l(v), in a microsecond. Lebedev's rule of
 * degree 7 with 26 points integrates products of two harmonics of degree 3 exactly, and opposite
 * points contribute equally, so that
 *
 *     D^l = sum over 13 axes v of weight(v) Y_l(R v) Y_l(v)^T. */
#ifndef GROUP_WIGNER_BLOCKS_H
#define GROUP_WIGNER_BLOCKS_H

#include <recon/group/harmonics.h>
#include <recon/group/so3.h>

/* D^l for l = 1, 2, 3, row-major, one after the other; degree 0 is invariant. */
enum { RECON_WIGNER_BLOCKS = 9 + 25 + 49 };
typedef struct {
    float d[RECON_WIGNER_BLOCKS];
} recon_wigner_blocks;

recon_wigner_blocks recon_wigner_blocks_of(recon_so3 rotation);

/* Rotates rows of RECON_HARMONICS numbers; out is not in. */
void recon_wigner_blocks_apply(float *out, const recon_wigner_blocks *blocks, const float *in,
                               size_t rows);

#endif
