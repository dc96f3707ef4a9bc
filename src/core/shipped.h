/* shipped.h - where the files lie that come with recon. */
#ifndef CORE_SHIPPED_H
#define CORE_SHIPPED_H

#include <recon/core/ctx.h>

/* The remedy for data. */
#define RECON_SHIPPED_DATA                                                                         \
    "it comes with recon's sources; run there, `make install`, or set RECON_DATA to their data "   \
    "folder"

/* The folder of the shared library this is part of; of the running program when it is linked into
 * that; or "." A host such as Python has its own place, which says nothing about ours. */
void recon_shipped_folder(char *out, size_t room);

/* The path of KIND/NAME, KIND being "data" or "models": here, beside the library or program as it
 * was built or installed, or where systems keep such files; data first where $RECON_DATA says.
 * Where there is none, the message says where it was looked for, and the remedy. */
recon_status recon_shipped_find(recon_ctx *ctx, char *out, size_t room, const char *kind,
                                const char *name, const char *remedy);

/* Where a model is that was asked for by a path: there, if there is such a file; else where it
 * comes with recon, of NAME or models/NAME, with .safetensors behind it or without; else path. */
const char *recon_shipped_model(char *out, size_t room, const char *path);

/* Where such a model could not be opened, and path is a plain name and no file: adds to the message
 * what may have been meant, and which models come with recon; where there is none, the places that
 * were looked at. Returns status. */
recon_status recon_shipped_note(recon_ctx *ctx, recon_status status, const char *path);

#endif
