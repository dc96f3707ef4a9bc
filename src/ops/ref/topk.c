/* topk.c - the scan of a streamed top-k. */
#include "ops/ref/ref.h"

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
