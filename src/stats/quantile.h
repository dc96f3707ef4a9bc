/* quantile.h - medians and other quantiles of a sample. */
#ifndef STATS_QUANTILE_H
#define STATS_QUANTILE_H

#include <stddef.h>

/* Ascending, in place. No NaN. */
void recon_sort_doubles(double *values, size_t n);

/* Interpolates linearly between n >= 1 sorted values; share in [0, 1], 0.5: the median. */
double recon_quantile(const double *sorted, size_t n, double share);

#endif
