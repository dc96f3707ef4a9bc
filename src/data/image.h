/* image.h (private) - pictures of whole numbers, rotated without a copy in floats. */
#ifndef DATA_PRIVATE_IMAGE_H
#define DATA_PRIVATE_IMAGE_H

#include <recon/core/ctx.h>
#include "core/pixels.h"
#include <recon/data/bitmap.h>
#include <recon/data/dataset.h>

/* What lies outside of a picture: nothing, which is transparent where there is alpha, else zero; the
 * nearest pixel of its edge; or a colour, opaque. */
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

/* n rows of the picture rotated as recon_image_rotate does, from row `first` on. Colours count by
 * their alpha. Some tens of rows at once are fastest. By 0 they are copied. */
void recon_pixels_rotate(uint8_t *out, const recon_pixels *in, const recon_pixels_rotation *how,
                         size_t first, size_t n);

/* The smallest frame that all of a rotated picture fits into. */
void recon_pixels_frame(size_t *height, size_t *width, const recon_pixels *in, double angle);

/* n images rotated, several at a time: out [n] is in[from[i]], or in[i] where from is NULL, by
 * angle[i]. edge: outside of an image is the nearest pixel of its edge; 0: zero. */
typedef struct {
    size_t height, width, channels;
} recon_image_size;
recon_status recon_images_rotate(recon_ctx *ctx, float *out, const float *in, const size_t *from,
                                 const double *angle, size_t n, const recon_image_size *size,
                                 recon_interpolation interpolation, int edge);

/* Whether a network can take a pixel: it is finite, and not beyond RECON_PIXEL_MOST. The rule is for
 * the message. */
static inline int recon_pixel_fits(float pixel)
{
    return pixel >= (float)-RECON_PIXEL_MOST && pixel <= (float)RECON_PIXEL_MOST;
}
#define RECON_PIXEL_RULE "pixels are finite numbers, at most 1e12"

/* RECON_ERR_INPUT for a size, channels or a type that no picture has. */
recon_status recon_bitmap_check(recon_ctx *ctx, const recon_bitmap *in);

/* p -> matrix p + shift */
typedef struct {
    double matrix[2][2];
    double shift[2];
} recon_affine;

/* One resampling by any affine map: out shows at p what in shows at source(p). A place that is not
 * finite is outside. Sides are at most 2^24. */
void recon_image_warp(float *out, const float *in, size_t height, size_t width, size_t channels,
                      const recon_affine *source, recon_interpolation interpolation);

/* out, as recon_image_warp has made it, where it shows what lies outside of in: the nearest pixels of
 * the edge. */
void recon_image_fill_edge(float *out, const float *in, size_t height, size_t width,
                           size_t channels, const recon_affine *source,
                           recon_interpolation interpolation);

/* in, height x width, made as large as fits into out, size x size, in its middle, zeros beside it.
 * Smaller pixels are averaged (a triangle as wide as two pixels of out), so
 * that nothing aliases. */
void recon_image_fit(float *out, size_t size, const float *in, size_t height, size_t width,
                     size_t channels);

/* The source of a rotation by angle, as recon_image_warp takes it. */
recon_affine recon_image_rotate_source(double angle);

#endif
