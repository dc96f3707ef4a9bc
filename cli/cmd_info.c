/* cmd_info.c - recon info: what a file holds. */
#include "cli/cli.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/elements.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);
const cli_command cli_info = {
    .name = "info",
    .purpose = "what an NPY file, a model or a set of molecules holds",
    .arguments = "FILE.npy|MODEL.safetensors|SPEC",
    .example =
        "  recon info z.npy\n"
        "  z.npy: float32 60000 x 128, C order, finite, -3.21 .. 4.02\n"
        "  recon info models/mnist.safetensors\n"
        "  recon info conformers/test\n"
        "  recon info mine.xyz --skip-bad\n"
        "\n"
        "A SPEC of molecules is as in `recon train --help`; FILE.xyz, FILE.sdf and FILE.mol\n"
        "may be named without what stands before the colon.",
    .run = run,
};

typedef struct {
    const char *path;
    int skip_bad;
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
        recon_status status = recon_array_to_f64(ctx, x, &piece);
        if (status != RECON_OK)
            return status;
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

/* --- models ----------------------------------------------------------------------------------- */

static recon_status count_numbers(recon_ctx *ctx, size_t *out, const recon_safetensors *file)
{
    *out = 0;
    for (size_t i = 0; i < recon_safetensors_count(file); i++) {
        recon_array a = { 0 };
        recon_status status = recon_safetensors_get(ctx, &a, file, recon_safetensors_name(file, i));
        if (status != RECON_OK)
            return status;
        *out += recon_array_count(&a);
        recon_array_free(&a);
    }
    return RECON_OK;
}

static json_t *model_json(const char *path, const recon_safetensors *file, size_t numbers)
{
    json_t *metadata = json_object(), *all = json_object();
    for (size_t i = 0; recon_safetensors_metadata_at(file, i).key; i++)
        json_object_set_new(metadata, recon_safetensors_metadata_at(file, i).key,
                            json_string(recon_safetensors_metadata_at(file, i).value));
    json_object_set_new(all, "file", json_string(path));
    json_object_set_new(all, "tensors", json_integer((json_int_t)recon_safetensors_count(file)));
    json_object_set_new(all, "numbers", json_integer((json_int_t)numbers));
    json_object_set_new(all, "metadata", metadata);
    return all;
}

static void print_model(const char *path, const recon_safetensors *file, size_t numbers)
{
    printf("%s: %zu tensors, %zu numbers\n", path, recon_safetensors_count(file), numbers);
    for (size_t i = 0; recon_safetensors_metadata_at(file, i).key; i++)
        printf("  %-14s %s\n", recon_safetensors_metadata_at(file, i).key,
               recon_safetensors_metadata_at(file, i).value);
}

static recon_status tell_model(recon_ctx *ctx, const char *path, const cli_common *common)
{
    recon_safetensors *file = NULL;
    size_t numbers;
    recon_status status;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    RECON_TRY(count_numbers(ctx, &numbers, file));
    if (common->json)
        RECON_TRY(cli_print_json(ctx, model_json(path, file, numbers)));
    else if (!common->quiet)
        print_model(path, file, numbers);
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
    recon_status status = recon_alloc(ctx, &seen, out->info.molecules, 1);
    if (status != RECON_OK)
        return status;
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

static json_t *census_json(const char *spec, const census *c)
{
    json_t *elements = json_object(), *all = json_object();
    for (int z = 1; z <= RECON_ELEMENTS; z++)
        if (c->atoms[z])
            json_object_set_new(elements, recon_element_symbol(z),
                                json_integer((json_int_t)c->atoms[z]));
    json_object_set_new(all, "data", json_string(spec));
    json_object_set_new(all, "conformers", json_integer((json_int_t)c->info.n));
    json_object_set_new(all, "molecules", json_integer((json_int_t)c->present));
    json_object_set_new(all, "atoms", json_integer((json_int_t)c->info.total));
    json_object_set_new(all, "largest", json_integer((json_int_t)c->info.atoms));
    json_object_set_new(all, "skipped", json_integer((json_int_t)c->info.skipped));
    json_object_set_new(all, "elements", elements);
    return all;
}

static void print_census(const char *spec, const census *c)
{
    printf("%s: %zu conformers of %zu molecules\n", spec, c->info.n, c->present);
    if (c->info.skipped)
        printf("  skipped    %zu that could not be used\n", c->info.skipped);
    printf("  atoms      %zu, at most %zu in a conformer\n  elements  ", c->info.total,
           c->info.atoms);
    for (int z = 1; z <= RECON_ELEMENTS; z++)
        if (c->atoms[z])
            printf(" %s %zu", recon_element_symbol(z), c->atoms[z]);
    putchar('\n');
}

static recon_status tell_molecules(recon_ctx *ctx, const char *spec, const settings *s)
{
    recon_molecules *data = NULL;
    census c;
    recon_status status;
    RECON_TRY(recon_molecules_open(ctx, &data, spec,
                                   &(recon_molecules_options){ .skip_bad = s->skip_bad }));
    RECON_TRY(count_atoms(ctx, &c, data));
    if (s->common.json)
        RECON_TRY(cli_print_json(ctx, census_json(spec, &c)));
    else if (!s->common.quiet)
        print_census(spec, &c);
done:
    recon_molecules_close(data);
    return status;
}

/* --- which of them ---------------------------------------------------------------------------- */

/* What files are, by how their names end. */
static const struct {
    const char *end, *spec;
} kinds[] = { { ".xyz", "xyz:" }, { ".sdf", "sdf:" }, { ".mol", "sdf:" } };

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    char spec[PATH_MAX + 8];
    if (recon_molecules_is(s->path))
        return tell_molecules(ctx, s->path, s);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (cli_ends_in(s->path, kinds[i].end)) {
            snprintf(spec, sizeof spec, "%s%s", kinds[i].spec, s->path);
            return tell_molecules(ctx, spec, s);
        }
    return cli_ends_in(s->path, ".safetensors") ? tell_model(ctx, s->path, &s->common)
                                                : tell_array(ctx, s->path, &s->common);
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    const cli_option options[] = {
        { "--skip-bad", NULL, NULL, "leave out what cannot be used, and count it",
          CLI_FLAG | CLI_MOLECULES, 0, &s.skip_bad },
        { 0 },
    };
    size_t words = 0;
    int code = cli_parse(&cli_info, options, &s.common, argc, argv, &s.path, 1, &words);
    if (code >= 0)
        return code;
    return words == 1 ? cli_run(&cli_info, &s.common, work, &s)
                      : cli_misuse(&cli_info, "name a file");
}
