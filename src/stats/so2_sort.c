/* so2_sort.c - insertion for the many small sets, qsort for the few large ones. */
#include "stats/so2_sort.h"

#include <math.h>
#include <stdlib.h>
#include <recon/group/so2.h>

#define SMALL 64

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
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
        qsort(out, n, sizeof *out, ascending);
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
