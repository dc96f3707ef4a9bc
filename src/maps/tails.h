/* tails.h (private) - p-values of poses: compares how unusual a pose is for its own density with
 * how unusual the poses of held-out points are for theirs.
 *
 * The statistic is a tail (group/tail.h). Flat, broad and sharp densities are each compared with
 * their own kind, because a network is overconfident in some and underconfident in others. */
#ifndef MAPS_TAILS_H
#define MAPS_TAILS_H

#include <recon/core/ctx.h>

enum {
    RECON_TAIL_BINS = 3,
    RECON_TAIL_QUANTILES = 256,
    RECON_TAIL_NUMBERS = RECON_TAIL_BINS * (RECON_TAIL_QUANTILES + 1) /* in a file */
};

/* The least sharpness of each kind: flat, broad, sharp. */
extern const double recon_tail_from[RECON_TAIL_BINS];

typedef struct {
    struct {
        double n; /* its number of points; 0: the tail itself is the p-value */
        double quantile[RECON_TAIL_QUANTILES]; /* ascending */
    } bin[RECON_TAIL_BINS];
} recon_tails;

/* The tail of a point, and the sharpness of its density, from 0 (flat) to 1. */
typedef struct {
    double sharpness, tail;
} recon_tail_point;

/* Computes the tables from n >= 1 points, which it reorders. Kinds with few points are merged with
 * the broad ones; if these are few, all are one kind. Rounded to float, as in files. */
void recon_tails_make(recon_tails *out, recon_tail_point *points, size_t n);

/* Returns the share of held-out points of the same kind with a tail at most as large, including
 * this one: from 1 / (n + 1) to 1, a conformal p-value. A share P of new inputs like those held out
 * has a p-value of at most P, on average over the choice of these. Without points it is the tail
 * itself, but never 0. */
double recon_tails_p_value(const recon_tails *t, recon_tail_point point);

/* Convert to and from the numbers in a file; unpack returns 0 if they are not ascending tables. */
void recon_tails_pack(double numbers[RECON_TAIL_NUMBERS], const recon_tails *t);
int recon_tails_unpack(recon_tails *t, const double numbers[RECON_TAIL_NUMBERS]);

#endif
