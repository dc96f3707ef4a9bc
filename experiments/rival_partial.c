/* rival_partial.c - see rival_partial.h. */
#include "experiments/rival_partial.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/layers.h"
#include "nn/params.h"
#include "nn/tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANGLES = PARTIAL_ANGLES, HIDDEN = 32, FEATURES = 14 };
static const struct {
    size_t kernel, fields; /* the last layer's are what the head sees */
} layers[PARTIAL_LAYERS] = { { 7, 8 }, { 5, 12 }, { 5, 32 } };
#define FADES 4.0    /* steps of the window, by 180 degrees, from 1 to 0 */
#define WHOLE 0.9995 /* theta at first: the whole circle, and the farthest angle has a gradient */

/* --- kernels ---------------------------------------------------------------------------------- */

/* What the kernel's network sees of a place in the unit disc and an angle. */
static void describe(double out[FEATURES], double x, double y, double angle)
{
    double r = sqrt(x * x + y * y);
    const double values[FEATURES] = { x,
                                      y,
                                      r,
                                      sin(M_PI * x),
                                      cos(M_PI * x),
                                      sin(M_PI * y),
                                      cos(M_PI * y),
                                      sin(M_PI * (x + y)),
                                      sin(M_PI * (x - y)),
                                      cos(M_PI * r),
                                      cos(angle),
                                      sin(angle),
                                      cos(2 * angle),
                                      sin(2 * angle) };
    for (int i = 0; i < FEATURES; i++)
        out[i] = values[i];
}

/* The kernel of output angle a, at place p, for input angle b, is that of angle 0 seen from a: at the
 * place rotated back by a and the angle b - a. */
static recon_status keep_places(recon_ctx *ctx, partial_layer *l, recon_params *params)
{
    size_t k = l->size, at = 0, all = ANGLES * k * k * l->angles;
    double *places = NULL, *disc = NULL, half = 0.5 * (double)(k - 1), step = 2 * M_PI / ANGLES;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &places, all * FEATURES, sizeof *places));
    RECON_TRY(recon_alloc_raw(ctx, &disc, all * l->outputs * l->inputs, sizeof *disc));
    for (size_t a = 0; a < ANGLES; a++)
        for (size_t p = 0; p < k * k; p++)
            for (size_t b = 0; b < l->angles; b++, at++) {
                double x = ((double)(p % k) - half) / half, y = (half - (double)(p / k)) / half;
                double c = cos(step * (double)a), s = sin(step * (double)a);
                describe(places + at * FEATURES, c * x + s * y, c * y - s * x,
                         l->angles > 1 ? step * ((double)b - (double)a) : 0);
                for (size_t o = 0; o < l->outputs; o++) /* as the weights lie, see expand() */
                    for (size_t i = 0; i < l->inputs; i++)
                        disc[(((a * l->outputs + o) * k * k + p) * l->angles + b) * l->inputs + i] =
                            x * x + y * y <= 1 + 1e-9;
            }
    RECON_TRY(
        recon_params_keep(ctx, &l->places, params, places, (const size_t[]){ all, FEATURES }, 2));
    RECON_TRY(
        recon_params_keep(ctx, &l->disc, params, disc,
                          (const size_t[]){ ANGLES * l->outputs, k, k, l->angles * l->inputs }, 4));
done:
    free(disc);
    free(places);
    return status;
}

