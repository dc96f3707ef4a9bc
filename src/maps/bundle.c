/* bundle.c - the networks, their file, and their answers. */
#include "maps/bundle.h"
#include "core/fail.h"
#include "core/memory.h"
#include "maps/standard.h"
#include "nn/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1024 /* of a pass */, MOST = 1 << 16 /* numbers of an embedding, or of a layer */ };

/* --- the object ------------------------------------------------------------------------------- */

static recon_status add_heads(recon_ctx *ctx, recon_bundle *b, double dropout)
{
    for (int h = 0; h < b->kind->heads; h++) {
        const recon_head_kind *head = &b->kind->head[h];
        size_t sizes[] = { b->d, b->hidden, b->hidden, head->outputs };
        recon_status status =
            recon_mlp_add(ctx, &b->head[h], b->params, head->name, sizes,
                          sizeof sizes / sizeof *sizes, head->dropout ? dropout : 0);
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

/* Files of an earlier version have no table of tails. */
static int has_tails(const recon_safetensors *file)
{
    size_t i = 0, count = file ? recon_safetensors_count(file) : 0;
    while (i < count && strcmp(recon_safetensors_name(file, i), "calibration.tails") != 0)
        i++;
    return !file || i < count;
}

static recon_status add_buffers(recon_ctx *ctx, recon_bundle *b, const recon_safetensors *file)
{
    const struct {
        recon_param **at;
        const char *name;
        size_t count;
    } buffer[] = { { &b->kept.mean, "standard.mean", b->d },
                   { &b->kept.scale, "standard.scale", b->d },
                   { &b->kept.quantiles, "calibration.quantiles", RECON_QUANTILES },
                   { &b->kept.scores, "calibration.scores", 1 },
                   { &b->kept.number, b->kind->number, 1 },
                   { &b->kept.tails, "calibration.tails", RECON_TAIL_NUMBERS } };
    size_t count = sizeof buffer / sizeof *buffer - !has_tails(file);
    for (size_t i = 0; i < count; i++) {
        recon_status status = recon_params_add_buffer(ctx, buffer[i].at, b->params, buffer[i].name,
                                                      &buffer[i].count, 1, 0);
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

/* With the weights of a file, or with first ones. */
static recon_status make(recon_ctx *ctx, recon_bundle *b, double dropout,
                         const recon_safetensors *file, const char *path, uint64_t seed)
{
    recon_status status;
    RECON_TRY(recon_params_new(ctx, &b->params, RECON_SINGLE));
    recon_params_expect(b->params, file, path, 0);
    RECON_TRY(add_heads(ctx, b, dropout));
    RECON_TRY(add_buffers(ctx, b, file));
    RECON_TRY(recon_params_make(ctx, b->params, seed));
    RECON_TRY(recon_alloc(ctx, &b->mean, b->d, sizeof *b->mean));
    RECON_TRY(recon_alloc(ctx, &b->scale, b->d, sizeof *b->scale));
    b->weights = recon_params_count(b->params);
done:
    return status;
}

recon_status recon_bundle_new(recon_ctx *ctx, recon_bundle *out, const recon_bundle_kind *kind,
                              size_t d, size_t hidden, double dropout, uint64_t seed)
{
    *out = (recon_bundle){ .kind = kind, .d = d, .hidden = hidden };
    return make(ctx, out, dropout, NULL, NULL, seed);
}

void recon_bundle_free(recon_ctx *ctx, recon_bundle *b)
{
    recon_params_free(ctx, b->params);
    free(b->mean);
    free(b->scale);
}

/* --- what is kept ----------------------------------------------------------------------------- */

recon_status recon_bundle_keep(recon_ctx *ctx, recon_bundle *b)
{
    double tails[RECON_TAIL_NUMBERS];
    recon_status status;
    recon_tails_pack(tails, &b->tails);
    RECON_TRY(recon_param_write(ctx, b->kept.tails, tails));
    RECON_TRY(recon_param_write(ctx, b->kept.mean, b->mean));
    RECON_TRY(recon_param_write(ctx, b->kept.scale, b->scale));
    RECON_TRY(recon_param_write(ctx, b->kept.quantiles, b->calibration.quantile));
    RECON_TRY(recon_param_write(ctx, b->kept.scores, &b->calibration.n));
    RECON_TRY(recon_param_write(ctx, b->kept.number, &b->number));
done:
    return status;
}

static int is_rising(const double *x, size_t n)
{
    size_t i = 1;
    while (i < n && x[i - 1] <= x[i])
        i++;
    return i == n;
}

/* From the buffers, which may be a file's and hold any numbers. */
static recon_status recall(recon_ctx *ctx, recon_bundle *b, const char *path)
{
    recon_calibration *c = &b->calibration;
    double tails[RECON_TAIL_NUMBERS] = { 0 };
    recon_status status;
    RECON_TRY(recon_param_read(ctx, b->mean, b->kept.mean));
    RECON_TRY(recon_param_read(ctx, b->scale, b->kept.scale));
    RECON_TRY(recon_param_read(ctx, c->quantile, b->kept.quantiles));
    RECON_TRY(recon_param_read(ctx, &c->n, b->kept.scores));
    RECON_TRY(recon_param_read(ctx, &b->number, b->kept.number));
    if (b->kept.tails)
        RECON_TRY(recon_param_read(ctx, tails, b->kept.tails));
    if (!is_rising(c->quantile, RECON_QUANTILES) || !(c->n >= 1 && c->n < 1e15) ||
        !recon_tails_unpack(&b->tails, tails))
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: 'calibration' is no rising table", path));
done:
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

/* The sizes are those of the first head's first layer. */
static recon_status read_sizes(recon_ctx *ctx, recon_bundle *b, const recon_safetensors *file,
                               const char *path)
{
    recon_layer_name name;
    recon_array weight;
    snprintf(name, sizeof name, "%s.0.weight", b->kind->head[0].name);
    recon_status status = recon_safetensors_get(ctx, &weight, file, name);
    if (status != RECON_OK)
        return recon_note(ctx, status, "the file holds no maps");
    if (weight.ndim != 2 || weight.shape[0] < 1 || weight.shape[1] < 1 || weight.shape[0] > MOST ||
        weight.shape[1] > MOST)
        status = recon_fail(ctx, RECON_ERR_FORMAT, "%s: '%s' is no weight", path, name);
    b->hidden = weight.shape[0];
    b->d = weight.shape[1];
    recon_array_free(&weight);
    return status;
}

recon_status recon_bundle_open(recon_ctx *ctx, recon_bundle *out, const recon_bundle_kind *kind,
                               const char *path)
{
    recon_safetensors *file = NULL;
    recon_status status;
    *out = (recon_bundle){ .kind = kind };
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    RECON_TRY(read_sizes(ctx, out, file, path));
    RECON_TRY(make(ctx, out, 0, file, path, 0));
    RECON_TRY(recall(ctx, out, path));
done:
    recon_safetensors_close(file);
    return status == RECON_OK ? status : recon_note_file(ctx, status, path);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* A pass over at most ROWS embeddings. */
typedef struct {
    recon_tape *tape;
    float *rows;
    double *y;
    char *maps;
} pass;

static recon_status pass_new(recon_ctx *ctx, pass *p, const recon_bundle *b)
{
    recon_status status;
    *p = (pass){ 0 };
    RECON_TRY(recon_tape_new(ctx, &p->tape, RECON_SINGLE, 0));
    RECON_TRY(recon_alloc_raw(ctx, &p->rows, ROWS * b->d, sizeof *p->rows));
    RECON_TRY(recon_alloc_raw(ctx, &p->y, ROWS * RECON_HEAD_OUTPUTS, sizeof *p->y));
    RECON_TRY(recon_alloc(ctx, &p->maps, ROWS, b->kind->map));
done:
    return status;
}

static void pass_free(pass *p)
{
    recon_tape_free(p->tape);
    free(p->rows);
    free(p->y);
    free(p->maps);
}

static recon_status pass_over(const pass *p, const recon_bundle *b, unsigned heads, const float *z,
                              size_t n)
{
    recon_status status;
    size_t shape[2] = { n, b->d };
    recon_standardize(p->rows, z, n, b->d, b->mean, b->scale);
    RECON_TRY(recon_tape_begin(p->tape, RECON_INFER, 0));
    recon_var x = recon_var_input(p->tape, p->rows, RECON_F32, shape, 2);
    for (int h = 0; h < b->kind->heads; h++) {
        const recon_head_kind *head = &b->kind->head[h];
        if (!(heads & 1u << h))
            continue;
        RECON_TRY(recon_var_read(p->tape, p->y, recon_mlp_apply(p->tape, &b->head[h], x)));
        for (size_t i = 0; i < n; i++)
            head->read(p->maps + i * b->kind->map, p->y + i * head->outputs, b->number);
    }
done:
    return status;
}

recon_status recon_bundle_apply(recon_ctx *ctx, const recon_bundle *b, unsigned heads,
                                const float *z, size_t n, recon_take_maps *take, void *user)
{
    pass p;
    recon_status status;
    RECON_TRY(pass_new(ctx, &p, b));
    RECON_TRY(recon_embeddings_check(ctx, z, n, b->d));
    for (size_t at = 0; at < n; at += ROWS) {
        size_t some = n - at < ROWS ? n - at : ROWS;
        RECON_TRY(pass_over(&p, b, heads, z + at * b->d, some));
        RECON_TRY(take(ctx, user, at, p.maps, some));
    }
done:
    pass_free(&p);
    return status;
}
