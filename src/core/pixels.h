/* pixels.h - a picture as in its file: grey, colour or more channels, maybe alpha, of 8 or 16
 * bits. */
#ifndef CORE_PIXELS_H
#define CORE_PIXELS_H

#include <recon/core/ctx.h>

enum { RECON_PIXELS_SIDE = 1 << 16, RECON_PIXELS_CHANNELS = 32 }; /* the largest allowed */

typedef struct {
    size_t height, width, channels; /* 1 grey, 3 colour, or as many as a TIFF has; alpha included */
    uint8_t *bytes;                 /* height x width x channels samples; free() it */
    int deep;  /* 0: samples of 8 bits; 1: of 16, in the machine's byte order */
    int alpha; /* 1: the last channel is alpha, not premultiplied */
} recon_pixels;

/* Writes row y of a picture to out; row 0 is on top. */
typedef void recon_pixel_rows(const void *user, size_t y, uint8_t *out);

/* Bytes that the pixels take. */
static inline size_t recon_pixels_size(const recon_pixels *p)
{
    return p->height * p->width * p->channels * (p->deep ? 2 : 1);
}

/* A picture whose pixels take more than RECON_PIXELS_MOST bytes and more than RECON_PIXELS_RATIO
 * times its file is refused before it is allocated, so that a small file cannot ask for much. */
#define RECON_PIXELS_MOST  ((size_t)256 << 20)
#define RECON_PIXELS_RATIO 32

#endif
