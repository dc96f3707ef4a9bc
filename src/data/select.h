/* select.h (private) - the selected conformers of a file, into a store. */
#ifndef DATA_SELECT_H
#define DATA_SELECT_H

#include <recon/data/select.h>
#include "data/molecule_store.h"

/* Of a GEOM file, with the split; RECON_ERR_INPUT if no molecule is kept. */
recon_status recon_select_geom(recon_ctx *ctx, recon_store *store, size_t *skipped,
                               const char *path, int skip_bad, const recon_select_options *options);

#endif
