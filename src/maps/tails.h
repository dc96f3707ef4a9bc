/* tails.h (private) - p-values of the input at hand: how unusual is its pose for its own density,
 * compared with how unusual the poses of points held out are for theirs?
 *
 * The statistic is a tail (group/tail.h). Densities of a kind are compared with each other:
 * flat ones, broad ones and sharp ones. A network is too sure of some and not sure enough of
 * others. */
#ifndef MAPS_TAILS_H
#define MAPS_TAILS_H

#include <recon/core/ctx.h>

enum {
    RECON_TAIL_BINS = 3,
    RECON_TAIL_QUANTILES = 256,
    RECON_TAIL_NUMBERS = RECON_TAIL_BINS * (RECON_TAIL_QUANTILES + 1) /* in a file */
};

/* The sharpness from which each kind is: flat, broad, sharp. */
extern const double recon_tail_from[RECON_TAIL_BINS];

typedef struct {
    struct {
        double n; /* points behind it; 0: the tail itself is the p-value */
        double quantile[RECON_TAIL_QUANTILES]; /* rising */
    } bin[RECON_TAIL_BINS];
} recon_tails;

/* One point: its tail, and how sharp its density is, from 0 (flat) to 1. */
typedef struct {
    double sharpness, tail;
} recon_tail_point;

/* Uses the points up; n >= 1. A kind with few points is counted among the broad; where these are
 * few, all are one kind. Rounded to float, as files keep them. */
void recon_tails_make(recon_tails *out, recon_tail_point *points, size_t n);

/* The share of the points held out with such a tail or a smaller one, counting the one at hand among
 * them: from 1 / (n + 1) to 1, a conformal p-value. Of new inputs like those held out a share P has
 * a p-value of at most P, on average over who was held out. With no points the tail itself, but never 0. */
double recon_tails_p_value(const recon_tails *t, recon_tail_point point);

/* To and from the numbers of a file; 0 where they are no rising tables. */
void recon_tails_pack(double numbers[RECON_TAIL_NUMBERS], const recon_tails *t);
int recon_tails_unpack(recon_tails *t, const double numbers[RECON_TAIL_NUMBERS]);

#endif