/* How much of each output angle there is: 1 within theta, falling to 0 over half a right angle. */
static recon_var window(recon_tape *t, const partial_net *n, const partial_layer *l)
{
    recon_var u = recon_var_linear(t, n->slope, recon_var_param(t, l->theta), NULL);
    u = recon_var_relu(t, recon_var_add(t, u, n->at));
    u = recon_var_relu(t, recon_var_blend(t, 1, n->one, -1, u)); /* 1 - min(1, u) */
    u = recon_var_blend(t, 1, n->one, -1, u);
    return recon_var_reshape(t, u, (const size_t[]){ 1, ANGLES }, 2);
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

recon_status partial_feed(recon_tape *t, partial_net *n)
{
    const size_t column[2] = { ANGLES, 1 };
    float slope[ANGLES], at[ANGLES], ones[ANGLES];
    recon_status status = RECON_OK;
    for (int a = 0; a < ANGLES; a++) {
        double angle = fabs(remainder((double)a / ANGLES, 1)) * 2; /* 0 .. 1: 0 .. 180 degrees */
        slope[a] = (float)FADES;
        at[a] = (float)(1 - FADES * angle);
        ones[a] = 1;
    }
    n->slope = recon_var_constant(t, slope, RECON_F32, column, 2);
    n->at = recon_var_constant(t, at, RECON_F32, column, 2);
    n->one = recon_var_constant(t, ones, RECON_F32, column, 2);
    for (size_t i = 0; i < PARTIAL_LAYERS; i++)
        RECON_TRY(feed_order(t, &n->layer[i]));
done:
    return status;
}

static recon_var filters(recon_tape *t, const partial_net *n, const partial_layer *l)
{
    size_t m = l->outputs * l->size * l->size * l->angles * l->inputs;
    recon_var w = recon_mlp_apply(t, &l->kernel, recon_var_param(t, l->places));
    w = recon_var_mul(t, expand(t, l, w), recon_var_param(t, l->disc));
    if (!l->theta)
        return w;
    w = recon_var_reshape(t, w, (const size_t[]){ 1, ANGLES * m }, 2);
    w = recon_var_gate(t, w, window(t, n, l), m);
    return recon_var_reshape(
        t, w, (const size_t[]){ ANGLES * l->outputs, l->size, l->size, l->angles * l->inputs }, 4);
}

/* --- layers ----------------------------------------------------------------------------------- */

static recon_status add_layer(recon_ctx *ctx, partial_layer *l, recon_params *p, const char *name,
                              size_t inputs, size_t at)
{
    size_t outputs = layers[at].fields;
    int lifts = at == 0;
    const size_t sizes[] = { FEATURES, HIDDEN, HIDDEN, inputs * outputs }, one[2] = { 1, 1 };
    recon_part_name full;
    recon_status status;
    *l = (partial_layer){ .inputs = inputs,
                          .outputs = outputs,
                          .size = layers[at].kernel,
                          .angles = lifts ? 1 : ANGLES };
    RECON_TRY(recon_layer_set_name(ctx, l->name, name));
    RECON_TRY(
        recon_mlp_add(ctx, &l->kernel, p, recon_part_print(full, name, "kernel"), sizes, 4, 0));
    if (!lifts)
        RECON_TRY(recon_params_add(ctx, &l->theta, p, recon_part_print(full, name, "theta"), one, 2,
                                   (recon_init){ RECON_INIT_CONSTANT, WHOLE }));
    RECON_TRY(recon_norm_add(ctx, &l->norm, p, recon_part_print(full, name, "norm"), outputs, 1));
    RECON_TRY(keep_places(ctx, l, p));
done:
    return status;
}

static recon_var apply_layer(recon_tape *t, const partial_net *n, const partial_layer *l,
                             recon_var x)
{
    x = recon_var_conv(t, x, filters(t, n, l), NULL, &(recon_conv_options){ .pad = l->size / 2 });
    if (!x)
        return NULL;
    const size_t *s = recon_var_shape(x, NULL);
    size_t shape[4] = { s[0], s[1], s[2], s[3] };
    x = recon_var_reshape(t, x, (size_t[]){ s[0], s[1], s[2] * ANGLES, l->outputs }, 4);
    x = recon_var_relu(t, recon_norm_apply(t, &l->norm, x));
    return recon_var_reshape(t, x, shape, 4);
}

recon_status partial_add(recon_ctx *ctx, partial_net *n, recon_params *p, size_t channels,
                         size_t classes)
{
    recon_status status = RECON_OK;
    for (size_t i = 0; i < PARTIAL_LAYERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "layer%zu", i);
        RECON_TRY(add_layer(ctx, &n->layer[i], p, name, i ? layers[i - 1].fields : channels, i));
    }
    RECON_TRY(
        recon_linear_add(ctx, &n->head, p, "head", layers[PARTIAL_LAYERS - 1].fields, classes));
done:
    return status;
}

recon_var partial_apply(recon_tape *t, const partial_net *n, recon_var x)
{
    for (size_t i = 0; i < PARTIAL_LAYERS; i++) {
        x = apply_layer(t, n, &n->layer[i], x);
        if (x && i + 1 < PARTIAL_LAYERS)
            x = recon_var_max_pool(t, x, 2, 2);
    }
    x = recon_var_spatial_mean(t, x);
    if (!x)
        return NULL;
    size_t fields = layers[PARTIAL_LAYERS - 1].fields;
    x = recon_var_reshape(t, x, (size_t[]){ recon_var_shape(x, NULL)[0], ANGLES, fields }, 3);
    return recon_linear_apply(t, &n->head,
                              recon_var_scale(t, 1.0 / ANGLES, recon_var_sum(t, x, 1)));
}
