/* xyz.h - extended XYZ files, written.
 *
 * A frame is the number of atoms, a line `Properties=species:S:1:pos:R:3 name="..." energy=...`,
 * and a line an atom: symbol and coordinates in Angstrom with 8 decimals. energy is in eV, as
 * others have it, and is left out where it is not known. recon_molecules_open reads it back. */
#ifndef RECON_DATA_XYZ_H
#define RECON_DATA_XYZ_H

#include <recon/data/molecules.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Frame by frame. Until the commit path is as it was, and closing without one leaves nothing
 * behind. Close always; NULL may be closed. name may be NULL. */
typedef struct recon_xyz_writer recon_xyz_writer;

RECON_API recon_status recon_xyz_writer_open(recon_ctx *ctx, recon_xyz_writer **out,
                                             const char *path);
RECON_API recon_status recon_xyz_writer_add(recon_ctx *ctx, recon_xyz_writer *writer,
                                            const recon_conformer *c, const char *name);
RECON_API recon_status recon_xyz_writer_commit(recon_ctx *ctx, recon_xyz_writer *writer);
RECON_API void recon_xyz_writer_close(recon_xyz_writer *writer);

/* A whole set. */
RECON_API recon_status recon_xyz_write(recon_ctx *ctx, const char *path,
                                       const recon_molecules *data);

#ifdef __cplusplus
}
#endif
#endif
