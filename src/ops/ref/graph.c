/* graph.c - rows by index, sums over segments and over a dimension, small tensor products. */
#include "ops/ref/ref.h"

/* Numbers of one row: all dimensions but the first. */
static size_t width_of(const recon_tensor *t)
{
    size_t n = 1;
    for (int i = 1; i < t->ndim; i++)
        n *= t->shape[i];
    return n;
}

/* ---- gather ---- */

static void gather_span(const void *args, size_t begin, size_t end)
{
    const recon_gather_args *a = args;
    size_t width = width_of(&a->x);
    for (size_t e = begin; e < end; e++)
        for (size_t i = 0; i < width; i++)
            recon_ref_set(&a->y, e * width + i,
                          recon_ref_get(&a->x, recon_ref_int(&a->index, e) * width + i));
}

static void gather_back_span(const void *args, size_t begin, size_t end)
{
    const recon_gather_args *a = args;
    size_t width = width_of(&a->dx);
    for (size_t r = begin; r < end; r++)
        for (size_t i = 0; i < width; i++) {
            double sum = 0;
            for (size_t k = recon_ref_int(&a->offset, r); k < recon_ref_int(&a->offset, r + 1); k++)
                sum += recon_ref_get(&a->dy, recon_ref_int(&a->order, k) * width + i);
            recon_ref_set(&a->dx, r * width + i, sum);
        }
}

recon_status recon_ref_gather(recon_ctx *ctx, const recon_gather_args *args)
{
    return recon_ref_spans(ctx, gather_span, args, args->y.shape[0], 16);
}

recon_status recon_ref_gather_back(recon_ctx *ctx, const recon_gather_args *args)
{
    return recon_ref_spans(ctx, gather_back_span, args, args->dx.shape[0], 16);
}

/* ---- segments ---- */

static void segment_span(const void *args, size_t begin, size_t end)
{
    const recon_segment_args *a = args;
    size_t width = width_of(&a->y);
    for (size_t s = begin; s < end; s++)
        for (size_t i = 0; i < width; i++) {
            double sum = 0;
            for (size_t e = recon_ref_int(&a->offset, s); e < recon_ref_int(&a->offset, s + 1); e++)
                sum += recon_ref_get(&a->x, e * width + i);
            recon_ref_set(&a->y, s * width + i, sum);
        }
}

static void segment_back_span(const void *args, size_t begin, size_t end)
{
    const recon_segment_args *a = args;
    size_t width = width_of(&a->dy);
    for (size_t s = begin; s < end; s++)
        for (size_t e = recon_ref_int(&a->offset, s); e < recon_ref_int(&a->offset, s + 1); e++)
            for (size_t i = 0; i < width; i++)
                recon_ref_set(&a->dx, e * width + i, recon_ref_get(&a->dy, s * width + i));
}

recon_status recon_ref_segment_sum(recon_ctx *ctx, const recon_segment_args *args)
{
    return recon_ref_spans(ctx, segment_span, args, args->y.shape[0], 16);
}

recon_status recon_ref_segment_sum_back(recon_ctx *ctx, const recon_segment_args *args)
{
    return recon_ref_spans(ctx, segment_back_span, args, args->dy.shape[0], 16);
}

/* ---- sparse matrices ---- */

static void sparse_span(const void *args, size_t begin, size_t end)
{
    const recon_sparse_args *a = args;
    size_t width = width_of(&a->x);
    for (size_t r = begin; r < end; r++)
        for (size_t i = 0; i < width; i++) {
            double sum = 0;
            for (size_t e = recon_ref_int(&a->offset, r); e < recon_ref_int(&a->offset, r + 1); e++)
                sum += recon_ref_get(&a->weight, e) *
                       recon_ref_get(&a->x, recon_ref_int(&a->index, e) * width + i);
            recon_ref_set(&a->y, r * width + i, sum);
        }
}

recon_status recon_ref_sparse(recon_ctx *ctx, const recon_sparse_args *args)
{
    return recon_ref_spans(ctx, sparse_span, args, args->y.shape[0], 16);
}

/* ---- sums over the middle dimension ---- */

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

/* ---- tensor product: one row at a time ---- */

static double coefficient(const recon_tensor_product_args *t, size_t i, size_t j, size_t k)
{
    return recon_ref_get(&t->c, (i * t->nj + j) * t->nk + k);
}

static void product_span(const void *args, size_t begin, size_t end)
{
    const recon_tensor_product_args *t = args;
    for (size_t ru = begin * t->channels; ru < end * t->channels; ru++)
        for (size_t k = 0; k < t->nk; k++) {
            double sum = 0;
            for (size_t i = 0; i < t->ni; i++)
                for (size_t j = 0; j < t->nj; j++)
                    sum += coefficient(t, i, j, k) * recon_ref_get(&t->a, ru * t->ni + i) *
                           recon_ref_get(&t->b, ru / t->channels * t->nj + j);
            recon_ref_set(&t->y, ru * t->nk + k, sum);
        }
}

static void da_row(const recon_tensor_product_args *t, size_t r)
{
    for (size_t ru = r * t->channels; ru < (r + 1) * t->channels; ru++)
        for (size_t i = 0; i < t->ni; i++) {
            double sum = 0;
            for (size_t j = 0; j < t->nj; j++)
                for (size_t k = 0; k < t->nk; k++)
                    sum += coefficient(t, i, j, k) * recon_ref_get(&t->b, r * t->nj + j) *
                           recon_ref_get(&t->dy, ru * t->nk + k);
            recon_ref_set(&t->da, ru * t->ni + i, sum);
        }
}

static void db_row(const recon_tensor_product_args *t, size_t r)
{
    for (size_t j = 0; j < t->nj; j++) {
        double sum = 0;
        for (size_t ru = r * t->channels; ru < (r + 1) * t->channels; ru++)
            for (size_t i = 0; i < t->ni; i++)
                for (size_t k = 0; k < t->nk; k++)
                    sum += coefficient(t, i, j, k) * recon_ref_get(&t->a, ru * t->ni + i) *
                           recon_ref_get(&t->dy, ru * t->nk + k);
        recon_ref_set(&t->db, r * t->nj + j, sum);
    }
}

static void product_back_span(const void *args, size_t begin, size_t end)
{
    const recon_tensor_product_args *t = args;
    for (size_t r = begin; r < end; r++) {
        if (t->da.data)
            da_row(t, r);
        if (t->db.data)
            db_row(t, r);
    }
}

recon_status recon_ref_tensor_product(recon_ctx *ctx, const recon_tensor_product_args *args)
{
    return recon_ref_spans(ctx, product_span, args, args->rows, 4);
}

recon_status recon_ref_tensor_product_back(recon_ctx *ctx, const recon_tensor_product_args *args)
{
    return recon_ref_spans(ctx, product_back_span, args, args->rows, 4);
}
