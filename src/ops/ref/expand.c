/* expand.c - filters out of weights and a basis: one field of a block at a time. */
#include "ops/ref/ref.h"

/* Where channel i of field u, tap and channel j of field v are in the filter, and in an element. */
static size_t filter_at(const recon_expand_block *b, size_t u, size_t v, size_t i, size_t j,
                        size_t tap)
{
    return b->start + (u * b->dim_out + i) * b->row + tap * b->step + v * b->dim_in + j;
}
static size_t basis_at(const recon_expand_block *b, size_t e, size_t i, size_t j, size_t tap)
{
    return b->first_basis + ((e * b->dim_out + i) * b->dim_in + j) * b->taps + tap;
}
static size_t weight_at(const recon_expand_block *b, size_t u, size_t v)
{
    return b->first_weight + (u * b->copies_in + v) * b->elements;
}

static void expand_pair(const recon_expand_args *a, const recon_expand_block *b, size_t u, size_t v)
{
    for (size_t i = 0; i < b->dim_out; i++)
        for (size_t j = 0; j < b->dim_in; j++)
            for (size_t tap = 0; tap < b->taps; tap++) {
                double sum = 0;
                for (size_t e = 0; e < b->elements; e++)
                    sum += recon_ref_get(&a->weight, weight_at(b, u, v) + e) *
                           recon_ref_get(&a->basis, basis_at(b, e, i, j, tap));
                recon_ref_set(&a->filter, filter_at(b, u, v, i, j, tap), sum);
            }
}

static void expand_span(const void *args, size_t begin, size_t end)
{
    const recon_expand_args *a = args;
    for (size_t k = begin; k < end; k++) {
        size_t u = k;
        const recon_expand_block *b = recon_expand_find(&a->plan, &u);
        for (size_t v = 0; v < b->copies_in; v++)
            expand_pair(a, b, u, v);
    }
}

/* Of one weight: the gradient of field u's filter on field v along an element. */
static double along(const recon_expand_args *a, const recon_expand_block *b, size_t u, size_t v,
                    size_t e)
{
    double sum = 0;
    for (size_t i = 0; i < b->dim_out; i++)
        for (size_t j = 0; j < b->dim_in; j++)
            for (size_t tap = 0; tap < b->taps; tap++)
                sum += recon_ref_get(&a->basis, basis_at(b, e, i, j, tap)) *
                       recon_ref_get(&a->dfilter, filter_at(b, u, v, i, j, tap));
    return sum;
}

static void back_span(const void *args, size_t begin, size_t end)
{
    const recon_expand_args *a = args;
    for (size_t k = begin; k < end; k++) {
        size_t u = k;
        const recon_expand_block *b = recon_expand_find(&a->plan, &u);
        for (size_t v = 0; v < b->copies_in; v++)
            for (size_t e = 0; e < b->elements; e++)
                recon_ref_set(&a->dweight, weight_at(b, u, v) + e, along(a, b, u, v, e));
    }
}

recon_status recon_ref_expand(recon_ctx *ctx, const recon_expand_args *args)
{
    return recon_ref_spans(ctx, expand_span, args, recon_expand_fields(&args->plan), 1);
}

recon_status recon_ref_expand_back(recon_ctx *ctx, const recon_expand_args *args)
{
    return recon_ref_spans(ctx, back_span, args, recon_expand_fields(&args->plan), 1);
}
