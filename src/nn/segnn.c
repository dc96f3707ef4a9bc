/* segnn.c - couplings with weights, the norm over molecules, and message passing. */
#include <recon/nn/segnn.h>
#include "core/fail.h"
#include "core/memory.h"
#include "nn/layers.h"
#include "nn/params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- a tensor product with its weights -------------------------------------------------------- */

/* What the product makes: a gated layer has a scalar more for each channel that is none. */
static recon_irreps widened(const recon_coupling *l)
{
    recon_irreps wide = l->out;
    if (l->gated)
        wide.mul[0] = recon_irreps_channels(&l->out);
    return wide;
}

/* Weights, or biases. A file that is read says how many there are, and need not be right: asked
 * about before memory is. */
static recon_status add_numbers(recon_ctx *ctx, recon_param **out, const recon_coupling *l,
                                recon_params *p, int bias)
{
    size_t count = bias ? widened(l).mul[0] : recon_couple_plan_weights(l->plan);
    double *deviations = NULL;
    recon_part_name full;
    recon_status status;
    recon_part_print(full, l->name, bias ? "bias" : "weight");
    RECON_TRY(recon_params_check(ctx, p, full, &count, 1));
    RECON_TRY(recon_alloc(ctx, &deviations, count, sizeof *deviations));
    size_t fan_in = recon_couple_plan_columns(l->plan, 0);
    if (!bias)
        recon_couple_plan_deviations(l->plan, deviations);
    for (size_t i = 0; i < count && bias; i++)
        deviations[i] = 1 / sqrt(3.0 * (double)(fan_in ? fan_in : 1));
    RECON_TRY(recon_params_add_normal(ctx, out, p, full, &count, 1, deviations));
done:
    free(deviations);
    return status;
}

recon_status recon_coupling_add(recon_ctx *ctx, recon_coupling *out, recon_params *p,
                                const char *name, const recon_irreps *from, const recon_irreps *to,
                                const recon_coupling_options *options)
{
    recon_coupling_options o = options ? *options : (recon_coupling_options){ 0 };
    *out = (recon_coupling){ .out = *to, .gated = o.gated };
    recon_irreps wide = widened(out);
    RECON_CHECK(recon_layer_set_name(ctx, out->name, name));
    RECON_CHECK(recon_couple_plan_make(ctx, &out->plan, from, &wide, !o.chiral));
    RECON_CHECK(add_numbers(ctx, &out->weight, out, p, 0));
    if (wide.mul[0])
        RECON_CHECK(add_numbers(ctx, &out->bias, out, p, 1));
    return RECON_OK;
}

recon_var recon_coupling_apply(recon_tape *t, const recon_coupling *l, recon_var x, recon_var attr)
{
    recon_tape_layer(t, l->name);
    x = recon_var_couple(t, x, attr, recon_var_param(t, l->weight),
                         l->bias ? recon_var_param(t, l->bias) : NULL, l->plan);
    if (!l->gated)
        return x;
    if (l->out.mul[0] == recon_irreps_channels(&l->out))
        return recon_var_silu(t, x);
    return recon_var_activate(t, x, &l->out);
}

void recon_coupling_free(recon_coupling *l)
{
    recon_couple_plan_free(l->plan);
    *l = (recon_coupling){ .plan = NULL };
}

/* --- a norm over each molecule ---------------------------------------------------------------- */

recon_status recon_irreps_norm_add(recon_ctx *ctx, recon_irreps_norm *out, recon_params *p,
                                   const char *name, const recon_irreps *irreps)
{
    *out = (recon_irreps_norm){ .irreps = *irreps };
    RECON_CHECK(recon_layer_set_name(ctx, out->name, name));
    for (size_t l = 0; l < RECON_DEGREES; l++) {
        char part[] = "scale0";
        part[5] = (char)('0' + l);
        if (irreps->mul[l])
            RECON_CHECK(recon_part_add(ctx, &out->scale[l], p, name, part, irreps->mul[l], 1));
    }
    if (irreps->mul[0])
        RECON_CHECK(recon_part_add(ctx, &out->shift, p, name, "shift", irreps->mul[0], 0));
    return RECON_OK;
}

recon_var recon_irreps_norm_apply(recon_tape *t, const recon_irreps_norm *n, recon_var x,
                                  recon_var segment)
{
    recon_var part[RECON_DEGREES];
    recon_irreps of[RECON_DEGREES] = { { { 0 } } };
    size_t parts = 0;
    recon_tape_layer(t, n->name);
    for (size_t l = 0; l < RECON_DEGREES; l++) {
        if (!n->irreps.mul[l])
            continue;
        recon_var columns = recon_var_columns(t, x, recon_irreps_begin(&n->irreps, l),
                                              n->irreps.mul[l] * recon_degree_size(l));
        recon_var shift = l == 0 ? recon_var_param(t, n->shift) : NULL;
        of[parts].mul[l] = n->irreps.mul[l];
        part[parts++] = recon_var_norm(
            t, columns, recon_var_param(t, n->scale[l]), shift, NULL, NULL,
            &(recon_norm_options){ .field = recon_degree_size(l), .offset = segment });
    }
    return recon_var_irreps_join(t, part, of, parts);
}

