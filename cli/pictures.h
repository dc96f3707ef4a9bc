/* pictures.h - picture files rotated at their own size. */
#ifndef CLI_PICTURES_H
#define CLI_PICTURES_H

#include "core/budget.h"
#include <recon/recon.h>

/* Rotates the picture in a file counter-clockwise by an angle, once, and writes it as PNG of the same
 * size, channels and depth. Of all threads that share the budget no more pixels are in memory than
 * it allows. most: bytes that those of one picture may take, 0 for the default. */
typedef struct {
    recon_interpolation interpolation;
    size_t most;
    recon_budget *budget;
} cli_rotation;
recon_status cli_picture_rotate(recon_ctx *ctx, const char *to, const char *from, double angle,
                                const cli_rotation *how);

/* The file as it is. */
recon_status cli_picture_copy(recon_ctx *ctx, const char *to, const char *from);

/* Floats of 0 to 1, height x width x channels, as PNG of 8 bits. */
recon_status cli_picture_write(recon_ctx *ctx, const char *to, const float *x, size_t height,
                               size_t width, size_t channels);

#endif
