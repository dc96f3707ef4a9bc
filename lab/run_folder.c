/* run_folder.c - see run_folder.h. */
#include "lab/run_folder.h"
#include "core/fail.h"
#include "core/file.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

recon_status run_folder_make(recon_ctx *ctx, run_folder *f, const char *out, const char *name,
                             size_t seed)
{
    const char *temporary = getenv("TMPDIR");
    recon_status status;
    if (!out) {
        snprintf(f->path, sizeof f->path, "%s/recon-%s.XXXXXX", temporary ? temporary : "/tmp",
                 name);
        f->temporary = mkdtemp(f->path) != NULL;
        return f->temporary ? RECON_OK : recon_refused(ctx, f->path, "cannot be made");
    }
    snprintf(f->path, sizeof f->path, "%s/seed-%zu", out, seed);
    RECON_TRY(recon_folder_make(ctx, out));
    RECON_TRY(recon_folder_make(ctx, f->path));
done:
    return status;
}

void run_folder_remove(const run_folder *f)
{
    enum { OPEN = 16 };
    if (f->temporary)
        nftw(f->path, remove_one, OPEN, FTW_DEPTH | FTW_PHYS);
}
