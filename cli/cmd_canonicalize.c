/* cmd_canonicalize.c - recon canonicalize: images or molecules in their natural pose, block by
 * block.
 */
#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/pictures.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/memory.h"
#include "core/npy.h"
#include "core/threads.h"
#include "data/dataset.h"
#include "data/xyz.h"

#include <errno.h>
#include <limits.h>
#include <recon/model/molcanonicalize.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int run(int argc, char **argv);
const cli_command cli_canonicalize = {
    .name = "canonicalize",
    .purpose = "turn images or molecules into their natural pose",
    .arguments = "",
    .example =
        "  recon canonicalize --model digits/model.safetensors --data mnist/test --turn mnist \\\n"
        "    --out upright.npy --poses g.npy\n"
        "  recon canonicalize --model signs/model.safetensors --data images:photos --out upright/\n"
        "  recon canonicalize --model mols/model.safetensors --data xyz:mine.xyz --out "
        "natural.xyz\n"
        "\n"
        "Images: FILE.npy gets them as float32, n x height x width [x channels]; any other name "
        "is\n"
        "a folder. Pictures of a folder (images:) keep their names, sub-folders, sizes, alpha and\n"
        "depth (8 or 16 bits) there: each file is read again and rotated once, at its own\n"
        "resolution. Other images are called 000000.png, 000001.png ... in their order. poses.csv\n"
        "beside them says by name how far each was rotated from its natural pose (degrees,\n"
        "counter-clockwise); g.npy gets the same in\n"
        "radians, in the order of the data.\n"
        "\n"
        "Molecules: FILE.xyz gets them as extended XYZ, turned about their centres, in the order "
        "of\n"
        "the data. g.npy gets how each was turned: n x 3 x 3, rotation matrices row by row. Where\n"
        "the spin about an axis is free (see `recon distribution`) the axis comes to stand where "
        "it\n"
        "belongs, and the spin is the same for all of a class but arbitrary.",
    .run = run,
};

enum { BLOCK = 1024, PATH = 4096, NAME = 1024 };

typedef struct {
    const char *model, *out, *poses;
    int interpolation;
    cli_data data;
    cli_common common;
} settings;

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[4 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "what `recon discover` wrote", CLI_MODEL, 1, &s->model },
        { "--out", "FILE.npy|DIR|FILE.xyz", NULL, "for what is canonical", CLI_TEXT, 1, &s->out },
        { "--poses", "g.npy", NULL, "file for the poses", CLI_TEXT, 0, &s->poses },
        { "--interpolation", NULL, "bilinear|bicubic", "of the one resampling (default bilinear)",
          CLI_CHOICE | CLI_IMAGES, 0, &s->interpolation },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    int code = cli_parse(&cli_canonicalize, options, &s->common, argc, argv, NULL, 0, NULL);
    if (code < 0 && recon_molecules_is(s->data.spec) && !cli_ends_in(s->out, ".xyz"))
        return cli_misuse(&cli_canonicalize, "--out %s: molecules go to a FILE.xyz", s->out);
    if (code < 0 && !recon_molecules_is(s->data.spec) && cli_is_other_format(s->out) &&
        !cli_ends_in(s->out, ".npy"))
        return cli_misuse(&cli_canonicalize,
                          "--out %s: images go to a folder, as PNG files, or to a FILE.npy",
                          s->out);
    return code;
}

/* --- where images go: one of the two ---------------------------------------------------------- */

typedef struct {
    recon_npy_writer *npy;
    recon_stage stage;  /* of the folder: pictures and poses come in one step */
    const char *folder; /* in which they are written, NULL: into a file       */
    const cli_images *images;
    recon_dataset_info d;
    recon_interpolation interpolation;
    size_t picture_most;
} sink;

static recon_status make_folder(recon_ctx *ctx, const char *path)
{
    struct stat s;
    if (mkdir(path, 0777) != 0 && (errno != EEXIST || stat(path, &s) != 0 || !S_ISDIR(s.st_mode)))
        return recon_fail(ctx, RECON_ERR_IO, "%s: cannot make the folder: %s", path,
                          strerror(errno));
    return RECON_OK;
}

