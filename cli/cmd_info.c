/* cmd_info.c - recon info: what a file holds. */
#include "cli/cli.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/journal.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/shipped.h"
#include "data/elements.h"
#include "data/formats.h"
#include "data/crop.h"
#include "data/dataset.h"
#include "model/trust.h"

#include <recon/core/version.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int run(int argc, char **argv);
const cli_command cli_info = {
    .name = "info",
    .purpose = "describe an array, a model, a result folder or a data set",
    .arguments = "FILE.npy|MODEL|DIR|SPEC",
    .example =
        "  recon info z.npy\n"
        "  z.npy: float32 60000 x 128, C order, finite, -3.21 .. 4.02\n"
        "  recon info models/mnist.safetensors\n"
        "  recon info general            a shipped model\n"
        "  recon info conformers/test\n"
        "  recon info mine.xyz --skip-bad\n"
        "  recon info garments\n"
        "  recon info images:photos\n"
        "  recon info --features         the optional libraries that are there\n"
        "  recon info digits             a folder written by `recon discover --out digits`\n"
        "\n"
        "See `recon train --help` for SPEC. Here and in every --data, the prefix may be omitted: it is\n"
        "inferred from the name (FILE.npy, FILE.sdf), of a folder from what is in it. A name that both\n"
        "a data set and a shipped model have, such as mnist, is the data set. For a folder written by\n"
        "`recon discover` or `recon normalize`, summary.json is shown. Pipes, process substitutions and\n"
        "devices are refused.",
    .run = run,
};

typedef struct {
    const char *path, *spec;
    int skip_bad, crop, features;
    size_t picture_limit;
    cli_common common;
} settings;

typedef struct {
    double low, high;
    size_t bad; /* NaN or infinite */
} range;

/* Piece by piece: the file may be larger than memory. */
static recon_status range_of(recon_ctx *ctx, range *out, const recon_array *a)
{
    enum { PIECE = 4096 };
    double x[PIECE];
    size_t count = recon_array_count(a), size = recon_dtype_size(a->dtype);
    *out = (range){ INFINITY, -INFINITY, 0 };
    for (size_t at = 0; at < count; at += PIECE) {
        size_t n = count - at < PIECE ? count - at : PIECE;
        recon_array piece = {
            .dtype = a->dtype, .ndim = 1, .shape = { n }, .data = (const char *)a->data + at * size
        };
        RECON_CHECK(recon_array_to_f64(ctx, x, &piece));
        for (size_t i = 0; i < n; i++) {
            out->bad += !isfinite(x[i]);
            out->low = isfinite(x[i]) && x[i] < out->low ? x[i] : out->low;
            out->high = isfinite(x[i]) && x[i] > out->high ? x[i] : out->high;
        }
    }
    return RECON_OK;
}

static void print_text(const char *path, const recon_array *a, range r)
{
    printf("%s: %s ", path, recon_dtype_name(a->dtype));
    for (int i = 0; i < a->ndim; i++)
        printf("%s%zu", i ? " x " : "", a->shape[i]);
    printf("%s, %s order", a->ndim ? "" : "one value", a->fortran ? "Fortran" : "C");
    if (r.bad)
        printf(", %zu NaN or infinite", r.bad);
    else
        printf(", finite");
    if (r.low <= r.high)
        printf(", %g .. %g", r.low, r.high);
    putchar('\n');
}

static json_t *as_json(const char *path, const recon_array *a, range r)
{
    json_t *shape = json_array();
    for (int i = 0; i < a->ndim; i++)
        json_array_append_new(shape, json_integer((json_int_t)a->shape[i]));
    json_t *all = json_object();
    json_object_set_new(all, "file", json_string(path)); /* left out where it is not UTF-8 */
    json_object_set_new(all, "dtype", json_string(recon_dtype_name(a->dtype)));
    json_object_set_new(all, "shape", shape);
    json_object_set_new(all, "fortran", json_boolean(a->fortran));
    json_object_set_new(all, "not_finite", json_integer((json_int_t)r.bad));
    if (r.low <= r.high) {
        json_object_set_new(all, "min", json_real(r.low));
        json_object_set_new(all, "max", json_real(r.high));
    }
    return all;
}

enum { ENTRY = 17 }; /* where values begin */

/* A file's words, on a line of their own and on no other. */
static void print_entry(const char *key, const char *value)
{
    char line[4096];
    snprintf(line, sizeof line, "  %-14s %s", key, value);
    recon_keep_to_one_line(line);
    puts(line);
}

