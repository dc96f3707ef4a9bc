/* steerable.c - the steerable convolution, its weights expanded once a step. */
#include <recon/nn/steerable.h>
#include "core/fail.h"
#include "core/memory.h"
#include "nn/tape.h"
#include "nn/layers.h"
#include "nn/params.h"
#include "nn/planes.h"

#include <math.h>
#include <stdlib.h>

/* One block for each pair of frequencies that are there, an output's together. */
static recon_expand_plan plan_of(const recon_steerable *l)
{
    recon_expand_plan plan = { 0 };
    size_t taps = l->size * l->size, cols = recon_fields_channels(&l->in), row = taps * cols;
    size_t weights = 0, numbers = 0;
    for (size_t m = 0; m < RECON_FREQUENCIES; m++)
        for (size_t n = 0; n < RECON_FREQUENCIES; n++) {
            size_t copies_out = l->out.of[m], copies_in = l->in.of[n];
            size_t dims = recon_field_size(m) * recon_field_size(n);
            size_t elements = recon_steerable_elements(NULL, n, m, l->size, l->rings);
            if (copies_out == 0 || copies_in == 0)
                continue;
            plan.block[plan.count++] =
                (recon_expand_block){ .copies_out = (uint32_t)copies_out,
                                      .copies_in = (uint32_t)copies_in,
                                      .dim_out = (uint32_t)recon_field_size(m),
                                      .dim_in = (uint32_t)recon_field_size(n),
                                      .elements = (uint32_t)elements,
                                      .taps = (uint32_t)taps,
                                      .start = (uint32_t)(recon_fields_begin(&l->out, m) * row +
                                                          recon_fields_begin(&l->in, n)),
                                      .row = (uint32_t)row,
                                      .step = (uint32_t)cols,
                                      .first_weight = (uint32_t)weights,
                                      .first_basis = (uint32_t)numbers };
            weights += copies_out * copies_in * elements;
            numbers += elements * dims * taps;
        }
    return plan;
}

static size_t weights_of(const recon_expand_block *b)
{
    return (size_t)b->copies_out * b->copies_in * b->elements;
}

static size_t numbers_of(const recon_expand_block *b)
{
    return (size_t)b->elements * b->dim_out * b->dim_in * b->taps;
}

/* How many blocks with elements end where this one does. */
static size_t reaching(const recon_expand_plan *plan, const recon_expand_block *to)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->count; i++)
        n += plan->block[i].start / plan->block[i].row == to->start / to->row &&
             plan->block[i].elements > 0;
    return n;
}

static recon_status add_weight(recon_ctx *ctx, recon_steerable *l, recon_params *p,
                               const recon_expand_plan *plan)
{
    const recon_expand_block *last = &plan->block[plan->count - 1];
    size_t count = last->first_weight + weights_of(last), at = 0;
    double *deviations = NULL;
    recon_part_name full;
    recon_status status;
    recon_part_print(full, l->name, "weight");
    RECON_TRY(recon_params_check(ctx, p, full, &count, 1));
    RECON_TRY(recon_alloc(ctx, &deviations, count, sizeof *deviations));
    for (const recon_expand_block *b = plan->block; b <= last; b++) {
        size_t inputs = reaching(plan, b) * b->copies_in * b->elements;
        for (size_t i = 0; i < weights_of(b); i++)
            deviations[at++] = 1 / sqrt((double)inputs);
    }
    RECON_TRY(recon_params_add_normal(ctx, &l->weight, p, full, &count, 1, deviations));
done:
    free(deviations);
    return status;
}

static void sample_block(double *out, const recon_steerable *l, size_t in, size_t to)
{
    recon_steerable_element e[RECON_STEERABLE_ELEMENTS];
    size_t n = recon_steerable_elements(e, in, to, l->size, l->rings);
    size_t one = recon_field_size(in) * recon_field_size(to) * l->size * l->size;
    for (size_t b = 0; b < n; b++)
        recon_steerable_sample(out + b * one, &e[b], in, to, l->size);
}

static recon_status keep(recon_ctx *ctx, recon_param **out, recon_params *p, const double *numbers,
                         size_t count)
{
    return recon_params_keep(ctx, out, p, numbers, &count, 1);
}

