/* cmd_info.c - recon info: what a file holds. */
#include "cli/cli.h"
#include "core/fail.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int run(int argc, char **argv);
const cli_command cli_info = {
    .name = "info",
    .purpose = "what an NPY file or a model holds",
    .arguments = "FILE.npy|MODEL.safetensors",
    .example = "  recon info z.npy\n"
               "  z.npy: float32 60000 x 128, C order, finite, -3.21 .. 4.02\n"
               "  recon info models/mnist.safetensors",
    .run = run,
};

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

static recon_status work(recon_ctx *ctx, const char *path, const cli_common *common)
{
    static const char model[] = ".safetensors";
    size_t n = strlen(path), end = sizeof model - 1;
    return n > end && !strcmp(path + n - end, model) ? tell_model(ctx, path, common)
                                                     : tell_array(ctx, path, common);
}

static int run(int argc, char **argv)
{
    const cli_option options[] = { { 0 } };
    cli_common common = { 0 };
    const char *path = NULL;
    size_t words = 0;
    int code = cli_parse(&cli_info, options, &common, argc, argv, &path, 1, &words);
    if (code >= 0)
        return code;
    if (words != 1)
        return cli_misuse(&cli_info, "name a file");
    recon_ctx *ctx = cli_context(&common);
    if (!ctx)
        return EXIT_FAILED;
    code = work(ctx, path, &common) == RECON_OK ? EXIT_DONE : cli_fail(&cli_info, ctx);
    cli_context_free(ctx);
    return code;
}
