/* so3_heads.h (private) - the four heads of SO(3). Their bundle's number is the unit in which they
 * count F. */
#ifndef MAPS_SO3_HEADS_H
#define MAPS_SO3_HEADS_H

#include <recon/maps/so3_map.h>
#include "maps/head.h"

typedef enum {
    RECON_SO3_LAMBDA,  /* a matrix; the rotation nearest to it    */
    RECON_SO3_THETA,   /* F about Gamma                           */
    RECON_SO3_SUPPORT, /* F of the poses as they came             */
    RECON_SO3_DENSITY, /* F of the poses, and a background's logit */
    RECON_SO3_HEADS
} recon_so3_head;

extern const recon_head_kind recon_so3_heads[RECON_SO3_HEADS];

#endif
