/* standard.c - columns at mean 0 and variance 1. */
#include "maps/standard.h"

#include <math.h>

recon_status recon_embeddings_check(recon_ctx *ctx, const float *z, size_t n, size_t d)
{
    for (size_t i = 0; i < n * d; i++)
        if (!isfinite(z[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "embedding %zu: element %zu is %g", i / d,
                              i % d, (double)z[i]);
    return RECON_OK;
}

void recon_standard_find(double *mean, double *scale, const float *z, size_t n, size_t d)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++)
            mean[j] += (double)z[i * d + j] / (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++) {
            double x = (double)z[i * d + j] - mean[j];
            scale[j] += x * x / (double)n;
        }
    for (size_t j = 0; j < d; j++) {
        double deviation = sqrt(scale[j]), rounding = fmax(1e-6 * fabs(mean[j]), 1e-30);
        scale[j] = deviation > rounding ? (double)(float)(1 / deviation) : 0;
        mean[j] = (double)(float)mean[j];
    }
}

void recon_standardize(float *out, const float *z, size_t n, size_t d, const double *mean,
                       const double *scale)
{
    for (size_t i = 0; i < n; i++, out += d, z += d)
        for (size_t j = 0; j < d; j++)
            out[j] = (float)(((double)z[j] - mean[j]) * scale[j]);
}
