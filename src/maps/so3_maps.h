/* so3_maps.h (private) - the networks behind recon_so3_maps. */
#ifndef MAPS_SO3_MAPS_H
#define MAPS_SO3_MAPS_H

#include <recon/maps/so3_maps.h>
#include "maps/bundle.h"

struct recon_so3_maps {
    recon_bundle bundle; /* its number is the unit of F */
};

/* New networks; the unit and the calibration are yet to be set. */
recon_status recon_so3_maps_new(recon_ctx *ctx, recon_so3_maps **out, size_t d, size_t hidden,
                                double dropout, uint64_t seed);

/* What a p-value is made of. */
recon_tail_point recon_so3_tail_point(const recon_so3_map *map, recon_so3 psi);

#endif
