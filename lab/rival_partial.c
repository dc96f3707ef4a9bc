/* rival_partial.c - see rival_partial.h. */
#include "lab/rival_partial.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/layers.h"
#include "nn/params.h"
#include "nn/tape.h"

#include <math.h>
#include <recon/core/rng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANGLES = PARTIAL_ANGLES, WAVES = 64, ORDERS = 2, WAVE_SEED = 7 };
static const struct {
    size_t kernel, fields; /* the last layer's are what the head sees */
    int pool;              /* after it */
} layers[PARTIAL_LAYERS] = { { 7, 16, 1 }, { 5, 24, 0 }, { 5, 24, 1 }, { 5, 48, 0 } };
#define FASTEST 1.2 /* of a wave, radians a pixel */
#define STEP    (2 * M_PI / ANGLES)
#define FADES   4.0  /* steps of the window, by 180 degrees, from 1 to 0 */
#define SLOW    0.02 /* theta learns at so much of the rate */
#define SHORT                                                                                      \
    -0.01 /* of the whole circle, theta at first. Only angles that fade give theta a gradient: here in
             one step in 12. The largest of the starts tried (docs/paper.md) at which theta is learned:
             held-out accuracy alone would choose -0.0005, whose network stays a G-CNN */
#define PENALTY 1e-3

/* --- kernels ---------------------------------------------------------------------------------- */

/* A kernel is a sum of products of two waves, of pixels and of the angle: what the kernel's network sees
 * of a place. Frequencies stay below what pixels can hold, and orders within what the angles can, in a
 * product of two as well. Features of one kind and size, so that kernels with edges are learned as fast
 * as those that blur. */
typedef struct {
    double x, y, phase;
    int order; /* periods as the angle goes round, -ORDERS .. ORDERS */
} wave;

static void draw_waves(wave out[WAVES], uint64_t which)
{
    recon_rng rng = recon_rng_new(WAVE_SEED, which);
    for (int i = 0; i < WAVES; i++) {
        double length = FASTEST * recon_rng_uniform(&rng);
        double direction = 2 * M_PI * recon_rng_uniform(&rng);
        out[i].x = length * cos(direction);
        out[i].y = length * sin(direction);
        out[i].phase = 2 * M_PI * recon_rng_uniform(&rng);
        out[i].order = (int)((2 * ORDERS + 1) * recon_rng_uniform(&rng)) - ORDERS;
    }
}

/* Place p of a kernel of size k, pixels from its middle; y is up. */
static void place(double at[2], size_t p, size_t k)
{
    double half = 0.5 * (double)(k - 1);
    at[0] = (double)(p % k) - half;
    at[1] = half - (double)(p / k);
}

/* The waves at a place, for all angles of the input; by_angle has cosines and sines of the grid. */
static void fill_place(float *out, const wave w[WAVES], const double at[2], size_t a, size_t angles,
                       float (*by_angle)[2])
{
    for (int i = 0; i < WAVES; i++) {
        float here = (float)(w[i].x * at[0] + w[i].y * at[1] + w[i].phase);
        float s = sinf(here), c = cosf(here); /* in every step: double would take a while */
        for (size_t b = 0; b < angles; b++) {
            size_t apart = angles > 1 ? (b + ANGLES - a) % ANGLES : 0;
            const float *by = by_angle[(size_t)(w[i].order + ANGLES) * apart % ANGLES];
            out[b * WAVES + (size_t)i] = s * by[0] + c * by[1];
        }
    }
}

/* The kernel of output angle a, at place p, for input angle b, is that of angle 0 seen from a: at the
 * place rotated back by a and the angle b - a. Angles of inputs and outputs have the same offset, so
 * their differences do not depend on it. */