/* --- the network ------------------------------------------------------------------------------ */

static const recon_irreps DISTANCE = { { 1, 0, 0, 0 } };

static recon_status add_layer(recon_ctx *ctx, recon_segnn_layer *out, recon_params *p,
                              const char *name, size_t i, const recon_segnn_shape *s)
{
    const recon_coupling_options gated = { .gated = 1, .chiral = s->chiral };
    const recon_coupling_options plain = { .chiral = s->chiral };
    const recon_irreps *x = &s->hidden, two = recon_irreps_join(x, x);
    const recon_irreps heard = recon_irreps_join(&two, &DISTANCE);
    recon_part_name base, full;
    snprintf(base, sizeof base, "%s.%zu", name, i);
    RECON_CHECK(recon_coupling_add(ctx, &out->message[0], p,
                                   recon_part_print(full, base, "message1"), &heard, x, &gated));
    RECON_CHECK(recon_coupling_add(ctx, &out->message[1], p,
                                   recon_part_print(full, base, "message2"), x, x, &gated));
    RECON_CHECK(recon_coupling_add(ctx, &out->update[0], p, recon_part_print(full, base, "update1"),
                                   &two, x, &gated));
    RECON_CHECK(recon_coupling_add(ctx, &out->update[1], p, recon_part_print(full, base, "update2"),
                                   x, x, &plain));
    return recon_irreps_norm_add(ctx, &out->norm, p, recon_part_print(full, base, "norm"), x);
}

recon_status recon_segnn_add(recon_ctx *ctx, recon_segnn *out, recon_params *p, const char *name,
                             const recon_segnn_shape *shape)
{
    recon_part_name full;
    *out = (recon_segnn){ .shape = { .layers = 0 } };
    if (shape->layers > RECON_SEGNN_LAYERS)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu layers: at most %d", name, shape->layers,
                          RECON_SEGNN_LAYERS);
    out->shape = *shape;
    RECON_CHECK(recon_coupling_add(ctx, &out->embedding, p, recon_part_print(full, name, "embed"),
                                   &shape->inputs, &shape->hidden,
                                   &(recon_coupling_options){ .chiral = shape->chiral }));
    for (size_t i = 0; i < shape->layers; i++)
        RECON_CHECK(add_layer(ctx, &out->layer[i], p, name, i, shape));
    return RECON_OK;
}

/* The sum of what each node hears. */
static recon_var messages(recon_tape *t, const recon_segnn_layer *l, const recon_irreps *hidden,
                          recon_var x, recon_var square, const recon_segnn_graph *g)
{
    const recon_irreps parts[] = { *hidden, *hidden, DISTANCE };
    recon_var heard[] = { recon_var_gather(t, x, g->target, g->ascending, g->offset),
                          recon_var_gather(t, x, g->source, g->order, g->order_of), square };
    recon_var m = recon_var_irreps_join(t, heard, parts, 3);
    for (int i = 0; i < 2; i++)
        m = recon_coupling_apply(t, &l->message[i], m, g->harmonics);
    return recon_var_segment_sum(t, m, g->offset);
}

static recon_var apply_layer(recon_tape *t, const recon_segnn_layer *l, const recon_irreps *hidden,
                             recon_var x, recon_var square, const recon_segnn_graph *g)
{
    const recon_irreps parts[] = { *hidden, *hidden };
    recon_tape_layer(t, l->message[0].name);
    recon_var both[] = { x, messages(t, l, hidden, x, square, g) };
    recon_var y = recon_var_irreps_join(t, both, parts, 2);
    for (int i = 0; i < 2; i++)
        y = recon_coupling_apply(t, &l->update[i], y, g->attribute);
    return recon_irreps_norm_apply(t, &l->norm, recon_var_add(t, x, y), g->segment);
}

recon_var recon_segnn_apply(recon_tape *t, const recon_segnn *net, recon_var x,
                            const recon_segnn_graph *g)
{
    recon_var square = recon_var_cast(t, g->square, recon_tape_activations(t));
    x = recon_var_cast(t, x, recon_tape_activations(t));
    x = recon_coupling_apply(t, &net->embedding, x, g->attribute);
    for (size_t i = 0; i < net->shape.layers; i++)
        x = apply_layer(t, &net->layer[i], &net->shape.hidden, x, square, g);
    return x;
}

void recon_segnn_free(recon_segnn *net)
{
    recon_coupling_free(&net->embedding);
    for (size_t i = 0; i < net->shape.layers; i++)
        for (int k = 0; k < 2; k++) {
            recon_coupling_free(&net->layer[i].message[k]);
            recon_coupling_free(&net->layer[i].update[k]);
        }
}
