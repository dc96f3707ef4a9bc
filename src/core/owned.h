/* owned.h - which files of a folder belong to a result.
 *
 * `recon normalize` and `recon discover` list them in summary.json, as "files"; pictures are listed
 * in poses.csv. Version 0.1.0 had no "files": of its summary the names are known. Everything else
 * in the folder is the user's, and without such a list everything is. */
#ifndef CORE_OWNED_H
#define CORE_OWNED_H

#include "core/names.h"

/* What replaces what: a result of one kind leaves those of the other alone. */
typedef enum { RECON_RESULT, RECON_PICTURES, RECON_FOLDER_KINDS } recon_folder_kind;

const char *recon_folder_kind_name(recon_folder_kind kind);
/* The file that lists the others. */
const char *recon_folder_list(recon_folder_kind kind);

/* The names of the files, sorted; some may be missing from the folder. */
recon_status recon_owned(recon_ctx *ctx, recon_names *out, recon_folder_kind kind, const char *dir);

/* The same of a result that was just written to dir, with or without a summary: what has these
 * names in another folder is replaced by it. */
recon_status recon_written(recon_ctx *ctx, recon_names *out, recon_folder_kind kind,
                           const char *dir);

/* Whether some result has, or had in version 0.1.0, a file by that name: of leftovers. */
int recon_is_result_file(const char *name, size_t length);

#endif