static void fill_waves(float *out, const partial_layer *l, const wave w[WAVES], double offset)
{
    size_t k = l->size;
    float by_angle[ANGLES][2];
    double at[2];
    for (int i = 0; i < ANGLES; i++) {
        by_angle[i][0] = (float)cos(STEP * i);
        by_angle[i][1] = (float)sin(STEP * i);
    }
    for (size_t a = 0; a < ANGLES; a++) {
        double c = cos(offset + STEP * (double)a), s = sin(offset + STEP * (double)a);
        for (size_t p = 0; p < k * k; p++, out += l->angles * WAVES) {
            place(at, p, k);
            fill_place(out, w, (const double[]){ c * at[0] + s * at[1], c * at[1] - s * at[0] }, a,
                       l->angles, by_angle);
        }
    }
}

static recon_status feed_waves(recon_tape *t, partial_layer *l, double offset)
{
    const size_t shape[2] = { ANGLES * l->size * l->size * l->angles, WAVES };
    wave w[WAVES];
    float *values = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(t->ctx, &values, shape[0] * WAVES, sizeof *values));
    for (int i = 0; i < 2; i++) {
        draw_waves(w, (uint64_t)i);
        fill_waves(values, l, w, offset);
        l->wave[i] = recon_var_constant(t, values, RECON_F32, shape, 2);
    }
    status = recon_tape_status(t);
done:
    free(values);
    return status;
}

static recon_status keep_ones(recon_ctx *ctx, recon_param **out, recon_params *params, size_t n)
{
    double *ones = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &ones, n, sizeof *ones));
    for (size_t i = 0; i < n; i++)
        ones[i] = 1;
    RECON_TRY(recon_params_keep(ctx, out, params, ones, (const size_t[]){ n, 1 }, 2));
done:
    free(ones);
    return status;
}

/* The disc of a kernel, as filters lie, see expand(). It ends over a pixel: a hard edge changes as it
 * rotates over the pixels. */
static recon_status keep_disc(recon_ctx *ctx, partial_layer *l, recon_params *params)
{
    size_t k = l->size, n = ANGLES * l->outputs * k * k, m = l->angles * l->inputs;
    double *disc = NULL, at[2];
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &disc, n * m, sizeof *disc));
    for (size_t i = 0; i < n * m; i++) {
        place(at, i / m % (k * k), k);
        disc[i] = fmin(1, fmax(0, 0.5 * (double)k - sqrt(at[0] * at[0] + at[1] * at[1])));
    }
    RECON_TRY(recon_params_keep(ctx, &l->disc, params, disc,
                                (const size_t[]){ ANGLES * l->outputs, k, k, m }, 4));
    RECON_TRY(keep_ones(ctx, &l->ones, params, n));
done:
    free(disc);
    return status;
}

/* How much of each angle of a layer's outputs there is: 1 within theta, falling to 0 over half a right
 * angle; in so many equal rows, n x ANGLES. */
static recon_var part(recon_tape *t, const partial_net *n, const partial_layer *l,
                      recon_param *ones)
{
    recon_var u = recon_var_linear(t, n->slope, recon_var_param(t, l->theta), NULL);
    u = recon_var_relu(t, recon_var_add(t, u, n->at));
    u = recon_var_relu(t, recon_var_blend(t, 1, n->one, -1, u)); /* 1 - min(1, u) */
    u = recon_var_blend(t, 1, n->one, -1, u);
    return recon_var_linear(t, recon_var_param(t, ones), u, NULL);
}

recon_var partial_penalty(recon_tape *t, const partial_net *n)
{
    recon_var sum = NULL;
    for (size_t i = 2; i < PARTIAL_LAYERS; i++) {
        recon_var more = recon_var_blend(t, 1, recon_var_param(t, n->layer[i].theta), -1,
                                         recon_var_param(t, n->layer[i - 1].theta));
        more = recon_var_relu(t, more);
        sum = sum ? recon_var_add(t, sum, more) : more;
    }
    return recon_var_scale(t, PENALTY * SLOW, sum);
}

