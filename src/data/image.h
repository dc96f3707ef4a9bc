/* image.h (private) - pictures of whole numbers, turned without a copy in floats. */
#ifndef DATA_PRIVATE_IMAGE_H
#define DATA_PRIVATE_IMAGE_H

#include <recon/core/pixels.h>
#include <recon/data/image.h>

/* Row y of the picture turned as recon_image_turn does. Colours count by their alpha. Outside is
 * transparent where there is alpha, else zero. scratch [width * channels] holds nothing between
 * calls. */
void recon_pixels_turn_row(uint8_t *out, float *scratch, const recon_pixels *in, double angle,
                           size_t y, recon_interpolation interpolation);

#endif
