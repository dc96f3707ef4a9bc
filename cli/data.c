/* data.c - the options of every command that reads data, and the images or molecules they ask for.
 */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/picture.h"
#include "data/elements.h"
#include "data/folder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE_CUDA = 1 };

void cli_data_options(cli_option *table, size_t capacity, cli_data *d)
{
    const cli_option options[] = {
        { "--data", "SPEC", NULL,
          "images: garments, mnist/train|val|test, fashion/train|val|test, idx:FILE, npy:FILE, "
          "images:DIR, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, "
          "sdf:FILE, geom:FILE, flat:DIR; or a file or folder of such",
          CLI_SPEC, 1, &d->spec },
        { "--turn", "RULE", NULL,
          "turn what is upright first: mnist, fashion, all; fisher, haar; or a JSON file", CLI_TEXT,
          0, &d->turn },
        { "--turn-seed", "S", NULL, "of those turns (default 1)", CLI_COUNT, 0, &d->turn_seed },
        { "--limit", "N", NULL, "take N images or conformers at random", CLI_COUNT, 0, &d->limit },
        { "--seed", "S", NULL, "of what is random (default 1)", CLI_COUNT, 0, &d->seed },
        { "--skip-bad", NULL, NULL, "leave out what cannot be used, and say which", CLI_FLAG, 0,
          &d->skip_bad },
        { "--size", "N", NULL, "fit pictures into N x N (default: the model's size, if any)",
          CLI_COUNT | CLI_IMAGES, 0, &d->size },
        { "--picture-limit", "MB", NULL, CLI_PICTURE_LIMIT_HELP, CLI_COUNT | CLI_IMAGES, 0,
          &d->picture_limit },
        { "--device", NULL, "cpu|cuda|ref", "where to compute (default cpu)", CLI_CHOICE, 0,
          &d->device },
        { "--deterministic", NULL, NULL, "with cuda: the same bits in every run, more slowly",
          CLI_FLAG, 0, &d->deterministic },
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

static recon_status attach(recon_ctx *ctx, const cli_data *d)
{
    static const char *const devices[] = { "cpu", "cuda", "ref" };
    const char *name =
        d->device == DEVICE_CUDA && d->deterministic ? "cuda-deterministic" : devices[d->device];
    recon_status status = recon_ops_attach(ctx, name);
    if (status == RECON_OK)
        cli_note_precision(ctx, d->precision);
    return status;
}

/* What a model of images was made for. */
static recon_status shape_of(recon_ctx *ctx, recon_ieae_shape *out, const char *path)
{
    recon_ieae *model = NULL;
    recon_status status = recon_ieae_open(ctx, &model, path, RECON_SINGLE);
    if (status == RECON_OK)
        *out = recon_ieae_describe(model);
    recon_ieae_close(ctx, model);
    return status;
}

/* Whether the model in a file is of pictures that were all laid over black, as version 0.1.0 did:
 * later versions record another rule for transparent ones. */
static recon_status see_rule(recon_ctx *ctx, int *over_black, const char *path)
{
    recon_safetensors *file = NULL;
    recon_status status = recon_safetensors_open(ctx, &file, path);
    const char *data = status == RECON_OK ? recon_safetensors_metadata(file, "data") : NULL;
    *over_black =
        data && recon_images_folder(data) && !recon_safetensors_metadata(file, "transparent");
    recon_safetensors_close(file);
    return status;
}

static void warn_of_rule(recon_ctx *ctx, const cli_images *images, const char *model)
{
    size_t lifted = recon_dataset_lifted(images->whole);
    if (images->over_black && lifted)
        recon_log(ctx, RECON_LOG_WARN,
                  "%s: trained when transparent pictures were laid over black, but %zu of %zu are "
                  "read by another rule now (alpha (1 + x) / 2): train it again, or give it opaque "
                  "pictures",
                  model, lifted, recon_dataset_describe(images->whole).n);
}

/* Pictures are fitted into squares, and are grey or of three colours; what a model of other images
 * needs, its data must have. */
static recon_status fit_to_model(recon_ctx *ctx, recon_dataset_options *o, const cli_data *d,
                                 const char *model)
{
    recon_ieae_shape shape = { 0 };
    recon_status status = shape_of(ctx, &shape, model);
    if (status != RECON_OK || !recon_images_folder(d->spec))
        return status;
    if (!o->size && shape.height == shape.width_px)
        o->size = shape.height;
    if (shape.channels == 1 || shape.channels == 3)
        o->channels = shape.channels;
    return RECON_OK;
}

static recon_status name_remedy(recon_ctx *ctx, recon_status status, const cli_data *d)
{
    int many = recon_images_folder(d->spec) || !strncmp(d->spec, "xyz:", 4) ||
               !strncmp(d->spec, "sdf:", 4); /* files or frames */
    if (status == RECON_ERR_FORMAT && !d->skip_bad && many)
        return recon_note(ctx, status, "--skip-bad leaves such out");
    if (status == RECON_ERR_INPUT && strstr(recon_ctx_message(ctx), RECON_PICTURE_LIMIT))
        return recon_note(ctx, status, "--picture-limit raises that");
    return status;
}

static recon_status note_skipped(recon_ctx *ctx, cli_images *images)
{
    recon_status status = RECON_OK;
    const char *text;
    images->skipped = recon_dataset_describe(images->whole).skipped;
    for (size_t i = 0; status == RECON_OK && (text = recon_dataset_skipped(images->whole, i)); i++)
        status = recon_skips_add(ctx, &images->skips, text);
    return status;
}

recon_status cli_images_open_for(recon_ctx *ctx, cli_images *out, const cli_data *d,
                                 const char *model)
{
    recon_dataset_options o = { .skip_bad = d->skip_bad,
                                .size = d->size,
                                .picture_most = cli_picture_most(d) };
    recon_status status;
    *out = (cli_images){ 0 };
    RECON_TRY(attach(ctx, d));
    if (model) {
        RECON_TRY(fit_to_model(ctx, &o, d, model));
        RECON_TRY(see_rule(ctx, &out->over_black, model));
    }
    RECON_TRY(name_remedy(ctx, recon_dataset_open_with(ctx, &out->whole, d->spec, &o), d));
    if (model)
        warn_of_rule(ctx, out, model);
    RECON_TRY(note_skipped(ctx, out));
    out->use = out->whole;
    if (d->limit && d->limit < recon_dataset_describe(out->whole).n) {
        RECON_TRY(recon_dataset_take(ctx, &out->part, out->whole, d->limit, cli_seed(d)));
        out->use = out->part;
    }
    if (d->turn) {
        RECON_TRY(recon_dataset_turn_by(ctx, &out->turned, out->use, d->turn,
                                        d->turn_seed ? d->turn_seed : 1));
        out->use = out->turned;
    }
done:
    return status;
}

recon_status cli_images_open(recon_ctx *ctx, cli_images *out, const cli_data *d)
{
    return cli_images_open_for(ctx, out, d, NULL);
}

void cli_images_close(cli_images *images)
{
    recon_dataset_close(images->turned);
    recon_dataset_close(images->part);
    recon_dataset_close(images->whole);
    recon_skips_free(&images->skips);
    *images = (cli_images){ 0 };
}

/* Images that were turned are numbered as those they were made from. */
static const recon_dataset *source(const cli_images *images)
{
    return images->part ? images->part : images->whole;
}

/* The one of n places, in ascending order, that holds a row of the file. */
typedef size_t origin_of(const void *data, size_t i);
static size_t find_row(const void *data, size_t n, origin_of *origin, size_t row)
{
    size_t first = 0;
    while (n > 1) {
        size_t half = n / 2;
        if (origin(data, first + half) <= row)
            first += half;
        n -= half;
    }
    return first;
}

static size_t image_origin(const void *data, size_t i)
{
    return recon_dataset_origin(data, i);
}

size_t cli_images_row(const cli_images *images, size_t i)
{
    if (!images->part)
        return i;
    return find_row(images->whole, recon_dataset_describe(images->whole).n, image_origin,
                    recon_dataset_origin(images->part, i));
}

const char *cli_images_file(const cli_images *images, size_t i)
{
    return recon_dataset_file(source(images), i);
}

const char *cli_images_path(const cli_images *images, size_t i)
{
    return recon_dataset_path(source(images), i);
}

void cli_images_read(float *out, const cli_images *images, size_t first, size_t n)
{
    recon_dataset_info d = recon_dataset_describe(images->use);
    for (size_t i = 0; i < n; i++)
        recon_dataset_get(out + i * d.height * d.width * d.channels, images->use, first + i);
}

recon_status cli_model_open(recon_ctx *ctx, recon_model **out, const char *path,
                            const cli_images *images, const cli_data *data)
{
    recon_status status;
    RECON_TRY(recon_model_open(ctx, out, path, cli_precision(ctx, data->precision)));
    RECON_TRY(recon_ieae_check_data(ctx, recon_model_backbone(*out), images->use));
done:
    return status;
}

static recon_status note_bad_frames(recon_ctx *ctx, cli_molecules *m)
{
    recon_status status = RECON_OK;
    const char *text;
    m->skipped = recon_molecules_describe(m->whole).skipped;
    for (size_t i = 0; status == RECON_OK && (text = recon_molecules_skipped(m->whole, i)); i++)
        status = recon_skips_add(ctx, &m->skips, text);
    return status;
}

recon_status cli_molecules_open(recon_ctx *ctx, cli_molecules *out, const cli_data *d)
{
    recon_status status;
    *out = (cli_molecules){ 0 };
    RECON_TRY(attach(ctx, d));
    const recon_molecules_options o = { .skip_bad = d->skip_bad };
    RECON_TRY(name_remedy(ctx, recon_molecules_open(ctx, &out->whole, d->spec, &o), d));
    RECON_TRY(note_bad_frames(ctx, out));
    out->use = out->whole;
    if (d->limit && d->limit < recon_molecules_describe(out->whole).n) {
        RECON_TRY(recon_molecules_take(ctx, &out->part, out->whole, d->limit, cli_seed(d)));
        out->use = out->part;
    }
    if (d->turn) {
        RECON_TRY(recon_molecules_turn(ctx, &out->turned, out->use, d->turn,
                                       d->turn_seed ? d->turn_seed : 1));
        out->use = out->turned;
    }
    out->n = recon_molecules_describe(out->use).n;
done:
    return status;
}

recon_status cli_molecules_open_for(recon_ctx *ctx, cli_molecules *out, const cli_data *d,
                                    const char *path)
{
    recon_molnet *model = NULL;
    recon_status status;
    RECON_TRY(cli_molecules_open(ctx, out, d));
    RECON_TRY(recon_molnet_open(ctx, &model, path, RECON_SINGLE));
    recon_molnet_shape shape = recon_molnet_describe(model);
    RECON_TRY(cli_molecules_keep(ctx, out, shape.element, shape.elements, d, d->spec));
done:
    recon_molnet_close(ctx, model);
    return status;
}

recon_status cli_held_open(recon_ctx *ctx, cli_molecules *out, const cli_data *data,
                           const char *spec)
{
    cli_data other = *data;
    other.spec = spec;
    other.limit = 0;
    return cli_molecules_open(ctx, out, &other);
}

void cli_molecules_close(cli_molecules *m)
{
    recon_molecules_close(m->known);
    recon_molecules_close(m->turned);
    recon_molecules_close(m->part);
    recon_molecules_close(m->whole);
    recon_skips_free(&m->skips);
    *m = (cli_molecules){ 0 };
}

static size_t molecule_origin(const void *data, size_t i)
{
    return recon_molecules_origin(data, i);
}

size_t cli_molecules_row(const cli_molecules *m, size_t i)
{
    const recon_molecules *of = m->part;
    if (m->known && m->turned) /* what was turned is numbered as what it was made from */
        i = recon_molecules_origin(m->known, i);
    else if (m->known)
        of = m->known;
    if (!of)
        return i;
    return find_row(m->whole, recon_molecules_describe(m->whole).n, molecule_origin,
                    recon_molecules_origin(of, i));
}

void cli_molecules_read(recon_conformer *out, const cli_molecules *molecules, size_t first,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = recon_molecules_get(molecules->use, first + i);
}

/* The first element of a conformer that is not among these; 0: all are. */
static int find_unknown(const recon_conformer *x, const uint8_t *element, size_t n)
{
    for (size_t a = 0; a < x->atoms; a++)
        if (!memchr(element, x->z[a], n))
            return x->z[a];
    return 0;
}

static recon_status name_unknown(recon_ctx *ctx, const cli_molecules *m, size_t i, int z,
                                 const uint8_t *element, size_t n, const char *spec)
{
    recon_conformer x = recon_molecules_get(m->use, i);
    recon_element_words words;
    recon_formula_text known;
    cli_name name;
    return recon_fail(ctx, RECON_ERR_INPUT,
                      "%s: conformer %zu (%s): an atom of %s: the model knows %s alone", spec,
                      cli_molecules_row(m, i), cli_molecule_name(name, m->use, (size_t)x.molecule),
                      recon_element_text(words, z), recon_element_list(known, element, n));
}

/* To rows [n] those that are of known elements; *count how many. */
static recon_status find_known(recon_ctx *ctx, size_t *rows, size_t *count, cli_molecules *m,
                               const uint8_t *element, size_t n, const cli_data *d,
                               const char *spec)
{
    recon_status status = RECON_OK;
    *count = 0;
    for (size_t i = 0; status == RECON_OK && i < m->n; i++) {
        recon_conformer x = recon_molecules_get(m->use, i);
        int z = find_unknown(&x, element, n);
        if (!z) {
            rows[(*count)++] = i;
            continue;
        }
        status = name_unknown(ctx, m, i, z, element, n, spec);
        if (d->skip_bad)
            status = recon_skips_add(ctx, &m->skips, recon_ctx_message(ctx));
    }
    return status;
}

recon_status cli_molecules_keep(recon_ctx *ctx, cli_molecules *m, const uint8_t *element, size_t n,
                                const cli_data *d, const char *spec)
{
    size_t *rows = NULL, count;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &rows, m->n, sizeof *rows));
    RECON_TRY(find_known(ctx, rows, &count, m, element, n, d, spec));
    if (count == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "%s: every conformer has an element that the model does not know",
                             spec));
    if (count < m->n) {
        RECON_TRY(recon_molecules_pick(ctx, &m->known, m->use, rows, count));
        m->use = m->known;
        m->skipped += m->n - count;
        m->n = count;
    }
done:
    free(rows);
    return status;
}

const char *cli_molecule_name(cli_name out, const recon_molecules *data, size_t molecule)
{
    snprintf(out, sizeof(cli_name), "%s", recon_molecules_name(data, molecule));
    recon_keep_to_one_line(out);
    return out;
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

void cli_unread_json(json_t *object, const cli_images *images)
{
    json_t *why = json_array();
    const char *text;
    for (size_t i = 0; (text = recon_dataset_unread_why(images->whole, i)); i++)
        json_array_append_new(why, json_string(text));
    json_object_set_new(object, "not_read",
                        json_integer((json_int_t)recon_dataset_unread(images->whole)));
    json_object_set_new(object, "not_read_why", why);
}
