/* p_values.h - turns tails, which depend on each row's own density, into p-values. */
#ifndef NORMALIZE_P_VALUES_H
#define NORMALIZE_P_VALUES_H

#include <recon/normalize/normalize.h>

/* Counts how many of n ascending numbers are at most x. */
size_t recon_count_up_to(const double *sorted, size_t n, double x);

/* The tails of rows with a class, ascending: those of each verdict, one verdict after the other, and
 * then those of all. */
typedef struct {
    double *tail; /* [2 * the sum of n] */
    size_t n[RECON_NATURAL_KINDS];
} recon_p_tails;

/* Of `from`, only rows, p and verdict are read. free(out->tail) always. */
recon_status recon_p_tails_make(recon_ctx *ctx, recon_p_tails *out, const recon_frames *from);

/* Replaces each tail in frames->p (group/tail.h) by the share of rows with the same verdict whose
 * tail is at most as large. This calibrates them, because densities fitted to few poses are too
 * narrow, by an amount that depends on the verdict. among: 1 if the rows of frames are among those
 * of the tails. Rows without a class or a pose keep NaN. */
void recon_p_tails_apply(recon_frames *frames, const recon_p_tails *tails, int among);

#endif
