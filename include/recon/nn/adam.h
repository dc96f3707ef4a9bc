/* adam.h - Adam with decoupled decay (AdamW: Loshchilov and Hutter, ICLR 2019), gradients clipped
 * by their norm, and a running average of the weights. */
#ifndef RECON_NN_ADAM_H
#define RECON_NN_ADAM_H

#include <recon/nn/params.h>

typedef struct recon_adam recon_adam;

/* Zero in any field means its default. */
typedef struct {
    double b1, b2, eps; /* 0: 0.9, 0.999, 1e-8 */
    double decay;       /* weight decay, times the rate; 0: none */
    double clip;        /* the largest norm of the gradient over all weights; 0: no limit */
    double average;     /* a, to keep an average of the weights: a average + (1 - a) w; 0: none */
} recon_adam_options;

/* Makes an optimiser for params, which must outlive it. */
RECON_API recon_status recon_adam_new(recon_ctx *ctx, recon_adam **out, recon_params *params,
                                      const recon_adam_options *options);
RECON_API void recon_adam_free(recon_ctx *ctx, recon_adam *adam);

/* Updates the weights by one step along the gradients. */
RECON_API recon_status recon_adam_update(recon_ctx *ctx, recon_adam *adam, double rate);

/* Exchanges the weights and their average: once to validate or save, and again to continue
 * training. Does nothing without an average. */
RECON_API recon_status recon_adam_swap(recon_ctx *ctx, recon_adam *adam);

#endif
