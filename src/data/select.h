/* select.h - selects the conformers of a molecule, and their poses.
 *
 * As in the paper, they are those within 1.5 A of the one with the lowest energy, by the best RMSD
 * over all atoms, and are rotated onto it; molecules that keep fewer than 64 are left out. The
 * lowest one itself is put into its inertia frame, with the centre of mass at 0 and moments
 * ascending along x, y, z. Of the four possible rotations the smallest is used, so conformers that
 * are in that frame, like GEOM's, are unchanged.
 *
 * A conformer with other bonds than the lowest one has reacted and is left out too. */
#ifndef DATA_SELECT_H
#define DATA_SELECT_H

#include <recon/data/molecules.h>
#include "data/geom.h"
#include "data/molecule_store.h"

/* Lowest energy first. */
typedef struct {
    size_t n;       /* 0: the molecule is left out */
    size_t within;  /* the radius, however many of them are kept */
    size_t reacted; /* conformers with other bonds */
    size_t atoms;
    size_t *index;  /* [n] in the ensemble */
    float *xyz;     /* [n][atoms][3] */
    float *energy;  /* [n] kcal/mol above the lowest */
    float *rmsd;    /* [n] Angstrom from the lowest */
    uint8_t *split; /* [n] 0 train, 1 val, 2 test: 0.8, 0.1, 0.1 of n */
} recon_selection;

/* Selects conformers. RECON_ERR_INPUT for fewer than two atoms, energies or places that are not
 * finite, and a negative radius. options may be NULL. Always free out. */
recon_status recon_select(recon_ctx *ctx, recon_selection *out, const recon_ensemble *in,
                          const recon_select_options *options);
void recon_selection_free(recon_selection *selection); /* harmless twice */

/* Puts atoms, one at least, into their inertia frame, as above. out may be xyz. */
void recon_inertia_frame(float *out /* [atoms][3] */, const uint8_t *z /* [atoms] */,
                         const float *xyz /* [atoms][3] */, size_t atoms);

/* Selects the conformers of a GEOM file, with the split; RECON_ERR_INPUT if no molecule is kept. */
recon_status recon_select_geom(recon_ctx *ctx, recon_store *store, size_t *skipped,
                               const char *path, int skip_bad, const recon_select_options *options);

#endif
