/* calibration.h (private) - what scores are usual: quantiles of those of natural poses. */
#ifndef MAPS_CALIBRATION_H
#define MAPS_CALIBRATION_H

#include <stddef.h>

enum { RECON_QUANTILES = 1024 };

typedef struct {
    double quantile[RECON_QUANTILES]; /* rising: [i] has a share i / (RECON_QUANTILES - 1) below */
    double n;                         /* scores behind them */
} recon_calibration;

/* Sorts the scores; n >= 1. The quantiles are rounded to float, as files keep them. */
void recon_calibrate(recon_calibration *out, double *scores, size_t n);

/* The share of the scores that are as high, counting the one at hand among them: from 1 / (n + 1) to
 * 1, a conformal p-value. NaN gives NaN. */
double recon_calibration_p_value(const recon_calibration *c, double score);

/* Whether these may be a file's: a table that does not fall, of at least one score. */
int recon_calibration_good(const recon_calibration *c);

/* See maps.h. */
double recon_calibration_threshold(const recon_calibration *c, double false_alarms);

#endif
