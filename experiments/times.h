/* times.h - what canonicalising costs. */
#ifndef EXPERIMENTS_TIMES_H
#define EXPERIMENTS_TIMES_H

#include <recon/model/molmodel.h>

typedef struct {
    double canonicalize_ms; /* an input: encoder, Lambda, one resampling (molecules: one motion) */
    double overhead_ms;     /* Lambda alone, given z: what centring adds, as the paper times it */
    size_t batch;
    int threads;
    const char *backend; /* recon_ops_name: lent by the context */
} recon_times;

/* In one batch of n >= 1 images, n x height x width x channels of the model's size: the fastest of
 * several rounds, after one that is not counted. */
recon_status recon_times_measure(recon_ctx *ctx, recon_times *out, const recon_model *model,
                                 const float *images, size_t n);
/* In one call with n >= 1 conformers: the fastest of several rounds, after one that is not counted.
 */
recon_status recon_times_measure_molecules(recon_ctx *ctx, recon_times *out,
                                           const recon_molmodel *model, const recon_conformer *x,
                                           size_t n);

#endif
