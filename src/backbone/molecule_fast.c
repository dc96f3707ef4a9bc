/* molecule_fast.c - the encoder `fast`: messages between all atoms, with filters of the distance.
 *
 * An atom has scalars s [S] and vectors v [V], stored as planes [3][V] so that mixing them is one
 * product. A layer sends messages (recon_var_pairs) and then updates each atom: invariants of its
 * vectors are added to its scalars, which gate the new vectors. Cross products distinguish mirror
 * images. Norms are over a row, never over a batch, so no atom depends on the rest of the batch. */
#include "backbone/molecule_encoder.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/layers.h"
#include "nn/params.h"
#include "nn/tape.h"
#include "ops/ops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    size_t layers, scalars, vectors, latent;
} recon_molecule_fast_shape;

typedef struct {
    recon_linear hear, say, open; /* scalars: hidden, what is sent, gates of vectors sent */
    recon_linear spread;          /* vectors: the four kinds that are sent */
    recon_layer_name name;
    recon_param *filters;
    recon_linear take, take_vectors; /* what arrived */
} exchange;

typedef struct {
    recon_linear left, right, keep;          /* vectors: two to multiply, one to pass on */
    recon_linear think, add, pass, rotation; /* scalars: hidden, their change, the two gates */
} update;

typedef struct {
    recon_molecule_encoder base;
    recon_molecule_fast_shape shape;
    size_t elements;
    recon_linear element, place; /* first scalars, first vectors */
    exchange *exchange;          /* [layers] */
    update *update;
    recon_linear node, code[2];        /* head of the latent */
    recon_linear point, share, spread; /* head of the vectors */
} fast;

/* What feed leaves in batch->edge. */
enum {
    ONE_HOT, /* [nodes][elements] which element; padding has none */
    SHARE,   /* [nodes][1] 1 / atoms of the molecule, so that sums are means; padding 0 */
    ONES     /* [nodes][1] */
};

/* ---- making it ---- */

static size_t scaled(double channels, const recon_molecule_net_shape *s)
{
    double n = round(channels * s->width * (s->preset == RECON_PRESET_SMALL ? 0.5 : 1));
    return n < 2 ? 2 : (size_t)n;
}

/* A file that is read says how wide it is, and need not be right: asked about before memory is. */
static recon_status add_normal(recon_ctx *ctx, recon_param **out, recon_params *p, const char *name,
                               size_t rows, size_t cols, double deviation)
{
    const size_t shape[] = { rows, cols };
    double *all = NULL;
    recon_status status;
    RECON_TRY(recon_params_check(ctx, p, name, shape, 2));
    RECON_TRY(recon_alloc_raw(ctx, &all, rows * cols, sizeof *all));
    for (size_t i = 0; i < rows * cols; i++)
        all[i] = deviation;
    RECON_TRY(recon_params_add_normal(ctx, out, p, name, shape, 2, all));
done:
    free(all);
    return status;
}

/* Linear without bias, which vectors must not have: outputs of `gain` times the inputs' size. */
static recon_status add_mix(recon_ctx *ctx, recon_linear *out, recon_params *p, const char *layer,
                            const char *part, size_t inputs, size_t outputs, double gain)
{
    recon_part_name name, weight;
    *out = (recon_linear){ .bias = NULL };
    RECON_CHECK(recon_layer_set_name(ctx, out->name, recon_part_print(name, layer, part)));
    return add_normal(ctx, &out->weight, p, recon_part_print(weight, out->name, "weight"), outputs,
                      inputs, gain / sqrt((double)inputs));
}

static recon_status add_linear(recon_ctx *ctx, recon_linear *out, recon_params *p,
                               const char *layer, const char *part, size_t inputs, size_t outputs,
                               double gain)
{
    RECON_CHECK(add_mix(ctx, out, p, layer, part, inputs, outputs, gain));
    return recon_part_add(ctx, &out->bias, p, out->name, "bias", outputs, 0);
}

/* Gains: behind SiLU a layer makes up for what that takes; what is added to the stream is small at
 * first, so that all layers together add about its size. */
static const double hidden_gain = 1.7, filter_deviation = 0.3;

static double branch_gain(const fast *e)
{
    return 1 / sqrt(2.0 * (double)e->shape.layers);
}

