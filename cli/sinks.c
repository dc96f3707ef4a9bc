/* sinks.c - writes canonical inputs (a folder of pictures, an array, an XYZ file) and their
 * poses. */
#include "cli/sinks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096, NAME = RECON_FILE_NAME };

/* --- images: an array, or a folder of pictures ------------------------------------------------ */

/* What an earlier result lists is replaced; a picture of another name that will be written is
 * somebody's own. */
static recon_status check_foreign(recon_ctx *ctx, const cli_sink *to, const char *path)
{
    char file[2 * PATH], room[NAME], name[NAME + 8];
    recon_names own = { .n = 0 };
    recon_status status = recon_result_files(ctx, &own, RECON_PICTURES, path);
    for (size_t i = 0; status == RECON_OK && i < to->inputs->n; i++) {
        recon_picture_name(name, sizeof name, recon_table_name(room, to->inputs, i));
        snprintf(file, sizeof file, "%s/%s", path, name);
        if (access(file, F_OK) == 0 && !recon_names_have(&own, name))
            status = recon_fail(ctx, RECON_ERR_INPUT,
                                "%s exists, and is not an earlier result of recon: choose another "
                                "--out",
                                file);
    }
    recon_names_free(&own);
    return status;
}

static recon_status open_folder(recon_ctx *ctx, cli_sink *to, const char *path)
{
    if (to->size.channels != 1 && to->size.channels != 3 && !cli_images_path(to->inputs, 0))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: pictures of %zu channels: name a .npy file",
                          path, to->size.channels);
    recon_status status = check_foreign(ctx, to, path);
    if (status == RECON_OK)
        status = recon_stage_open(ctx, &to->stage, path, RECON_PICTURES);
    if (status == RECON_OK && strlen(to->stage.path) >= PATH - NAME)
        status = recon_fail(ctx, RECON_ERR_INPUT, "%.64s...: the path is too long", path);
    to->folder = to->stage.path;
    if (status == RECON_OK)
        status = recon_alloc(ctx, &to->page_angle, to->inputs->n, sizeof *to->page_angle);
    return status;
}

/* A format that is not written becomes NAME.png, and there may be a picture of that name. Names are
 * in order, so that those which begin with NAME follow it. */
static recon_status check_names(recon_ctx *ctx, const cli_sink *to)
{
    char rooms[2][NAME], written[NAME + 8];
    for (size_t i = 0; i < to->inputs->n; i++) {
        const char *name = recon_table_name(rooms[0], to->inputs, i);
        size_t length = strlen(name);
        if (recon_picture_kind_of(name) != RECON_PICTURE_OTHER)
            continue;
        recon_picture_name(written, sizeof written, name);
        for (size_t j = i + 1; j < to->inputs->n; j++) {
            const char *next = recon_table_name(rooms[1], to->inputs, j);
            if (strncmp(next, name, length) != 0)
                break;
            if (!strcmp(next, written))
                return recon_fail(ctx, RECON_ERR_INPUT,
                                  "%s and %s would both be written as %s: rename one of them", name,
                                  next, written);
        }
    }
    return RECON_OK;
}

static recon_status open_images(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    cli_sink *to = arg;
    recon_dataset_info d = recon_dataset_describe(recon_data_images(in->use));
    const size_t shape[] = { d.n, d.height, d.width, d.channels };
    to->size = d;
    to->block_bytes = CLI_BLOCK * d.height * d.width * d.channels * sizeof(float);
    if (cli_ends_in(to->path, ".npy"))
        return recon_npy_writer_open(ctx, &to->npy, to->path, RECON_F32, shape,
                                     d.channels == 1 ? 3 : 4);
    RECON_CHECK(check_names(ctx, to));
    return open_folder(ctx, to, to->path);
}

