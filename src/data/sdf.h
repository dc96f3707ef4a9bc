/* sdf.h - SDF and MOL files, V2000 and V3000. */
#ifndef DATA_SDF_H
#define DATA_SDF_H

#include "data/molecule_store.h"

/* A molecule is called by its title, else by its formula. path of parse is for messages. */
recon_status recon_sdf_read(recon_ctx *ctx, recon_assembly *to, const char *path);
recon_status recon_sdf_parse(recon_ctx *ctx, recon_assembly *to, const void *bytes, size_t size,
                             const char *path);

#endif
