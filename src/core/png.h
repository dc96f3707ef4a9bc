/* png.h - PNG pictures, through libpng; without it every call is RECON_ERR_UNSUPPORTED.
 *
 * All kinds of PNG but animations are read: palettes become colours, transparency becomes alpha, 16 bits stay. A
 * file that asks for more pixels than its bytes can hold, or for more memory than pixels.h allows,
 * is refused before anything is allocated for them. */
#ifndef CORE_PNG_H
#define CORE_PNG_H

#include "core/pixels.h"

/* The picture in a file. */
recon_status recon_png_read(recon_ctx *ctx, recon_pixels *out, const char *path);
/* The same of size bytes in memory; name is for messages. On failure *out is zeroed. */
recon_status recon_png_decode(recon_ctx *ctx, recon_pixels *out, const void *bytes, size_t size,
                              const char *name);

/* channels: 1 grey, 3 colour; 2 and 4 the same and alpha. The same pixels give the same bytes. The file appears complete or
 * not at all. */
recon_status recon_png_write(recon_ctx *ctx, const char *path, const uint8_t *pixels, size_t height,
                             size_t width, size_t channels);
/* A picture that need not be in memory: head says what it is like, without bytes. */
recon_status recon_png_write_rows(recon_ctx *ctx, const char *path, const recon_pixels *head,
                                  recon_pixel_rows *rows, const void *user);
/* The file in memory: free(*out). */
recon_status recon_png_encode(recon_ctx *ctx, uint8_t **out, size_t *size, const uint8_t *pixels,
                              size_t height, size_t width, size_t channels);

#endif
