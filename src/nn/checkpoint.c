/* checkpoint.c - a run's state in one file. */
#include <recon/nn/checkpoint.h>
#include "core/fail.h"
#include "core/memory.h"
#include "nn/adam.h"

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
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, host, BLOCKS, bytes));
    for (int i = 0; i < BLOCKS; i++) {
        if (!block(a, i))
            continue;
        char *to = *host + (size_t)i * bytes;
        RECON_TRY(recon_ops_of(ctx)->download(ctx, to, block(a, i), bytes));
        out[*n].name = block_name[i];
        out[(*n)++].array =
            (recon_array){ .dtype = a->params->type, .ndim = 1, .shape = { count }, .data = to };
    }
done:
    return status;
}

/* The numbers of a state as the file has them. */
typedef struct {
    char step[32], stale[32], best[64], due[4], sum[16];
} texts;

/* Of what sum was of, followed by n more bytes. */
static uint32_t sum_bytes(uint32_t sum, const void *bytes, size_t n)
{
    return n ? (uint32_t)crc32_z(sum, bytes, n) : sum; /* zlib starts anew where bytes is NULL */
}

static uint32_t sum_text(uint32_t sum, const char *text)
{
    return sum_bytes(sum, text, strlen(text) + 1);
}

static uint32_t sum_state(const char *step, const char *stale, const char *best, const char *due,
                          const char *settings)
{
    return sum_text(sum_text(sum_text(sum_text(sum_text(0, step), stale), best), due), settings);
}

/* Added up, since a file has its tensors in any order. */
static uint32_t sum_tensor(const char *name, const recon_array *array)
{
    return sum_bytes(sum_text(0, name), array->data, recon_array_bytes(array));
}

static void print_state(texts *out, const recon_checkpoint *state,
                        const recon_tensor_entry *entries, size_t n)
{
    snprintf(out->step, sizeof out->step, "%" PRIu64, state->step);
    snprintf(out->stale, sizeof out->stale, "%" PRIu64, state->stale);
    snprintf(out->best, sizeof out->best, "%a", state->best); /* every bit of it */
    snprintf(out->due, sizeof out->due, "%d", state->due != 0);
    uint32_t sum = sum_state(out->step, out->stale, out->best, out->due, state->settings);
    for (size_t i = 0; i < n; i++)
        sum += sum_tensor(entries[i].name, &entries[i].array);
    snprintf(out->sum, sizeof out->sum, "%08" PRIx32, sum);
}

recon_status recon_checkpoint_save(recon_ctx *ctx, const char *path, const recon_adam *a,
                                   const recon_checkpoint *state)
{
    texts t;
    const recon_metadata_entry metadata[] = { { "step", t.step }, { "stale", t.stale },
                                              { "best", t.best }, { "settings", state->settings },
                                              { "due", t.due },   { "crc32", t.sum } };
    recon_tensor_entry *entries = NULL;
    void *weights = NULL;
    char *blocks = NULL;
    size_t n = a->params->count;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &entries, n + BLOCKS, sizeof *entries));
    RECON_TRY(recon_params_fetch(ctx, entries, &weights, a->params, a->params->weights));
    RECON_TRY(fetch_blocks(ctx, entries, &n, &blocks, a));
    RECON_TRY(recon_entries_check(ctx, path, entries, n));
    print_state(&t, state, entries, n);
    RECON_TRY(recon_safetensors_write(ctx, path, entries, n, metadata,
                                      sizeof metadata / sizeof *metadata));
done:
    free(blocks);
    free(weights);
    free(entries);
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

static recon_status load_numbers(recon_ctx *ctx, recon_checkpoint *state,
                                 const recon_safetensors *file, const char *path)
{
    const char *step = recon_safetensors_metadata(file, "step");
    const char *stale = recon_safetensors_metadata(file, "stale");
    const char *best = recon_safetensors_metadata(file, "best");
    const char *due = recon_safetensors_metadata(file, "due");
    const char *settings = recon_safetensors_metadata(file, "settings");
    if (!step || !stale || !best || !settings)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: not a checkpoint", path);
    if (strcmp(settings, state->settings))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: begun with '%s', not with '%s'", path,
                          settings, state->settings);
    if (!read_count(&state->step, step) || !read_count(&state->stale, stale) ||
        !read_best(&state->best, best))
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: after step '%.40s', '%.40s' without a better one than '%.40s'", path,
                          step, stale, best);
    state->due = due && !strcmp(due, "1");
    return RECON_OK;
}

static recon_status check_sum(recon_ctx *ctx, const recon_safetensors *file, const char *path)
{
    const char *told = recon_safetensors_metadata(file, "crc32");
    const char *due = recon_safetensors_metadata(file, "due");
    recon_status status = RECON_OK;
    char found[16];
    if (!told) /* written by version 0.1.0 */
        return RECON_OK;
    uint32_t sum = sum_state(recon_safetensors_metadata(file, "step"),
                             recon_safetensors_metadata(file, "stale"),
                             recon_safetensors_metadata(file, "best"), due ? due : "",
                             recon_safetensors_metadata(file, "settings"));
    for (size_t i = 0; i < recon_safetensors_count(file); i++) {
        const char *name = recon_safetensors_name(file, i);
        recon_array array = { 0 };
        RECON_TRY(recon_safetensors_get(ctx, &array, file, name));
        sum += sum_tensor(name, &array);
        recon_array_free(&array);
    }
    snprintf(found, sizeof found, "%08" PRIx32, sum);
    if (strcmp(found, told))
        status = recon_fail(ctx, RECON_ERR_FORMAT,
                            "%s: damaged: its check sum is %s, and %.20s was written", path, found,
                            told);
done:
    return status;
}

recon_status recon_checkpoint_load(recon_ctx *ctx, recon_adam *a, recon_checkpoint *state,
                                   const char *path)
{
    recon_safetensors *file = NULL;
    recon_status status;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    RECON_TRY(load_numbers(ctx, state, file, path));
    RECON_TRY(recon_params_store(ctx, a->params, file, path));
    for (int i = 0; i < BLOCKS; i++)
        RECON_TRY(load_block(ctx, a, i, file, path));
    RECON_TRY(check_sum(ctx, file, path)); /* last: what else is wrong says more */
    a->steps = state->step;
done:
    recon_safetensors_close(file);
    return status;
}