/* To path where image i goes, its folder made. */
static recon_status place_of(recon_ctx *ctx, char path[PATH], const cli_sink *to, size_t i)
{
    char room[NAME], name[NAME + 8];
    recon_status status = RECON_OK;
    recon_picture_name(name, sizeof name, recon_table_name(room, to->inputs, i));
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
    cli_sink *to;
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
        angle += recon_dataset_angle(recon_data_images(inputs->use), b->first + i);
    }
    recon_image_rotate(b->out + at, whole ? whole : b->in + at, d->height, d->width, d->channels,
                       angle, b->to->how.interpolation);
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
    double angle = b->angles[i] + recon_dataset_angle(recon_data_images(b->to->inputs->use), which);
    size_t page;
    recon_picture_page(from, &page);
    if (page == SIZE_MAX)
        return cli_picture_rotate(ctx, path, from, angle, &b->how);
    b->to->page_angle[which] = angle;
    return RECON_OK;
}

recon_status cli_sink_pictures(recon_ctx *ctx, cli_sink *to, float *out, const float *in,
                               const double *angles, size_t first, size_t n)
{
    recon_budget budget;
    block b = { to, out, in, angles, first, to->how };
    b.how.budget = &budget;
    recon_budget_init(&budget, RECON_PIXELS_MOST);
    recon_status status = recon_parallel(ctx, write_one, &b, n);
    recon_budget_end(&budget);
    return status;
}

/* --- stacks: pages of a TIFF file ------------------------------------------------------------- */

typedef struct {
    const char *path; /* FILE#N */
    size_t length, page, input;
} page_of;

typedef struct {
    cli_sink *to;
    page_of *pages;
    const char **from; /* [n] in the order of pages */
    double *angle;
    size_t *first; /* [stacks + 1] among the pages */
    size_t n, stacks;
    cli_rotation how;
} stacks;

static int compare_files(const page_of *a, const page_of *b)
{
    size_t n = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->path, b->path, n);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_page(const void *x, const void *y)
{
    const page_of *a = x, *b = y;
    int order = compare_files(a, b);
    return order ? order : (a->page > b->page) - (a->page < b->page);
}

static recon_status find_stacks(recon_ctx *ctx, stacks *s)
{
    size_t all = s->to->inputs->n;
    RECON_CHECK(recon_alloc(ctx, &s->pages, all, sizeof *s->pages));
    for (size_t i = 0; i < all; i++) {
        page_of p = { .path = cli_images_path(s->to->inputs, i), .input = i };
        p.length = p.path ? recon_picture_page(p.path, &p.page) : 0;
        if (p.path && p.page != SIZE_MAX)
            s->pages[s->n++] = p;
    }
    if (!s->n)
        return RECON_OK;
    qsort(s->pages, s->n, sizeof *s->pages, by_page);
    RECON_CHECK(recon_alloc(ctx, &s->from, s->n, sizeof *s->from));
    RECON_CHECK(recon_alloc(ctx, &s->angle, s->n, sizeof *s->angle));
    RECON_CHECK(recon_alloc(ctx, &s->first, s->n + 1, sizeof *s->first));
    for (size_t i = 0; i < s->n; i++) {
        s->from[i] = s->pages[i].path;
        s->angle[i] = s->to->page_angle[s->pages[i].input];
        if (i == 0 || compare_files(&s->pages[i - 1], &s->pages[i]))
            s->first[s->stacks++] = i;
    }
    s->first[s->stacks] = s->n;
    return RECON_OK;
}

static recon_status write_stack(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const stacks *s = arg;
    char path[PATH];
    size_t at = s->first[i];
    recon_status status = place_of(ctx, path, s->to, s->pages[at].input);
    (void)worker;
    return status != RECON_OK ? status
                              : cli_pages_rotate(ctx, path, s->from + at, s->angle + at,
                                                 s->first[i + 1] - at, &s->how);
}

static recon_status write_stacks(recon_ctx *ctx, cli_sink *to)
{
    recon_budget budget;
    stacks s = { .to = to, .how = to->how };
    recon_status status;
    s.how.budget = &budget;
    recon_budget_init(&budget, RECON_PIXELS_MOST);
    RECON_TRY(find_stacks(ctx, &s));
    RECON_TRY(recon_parallel(ctx, write_stack, &s, s.stacks));
done:
    recon_budget_end(&budget);
    recon_free_all(s.pages, s.from, s.angle, s.first);
    return status;
}

