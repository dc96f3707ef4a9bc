/* image.h (private) - pictures of whole numbers, turned without a copy in floats. */
#ifndef DATA_PRIVATE_IMAGE_H
#define DATA_PRIVATE_IMAGE_H

#include <recon/core/pixels.h>
#include <recon/data/image.h>

/* n rows of the picture turned as recon_image_turn does, from row `first` on. Colours count by
 * their alpha. Outside is transparent where there is alpha, else zero. Some tens of rows at once
 * are fastest. */
void recon_pixels_turn(uint8_t *out, const recon_pixels *in, double angle, size_t first, size_t n,
                       recon_interpolation interpolation);

#endif
