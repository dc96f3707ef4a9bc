/* molecules.h (private) - a set of conformers: some entries of a store. */
#ifndef DATA_MOLECULES_H
#define DATA_MOLECULES_H

#include "data/molecule_store.h"

struct recon_molecules {
    recon_data data; /* first: a pointer to the one is a pointer to the other */
    recon_molecules_info info;
    recon_store *store;
    size_t *rows; /* of a part: its entries; NULL: all */
};

/* Where conformer i of a part stands among all. */
static inline size_t recon_molecules_row(const recon_molecules *data, size_t i)
{
    return data->rows ? data->rows[i] : i;
}

/* All of a store, which becomes the set's own, also when this fails. */
recon_status recon_molecules_of(recon_ctx *ctx, recon_molecules **out, recon_store *store);

#endif
