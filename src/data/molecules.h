/* molecules.h (private) - sets of molecules, what the library and its programs alone ask of them. */
#ifndef DATA_MOLECULES_H
#define DATA_MOLECULES_H

#include <recon/data/molecules.h>

/* The part "train", "val" or "test" of a whole set that was opened with a split (geom:FILE, flat:DIR,
 * conformers/all), without reading it again. */
recon_status recon_molecules_part(recon_ctx *ctx, recon_molecules **out,
                                  const recon_molecules *data, const char *part);

/* Rotatable bonds of a molecule, with OH and NH2; -1 where the set does not say. */
int recon_molecules_rotors(const recon_molecules *data, size_t molecule);

/* The truth, for evaluation only: how conformer i was rotated (identity: not at all), and F of a
 * molecule, row by row; 0 and f = 0 where it was not rotated by one. */
recon_so3 recon_molecules_rotation(const recon_molecules *data, size_t i);
int recon_molecules_fisher(double f[9], const recon_molecules *data, size_t molecule);

#endif
