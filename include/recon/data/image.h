/* image.h - one image, turned or warped: plain C, for whatever is not on a tape.
 *
 * An image is height x width x channels floats, row 0 on top. Places are measured in pixels from
 * its middle, x to the right and y up, between pixel centres; outside there are zeros. The op
 * `rotate` turns the same way. */
#ifndef RECON_DATA_IMAGE_H
#define RECON_DATA_IMAGE_H

#include <stddef.h>
#include <recon/core/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    RECON_BILINEAR,
    RECON_BICUBIC /* Keys' cubic convolution with a = -1/2, which is Catmull-Rom's spline: sharper,
                     and may leave the range of the pixels */
} recon_interpolation;

/* p -> matrix p + shift */
typedef struct {
    double matrix[2][2];
    double shift[2];
} recon_affine;

/* Counter-clockwise as seen on screen by angle radians, about the middle. out is not in. */
RECON_API void recon_image_turn(float *out, const float *in, size_t height, size_t width,
                                size_t channels, double angle, recon_interpolation interpolation);

/* One resampling by any affine map: out shows at p what in shows at source(p). A place that is not
 * finite is outside. Sides are at most 2^24. */
RECON_API void recon_image_warp(float *out, const float *in, size_t height, size_t width,
                                size_t channels, const recon_affine *source,
                                recon_interpolation interpolation);

/* in, height x width, made as large as fits into out, size x size, in its middle, zeros beside it.
 * Smaller pixels are averaged (a triangle as wide as two pixels of out), so
 * that nothing aliases. */
RECON_API void recon_image_fit(float *out, size_t size, const float *in, size_t height,
                               size_t width, size_t channels);

/* The source of a turn by angle, as recon_image_warp takes it. */
RECON_API recon_affine recon_image_turn_source(double angle);

#ifdef __cplusplus
}
#endif
#endif
