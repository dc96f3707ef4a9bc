/* angles.c - checks and sorts sets of angles. Checks run first, in one pass, so that the message
 * does not depend on threads; small sets are sorted by insertion, large ones by qsort. */
#include "group/so2/mean.h"
#include "stats/quantile.h"

#include <math.h>

#define SMALL 64

recon_status recon_so2_check(recon_ctx *ctx, const double *angles, size_t sets, size_t k)
{
    if (k == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "a set of no angles");
    for (size_t i = 0; i < sets * k; i++)
        if (!isfinite(angles[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "angle %zu of set %zu is %g", i % k, i / k,
                              angles[i]);
    return RECON_OK;
}

static void insert_all(double *out, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double x = out[i];
        size_t at = i;
        for (; at > 0 && out[at - 1] > x; at--)
            out[at] = out[at - 1];
        out[at] = x;
    }
}

void recon_so2_sort(double *out, const double *angles, size_t n)
{
    recon_so2_wrap_n(out, angles, n);
    if (n <= SMALL)
        insert_all(out, n);
    else
        recon_sort_doubles(out, n);
}

size_t recon_so2_after_gap(const double *sorted, size_t n)
{
    size_t at = 0;
    double widest = sorted[0] - sorted[n - 1] + 2 * M_PI;
    for (size_t i = 1; i < n; i++)
        if (sorted[i] - sorted[i - 1] > widest) {
            widest = sorted[i] - sorted[i - 1];
            at = i;
        }
    return at;
}