/* --- models ----------------------------------------------------------------------------------- */

static recon_status count_numbers(recon_ctx *ctx, size_t *out, const recon_safetensors *file)
{
    *out = 0;
    for (size_t i = 0; i < recon_safetensors_count(file); i++) {
        recon_array a = { 0 };
        RECON_CHECK(recon_safetensors_get(ctx, &a, file, recon_safetensors_name(file, i)));
        *out += recon_array_count(&a);
        recon_array_free(&a);
    }
    return RECON_OK;
}

static void print_reasons(const recon_trust *t)
{
    cli_print_reasons(t, ENTRY);
    if (isfinite(t->gain))
        printf("  %-14s %.1f degrees %s the natural pose (%.1f before, %.1f after)\n",
               "expected gain", fabs(t->gain) * RECON_TO_DEGREES,
               t->gain < 0 ? "further from" : "closer to", t->before * RECON_TO_DEGREES,
               t->after * RECON_TO_DEGREES);
    if (isfinite(t->gain) && isfinite(t->one))
        printf("  %-14s of inputs with one natural pose: %.0f %% of all\n", "", 100 * t->one);
}

/* Measures are shown as what they say. */
static int is_measures(recon_metadata_entry e)
{
    return !strcmp(e.key, RECON_TRUST_MEASURES);
}

static json_t *model_json(const char *path, const recon_safetensors *file, size_t numbers,
                          const recon_trust *trust)
{
    json_t *metadata = json_object(), *all = json_object();
    for (size_t i = 0; recon_safetensors_metadata_at(file, i).key; i++) {
        recon_metadata_entry entry = recon_safetensors_metadata_at(file, i);
        if (!is_measures(entry))
            json_object_set_new(metadata, entry.key, json_string(entry.value));
    }
    json_object_set_new(all, "file", json_string(path));
    json_object_set_new(all, "tensors", json_integer((json_int_t)recon_safetensors_count(file)));
    json_object_set_new(all, "numbers", json_integer((json_int_t)numbers));
    json_object_set_new(all, "metadata", metadata);
    if (trust)
        json_object_set_new(all, "trust", recon_trust_json(trust));
    return all;
}

static void print_model(const char *path, const recon_safetensors *file, size_t numbers,
                        const recon_trust *trust)
{
    printf("%s%s: %s, %s\n", path, recon_safetensors_metadata(file, "model") ? ", a model" : "",
           RECON_COUNT(recon_safetensors_count(file), "tensor"), RECON_COUNT(numbers, "number"));
    for (size_t i = 0; recon_safetensors_metadata_at(file, i).key; i++) {
        recon_metadata_entry entry = recon_safetensors_metadata_at(file, i);
        if (!is_measures(entry))
            print_entry(entry.key, entry.value);
        if (trust && !strcmp(entry.key, RECON_TRUST_VERDICT))
            print_reasons(trust);
    }
    if (!strncmp(path, "models/", 7) && recon_data_is(path + 7))
        printf("  data set   `recon info %s` describes the data set of that name\n", path + 7);
}

static recon_status tell_model(recon_ctx *ctx, const char *path, const cli_common *common)
{
    recon_safetensors *file = NULL;
    recon_trust room;
    int known;
    size_t numbers;
    recon_status status;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    RECON_TRY(count_numbers(ctx, &numbers, file));
    RECON_TRY(recon_trust_read(ctx, &room, &known,
                               recon_safetensors_metadata(file, RECON_TRUST_VERDICT),
                               recon_safetensors_metadata(file, RECON_TRUST_MEASURES), path));
    const recon_trust *trust = known ? &room : NULL; /* or the file does not say */
    if (common->json)
        RECON_TRY(cli_print_json(ctx, model_json(path, file, numbers, trust)));
    else if (!common->quiet)
        print_model(path, file, numbers, trust);
done:
    recon_safetensors_close(file);
    return status;
}

/* --- arrays ----------------------------------------------------------------------------------- */

static recon_status tell_array(recon_ctx *ctx, const char *path, const cli_common *common)
{
    recon_array a = { 0 };
    range r;
    recon_status status;
    RECON_TRY(recon_npy_read(ctx, &a, path));
    RECON_TRY(range_of(ctx, &r, &a));
    if (common->json)
        RECON_TRY(cli_print_json(ctx, as_json(path, &a, r)));
    else if (!common->quiet)
        print_text(path, &a, r);
done:
    recon_array_free(&a);
    return status;
}

/* --- data ------------------------------------------------------------------------------------- */

