/* params.c - named parameters in a few blocks. */
#include "nn/params.h"
#include "core/f16.h"
#include "core/fail.h"
#include "core/memory.h"
#include "ops/ops.h"

#include <math.h>
#include <recon/core/rng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 64 /* elements: every entry begins on a cache line, in bfloat16 too */
#define STATE "state."

const char *recon_shape_print(recon_shape_text out, const size_t *shape, int ndim)
{
    size_t used = 0;
    snprintf(out, sizeof(recon_shape_text), "one number");
    for (int i = 0; i < ndim; i++)
        used += (size_t)snprintf(out + used, sizeof(recon_shape_text) - used, "%s%zu",
                                 i ? " x " : "", shape[i]);
    return out;
}

recon_status recon_precision_resolve(recon_ctx *ctx, recon_precision *precision)
{
    RECON_CHECK(recon_enum_check(ctx, *precision, RECON_AUTO, "precision"));
    if (*precision == RECON_DOUBLE && recon_ops_of(ctx) != &recon_ops_ref)
        return recon_fail(ctx, RECON_ERR_INPUT, "double precision is for the backend ref, not %s",
                          recon_ops_name(ctx));
    *precision = recon_precision_on(ctx, *precision);
    return RECON_OK;
}

recon_status recon_params_new(recon_ctx *ctx, recon_params **out, recon_precision precision)
{
    *out = NULL;
    RECON_CHECK(recon_precision_resolve(ctx, &precision));
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    (*out)->precision = precision;
    (*out)->type = precision == RECON_DOUBLE ? RECON_F64 : RECON_F32;
    return RECON_OK;
}

static void release(recon_ctx *ctx, char **block)
{
    if (*block)
        recon_ops_of(ctx)->release(ctx, *block);
    *block = NULL;
}

void recon_params_free(recon_ctx *ctx, recon_params *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++) {
        recon_free_all(p->entry[i]->name, p->entry[i]->deviations, p->entry[i]);
    }
    free(p->entry);
    while (p->kept) {
        recon_param *e = p->kept;
        p->kept = e->next;
        release(ctx, (char **)&e->value.data);
        release(ctx, (char **)&e->low.data);
        free(e);
    }
    release(ctx, &p->weights);
    release(ctx, &p->gradients);
    release(ctx, &p->buffers);
    release(ctx, &p->low);
    free(p);
}

static const recon_param *find(const recon_params *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->entry[i]->name, name))
            return p->entry[i];
    return NULL;
}

static recon_status check_shape(recon_ctx *ctx, const char *name, const size_t *shape, int ndim,
                                const recon_array *a, const char *path)
{
    recon_shape_text got, want;
    if (a->ndim == ndim && !memcmp(a->shape, shape, (size_t)ndim * sizeof *shape))
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: '%s' is %s, this network's is %s", path, name,
                      recon_shape_print(got, a->shape, a->ndim),
                      recon_shape_print(want, shape, ndim));
}

/* The array of a name; of that shape or none. */
static recon_status get_entry(recon_ctx *ctx, recon_array *out, const recon_safetensors *file,
                              const char *path, const char *name, const size_t *shape, int ndim)
{
    recon_status status = recon_safetensors_get(ctx, out, file, name);
    if (status == RECON_ERR_INPUT)
        return recon_fail(ctx, status, "%s: no weights for '%s'", path, name);
    if (status == RECON_OK)
        status = check_shape(ctx, name, shape, ndim, out, path);
    if (status != RECON_OK)
        recon_array_free(out);
    return status;
}

recon_status recon_params_check(recon_ctx *ctx, const recon_params *p, const char *name,
                                const size_t *shape, int ndim)
{
    recon_shape_text text;
    recon_array held = { 0 };
    recon_status status = RECON_OK;
    if (p->weights)
        return recon_fail(ctx, RECON_ERR_INPUT, "'%s': parameters are made already", name);
    if (find(p, name) || !strncmp(name, STATE, strlen(STATE)))
        return recon_fail(ctx, RECON_ERR_INPUT, "'%s': the name is taken", name);
    for (int i = 0; i < ndim; i++)
        if (shape[i] == 0)
            return recon_fail(ctx, RECON_ERR_INPUT, "'%s': a shape of %s", name,
                              recon_shape_print(text, shape, ndim));
    if (p->from.file)
        status = get_entry(ctx, &held, p->from.file, p->from.path, name, shape, ndim);
    recon_array_free(&held);
    return status;
}

