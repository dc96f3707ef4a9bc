/* equivariance_layers.c - compares the fields after every layer for two rotated copies of each
 * image.
 *
 * The copies of a batch go through the network one layer at a time, so that only the errors are
 * kept. */
#include "backbone/equivariance.h"
#include "backbone/ieae.h"
#include "core/blocks.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "nn/params.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/data/dataset.h>
#include <recon/group/so2.h>
#include "backbone/kinds.h"

enum { BATCH = RECON_BLOCK_LAYERS };

/* --- one layer -------------------------------------------------------------------------------- */

/* Pairs of images of fields. */
typedef struct {
    recon_fields fields;
    size_t height, width, channels;
    double angle;
    float *before, *after, *rotated, *back; /* [pairs][height][width][channels] */
    double *error, *floor;                  /* [pairs] */
} comparison;

static void rotate_pairs(float *at, const recon_fields *fields, double angle)
{
    at += fields->of[0];
    for (size_t m = 1; m < RECON_FREQUENCIES; m++) {
        double c = cos((double)m * angle), s = sin((double)m * angle);
        for (size_t k = 0; k < fields->of[m]; k++, at += 2) {
            double x = (double)at[0], y = (double)at[1];
            at[0] = (float)(c * x - s * y);
            at[1] = (float)(s * x + c * y);
        }
    }
}

/* Cubic: what the ruler itself is off by should be small. */
static void rotate_fields(float *out, const float *in, const comparison *c, double angle)
{
    recon_image_rotate(out, in, c->height, c->width, c->channels, angle, RECON_BICUBIC);
    for (size_t i = 0; i < c->height * c->width; i++)
        rotate_pairs(out + i * c->channels, &c->fields, angle);
}

/* Within the circle through the outer pixels' centres: no rotation leaves the image. */
static int is_in_disc(const comparison *c, size_t row, size_t column)
{
    double y = (double)row - (double)(c->height - 1) / 2;
    double x = (double)column - (double)(c->width - 1) / 2;
    double radius = (double)((c->height < c->width ? c->height : c->width) - 1) / 2;
    return x * x + y * y <= radius * radius;
}

/* |b - a| / |a| over the disc; 0 for what does not differ, fields of zeros too. */
static double distance(const float *a, const float *b, const comparison *c)
{
    double change = 0, length = 0;
    for (size_t i = 0; i < c->height * c->width; i++, a += c->channels, b += c->channels)
        for (size_t k = 0; is_in_disc(c, i / c->width, i % c->width) && k < c->channels; k++) {
            double difference = (double)b[k] - (double)a[k];
            change += difference * difference;
            length += (double)a[k] * (double)a[k];
        }
    return change == 0 ? 0 : sqrt(change / length);
}

static recon_status compare_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const comparison *c = arg;
    size_t at = i * c->height * c->width * c->channels;
    (void)ctx, (void)worker;
    rotate_fields(c->rotated + at, c->before + at, c, c->angle);
    rotate_fields(c->back + at, c->rotated + at, c, -c->angle);
    c->error[i] = distance(c->after + at, c->rotated + at, c);
    c->floor[i] = distance(c->before + at, c->back + at, c);
    return RECON_OK;
}

/* --- one angle -------------------------------------------------------------------------------- */

typedef struct {
    const recon_ieae *model;
    const recon_dataset *data;
    recon_dataset_info info;
    size_t depth, pixels;
    uint64_t seed;
    double angle;
    size_t first, n; /* images of the batch */
    recon_tape *tape;
    float *images;         /* [3][BATCH][pixels]: the copies, then as they came */
    float *seen;           /* [2][BATCH][pixels] */
    double *error, *floor; /* [depth][images of data] */
    recon_layer_equivariance *out;
} probe;

static recon_status probe_new(recon_ctx *ctx, probe *p, const recon_ieae *model,
                              const recon_dataset *data, uint64_t seed)
{
    recon_dataset_info d = recon_dataset_describe(data);
    *p = (probe){ .model = model,
                  .data = data,
                  .info = d,
                  .depth = recon_equivariance_depth(model),
                  .pixels = d.height * d.width * d.channels,
                  .seed = seed };
    RECON_CHECK(recon_backbone_check_data(ctx, &model->base, recon_dataset_data(data)));
    if (d.n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "equivariance: no images");
    RECON_CHECK(recon_tape_new(ctx, &p->tape, model->base.params->precision, 0));
    RECON_CHECK(recon_alloc_raw(ctx, &p->images, 3 * BATCH * p->pixels, sizeof *p->images));
    RECON_CHECK(recon_alloc_raw(ctx, &p->seen, 2 * BATCH * p->pixels, sizeof *p->seen));
    RECON_CHECK(recon_alloc_raw(ctx, &p->error, p->depth * d.n, sizeof *p->error));
    return recon_alloc_raw(ctx, &p->floor, p->depth * d.n, sizeof *p->floor);
}

