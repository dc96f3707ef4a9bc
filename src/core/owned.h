/* owned.h - which files of a folder belong to a result.
 *
 * `recon normalize` and `recon discover` list them in summary.json, as "files"; pictures are listed
 * in poses.csv. Version 0.1.0 had no "files", and neither has a result that a program wrote without
 * a summary: of these the names are known. Everything else in the folder is the user's. */
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

#endif
