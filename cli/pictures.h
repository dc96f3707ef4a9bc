/* pictures.h - rotates picture files at their own size. */
#ifndef CLI_PICTURES_H
#define CLI_PICTURES_H

#include "core/threads.h"
#include "data/image.h"
#include <recon/recon.h>

/* How pictures are rotated. Threads that share a budget hold no more pixels than it allows. */
typedef struct {
    recon_interpolation interpolation;
    size_t most; /* bytes that the pixels of one picture may take, 0 for the default */
    recon_budget *budget;
    int quality;     /* of JPEG; 0: the default */
    recon_fill fill; /* what comes into the frame */
    int keep_all;    /* the frame is enlarged, so that no corner is cut */
    int link;        /* what stays as it is becomes a hard link where that can be */
} cli_rotation;

/* Rotates the picture in a file counter-clockwise by an angle, once, and writes it with the same
 * channels and depth, and in the same size unless all is kept: as JPEG or TIFF if `to` is called
 * so, else as PNG. JPEG keeps the EXIF data and ICC profile of a JPEG, upright now. Where nothing
 * has to be done the file is copied as it is. */
recon_status cli_picture_rotate(recon_ctx *ctx, const char *to, const char *from, double angle,
                                const cli_rotation *how);

/* The same for n pages of a TIFF file, from[i] each a FILE#N, into one file. */
recon_status cli_pages_rotate(recon_ctx *ctx, const char *to, const char *const *from,
                              const double *angle, size_t n, const cli_rotation *how);

/* Floats of 0 to 1, height x width x channels, as PNG of 8 bits. */
recon_status cli_picture_write(recon_ctx *ctx, const char *to, const float *x, size_t height,
                               size_t width, size_t channels);

#endif
