/* maps.h (private) - the networks behind recon_maps. */
#ifndef MAPS_MAPS_H
#define MAPS_MAPS_H

#include <recon/maps/maps.h>
#include "maps/bundle.h"
#include "maps/heads.h"

struct recon_maps {
    recon_bundle bundle; /* its number is the family of Theta */
};

/* New networks; the family and the calibration are yet to be set. */
recon_status recon_maps_new(recon_ctx *ctx, recon_maps **out, size_t d, size_t hidden,
                            double dropout, uint64_t seed);

/* What a p-value is made of; the sharpness is that of the part that has the largest share in the
 * density at psi. */
recon_tail_point recon_so2_tail_point(const recon_so2_map *map, double psi);

#endif
