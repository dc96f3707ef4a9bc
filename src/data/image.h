/* image.h (private) - operations on images: rotations of integer pictures, and warps. */
#ifndef DATA_PRIVATE_IMAGE_H
#define DATA_PRIVATE_IMAGE_H

#include <recon/core/ctx.h>
#include "core/pixels.h"
#include <recon/data/bitmap.h>
#include <recon/data/dataset.h>

/* The outside of a picture: zero, which is transparent if there is alpha; the nearest edge pixel;
 * or an opaque colour. */
typedef struct {
    enum { RECON_FILL_ZERO, RECON_FILL_EDGE, RECON_FILL_COLOUR } kind;
    uint8_t colour[3]; /* red, green, blue; in grey their luminance */
} recon_fill;

typedef struct {
    double angle;
    recon_interpolation interpolation;
    recon_fill fill;
    size_t height, width; /* of the result, with the same centre; 0: as the picture's */
} recon_pixels_rotation;

/* Computes n rows of the picture rotated as by recon_image_rotate, from row `first` on. Colours are
 * weighted by alpha. Blocks of some tens of rows are fastest. An angle of 0 copies them. */
void recon_pixels_rotate(uint8_t *out, const recon_pixels *in, const recon_pixels_rotation *how,
                         size_t first, size_t n);

/* Computes the smallest frame that holds the whole rotated picture. */
void recon_pixels_frame(size_t *height, size_t *width, const recon_pixels *in, double angle);

/* Rotates n images, several at a time: out[i] is in[from[i]], or in[i] if from is NULL, rotated by
 * angle[i]. edge: fill the outside with the nearest edge pixel; 0: with zeros. */
typedef struct {
    size_t height, width, channels;
} recon_image_size;
recon_status recon_images_rotate(recon_ctx *ctx, float *out, const float *in, const size_t *from,
                                 const double *angle, size_t n, const recon_image_size *size,
                                 recon_interpolation interpolation, int edge);

/* Returns whether a network can take a pixel: it is finite and its absolute value is at most
 * RECON_PIXEL_MOST. RECON_PIXEL_RULE is for the message. */
static inline int recon_pixel_fits(float pixel)
{
    return pixel >= (float)-RECON_PIXEL_MOST && pixel <= (float)RECON_PIXEL_MOST;
}
#define RECON_PIXEL_RULE "pixels are finite numbers, at most 1e12"

/* RECON_ERR_INPUT for an invalid size, number of channels or type. */
recon_status recon_bitmap_check(recon_ctx *ctx, const recon_bitmap *in);

/* p -> matrix p + shift */
typedef struct {
    double matrix[2][2];
    double shift[2];
} recon_affine;

/* Resamples by an affine map: out at p is in at source(p). Positions that are not finite are
 * outside. Sides are at most 2^24. */
void recon_image_warp(float *out, const float *in, size_t height, size_t width, size_t channels,
                      const recon_affine *source, recon_interpolation interpolation);

/* Fills the pixels of out, made by recon_image_warp, that are outside of in with edge pixels. */
void recon_image_fill_edge(float *out, const float *in, size_t height, size_t width,
                           size_t channels, const recon_affine *source,
                           recon_interpolation interpolation);

/* Scales in, height x width, to fit into the middle of out, size x size, with zeros beside it. When
 * shrinking, pixels are averaged (a triangle as wide as two of out), without aliasing. */
void recon_image_fit(float *out, size_t size, const float *in, size_t height, size_t width,
                     size_t channels);

/* The source of a rotation by angle, as recon_image_warp takes it. */
recon_affine recon_image_rotate_source(double angle);

#endif
