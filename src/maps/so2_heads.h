/* so2_heads.h (private) - the four heads of SO(2); maps->number is the family of Theta. */
#ifndef MAPS_SO2_HEADS_H
#define MAPS_SO2_HEADS_H

#include "maps/so2_map.h"
#include "maps/kind.h"

typedef enum {
    RECON_SO2_LAMBDA,  /* a direction */
    RECON_SO2_THETA,   /* a width */
    RECON_SO2_SUPPORT, /* the ends a, b of an arc */
    RECON_SO2_DENSITY, /* a mixture, as RECON_LOSS_VONMISES has it */
    RECON_SO2_HEADS
} recon_so2_head;

extern const recon_head_kind recon_so2_heads[RECON_SO2_HEADS];
/* Lambda and Theta as separate networks, which learn by squared errors, as in the paper. */
extern const recon_head_kind recon_so2_networks[RECON_SO2_THETA + 1];

/* Makes the pseudo-labels; the number is RECON_SO2_UNIFORM or _NORMAL, the family of theta. */
recon_status recon_so2_targets(recon_ctx *ctx, recon_targets *out, const recon_embedded *data,
                               const recon_frames *frames);

#endif