static recon_status add(recon_ctx *ctx, recon_param **out, recon_params *p, const char *name,
                        const size_t *shape, int ndim, recon_init init, int trained)
{
    recon_param *e;
    RECON_CHECK(recon_params_check(ctx, p, name, shape, ndim));
    RECON_CHECK(recon_grow(ctx, &p->entry, &p->capacity, p->count, p->count + 1, sizeof *p->entry));
    RECON_CHECK(recon_alloc(ctx, &e, 1, sizeof *e));
    e->name = strdup(name);
    if (!e->name) {
        free(e);
        return recon_fail(ctx, RECON_ERR_MEMORY, "'%s': out of memory", name);
    }
    size_t *total = trained ? &p->n_weights : &p->n_buffers;
    e->owner = p;
    e->value = (recon_tensor){ .type = p->type, .ndim = ndim };
    memcpy(e->value.shape, shape, (size_t)ndim * sizeof *shape);
    e->low = e->grad = e->value;
    e->low.type = RECON_BF16;
    e->init = init;
    e->trained = trained;
    e->offset = *total;
    *total += (recon_tensor_count(&e->value) + ALIGN - 1) / ALIGN * ALIGN;
    p->n_trained += trained ? recon_tensor_count(&e->value) : 0;
    p->entry[p->count++] = *out = e;
    return RECON_OK;
}

recon_status recon_params_add(recon_ctx *ctx, recon_param **out, recon_params *params,
                              const char *name, const size_t *shape, int ndim, recon_init init)
{
    return add(ctx, out, params, name, shape, ndim, init, 1);
}

recon_status recon_params_add_normal(recon_ctx *ctx, recon_param **out, recon_params *params,
                                     const char *name, const size_t *shape, int ndim,
                                     const double *deviations)
{
    recon_init init = { RECON_INIT_CONSTANT, 0 };
    RECON_CHECK(add(ctx, out, params, name, shape, ndim, init, 1));
    RECON_CHECK(recon_alloc(ctx, &(*out)->deviations, recon_param_count(*out), sizeof *deviations));
    memcpy((*out)->deviations, deviations, recon_param_count(*out) * sizeof *deviations);
    return RECON_OK;
}

recon_status recon_params_add_buffer(recon_ctx *ctx, recon_param **out, recon_params *params,
                                     const char *name, const size_t *shape, int ndim, double value)
{
    recon_init init = { RECON_INIT_CONSTANT, value };
    return add(ctx, out, params, name, shape, ndim, init, 0);
}

static void put(void *block, recon_dtype type, size_t i, double x)
{
    if (type == RECON_F64)
        ((double *)block)[i] = x;
    else
        ((float *)block)[i] = (float)x;
}

/* Entry i draws from a stream of its own: adding a layer leaves those before it as they were. */
static void first_values(const recon_param *e, void *block, recon_rng rng)
{
    size_t count = recon_tensor_count(&e->value);
    size_t outputs = e->value.ndim ? e->value.shape[0] : 1, inputs = count / outputs;
    size_t receptive = e->value.ndim > 1 ? inputs / e->value.shape[e->value.ndim - 1] : 1;
    double he = sqrt(2 / (double)inputs);
    double xavier = sqrt(6 / (double)(inputs + outputs * receptive));
    for (size_t i = 0; i < count; i++) {
        double x = e->init.value;
        if (e->deviations)
            x = e->deviations[i] * recon_rng_normal(&rng);
        else if (e->init.kind == RECON_INIT_HE)
            x = he * recon_rng_normal(&rng);
        else if (e->init.kind == RECON_INIT_XAVIER)
            x = xavier * (2 * recon_rng_uniform(&rng) - 1);
        put(block, e->value.type, e->offset + i, x);
    }
}

