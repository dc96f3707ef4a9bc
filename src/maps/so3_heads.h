/* so3_heads.h (private) - the heads of SO(3); maps->number is the unit of F. */
#ifndef MAPS_SO3_HEADS_H
#define MAPS_SO3_HEADS_H

#include "maps/so3_map.h"
#include "maps/kind.h"

typedef enum {
    RECON_SO3_LAMBDA,  /* a matrix for the mode of the neighbours' moments, its nearest rotation */
    RECON_SO3_THETA,   /* F about that mode, by the neighbours' moments */
    RECON_SO3_SUPPORT, /* F of the poses before centring */
    RECON_SO3_DENSITY, /* F of the poses, and a background's logit */
    RECON_SO3_MIXTURE, /* the same of several parts: F of each, then their shares */
    RECON_SO3_VERDICT, /* the probability of each verdict of the neighbours */
    RECON_SO3_HEADS
} recon_so3_head;

extern const recon_head_kind recon_so3_heads[RECON_SO3_HEADS];
/* Lambda and Theta as separate networks, which learn by squared errors at full size. */
extern const recon_head_kind recon_so3_networks[RECON_SO3_THETA + 1];

/* Makes the pseudo-labels, with F in units of the number, the median length of F. */
recon_status recon_so3_targets(recon_ctx *ctx, recon_targets *out, const recon_embedded *data,
                               const recon_frames *frames);

#endif
