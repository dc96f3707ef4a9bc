/* times.h - what canonicalizing costs. */
#ifndef LAB_TIMES_H
#define LAB_TIMES_H

#include <recon/core/ctx.h>
#include <recon/model/model.h>

typedef recon_status recon_work(recon_ctx *ctx, void *arg);

/* Seconds of the fastest of several rounds, after one that is not counted. */
recon_status recon_fastest(recon_ctx *ctx, double *seconds, recon_work *work, void *arg);

typedef struct {
    double canonicalize_ms; /* an input: encoder, Lambda, one resampling (molecules: one motion) */
    double overhead_ms;     /* Lambda alone, given z: what centring adds, as the paper times it */
    size_t batch;
    int threads;
    const char *backend; /* recon_ops_name: lent by the context */
} recon_times;

/* In one batch of n >= 1 inputs of the model's kind, whose canonical form takes so many bytes: the
 * fastest of several rounds, after one that is not counted. */
recon_status recon_times_measure(recon_ctx *ctx, recon_times *out, const recon_model *model,
                                 const void *inputs, size_t n, size_t bytes);

#endif
