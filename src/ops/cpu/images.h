/* images.h - kernels that take one image at a time: as floats, a task each. */
#ifndef OPS_CPU_IMAGES_H
#define OPS_CPU_IMAGES_H

#include "ops/ops.h"

/* n is the image; x [h][w][c] is read and y [p][q][c] overwritten. */
typedef void recon_image_kernel(const void *args, size_t n, float *y, const float *x);
recon_status recon_images(recon_ctx *ctx, recon_image_kernel *kernel, const void *args,
                          const recon_tensor *y, const recon_tensor *x);

/* y[c] = or += a x[c] */
static inline void recon_scaled(float *restrict y, float a, const float *restrict x, size_t c)
{
    for (size_t i = 0; i < c; i++)
        y[i] = a * x[i];
}
static inline void recon_add_scaled(float *restrict y, float a, const float *restrict x, size_t c)
{
    for (size_t i = 0; i < c; i++)
        y[i] += a * x[i];
}

#endif