static recon_status open_folder(recon_ctx *ctx, sink *to, const char *path)
{
    if (to->d.channels != 1 && to->d.channels != 3)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: pictures of %zu channels: name a .npy file",
                          path, to->d.channels);
    recon_status status = recon_stage_open(ctx, &to->stage, path, RECON_PICTURES);
    if (status == RECON_OK && strlen(to->stage.path) >= PATH - NAME)
        status = recon_fail(ctx, RECON_ERR_INPUT, "%.64s...: the path is too long", path);
    to->folder = to->stage.path;
    return status;
}

static recon_status sink_open(recon_ctx *ctx, sink *to, const settings *s, const cli_images *images)
{
    recon_dataset_info d = recon_dataset_describe(images->use);
    const size_t shape[] = { d.n, d.height, d.width, d.channels };
    *to = (sink){ .stage = RECON_NO_STAGE,
                  .images = images,
                  .d = d,
                  .interpolation = (recon_interpolation)s->interpolation,
                  .picture_most = cli_picture_most(&s->data) };
    if (cli_ends_in(s->out, ".npy"))
        return recon_npy_writer_open(ctx, &to->npy, s->out, RECON_F32, shape,
                                     d.channels == 1 ? 3 : 4);
    return open_folder(ctx, to, s->out);
}

/* The name that image i gets in the folder: that of its file, as a PNG, or its number. */
static const char *name_of(char out[NAME], const sink *to, size_t i)
{
    const char *file = cli_images_file(to->images, i);
    if (file)
        snprintf(out, NAME, "%s%s", file,
                 cli_ends_in(file, ".png") || cli_ends_in(file, ".PNG") ? "" : ".png");
    else
        snprintf(out, NAME, "%06zu.png", i);
    return out;
}

/* To path where image i goes, its folder made. */
static recon_status place_of(recon_ctx *ctx, char path[PATH], const sink *to, size_t i)
{
    char name[NAME];
    recon_status status = RECON_OK;
    snprintf(path, PATH, "%s/%s", to->folder, name_of(name, to, i));
    char *slash = strrchr(path, '/');
    if ((size_t)(slash - path) > strlen(to->folder)) { /* a class's folder */
        *slash = '\0';
        status = make_folder(ctx, path);
        *slash = '/';
    }
    return status;
}

typedef struct {
    const sink *to;
    const float *images;
    const recon_pose2 *poses;
    size_t first;
    cli_turning how;
} block;

static recon_status write_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const block *b = arg;
    const recon_dataset_info *d = &b->to->d;
    const char *from = cli_images_path(b->to->images, b->first + i);
    char path[PATH];
    recon_status status = place_of(ctx, path, b->to, b->first + i);
    (void)worker;
    if (status != RECON_OK)
        return status;
    if (!from)
        return cli_picture_write(ctx, path, b->images + i * d->height * d->width * d->channels,
                                 d->height, d->width, d->channels);
    /* The model saw a smaller copy; what --turn did to that is part of the one turn. */
    double angle = b->poses[i].turn + recon_dataset_angle(b->to->images->use, b->first + i);
    return cli_picture_turn(ctx, path, from, angle, &b->how);
}

static recon_status sink_take(recon_ctx *ctx, sink *to, const float *images,
                              const recon_pose2 *poses, size_t first, size_t n)
{
    recon_budget budget;
    block b = { to, images, poses, first, { to->interpolation, to->picture_most, &budget } };
    if (to->npy)
        return recon_npy_writer_append(ctx, to->npy, images, n);
    recon_budget_init(&budget, RECON_PIXELS_MOST);
    recon_status status = recon_parallel(ctx, write_one, &b, n);
    recon_budget_end(&budget);
    return status;
}

/* DIR/poses.csv: a line a picture, by name. */
static recon_status write_csv(recon_ctx *ctx, const sink *to, const double *absolute)
{
    char path[PATH], name[NAME];
    recon_writer csv = { .fd = -1 };
    recon_status status;
    snprintf(path, sizeof path, "%s/poses.csv", to->folder);
    RECON_TRY(recon_writer_open(ctx, &csv, path));
    RECON_TRY(cli_csv_print(ctx, &csv, "file,pose_deg\n"));
    for (size_t i = 0; i < to->d.n; i++) {
        RECON_TRY(cli_csv_text(ctx, &csv, name_of(name, to, i)));
        RECON_TRY(cli_csv_print(ctx, &csv, ",%.2f\n", absolute[i] * RECON_TO_DEGREES));
    }
    RECON_TRY(recon_writer_commit(ctx, &csv));
done:
    recon_writer_close(&csv);
    return status;
}

