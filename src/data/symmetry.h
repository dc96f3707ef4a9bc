/* symmetry.h - the automorphisms of a molecule: renamings of its atoms that do not change its
 * bonds.
 *
 * Equivalent leaves, two to four atoms of one element with a single bond to the same atom (the
 * hydrogens of a methyl, the fluorines of CF3), may be permuted freely: three methyls alone make
 * 216 renamings. They are kept as groups and never multiplied out. What is enumerated are the
 * automorphisms of the rest, leaf groups carried along as wholes: 24 for neopentane, not 24 * 6^4.
 *
 * A renaming keeps elements and bonds. It need not keep chirality, nor orders of bonds, which
 * distances do not tell; in a neutral molecule with one Kekule structure the number of neighbours
 * fixes the orders, so that nothing is lost. */
#ifndef DATA_SYMMETRY_H
#define DATA_SYMMETRY_H

#include "data/elements.h"

#define RECON_AUTOMORPHISMS  4096 /* kept of one molecule */
#define RECON_SYMMETRY_ATOMS 4096 /* of the largest one */

/* Immutable: many threads may use one. */
typedef struct recon_symmetry recon_symmetry;

typedef struct {
    size_t atoms;
    size_t automorphisms; /* with leaf groups as wholes; the identity is the first */
    size_t groups;        /* of equivalent leaves */
    int complete; /* 0: there are more automorphisms than RECON_AUTOMORPHISMS, or finding them
                     took too long, and the rest is left out: a best RMSD is then one over those
                     kept, never below the true one and never above that of the given order */
} recon_symmetry_info;

/* Made once per molecule, of 1 to RECON_SYMMETRY_ATOMS atoms. Bonds may come from
 * recon_bonds_perceive or from a file; they must name atoms that exist, a < b, and be in order. */
recon_status recon_symmetry_make(recon_ctx *ctx, recon_symmetry **out,
                                 const uint8_t *z /* [atoms] */, const recon_bonds *bonds);
void recon_symmetry_free(recon_symmetry *symmetry);
enum {
    RECON_LEAVES = 4, /* most of one group: 24 permutations */
    RECON_LEAF_GROUPS = RECON_SYMMETRY_ATOMS / 2,
};

typedef struct {
    size_t size; /* 2 .. RECON_LEAVES */
    uint16_t atom[RECON_LEAVES];
} recon_leaf_group;

struct recon_symmetry {
    recon_symmetry_info info;
    uint16_t *order;         /* [automorphisms][atoms]: atom i becomes order[i]; takes the k-th atom
                                of a leaf group to the k-th of another */
    recon_leaf_group *group; /* [groups], larger ones first */
};

#endif