static void point(recon_param *e)
{
    recon_params *p = e->owner;
    size_t at = e->offset * recon_dtype_size(p->type);
    e->value.data = (e->trained ? p->weights : p->buffers) + at;
    e->grad.data = e->trained ? p->gradients + at : NULL;
    e->low.data = e->trained && p->low ? p->low + 2 * e->offset : NULL;
}

void recon_params_use(recon_params *p, char *weights)
{
    p->weights = weights;
    for (size_t i = 0; i < p->count; i++)
        point(p->entry[i]);
}

static recon_status upload(recon_ctx *ctx, recon_params *p, const void *weights,
                           const void *buffers)
{
    const recon_ops *ops = recon_ops_of(ctx);
    size_t size = recon_dtype_size(p->type);
    RECON_CHECK(ops->upload(ctx, p->weights, weights, p->n_weights * size));
    RECON_CHECK(ops->upload(ctx, p->buffers, buffers, p->n_buffers * size));
    return recon_params_round(ctx, p);
}

recon_status recon_params_round(recon_ctx *ctx, recon_params *p)
{
    recon_tensor all = { .type = p->type, .ndim = 1, .shape = { p->n_weights } }, low = all;
    if (!p->low)
        return RECON_OK;
    all.data = p->weights;
    low.type = RECON_BF16;
    low.data = p->low;
    return recon_ops_of(ctx)->add(ctx, &(recon_add_args){ .alpha = 1, .y = low, .a = all });
}

recon_status recon_param_round(recon_ctx *ctx, const recon_param *e)
{
    recon_add_args a = { .alpha = 1, .y = e->low, .a = e->value };
    return e->low.data ? recon_ops_of(ctx)->add(ctx, &a) : RECON_OK;
}

static recon_status keep_values(recon_ctx *ctx, recon_param *e, const double *values)
{
    size_t count = recon_tensor_count(&e->value), bytes = recon_tensor_bytes(&e->value);
    void *host;
    recon_status status;
    RECON_CHECK(recon_alloc_raw(ctx, &host, bytes, 1));
    for (size_t i = 0; i < count; i++)
        put(host, e->value.type, i, values[i]);
    RECON_TRY(recon_ops_of(ctx)->upload(ctx, e->value.data, host, bytes));
    RECON_TRY(recon_param_round(ctx, e));
done:
    free(host);
    return status;
}

recon_status recon_params_keep(recon_ctx *ctx, recon_param **out, recon_params *p,
                               const double *values, const size_t *shape, int ndim)
{
    const recon_ops *ops = recon_ops_of(ctx);
    recon_param *e;
    recon_status status;
    RECON_CHECK(recon_alloc(ctx, &e, 1, sizeof *e));
    *e = (recon_param){ .owner = p, .value = { .type = p->type, .ndim = ndim }, .next = p->kept };
    memcpy(e->value.shape, shape, (size_t)ndim * sizeof *shape);
    e->low = e->value;
    e->low.type = RECON_BF16;
    p->kept = *out = e;
    RECON_TRY(ops->alloc(ctx, &e->value.data, recon_tensor_bytes(&e->value)));
    if (p->precision == RECON_MIXED)
        RECON_TRY(ops->alloc(ctx, &e->low.data, recon_tensor_bytes(&e->low)));
    if (values)
        RECON_TRY(keep_values(ctx, e, values));
done:
    return status;
}

size_t recon_params_count(const recon_params *params)
{
    return params->n_trained;
}

size_t recon_params_entries(const recon_params *params)
{
    return params->count;
}

recon_status recon_params_clear_gradients(recon_ctx *ctx, recon_params *p)
{
    for (size_t i = 0; i < p->count; i++)
        p->entry[i]->fresh = 1;
    return recon_ops_of(ctx)->zero(ctx, p->gradients, p->n_weights * recon_dtype_size(p->type));
}

