/* xyz.h (private) - XYZ and extended XYZ files, read. */
#ifndef DATA_XYZ_H
#define DATA_XYZ_H

#include "data/molecule_store.h"

#include <recon/data/xyz.h>

#define RECON_EV 23.060547830619 /* kcal/mol */

/* A file of frames, a folder of .xyz files in the order of their names, a pattern or a list: see
 * recon/data/molecules.h. */
recon_status recon_xyz_read(recon_ctx *ctx, recon_assembly *to, const char *path);

/* path is for messages, and its last part, without ending, names frames that have no name. */
recon_status recon_xyz_parse(recon_ctx *ctx, recon_assembly *to, const void *bytes, size_t size,
                             const char *path);

/* Puts it on the disk before the commit: see recon_writer_sync. */
recon_status recon_xyz_writer_sync(recon_ctx *ctx, recon_xyz_writer *writer);

#endif
