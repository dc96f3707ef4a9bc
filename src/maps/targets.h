/* targets.h (private) - what the heads are taught: for each an array of plain numbers. */
#ifndef MAPS_TARGETS_H
#define MAPS_TARGETS_H

#include <recon/normalize/normalize.h>
#include "maps/heads.h"

typedef struct {
    float *of[RECON_HEADS];        /* [n][recon_heads[h].targets]                  */
    recon_so2_family theta_family; /* what theta is: RECON_SO2_UNIFORM or _NORMAL  */
} recon_targets;

/* From the frames of n points with the poses psi [n]. */
recon_status recon_targets_make(recon_ctx *ctx, recon_targets *out, const recon_frames *frames,
                                const double *psi, size_t n);
void recon_targets_free(recon_targets *targets);

#endif
