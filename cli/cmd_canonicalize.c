/* cmd_canonicalize.c - recon canonicalize: images or molecules in their natural pose, block by
 * block.
 */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"

#include <errno.h>
#include <limits.h>
#include <recon/apps/molcanonicalize.h>
#include <recon/core/png.h>
#include <recon/data/xyz.h>
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
        "  recon canonicalize --model signs/model.safetensors --data png:photos --out upright/\n"
        "  recon canonicalize --model mols/model.safetensors --data xyz:mine.xyz --out "
        "natural.xyz\n"
        "\n"
        "Images: FILE.npy gets them as float32, n x height x width [x channels]; any other name "
        "is\n"
        "a folder for 000000.png, 000001.png ... in the order of the data. g.npy gets how far "
        "each\n"
        "was turned from its natural pose: radians, counter-clockwise.\n"
        "\n"
        "Molecules: FILE.xyz gets them as extended XYZ, turned about their centres, in the order "
        "of\n"
        "the data. g.npy gets how each was turned: n x 3 x 3, rotation matrices row by row. Where\n"
        "the spin about an axis is free (see `recon distribution`) the axis comes to stand where "
        "it\n"
        "belongs, and the spin is the same for all of a class but arbitrary.",
    .run = run,
};

enum { BLOCK = 1024, PATH = 4096 };

typedef struct {
    const char *model, *out, *poses;
    int interpolation;
    cli_data data;
    cli_common common;
} settings;

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[4 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "what `recon discover` wrote", CLI_TEXT, 1, &s->model },
        { "--out", "FILE.npy|DIR|FILE.xyz", NULL, "for what is canonical", CLI_TEXT, 1, &s->out },
        { "--poses", "g.npy", NULL, "file for the poses", CLI_TEXT, 0, &s->poses },
        { "--interpolation", NULL, "bilinear|bicubic", "of the one resampling (default bilinear)",
          CLI_CHOICE | CLI_IMAGES, 0, &s->interpolation },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    int code = cli_parse(&cli_canonicalize, options, &s->common, argc, argv, NULL, 0, NULL);
    if (code < 0 && recon_molecules_is(s->data.spec) && !cli_ends_in(s->out, ".xyz"))
        return cli_misuse(&cli_canonicalize, "--out %s: molecules go to a FILE.xyz", s->out);
    return code;
}

/* --- where images go: one of the two ---------------------------------------------------------- */

typedef struct {
    recon_npy_writer *npy;
    const char *folder;
    uint8_t *bytes; /* one picture */
    size_t height, width, channels;
} sink;

static recon_status open_folder(recon_ctx *ctx, sink *to, const char *path)
{
    struct stat s;
    if (to->channels != 1 && to->channels != 3)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: pictures of %zu channels: name a .npy file",
                          path, to->channels);
    if (strlen(path) > PATH - 64)
        return recon_fail(ctx, RECON_ERR_INPUT, "%.64s...: the path is too long", path);
    if (mkdir(path, 0777) != 0 && (errno != EEXIST || stat(path, &s) != 0 || !S_ISDIR(s.st_mode)))
        return recon_fail(ctx, RECON_ERR_IO, "%s: cannot make the folder: %s", path,
                          strerror(errno));
    to->folder = path;
    return recon_alloc(ctx, &to->bytes, to->height * to->width, to->channels);
}

static recon_status sink_open(recon_ctx *ctx, sink *to, const char *path, recon_dataset_info d)
{
    const size_t shape[] = { d.n, d.height, d.width, d.channels };
    *to = (sink){ .height = d.height, .width = d.width, .channels = d.channels };
    if (cli_ends_in(path, ".npy"))
        return recon_npy_writer_open(ctx, &to->npy, path, RECON_F32, shape,
                                     d.channels == 1 ? 3 : 4);
    return open_folder(ctx, to, path);
}

static void sink_close(sink *to)
{
    recon_npy_writer_close(to->npy);
    free(to->bytes);
}

static recon_status write_png(recon_ctx *ctx, const sink *to, const float *image, size_t i)
{
    char path[PATH];
    for (size_t j = 0; j < to->height * to->width * to->channels; j++) {
        float x = image[j] < 0 ? 0 : image[j] > 1 ? 1 : image[j];
        to->bytes[j] = (uint8_t)(255 * x + 0.5f);
    }
    snprintf(path, sizeof path, "%s/%06zu.png", to->folder, i);
    return recon_png_write(ctx, path, to->bytes, to->height, to->width, to->channels);
}

static recon_status sink_take(recon_ctx *ctx, sink *to, const float *images, size_t first, size_t n)
{
    size_t pixels = to->height * to->width * to->channels;
    recon_status status = RECON_OK;
    if (to->npy)
        return recon_npy_writer_append(ctx, to->npy, images, n);
    for (size_t i = 0; status == RECON_OK && i < n; i++)
        status = write_png(ctx, to, images + i * pixels, first + i);
    return status;
}

