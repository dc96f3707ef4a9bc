/* checkpoint.c - a run's state in one file. */
#include <recon/nn/checkpoint.h>
#include "core/fail.h"
#include "core/memory.h"
#include "nn/adam.h"
#include "nn/settings.h"
#include "core/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BLOCKS = 3 };
static const char *const block_name[BLOCKS] = { "state.m", "state.v", "state.average" };

static char *block(const recon_adam *a, int i)
{
    return i == 0 ? a->m : i == 1 ? a->v : a->average;
}

/* The optimiser's blocks as tensors of one dimension behind the weights; *n counts entries. */
static recon_status fetch_blocks(recon_ctx *ctx, recon_tensor_entry *out, size_t *n, char **host,
                                 const recon_adam *a)
{
    size_t count = a->params->n_weights, bytes = count * recon_dtype_size(a->params->type);
    RECON_CHECK(recon_alloc_raw(ctx, host, BLOCKS, bytes));
    for (int i = 0; i < BLOCKS; i++) {
        if (!block(a, i))
            continue;
        char *to = *host + (size_t)i * bytes;
        RECON_CHECK(recon_ops_of(ctx)->download(ctx, to, block(a, i), bytes));
        out[*n].name = block_name[i];
        out[(*n)++].array =
            (recon_array){ .dtype = a->params->type, .ndim = 1, .shape = { count }, .data = to };
    }
    return RECON_OK;
}

/* A state as the file has it, in the order in which the checksum goes over it. Files of earlier
 * versions end before `steps`. */
enum { STEP, STALE, BEST, DUE, SETTINGS, STEPS, FROM, PARTS, FIELDS };
static const char *const field_name[FIELDS] = { "step",     "stale", "best", "due",
                                                "settings", "steps", "from", "parts" };
typedef struct {
    char number[FIELDS][64];
    const char *text[FIELDS]; /* NULL: not there */
} fields;

/* Of what sum was of, followed by n more bytes. */
static uint32_t sum_bytes(uint32_t sum, const void *bytes, size_t n)
{
    return n ? (uint32_t)crc32_z(sum, bytes, n) : sum; /* zlib starts anew where bytes is NULL */
}

static uint32_t sum_text(uint32_t sum, const char *text)
{
    return sum_bytes(sum, text, strlen(text) + 1);
}

static uint32_t sum_state(const fields *f)
{
    uint32_t sum = 0;
    for (int i = 0; i < FIELDS; i++)
        sum = f->text[i] ? sum_text(sum, f->text[i]) : sum;
    return sum;
}

/* Added up, since a file has its tensors in any order. */
static uint32_t sum_tensor(const char *name, const recon_array *array)
{
    return sum_bytes(sum_text(0, name), array->data, recon_array_bytes(array));
}

static void print_state(fields *out, const recon_checkpoint *state)
{
    const uint64_t count[FIELDS] = {
        [STEP] = state->step,   [STALE] = state->stale, [DUE] = state->due != 0,
        [STEPS] = state->steps, [FROM] = state->from,   [PARTS] = state->parts
    };
    for (int i = 0; i < FIELDS; i++) {
        snprintf(out->number[i], sizeof out->number[i], "%" PRIu64, count[i]);
        out->text[i] = out->number[i];
    }
    snprintf(out->number[BEST], sizeof out->number[BEST], "%a", state->best); /* every bit of it */
    out->text[SETTINGS] = state->settings;
}

recon_status recon_checkpoint_save(recon_ctx *ctx, const char *path, const recon_adam *a,
                                   const recon_checkpoint *state)
{
    fields f;
    char check[16];
    recon_metadata_entry metadata[FIELDS + 1] = { { "crc32", check } };
    recon_tensor_entry *entries = NULL;
    void *weights = NULL;
    char *blocks = NULL;
    size_t n = a->params->count;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &entries, n + BLOCKS, sizeof *entries));
    RECON_TRY(recon_params_fetch(ctx, entries, &weights, a->params, a->params->weights));
    RECON_TRY(fetch_blocks(ctx, entries, &n, &blocks, a));
    RECON_TRY(recon_entries_check(ctx, path, entries, n));
    print_state(&f, state);
    uint32_t sum = sum_state(&f);
    for (size_t i = 0; i < n; i++)
        sum += sum_tensor(entries[i].name, &entries[i].array);
    snprintf(check, sizeof check, "%08" PRIx32, sum);
    for (int i = 0; i < FIELDS; i++)
        metadata[1 + i] = (recon_metadata_entry){ field_name[i], f.text[i] };
    RECON_TRY(recon_safetensors_write(ctx, path, entries, n, metadata, FIELDS + 1));
done:
    recon_free_all(blocks, weights, entries);
    return status;
}

