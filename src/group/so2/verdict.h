/* verdict.h - the verdict on the natural pose of a set of angles, a test with known error rates.
 *
 * * docs/notebook/statistics-so2.md explains the tests, with the error rates of each law. */
#ifndef GROUP_SO2_VERDICT_H
#define GROUP_SO2_VERDICT_H

#include <recon/group/mean.h>
#include "group/so2/mean.h"

typedef struct {
    recon_natural natural;
    int fold;      /* m: known modulo 360/m degrees; 1 for one and several poses; 0 for no pose */
    int spaced;    /* m = 2, 3, 4 if the modes are m evenly spaced ones, else 0 */
    double center; /* the mode of these that is nearest the identity */
    double share[RECON_SO2_MOMENTS]; /* share of the angles at center, at center + 360/m, ... */
} recon_so2_verdict;

/* Judges n >= 1 sorted angles in (-pi, pi] with these moments and modes. scratch: 2 n doubles. */
void recon_so2_judge(recon_so2_verdict *out, const double *sorted, size_t n,
                     const double moment[RECON_SO2_MOMENTS], const recon_so2_modes *modes,
                     double *scratch);

/* |mean exp(i m angle)|, m = 1..4; returns the direction of the first. */
double recon_so2_moments_of(double moment[RECON_SO2_MOMENTS], const double *angles, size_t n);

/* The statistics behind the verdict, for calibration. */
typedef struct {
    double
        spaced[RECON_SO2_MOMENTS + 1]; /* [m]: nats that m evenly spaced modes gain over one mode */
    double split;                      /* nats that two modes gain over one */
} recon_so2_evidence;
void recon_so2_weigh_evidence(recon_so2_evidence *out, const double *sorted, size_t n,
                              const double moment[RECON_SO2_MOMENTS], const recon_so2_modes *modes,
                              double *scratch);

/* Returns whether n angles with these moments are not uniform on the circle: Rayleigh's test of
 * each moment, all four together at the given level. */
int recon_so2_uneven(const double moment[RECON_SO2_MOMENTS], double n, double level);

/* Returns the p-value of Rayleigh's test of uniformity; r is the length of the mean of n. */
double recon_rayleigh(double r, double n);

/* Returns whether all moments are so small that those of the law are unlikely to reach `most`. */
int recon_so2_level(const double moment[RECON_SO2_MOMENTS], double n, double most);

#endif
