/* discovered.c - the files that every discovery leaves. */
#include "model/discovered.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"
#include "normalize/frames_write.h"

#include <recon/core/array.h>
#include <stdlib.h>

void recon_discovered_list(json_t **summary, const recon_discovered *d)
{
    const char *names[6] = { "model.safetensors", "natural.npy" };
    size_t n = 2;
    if (d->keep_embeddings) {
        names[n++] = "z.npy";
        names[n++] = "g.npy";
    }
    if (d->has_report)
        names[n++] = "report.html";
    recon_frames_list(summary, d->frames, names);
}

/* Poses, angles or matrices, one a point. */
static recon_status write_poses(recon_ctx *ctx, const char *dir, const char *name,
                                const recon_embedded *e, const double *poses)
{
    char path[RECON_PATH];
    return recon_npy_write(
        ctx, recon_folder_join(path, dir, name),
        &(recon_array){
            .dtype = RECON_F64, .ndim = e->so3 ? 3 : 1, .shape = { e->n, 3, 3 }, .data = poses });
}

static recon_status write_embeddings(recon_ctx *ctx, const char *dir, const recon_embedded *e)
{
    char path[RECON_PATH];
    double *matrices = NULL;
    recon_status status;
    recon_array z = { .dtype = RECON_F32, .ndim = 2, .shape = { e->n, e->d }, .data = e->z };
    RECON_TRY(recon_npy_write(ctx, recon_folder_join(path, dir, "z.npy"), &z));
    if (e->so3) {
        RECON_TRY(recon_alloc_raw(ctx, &matrices, e->n, 9 * sizeof *matrices));
        recon_so3_to_matrix_n(matrices, e->so3, e->n);
    }
    RECON_TRY(write_poses(ctx, dir, "g.npy", e, e->so3 ? matrices : e->so2));
done:
    free(matrices);
    return status;
}

recon_status recon_discovered_write(recon_ctx *ctx, const char *dir, const recon_discovered *d)
{
    recon_status status;
    RECON_TRY(write_poses(ctx, dir, "natural.npy", d->embedded, d->natural));
    if (d->keep_embeddings)
        RECON_TRY(write_embeddings(ctx, dir, d->embedded));
    RECON_TRY(recon_frames_put(ctx, dir, d->frames, RECON_F64, d->text));
done:
    return status;
}

void recon_lap(double *seconds, double *then)
{
    double now = recon_now();
    *seconds = now - *then;
    *then = now;
}
