/* heads.h (private) - the four heads of SO(2). Their bundle's number is the family of Theta. */
#ifndef MAPS_HEADS_H
#define MAPS_HEADS_H

#include <recon/maps/so2_map.h>
#include "maps/head.h"

typedef enum {
    RECON_HEAD_LAMBDA,  /* a direction                            */
    RECON_HEAD_THETA,   /* a width                                */
    RECON_HEAD_SUPPORT, /* the ends a, b of an arc                */
    RECON_HEAD_DENSITY, /* a mixture, as RECON_LOSS_VONMISES has it */
    RECON_HEADS
} recon_head;

extern const recon_head_kind recon_heads[RECON_HEADS];

#endif