/* --- files ------------------------------------------------------------------------------------ */

recon_status recon_params_fetch(recon_ctx *ctx, recon_tensor_entry *out, void **block,
                                const recon_params *p, const void *weights)
{
    const recon_ops *ops = recon_ops_of(ctx);
    size_t size = recon_dtype_size(p->type);
    recon_status status;
    RECON_CHECK(recon_alloc_raw(ctx, block, p->n_weights + p->n_buffers, size));
    char *buffers = (char *)*block + p->n_weights * size;
    RECON_TRY(ops->download(ctx, *block, weights, p->n_weights * size));
    RECON_TRY(ops->download(ctx, buffers, p->buffers, p->n_buffers * size));
    for (size_t i = 0; i < p->count; i++) {
        const recon_param *e = p->entry[i];
        recon_array *a = &out[i].array;
        *a = (recon_array){ .dtype = p->type, .ndim = e->value.ndim };
        memcpy(a->shape, e->value.shape, sizeof a->shape);
        a->data = (e->trained ? (char *)*block : buffers) + e->offset * size;
        out[i].name = e->name;
    }
done:
    if (status != RECON_OK) {
        free(*block);
        *block = NULL;
    }
    return status;
}

static double number_at(const void *x, recon_dtype type, size_t i)
{
    return type == RECON_F64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

/* Where the first number lies that is not finite; n: nowhere. */
static size_t first_bad(const void *x, recon_dtype type, size_t n)
{
    size_t i = 0;
    while (i < n && isfinite(number_at(x, type, i)))
        i++;
    return i;
}

recon_status recon_entries_check(recon_ctx *ctx, const char *path,
                                 const recon_tensor_entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const recon_array *a = &entries[i].array;
        size_t count = recon_array_count(a), bad = first_bad(a->data, a->dtype, count);
        if (bad < count)
            return recon_fail(
                ctx, RECON_ERR_NUMERIC,
                "%s: not written: number %zu of '%s' is %g: training has diverged, and "
                "a lower rate may help",
                path, bad, entries[i].name, number_at(a->data, a->dtype, bad));
    }
    return RECON_OK;
}

/* In place: numbers become narrower, so that one never overtakes the next to be read. */
static void round_entry(recon_array *a)
{
    size_t n = recon_array_count(a);
    unsigned char *to = (unsigned char *)(uintptr_t)a->data;
    for (size_t i = 0; i < n; i++) {
        float x = a->dtype == RECON_F64 ? (float)((const double *)a->data)[i]
                                        : ((const float *)a->data)[i];
        uint16_t half = recon_bf16_from_float(x);
        memcpy(to + 2 * i, &half, sizeof half);
    }
    a->dtype = RECON_BF16;
}

static recon_status fetch_set(recon_ctx *ctx, recon_tensor_entry *out, void **block,
                              const char *path, const recon_params *p, int bf16)
{
    RECON_CHECK(recon_params_fetch(ctx, out, block, p, p->weights));
    RECON_CHECK(recon_entries_check(ctx, path, out, p->count));
    for (size_t i = 0; bf16 && i < p->count; i++)
        if (p->entry[i]->trained)
            round_entry(&out[i].array);
    return RECON_OK;
}

recon_status recon_params_save_all(recon_ctx *ctx, const char *path,
                                   const recon_params *const *sets, size_t n_sets,
                                   const recon_metadata_entry *metadata, size_t n_metadata,
                                   const recon_params_save_options *options)
{
    const recon_params_save_options o = options ? *options : (recon_params_save_options){ 0 };
    recon_tensor_entry *entries = NULL;
    void **block = NULL;
    size_t count = o.n_more, at = 0;
    recon_status status;
    for (size_t i = 0; i < n_sets; i++)
        count += sets[i]->count;
    RECON_TRY(recon_alloc(ctx, &block, n_sets, sizeof *block));
    RECON_TRY(recon_alloc(ctx, &entries, count, sizeof *entries));
    for (size_t i = 0; i < n_sets; at += sets[i++]->count)
        RECON_TRY(fetch_set(ctx, entries + at, &block[i], path, sets[i], o.bf16));
    for (size_t i = 0; i < o.n_more; i++)
        entries[at + i] = o.more[i];
    RECON_TRY(recon_safetensors_write(ctx, path, entries, count, metadata, n_metadata));
done:
    for (size_t i = 0; block && i < n_sets; i++)
        free(block[i]);
    recon_free_all(block, entries);
    return status;
}

