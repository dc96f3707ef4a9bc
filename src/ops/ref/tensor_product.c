/* tensor_product.c - small tensor products, one row at a time. */
#include "ops/ref/ref.h"

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
