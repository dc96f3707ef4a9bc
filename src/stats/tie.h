/* tie.h - when two modes count as equally heavy. */
#ifndef STATS_TIE_H
#define STATS_TIE_H

#include <math.h>

/* Returns whether two masses (numbers of points) tie: a sample does not distinguish masses that
 * differ by less than three standard deviations, and the answer would otherwise change from one
 * draw to the next. A mass below half the other is always less. */
static inline int recon_masses_tie(double less, double more)
{
    return less >= more / 2 && more - less <= 3 * sqrt(more + less);
}

#endif
