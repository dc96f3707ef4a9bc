/* image.h (private) - pictures of whole numbers, rotated without a copy in floats. */
#ifndef DATA_PRIVATE_IMAGE_H
#define DATA_PRIVATE_IMAGE_H

#include <recon/core/ctx.h>
#include <recon/core/pixels.h>
#include <recon/data/image.h>

/* n rows of the picture rotated as recon_image_rotate does, from row `first` on. Colours count by
 * their alpha. Outside is transparent where there is alpha, else zero. Some tens of rows at once
 * are fastest. */
void recon_pixels_rotate(uint8_t *out, const recon_pixels *in, double angle, size_t first, size_t n,
                         recon_interpolation interpolation);

/* n images rotated, several at a time: out [n] is in[from[i]], or in[i] where from is NULL, by
 * angle[i]. */
typedef struct {
    size_t height, width, channels;
} recon_image_size;
recon_status recon_images_rotate(recon_ctx *ctx, float *out, const float *in, const size_t *from,
                                 const double *angle, size_t n, const recon_image_size *size,
                                 recon_interpolation interpolation);

#endif
