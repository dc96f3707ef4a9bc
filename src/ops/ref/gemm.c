/* gemm.c - matrix products, a row of c at a time, and the scan of a streamed top-k. */
#include "ops/ref/ref.h"

static recon_dtype type_of_c(const recon_gemm_args *g)
{
    if (g->type == RECON_BF16)
        return g->c_bf16 ? RECON_BF16 : RECON_F32;
    return g->type == RECON_I8 ? RECON_I32 : g->type;
}

static void gemm_rows(const void *args, size_t begin, size_t end)
{
    const recon_gemm_args *g = args;
    size_t a_row = g->transpose_a ? 1 : g->lda, a_step = g->transpose_a ? g->lda : 1;
    size_t b_col = g->transpose_b ? g->ldb : 1, b_step = g->transpose_b ? 1 : g->ldb;
    const recon_tensor a = { .type = g->type, .data = (void *)g->a };
    const recon_tensor b = { .type = g->type, .data = (void *)g->b };
    const recon_tensor c = { .type = type_of_c(g), .data = g->c };
    for (size_t i = begin; i < end; i++)
        for (size_t j = 0; j < g->n; j++) {
            double sum = 0;
            for (size_t l = 0; l < g->k; l++)
                sum += recon_ref_get(&a, i * a_row + l * a_step) *
                       recon_ref_get(&b, l * b_step + j * b_col);
            sum *= g->alpha;
            if (g->beta != 0)
                sum += g->beta * recon_ref_get(&c, i * g->ldc + j);
            recon_ref_set(&c, i * g->ldc + j, sum);
        }
}

recon_status recon_ref_gemm(recon_ctx *ctx, const recon_gemm_args *args)
{
    return recon_ref_spans(ctx, gemm_rows, args, args->m, 8);
}

static float score(const recon_topk_args *t, size_t r, size_t c)
{
    if (t->scores)
        return t->scores[r * t->ld + c];
    return (float)t->bytes[r * t->ld + c] * t->row_scale[r] * t->col_scale[c];
}

recon_status recon_ref_topk(recon_ctx *ctx, const recon_topk_args *t)
{
    (void)ctx;
    size_t n = 0, r = *t->next;
    for (; r < t->rows && t->capacity - n >= t->cols; r++)
        for (size_t c = 0; c < t->cols; c++) {
            float s = score(t, r, c);
            if (s - t->col_shift[c] >= t->row_floor[r] || s - t->row_shift[r] >= t->col_floor[c])
                t->hits[n++] = (recon_hit){ (uint32_t)r, (uint32_t)c, s };
        }
    *t->next = r;
    *t->count = n;
    return RECON_OK;
}
