/* rmsd.h - the distance of two conformers of one molecule after superposition.
 *
 * The root of the mean squared distance between corresponding atoms, least over all rotations (no
 * reflections: mirror images are different) and translations. These functions are for inner loops
 * in many threads: they have no context, do not allocate, and only fail with RECON_ERR_INPUT. */
#ifndef DATA_RMSD_H
#define DATA_RMSD_H

#include "data/symmetry.h"
#include <recon/group/so3.h>

/* Atom i of a belongs to atom i of b. The rotation takes b, about its centre, onto a about its own;
 * centres and the mean are by weight where weights are given (none negative, not all 0). Where
 * several rotations are equally good, one of them. rotation may be NULL. RECON_ERR_INPUT for n = 0,
 * for values that are not finite and for weights other than these. */
recon_status recon_rmsd_kabsch(double *rmsd, recon_so3 *rotation, const float *a /* [n][3] */,
                               const float *b /* [n][3] */, size_t n,
                               const float *weights /* [n] or NULL */);

/* The least over the renamings of symmetry too: atom i of a belongs to atom map[i] of b. Exact, up
 * to two limits that small molecules do not meet: RECON_AUTOMORPHISMS, and a bound on the search
 * over leaf groups, at which the best so far stands. With or without them it is the same for (a, b)
 * and (b, a) bit for bit, and never above recon_rmsd_kabsch but for rounding. rotation and map may
 * be NULL. RECON_ERR_INPUT for values that are not finite. */
recon_status recon_rmsd_best(double *rmsd, recon_so3 *rotation, int32_t *map /* [atoms] */,
                             const recon_symmetry *symmetry, const float *a /* [atoms][3] */,
                             const float *b /* [atoms][3] */);

/* How many rotations, the one by nothing among them, bring a conformer onto itself up to
 * RECON_SAME_SHAPE, atoms of one name being alike: 2 for water, 12 for benzene and methane, 1 for
 * most molecules. No network can tell such rotations apart. What has more than RECON_SAME_TRIES
 * renamings is not tried and has 1; so have values that are not finite. The spin of a linear
 * molecule is not counted. */
#define RECON_SAME_SHAPE 0.25 /* Angstrom */
#define RECON_SAME_TRIES 4096
size_t recon_rmsd_symmetry_number(const recon_symmetry *symmetry,
                                  const float *xyz /* [atoms][3] */);

#endif