/* Everything on the disk, and nothing in its place yet. */
static recon_status sink_sync(recon_ctx *ctx, sink *to, const double *absolute)
{
    return to->npy ? recon_npy_writer_sync(ctx, to->npy) : write_csv(ctx, to, absolute);
}

static recon_status sink_commit(recon_ctx *ctx, sink *to)
{
    return to->npy ? recon_npy_writer_commit(ctx, to->npy) : recon_stage_commit(ctx, &to->stage);
}

static void sink_close(recon_ctx *ctx, sink *to)
{
    recon_npy_writer_close(to->npy);
    recon_stage_close(ctx, &to->stage);
}

/* --- what images and molecules share ---------------------------------------------------------- */

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

/* What was done, and how long it took: of that the model's share. */
typedef struct {
    const char *what; /* "images", "conformers" */
    size_t n, skipped;
    const recon_skips *skips;
    const cli_images *images; /* NULL: molecules */
    double begun, model;      /* seconds         */
} outcome;

static recon_status show_json(recon_ctx *ctx, const outcome *o, double seconds)
{
    const char *each = o->images ? "ms_an_image" : "ms_a_conformer";
    json_t *all =
        json_pack("{s:I, s:I, s:o, s:f, s:f, s:f, s:s}", o->what, (json_int_t)o->n, "skipped",
                  (json_int_t)o->skipped, "skipped_why", cli_skipped_json(o->skips), "seconds",
                  seconds, "seconds_model", o->model, each, 1000 * seconds / (double)o->n,
                  "backend", recon_ops_name(ctx));
    if (o->images)
        cli_unread_json(all, o->images);
    return cli_print_json(ctx, all);
}

static recon_status show(recon_ctx *ctx, const settings *s, const outcome *o)
{
    int folder = o->images && !cli_ends_in(s->out, ".npy");
    double seconds = recon_now() - o->begun, n = (double)o->n;
    if (s->common.json)
        return show_json(ctx, o, seconds);
    if (s->common.quiet)
        return RECON_OK;
    printf("%zu %s of %s in %.2f s: %.3f ms each, %.3f of it the model on %s\n", o->n, o->what,
           s->data.spec, seconds, 1000 * seconds / n, 1000 * o->model / n, recon_ops_name(ctx));
    cli_print_skipped(o->skipped, o->skips);
    printf("  written    %s%s%s%s\n", s->out, folder ? " (poses in poses.csv)" : "",
           s->poses ? ", " : "", s->poses ? s->poses : "");
    return RECON_OK;
}

/* Where a path leads, or will: of one that is not there yet, as its folder does. */
static int resolve(char out[PATH_MAX], const char *path)
{
    char folder[PATH_MAX];
    if (realpath(path, out))
        return 1;
    snprintf(folder, sizeof folder, "%s", path);
    for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/';)
        folder[--n] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    return realpath(slash ? folder : ".", out) != NULL;
}

/* Pictures keep their names, and conformers are numbered anew: written over those they come from,
 * they would replace them. A file of molecules may also be one of a folder of such; and a folder
 * among the pictures would be a class of them from then on. */
static recon_status keep_apart(recon_ctx *ctx, const settings *s)
{
    const char *colon = strchr(s->data.spec, ':');
    int pictures = recon_images_folder(s->data.spec) && !cli_ends_in(s->out, ".npy");
    char from[PATH_MAX], to[PATH_MAX];
    if (!colon || !realpath(colon + 1, from) ||
        !(pictures ? resolve(to, s->out) : realpath(s->out, to) != NULL))
        return RECON_OK;
    size_t n = strlen(from);
    int inside =
        !strncmp(from, to, n) && to[n] == '/' && (pictures || recon_molecules_is(s->data.spec));
    if (strcmp(from, to) && !inside)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: the data come from there; name another place",
                      s->out);
}

/* --- images ----------------------------------------------------------------------------------- */

typedef struct {
    float *in, *out;    /* [BLOCK] images */
    recon_pose2 *poses; /* [BLOCK]        */
    double *absolute;   /* [n]            */
    double seconds;     /* without files  */
} room;

