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

/* See maps.h. */
double recon_calibration_threshold(const recon_calibration *c, double false_alarms);

#endif
