/* png.h - PNG pictures, through libpng; without it every call is RECON_ERR_UNSUPPORTED.
 *
 * All kinds of PNG are read: palettes become colours, 16 bits become 8, and what is transparent is
 * laid over black. A file that asks for more pixels than its bytes can hold is refused before
 * anything is allocated for them. */
#ifndef RECON_CORE_PNG_H
#define RECON_CORE_PNG_H

#include <recon/core/pixels.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The picture in a file. */
RECON_API recon_status recon_png_read(recon_ctx *ctx, recon_pixels *out, const char *path);
/* The same of size bytes in memory; name is for messages. On failure *out is zeroed. */
RECON_API recon_status recon_png_decode(recon_ctx *ctx, recon_pixels *out, const void *bytes,
                                        size_t size, const char *name);

/* channels: 1, 3, or 4 with the last how opaque. The same pixels give the same bytes. The file
 * appears complete or not at all.
 */
RECON_API recon_status recon_png_write(recon_ctx *ctx, const char *path, const uint8_t *pixels,
                                       size_t height, size_t width, size_t channels);
/* The file in memory: free(*out). */
RECON_API recon_status recon_png_encode(recon_ctx *ctx, uint8_t **out, size_t *size,
                                        const uint8_t *pixels, size_t height, size_t width,
                                        size_t channels);

#ifdef __cplusplus
}
#endif
#endif