recon_status recon_params_save(recon_ctx *ctx, const char *path, const recon_params *params,
                               const recon_metadata_entry *metadata, size_t n_metadata)
{
    return recon_params_save_all(ctx, path, &params, 1, metadata, n_metadata, NULL);
}

static recon_status check_names(recon_ctx *ctx, const recon_params *p,
                                const recon_safetensors *file, const char *path)
{
    for (size_t i = 0; i < recon_safetensors_count(file); i++) {
        const char *name = recon_safetensors_name(file, i);
        if (strncmp(name, STATE, strlen(STATE)) && !find(p, name))
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "%s: holds '%.100s', which this network does not have", path, name);
    }
    return RECON_OK;
}

recon_status recon_numbers_check(recon_ctx *ctx, const void *x, recon_dtype type, size_t n,
                                 const char *name, const char *path)
{
    size_t bad = first_bad(x, type, n);
    return bad == n ? RECON_OK
                    : recon_fail(ctx, RECON_ERR_FORMAT, "%s: number %zu of '%s' is %g", path, bad,
                                 name, number_at(x, type, bad));
}

static recon_status load_entry(recon_ctx *ctx, const recon_param *e, void *block,
                               const recon_safetensors *file, const char *path)
{
    const recon_tensor *to = &e->value;
    recon_array a = { 0 };
    recon_status status;
    char *at = (char *)block + e->offset * recon_dtype_size(to->type);
    RECON_TRY(get_entry(ctx, &a, file, path, e->name, to->shape, to->ndim));
    RECON_TRY(to->type == RECON_F64 ? recon_array_to_f64(ctx, (double *)at, &a)
                                    : recon_array_to_f32(ctx, (float *)at, &a));
    RECON_TRY(recon_numbers_check(ctx, at, to->type, recon_param_count(e), e->name, path));
done:
    recon_array_free(&a);
    return status;
}

/* From a file, where one is given, which with `whole` may hold nothing else; else from the seed. */
static recon_status fill(recon_ctx *ctx, recon_params *p, const recon_safetensors *file,
                         const char *path, int whole, uint64_t seed)
{
    size_t size = recon_dtype_size(p->type);
    char *weights = NULL, *buffers = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &weights, p->n_weights, size));
    RECON_TRY(recon_alloc(ctx, &buffers, p->n_buffers, size));
    for (size_t i = 0; i < p->count; i++) {
        const recon_param *e = p->entry[i];
        char *block = e->trained ? weights : buffers;
        if (file)
            RECON_TRY(load_entry(ctx, e, block, file, path));
        else
            first_values(e, block, recon_rng_new(seed, i));
    }
    if (file && whole)
        RECON_TRY(check_names(ctx, p, file, path));
    RECON_TRY(upload(ctx, p, weights, buffers));
done:
    recon_free_all(weights, buffers);
    return status;
}

void recon_params_expect(recon_params *p, const recon_safetensors *file, const char *path,
                         int whole)
{
    p->from.file = file;
    p->from.path = path;
    p->from.whole = whole;
}

recon_status recon_params_make(recon_ctx *ctx, recon_params *p, uint64_t seed)
{
    const recon_ops *ops = recon_ops_of(ctx);
    size_t size = recon_dtype_size(p->type);
    RECON_CHECK(ops->alloc(ctx, (void **)&p->weights, p->n_weights * size + ALIGN));
    RECON_CHECK(ops->alloc(ctx, (void **)&p->gradients, p->n_weights * size + ALIGN));
    RECON_CHECK(ops->alloc(ctx, (void **)&p->buffers, p->n_buffers * size + ALIGN));
    if (p->precision == RECON_MIXED)
        RECON_CHECK(ops->alloc(ctx, (void **)&p->low, p->n_weights * 2 + ALIGN));
    RECON_CHECK(recon_params_clear_gradients(ctx, p));
    for (size_t i = 0; i < p->count; i++)
        point(p->entry[i]);
    RECON_CHECK(fill(ctx, p, p->from.file, p->from.path, p->from.whole, seed));
    recon_params_expect(p, NULL, NULL, 0);
    return RECON_OK;
}

