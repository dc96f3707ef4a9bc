/* data.c - the options of every command that reads data, and the inputs they ask for. */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/picture.h"
#include "backbone/photo_net.h"
#include "data/crop.h"
#include "data/dataset.h"
#include "data/folder.h"
#include "data/formats.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { DEVICE_CUDA = 1 };

void cli_data_options(cli_option *table, size_t capacity, cli_data *d)
{
    static char data[640]; /* the help of --data */
    char list[512];
    snprintf(data, sizeof data,
             "a file, a folder or a known set; %s; or a path to such a file or folder",
             recon_format_list(list, sizeof list));
    const cli_option options[] = {
        { "--data", "SPEC", NULL, data, CLI_SPEC | CLI_REQUIRED, 0, &d->spec },
        { "--rotate", "RULE", NULL,
          "rotate the data first, by a rule: mnist, fashion, all; fisher, haar; or a JSON file",
          CLI_TEXT | CLI_RULE, 0, &d->rotate },
        { "--rotate-seed", "S", NULL, "seed of these rotations (default 1)", CLI_COUNT, 0,
          &d->rotate_seed },
        { "--limit", "N", NULL, "use a random subset of N images or conformers", CLI_COUNT, 0,
          &d->limit },
        { "--seed", "S", NULL, "random seed (default 1)", CLI_COUNT, 0, &d->seed },
        { "--skip-bad", NULL, NULL, "skip inputs that cannot be used; they are listed", CLI_FLAG, 0,
          &d->skip_bad },
        { "--size", "N", NULL,
          "scale to N x N by their shorter side; default: the model's size, if any", CLI_COUNT,
          "images", &d->size },
        { "--crop", NULL, "none|auto", CLI_CROP_HELP "; models trained on crops always do",
          CLI_CHOICE, "images", &d->crop },
        { "--picture-limit", "MB", NULL, CLI_PICTURE_LIMIT_HELP, CLI_COUNT, "images",
          &d->picture_limit },
        { "--device", NULL, "cpu|cuda|ref", "device (default cpu)", CLI_CHOICE, 0, &d->device },
        { "--deterministic", NULL, NULL, "with cuda: bit-identical runs, slower", CLI_FLAG, 0,
          &d->deterministic },
        { "--strict", NULL, NULL,
          "exit 1 if the verdict is \"do not use\"; files are written all the same", CLI_FLAG, 0,
          &d->strict },
        { "--precision", NULL, CLI_PRECISIONS, CLI_PRECISION_HELP, CLI_CHOICE, 0, &d->precision },
    };
    static_assert(sizeof options / sizeof *options == CLI_DATA_OPTIONS, "as cli.h says");
    size_t n = 0;
    while (table[n].name)
        n++;
    assert(n + CLI_DATA_OPTIONS < capacity);
    (void)capacity;
    memcpy(table + n, options, sizeof options);
}

size_t cli_picture_most(const cli_data *data)
{
    const size_t most = SIZE_MAX / 2 / CLI_MEGABYTE;
    return CLI_MEGABYTE * (data->picture_limit < most ? data->picture_limit : most);
}

uint64_t cli_seed(const cli_data *data)
{
    return data->seed ? data->seed : 1;
}

recon_precision cli_precision(recon_ctx *ctx, int choice)
{
    static const recon_precision asked[] = { RECON_AUTO, RECON_SINGLE, RECON_TF32, RECON_AUTO };
    return recon_precision_on(ctx, asked[choice]);
}

recon_precision cli_use_precision(recon_ctx *ctx, int choice)
{
    return choice ? cli_precision(ctx, choice) : RECON_AUTO;
}

void cli_note_precision(recon_ctx *ctx, int choice)
{
    if (choice == CLI_BF16 && cli_precision(ctx, choice) != RECON_MIXED)
        recon_log(ctx, RECON_LOG_INFO, "--precision bf16: not faster on %s, so f32 is used",
                  recon_ops_name(ctx));
}

