/* data.c - the options of every command that reads data, and the inputs they ask for. */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/picture.h"
#include "backbone/ieae.h"
#include "backbone/kinds.h"
#include "data/crop.h"
#include "data/dataset.h"
#include "data/folder.h"
#include "data/kinds.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE_CUDA = 1 };

void cli_data_options(cli_option *table, size_t capacity, cli_data *d)
{
    const cli_option options[] = {
        { "--data", "SPEC", NULL,
          "images: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, "
          "cifar10/train|val|test, idx:FILE, npy:FILE, images:DIR, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, "
          "sdf:FILE, geom:FILE, flat:DIR; or a path to such a file or folder",
          CLI_SPEC, 1, &d->spec },
        { "--rotate", "RULE", NULL,
          "first rotate upright data: mnist, fashion, all; fisher, haar; or a JSON file", CLI_TEXT,
          0, &d->rotate },
        { "--rotate-seed", "S", NULL, "seed of those rotations (default 1)", CLI_COUNT, 0,
          &d->rotate_seed },
        { "--limit", "N", NULL, "use a random subset of N images or conformers", CLI_COUNT, 0,
          &d->limit },
        { "--seed", "S", NULL, "random seed (default 1)", CLI_COUNT, 0, &d->seed },
        { "--skip-bad", NULL, NULL, "skip what cannot be used, and list it", CLI_FLAG, 0,
          &d->skip_bad },
        { "--size", "N", NULL, "scale images to fit N x N (default: the model's size, if any)",
          CLI_COUNT | CLI_IMAGES, 0, &d->size },
        { "--crop", NULL, "none|auto", CLI_CROP_HELP " (default: as the model was trained)",
          CLI_CHOICE | CLI_IMAGES, 0, &d->crop },
        { "--picture-limit", "MB", NULL, CLI_PICTURE_LIMIT_HELP, CLI_COUNT | CLI_IMAGES, 0,
          &d->picture_limit },
        { "--device", NULL, "cpu|cuda|ref", "device (default cpu)", CLI_CHOICE, 0, &d->device },
        { "--deterministic", NULL, NULL, "with cuda: bit-identical runs, slower", CLI_FLAG, 0,
          &d->deterministic },
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
    recon_status status = recon_ops_attach(ctx, name);
    if (status == RECON_OK)
        cli_note_precision(ctx, d->precision);
    return status;
}

/* --- opened ----------------------------------------------------------------------------------- */

static void warn_of_rule(recon_ctx *ctx, const cli_inputs *in, const recon_backbone *b,
                         const char *model)
{
    const recon_dataset *whole = recon_data_images(in->whole);
    const recon_ieae *net = recon_backbone_ieae(b);
    size_t lifted = whole ? recon_dataset_lifted(whole) : 0;
    if (net && net->over_black && lifted)
        recon_log(ctx, RECON_LOG_WARN,
                  "%s: trained when transparent pictures were laid over black, but %zu of %zu are "
                  "read by another rule now (alpha (1 + x) / 2): train it again, or give it opaque "
                  "pictures",
                  model, lifted, recon_dataset_describe(whole).n);
}

static recon_status name_remedy(recon_ctx *ctx, recon_status status, const cli_data *d)
{
    int many = recon_images_folder(d->spec) || !strncmp(d->spec, "xyz:", 4) ||
               !strncmp(d->spec, "sdf:", 4); /* files or frames */
    if (status == RECON_ERR_FORMAT && !d->skip_bad && many)
        return recon_note(ctx, status, "--skip-bad skips such files");
    if (status == RECON_ERR_INPUT && strstr(recon_ctx_message(ctx), RECON_PICTURE_LIMIT))
        return recon_note(ctx, status, "--picture-limit raises that");
    return status;
}

static recon_status note_skipped(recon_ctx *ctx, cli_inputs *in)
{
    recon_status status = RECON_OK;
    const char *text;
    in->skipped = recon_data_describe(in->whole).skipped;
    for (size_t i = 0; status == RECON_OK && (text = in->whole->kind->skipped(in->whole, i)); i++)
        status = recon_skips_add(ctx, &in->skips, text);
    return status;
}

static recon_status take_and_rotate(recon_ctx *ctx, cli_inputs *in, const cli_data *d)
{
    const recon_data_kind *kind = in->whole->kind;
    recon_status status = RECON_OK;
    if (d->limit && d->limit < in->n) {
        RECON_TRY(kind->take(ctx, &in->part, in->use, d->limit, cli_seed(d)));
        in->use = in->part;
    }
    if (d->rotate) {
        RECON_TRY(kind->rotate(ctx, &in->rotated, in->use, d->rotate,
                               d->rotate_seed ? d->rotate_seed : 1));
        in->use = in->rotated;
    }
    in->n = recon_data_describe(in->use).n;
done:
    return status;
}

/* Before the data are read, which may take long. */
static recon_status check_kind(recon_ctx *ctx, const char *spec, const recon_backbone *b)
{
    const char *name = recon_data_kind_of(spec)->name;
    return !recon_data_is(spec) || !strcmp(name, b->kind->data)
               ? RECON_OK
               : recon_fail(ctx, RECON_ERR_INPUT, "%s: %s, but the model takes %s", spec, name,
                            b->kind->data);
}

recon_status cli_inputs_open(recon_ctx *ctx, cli_inputs *out, const cli_data *d,
                             const recon_backbone *backbone, const char *model)
{
    recon_data_options o = { .skip_bad = d->skip_bad,
                             .crop = d->crop,
                             .size = d->size,
                             .picture_most = cli_picture_most(d) };
    recon_status status;
    *out = (cli_inputs){ 0 };
    if (backbone)
        RECON_TRY(check_kind(ctx, d->spec, backbone));
    if (backbone && backbone->kind->data_options)
        backbone->kind->data_options(backbone, &o);
    if (!recon_images_folder(d->spec)) { /* only pictures of a folder are resized */
        o.size = d->size;
        o.channels = 0;
    }
    out->cropped = o.crop;
    RECON_TRY(name_remedy(ctx, recon_data_open(ctx, &out->whole, d->spec, &o), d));
    out->use = out->whole;
    out->n = recon_data_describe(out->whole).n;
    if (backbone) {
        warn_of_rule(ctx, out, backbone, model);
        RECON_TRY(recon_backbone_check_data(ctx, backbone, out->whole));
    }
    RECON_TRY(note_skipped(ctx, out));
    RECON_TRY(take_and_rotate(ctx, out, d));
done:
    return status;
}

recon_status cli_also_open(recon_ctx *ctx, cli_inputs *out, const cli_data *data,
                           const char *option, const char *spec)
{
    const char *kind = recon_data_kind_of(data->spec)->name, *held = recon_data_kind_of(spec)->name;
    cli_data other = *data;
    *out = (cli_inputs){ 0 };
    if (strcmp(kind, held))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s %s: %s, but --data are %s", option, spec, held,
                          kind);
    other.spec = spec;
    other.limit = 0;
    return cli_inputs_open(ctx, out, &other, NULL, NULL);
}

