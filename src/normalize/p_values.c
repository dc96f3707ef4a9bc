/* p_values.c - conformal p-values, one calibration for each verdict (Mondrian; Vovk 2003): which it
 * is depends on the neighbours alone, so that it does not disturb the calibration. */
#include "normalize/p_values.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"

#include <math.h>

enum { LEAST = 100 };

static size_t total(const recon_p_tails *t)
{
    size_t sum = 0;
    for (int g = 0; g < RECON_NATURAL_KINDS; g++)
        sum += t->n[g];
    return sum;
}

recon_status recon_p_tails_make(recon_ctx *ctx, recon_p_tails *out, const recon_frames *from)
{
    size_t n = 0;
    *out = (recon_p_tails){ 0 };
    RECON_CHECK(recon_alloc_raw(ctx, &out->tail, from->rows, 2 * sizeof *out->tail));
    for (int g = 0; g < RECON_NATURAL_KINDS; g++) {
        double *tail = out->tail + n;
        for (size_t i = 0; i < from->rows; i++)
            if (from->verdict[i] == g)
                tail[out->n[g]++] = from->p[i];
        recon_sort_doubles(tail, out->n[g]);
        n += out->n[g];
    }
    for (size_t i = 0; i < n; i++)
        out->tail[n + i] = out->tail[i];
    recon_sort_doubles(out->tail + n, n);
    return RECON_OK;
}

size_t recon_count_up_to(const double *sorted, size_t n, double x)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void recon_p_tails_apply(recon_frames *frames, const recon_p_tails *t, int among)
{
    size_t new = !among; /* a row that is not in the table counts as one more */
    for (size_t i = 0; i < frames->rows; i++) {
        const double *tail = t->tail;
        int verdict = frames->verdict[i];
        if (verdict < 0 || isnan(frames->p[i]))
            continue;
        for (int g = 0; g < verdict; g++)
            tail += t->n[g];
        size_t n = t->n[verdict];
        if (n < LEAST) {
            n = total(t);
            tail = t->tail + n;
        }
        frames->p[i] = (double)(recon_count_up_to(tail, n, frames->p[i]) + new) / (double)(n + new);
    }
}
