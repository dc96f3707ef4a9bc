/* so2_sort.h - angles in order. */
#ifndef STATS_SO2_SORT_H
#define STATS_SO2_SORT_H

#include <stddef.h>

/* The angles folded into (-pi, pi], smallest first. out must not be angles. */
void recon_so2_sort(double *out, const double *angles, size_t n);

/* The place of the angle that follows the widest gap between sorted ones. */
size_t recon_so2_after_gap(const double *sorted, size_t n);

#endif
