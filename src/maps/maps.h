/* maps.h (private) - the networks behind recon_maps and what is kept with them. */
#ifndef MAPS_MAPS_H
#define MAPS_MAPS_H

#include <recon/maps/maps.h>
#include <recon/nn/layers.h>
#include "maps/calibration.h"
#include "maps/heads.h"

enum { RECON_MAPS_ROWS = 1024 }; /* of a pass */

struct recon_maps {
    recon_maps_info info;
    recon_params *params;
    recon_mlp head[RECON_HEADS];
    struct { /* buffers in params, which files hold */
        recon_param *mean, *scale, *quantiles, *scores, *family;
    } kept;
    double *mean, *scale; /* [d], the same in host memory */
    recon_calibration calibration;
};

/* New networks; info.family and the calibration are yet to be set. */
recon_status recon_maps_new(recon_ctx *ctx, recon_maps **out, size_t d, size_t hidden,
                            double dropout, uint64_t seed);

/* Writes mean, scale, calibration and family to their buffers, so that they are saved. */
recon_status recon_maps_keep(recon_ctx *ctx, recon_maps *maps);

#endif
