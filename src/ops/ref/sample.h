/* sample.h - bilinear samples of an image: what resizing and rotation share. */
#ifndef OPS_REF_SAMPLE_H
#define OPS_REF_SAMPLE_H

#include "ops/ref/ref.h"

/* The four pixels around a place, by their offset in the image in pixels (row * width + col), and
 * their weights; a pixel outside has weight 0 and offset 0. */
typedef struct {
    size_t at[4]; /* top left, top right, bottom left, bottom right */
    double weight[4];
} recon_sample;

static inline double recon_sample_value(const recon_sample *s, const recon_tensor *x, size_t base,
                                        size_t channels, size_t channel)
{
    double sum = 0;
    for (int k = 0; k < 4; k++)
        if (s->weight[k] != 0)
            sum += s->weight[k] * recon_ref_get(x, base + s->at[k] * channels + channel);
    return sum;
}

/* The adjoint of sampling whole images: dx, image by image, from dy. sample gives the place in x of
 * pixel p, q of image n of y. */
typedef recon_sample recon_sampler(const void *args, size_t n, size_t p, size_t q);
recon_status recon_ref_unsample(recon_ctx *ctx, const recon_tensor *dx, const recon_tensor *dy,
                                recon_sampler *sampler, const void *args);

/* And sampling itself. */
recon_status recon_ref_sample(recon_ctx *ctx, const recon_tensor *y, const recon_tensor *x,
                              recon_sampler *sampler, const void *args);

#endif