/* Of known sets, whose names may be those of models as well. */
static const char *a_data_set(const char *spec)
{
    return strchr(spec, ':') ? "" : ", a data set";
}

/* --- molecules -------------------------------------------------------------------------------- */

typedef struct {
    recon_molecules_info info;
    size_t present;                   /* molecules that have a conformer in it */
    size_t atoms[RECON_ELEMENTS + 1]; /* by element                            */
} census;

static recon_status count_atoms(recon_ctx *ctx, census *out, const recon_molecules *data)
{
    uint8_t *seen;
    *out = (census){ .info = recon_molecules_describe(data) };
    RECON_CHECK(recon_alloc(ctx, &seen, out->info.molecules, 1));
    for (size_t i = 0; i < out->info.n; i++) {
        recon_conformer c = recon_molecules_get(data, i);
        out->present += !seen[c.molecule];
        seen[c.molecule] = 1;
        for (size_t a = 0; a < c.atoms; a++)
            out->atoms[c.z[a]]++;
    }
    free(seen);
    return RECON_OK;
}

/* What is looked at where no part is named. */
static int is_default_part(const char *spec)
{
    return !strcmp(spec, "conformers");
}

static json_t *census_json(const char *spec, const census *c, const recon_skips *skips)
{
    json_t *elements = json_object(), *all = json_object();
    for (int z = 1; z <= RECON_ELEMENTS; z++)
        if (c->atoms[z])
            json_object_set_new(elements, recon_element_symbol(z),
                                json_integer((json_int_t)c->atoms[z]));
    json_object_set_new(all, "data", json_string(spec));
    if (is_default_part(spec))
        json_object_set_new(all, "part", json_string("train"));
    json_object_set_new(all, "conformers", json_integer((json_int_t)c->info.n));
    json_object_set_new(all, "molecules", json_integer((json_int_t)c->present));
    json_object_set_new(all, "atoms", json_integer((json_int_t)c->info.total));
    json_object_set_new(all, "largest", json_integer((json_int_t)c->info.atoms));
    json_object_set_new(all, "skipped", json_integer((json_int_t)c->info.skipped));
    json_object_set_new(all, "elements", elements);
    json_object_set_new(all, "skipped_why", cli_skipped_json(skips));
    return all;
}

static void print_census(const char *spec, const census *c, const recon_skips *skips)
{
    printf("%s%s: %s of %s\n", spec, a_data_set(spec), RECON_COUNT(c->info.n, "conformer"),
           RECON_COUNT(c->present, "molecule"));
    if (is_default_part(spec))
        printf("  part       train, the default; the others are conformers/val, /test and /all\n");
    cli_print_skipped(c->info.skipped, skips);
    printf("  atoms      %zu, at most %zu in a conformer\n  elements  ", c->info.total,
           c->info.atoms);
    for (int z = 1; z <= RECON_ELEMENTS; z++)
        if (c->atoms[z])
            printf(" %s %zu", recon_element_symbol(z), c->atoms[z]);
    putchar('\n');
}

static recon_status tell_molecules(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    census c;
    RECON_CHECK(count_atoms(ctx, &c, recon_data_molecules(in->use)));
    if (s->common.json)
        RECON_CHECK(cli_print_json(ctx, census_json(s->spec, &c, &in->skips)));
    else if (!s->common.quiet)
        print_census(s->spec, &c, &in->skips);
    return RECON_OK;
}

/* --- images ----------------------------------------------------------------------------------- */

static json_t *images_json(const char *spec, const cli_inputs *in, double span)
{
    const recon_dataset *data = recon_data_images(in->use);
    recon_dataset_info d = recon_dataset_describe(data);
    json_t *all =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "images", (json_int_t)d.n, "height",
                  (json_int_t)d.height, "width", (json_int_t)d.width, "channels",
                  (json_int_t)d.channels, "classes", (json_int_t)d.classes, "skipped",
                  (json_int_t)in->skipped, "skipped_why", cli_skipped_json(&in->skips));
    json_object_set_new(all, "data", json_string(spec)); /* left out where it is not UTF-8 */
    json_object_set_new(all, "object_span", json_real(span));
    cli_unread_json(all, in);
    if (recon_dataset_class_name(data, 0)) {
        json_t *names = json_array();
        for (size_t c = 0; c < d.classes; c++)
            json_array_append_new(names, json_string(recon_dataset_class_name(data, c)));
        json_object_set_new(all, "class_names", names);
    }
    return all;
}

