/* reduce.c - sums over a dimension. */
#include "ops/ref/ref.h"

static void reduce_span(const void *args, size_t begin, size_t end)
{
    const recon_reduce_args *a = args;
    for (size_t at = begin; at < end; at++) {
        size_t o = at / a->inner, i = at % a->inner;
        double sum = 0;
        for (size_t m = 0; m < a->middle; m++)
            sum += recon_ref_get(&a->x, (o * a->middle + m) * a->inner + i);
        recon_ref_set(&a->y, at, a->scale * sum);
    }
}

static void reduce_back_span(const void *args, size_t begin, size_t end)
{
    const recon_reduce_args *a = args;
    for (size_t at = begin; at < end; at++) {
        size_t o = at / a->inner / a->middle, i = at % a->inner;
        recon_ref_set(&a->dx, at, a->scale * recon_ref_get(&a->dy, o * a->inner + i));
    }
}

recon_status recon_ref_reduce(recon_ctx *ctx, const recon_reduce_args *args)
{
    return recon_ref_spans(ctx, reduce_span, args, args->outer * args->inner, 16);
}

recon_status recon_ref_reduce_back(recon_ctx *ctx, const recon_reduce_args *args)
{
    return recon_ref_runs(ctx, reduce_back_span, args, args->outer * args->middle * args->inner);
}
