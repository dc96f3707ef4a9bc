/* pixels.h - a picture as picture files hold it: bytes, grey or red, green, blue. */
#ifndef RECON_CORE_PIXELS_H
#define RECON_CORE_PIXELS_H

#include <recon/core/ctx.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RECON_PIXELS_SIDE = 1 << 16 }; /* larger pictures are refused */

typedef struct {
    size_t height, width, channels; /* channels: 1 grey, 3 colour           */
    uint8_t *bytes;                 /* height x width x channels; free() it */
} recon_pixels;

#ifdef __cplusplus
}
#endif
#endif
