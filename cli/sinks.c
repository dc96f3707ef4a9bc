/* sinks.c - where canonical inputs go: pictures into a folder, images into an array, molecules into
 * an XYZ file; and their poses. */
#include "cli/sinks.h"
#include "cli/pictures.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/file.h"
#include "core/npy.h"
#include "core/owned.h"
#include "core/threads.h"
#include "data/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096, NAME = CLI_FILE_NAME };

/* --- images: an array, or a folder of pictures ------------------------------------------------ */

static recon_status open_folder(recon_ctx *ctx, cli_sink *to, const char *path)
{
    if (to->size.channels != 1 && to->size.channels != 3)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: pictures of %zu channels: name a .npy file",
                          path, to->size.channels);
    recon_status status = recon_stage_open(ctx, &to->stage, path, RECON_PICTURES);
    if (status == RECON_OK && strlen(to->stage.path) >= PATH - NAME)
        status = recon_fail(ctx, RECON_ERR_INPUT, "%.64s...: the path is too long", path);
    to->folder = to->stage.path;
    return status;
}

static recon_status open_images(recon_ctx *ctx, cli_sink *to)
{
    recon_dataset_info d = recon_dataset_describe(cli_images(to->inputs));
    const size_t shape[] = { d.n, d.height, d.width, d.channels };
    to->size = d;
    to->block_bytes = CLI_BLOCK * d.height * d.width * d.channels * sizeof(float);
    if (cli_ends_in(to->path, ".npy"))
        return recon_npy_writer_open(ctx, &to->npy, to->path, RECON_F32, shape,
                                     d.channels == 1 ? 3 : 4);
    return open_folder(ctx, to, to->path);
}

/* To path where image i goes, its folder made. */
static recon_status place_of(recon_ctx *ctx, char path[PATH], const cli_sink *to, size_t i)
{
    char room[NAME], name[NAME + 8];
    recon_status status = RECON_OK;
    recon_picture_name(name, sizeof name, cli_table_name(room, to->inputs, i));
    snprintf(path, PATH, "%s/%s", to->folder, name);
    char *slash = strrchr(path, '/');
    if ((size_t)(slash - path) > strlen(to->folder)) { /* a class's folder */
        *slash = '\0';
        status = recon_folder_make(ctx, path);
        *slash = '/';
    }
    return status;
}

typedef struct {
    const cli_sink *to;
    float *out; /* room for the canonical images */
    const float *in;
    const double *angles;
    size_t first;
    cli_rotation how;
} block;

/* From the image itself, not from what the model saw of it where that was cropped. */
static recon_status write_image(recon_ctx *ctx, const char *path, const block *b, size_t i)
{
    const recon_dataset_info *d = &b->to->size;
    const cli_inputs *inputs = b->to->inputs;
    size_t pixels = d->height * d->width * d->channels, at = i * pixels;
    double angle = b->angles[i];
    float *whole = NULL;
    recon_status status = RECON_OK;
    if (inputs->cropped) {
        RECON_TRY(recon_alloc_raw(ctx, &whole, pixels, sizeof *whole));
        cli_images_whole(whole, inputs, b->first + i);
        angle += recon_dataset_angle(cli_images(inputs), b->first + i);
    }
    recon_image_rotate(b->out + at, whole ? whole : b->in + at, d->height, d->width, d->channels,
                       angle, b->to->interpolation);
    RECON_TRY(cli_picture_write(ctx, path, b->out + at, d->height, d->width, d->channels));
done:
    free(whole);
    return status;
}

static recon_status write_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const block *b = arg;
    size_t which = b->first + i;
    const char *from = cli_images_path(b->to->inputs, which);
    char path[PATH];
    recon_status status = place_of(ctx, path, b->to, which);
    (void)worker;
    if (status != RECON_OK)
        return status;
    if (!from)
        return write_image(ctx, path, b, i);
    /* The model saw a smaller copy; what --rotate did to that is part of the one rotation. */
    double angle = b->angles[i] + recon_dataset_angle(cli_images(b->to->inputs), which);
    return angle == 0 && recon_is_png(from) ? cli_picture_copy(ctx, path, from)
                                            : cli_picture_rotate(ctx, path, from, angle, &b->how);
}

recon_status cli_sink_pictures(recon_ctx *ctx, cli_sink *to, float *out, const float *in,
                               const double *angles, size_t first, size_t n)
{
    recon_budget budget;
    block b = { to, out, in, angles, first, { to->interpolation, to->picture_most, &budget } };
    recon_budget_init(&budget, RECON_PIXELS_MOST);
    recon_status status = recon_parallel(ctx, write_one, &b, n);
    recon_budget_end(&budget);
    return status;
}

/* --- molecules: an XYZ file ------------------------------------------------------------------- */

static recon_status open_molecules(recon_ctx *ctx, cli_sink *to)
{
    size_t atoms = recon_molecules_describe(cli_molecules(to->inputs)).atoms;
    to->block_bytes = CLI_BLOCK * atoms * 3 * sizeof(float);
    return recon_xyz_writer_open(ctx, &to->xyz, to->path);
}

