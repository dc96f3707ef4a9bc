/* image_maps.h (private) - Lambda and Theta as the paper has them: two networks of their own on the
 * images, each a steerable encoder like the backbone's with an MLP of two layers behind its code,
 * trained on the pseudo-labels of Algorithm 1. In recon_maps they stand in the place of the first two
 * heads on z.
 *
 * Two more passes over every image, where the heads on z cost next to nothing. The recipe is the
 * paper's: batches of 128, Adam at 1.35e-4 with warm restarts (nn/restarts.h), squared errors, that of
 * Lambda weighted by 0.25. What is ours: Lambda is a unit vector and not a bare angle, which jumps;
 * images are seen as the backbone sees them, rotated at random while training; and there are fewer
 * epochs than the paper's 600. */
#ifndef MAPS_IMAGE_MAPS_H
#define MAPS_IMAGE_MAPS_H

#include <recon/core/safetensors.h>
#include <recon/maps/maps.h>
#include <recon/nn/params.h>
#include "backbone/ieae.h"
#include "maps/kind.h"
#include "maps/so2_map.h"

enum { RECON_IMAGE_NETS = 2 }; /* Lambda and Theta, the first of recon_so2_heads */

typedef struct recon_image_maps recon_image_maps;

/* Fits the networks to the targets of the images of data. They have the backbone's shape and its
 * precision. The points held out are those of the heads on z. Of the options the defaults are hidden
 * 256, 60 epochs (of a few images as many as make 600 steps) of 128, rate 1.35e-4, no decay; there is no
 * dropout. The backbone is lent and must outlive the maps; like them it may serve many threads. */
recon_status recon_image_maps_fit(recon_ctx *ctx, recon_image_maps **out,
                                  const recon_ieae *backbone, const recon_dataset *data,
                                  const recon_targets *targets, const recon_maps_options *options);
void recon_image_maps_free(recon_ctx *ctx, recon_image_maps *maps);

/* To be saved beside the backbone's: lambda_image.*, theta_image.*. Lent. _read takes them from an open
 * file, for the same backbone; path is for messages. */
const recon_params *recon_image_maps_params(const recon_image_maps *maps);
recon_status recon_image_maps_read(recon_ctx *ctx, recon_image_maps **out,
                                   const recon_ieae *backbone, const recon_safetensors *file,
                                   const char *path);

size_t recon_image_maps_pixels(const recon_image_maps *maps); /* numbers of an image */

/* What those of the networks say that are among `heads`, bits of recon_so2_heads, of n images. The
 * other fields of out are left as they are. An image with a pixel that is not finite gives NaN. */
recon_status recon_image_maps_apply(recon_ctx *ctx, recon_so2_map *out /* [n] */,
                                    const recon_image_maps *maps, unsigned heads,
                                    const float *images, size_t n);

#endif