static void print_classes(const recon_dataset *data)
{
    const char *name;
    for (size_t c = 0; (name = recon_dataset_class_name(data, c)); c++) {
        recon_input_name text;
        snprintf(text, sizeof text, "%s", name);
        recon_keep_to_one_line(text);
        printf(c ? ", %s" : "  classes    %s", text);
    }
    if (recon_dataset_class_name(data, 0))
        putchar('\n');
}

static void print_images(const char *spec, const cli_inputs *in, double span)
{
    const recon_dataset *data = recon_data_images(in->use);
    recon_dataset_info d = recon_dataset_describe(data);
    printf("%s%s: %s of %zu x %zu, ", spec, a_data_set(spec), RECON_COUNT(d.n, "image"), d.height,
           d.width);
    if (d.channels == 1)
        printf("grey");
    else
        printf("%zu channels", d.channels);
    if (d.classes)
        printf(", %s", recon_count((recon_count_text){ 0 }, d.classes, "class", "classes"));
    putchar('\n');
    print_classes(data);
    printf("  objects    span %.0f %% of their frames (median)%s\n", 100 * span,
           span < RECON_CROP_SMALL ? ": see --crop auto" : "");
    cli_print_skipped(in->skipped, &in->skips);
    const char *text;
    for (size_t i = 0; (text = recon_dataset_unread_why(data, i)); i++)
        printf("  %-10s %s\n", i ? "" : "not read", text);
}

static recon_status tell_images(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    double span;
    RECON_CHECK(recon_dataset_span(ctx, &span, recon_data_images(in->use)));
    if (s->common.json)
        return cli_print_json(ctx, images_json(s->spec, in, span));
    if (!s->common.quiet)
        print_images(s->spec, in, span);
    return RECON_OK;
}

static recon_status tell_data(recon_ctx *ctx, settings *s)
{
    static const cli_case cases[] = { { "images", tell_images },
                                      { "molecules", tell_molecules },
                                      { 0 } };
    const cli_data d = {
        .spec = s->spec, .skip_bad = s->skip_bad, .crop = s->crop, .picture_limit = s->picture_limit
    };
    cli_inputs inputs = { 0 };
    recon_status status;
    RECON_TRY(cli_inputs_open(ctx, &inputs, &d, NULL));
    RECON_TRY(cli_by_data(ctx, cases, s, &inputs));
done:
    recon_inputs_end(&inputs);
    return status;
}

/* --- folders of results ----------------------------------------------------------------------- */

static int is_there(const char *folder, const char *name)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

