/* run_folder.h - the folder that an experiment works in. */
#ifndef LAB_RUN_FOLDER_H
#define LAB_RUN_FOLDER_H

#include "core/folder.h"

enum { RUN_FOLDER = RECON_PATH - 256 }; /* shorter than a path: files are called in it */

typedef struct {
    char path[RUN_FOLDER];
    int temporary;
} run_folder;

/* OUT/seed-SEED, or, where out is NULL, a temporary one called by `name`. */
recon_status run_folder_make(recon_ctx *ctx, run_folder *folder, const char *out, const char *name,
                             size_t seed);
/* Removes a temporary one with all that is in it. */
void run_folder_remove(const run_folder *folder);

#endif
