/* canonical_set.h - a whole set of molecules in their natural pose. */
#ifndef LAB_CANONICAL_SET_H
#define LAB_CANONICAL_SET_H

#include <recon/model/canonicalize.h>

/* A set of its own with the same conformers, names and energies; molecules that do not occur in
 * data lose their numbers. poses may be NULL. The truth of how conformers had been rotated does not
 * go along. */
recon_status recon_canonical_set(recon_ctx *ctx, recon_molecules **out,
                                 recon_pose3 *poses /* [n] */, const recon_model *model,
                                 const recon_molecules *data);

#endif
