/* p_values.c - conformal p-values, one calibration for each verdict (Mondrian; Vovk 2003): which it
 * is depends on the neighbours alone, so that it does not disturb the calibration. */
#include "normalize/p_values.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"

#include <stdlib.h>

enum { LEAST = 100, ALL = RECON_NATURAL_KINDS, GROUPS = ALL + 1 };

/* Tails in rising order, of each verdict and of all. */
typedef struct {
    double *tail[GROUPS];
    size_t n[GROUPS];
} table;

static recon_status make(recon_ctx *ctx, table *t, const recon_frames *from)
{
    for (int g = 0; g < GROUPS; g++)
        RECON_CHECK(recon_alloc_raw(ctx, &t->tail[g], from->rows, sizeof *t->tail[g]));
    for (size_t i = 0; i < from->rows; i++)
        if (from->verdict[i] >= 0) {
            int g = from->verdict[i];
            t->tail[g][t->n[g]++] = from->p[i];
            t->tail[ALL][t->n[ALL]++] = from->p[i];
        }
    for (int g = 0; g < GROUPS; g++)
        recon_sort_doubles(t->tail[g], t->n[g]);
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

recon_status recon_p_calibrate(recon_ctx *ctx, recon_frames *frames, const recon_frames *from,
                               int among)
{
    table t = { 0 };
    size_t new = !among; /* a row that is not in the table counts as one more */
    recon_status status;
    RECON_TRY(make(ctx, &t, from));
    for (size_t i = 0; i < frames->rows; i++) {
        if (frames->verdict[i] < 0)
            continue;
        int g = t.n[frames->verdict[i]] < LEAST ? ALL : frames->verdict[i];
        frames->p[i] = (double)(recon_count_up_to(t.tail[g], t.n[g], frames->p[i]) + new) /
                       (double)(t.n[g] + new);
    }
done:
    for (int g = 0; g < GROUPS; g++)
        free(t.tail[g]);
    return status;
}
