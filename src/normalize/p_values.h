/* p_values.h - turns tails, which depend on each row's own density, into p-values. */
#ifndef NORMALIZE_P_VALUES_H
#define NORMALIZE_P_VALUES_H

#include <recon/normalize/normalize.h>

/* Counts how many of n ascending numbers are at most x. */
size_t recon_count_up_to(const double *sorted, size_t n, double x);

/* Replaces each tail in frames->p (group/tail.h) by the share of rows of `from` with the same
 * verdict whose tail is at most as large. This calibrates them, because densities fitted to few
 * poses are too narrow, by an amount that depends on the verdict. from may be frames, or other rows
 * computed in the same way; among: 1 if they include the rows of frames. Of `from`, only rows, p
 * and verdict are read. Rows without a class keep NaN. */
recon_status recon_p_calibrate(recon_ctx *ctx, recon_frames *frames, const recon_frames *from,
                               int among);

#endif
