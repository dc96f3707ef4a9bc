/* symmetry.h - what a symmetry holds, for rmsd.c. */
#ifndef DATA_SYMMETRY_H
#define DATA_SYMMETRY_H

#include <recon/data/symmetry.h>

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
