/* discovered.c - the files that every discovery leaves. */
#include "model/discovered.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"
#include "group/group.h"
#include "normalize/frames_write.h"

#include <stdlib.h>

void recon_discovered_list(json_t **summary, const recon_discovered *d)
{
    const char *names[9] = { "model.safetensors", "natural.npy", "poses.csv", "clusters.csv" };
    size_t n = 4;
    if (d->keep_embeddings) {
        names[n++] = "z.npy";
        names[n++] = "g.npy";
    }
    if (d->has_report)
        names[n++] = "report.html";
    recon_frames_list(summary, d->frames, names);
}

static recon_status write_poses(recon_ctx *ctx, const char *dir, const char *name,
                                const recon_group *group, const double *poses, size_t n)
{
    size_t written = recon_group_written(group);
    double *rows = NULL;
    char path[RECON_PATH];
    recon_status status;
    recon_array array = { .dtype = RECON_F64,
                          .ndim = 1 + (group->shape[0] > 0) + (group->shape[1] > 0),
                          .shape = { n, group->shape[0], group->shape[1] } };
    RECON_TRY(recon_alloc_raw(ctx, &rows, n, written * sizeof *rows));
    recon_group_write(group, rows, poses, n);
    array.data = rows;
    RECON_TRY(recon_npy_write(ctx, recon_folder_join(path, dir, name), &array));
done:
    free(rows);
    return status;
}

static recon_status write_embeddings(recon_ctx *ctx, const char *dir, const recon_embedded *e)
{
    char path[RECON_PATH];
    recon_array z = { .dtype = RECON_F32, .ndim = 2, .shape = { e->n, e->d }, .data = e->z };
    RECON_CHECK(recon_npy_write(ctx, recon_folder_join(path, dir, "z.npy"), &z));
    return write_poses(ctx, dir, "g.npy", e->group, e->poses, e->n);
}

recon_status recon_discovered_write(recon_ctx *ctx, const char *dir, const recon_discovered *d)
{
    RECON_CHECK(
        write_poses(ctx, dir, "natural.npy", d->frames->group, d->natural, d->frames->rows));
    if (d->keep_embeddings)
        RECON_CHECK(write_embeddings(ctx, dir, d->embedded));
    return recon_frames_put(ctx, dir, d->frames, RECON_F64, d->text);
}

void recon_lap(double *seconds, double *then)
{
    double now = recon_now();
    *seconds = now - *then;
    *then = now;
}