/* Rows (a, p, b) of outputs x inputs weights to filters (a, o), p, (b, i). */
static recon_var expand(recon_tape *t, const partial_layer *l, recon_var rows)
{
    size_t b = l->angles, o = l->outputs, i = l->inputs;
    size_t n = ANGLES * l->size * l->size * b * o;
    rows = recon_var_reshape(t, rows, (const size_t[]){ n, i }, 2);
    rows = recon_var_gather(t, rows, l->index, l->order, l->offset);
    return recon_var_reshape(t, rows, (const size_t[]){ ANGLES * o, l->size, l->size, b * i }, 4);
}

/* The rows that expand() takes, and back. */
static recon_status feed_order(recon_tape *t, partial_layer *l)
{
    size_t k = l->size * l->size, b = l->angles, o = l->outputs, n = ANGLES * k * b * o, at = 0;
    const size_t more = n + 1;
    int32_t *index = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(t->ctx, &index, 3 * n + 1, sizeof *index));
    int32_t *order = index + n, *offset = order + n;
    for (size_t a = 0; a < ANGLES; a++)
        for (size_t out = 0; out < o; out++)
            for (size_t p = 0; p < k; p++)
                for (size_t from = 0; from < b; from++, at++) {
                    size_t row = ((a * k + p) * b + from) * o + out;
                    index[at] = (int32_t)row;
                    order[row] = (int32_t)at;
                }
    for (size_t r = 0; r <= n; r++)
        offset[r] = (int32_t)r;
    l->index = recon_var_constant(t, index, RECON_I32, &n, 1);
    l->order = recon_var_constant(t, order, RECON_I32, &n, 1);
    l->offset = recon_var_constant(t, offset, RECON_I32, &more, 1);
    status = recon_tape_status(t);
done:
    free(index);
    return status;
}

recon_status partial_feed(recon_tape *t, partial_net *n, double offset)
{
    const size_t column[2] = { ANGLES, 1 };
    float slope[ANGLES], at[ANGLES], ones[ANGLES];
    for (int a = 0; a < ANGLES; a++) {
        double angle = fabs(remainder(offset + STEP * a, 2 * M_PI)) / M_PI;
        slope[a] = (float)(FADES * SLOW);
        at[a] = (float)(1 + FADES * (1 - angle));
        ones[a] = 1;
    }
    n->slope = recon_var_constant(t, slope, RECON_F32, column, 2);
    n->at = recon_var_constant(t, at, RECON_F32, column, 2);
    n->one = recon_var_constant(t, ones, RECON_F32, column, 2);
    for (size_t i = 0; i < PARTIAL_LAYERS; i++) {
        partial_layer *l = &n->layer[i];
        if (i > 0 && l->size == l[-1].size && l->angles == l[-1].angles)
            memcpy(l->wave, l[-1].wave, sizeof l->wave);
        else
            RECON_CHECK(feed_waves(t, l, offset));
        RECON_CHECK(feed_order(t, l));
    }
    return RECON_OK;
}

/* before: the layer whose outputs these filters see, or NULL. */
static recon_var filters(recon_tape *t, const partial_net *n, const partial_layer *l,
                         const partial_layer *before)
{
    recon_var w = recon_var_mul(t, recon_linear_apply(t, &l->mix, l->wave[0]), l->wave[1]);
    w = recon_linear_apply(t, &l->kernel, w);
    w = recon_var_mul(t, expand(t, l, w), recon_var_param(t, l->disc));
    if (!before || !before->theta)
        return w;
    size_t rows = ANGLES * l->outputs * l->size * l->size;
    w = recon_var_reshape(t, w, (const size_t[]){ rows, ANGLES * l->inputs }, 2);
    w = recon_var_gate(t, w, part(t, n, before, l->ones), l->inputs);
    return recon_var_reshape(
        t, w, (const size_t[]){ ANGLES * l->outputs, l->size, l->size, ANGLES * l->inputs }, 4);
}

/* --- layers ----------------------------------------------------------------------------------- */

