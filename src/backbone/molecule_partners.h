/* molecule_partners.h - conformers that can be laid over one another, and by which rotation.
 *
 * Candidates are the nearest in an embedding. Of them those count that have the same elements in
 * the same order and the same bonds, which can be seen from the places alone; no label is used. But
 * a molecule is its elements and bonds, so that partners are conformers of one molecule, up to
 * stereoisomers. With `elements` bonds are not looked at, and partners may be of different
 * molecules. */
#ifndef BACKBONE_MOLECULE_PARTNERS_H
#define BACKBONE_MOLECULE_PARTNERS_H

#include "backbone/molecule_net.h"
#include <recon/data/molecules.h>

typedef struct {
    int32_t who;        /* the partner */
    float rmsd;         /* Angstrom, after superposition */
    recon_so3 rotation; /* rotates the partner, about its centre, onto the conformer */
} recon_molecule_partner;

typedef struct {
    size_t n, most;
    size_t *count;                /* [n] partners of each, nearest first */
    recon_molecule_partner *list; /* [n][most] */
} recon_molecule_partners;        /* all zero: empty */

/* Finds at most `most` partners for each of x [n], among its k nearest in z [n][d] by cosine. With
 * bonds, equivalent atoms may be exchanged in a superposition; with elements, atom i corresponds to
 * atom i. */
typedef struct {
    size_t k, most;
    recon_pairs pairs;
    int shared; /* 1: all ranks call it with the same x and z, and share the work */
} recon_molecule_partners_options;
recon_status recon_molecule_partners_find(recon_ctx *ctx, recon_molecule_partners *out,
                                          const recon_conformer *x, const float *z, size_t n,
                                          size_t d, const recon_molecule_partners_options *options);
void recon_molecule_partners_free(recon_molecule_partners *partners);

#endif
