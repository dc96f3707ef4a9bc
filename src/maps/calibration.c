/* calibration.c - thresholds and p-values by linear interpolation between quantiles. */
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

/* The share of the scores below this one. */
static double share_below(const double x[RECON_QUANTILES], double score)
{
    size_t low = 0, high = LAST;
    if (score <= x[0])
        return 0;
    if (score > x[LAST])
        return 1;
    while (high - low > 1) { /* x[low] < score <= x[high] */
        size_t middle = (low + high) / 2;
        *(x[middle] < score ? &low : &high) = middle;
    }
    return ((double)low + (score - x[low]) / (x[high] - x[low])) / LAST;
}

double recon_calibration_p_value(const recon_calibration *c, double score)
{
    if (isnan(score))
        return score;
    return (1 + c->n * (1 - share_below(c->quantile, score))) / (c->n + 1);
}

int recon_calibration_good(const recon_calibration *c)
{
    size_t i = 1;
    while (i < RECON_QUANTILES && c->quantile[i - 1] <= c->quantile[i])
        i++;
    return i == RECON_QUANTILES && c->n >= 1 && c->n < 1e15;
}
