/* expand.c - filters out of weights and a basis: one output channel at a time. */
#include "ops/ref/ref.h"

static size_t taps_of(const recon_tensor *filter)
{
    return recon_tensor_rows(filter) / filter->shape[0];
}

/* Of a filter's output channel o in a block: the field's number and the component. */
static int find(const recon_expand_block *b, size_t o, size_t *copy, size_t *component)
{
    size_t past = o - b->out;
    if (o < b->out || past >= (size_t)b->copies_out * b->dim_out)
        return 0;
    *copy = past / b->dim_out;
    *component = past % b->dim_out;
    return 1;
}

static double number(const recon_expand_args *a, const recon_expand_block *b, size_t pair, size_t i,
                     size_t j, size_t tap, size_t taps)
{
    double sum = 0;
    for (size_t e = 0; e < b->elements; e++)
        sum += recon_ref_get(&a->weight, b->first_weight + pair * b->elements + e) *
               recon_ref_get(&a->basis,
                             b->first_basis + ((e * b->dim_out + i) * b->dim_in + j) * taps + tap);
    return sum;
}

static void expand_span(const void *args, size_t begin, size_t end)
{
    const recon_expand_args *a = args;
    size_t taps = taps_of(&a->filter), cols = recon_tensor_cols(&a->filter), u, i;
    for (size_t o = begin; o < end; o++)
        for (const recon_expand_block *b = a->plan.block; b < a->plan.block + a->plan.count; b++) {
            if (!find(b, o, &u, &i))
                continue;
            for (size_t tap = 0; tap < taps; tap++)
                for (size_t c = 0; c < (size_t)b->copies_in * b->dim_in; c++)
                    recon_ref_set(&a->filter, (o * taps + tap) * cols + b->in + c,
                                  number(a, b, u * b->copies_in + c / b->dim_in, i, c % b->dim_in,
                                         tap, taps));
        }
}

/* Of one weight: the gradient of field u's filter on field v along an element. */
static double along(const recon_expand_args *a, const recon_expand_block *b, size_t u, size_t v,
                    size_t e, size_t taps)
{
    size_t cols = recon_tensor_cols(&a->dfilter), at = b->first_basis;
    double sum = 0;
    at += e * b->dim_out * b->dim_in * taps;
    for (size_t i = 0; i < b->dim_out; i++)
        for (size_t j = 0; j < b->dim_in; j++)
            for (size_t tap = 0; tap < taps; tap++)
                sum +=
                    recon_ref_get(&a->basis, at++) *
                    recon_ref_get(&a->dfilter, ((b->out + u * b->dim_out + i) * taps + tap) * cols +
                                                   b->in + v * b->dim_in + j);
    return sum;
}

/* A field's weights are done where its first component comes by. */
static void back_span(const void *args, size_t begin, size_t end)
{
    const recon_expand_args *a = args;
    size_t taps = taps_of(&a->dfilter), u, i;
    for (size_t o = begin; o < end; o++)
        for (const recon_expand_block *b = a->plan.block; b < a->plan.block + a->plan.count; b++) {
            if (!find(b, o, &u, &i) || i > 0)
                continue;
            for (size_t v = 0; v < b->copies_in; v++)
                for (size_t e = 0; e < b->elements; e++)
                    recon_ref_set(&a->dweight,
                                  b->first_weight + (u * b->copies_in + v) * b->elements + e,
                                  along(a, b, u, v, e, taps));
        }
}

recon_status recon_ref_expand(recon_ctx *ctx, const recon_expand_args *args)
{
    return recon_ref_spans(ctx, expand_span, args, args->filter.shape[0], 1);
}

recon_status recon_ref_expand_back(recon_ctx *ctx, const recon_expand_args *args)
{
    return recon_ref_spans(ctx, back_span, args, args->dfilter.shape[0], 1);
}
