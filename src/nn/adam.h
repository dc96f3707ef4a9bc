/* adam.h (private) - the optimiser's blocks, for checkpoints and for captured steps. */
#ifndef NN_ADAM_H
#define NN_ADAM_H

#include <recon/nn/adam.h>
#include "nn/params.h"
#include "ops/ops.h"

struct recon_adam {
    recon_params *params;
    recon_adam_options options;
    uint64_t steps;
    char *m, *v, *average;   /* like params->weights */
    recon_adam_state *state; /* of this step, in the backend's memory */
    double *norm;
};

/* recon_adam_update in two parts: the first copies this step's numbers to the backend, the second
 * only runs kernels, the same in every step. */
recon_status recon_adam_prepare(recon_ctx *ctx, recon_adam *adam, double rate);
recon_status recon_adam_apply(recon_ctx *ctx, recon_adam *adam);

/* Resets the optimiser: no moments, and the average is the current weights. */
recon_status recon_adam_reset(recon_ctx *ctx, recon_adam *adam);

#endif