static recon_status load_block(recon_ctx *ctx, const recon_adam *a, int i,
                               const recon_safetensors *file, const char *path)
{
    size_t count = a->params->n_weights;
    recon_array array = { 0 };
    recon_status status;
    if (!block(a, i))
        return RECON_OK;
    RECON_TRY(recon_safetensors_get(ctx, &array, file, block_name[i]));
    if (array.dtype != a->params->type || recon_array_count(&array) != count)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: '%s' has %zu numbers, this network has %zu",
                             path, block_name[i], recon_array_count(&array), count));
    RECON_TRY(recon_numbers_check(ctx, array.data, array.dtype, count, block_name[i], path));
    RECON_TRY(recon_ops_of(ctx)->upload(ctx, block(a, i), array.data, recon_array_bytes(&array)));
done:
    recon_array_free(&array);
    return status;
}

/* A number and nothing behind it; "best" may be infinite, but not NaN. */
static int read_count(uint64_t *out, const char *text)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int read_best(double *out, const char *text)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && !isnan(*out);
}

static fields fields_of(const recon_safetensors *file)
{
    fields f;
    for (int i = 0; i < FIELDS; i++)
        f.text[i] = recon_safetensors_metadata(file, field_name[i]);
    return f;
}

/* 0 where the file has no such field: an earlier version's. */
static int read_later(uint64_t *out, const char *text)
{
    *out = 0;
    return !text || read_count(out, text);
}

static recon_status load_numbers(recon_ctx *ctx, recon_checkpoint *state, const fields *f,
                                 const char *path)
{
    const char *const *text = f->text;
    char differs[512];
    uint64_t was, now = recon_settings_identity(state->settings);
    if (!text[STEP] || !text[STALE] || !text[BEST] || !text[SETTINGS])
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: not a checkpoint", path);
    was = recon_settings_identity(text[SETTINGS]);
    if (now && !was)
        return recon_fail(ctx, RECON_ERR_MISMATCH,
                          "%s: made by an earlier version, which did not record what its data "
                          "were: {overwrite=true} starts again",
                          path);
    if (*recon_settings_compare(differs, sizeof differs, text[SETTINGS], state->settings))
        return recon_fail(
            ctx, RECON_ERR_MISMATCH,
            strstr(differs, "identity: ")
                ? "%s: started with other data: %s (inputs, size, crop, rotation, limit "
                  "and seed have to be the same)"
                : "%s: started with other settings: %s",
            path, differs);
    if (!read_count(&state->step, text[STEP]) || !read_count(&state->stale, text[STALE]) ||
        !read_best(&state->best, text[BEST]) || !read_later(&state->steps, text[STEPS]) ||
        !read_later(&state->from, text[FROM]) || !read_later(&state->parts, text[PARTS]) ||
        state->from > state->step)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: after step '%.40s', '%.40s' without a better one than '%.40s'", path,
                          text[STEP], text[STALE], text[BEST]);
    state->due = text[DUE] && !strcmp(text[DUE], "1");
    return RECON_OK;
}

static recon_status check_sum(recon_ctx *ctx, const recon_safetensors *file, const fields *f,
                              const char *path)
{
    const char *told = recon_safetensors_metadata(file, "crc32");
    recon_status status = RECON_OK;
    char found[16];
    if (!told) /* written by version 0.1.0 */
        return RECON_OK;
    uint32_t sum = sum_state(f);
    for (size_t i = 0; i < recon_safetensors_count(file); i++) {
        const char *name = recon_safetensors_name(file, i);
        recon_array array = { 0 };
        RECON_TRY(recon_safetensors_get(ctx, &array, file, name));
        sum += sum_tensor(name, &array);
        recon_array_free(&array);
    }
    snprintf(found, sizeof found, "%08" PRIx32, sum);
    if (strcmp(found, told))
        status =
            recon_fail(ctx, RECON_ERR_FORMAT,
                       "%s: damaged: its checksum is %s, and %.20s was written", path, found, told);
done:
    return status;
}

recon_status recon_checkpoint_load(recon_ctx *ctx, recon_adam *a, recon_checkpoint *state,
                                   const char *path)
{
    recon_safetensors *file = NULL;
    recon_status status;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    fields f = fields_of(file);
    RECON_TRY(load_numbers(ctx, state, &f, path));
    RECON_TRY(recon_params_store(ctx, a->params, file, path));
    for (int i = 0; i < BLOCKS; i++)
        RECON_TRY(load_block(ctx, a, i, file, path));
    RECON_TRY(check_sum(ctx, file, &f, path)); /* last: what else is wrong says more */
    a->steps = state->step - state->from;
done:
    recon_safetensors_close(file);
    return status;
}
