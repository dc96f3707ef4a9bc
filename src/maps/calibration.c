/* calibration.c - p-values and thresholds by linear interpolation between quantiles, so that the
 * one is the other turned round. */
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

/* Where score lies in the table, [0, LAST], given that it lies within. */
static double place_of(const double *x, double score)
{
    size_t low = 0, high = LAST; /* x[low] <= score < x[high] */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(x[middle] <= score ? &low : &high) = middle;
    }
    return (double)low + (score - x[low]) / (x[high] - x[low]);
}

double recon_calibration_p_value(const recon_calibration *c, double score)
{
    double least = 1 / (c->n + 1);
    if (isnan(score))
        return score;
    if (score < c->quantile[0])
        return 1;
    if (score >= c->quantile[LAST])
        return least;
    return fmax(1 - place_of(c->quantile, score) / LAST, least);
}

double recon_calibration_threshold(const recon_calibration *c, double false_alarms)
{
    double share = fmin(false_alarms, 1);
    if (!(share >= 1 / (c->n + 1)))
        return INFINITY;
    return recon_quantile(c->quantile, RECON_QUANTILES, 1 - share);
}