void cli_inputs_close(cli_inputs *in)
{
    recon_data_close(in->known);
    recon_data_close(in->rotated);
    recon_data_close(in->part);
    recon_data_close(in->whole);
    recon_skips_free(&in->skips);
    *in = (cli_inputs){ 0 };
}

recon_status cli_open(recon_ctx *ctx, cli_subject *out, const char *path, const cli_data *data)
{
    recon_status status;
    *out = (cli_subject){ 0 };
    RECON_TRY(cli_attach(ctx, data));
    RECON_TRY(recon_model_open(ctx, &out->model, path, cli_precision(ctx, data->precision)));
    const recon_backbone *backbone = recon_model_backbone(out->model);
    RECON_TRY(cli_inputs_open(ctx, &out->inputs, data, backbone, path));
    RECON_TRY(cli_inputs_keep(ctx, &out->inputs, data, backbone));
done:
    return status;
}

void cli_close(recon_ctx *ctx, cli_subject *subject)
{
    cli_inputs_close(&subject->inputs);
    recon_model_close(ctx, subject->model);
}

/* --- one of them ------------------------------------------------------------------------------ */

/* The one of n places, in ascending order, that holds a row of the file. */
static size_t find_row(const recon_data *whole, size_t row)
{
    size_t first = 0, n = recon_data_describe(whole).n;
    while (n > 1) {
        size_t half = n / 2;
        if (whole->kind->origin(whole, first + half) <= row)
            first += half;
        n -= half;
    }
    return first;
}

size_t cli_inputs_row(const cli_inputs *in, size_t i)
{
    const recon_data *of = in->part;
    if (in->known && in->rotated) /* what was rotated is numbered as what it was made from */
        i = in->known->kind->origin(in->known, i);
    else if (in->known)
        of = in->known;
    return of ? find_row(in->whole, of->kind->origin(of, i)) : i;
}

/* Rotated images have no files of their own: those they were made from have. */
static const recon_data *source(const cli_inputs *in)
{
    return !cli_images(in) ? in->use : in->part ? in->part : in->whole;
}

const char *cli_inputs_name(const cli_inputs *in, size_t i)
{
    const recon_data *from = source(in);
    return from->kind->name_of(from, i);
}

