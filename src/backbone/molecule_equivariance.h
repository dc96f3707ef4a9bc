/* molecule_equivariance.h - how equivariant the molecule backbone is; what equivariance.h
 * is to images.
 *
 * Nothing is resampled here: psi(g x) should be R psi(x) and z(g x) should be z(x) up to rounding,
 * for every motion g with the rotation R and for every order of the atoms. Mirror images are
 * distinguished only by an encoder that sees chirality. */
#ifndef BACKBONE_MOLECULE_EQUIVARIANCE_H
#define BACKBONE_MOLECULE_EQUIVARIANCE_H

#include <recon/backbone/networks.h>
#include "backbone/molecule_net.h"

typedef enum {
    RECON_MOVE_ROTATE,  /* by a rotation, uniform                                    */
    RECON_MOVE_SHIFT,   /* by a vector of about 10 Angstrom                          */
    RECON_MOVE_PERMUTE, /* the atoms in another order, uniform                       */
    RECON_MOVE_ALL,     /* all three                                                 */
    RECON_MOVE_MIRROR,  /* x to -x, and nothing else: not a motion                   */
    RECON_MOVES
} recon_move;

typedef struct {
    size_t n;
    double pose_median, pose_p99, pose_max; /* radians between psi(g x) and R psi(x); NaN for a
                                               mirror image, which has a pose of its own */
    double code_median, code_p99, code_max; /* |z(g x) - z(x)| / |z(x)|                  */
} recon_molecule_equivariance;

/* The errors of n conformers whose codes z [n][d] and poses psi [n] are known before and after each
 * was rotated by rotations [n]; rotations NULL: no pose is compared. n = 0, a code of length 0 and
 * what is not finite are RECON_ERR_INPUT. */
typedef struct {
    const float *z;
    const recon_so3 *psi;
} recon_molecule_codes;
recon_status recon_molecule_equivariance_compare(recon_ctx *ctx, recon_molecule_equivariance *out,
                                                 const recon_molecule_codes *before,
                                                 const recon_molecule_codes *after,
                                                 const recon_so3 *rotations /* [n] */, size_t n,
                                                 size_t d);

/* Every conformer of data before and after each move, which seed decides. */
recon_status recon_molecule_equivariance_measure(recon_ctx *ctx,
                                                 recon_molecule_equivariance out[RECON_MOVES],
                                                 const recon_molecule_net *model,
                                                 const recon_molecules *data, uint64_t seed);

/* Whether mirror images are distinguished: the median change of z is ten times the largest change
 * by rounding. */
int recon_molecule_equivariance_sees_mirror(const recon_molecule_equivariance of[RECON_MOVES]);

#endif