int cli_ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

recon_status cli_attach(recon_ctx *ctx, const cli_data *d)
{
    static const char *const devices[] = { "cpu", "cuda", "ref" };
    const char *name =
        d->device == DEVICE_CUDA && d->deterministic ? "cuda-deterministic" : devices[d->device];
    RECON_CHECK(recon_ops_attach(ctx, name));
    cli_note_precision(ctx, d->precision);
    return RECON_OK;
}

/* --- opened ----------------------------------------------------------------------------------- */

recon_source cli_source(const cli_data *d)
{
    return (recon_source){ .spec = d->spec,
                           .rotate = d->rotate,
                           .rotate_seed = d->rotate_seed,
                           .seed = cli_seed(d),
                           .limit = d->limit,
                           .size = d->size,
                           .channels = d->channels,
                           .skip_bad = d->skip_bad,
                           .crop = d->crop,
                           .picture_most = cli_picture_most(d) };
}

static recon_status name_remedy(recon_ctx *ctx, recon_status status, const cli_data *d)
{
    const recon_format *format = recon_format_of(d->spec);
    if (status == RECON_ERR_FORMAT && !d->skip_bad && format && format->one_by_one)
        return recon_note(ctx, status, "use --skip-bad to skip such files");
    if (status == RECON_ERR_INPUT && strstr(recon_ctx_message(ctx), RECON_PICTURE_LIMIT))
        return recon_note(ctx, status, "raise --picture-limit to read it");
    return status;
}

recon_status cli_inputs_open(recon_ctx *ctx, cli_inputs *out, const cli_data *d,
                             const recon_backbone *backbone)
{
    recon_source source = cli_source(d);
    recon_status status = recon_inputs_begin(ctx, out, &source, NULL, backbone);
    return out->whole ? status : name_remedy(ctx, status, d);
}

recon_status cli_also_open(recon_ctx *ctx, cli_inputs *out, const cli_data *data,
                           const char *option, const char *spec, const recon_backbone *backbone)
{
    const char *kind = recon_data_kind_of(data->spec)->name, *held = recon_data_kind_of(spec)->name;
    cli_data other = *data;
    *out = (cli_inputs){ 0 };
    if (strcmp(kind, held))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s %s: %s, but --data are %s", option, spec, held,
                          kind);
    other.spec = spec;
    other.limit = 0;
    return cli_inputs_open(ctx, out, &other, backbone);
}

recon_status cli_open(recon_ctx *ctx, cli_subject *out, const char *path, const cli_data *data)
{
    *out = (cli_subject){ 0 };
    RECON_CHECK(cli_attach(ctx, data));
    RECON_CHECK(recon_model_open(ctx, &out->model, path, cli_use_precision(ctx, data->precision)));
    cli_judge(recon_model_trust(out->model), data);
    const recon_backbone *backbone = recon_model_backbone(out->model);
    RECON_CHECK(cli_inputs_open(ctx, &out->inputs, data, backbone));
    return cli_inputs_keep(ctx, &out->inputs, data, backbone);
}

void cli_close(recon_ctx *ctx, cli_subject *subject)
{
    recon_inputs_end(&subject->inputs);
    recon_model_close(ctx, subject->model);
}

/* --- as what they are -------------------------------------------------------------------------- */

recon_status cli_by_data(recon_ctx *ctx, const cli_case *table, void *arg, const cli_inputs *in)
{
    while (table->data && strcmp(table->data, in->use->kind->name) != 0)
        table++;
    return table->run ? table->run(ctx, arg, in)
                      : recon_fail(ctx, RECON_ERR_UNSUPPORTED, "this command has nothing for %s",
                                   in->use->kind->many);
}