static recon_status take_molecules(recon_ctx *ctx, cli_sink *to, const float *xyz, size_t first,
                                   size_t n)
{
    const recon_molecules *data = cli_molecules(to->inputs);
    recon_status status = RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < n; i++) {
        recon_conformer c = recon_molecules_get(data, first + i);
        c.xyz = xyz;
        xyz += 3 * c.atoms;
        status =
            recon_xyz_writer_add(ctx, to->xyz, &c, recon_molecules_name(data, (size_t)c.molecule));
    }
    return status;
}

/* --- either ----------------------------------------------------------------------------------- */

recon_status cli_sink_open(recon_ctx *ctx, cli_sink *to, const char *path, const char *table,
                           const cli_inputs *inputs, recon_interpolation interpolation,
                           size_t picture_most)
{
    char own[RECON_PATH];
    recon_group group = cli_images(inputs) ? RECON_SO2 : RECON_SO3;
    recon_status status;
    *to = (cli_sink){ .path = path,
                      .stage = RECON_NO_STAGE,
                      .table = CLI_NO_TABLE,
                      .inputs = inputs,
                      .interpolation = interpolation,
                      .picture_most = picture_most };
    RECON_TRY((cli_images(inputs) ? open_images : open_molecules)(ctx, to));
    if (to->folder)
        table = recon_folder_join(own, to->folder, "poses.csv");
    to->has_table = table != NULL;
    if (table)
        RECON_TRY(cli_table_open(ctx, &to->table, table, inputs, group, 1));
done:
    return status;
}

recon_status cli_sink_take(recon_ctx *ctx, cli_sink *to, const void *canonical, size_t first,
                           size_t n)
{
    return to->xyz ? take_molecules(ctx, to, canonical, first, n)
                   : recon_npy_writer_append(ctx, to->npy, canonical, n);
}

/* Everything on the disk, and nothing in its place yet. */
static recon_status sync_all(recon_ctx *ctx, cli_sink *to)
{
    recon_status status = to->has_table ? cli_table_sync(ctx, &to->table) : RECON_OK;
    return status != RECON_OK ? status
           : to->xyz          ? recon_xyz_writer_sync(ctx, to->xyz)
           : to->npy          ? recon_npy_writer_sync(ctx, to->npy)
                              : RECON_OK;
}

/* The table of a folder comes with it. */
static recon_status commit_all(recon_ctx *ctx, cli_sink *to)
{
    recon_status status = RECON_OK;
    if (to->folder)
        RECON_TRY(cli_table_commit(ctx, &to->table));
    RECON_TRY(to->xyz   ? recon_xyz_writer_commit(ctx, to->xyz)
              : to->npy ? recon_npy_writer_commit(ctx, to->npy)
                        : recon_stage_commit(ctx, &to->stage));
    if (to->has_table && !to->folder)
        RECON_TRY(cli_table_commit(ctx, &to->table));
done:
    return status;
}

void cli_sink_close(recon_ctx *ctx, cli_sink *to)
{
    recon_npy_writer_close(to->npy);
    recon_xyz_writer_close(to->xyz);
    cli_table_close(&to->table);
    recon_stage_close(ctx, &to->stage);
}

/* What goes to --poses, on the disk but not in its place yet; *out is NULL where nothing does.
 * ndim: 1, angles [n], or 3, matrices [n][3][3]. */
static recon_status sync_poses(recon_ctx *ctx, recon_npy_writer **out, const char *path,
                               const double *absolute, size_t n, int ndim)
{
    const size_t shape[] = { n, 3, 3 };
    recon_status status = RECON_OK;
    if (!path)
        return status;
    RECON_TRY(recon_npy_writer_open(ctx, out, path, RECON_F64, shape, ndim));
    RECON_TRY(recon_npy_writer_append(ctx, *out, absolute, n));
    RECON_TRY(recon_npy_writer_sync(ctx, *out));
done:
    return status;
}

static recon_status commit_poses(recon_ctx *ctx, recon_npy_writer *poses)
{
    return poses ? recon_npy_writer_commit(ctx, poses) : RECON_OK;
}

/* Pictures and poses: both on the disk before the first takes its place. Poses that go into the
 * folder of the pictures come with them. */
recon_status cli_sink_commit(recon_ctx *ctx, cli_sink *to, const char *poses_path,
                             const double *absolute, int ndim)
{
    char inside[RECON_PATH];
    recon_npy_writer *poses = NULL;
    recon_status status;
    const char *path = poses_path ? recon_stage_file(ctx, &to->stage, inside, poses_path) : NULL;
    RECON_TRY(sync_poses(ctx, &poses, path, absolute, to->inputs->n, ndim));
    RECON_TRY(sync_all(ctx, to));
    if (path != poses_path)
        RECON_TRY(commit_poses(ctx, poses));
    RECON_TRY(commit_all(ctx, to));
    if (path == poses_path)
        RECON_TRY(commit_poses(ctx, poses));
done:
    recon_npy_writer_close(poses);
    return status;
}