static recon_status add_basis(recon_ctx *ctx, recon_steerable *l, recon_params *p,
                              const recon_expand_plan *plan)
{
    const recon_expand_block *b = plan->block, *last = &plan->block[plan->count - 1];
    size_t count = last->first_basis + numbers_of(last);
    double *numbers = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &numbers, count, sizeof *numbers));
    for (size_t m = 0; m < RECON_FREQUENCIES; m++)
        for (size_t n = 0; n < RECON_FREQUENCIES; n++)
            if (l->out.of[m] && l->in.of[n])
                sample_block(numbers + b++->first_basis, l, n, m);
    RECON_TRY(keep(ctx, &l->basis, p, numbers, count));
done:
    free(numbers);
    return status;
}

static recon_status add_waves(recon_ctx *ctx, recon_steerable *l, recon_params *p)
{
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    recon_planes *planes;
    double *wave, *basis;
    recon_status status;
    RECON_TRY(recon_planes_of(ctx, &planes, arena, l));
    RECON_TRY(recon_arena_take(ctx, arena, &basis, planes->numbers + 1, sizeof *basis));
    RECON_TRY(recon_arena_take(ctx, arena, &wave, planes->waves * l->size * l->size, sizeof *wave));
    recon_planes_waves(wave, planes, l->size);
    recon_planes_basis(basis, planes, l);
    RECON_TRY(recon_params_keep(ctx, &l->waves, p, wave,
                                (size_t[]){ planes->waves, l->size, l->size }, 3));
    RECON_TRY(keep(ctx, &l->mix, p, basis, planes->numbers));
done:
    recon_arena_release(arena, mark);
    return status;
}

/* Kernels count a filter's numbers in 32 bits. */
enum { MOST_CHANNELS = 4096 };

static recon_status check_reach(recon_ctx *ctx, const recon_steerable *l,
                                const recon_expand_plan *plan)
{
    recon_fields_text in, out;
    int all = plan->count > 0;
    for (size_t i = 0; i < plan->count; i++)
        all &= reaching(plan, &plan->block[i]) > 0;
    if (!all)
        return recon_fail(
            ctx, RECON_ERR_INPUT, "%s: fields %s do not reach all of %s by a filter of size %zu",
            l->name, recon_fields_print(in, &l->in), recon_fields_print(out, &l->out), l->size);
    return RECON_OK;
}

recon_status recon_steerable_add(recon_ctx *ctx, recon_steerable *out, recon_params *params,
                                 const char *name, const recon_fields *in,
                                 const recon_fields *outputs,
                                 const recon_steerable_options *options)
{
    recon_steerable_options o = options ? *options : (recon_steerable_options){ 0 };
    *out = (recon_steerable){ .in = *in, .out = *outputs, .rings = o.rings, .way = o.way };
    out->size = o.size ? o.size : 3;
    out->pad = o.pad < 0 ? 0 : o.pad ? (size_t)o.pad : out->size / 2;
    RECON_CHECK(recon_layer_set_name(ctx, out->name, name));
    recon_fields_text text;
    const recon_fields *wide =
        recon_fields_channels(&out->in) > MOST_CHANNELS ? &out->in : &out->out;
    if (out->size % 2 == 0 || out->size > RECON_STEERABLE_SIZE)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: a steerable filter of size %zu: sizes are odd, at most %d",
                          out->name, out->size, RECON_STEERABLE_SIZE);
    if (recon_fields_channels(wide) > MOST_CHANNELS)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: fields %s have %zu channels, at most %d",
                          out->name, recon_fields_print(text, wide), recon_fields_channels(wide),
                          MOST_CHANNELS);
    recon_expand_plan plan = plan_of(out);
    RECON_CHECK(check_reach(ctx, out, &plan));
    RECON_CHECK(add_weight(ctx, out, params, &plan));
    RECON_CHECK(add_basis(ctx, out, params, &plan));
    return add_waves(ctx, out, params);
}

