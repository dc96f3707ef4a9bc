/* fdr.c - see fdr.h. */
#include "stats/fdr.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The share of scores that are the tail, and the share beyond the part of it by which its fall is measured: more
 * than are wrong in a set that is aligned but for some. */
#define TAIL 0.10
#define END  0.04

enum { ROUNDS = 20 };

recon_status recon_fdr_threshold(recon_ctx *ctx, double *out, const double *p, size_t n,
                                 double rate)
{
    double *sorted = NULL;
    recon_status status;
    *out = 0;
    RECON_TRY(recon_alloc_raw(ctx, &sorted, n, sizeof *sorted));
    memcpy(sorted, p, n * sizeof *p);
    recon_sort_doubles(sorted, n);
    for (size_t r = n; r > 0 && *out == 0; r--)
        if (sorted[r - 1] <= rate * (double)r / (double)n)
            *out = sorted[r - 1];
done:
    free(sorted);
    return status;
}

/* How many of n rising numbers are at least x. */
static size_t count_from(const double *sorted, size_t n, double x)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return n - low;
}

/* p-values by the m scores that are held for usual, in rising order. */
static void find_p_values(double *p, const double *score, size_t n, const double *usual, size_t m,
                          double fall)
{
    double begin = recon_quantile(usual, m, 1 - TAIL);
    for (size_t i = 0; i < n; i++) {
        double share = score[i] > begin ? TAIL * exp(-fall * (score[i] - begin))
                                        : (double)count_from(usual, m, score[i]) / (double)m;
        p[i] = fmin((1 + (double)n * share) / ((double)n + 1), 1);
    }
}

/* What is called is left out of what is held for usual, until nothing changes. At first the odds are taken for
 * calibrated. */
recon_status recon_fdr_p_values(recon_ctx *ctx, double *p, double *threshold, double *fall,
                                const double *score, size_t n, double rate)
{
    double *usual = NULL, slope = 1;
    size_t m = n, before = 0;
    recon_status status;
    *threshold = 0;
    RECON_TRY(recon_alloc_raw(ctx, &usual, n, sizeof *usual));
    memcpy(usual, score, n * sizeof *usual);
    for (int round = 0; round < ROUNDS && n && (round == 0 || m != before); round++) {
        before = m;
        recon_sort_doubles(usual, m);
        if (round > 0) {
            double width = recon_quantile(usual, m, 1 - END) - recon_quantile(usual, m, 1 - TAIL);
            slope = width > log(TAIL / END) ? log(TAIL / END) / width : 1;
        }
        find_p_values(p, score, n, usual, m, slope);
        RECON_TRY(recon_fdr_threshold(ctx, threshold, p, n, rate));
        m = 0;
        for (size_t i = 0; i < n; i++)
            if (p[i] > *threshold)
                usual[m++] = score[i];
        if (round == 0)
            before = n + 1; /* the fall has not been measured yet */
    }
done:
    if (fall)
        *fall = slope;
    free(usual);
    return status;
}
