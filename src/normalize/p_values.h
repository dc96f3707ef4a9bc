/* p_values.h - from the chance of a score as high, under a row's own density, to a p-value. */
#ifndef NORMALIZE_P_VALUES_H
#define NORMALIZE_P_VALUES_H

#include <recon/normalize/normalize.h>

/* How many of n rising numbers are at most x. */
size_t recon_count_up_to(const double *sorted, size_t n, double x);

/* Replaces the tails in frames->p (group/tail.h) by the share of the rows of `from` with such
 * a tail or a smaller one, among those with the row's verdict: densities that were fitted to few
 * poses are too narrow, and how much so depends on the kind of law. from may be frames, or hold
 * other rows that were treated alike; `among` says that the rows are some of those. Of `from` rows, p
 * and verdict alone are read. Rows without a class keep NaN. */
recon_status recon_p_calibrate(recon_ctx *ctx, recon_frames *frames, const recon_frames *from,
                               int among);

#endif
