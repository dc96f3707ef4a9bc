/* calibration.h (private) - p-values of scores, from quantiles of those of natural poses. */
#ifndef MAPS_CALIBRATION_H
#define MAPS_CALIBRATION_H

#include <stddef.h>

enum { RECON_QUANTILES = 1024 };

typedef struct {
    double
        quantile[RECON_QUANTILES]; /* ascending: a share i / (RECON_QUANTILES - 1) is below [i] */
    double n;                      /* the number of scores */
} recon_calibration;

/* Computes the quantiles of n >= 1 scores, which it sorts. Rounded to float, as in files. */
void recon_calibrate(recon_calibration *out, double *scores, size_t n);

/* Returns the share of scores that are at least as high, including this one: from 1 / (n + 1) to 1,
 * a conformal p-value. NaN gives NaN. */
double recon_calibration_p_value(const recon_calibration *c, double score);

/* Checks a calibration that was read: the quantiles must not fall, and n must be at least 1. */
int recon_calibration_good(const recon_calibration *c);

/* See maps.h. */
double recon_calibration_threshold(const recon_calibration *c, double false_alarms);

#endif
