/* adam.h - Adam with decoupled decay (AdamW: Loshchilov and Hutter, ICLR 2019), gradients clipped
 * by their norm, and a running average of the weights. */
#ifndef RECON_NN_ADAM_H
#define RECON_NN_ADAM_H

#include <recon/nn/params.h>

typedef struct recon_adam recon_adam;

/* Zero in any field means its default. */
typedef struct {
    double b1, b2, eps; /* 0.9, 0.999, 1e-8                                       */
    double decay;       /* of the weights, times the rate; 0: none                */
    double clip;        /* largest norm of the gradient over all weights; 0: none */
    double average;     /* weights kept as average a + (1 - a) w; 0: none         */
} recon_adam_options;

/* params is lent and must live as long. */
RECON_API recon_status recon_adam_new(recon_ctx *ctx, recon_adam **out, recon_params *params,
                                      const recon_adam_options *options);
RECON_API void recon_adam_free(recon_ctx *ctx, recon_adam *adam);

/* One step along the gradients. */
RECON_API recon_status recon_adam_update(recon_ctx *ctx, recon_adam *adam, double rate);

/* Exchanges the weights and their average: once to validate or save, once more to go on. Does
 * nothing without an average. */
RECON_API recon_status recon_adam_swap(recon_ctx *ctx, recon_adam *adam);

#endif
