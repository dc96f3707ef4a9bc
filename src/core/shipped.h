/* shipped.h - finds the data and models that come with recon. */
#ifndef CORE_SHIPPED_H
#define CORE_SHIPPED_H

#include <recon/core/shipped.h>

/* The remedy for data. */
#define RECON_SHIPPED_DATA                                                                         \
    "it comes with recon's sources; run there, `make install`, or set RECON_DATA to their data "   \
    "folder"

/* Returns the folder of the shared library that this code is part of, of the program if it is
 * linked statically, or ".". It is not that of a host program such as Python. */
void recon_shipped_folder(char *out, size_t room);

/* Finds KIND/NAME, where KIND is "data" or "models": in the working folder, beside the library or
 * program as built or installed, or where systems keep such files; data first in $RECON_DATA. If
 * there is none, the message lists the places and the remedy. */
recon_status recon_shipped_find(recon_ctx *ctx, char *out, size_t room, const char *kind,
                                const char *name, const char *remedy);

/* Returns the path of a model. If path is not a file, NAME and models/NAME, with or without
 * .safetensors, stand for the model of that name that comes with recon; otherwise returns path. */
const char *recon_shipped_model(char *out, size_t room, const char *path);

/* Completes the message about a model that could not be opened, if path is a plain name and not a
 * file: adds similar names and the models that come with recon, or, if none was found, the places
 * that were searched. Returns status. */
recon_status recon_shipped_note(recon_ctx *ctx, recon_status status, const char *path);

#endif
