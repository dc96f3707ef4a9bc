/* pnm.h - the plainest pictures: PGM and PPM, as text (P2, P3) or bytes (P5, P6).
 *
 * Values are scaled from 0 .. maxval to 0 .. 255, or to 16 bits where maxval is above 255. Of a
 * file that holds several pictures the first is read. */
#ifndef CORE_PNM_H
#define CORE_PNM_H

#include "core/pixels.h"

/* The picture in a file. */
recon_status recon_pnm_read(recon_ctx *ctx, recon_pixels *out, const char *path);
/* The same of size bytes in memory; name is for messages. On failure *out is zeroed. */
recon_status recon_pnm_decode(recon_ctx *ctx, recon_pixels *out, const void *bytes, size_t size,
                              const char *name);

#endif
