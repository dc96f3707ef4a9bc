/* molecules.h (private) - more operations on sets of molecules. */
#ifndef DATA_MOLECULES_H
#define DATA_MOLECULES_H

#include <recon/data/molecules.h>

/* Opens the part "train", "val" or "test" of a whole set that has a split (geom:FILE, flat:DIR,
 * conformers/all), without reading it again. */
recon_status recon_molecules_part(recon_ctx *ctx, recon_molecules **out,
                                  const recon_molecules *data, const char *part);

/* Returns the number of rotatable bonds of a molecule, including OH and NH2; -1 if not known. */
int recon_molecules_rotors(const recon_molecules *data, size_t molecule);

/* The truth, for evaluation only: how conformer i was rotated (identity: not at all), and F of a
 * molecule, row by row; 0 and f = 0 where it was not rotated by one. */
recon_so3 recon_molecules_rotation(const recon_molecules *data, size_t i);
int recon_molecules_fisher(double f[9], const recon_molecules *data, size_t molecule);

#endif