static recon_status make_room(recon_ctx *ctx, room *r, recon_dataset_info d)
{
    size_t bytes = d.height * d.width * d.channels * sizeof(float);
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r->in, BLOCK, bytes));
    RECON_TRY(recon_alloc_raw(ctx, &r->out, BLOCK, bytes));
    RECON_TRY(recon_alloc_raw(ctx, &r->poses, BLOCK, sizeof *r->poses));
    RECON_TRY(recon_alloc_raw(ctx, &r->absolute, d.n, sizeof *r->absolute));
done:
    return status;
}

static recon_status turn_all(recon_ctx *ctx, room *r, sink *to, const recon_model *model,
                             const cli_images *images)
{
    size_t total = recon_dataset_describe(images->use).n;
    recon_status status = RECON_OK;
    recon_progress_begin(ctx, "canonicalize", total);
    for (size_t at = 0; at < total; at += BLOCK) {
        size_t n = total - at < BLOCK ? total - at : BLOCK;
        cli_images_read(r->in, images, at, n);
        double begun = recon_now();
        RECON_TRY(recon_canonicalize(ctx, r->out, r->poses, model, r->in, n,
                                     &(recon_canonicalize_options){ to->interpolation }));
        r->seconds += recon_now() - begun;
        for (size_t i = 0; i < n; i++)
            r->absolute[at + i] = r->poses[i].absolute;
        RECON_TRY(sink_take(ctx, to, r->out, r->poses, at, n));
        recon_progress_add(ctx, n);
    }
    recon_progress_end(ctx);
done:
    return status;
}

/* Pictures and poses: both on the disk before the first takes its place. Poses that go into the
 * folder of the pictures come with them. */
static recon_status put_in_place(recon_ctx *ctx, sink *to, const settings *s,
                                 const double *absolute)
{
    char inside[RECON_PATH];
    recon_npy_writer *poses = NULL;
    recon_status status;
    const char *path = s->poses ? recon_stage_file(ctx, &to->stage, inside, s->poses) : NULL;
    RECON_TRY(sync_poses(ctx, &poses, path, absolute, to->d.n, 1));
    RECON_TRY(sink_sync(ctx, to, absolute));
    if (path != s->poses)
        RECON_TRY(commit_poses(ctx, poses));
    RECON_TRY(sink_commit(ctx, to));
    if (path == s->poses)
        RECON_TRY(commit_poses(ctx, poses));
done:
    recon_npy_writer_close(poses);
    return status;
}

static recon_status canonicalize_images(recon_ctx *ctx, const settings *s)
{
    cli_images images;
    recon_model *model = NULL;
    sink to = { .stage = RECON_NO_STAGE };
    room r = { 0 };
    double begun = recon_now();
    recon_status status;
    RECON_TRY(cli_images_open_for(ctx, &images, &s->data, s->model));
    RECON_TRY(cli_model_open(ctx, &model, s->model, &images, &s->data));
    RECON_TRY(sink_open(ctx, &to, s, &images));
    RECON_TRY(make_room(ctx, &r, to.d));
    RECON_TRY(turn_all(ctx, &r, &to, model, &images));
    RECON_TRY(put_in_place(ctx, &to, s, r.absolute));
    RECON_TRY(show(
        ctx, s,
        &(outcome){ "images", to.d.n, images.skipped, &images.skips, &images, begun, r.seconds }));
done:
    free(r.in);
    free(r.out);
    free(r.poses);
    free(r.absolute);
    sink_close(ctx, &to);
    recon_model_close(ctx, model);
    cli_images_close(&images);
    return status;
}

/* --- molecules -------------------------------------------------------------------------------- */

typedef struct {
    recon_conformer *list; /* [BLOCK] */
    float *xyz;            /* [atoms of a block][3] */
    recon_pose3 *poses;    /* [BLOCK] */
    double *absolute;      /* [n][9] */
    double seconds;        /* without files */
    size_t free;           /* conformers whose natural pose is a choice in part */
} mol_room;

