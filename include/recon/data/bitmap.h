/* bitmap.h - pictures in memory, of any size and depth: shrink one for a model, and rotate it.
 *
 * A model takes small images of one size. A larger picture is copied to that size, in the way that
 * a folder of pictures (images:) is read. The pose found there holds for the picture, which is then
 * rotated once, at its own size. */
#ifndef RECON_DATA_BITMAP_H
#define RECON_DATA_BITMAP_H

#include <recon/core/array.h>
#include <recon/data/dataset.h>

typedef struct {
    size_t height, width, channels; /* channels: 1 grey, 3 colour, or others; alpha included */
    int alpha;                      /* 1: the last channel is alpha */
    recon_dtype dtype;              /* RECON_U8, RECON_U16 or RECON_F32; white is 255, 65535 or 1 */
    const void *samples;            /* height x width x channels, row 0 on top */
} recon_bitmap;

/* Reads a picture file of any format that a folder of pictures may hold, upright as its EXIF says, in 8
 * or 16 bits. Free it with recon_bitmap_free. */
RECON_API recon_status recon_bitmap_read(recon_ctx *ctx, recon_bitmap *out, const char *path);
RECON_API void recon_bitmap_free(recon_bitmap *bitmap);

/* Writes the picture as a model of height x width x channels sees it to out, floats from 0 to 1. As
 * when recon_dataset_open_with reads a file, the shorter side is fitted and the longer one is cut
 * off; crop is that option. Grey and colour are converted into each other. Floats that have the
 * size already are copied unchanged. RECON_ERR_INPUT if the sizes differ and height is not width,
 * for any other difference in channels, and for samples that are not finite. */
RECON_API recon_status recon_bitmap_see(recon_ctx *ctx, float *out, size_t height, size_t width,
                                        size_t channels, int crop, const recon_bitmap *in);

/* Rotates the picture about its centre, as recon_image_rotate does, with zeros outside. out has the
 * size and type of the picture and must not be its samples. Integers are rounded, and colours are
 * interpolated premultiplied by alpha. Sizes, channels and types that recon_bitmap_see refuses are
 * RECON_ERR_INPUT. */
RECON_API recon_status recon_bitmap_rotate(recon_ctx *ctx, void *out, const recon_bitmap *in,
                                           double angle, recon_interpolation interpolation);

#endif