static recon_status make_copies(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const probe *p = arg;
    float *a = p->images + i * p->pixels, *b = a + p->n * p->pixels, *x = b + p->n * p->pixels;
    recon_rng rng = recon_rng_new(p->seed, p->first + i);
    double angle = recon_so2_haar(&rng);
    (void)ctx, (void)worker;
    recon_dataset_get(x, p->data, p->first + i);
    recon_image_rotate(a, x, p->info.height, p->info.width, p->info.channels, angle,
                       RECON_BILINEAR);
    recon_image_rotate(b, x, p->info.height, p->info.width, p->info.channels, angle + p->angle,
                       RECON_BILINEAR);
    return RECON_OK;
}

/* x: the fields of n copies and, behind them, of n others. */
static recon_status compare_layer(recon_ctx *ctx, probe *p, size_t layer, recon_var x,
                                  const recon_fields *fields)
{
    double *read = NULL;
    float *values = NULL;
    recon_status status;
    RECON_TRY(recon_tape_status(p->tape));
    const size_t *shape = recon_var_shape(x, NULL);
    size_t half = p->n * shape[1] * shape[2] * shape[3], at = layer * p->info.n + p->first;
    RECON_TRY(recon_alloc_raw(ctx, &read, 2 * half, sizeof *read));
    RECON_TRY(recon_alloc_raw(ctx, &values, 4 * half, sizeof *values));
    RECON_TRY(recon_var_read(p->tape, read, x));
    for (size_t i = 0; i < 2 * half; i++)
        values[i] = (float)read[i];
    comparison c = { .fields = *fields,
                     .height = shape[1],
                     .width = shape[2],
                     .channels = shape[3],
                     .angle = p->angle,
                     .before = values,
                     .after = values + half,
                     .rotated = values + 2 * half,
                     .back = values + 3 * half,
                     .error = p->error + at,
                     .floor = p->floor + at };
    RECON_TRY(recon_parallel(ctx, compare_one, &c, p->n));
    p->out[layer] =
        (recon_layer_equivariance){ .fields = *fields, .height = shape[1], .width = shape[2] };
done:
    recon_free_all(read, values);
    return status;
}

static recon_status measure_batch(recon_ctx *ctx, probe *p)
{
    const recon_encoder *e = &p->model->encoder;
    const recon_fields picture = { { p->info.channels } };
    RECON_CHECK(recon_parallel(ctx, make_copies, p, p->n));
    recon_ieae_preprocess(p->seen, p->model, p->images, 2 * p->n);
    RECON_CHECK(recon_tape_begin(p->tape, RECON_INFER, 0));
    recon_var x =
        recon_var_input(p->tape, p->seen, RECON_F32,
                        (size_t[]){ 2 * p->n, p->info.height, p->info.width, p->info.channels }, 4);
    x = recon_var_cast(p->tape, x, recon_tape_activations(p->tape));
    RECON_CHECK(compare_layer(ctx, p, 0, x, &picture));
    for (size_t i = 0; i < e->layers; i++) {
        x = recon_encoder_layer(p->tape, e, i, x);
        RECON_CHECK(compare_layer(ctx, p, i + 1, x, &e->conv[i].out));
    }
    return RECON_OK;
}

static recon_status median(recon_ctx *ctx, double *out, double *values, size_t n, size_t layer)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "equivariance: error %g after layer %zu of image %zu", values[i],
                              layer, i);
    recon_sort_doubles(values, n);
    *out = recon_quantile(values, n, 0.5);
    return RECON_OK;
}

/* --- all of them ------------------------------------------------------------------------------ */

size_t recon_equivariance_depth(const recon_ieae *model)
{
    return 1 + model->encoder.layers;
}

recon_status recon_equivariance_layers(recon_ctx *ctx, recon_layer_equivariance *out,
                                       const recon_ieae *model, const recon_dataset *data,
                                       const double *angles, size_t count, uint64_t seed)
{
    probe p;
    recon_status status;
    RECON_TRY(probe_new(ctx, &p, model, data, seed));
    recon_progress_begin(ctx, "layers", count * p.info.n);
    for (size_t k = 0; k < count; k++) {
        p.out = out + k * p.depth;
        p.angle = angles[k];
        size_t n = p.info.n;
        for (p.first = 0; p.first < n; p.first += p.n) {
            p.n = n - p.first < BATCH ? n - p.first : BATCH;
            RECON_TRY(measure_batch(ctx, &p));
            recon_progress_add(ctx, p.n);
        }
        for (size_t l = 0; l < p.depth; l++) {
            RECON_TRY(median(ctx, &p.out[l].error, p.error + l * n, n, l));
            RECON_TRY(median(ctx, &p.out[l].floor, p.floor + l * n, n, l));
        }
    }
    recon_progress_end(ctx);
done:
    recon_tape_free(p.tape);
    recon_free_all(p.images, p.seen, p.error, p.floor);
    return status;
}