static recon_status make_mol_room(recon_ctx *ctx, mol_room *r, const cli_molecules *molecules)
{
    size_t atoms = recon_molecules_describe(molecules->use).atoms;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r->list, BLOCK, sizeof *r->list));
    RECON_TRY(recon_alloc_raw(ctx, &r->xyz, BLOCK * atoms, 3 * sizeof *r->xyz));
    RECON_TRY(recon_alloc_raw(ctx, &r->poses, BLOCK, sizeof *r->poses));
    RECON_TRY(recon_alloc_raw(ctx, &r->absolute, molecules->n, 9 * sizeof *r->absolute));
done:
    return status;
}

/* The block's conformers, as the room has them, to the file. */
static recon_status write_block(recon_ctx *ctx, const mol_room *r, recon_xyz_writer *to,
                                const recon_molecules *data, size_t n)
{
    const float *xyz = r->xyz;
    recon_status status;
    for (size_t i = 0; i < n; i++) {
        recon_conformer c = r->list[i];
        c.xyz = xyz;
        xyz += 3 * c.atoms;
        RECON_TRY(
            recon_xyz_writer_add(ctx, to, &c, recon_molecules_name(data, (size_t)c.molecule)));
    }
    status = RECON_OK;
done:
    return status;
}

static recon_status turn_molecules(recon_ctx *ctx, mol_room *r, recon_xyz_writer *to,
                                   const recon_molmodel *model, const cli_molecules *molecules)
{
    size_t total = molecules->n;
    recon_status status = RECON_OK;
    recon_progress_begin(ctx, "canonicalize", total);
    for (size_t at = 0; at < total; at += BLOCK) {
        size_t n = total - at < BLOCK ? total - at : BLOCK;
        cli_molecules_read(r->list, molecules, at, n);
        double begun = recon_now();
        RECON_TRY(recon_molcanonicalize(ctx, r->xyz, r->poses, model, r->list, n));
        r->seconds += recon_now() - begun;
        for (size_t i = 0; i < n; i++) {
            recon_so3_to_matrix(r->absolute + 9 * (at + i), r->poses[i].absolute);
            r->free += r->poses[i].free > 0;
        }
        RECON_TRY(write_block(ctx, r, to, molecules->use, n));
        recon_progress_add(ctx, n);
    }
    recon_progress_end(ctx);
done:
    return status;
}

static recon_status canonicalize_molecules(recon_ctx *ctx, const settings *s)
{
    cli_molecules molecules;
    recon_molmodel *model = NULL;
    recon_xyz_writer *to = NULL;
    recon_npy_writer *poses = NULL;
    mol_room r = { 0 };
    double begun = recon_now();
    recon_status status;
    RECON_TRY(cli_molecules_open_for(ctx, &molecules, &s->data, s->model));
    RECON_TRY(recon_molmodel_open(ctx, &model, s->model, cli_precision(ctx, s->data.precision)));
    RECON_TRY(recon_xyz_writer_open(ctx, &to, s->out));
    RECON_TRY(make_mol_room(ctx, &r, &molecules));
    RECON_TRY(turn_molecules(ctx, &r, to, model, &molecules));
    RECON_TRY(sync_poses(ctx, &poses, s->poses, r.absolute, molecules.n, 3));
    RECON_TRY(recon_xyz_writer_sync(ctx, to));
    RECON_TRY(recon_xyz_writer_commit(ctx, to));
    RECON_TRY(commit_poses(ctx, poses));
    RECON_TRY(show(ctx, s,
                   &(outcome){ "conformers", molecules.n, molecules.skipped, &molecules.skips, NULL,
                               begun, r.seconds }));
    if (r.free && !s->common.quiet && !s->common.json)
        printf(
            "  free       the spin about an axis, or more, for %zu: the same for all of a class, "
            "but arbitrary\n",
            r.free);
done:
    free(r.list);
    free(r.xyz);
    free(r.poses);
    free(r.absolute);
    recon_xyz_writer_close(to);
    recon_npy_writer_close(poses);
    recon_molmodel_close(ctx, model);
    cli_molecules_close(&molecules);
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    recon_status status = keep_apart(ctx, s);
    if (status != RECON_OK)
        return status;
    return recon_molecules_is(s->data.spec) ? canonicalize_molecules(ctx, s)
                                            : canonicalize_images(ctx, s);
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    int code = parse(&s, argc, argv);
    return code >= 0 ? code : cli_run(&cli_canonicalize, &s.common, work, &s);
}
