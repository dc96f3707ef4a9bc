/* gauge.h - centres that agree within a class where a spin is free.
 *
 * On SO(3) the poses of a class may lie on a ring, and then every mean that Algorithm 1 knows sits
 * on the ring where the noise has put it: neighbourhoods of one class disagree. A map cannot learn
 * that. This puts in the place of Gamma the gauge of the fitted distribution
 * (recon/stats/fisher_gauge.h), which is the mode where the data determine one. */
#ifndef RECON_NORMALIZE_GAUGE_H
#define RECON_NORMALIZE_GAUGE_H

#include <recon/normalize/normalize.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gamma becomes the gauge of F Gamma, the distribution of the poses as they came; normalised and
 * absolute poses and theta follow. Scores and identifiability do not depend on it. Rows without a
 * class stay as they are. RECON_ERR_UNSUPPORTED for SO(2), where one mode is as good as another. */
RECON_API recon_status recon_frames_gauge(recon_ctx *ctx, recon_frames *frames);

#ifdef __cplusplus
}
#endif
#endif