/* --- what images and molecules share ---------------------------------------------------------- */

/* ndim: 1, angles [n], or 3, matrices [n][3][3]. */
static recon_status write_poses(recon_ctx *ctx, const settings *s, const double *absolute, size_t n,
                                int ndim)
{
    recon_array g = { .dtype = RECON_F64, .ndim = ndim, .shape = { n, 3, 3 }, .data = absolute };
    return s->poses ? recon_npy_write(ctx, s->poses, &g) : RECON_OK;
}

static recon_status show(recon_ctx *ctx, const settings *s, const char *what, size_t n,
                         size_t skipped, double seconds)
{
    int molecules = recon_molecules_is(s->data.spec);
    double each = 1000 * seconds / (double)n;
    if (s->common.json)
        return cli_print_json(ctx, json_pack("{s:I, s:I, s:f, s:s}", what, (json_int_t)n, "skipped",
                                             (json_int_t)skipped,
                                             molecules ? "ms_a_conformer" : "ms_an_image", each,
                                             "backend", recon_ops_name(ctx)));
    if (s->common.quiet)
        return RECON_OK;
    printf("%zu %s of %s, %.3f ms each on %s\n", n, what, s->data.spec, each, recon_ops_name(ctx));
    if (skipped)
        printf("  skipped    %zu that could not be used\n", skipped);
    printf("  written    %s%s%s\n", s->out, s->poses ? ", " : "", s->poses ? s->poses : "");
    return RECON_OK;
}

/* Pictures are numbered anew, and so are conformers: written over those they come from, they would
 * replace them. A file of molecules may also be one of a folder of such. */
static recon_status keep_apart(recon_ctx *ctx, const settings *s)
{
    const char *colon = strchr(s->data.spec, ':');
    char from[PATH_MAX], to[PATH_MAX];
    if (!colon || !realpath(colon + 1, from) || !realpath(s->out, to))
        return RECON_OK;
    size_t n = strlen(from);
    int inside = !strncmp(from, to, n) && to[n] == '/' && recon_molecules_is(s->data.spec);
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
                             const cli_images *images, recon_interpolation interpolation)
{
    size_t total = recon_dataset_describe(images->use).n;
    recon_status status;
    recon_progress_begin(ctx, "canonicalize", total);
    for (size_t at = 0; at < total; at += BLOCK) {
        size_t n = total - at < BLOCK ? total - at : BLOCK;
        cli_images_read(r->in, images, at, n);
        double begun = recon_now();
        RECON_TRY(recon_canonicalize(ctx, r->out, r->poses, model, r->in, n,
                                     &(recon_canonicalize_options){ interpolation }));
        r->seconds += recon_now() - begun;
        for (size_t i = 0; i < n; i++)
            r->absolute[at + i] = r->poses[i].absolute;
        RECON_TRY(sink_take(ctx, to, r->out, at, n));
        recon_progress_add(ctx, n);
    }
    recon_progress_end(ctx);
done:
    return status;
}

static recon_status canonicalize_images(recon_ctx *ctx, const settings *s)
{
    cli_images images;
    recon_model *model = NULL;
    sink to = { 0 };
    room r = { 0 };
    recon_status status;
    RECON_TRY(cli_images_open(ctx, &images, &s->data));
    recon_dataset_info d = recon_dataset_describe(images.use);
    RECON_TRY(cli_model_open(ctx, &model, s->model, &images, &s->data));
    RECON_TRY(sink_open(ctx, &to, s->out, d));
    RECON_TRY(make_room(ctx, &r, d));
    RECON_TRY(turn_all(ctx, &r, &to, model, &images, (recon_interpolation)s->interpolation));
    RECON_TRY(write_poses(ctx, s, r.absolute, d.n, 1));
    if (to.npy)
        RECON_TRY(recon_npy_writer_commit(ctx, to.npy));
    RECON_TRY(show(ctx, s, "images", d.n, recon_dataset_describe(images.whole).skipped, r.seconds));
done:
    free(r.in);
    free(r.out);
    free(r.poses);
    free(r.absolute);
    sink_close(&to);
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
    recon_status status;
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
    mol_room r = { 0 };
    recon_status status;
    RECON_TRY(cli_molecules_open(ctx, &molecules, &s->data));
    RECON_TRY(cli_molmodel_open(ctx, &model, s->model, &molecules, &s->data));
    RECON_TRY(recon_xyz_writer_open(ctx, &to, s->out));
    RECON_TRY(make_mol_room(ctx, &r, &molecules));
    RECON_TRY(turn_molecules(ctx, &r, to, model, &molecules));
    RECON_TRY(write_poses(ctx, s, r.absolute, molecules.n, 3));
    RECON_TRY(recon_xyz_writer_commit(ctx, to));
    RECON_TRY(show(ctx, s, "conformers", molecules.n, molecules.skipped, r.seconds));
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
