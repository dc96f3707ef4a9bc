/* calibration.c - thresholds by linear interpolation between quantiles. */
#include "maps/calibration.h"
#include "stats/quantile.h"

#include <math.h>

enum { LAST = RECON_QUANTILES - 1 };

void recon_calibrate(recon_calibration *out, double *scores, size_t n)
{
    recon_sort_doubles(scores, n);
    for (size_t i = 0; i < RECON_QUANTILES; i++)
        out->quantile[i] = (float)recon_quantile(scores, n, (double)i / LAST);
    out->n = (double)n;
}

double recon_calibration_threshold(const recon_calibration *c, double false_alarms)
{
    double share = fmin(false_alarms, 1);
    if (!(share >= 1 / (c->n + 1)))
        return INFINITY;
    return recon_quantile(c->quantile, RECON_QUANTILES, 1 - share);
}