static void filter_shape(size_t shape[4], const recon_steerable *l)
{
    shape[0] = recon_fields_channels(&l->out);
    shape[1] = shape[2] = l->size;
    shape[3] = recon_fields_channels(&l->in);
}

static recon_var filter_of(recon_tape *t, const recon_steerable *l, recon_dtype type)
{
    size_t shape[4];
    if (t->mode == RECON_INFER && l->filter)
        return recon_var_param(t, l->filter);
    filter_shape(shape, l);
    recon_expand_plan plan = plan_of(l);
    return recon_var_expand(t, recon_var_param(t, l->weight), recon_var_param(t, l->basis), &plan,
                            type, shape, 4);
}

/* The dense way: the filter, then a convolution like any other. */
static recon_var apply_dense(recon_tape *t, const recon_steerable *l, recon_var x)
{
    return recon_var_conv(t, x, filter_of(t, l, x->value.type), NULL,
                          &(recon_conv_options){ .pad = l->pad });
}

/* The other way: waves and products. */
static recon_var apply_waves(recon_tape *t, const recon_steerable *l, recon_var x,
                             const recon_planes *p)
{
    recon_var w =
        t->mode == RECON_INFER && l->mixed
            ? recon_var_param(t, l->mixed)
            : recon_var_expand(t, recon_var_param(t, l->weight), recon_var_param(t, l->mix),
                               &p->mix, x->value.type, &p->weights, 1);
    return recon_var_steer(t, x, w, &l->waves->value, p, l->pad);
}

static int fits(const recon_steerable *l, const recon_tensor *x)
{
    return x->ndim == 4 && x->shape[3] == recon_fields_channels(&l->in) &&
           x->shape[1] + 2 * l->pad >= l->size && x->shape[2] + 2 * l->pad >= l->size;
}

static int goes_by_waves(recon_tape *t, const recon_steerable *l, recon_var x,
                         const recon_planes *p)
{
    if (l->way != RECON_WAY_FASTER)
        return l->way == RECON_WAY_WAVES;
    return t->ops->steer_pays(t->ctx,
                              &(recon_steer_args){ .pad = l->pad,
                                                   .plane = p->plane,
                                                   .product = p->product,
                                                   .products = p->products,
                                                   .x = x->value,
                                                   .wave = l->waves->value },
                              t->mode != RECON_INFER);
}

recon_var recon_steerable_apply(recon_tape *t, const recon_steerable *l, recon_var x)
{
    recon_planes *planes;
    recon_tape_layer(t, l->name);
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    if (l->way == RECON_WAY_DENSE || !fits(l, &x->value))
        return apply_dense(t, l, x); /* and there refused, if it does not fit */
    if (!recon_tape_did(t, recon_planes_of(t->ctx, &planes, t->nodes, l)))
        return NULL;
    return goes_by_waves(t, l, x, planes) ? apply_waves(t, l, x, planes) : apply_dense(t, l, x);
}

/* Made by the first call, written by each. */
static recon_status freeze(recon_ctx *ctx, const recon_steerable *l, recon_param **out,
                           const recon_expand_plan *plan, const recon_param *basis,
                           const size_t *shape, int ndim)
{
    if (!*out)
        RECON_CHECK(recon_params_keep(ctx, out, l->weight->owner, NULL, shape, ndim));
    recon_expand_args a = {
        .plan = *plan, .weight = l->weight->value, .basis = basis->value, .filter = (*out)->value
    };
    RECON_CHECK(recon_ops_of(ctx)->expand(ctx, &a));
    return recon_param_round(ctx, *out);
}

recon_status recon_steerable_freeze(recon_ctx *ctx, recon_steerable *l)
{
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    recon_expand_plan plan = plan_of(l);
    recon_planes *planes;
    size_t shape[4];
    recon_status status;
    filter_shape(shape, l);
    RECON_TRY(recon_planes_of(ctx, &planes, arena, l));
    RECON_TRY(freeze(ctx, l, &l->filter, &plan, l->basis, shape, 4));
    RECON_TRY(freeze(ctx, l, &l->mixed, &planes->mix, l->mix, &planes->weights, 1));
done:
    recon_arena_release(arena, mark);
    return status;
}