static recon_status add_exchange(recon_ctx *ctx, exchange *x, recon_params *p, const fast *e,
                                 size_t i)
{
    size_t S = e->shape.scalars, V = e->shape.vectors;
    recon_part_name full;
    snprintf(x->name, sizeof x->name, "encoder.exchange%zu", i);
    RECON_CHECK(add_linear(ctx, &x->hear, p, x->name, "hear", S, S, 1));
    RECON_CHECK(add_linear(ctx, &x->say, p, x->name, "say", S, S + V, hidden_gain));
    RECON_CHECK(add_linear(ctx, &x->open, p, x->name, "open", S, 4 * V, hidden_gain));
    RECON_CHECK(add_mix(ctx, &x->spread, p, x->name, "spread", V, 4 * V, 1));
    RECON_CHECK(add_normal(ctx, &x->filters, p, recon_part_print(full, x->name, "filters"),
                           RECON_PAIRS_KNOTS, S + 5 * V, filter_deviation));
    RECON_CHECK(add_linear(ctx, &x->take, p, x->name, "take", S + V, S, branch_gain(e)));
    return add_mix(ctx, &x->take_vectors, p, x->name, "take_vectors", V, V, branch_gain(e));
}

static recon_status add_update(recon_ctx *ctx, update *u, recon_params *p, const fast *e, size_t i)
{
    size_t S = e->shape.scalars, V = e->shape.vectors;
    double gain = hidden_gain * branch_gain(e);
    recon_layer_name name;
    snprintf(name, sizeof name, "encoder.update%zu", i);
    RECON_CHECK(add_mix(ctx, &u->left, p, name, "left", V, V, 1));
    RECON_CHECK(add_mix(ctx, &u->right, p, name, "right", V, V, 1));
    RECON_CHECK(add_mix(ctx, &u->keep, p, name, "keep", V, V, 1));
    RECON_CHECK(add_linear(ctx, &u->think, p, name, "think", S + 2 * V, S, 1));
    RECON_CHECK(add_linear(ctx, &u->add, p, name, "add", S, S, gain));
    RECON_CHECK(add_linear(ctx, &u->pass, p, name, "pass", S, V, gain));
    return add_linear(ctx, &u->rotation, p, name, "turn", S, V, gain);
}

static void fast_free(recon_molecule_encoder *encoder)
{
    fast *e = (fast *)encoder;
    recon_free_all(e->exchange, e->update, e);
}

static recon_status fast_feed(recon_tape *t, const recon_molecule_encoder *encoder,
                              recon_molecule_batch *b, const recon_molecule_pack *pack,
                              size_t edges);
static void fast_apply(recon_tape *t, const recon_molecule_encoder *encoder,
                       const recon_molecule_batch *b, recon_var *latent, recon_var *y);

recon_status recon_molecule_fast_new(recon_ctx *ctx, recon_molecule_encoder **out,
                                     recon_params *params, const recon_molecule_net_shape *s)
{
    fast *e;
    recon_status status;
    *out = NULL;
    RECON_CHECK(recon_alloc(ctx, &e, 1, sizeof *e));
    e->base = (recon_molecule_encoder){ .feed = fast_feed, .apply = fast_apply, .free = fast_free };
    e->shape = (recon_molecule_fast_shape){ .layers = s->layers ? s->layers : 5,
                                            .scalars = scaled(128, s),
                                            .vectors = scaled(64, s),
                                            .latent = s->latent };
    e->elements = s->elements;
    RECON_TRY(recon_alloc(ctx, &e->exchange, e->shape.layers, sizeof *e->exchange));
    RECON_TRY(recon_alloc(ctx, &e->update, e->shape.layers, sizeof *e->update));
    size_t S = e->shape.scalars, V = e->shape.vectors, Z = e->shape.latent;
    const char *name = "encoder";
    RECON_TRY(add_mix(ctx, &e->element, params, name, "element", e->elements, S,
                      sqrt((double)e->elements))); /* one of the inputs is 1 */
    RECON_TRY(add_mix(ctx, &e->place, params, name, "place", 1, V, 0.3));
    RECON_TRY(add_linear(ctx, &e->node, params, name, "node", S, Z, 1));
    RECON_TRY(add_linear(ctx, &e->code[0], params, name, "code0", Z, Z, hidden_gain));
    RECON_TRY(add_linear(ctx, &e->code[1], params, name, "code1", Z, Z, hidden_gain));
    RECON_TRY(add_mix(ctx, &e->point, params, name, "point", V, 3, 1));
    RECON_TRY(add_linear(ctx, &e->share, params, name, "share", S, 3, 0.3));
    RECON_TRY(add_mix(ctx, &e->spread, params, name, "spread", 1, 3, 1));
    for (size_t i = 0; i < e->shape.layers; i++) {
        RECON_TRY(add_exchange(ctx, &e->exchange[i], params, e, i));
        RECON_TRY(add_update(ctx, &e->update[i], params, e, i));
    }
    *out = &e->base;
done:
    if (status != RECON_OK)
        fast_free(&e->base);
    return status;
}

