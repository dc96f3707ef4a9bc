/* times.h - what canonicalising costs. */
#ifndef RECON_APPS_TIMES_H
#define RECON_APPS_TIMES_H

#include <recon/apps/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double canonicalize_ms; /* an input: encoder, Lambda, one resampling (molecules: one motion) */
    double overhead_ms;     /* Lambda alone, given z: what centring adds, as the paper times it */
    size_t batch;
    int threads;
    const char *backend; /* recon_ops_name: lent by the context */
} recon_times;

/* In one batch of n >= 1 images, n x height x width x channels of the model's size: the fastest of
 * several rounds, after one that is not counted. */
RECON_API recon_status recon_times_measure(recon_ctx *ctx, recon_times *out,
                                           const recon_model *model, const float *images, size_t n);

#ifdef __cplusplus
}
#endif
#endif
