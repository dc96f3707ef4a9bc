/* folder.c - a folder, made or found. */
#include "apps/folder.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *recon_folder_join(char out[RECON_PATH], const char *dir, const char *name)
{
    snprintf(out, RECON_PATH, "%s/%s", dir, name);
    return out;
}

recon_status recon_folder_make(recon_ctx *ctx, const char *dir, int *made)
{
    struct stat s;
    if (strlen(dir) > RECON_PATH - 64) /* room for what is joined to it */
        return recon_fail(ctx, RECON_ERR_INPUT, "%.64s...: the path is too long", dir);
    *made = mkdir(dir, 0777) == 0;
    if (!*made && (errno != EEXIST || stat(dir, &s) != 0 || !S_ISDIR(s.st_mode)))
        return recon_refused(ctx, dir, "cannot make the folder");
    if (access(dir, W_OK) != 0)
        return recon_refused(ctx, dir, "cannot write into the folder");
    return RECON_OK;
}

void recon_lap(double *seconds, double *then)
{
    double now = recon_now();
    *seconds = now - *then;
    *then = now;
}
