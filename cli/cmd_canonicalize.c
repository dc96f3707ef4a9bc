/* cmd_canonicalize.c - recon canonicalize: images in their natural pose, block by block. */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"

#include <errno.h>
#include <recon/core/png.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int run(int argc, char **argv);
const cli_command cli_canonicalize = {
    .name = "canonicalize",
    .purpose = "turn images into their natural pose",
    .arguments = "",
    .example =
        "  recon canonicalize --model digits/model.safetensors --data mnist/test --turn mnist \\\n"
        "    --out upright.npy --poses g.npy\n"
        "  recon canonicalize --model signs/model.safetensors --data png:photos --out upright/\n"
        "\n"
        "FILE.npy gets the images as float32, n x height x width [x channels]; any other name is "
        "a\n"
        "folder for 000000.png, 000001.png ... in the order of the data. g.npy gets how far each\n"
        "image was turned from its natural pose: radians, counter-clockwise.",
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
        { "--out", "FILE.npy|DIR", NULL, "for the canonical images", CLI_TEXT, 1, &s->out },
        { "--poses", "g.npy", NULL, "file for the poses", CLI_TEXT, 0, &s->poses },
        { "--interpolation", NULL, "bilinear|bicubic", "of the one resampling (default bilinear)",
          CLI_CHOICE, 0, &s->interpolation },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    return cli_parse(&cli_canonicalize, options, &s->common, argc, argv, NULL, 0, NULL);
}

/* --- where the images go: one of the two ------------------------------------------------------ */

typedef struct {
    recon_npy_writer *npy;
    const char *folder;
    uint8_t *bytes; /* one picture */
    size_t height, width, channels;
} sink;

static int ends_in_npy(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".npy");
}

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
    if (ends_in_npy(path))
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

/* --- the work --------------------------------------------------------------------------------- */

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

static recon_status finish(recon_ctx *ctx, const settings *s, sink *to, const room *r, size_t n)
{
    recon_array g = { .dtype = RECON_F64, .ndim = 1, .shape = { n }, .data = r->absolute };
    recon_status status;
    if (s->poses)
        RECON_TRY(recon_npy_write(ctx, s->poses, &g));
    if (to->npy)
        RECON_TRY(recon_npy_writer_commit(ctx, to->npy));
done:
    return status;
}

static recon_status show(recon_ctx *ctx, const settings *s, const room *r, recon_dataset_info d)
{
    double each = 1000 * r->seconds / (double)d.n;
    if (s->common.json)
        return cli_print_json(ctx, json_pack("{s:I, s:I, s:f, s:s}", "images", (json_int_t)d.n,
                                             "skipped", (json_int_t)d.skipped, "ms_an_image", each,
                                             "backend", recon_ops_name(ctx)));
    if (s->common.quiet)
        return RECON_OK;
    printf("%zu images of %s, %.3f ms each on %s\n", d.n, s->data.spec, each, recon_ops_name(ctx));
    if (d.skipped)
        printf("  skipped    %zu that could not be read\n", d.skipped);
    printf("  written    %s%s%s\n", s->out, s->poses ? ", " : "", s->poses ? s->poses : "");
    return RECON_OK;
}

/* Pictures are numbered anew: written among those they come from, they would replace them. */
static recon_status keep_apart(recon_ctx *ctx, const settings *s)
{
    char from[PATH_MAX], to[PATH_MAX];
    if (strncmp(s->data.spec, "png:", 4) || !realpath(s->data.spec + 4, from) ||
        !realpath(s->out, to) || strcmp(from, to))
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: the pictures come from there; name another folder",
                      s->out);
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    cli_images images;
    recon_model *model = NULL;
    sink to = { 0 };
    room r = { 0 };
    recon_status status = keep_apart(ctx, s);
    if (status != RECON_OK)
        return status;
    RECON_TRY(cli_images_open(ctx, &images, &s->data));
    recon_dataset_info d = recon_dataset_describe(images.use);
    d.skipped = recon_dataset_describe(images.whole).skipped;
    RECON_TRY(cli_model_open(ctx, &model, s->model, &images, &s->data));
    RECON_TRY(sink_open(ctx, &to, s->out, d));
    RECON_TRY(make_room(ctx, &r, d));
    RECON_TRY(turn_all(ctx, &r, &to, model, &images, (recon_interpolation)s->interpolation));
    RECON_TRY(finish(ctx, s, &to, &r, d.n));
    RECON_TRY(show(ctx, s, &r, d));
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

static int run(int argc, char **argv)
{
    settings s = { 0 };
    int code = parse(&s, argc, argv);
    return code >= 0 ? code : cli_run(&cli_canonicalize, &s.common, work, &s);
}