static int is_shown(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static recon_status print_files(recon_ctx *ctx, const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, is_shown, alphasort);
    if (n < 0)
        return recon_fail(ctx, RECON_ERR_IO, "%s: %s", folder, strerror(errno));
    printf("  %-14s", "files");
    for (int i = 0; i < n; i++) {
        recon_keep_to_one_line(entry[i]->d_name);
        printf(" %s", entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    putchar('\n');
    return RECON_OK;
}

/* Its plain values, and whether to trust them: what else is nested is for programs. */
static void print_summary(json_t *summary)
{
    const char *key;
    json_t *value;
    char number[32];
    json_object_foreach(summary, key, value)
    {
        snprintf(number, sizeof number, "%.6g", json_number_value(value));
        if (json_is_string(value))
            print_entry(key, json_string_value(value));
        else if (json_is_number(value))
            print_entry(key, number);
        else if (json_is_boolean(value))
            print_entry(key, json_is_true(value) ? "yes" : "no");
    }
    recon_trust trust;
    if (recon_trust_from_json(&trust, json_object_get(summary, "trust"))) {
        print_entry("trust", recon_trust_name(trust.level));
        print_reasons(&trust);
    }
}

static recon_status tell_results(recon_ctx *ctx, const char *folder, const cli_common *common)
{
    char path[PATH_MAX + 32];
    json_t *summary = NULL;
    recon_status status;
    snprintf(path, sizeof path, "%s/summary.json", folder);
    RECON_TRY(recon_json_read(ctx, &summary, path));
    if (common->json) {
        RECON_TRY(cli_print_json(ctx, json_incref(summary)));
    } else if (!common->quiet) {
        printf("%s: what `recon %s` found\n", folder,
               is_there(folder, "model.safetensors") ? "discover" : "normalize");
        print_summary(summary);
        RECON_TRY(print_files(ctx, folder));
    }
done:
    json_decref(summary);
    return status;
}

/* --- which of them ---------------------------------------------------------------------------- */

static int is_packed(const char *path)
{
    static const char *const ends[] = { ".gz", ".bz2", ".xz", ".zst", ".zip", ".tar", ".tgz" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (cli_ends_in(path, ends[i]))
            return 1;
    return 0;
}

/* An array or a model: by its name, or by what it begins with. */
static recon_status tell_file(recon_ctx *ctx, const settings *s)
{
    enum { LENGTH = 8 }; /* of a model's header, which is JSON: that comes first */
    unsigned char first[LENGTH + 1] = { 0 };
    size_t size, got;
    int fd;
    if (cli_ends_in(s->path, ".npy"))
        return tell_array(ctx, s->path, &s->common);
    if (cli_ends_in(s->path, ".safetensors")) /* a shipped one is found without a file here */
        return tell_model(ctx, s->path, &s->common);
    RECON_CHECK(recon_file_begin(ctx, &fd, &size, s->path));
    recon_status status = recon_file_next(ctx, &got, first, sizeof first, fd, s->path);
    close(fd);
    if (status != RECON_OK)
        return status;
    if (first[0] == 0x93)
        return tell_array(ctx, s->path, &s->common);
    if (first[LENGTH] == '{')
        return tell_model(ctx, s->path, &s->common);
    char list[512];
    return recon_fail(ctx, RECON_ERR_FORMAT,
                      "%s: unknown format%s; info reads models, arrays, and data: %s", s->path,
                      is_packed(s->path) ? ": unpack it first" : "",
                      recon_format_list(list, sizeof list));
}

/* A path with no word before a colon; of an array what it holds is told, not its images. */
static int is_plain_file(const char *path, const char *spec)
{
    struct stat info;
    if (spec != path)
        return strncmp(spec, "npy:", 4) == 0;
    return cli_ends_in(path, ".safetensors") || (stat(path, &info) == 0 && !S_ISDIR(info.st_mode));
}

/* Its name alone, as `--model NAME` takes it. */
static int is_shipped_model(const char *path)
{
    char found[PATH_MAX];
    return recon_shipped_model(found, sizeof found, path) != path;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    settings chosen = *(const settings *)arg, *s = &chosen;
    const char *spec = s->spec = cli_spec(s->path);
    RECON_CHECK(recon_journal_check(ctx, s->path));
    if (is_there(s->path, "summary.json"))
        return tell_results(ctx, s->path, &s->common);
    if (is_plain_file(s->path, spec))
        return tell_file(ctx, s);
    if (!recon_data_is(spec) && is_shipped_model(s->path))
        return tell_model(ctx, s->path, &s->common);
    RECON_CHECK(tell_data(ctx, s));
    if (!s->common.json && !s->common.quiet && is_shipped_model(s->path))
        printf(
            "  model      `recon info models/%s` describes the model of that name, which --model %s "
            "uses\n",
            s->path, s->path);
    return RECON_OK;
}

/* --- the libraries that are there -------------------------------------------------------------- */

static recon_status features(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    json_t *all = json_object();
    for (size_t i = 0; recon_version_library(i).name; i++) {
        recon_library l = recon_version_library(i);
        const char *version = l.version ? l.version : "";
        json_object_set_new(all, l.name,
                            l.version ? json_string(version) : json_boolean(l.present));
        if (s->common.json || s->common.quiet)
            continue;
        printf(l.present ? "with    %s" : "without %s: %s", l.name, l.without);
        if (l.problem)
            printf(" (%s)", l.problem);
        printf("%s%s\n", *version ? " " : "", version);
    }
    return s->common.json ? cli_print_json(ctx, all) : (json_decref(all), RECON_OK);
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    const cli_option options[] = {
        { "--skip-bad", NULL, NULL, "skip inputs that cannot be used, and list them", CLI_FLAG, 0,
          &s.skip_bad },
        { "--crop", NULL, "none|auto", CLI_CROP_HELP, CLI_CHOICE, "images", &s.crop },
        { "--picture-limit", "MB", NULL, CLI_PICTURE_LIMIT_HELP, CLI_COUNT, "images",
          &s.picture_limit },
        { "--features", NULL, NULL,
          "list the optional libraries that are there, and what is lost without one", CLI_FLAG, 0,
          &s.features },
        { 0 },
    };
    size_t words = 0;
    int code = cli_parse(&cli_info, options, &s.common, argc, argv, &s.path, 1, &words);
    if (code >= 0)
        return code;
    if (s.features && words == 0)
        return cli_run(&cli_info, &s.common, features, &s);
    return words == 1 && !s.features ? cli_run(&cli_info, &s.common, work, &s)
                                     : cli_misuse(&cli_info, "name a file, a folder or a data set");
}
