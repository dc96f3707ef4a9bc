/* folder.h (private) - the folder that a discovery is written into, and the time it took. */
#ifndef APPS_FOLDER_H
#define APPS_FOLDER_H

#include <recon/core/ctx.h>

enum { RECON_PATH = 4096 };

/* Makes dir if need be; *made: it was not there. A path with no room behind it for a file's name,
 * and one that cannot be written to, are errors. */
recon_status recon_folder_make(recon_ctx *ctx, const char *dir, int *made);

/* dir/name in out, which is returned. */
const char *recon_folder_join(char out[RECON_PATH], const char *dir, const char *name);

/* The time since *then in *seconds; *then becomes now. */
void recon_lap(double *seconds, double *then);

#endif
