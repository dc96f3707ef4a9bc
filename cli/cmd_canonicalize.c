/* cmd_canonicalize.c - recon canonicalize: images or molecules in their natural pose, block by
 * block.
 */
#include "cli/sinks.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset.h"
#include "data/image.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);
const cli_command cli_canonicalize = {
    .name = "canonicalize",
    .purpose = "rotate images or molecules into their natural pose",
    .arguments = "",
    .example =
        "  recon canonicalize --model digits/model.safetensors --data mnist/test --rotate mnist \\\n"
        "    --out upright.npy --poses g.npy\n"
        "  recon canonicalize --model signs/model.safetensors --data images:photos --out upright/\n"
        "  recon canonicalize --model molecules/model.safetensors --data xyz:mine.xyz --out natural.xyz\n"
        "\n"
        "Images: FILE.npy gets them as float32, n x height x width [x channels]; any other name is\n"
        "a folder. Images of a folder (images:) keep their names (as .png), sub-folders, sizes, alpha and\n"
        "depth (8 or 16 bits) there: each file is read again and rotated once, at its own\n"
        "resolution. Other images are called 000000.png, 000001.png ... in their order. poses.csv\n"
        "beside them says by name how far each was rotated from its natural pose (degrees,\n"
        "counter-clockwise), whether there is one (verdict; with fold m it is known modulo 360/m\n"
        "degrees) and how unusual the pose is (p_value); g.npy gets the poses in radians, in the\n"
        "order of the data.\n"
        "\n"
        "Molecules: FILE.xyz gets them as extended XYZ, rotated about their centres, in the order of\n"
        "the data. g.npy gets the rotation of each: n x 3 x 3 matrices, row-major. Where the spin\n"
        "about an axis is free (see `recon distribution`), the axis is aligned, and the spin is\n"
        "arbitrary but the same for all of a class.",
    .run = run,
};

typedef struct {
    const char *model, *out, *poses;
    int interpolation;
    cli_data data;
    cli_common common;
} settings;

static int is_of_images(const settings *s)
{
    return !strcmp(recon_data_kind_of(s->data.spec)->name, "images");
}

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[4 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "what `recon discover` wrote", CLI_MODEL, 1, &s->model },
        { "--out", "FILE.npy|DIR|FILE.xyz", NULL, "output file or folder", CLI_TEXT, 1, &s->out },
        { "--poses", "g.npy", NULL, "file for the poses", CLI_TEXT, 0, &s->poses },
        { "--interpolation", NULL, "bilinear|bicubic",
          "interpolation of the resampling (default "
          "bilinear)",
          CLI_CHOICE | CLI_IMAGES, 0, &s->interpolation },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    int code = cli_parse(&cli_canonicalize, options, &s->common, argc, argv, NULL, 0, NULL);
    if (code < 0 && !is_of_images(s) && !cli_ends_in(s->out, ".xyz"))
        return cli_misuse(&cli_canonicalize, "--out %s: molecules go to a FILE.xyz", s->out);
    if (code < 0 && is_of_images(s) && cli_is_other_format(s->out) && !cli_ends_in(s->out, ".npy"))
        return cli_misuse(&cli_canonicalize,
                          "--out %s: images go to a folder, as PNG files, or to a FILE.npy",
                          s->out);
    return code;
}

/* What was done, and how long it took: of that the model's share. */
typedef struct {
    const cli_inputs *inputs;
    double begun, model; /* seconds */
    size_t free;         /* inputs whose natural pose is a choice in part */
} outcome;

static recon_status show_json(recon_ctx *ctx, const outcome *o, double seconds)
{
    const cli_inputs *in = o->inputs;
    const char *each = cli_images(in) ? "ms_an_image" : "ms_a_conformer";
    json_t *all =
        json_pack("{s:I, s:I, s:o, s:f, s:f, s:f, s:s}", in->use->kind->many, (json_int_t)in->n,
                  "skipped", (json_int_t)in->skipped, "skipped_why", cli_skipped_json(&in->skips),
                  "seconds", seconds, "seconds_model", o->model, each,
                  1000 * seconds / (double)in->n, "backend", recon_ops_name(ctx));
    cli_unread_json(all, in);
    return cli_print_json(ctx, all);
}

