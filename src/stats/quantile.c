/* quantile.c - see quantile.h. */
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void recon_sort_doubles(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
}

double recon_quantile(const double *sorted, size_t n, double share)
{
    if (n == 0)
        return NAN;
    double place = share * (double)(n - 1);
    size_t below = (size_t)place, above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}
