/* bitmap.h - a picture at hand, of any size and depth: what a model sees of it, and itself rotated.
 *
 * A model learns small images of one size. What it sees of a larger picture is a small copy, made as
 * a folder of pictures (images:) is read; the pose found there is that of the picture, which is then
 * rotated at its own size, once. */
#ifndef RECON_DATA_BITMAP_H
#define RECON_DATA_BITMAP_H

#include <recon/core/array.h>
#include <recon/data/dataset.h>

typedef struct {
    size_t height, width, channels; /* 1 grey, 3 colour, or others; alpha included                */
    int alpha;                      /* whether the last channel is alpha                          */
    recon_dtype dtype;   /* RECON_U8, RECON_U16 or RECON_F32, whose white is 255, 65535 or 1 */
    const void *samples; /* height x width x channels, row 0 on top                          */
} recon_bitmap;

/* To out, height x width x channels floats of 0 to 1, what a model of such images sees of it: the
 * shorter side fits, the longer one is cut, as recon_dataset_open_with does with a file; crop as
 * there. Grey and colour become each other. Floats that have the size already are not changed. Another
 * shape than a square for a picture of another size, other channels, and samples that are not finite
 * are RECON_ERR_INPUT. */
RECON_API recon_status recon_bitmap_see(recon_ctx *ctx, float *out, size_t height, size_t width,
                                        size_t channels, int crop, const recon_bitmap *in);

/* The picture rotated about its middle as recon_image_rotate does, zeros outside, to out, which is as
 * large. Whole numbers are rounded, and colours count by their alpha, as `recon canonicalize` has
 * them. Sizes, channels and types that recon_bitmap_see refuses are RECON_ERR_INPUT. out is not
 * in. */
RECON_API recon_status recon_bitmap_rotate(recon_ctx *ctx, void *out, const recon_bitmap *in,
                                           double angle, recon_interpolation interpolation);

#endif
