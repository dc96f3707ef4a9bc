/* image_maps.h (private) - Lambda and Theta as the paper has them: two networks of their own on the
 * images, each a steerable encoder like the backbone's with an MLP of two layers behind its code,
 * trained on the same pseudo-labels as the heads of maps.h.
 *
 * Two more passes over every image, where the heads on z cost next to nothing: for comparison with
 * the paper. Lambda is a unit vector here too, and not the paper's bare angle, which jumps. */
#ifndef MAPS_IMAGE_MAPS_H
#define MAPS_IMAGE_MAPS_H

#include <recon/backbone/networks.h>
#include "maps/so2_map.h"

#include <recon/maps/maps.h>
#include <recon/nn/params.h>
#include "backbone/ieae.h"

typedef struct recon_image_maps recon_image_maps;

/* Fits the networks to the images of data, with the frames of their poses psi [n] (recon_normalize
 * without queries). They have the backbone's shape, its precision, and see images as it does. Of
 * the options the defaults are hidden 256, 30 epochs of 128, rate 1e-3, decay 0.01, a share of 0.1
 * held out; there is no dropout. The rest is as recon_maps_fit has it. options may be NULL. The
 * backbone is lent and must outlive the maps; like them it may serve many threads. */
recon_status recon_image_maps_fit(recon_ctx *ctx, recon_image_maps **out,
                                  const recon_ieae *backbone, const recon_dataset *data,
                                  const double *psi, const recon_frames *frames,
                                  const recon_maps_options *options);
void recon_image_maps_free(recon_ctx *ctx, recon_image_maps *maps);

/* To be saved beside the backbone's: lambda_image.*, theta_image.*. Lent. _open takes them from
 * such a file, for the same backbone. */
const recon_params *recon_image_maps_params(const recon_image_maps *maps);
recon_status recon_image_maps_open(recon_ctx *ctx, recon_image_maps **out,
                                   const recon_ieae *backbone, const char *path);

/* lambda, theta and family of n images; the other fields of out are left as they are. An image
 * with a pixel that is not finite gives NaN. */
recon_status recon_image_maps_apply(recon_ctx *ctx, recon_so2_map *out /* [n] */,
                                    const recon_image_maps *maps, const float *images, size_t n);

#endif
