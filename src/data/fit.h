/* fit.h (private) - resizes a picture to fill another frame row by row, so that a large one need
 * not be in memory. What is outside the frame is cut off on both sides. */
#ifndef DATA_FIT_H
#define DATA_FIT_H

#include <stddef.h>
#include <recon/core/ctx.h>

typedef struct recon_fit recon_fit;

/* Receives row p of the result, [width][channels]; rows come in order. */
typedef void recon_fit_emit(void *user, size_t p, const float *row);

typedef struct {
    size_t height, width;
} recon_frame;

/* The shorter side of `in` will fill `out`. */
recon_status recon_fit_new(recon_ctx *ctx, recon_fit **fit, recon_frame out, recon_frame in,
                           size_t channels, recon_fit_emit *emit, void *user);
/* Adds row y of the picture, [width][channels], from the first to the last. */
void recon_fit_row(recon_fit *fit, size_t y, const float *row);
void recon_fit_free(recon_fit *fit);

#endif
