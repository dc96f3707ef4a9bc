/* xyz.h - reads and writes extended XYZ files.
 *
 * A frame is the number of atoms, a line `Properties=species:S:1:pos:R:3 name="..." energy=...`,
 * and a line an atom: symbol and coordinates in Angstrom with 8 decimals. energy is in eV, as
 * others have it, and is left out where it is not known. recon_molecules_open reads it back. */
#ifndef DATA_XYZ_H
#define DATA_XYZ_H

#include <recon/data/molecules.h>
#include "data/molecule_store.h"

/* Writes frame by frame. Until the commit, path is unchanged, and closing without a commit leaves
 * nothing behind. Always close it; NULL may be closed. name may be NULL. */
typedef struct recon_xyz_writer recon_xyz_writer;

recon_status recon_xyz_writer_open(recon_ctx *ctx, recon_xyz_writer **out, const char *path);
recon_status recon_xyz_writer_add(recon_ctx *ctx, recon_xyz_writer *writer,
                                  const recon_conformer *c, const char *name);
recon_status recon_xyz_writer_commit(recon_ctx *ctx, recon_xyz_writer *writer);
void recon_xyz_writer_close(recon_xyz_writer *writer);

/* Writes a whole set. */
recon_status recon_xyz_write(recon_ctx *ctx, const char *path, const recon_molecules *data);

#define RECON_EV 23.060547830619 /* kcal/mol */

/* Reads a file of frames, a folder of .xyz files sorted by name, a pattern or a list: see
 * recon/data/molecules.h. */
recon_status recon_xyz_read(recon_ctx *ctx, recon_assembly *to, const char *path);

/* Whether a folder holds such files. */
int recon_xyz_is_folder(const char *path);

/* path is for messages, and its last part, without ending, names frames that have no name. */
recon_status recon_xyz_parse(recon_ctx *ctx, recon_assembly *to, const void *bytes, size_t size,
                             const char *path);

/* Forces it to the disk before the commit: see recon_writer_sync. */
recon_status recon_xyz_writer_sync(recon_ctx *ctx, recon_xyz_writer *writer);

#endif