recon_status recon_params_store(recon_ctx *ctx, recon_params *p, const recon_safetensors *file,
                                const char *path)
{
    return fill(ctx, p, file, path, 1, 0);
}

recon_status recon_params_load(recon_ctx *ctx, recon_params *params, const char *path)
{
    recon_safetensors *file = NULL;
    recon_status status;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    RECON_TRY(fill(ctx, params, file, path, 1, 0));
done:
    recon_safetensors_close(file);
    return status;
}

/* --- single entries --------------------------------------------------------------------------- */

size_t recon_param_count(const recon_param *param)
{
    return recon_tensor_count(&param->value);
}

recon_status recon_tensor_read(recon_ctx *ctx, double *out, const recon_tensor *x)
{
    void *host = NULL;
    recon_array a = { .dtype = x->type, .ndim = 1, .shape = { recon_tensor_count(x) } };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &host, recon_tensor_bytes(x), 1));
    RECON_TRY(recon_ops_of(ctx)->download(ctx, host, x->data, recon_tensor_bytes(x)));
    a.data = host;
    RECON_TRY(recon_array_to_f64(ctx, out, &a));
done:
    free(host);
    return status;
}

recon_status recon_param_read(recon_ctx *ctx, double *out, const recon_param *param)
{
    return recon_tensor_read(ctx, out, &param->value);
}

recon_status recon_param_read_gradient(recon_ctx *ctx, double *out, const recon_param *param)
{
    return recon_tensor_read(ctx, out, &param->grad);
}

recon_status recon_tensor_write(recon_ctx *ctx, const recon_tensor *x, const double *values)
{
    size_t count = recon_tensor_count(x), bytes = recon_tensor_bytes(x);
    void *host = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &host, bytes, 1));
    for (size_t i = 0; i < count; i++)
        put(host, x->type, i, values[i]);
    RECON_TRY(recon_ops_of(ctx)->upload(ctx, x->data, host, bytes));
done:
    free(host);
    return status;
}

recon_status recon_param_write(recon_ctx *ctx, recon_param *param, const double *values)
{
    RECON_CHECK(recon_tensor_write(ctx, &param->value, values));
    return recon_params_round(ctx, param->owner);
}

static recon_status copy_entry(recon_ctx *ctx, const recon_param *to, const recon_param *from)
{
    recon_shape_text got, want;
    double *values = NULL;
    recon_status status;
    if (!from)
        return recon_fail(ctx, RECON_ERR_INPUT, "no weights for '%s'", to->name);
    if (to->value.ndim != from->value.ndim ||
        memcmp(to->value.shape, from->value.shape, sizeof to->value.shape) != 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "'%s' is %s, this network's is %s", to->name,
                          recon_shape_print(got, from->value.shape, from->value.ndim),
                          recon_shape_print(want, to->value.shape, to->value.ndim));
    RECON_TRY(recon_alloc_raw(ctx, &values, recon_param_count(to), sizeof *values));
    RECON_TRY(recon_tensor_read(ctx, values, &from->value));
    RECON_TRY(recon_tensor_write(ctx, &to->value, values));
done:
    free(values);
    return status;
}

recon_status recon_params_copy(recon_ctx *ctx, recon_params *p, const recon_params *other,
                               const char *prefix)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strncmp(p->entry[i]->name, prefix, strlen(prefix)))
            RECON_CHECK(copy_entry(ctx, p->entry[i], find(other, p->entry[i]->name)));
    return recon_params_round(ctx, p);
}