static recon_status show(recon_ctx *ctx, const settings *s, const outcome *o)
{
    int folder = cli_images(o->inputs) && !cli_ends_in(s->out, ".npy");
    double seconds = recon_now() - o->begun, n = (double)o->inputs->n;
    if (s->common.json)
        return show_json(ctx, o, seconds);
    if (s->common.quiet)
        return RECON_OK;
    printf("%zu %s of %s in %.2f s: %.3f ms each, %.3f of it the model on %s\n", o->inputs->n,
           o->inputs->use->kind->many, s->data.spec, seconds, 1000 * seconds / n,
           1000 * o->model / n, recon_ops_name(ctx));
    cli_print_skipped(o->inputs->skipped, &o->inputs->skips);
    printf("  written    %s%s%s%s\n", s->out, folder ? " (poses in poses.csv)" : "",
           s->poses ? ", " : "", s->poses ? s->poses : "");
    if (o->free)
        printf(
            "  free       the spin about an axis, or more, for %zu: the same for all of a class, "
            "but arbitrary\n",
            o->free);
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
    int inside = !strncmp(from, to, n) && to[n] == '/' && (pictures || !is_of_images(s));
    if (strcmp(from, to) && !inside)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: this is the input; choose another output", s->out);
}

/* --- the work --------------------------------------------------------------------------------- */

typedef struct {
    char *in, *out;   /* [CLI_BLOCK] inputs              */
    char *poses;      /* [CLI_BLOCK] of the group's type */
    double *absolute; /* [n] angles, or [n][9] matrices  */
} room;

static recon_status make_room(recon_ctx *ctx, room *r, const cli_sink *to, recon_group group)
{
    size_t pose = group == RECON_SO2 ? sizeof(recon_pose2) : sizeof(recon_pose3);
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r->in, CLI_BLOCK, recon_data_describe(to->inputs->use).bytes));
    RECON_TRY(recon_alloc_raw(ctx, &r->out, to->block_bytes, 1));
    RECON_TRY(recon_alloc_raw(ctx, &r->poses, CLI_BLOCK, pose));
    RECON_TRY(recon_alloc_raw(ctx, &r->absolute, to->inputs->n,
                              (group == RECON_SO2 ? 1 : 9) * sizeof *r->absolute));
done:
    return status;
}

static void room_free(room *r)
{
    free(r->in);
    free(r->out);
    free(r->poses);
    free(r->absolute);
}

/* The absolute poses of a block, from place `at` on; how many of them are a choice in part. */
static size_t keep_poses(room *r, size_t at, size_t n, recon_group group)
{
    const recon_pose2 *two = (const recon_pose2 *)r->poses;
    const recon_pose3 *three = (const recon_pose3 *)r->poses;
    size_t free = 0;
    for (size_t i = 0; i < n; i++) {
        if (group == RECON_SO2) {
            r->absolute[at + i] = two[i].absolute;
            continue;
        }
        recon_so3_to_matrix(r->absolute + 9 * (at + i), three[i].absolute);
        free += three[i].free > 0;
    }
    return free;
}

/* The model saw crops; what is written are the images they were made from. What --rotate did is part of
 * the one rotation. */
static recon_status rotate_whole(recon_ctx *ctx, room *r, const cli_sink *to, size_t at, size_t n)
{
    const recon_dataset_info d = recon_dataset_describe(cli_images(to->inputs));
    const recon_pose2 *poses = (const recon_pose2 *)r->poses;
    double *angle = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &angle, n, sizeof *angle));
    for (size_t i = 0; i < n; i++) {
        cli_images_whole((float *)r->in + i * d.height * d.width * d.channels, to->inputs, at + i);
        angle[i] = poses[i].rotation + recon_dataset_angle(cli_images(to->inputs), at + i);
    }
    RECON_TRY(recon_images_rotate(ctx, (float *)r->out, (const float *)r->in, NULL, angle, n,
                                  &(recon_image_size){ d.height, d.width, d.channels },
                                  to->interpolation));