/* ---- what it reads of a batch ---- */

static recon_status fast_feed(recon_tape *t, const recon_molecule_encoder *encoder,
                              recon_molecule_batch *b, const recon_molecule_pack *pack,
                              size_t edges)
{
    size_t elements = ((const fast *)encoder)->elements, nodes = pack->nodes;
    recon_status status;
    float *one_hot = NULL, *share = NULL, *ones = NULL;
    (void)edges;
    RECON_TRY(recon_alloc(t->ctx, &one_hot, nodes * elements, sizeof *one_hot));
    RECON_TRY(recon_alloc(t->ctx, &share, nodes, sizeof *share));
    RECON_TRY(recon_alloc(t->ctx, &ones, nodes, sizeof *ones));
    for (size_t i = 0; i < nodes; i++)
        ones[i] = 1;
    for (size_t i = 0; i < nodes; i++) {
        if (pack->mask[i] == 0)
            continue;
        one_hot[i * elements + (size_t)pack->kind[i]] = 1;
        share[i] = 1.0f / (float)pack->count[pack->molecule[i]];
    }
    const size_t kinds[] = { nodes, elements }, one[] = { nodes, 1 };
    b->edge[ONE_HOT] = recon_var_input_rows(t, one_hot, RECON_F32, kinds, 2, b->rows);
    b->edge[SHARE] = recon_var_input_rows(t, share, RECON_F32, one, 2, b->rows);
    b->edge[ONES] = recon_var_input_rows(t, ones, RECON_F32, one, 2, b->rows);
    status = recon_tape_status(t);
done:
    recon_free_all(one_hot, share, ones);
    return status;
}

/* ---- what it computes ---- */

/* The batch as the layers see it. */
typedef struct {
    recon_tape *t;
    recon_molecule_fast_shape n;
    size_t rows;
    recon_var xyz, offset, ones;
} view;

typedef struct {
    recon_var s; /* [rows][S] */
    recon_var v; /* [rows][3][V] */
} atoms;

static recon_var planes(const view *w, recon_var x, size_t channels)
{
    return recon_var_reshape(w->t, x, (size_t[]){ w->rows, 3, channels }, 3);
}

static recon_var flat(const view *w, recon_var x, size_t cols)
{
    return recon_var_reshape(w->t, x, (size_t[]){ w->rows, cols }, 2);
}

/* Numbers of size one: s / rms(s), and v / sqrt((1 + |v|^2) / V). The 1 keeps vectors that are
 * nothing but rounding, as at the middle of a symmetric molecule, from being blown up. */
static atoms normed(const view *w, atoms a)
{
    size_t cols = 3 * w->n.vectors;
    recon_var joined[] = { flat(w, a.v, cols), w->ones };
    recon_var v = recon_var_unit(w->t, recon_var_concat(w->t, joined, 2));
    v = planes(w, recon_var_columns(w->t, v, 0, cols), w->n.vectors);
    return (atoms){
        recon_var_scale(w->t, sqrt((double)w->n.scalars), recon_var_unit(w->t, a.s)),
        recon_var_scale(w->t, sqrt((double)w->n.vectors), v),
    };
}

static atoms exchange_apply(const view *w, const exchange *x, atoms a)
{
    recon_tape *t = w->t;
    size_t S = w->n.scalars, V = w->n.vectors;
    atoms in = normed(w, a);
    recon_var hidden = recon_var_silu(t, recon_linear_apply(t, &x->hear, in.s));
    recon_var s = recon_linear_apply(t, &x->say, hidden);
    recon_var u = recon_var_gate_planes(t, recon_linear_apply(t, &x->spread, in.v),
                                        recon_linear_apply(t, &x->open, hidden), 3);
    recon_tape_layer(t, x->name);
    recon_var y = recon_var_pairs(t, s, u, recon_var_param(t, x->filters), w->xyz, w->offset);
    s = recon_linear_apply(t, &x->take, recon_var_columns(t, y, 0, S + V));
    recon_var v = planes(w, recon_var_columns(t, y, S + V, 3 * V), V);
    v = recon_linear_apply(t, &x->take_vectors, v);
    return (atoms){ recon_var_add(t, a.s, s), recon_var_add(t, a.v, v) };
}

