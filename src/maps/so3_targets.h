/* so3_targets.h (private) - what the heads of SO(3) are taught. */
#ifndef MAPS_SO3_TARGETS_H
#define MAPS_SO3_TARGETS_H

#include <recon/normalize/normalize.h>
#include "maps/so3_heads.h"

typedef struct {
    float *of[RECON_SO3_HEADS]; /* [n][recon_so3_heads[h].targets], F in units */
    double unit;                /* the median length of F                      */
} recon_so3_targets;

/* From the points and their frames. Free them whatever the status. */
recon_status recon_so3_targets_make(recon_ctx *ctx, recon_so3_targets *out,
                                    const recon_embedded *data, const recon_frames *frames);
void recon_so3_targets_free(recon_so3_targets *targets);

#endif
