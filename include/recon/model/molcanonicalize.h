/* molcanonicalize.h - molecules turned into their natural pose, in front of a frozen model: what
 * canonicalize.h is to images.
 *
 * C(x) is x turned by Lambda(x) psi(x)^-1 about its centre, exactly: nothing is resampled. Two
 * inputs that differ by a rotation get the same coordinates, so whatever comes after is invariant.
 * Where poses leave a spin free, C(x) puts the axis where it belongs, and the spin about it is the
 * same for all of a class but arbitrary; pose.free says so. */
#ifndef RECON_MODEL_MOLCANONICALIZE_H
#define RECON_MODEL_MOLCANONICALIZE_H

#include <recon/model/molmodel.h>
#include <recon/model/pose3.h>

#ifdef __cplusplus
extern "C" {
#endif

/* n conformers to their canonical coordinates, one conformer behind the other, [sum of atoms][3],
 * and their poses. Either may be NULL; out may be x's own coordinates where they are one such
 * block. n = 0 does nothing. A conformer that recon/data/molecules.h would not take (a coordinate
 * that is not finite, two atoms in one place, one atom alone) or with an element that the model
 * does not know is RECON_ERR_INPUT, and the message names it. */
RECON_API recon_status recon_molcanonicalize(recon_ctx *ctx, float *out,
                                             recon_pose3 *poses /* [n] */,
                                             const recon_molmodel *model, const recon_conformer *x,
                                             size_t n);

/* A whole set, as a set of its own with the same conformers, names and energies; molecules that do
 * not occur in data lose their numbers. poses may be NULL. The truth of how conformers had been
 * turned does not go along. */
RECON_API recon_status recon_molcanonicalize_all(recon_ctx *ctx, recon_molecules **out,
                                                 recon_pose3 *poses /* [n] */,
                                                 const recon_molmodel *model,
                                                 const recon_molecules *data);

#ifdef __cplusplus
}
#endif
#endif
