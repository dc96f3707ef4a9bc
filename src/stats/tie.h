/* tie.h - when two modes count as equally heavy. */
#ifndef STATS_TIE_H
#define STATS_TIE_H

#include <math.h>

/* A sample cannot tell two masses (numbers of points) apart that differ by less than three standard
 * deviations: without that rule the answer would change from one draw to the next. One less than
 * half the other is the lesser in any case, or a few outliers would be its equal. */
static inline int recon_masses_tie(double less, double more)
{
    return less >= more / 2 && more - less <= 3 * sqrt(more + less);
}

#endif
