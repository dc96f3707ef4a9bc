/* topk.c - the scan of a streamed top-k.
 *
 * Hits are rare once the floors have risen, so a run of columns is first asked as a whole: a
 * branch-free loop that the compiler turns into wide compares. Only a run with a hit is looked
 * into, by way of one flag per column. */
#include "ops/cpu/cpu.h"
#include "core/blocks.h"
#include "core/simd.h"

#include <string.h>

#define RUN RECON_BLOCK_TOPK

static inline size_t take_hits(recon_hit *hits, const unsigned char *flag, const float *s, size_t r,
                               size_t begin)
{
    size_t n = 0;
    for (size_t i = 0; i < RUN; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, flag + i, sizeof word);
        if (!word)
            continue;
        for (size_t c = i; c < i + sizeof word; c++)
            if (flag[c])
                hits[n++] = (recon_hit){ (uint32_t)r, (uint32_t)(begin + c), s[c] };
    }
    return n;
}

/* Scores as they are, or made from bytes: at most RUN of them. */
static inline const float *run_of_scores(const recon_topk_args *t, size_t r, size_t begin,
                                         float scaled[RUN])
{
    if (t->scores)
        return t->scores + r * t->ld + begin;
    const int32_t *bytes = t->bytes + r * t->ld + begin;
    const float *col = t->col_scale + begin;
    float row = t->row_scale[r];
    if (t->cols - begin >= RUN)
        for (size_t c = 0; c < RUN; c++)
            scaled[c] = (float)bytes[c] * row * col[c];
    else
        for (size_t c = 0; begin + c < t->cols; c++)
            scaled[c] = (float)bytes[c] * row * col[c];
    return scaled;
}

static inline size_t scan_rest(const recon_topk_args *t, size_t r, size_t begin, const float *s,
                               recon_hit *hits)
{
    size_t n = 0;
    for (size_t c = begin; c < t->cols; c++, s++)
        if (*s - t->col_shift[c] >= t->row_floor[r] || *s - t->row_shift[r] >= t->col_floor[c])
            hits[n++] = (recon_hit){ (uint32_t)r, (uint32_t)c, *s };
    return n;
}

RECON_CLONES
static size_t scan_row(const recon_topk_args *t, size_t r, recon_hit *hits)
{
    float row_floor = t->row_floor[r], row_shift = t->row_shift[r];
    unsigned char flag[RUN];
    float scaled[RUN];
    size_t n = 0;
    for (size_t begin = 0; begin < t->cols; begin += RUN) {
        const float *floor = t->col_floor + begin, *shift = t->col_shift + begin;
        const float *s = run_of_scores(t, r, begin, scaled);
        int any = 0;
        if (t->cols - begin < RUN) {
            n += scan_rest(t, r, begin, s, hits + n);
            break;
        }
        for (size_t c = 0; c < RUN; c++)
            any |= (s[c] - shift[c] >= row_floor) | (s[c] - row_shift >= floor[c]);
        if (!any)
            continue;
        for (size_t c = 0; c < RUN; c++)
            flag[c] = (s[c] - shift[c] >= row_floor) | (s[c] - row_shift >= floor[c]);
        n += take_hits(hits + n, flag, s, r, begin);
    }
    return n;
}

recon_status recon_cpu_topk(recon_ctx *ctx, const recon_topk_args *t)
{
    (void)ctx;
    size_t n = 0, r = *t->next;
    for (; r < t->rows && t->capacity - n >= t->cols; r++)
        n += scan_row(t, r, t->hits + n);
    *t->next = r;
    *t->count = n;
    return RECON_OK;
}
