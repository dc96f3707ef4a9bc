/* bonds.h - who is bonded to whom, seen from the distances.
 *
 * Files of conformers often hold no bonds (XYZ, GEOM). Two atoms are bonded where they are nearer
 * than the sum of their covalent radii and RECON_BOND_SLACK: room for a stretched bond, not for the
 * 1.85 A across a bicyclo[1.1.1]pentane. Orders of bonds are not guessed. */
#ifndef DATA_BONDS_H
#define DATA_BONDS_H

#include <stdint.h>
#include <recon/core/ctx.h>

#define RECON_BOND_SLACK 0.25 /* Angstrom */

typedef struct {
    uint16_t a, b; /* atoms, a < b */
} recon_bond;

typedef struct {
    size_t atoms, n;
    recon_bond *list; /* [n], ordered by a, then b; recon_bonds_free it */
} recon_bonds;

/* Elements 1 to 118, finite places, 65536 atoms at most; else RECON_ERR_INPUT names the atom. No
 * atoms have no bonds. */
recon_status recon_bonds_perceive(recon_ctx *ctx, recon_bonds *out, const uint8_t *z /* [atoms] */,
                                  const float *xyz /* [atoms][3] */, size_t atoms);
/* Harmless on a zeroed struct and twice. */
void recon_bonds_free(recon_bonds *bonds);

#endif