const char *cli_inputs_label(cli_name out, const cli_inputs *in, size_t i)
{
    const char *name = cli_inputs_name(in, i);
    snprintf(out, sizeof(cli_name), "%s", name ? name : "");
    recon_keep_to_one_line(out);
    return out;
}

const recon_dataset *cli_images(const cli_inputs *in)
{
    return in->use ? recon_data_images(in->use) : NULL;
}

const recon_molecules *cli_molecules(const cli_inputs *in)
{
    return in->use ? recon_data_molecules(in->use) : NULL;
}

const char *cli_images_path(const cli_inputs *in, size_t i)
{
    return recon_dataset_path(recon_data_images(source(in)), i);
}

void cli_images_whole(float *out, const cli_inputs *in, size_t i)
{
    recon_dataset_whole(out, recon_data_images(source(in)), i);
}

recon_status cli_note_span(recon_ctx *ctx, const cli_inputs *in, const char *spec)
{
    const recon_dataset *images = cli_images(in);
    double span = 1;
    recon_status status = RECON_OK;
    if (images && !in->cropped)
        status = recon_dataset_span(ctx, &span, recon_data_images(source(in)));
    if (status == RECON_OK && span < RECON_CROP_SMALL)
        recon_log(ctx, RECON_LOG_INFO,
                  "%s: objects span %.0f %% of their frames (median): --crop auto centres them and "
                  "scales them up, and the network sees more of them",
                  spec, 100 * span);
    return status;
}

/* --- those that can be used ------------------------------------------------------------------- */

static recon_status name_input(recon_ctx *ctx, const cli_inputs *in, size_t i, const char *spec)
{
    char why[512];
    cli_name name;
    snprintf(why, sizeof why, "%s", recon_ctx_message(ctx));
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s %zu (%s): %s", spec, in->use->kind->one,
                      cli_inputs_row(in, i), cli_inputs_label(name, in, i), why);
}

/* To rows [n] those that are accepted; *count how many. */
static recon_status find_accepted(recon_ctx *ctx, size_t *rows, size_t *count, cli_inputs *in,
                                  int skip_bad, const char *spec, cli_accept *accept,
                                  const void *user)
{
    recon_status status = RECON_OK;
    *count = 0;
    for (size_t i = 0; status == RECON_OK && i < in->n; i++) {
        status = accept(ctx, user, in->use, i);
        if (status == RECON_OK)
            rows[(*count)++] = i;
        else if (status == RECON_ERR_INPUT)
            status = name_input(ctx, in, i, spec);
        if (status == RECON_ERR_INPUT && skip_bad)
            status = recon_skips_add(ctx, &in->skips, recon_ctx_message(ctx));
    }
    return status;
}

recon_status cli_inputs_filter(recon_ctx *ctx, cli_inputs *in, const cli_data *d, const char *spec,
                               cli_accept *accept, const void *user)
{
    size_t *rows = NULL, count;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &rows, in->n, sizeof *rows));
    RECON_TRY(find_accepted(ctx, rows, &count, in, d->skip_bad, spec, accept, user));
    if (count == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: none of the %s can be used by the model",
                             spec, in->use->kind->many));
    if (count < in->n) {
        RECON_TRY(in->use->kind->pick(ctx, &in->known, in->use, rows, count));
        in->use = in->known;
        in->skipped += in->n - count;
        in->n = count;
    }
done:
    free(rows);
    return status;
}

static recon_status accept_by_backbone(recon_ctx *ctx, const void *user, const recon_data *data,
                                       size_t i)
{
    const recon_backbone *b = user;
    return b->kind->accepts(ctx, b, data, i);
}

recon_status cli_inputs_keep(recon_ctx *ctx, cli_inputs *in, const cli_data *d,
                             const recon_backbone *backbone)
{
    return backbone->kind->accepts
               ? cli_inputs_filter(ctx, in, d, d->spec, accept_by_backbone, backbone)
               : RECON_OK;
}

recon_status cli_inputs_check(recon_ctx *ctx, const cli_inputs *in, size_t i, const cli_data *d,
                              const recon_backbone *b)
{
    recon_status status = b->kind->accepts ? b->kind->accepts(ctx, b, in->use, i) : RECON_OK;
    return status == RECON_ERR_INPUT ? name_input(ctx, in, i, d->spec) : status;
}

/* --- what was left out ------------------------------------------------------------------------ */

enum { SHOWN = 10 };

void cli_print_skipped(size_t skipped, const recon_skips *skips)
{
    size_t shown = skips->n < SHOWN ? skips->n : SHOWN;
    if (!skipped)
        return;
    printf("  skipped    %zu that could not be used%s\n", skipped, shown ? ":" : "");
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