static recon_var dots(const view *w, recon_var a, recon_var b)
{
    return recon_var_sum(w->t, recon_var_mul(w->t, a, b), 1);
}

static atoms update_apply(const view *w, const update *u, atoms a)
{
    recon_tape *t = w->t;
    atoms in = normed(w, a);
    recon_var left = recon_linear_apply(t, &u->left, in.v);
    recon_var right = recon_linear_apply(t, &u->right, in.v);
    recon_var seen[] = { in.s, dots(w, left, right), dots(w, left, left) };
    recon_var hidden =
        recon_var_silu(t, recon_linear_apply(t, &u->think, recon_var_concat(t, seen, 3)));
    recon_var v = recon_var_gate_planes(t, recon_linear_apply(t, &u->keep, in.v),
                                        recon_linear_apply(t, &u->pass, hidden), 3);
    recon_var rotated = recon_var_gate_planes(t, recon_var_cross_planes(t, left, right),
                                              recon_linear_apply(t, &u->rotation, hidden), 3);
    recon_var s = recon_linear_apply(t, &u->add, hidden);
    return (atoms){ recon_var_add(t, a.s, s), recon_var_add(t, a.v, recon_var_add(t, v, rotated)) };
}

static recon_var as_float(recon_tape *t, recon_var x)
{
    return recon_tape_activations(t) == RECON_BF16 ? recon_var_cast(t, x, RECON_F32) : x;
}

/* The mean over each molecule's atoms of x [rows][cols], to [n][cols]. */
static recon_var pooled(recon_tape *t, const recon_molecule_batch *b, recon_var x, size_t cols)
{
    return recon_var_segment_sum(t, recon_var_gate(t, x, b->edge[SHARE], cols), b->span);
}

static recon_var latent_of(const view *w, const fast *e, const recon_molecule_batch *b, recon_var s)
{
    recon_tape *t = w->t;
    recon_var x = recon_var_silu(t, recon_linear_apply(t, &e->node, s));
    x = pooled(t, b, x, e->shape.latent);
    x = recon_var_silu(t, recon_linear_apply(t, &e->code[0], x));
    return recon_linear_apply(t, &e->code[1], x);
}

/* Vectors of the atoms, and their places times what the scalars say: both rotate
 * with the molecule. */
static recon_var vectors_of(const view *w, const fast *e, const recon_molecule_batch *b, atoms a)
{
    recon_tape *t = w->t;
    recon_var places = recon_linear_apply(t, &e->spread, planes(w, w->xyz, 1));
    recon_var y =
        recon_var_add(t, recon_linear_apply(t, &e->point, a.v),
                      recon_var_gate_planes(t, places, recon_linear_apply(t, &e->share, a.s), 3));
    y = pooled(t, b, flat(w, y, 9), 9);
    return recon_var_reshape(t, y, (size_t[]){ b->n, 3, 3 }, 3);
}

static void fast_apply(recon_tape *t, const recon_molecule_encoder *encoder,
                       const recon_molecule_batch *b, recon_var *latent, recon_var *y)
{
    const fast *e = (const fast *)encoder;
    recon_dtype type = recon_tape_activations(t);
    view w = { .t = t, .n = e->shape, .rows = b->nodes, .xyz = b->xyz, .offset = b->offset };
    w.ones = recon_var_cast(t, b->edge[ONES], type);
    recon_var xyz = planes(&w, recon_var_cast(t, b->xyz, type), 1);
    atoms a = { recon_linear_apply(t, &e->element, recon_var_cast(t, b->edge[ONE_HOT], type)),
                recon_linear_apply(t, &e->place, xyz) };
    for (size_t i = 0; i < e->shape.layers; i++) {
        a = exchange_apply(&w, &e->exchange[i], a);
        a = update_apply(&w, &e->update[i], a);
    }
    a = normed(&w, a);
    a = (atoms){ as_float(t, a.s), as_float(t, a.v) };
    *latent = latent_of(&w, e, b, a.s);
    *y = vectors_of(&w, e, b, a);
}
