/* tiff.h - TIFF pictures, through libtiff (4.5 or later); without it every call that can fail is
 * RECON_ERR_UNSUPPORTED.
 *
 * Grey, colour and more channels, of 1, 2, 4, 8 or 16 bits, in strips or tiles; palettes become
 * colours; the orientation is applied. Alpha is the last channel, if the file says that it is alpha.
 * CMYK, floating point and rare compressions are refused, as is a page that asks for more pixels than
 * its bytes can hold. */
#ifndef CORE_TIFF_H
#define CORE_TIFF_H

#include "core/pixels.h"

/* The first picture in a file. */
recon_status recon_tiff_read(recon_ctx *ctx, recon_pixels *out, const char *path);
/* The same of size bytes in memory; name is for messages. On failure *out is zeroed. */
recon_status recon_tiff_decode(recon_ctx *ctx, recon_pixels *out, const void *bytes, size_t size,
                               const char *name);
/* How many pictures it has; 1 where it cannot be read. */
size_t recon_tiff_pages(const void *bytes, size_t size);

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct recon_tiff_writer recon_tiff_writer;

/* The page whose compression, if it is lossless, ICC profile, resolution and description are kept. */
typedef struct {
    const void *bytes;
    size_t size, page;
} recon_tiff_source;

/* size: bytes that all pixels will take, at most. Close always; the file appears complete, by commit,
 * or not at all. */
recon_status recon_tiff_writer_open(recon_ctx *ctx, recon_tiff_writer **out, const char *path,
                                    size_t size);
/* One more page: head says what it is like, without bytes. from may be NULL. */
recon_status recon_tiff_writer_add(recon_ctx *ctx, recon_tiff_writer *writer,
                                   const recon_pixels *head, recon_pixel_rows *rows,
                                   const void *user, const recon_tiff_source *from);
recon_status recon_tiff_writer_commit(recon_ctx *ctx, recon_tiff_writer *writer);
void recon_tiff_writer_close(recon_tiff_writer *writer);

#endif
