/* jpeg.h - JPEG pictures, through libjpeg-turbo; without it every call is RECON_ERR_UNSUPPORTED.
 *
 * Grey and colour of 8 bits, upright: the orientation in EXIF is applied. CMYK is refused. So is a
 * file that asks for more pixels than its bytes can hold, before anything is allocated for them, and
 * one whose pixels are not all there. */
#ifndef CORE_JPEG_H
#define CORE_JPEG_H

#include "core/pixels.h"

enum { RECON_JPEG_QUALITY = 95 };

/* The picture in a file. */
recon_status recon_jpeg_read(recon_ctx *ctx, recon_pixels *out, const char *path);
/* The same of size bytes in memory; name is for messages. On failure *out is zeroed. */
recon_status recon_jpeg_decode(recon_ctx *ctx, recon_pixels *out, const void *bytes, size_t size,
                               const char *name);

typedef struct {
    int quality;       /* 1 to 100; 0: RECON_JPEG_QUALITY                                     */
    const void *bytes; /* of the JPEG file whose EXIF, ICC profile and density are kept, with the
                          orientation made 1; NULL: none                                      */
    size_t size;
} recon_jpeg_options;

/* A picture that need not be in memory: head says what it is like, 1 or 3 channels of 8 bits. The
 * file appears complete or not at all. options may be NULL. */
recon_status recon_jpeg_write_rows(recon_ctx *ctx, const char *path, const recon_pixels *head,
                                   recon_pixel_rows *rows, const void *user,
                                   const recon_jpeg_options *options);

#endif