/* --- molecules: an XYZ file ------------------------------------------------------------------- */

static recon_status open_molecules(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    cli_sink *to = arg;
    size_t atoms = recon_molecules_describe(recon_data_molecules(in->use)).atoms;
    to->block_bytes = CLI_BLOCK * atoms * 3 * sizeof(float);
    return recon_xyz_writer_open(ctx, &to->xyz, to->path);
}

static recon_status take_molecules(recon_ctx *ctx, cli_sink *to, const float *xyz, size_t first,
                                   size_t n)
{
    const recon_molecules *data = recon_data_molecules(to->inputs->use);
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
                           const cli_inputs *inputs, const recon_group *group,
                           const cli_rotation *how)
{
    static const cli_case cases[] = { { "images", open_images },
                                      { "molecules", open_molecules },
                                      { 0 } };
    char own[RECON_PATH];
    *to = (cli_sink){ .path = path,
                      .stage = RECON_NO_STAGE,
                      .table = RECON_NO_TABLE,
                      .inputs = inputs,
                      .how = *how };
    RECON_CHECK(cli_by_data(ctx, cases, to, inputs));
    if (to->folder)
        table = recon_folder_join(own, to->folder, "poses.csv");
    to->has_table = table != NULL;
    if (table)
        RECON_CHECK(recon_table_open(ctx, &to->table, table, inputs, group, 1));
    return RECON_OK;
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
    recon_status status = to->has_table ? recon_table_sync(ctx, &to->table) : RECON_OK;
    return status != RECON_OK ? status
           : to->xyz          ? recon_xyz_writer_sync(ctx, to->xyz)
           : to->npy          ? recon_npy_writer_sync(ctx, to->npy)
                              : RECON_OK;
}

recon_status cli_sink_complete_table(recon_ctx *ctx, cli_sink *to)
{
    RECON_CHECK(recon_table_sync(ctx, &to->table));
    RECON_CHECK(recon_table_commit(ctx, &to->table));
    to->has_table = 0;
    return RECON_OK;
}

/* The table of a folder comes with it. */
static recon_status commit_all(recon_ctx *ctx, cli_sink *to)
{
    if (to->has_table && to->folder)
        RECON_CHECK(recon_table_commit(ctx, &to->table));
    RECON_CHECK(to->xyz   ? recon_xyz_writer_commit(ctx, to->xyz)
                : to->npy ? recon_npy_writer_commit(ctx, to->npy)
                          : recon_stage_commit(ctx, &to->stage));
    if (to->has_table && !to->folder)
        RECON_CHECK(recon_table_commit(ctx, &to->table));
    return RECON_OK;
}

void cli_sink_close(recon_ctx *ctx, cli_sink *to)
{
    recon_npy_writer_close(to->npy);
    recon_xyz_writer_close(to->xyz);
    recon_table_close(&to->table);
    recon_stage_close(ctx, &to->stage);
    free(to->page_angle);
}

/* What goes to --poses, on the disk but not in its place yet; *out is NULL where nothing does. */
static recon_status sync_poses(recon_ctx *ctx, recon_npy_writer **out, const char *path,
                               const recon_group *group, const double *absolute, size_t n)
{
    const size_t shape[] = { n, group->shape[0], group->shape[1] };
    int ndim = 1 + (shape[1] > 0) + (shape[2] > 0);
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
                             const recon_group *group, const double *absolute)
{
    char inside[RECON_PATH];
    recon_npy_writer *poses = NULL;
    recon_status status;
    const char *path = poses_path ? recon_stage_file(ctx, &to->stage, inside, poses_path) : NULL;
    if (to->folder)
        RECON_TRY(write_stacks(ctx, to));
    RECON_TRY(sync_poses(ctx, &poses, path, group, absolute, to->inputs->n));
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
