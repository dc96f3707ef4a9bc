/* flat.h - a set of conformers as a folder of NPY files. */
#ifndef DATA_FLAT_H
#define DATA_FLAT_H

#include "data/molecule_store.h"

/* Whether a folder holds one. */
int recon_flat_is(const char *folder);

/* Fills store; *skipped counts what skip_bad leaves out. */
recon_status recon_flat_read(recon_ctx *ctx, recon_store *store, size_t *skipped,
                             const char *folder, int skip_bad);

#endif
