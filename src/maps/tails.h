/* tails.h (private) - p-values of the input at hand: how unusual is its pose for its own density,
 * compared with how unusual the poses of points held out are for theirs?
 *
 * The statistic is a tail (recon/stats/tail.h). Densities that look equally sharp are compared with
 * each other, in bins of their first moment: a network is too sure of some and not sure enough of
 * others. */
#ifndef MAPS_TAILS_H
#define MAPS_TAILS_H

#include <recon/core/ctx.h>

enum {
    RECON_TAIL_BINS = 4,
    RECON_TAIL_QUANTILES = 256,
    RECON_TAIL_NUMBERS = RECON_TAIL_BINS * (RECON_TAIL_QUANTILES + 2) /* in a file */
};

typedef struct {
    struct {
        double from; /* the least sharpness of the bin; the first has all that is below, too */
        double n;    /* points behind it, 0: the tail itself is the p-value                   */
        double quantile[RECON_TAIL_QUANTILES]; /* rising */
    } bin[RECON_TAIL_BINS];
} recon_tails;

/* One point: its tail, and how sharp its density is. */
typedef struct {
    double sharpness, tail;
} recon_tail_point;

/* Sorts the points; n >= 1. Few points make one bin. Rounded to float, as files keep them. */
void recon_tails_make(recon_tails *out, recon_tail_point *points, size_t n);

/* The share of points held out with such a tail or a smaller one, at least 1 / (n + 1). */
double recon_tails_p_value(const recon_tails *t, recon_tail_point point);

/* To and from the numbers of a file; 0 where they are no rising tables. */
void recon_tails_pack(double numbers[RECON_TAIL_NUMBERS], const recon_tails *t);
int recon_tails_unpack(recon_tails *t, const double numbers[RECON_TAIL_NUMBERS]);

#endif