static recon_status add_layer(recon_ctx *ctx, partial_layer *l, recon_params *p, const char *name,
                              size_t inputs, size_t at)
{
    size_t outputs = layers[at].fields;
    int lifts = at == 0;
    const size_t one[2] = { 1, 1 };
    recon_part_name full;
    *l = (partial_layer){ .inputs = inputs,
                          .outputs = outputs,
                          .size = layers[at].kernel,
                          .angles = lifts ? 1 : ANGLES };
    RECON_CHECK(recon_layer_set_name(ctx, l->name, name));
    RECON_CHECK(
        recon_linear_add(ctx, &l->mix, p, recon_part_print(full, name, "mix"), WAVES, WAVES));
    RECON_CHECK(recon_linear_add(ctx, &l->kernel, p, recon_part_print(full, name, "kernel"), WAVES,
                                 inputs * outputs));
    if (!lifts)
        RECON_CHECK(recon_params_add(ctx, &l->theta, p, recon_part_print(full, name, "theta"), one,
                                     2, (recon_init){ RECON_INIT_CONSTANT, SHORT / SLOW }));
    RECON_CHECK(recon_norm_add(ctx, &l->norm, p, recon_part_print(full, name, "norm"), outputs, 1));
    return keep_disc(ctx, l, p);
}

static recon_var apply_layer(recon_tape *t, const partial_net *n, size_t at, recon_var x)
{
    const partial_layer *l = &n->layer[at];
    recon_var w = filters(t, n, l, at ? l - 1 : NULL);
    x = recon_var_conv(t, x, w, NULL, &(recon_conv_options){ .pad = l->size / 2 });
    if (!x)
        return NULL;
    const size_t *s = recon_var_shape(x, NULL);
    size_t shape[4] = { s[0], s[1], s[2], s[3] };
    x = recon_var_reshape(t, x, (size_t[]){ s[0], s[1], s[2] * ANGLES, l->outputs }, 4);
    x = recon_norm_relu_apply(t, &l->norm, x, NULL);
    x = recon_var_reshape(t, x, shape, 4);
    return layers[at].pool ? recon_var_max_pool(t, x, 2, 2) : x;
}

/* Each field of the last layer over its angles, as a product. */
static recon_status keep_mean(recon_ctx *ctx, partial_net *n, recon_params *params, size_t fields)
{
    double *mean = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &mean, fields * ANGLES * fields, sizeof *mean));
    for (size_t i = 0; i < fields * ANGLES * fields; i++)
        mean[i] = i % fields == i / (ANGLES * fields) ? 1.0 / ANGLES : 0;
    RECON_TRY(recon_params_keep(ctx, &n->mean, params, mean,
                                (const size_t[]){ fields, ANGLES * fields }, 2));
    RECON_TRY(keep_ones(ctx, &n->ones, params, fields));
done:
    free(mean);
    return status;
}

recon_status partial_add(recon_ctx *ctx, partial_net *n, recon_params *p, size_t channels,
                         size_t classes)
{
    size_t last = layers[PARTIAL_LAYERS - 1].fields;
    for (size_t i = 0; i < PARTIAL_LAYERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "layer%zu", i);
        RECON_CHECK(add_layer(ctx, &n->layer[i], p, name, i ? layers[i - 1].fields : channels, i));
    }
    RECON_CHECK(keep_mean(ctx, n, p, last));
    return recon_linear_add(ctx, &n->head, p, "head", last, classes);
}

recon_var partial_apply(recon_tape *t, const partial_net *n, recon_var x)
{
    const partial_layer *last = &n->layer[PARTIAL_LAYERS - 1];
    x = recon_var_cast(t, x, recon_tape_activations(t));
    for (size_t i = 0; i < PARTIAL_LAYERS; i++)
        x = apply_layer(t, n, i, x);
    x = recon_var_spatial_mean(t, x);
    if (recon_tape_activations(t) == RECON_BF16)
        x = recon_var_cast(t, x, RECON_F32);
    recon_var mean = recon_var_param(t, n->mean);
    mean = recon_var_gate(t, mean, part(t, n, last, n->ones), last->outputs);
    return recon_linear_apply(t, &n->head, recon_var_linear(t, x, mean, NULL));
}
