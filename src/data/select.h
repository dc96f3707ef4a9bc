/* select.h - which conformers of a molecule are used, and in which pose.
 *
 * As in the paper: those within 1.5 A of the one with the lowest energy, by the best RMSD over all
 * atoms, rotated onto it; molecules that keep fewer than 64 are left out. The lowest one itself is
 * put into its inertia frame, centre of mass at 0, moments rising along x, y, z, of the four ways
 * the one nearest to how it lay: what is in that frame, as GEOM's conformers are, stays there.
 *
 * A conformer whose bonds are not those of the lowest one has reacted and is left out, too. */
#ifndef DATA_SELECT_H
#define DATA_SELECT_H

#include <recon/data/molecules.h>
#include "data/geom.h"
#include "data/molecule_store.h"

/* Lowest energy first. */
typedef struct {
    size_t n;       /* 0: the molecule is left out                        */
    size_t within;  /* the radius, however many of them are kept          */
    size_t reacted; /* conformers with other bonds                        */
    size_t atoms;
    size_t *index;  /* [n] in the ensemble                                */
    float *xyz;     /* [n][atoms][3]                                      */
    float *energy;  /* [n] kcal/mol above the lowest                      */
    float *rmsd;    /* [n] Angstrom from the lowest                       */
    uint8_t *split; /* [n] 0 train, 1 val, 2 test: 0.8, 0.1, 0.1 of n     */
} recon_selection;

/* Two atoms at least, energies and places finite, a radius that is not negative, else
 * RECON_ERR_INPUT. options may be NULL. Free out, also when n is 0; on failure it is zeroed. */
recon_status recon_select(recon_ctx *ctx, recon_selection *out, const recon_ensemble *in,
                          const recon_select_options *options);
void recon_selection_free(recon_selection *selection); /* harmless twice */

/* Puts atoms into their inertia frame, as above. out may be xyz. */
recon_status recon_inertia_frame(recon_ctx *ctx, float *out /* [atoms][3] */,
                                 const uint8_t *z /* [atoms] */, const float *xyz /* [atoms][3] */,
                                 size_t atoms);

/* Of a GEOM file, with the split; RECON_ERR_INPUT if no molecule is kept. */
recon_status recon_select_geom(recon_ctx *ctx, recon_store *store, size_t *skipped,
                               const char *path, int skip_bad, const recon_select_options *options);

#endif
