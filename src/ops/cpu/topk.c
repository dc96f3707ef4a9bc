/* topk.c - the scan of a streamed top-k.
 *
 * Hits are rare once the floors have risen, so a run of columns is first asked as a whole: a
 * branch-free loop that the compiler turns into wide compares. Only a run with a hit is looked
 * into, by way of one flag per column. */
#include "ops/cpu/cpu.h"
#include "core/simd.h"

#include <string.h>

#define RUN 64

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

RECON_CLONES
static size_t scan_row(const recon_topk_args *t, size_t r, recon_hit *hits)
{
    const float *s = t->scores + r * t->ld, *floor = t->col_floor, *shift = t->col_shift;
    float row_floor = t->row_floor[r], row_shift = t->row_shift[r];
    unsigned char flag[RUN];
    size_t n = 0, begin = 0;
    for (; begin + RUN <= t->cols; begin += RUN, s += RUN, floor += RUN, shift += RUN) {
        int any = 0;
        for (size_t c = 0; c < RUN; c++)
            any |= (s[c] - shift[c] >= row_floor) | (s[c] - row_shift >= floor[c]);
        if (!any)
            continue;
        for (size_t c = 0; c < RUN; c++)
            flag[c] = (s[c] - shift[c] >= row_floor) | (s[c] - row_shift >= floor[c]);
        n += take_hits(hits + n, flag, s, r, begin);
    }
    for (size_t c = 0; begin + c < t->cols; c++)
        if (s[c] - shift[c] >= row_floor || s[c] - row_shift >= floor[c])
            hits[n++] = (recon_hit){ (uint32_t)r, (uint32_t)(begin + c), s[c] };
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
