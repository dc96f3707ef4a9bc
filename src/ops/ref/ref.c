/* ref.c - every kernel as plain loops, sums in double: the truth for tests. */
#include "ops/ops.h"

static double element(const void *p, recon_dtype type, size_t i)
{
    return type == RECON_F32   ? (double)((const float *)p)[i]
           : type == RECON_F64 ? ((const double *)p)[i]
                               : (double)((const int8_t *)p)[i];
}

static void store(void *p, recon_dtype type, size_t i, double x)
{
    if (type == RECON_F32)
        ((float *)p)[i] = (float)x;
    else if (type == RECON_F64)
        ((double *)p)[i] = x;
    else
        ((int32_t *)p)[i] = (int32_t)x;
}

static int has_fast_bytes(void)
{
    return 0;
}

static recon_status gemm(recon_ctx *ctx, const recon_gemm_args *g)
{
    (void)ctx;
    size_t a_row = g->transpose_a ? 1 : g->lda, a_step = g->transpose_a ? g->lda : 1;
    size_t b_col = g->transpose_b ? g->ldb : 1, b_step = g->transpose_b ? 1 : g->ldb;
    for (size_t i = 0; i < g->m; i++) {
        for (size_t j = 0; j < g->n; j++) {
            double sum = 0;
            for (size_t l = 0; l < g->k; l++)
                sum += element(g->a, g->type, i * a_row + l * a_step) *
                       element(g->b, g->type, l * b_step + j * b_col);
            size_t at = i * g->ldc + j;
            sum *= g->alpha;
            if (g->beta != 0)
                sum += g->beta * element(g->c, g->type, at);
            store(g->c, g->type, at, sum);
        }
    }
    return RECON_OK;
}

static float score(const recon_topk_args *t, size_t r, size_t c)
{
    if (t->scores)
        return t->scores[r * t->ld + c];
    return (float)t->bytes[r * t->ld + c] * t->row_scale[r] * t->col_scale[c];
}

static recon_status topk(recon_ctx *ctx, const recon_topk_args *t)
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

const recon_ops recon_ops_ref = {
    .name = "ref", .has_fast_bytes = has_fast_bytes, .gemm = gemm, .topk = topk
};