const cli_words *cli_words_of(const cli_inputs *in)
{
    static const cli_words table[] = {
        { "images", "file", "ms_an_image", "pose_deg", "image   score  p-value  pose",
          "%+5.0f degrees", "degrees" },
        { "molecules", "molecule", "ms_a_conformer", "tilt_deg",
          " row   score  p-value  tilt         molecule", "%5.0f degrees", "rotation" },
        { NULL, "input", "ms_an_input", "pose_deg", " row   score  p-value  pose", "%+5.0f degrees",
          "rotation" },
    };
    const cli_words *w = table;
    while (w->data && strcmp(w->data, in->use->kind->name) != 0)
        w++;
    return w;
}

const char *cli_images_path(const cli_inputs *in, size_t i)
{
    return recon_dataset_path(recon_data_images(recon_inputs_unrotated(in)), i);
}

void cli_images_whole(float *out, const cli_inputs *in, size_t i)
{
    recon_dataset_whole(out, recon_data_images(recon_inputs_unrotated(in)), i);
}

recon_status cli_note_span(recon_ctx *ctx, const cli_inputs *in, const char *spec,
                           recon_preset preset)
{
    const recon_dataset *images = recon_data_images(in->use);
    double span = 1;
    recon_status status = RECON_OK;
    if (images && !in->cropped && !recon_preset_is_photo(preset))
        status = recon_dataset_span(ctx, &span, recon_data_images(recon_inputs_unrotated(in)));
    if (status == RECON_OK && span < RECON_CROP_SMALL)
        recon_log(
            ctx, RECON_LOG_INFO,
            "%s: objects span only %.0f %% of their frames (median); --crop auto centres them and"
            " scales them up, so the network sees more of them",
            spec, 100 * span);
    return status;
}

/* --- those that can be used ------------------------------------------------------------------- */

static recon_status name_skipping(recon_ctx *ctx, recon_status status, const cli_inputs *in,
                                  const cli_data *d)
{
    return status == RECON_ERR_INPUT && !d->skip_bad
               ? recon_note(ctx, status, "use --skip-bad to skip such %s", in->use->kind->many)
               : status;
}

recon_status cli_inputs_filter(recon_ctx *ctx, cli_inputs *in, const cli_data *d, const char *spec,
                               recon_accept *accept, const void *user)
{
    return name_skipping(ctx, recon_inputs_filter(ctx, in, spec, d->skip_bad, accept, user), in, d);
}

recon_status cli_inputs_keep(recon_ctx *ctx, cli_inputs *in, const cli_data *d,
                             const recon_backbone *backbone)
{
    return name_skipping(ctx, recon_inputs_keep(ctx, in, d->spec, d->skip_bad, backbone), in, d);
}

/* --- what was left out ------------------------------------------------------------------------ */

enum { SHOWN = 10 };

void cli_print_skipped(size_t skipped, const recon_skips *skips)
{
    size_t shown = skips->n < SHOWN ? skips->n : SHOWN;
    if (!skipped)
        return;
    printf("  skipped    %zu that cannot be used%s\n", skipped, shown ? ":" : "");
    for (size_t i = 0; i < shown; i++)
        printf("             %s\n", skips->text[i]);
    if (shown && skipped > shown)
        printf("             and %zu more\n", skipped - shown);
}

json_t *cli_skipped_json(const recon_skips *skips)
{
    json_t *out = json_array();
    for (size_t i = 0; i < skips->n; i++) /* one that is not UTF-8 is left out */
        json_array_append_new(out, json_string(skips->text[i]));
    return out;
}

void cli_unread_json(json_t *object, const cli_inputs *in)
{
    const recon_dataset *images = recon_data_images(in->whole);
    json_t *why = images ? json_array() : NULL;
    const char *text;
    if (!images)
        return;
    for (size_t i = 0; (text = recon_dataset_unread_why(images, i)); i++)
        json_array_append_new(why, json_string(text));
    json_object_set_new(object, "not_read", json_integer((json_int_t)recon_dataset_unread(images)));
    json_object_set_new(object, "not_read_why", why);
}
