/* mean.h - what the means of SO(2) and SO(3) have in common: names and options.
 *
 * Names tell the truth. The *chordal* mean is the circular mean (atan2) or the SVD mean; the
 * *Frechet* mean is the geodesic one; the *Tukey* mean is the Frechet mean with Tukey's biweight
 * in place of the square (the RECON paper, appendix on the robust mean). */
#ifndef RECON_STATS_MEAN_H
#define RECON_STATS_MEAN_H

#include <recon/core/ctx.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { RECON_MEAN_TUKEY = 0, RECON_MEAN_FRECHET, RECON_MEAN_CHORDAL } recon_mean_kind;
RECON_API const char *recon_mean_name(recon_mean_kind kind); /* "tukey", "frechet", "chordal" */

/* Zero means the default: an adaptive Tukey mean. */
typedef struct {
    recon_mean_kind kind;
    double tukey_c; /* radians; 0: decided from the data, see docs/statistics.md */
} recon_mean_options;

#define RECON_MODES_MAX 8 /* the longest list of modes a mean reports */

#ifdef __cplusplus
}
#endif
#endif