done:
    free(angle);
    return status;
}

static recon_status to_file(recon_ctx *ctx, outcome *o, room *r, cli_sink *to,
                            const recon_model *model, size_t at, size_t n)
{
    double begun = recon_now();
    recon_status status =
        recon_canonicalize(ctx, r->out, r->poses, model, r->in, n,
                           &(recon_canonicalize_options){ .interpolation = to->interpolation });
    o->model += recon_now() - begun;
    if (status == RECON_OK && to->inputs->cropped)
        status = rotate_whole(ctx, r, to, at, n);
    return status == RECON_OK ? cli_sink_take(ctx, to, r->out, at, n) : status;
}

/* With all that is known of each picture. */
static recon_status to_folder(recon_ctx *ctx, outcome *o, room *r, cli_sink *to,
                              const recon_model *model, size_t at, size_t n)
{
    const float *in = (const float *)r->in;
    recon_pose2 *poses = (recon_pose2 *)r->poses;
    recon_distribution *of = NULL;
    double begun = recon_now();
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &of, n, sizeof *of));
    RECON_TRY(recon_distribution_images(ctx, of, model, in, n));
    o->model += recon_now() - begun;
    for (size_t i = 0; i < n; i++) {
        poses[i] = of[i].pose;
        to->remarks[at + i] = (cli_remark){ of[i].verdict, of[i].fold, of[i].p_value };
    }
    RECON_TRY(cli_sink_pictures(ctx, to, (float *)r->out, in, poses, at, n));
done:
    free(of);
    return status;
}

static recon_status rotate_all(recon_ctx *ctx, outcome *o, room *r, cli_sink *to,
                               const recon_model *model)
{
    const recon_data *data = to->inputs->use;
    recon_group group = recon_model_describe(model).group;
    size_t total = to->inputs->n;
    recon_status status = RECON_OK;
    recon_progress_begin(ctx, "canonicalize", total);
    for (size_t at = 0; at < total; at += CLI_BLOCK) {
        size_t n = total - at < CLI_BLOCK ? total - at : CLI_BLOCK;
        data->kind->read(r->in, data, at, n);
        RECON_TRY(to->remarks ? to_folder(ctx, o, r, to, model, at, n)
                              : to_file(ctx, o, r, to, model, at, n));
        o->free += keep_poses(r, at, n, group);
        recon_progress_add(ctx, n);
    }
    recon_progress_end(ctx);
done:
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    cli_subject subject = { 0 };
    cli_sink to = { .stage = RECON_NO_STAGE };
    room r = { 0 };
    outcome o = { .inputs = &subject.inputs, .begun = recon_now() };
    recon_status status;
    RECON_TRY(keep_apart(ctx, s));
    RECON_TRY(cli_open(ctx, &subject, s->model, &s->data));
    recon_group group = recon_model_describe(subject.model).group;
    RECON_TRY(cli_sink_open(ctx, &to, s->out, &subject.inputs,
                            (recon_interpolation)s->interpolation, cli_picture_most(&s->data)));
    RECON_TRY(make_room(ctx, &r, &to, group));
    RECON_TRY(rotate_all(ctx, &o, &r, &to, subject.model));
    RECON_TRY(cli_sink_commit(ctx, &to, s->poses, r.absolute, group == RECON_SO2 ? 1 : 3));
    RECON_TRY(show(ctx, s, &o));
done:
    room_free(&r);
    cli_sink_close(ctx, &to);
    cli_close(ctx, &subject);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    int code = parse(&s, argc, argv);
    return code >= 0 ? code : cli_run(&cli_canonicalize, &s.common, work, &s);
}
