/* checkpoint.h - everything a run needs to go on as if it had never stopped, in one safetensors
 * file: weights, buffers, the optimiser's moments, the average, and the numbers below. All random
 * draws are functions of seed and step, so there is no other state. The file appears complete or
 * not at all: a full disk leaves the one before. */
#ifndef RECON_NN_CHECKPOINT_H
#define RECON_NN_CHECKPOINT_H

#include <recon/nn/adam.h>

typedef struct {
    uint64_t step;        /* steps done                                          */
    uint64_t steps;       /* to be done, in all; 0: a file of version 0.1.0      */
    uint64_t from;        /* the step at which learning rate and moments began   */
    uint64_t parts;       /* that a batch is split into; 0: it is not            */
    uint64_t stale;       /* validations since the best one                      */
    double best;          /* its metric; lower is better; HUGE_VAL: none so far  */
    const char *settings; /* what the run was started with, in words; not NULL   */
    int due;              /* the validation after this step has not been made    */
} recon_checkpoint;

/* The parameters that adam has, its moments and the state, to path, with a check sum. Numbers that
 * are not finite are RECON_ERR_NUMERIC, and the file before stays. */
RECON_API recon_status recon_checkpoint_save(recon_ctx *ctx, const char *path,
                                             const recon_adam *adam, const recon_checkpoint *state);

/* Into adam and its parameters. A file of other settings, the identity of the data among them, is
 * RECON_ERR_MISMATCH, and the message names those that differ: state->settings is what this run
 * has, "batch: 64, rate: 0.002". The number of epochs may differ. One that does not agree with its
 * check sum is damaged, RECON_ERR_FORMAT; one without, as version 0.1.0 wrote them, is read. */
RECON_API recon_status recon_checkpoint_load(recon_ctx *ctx, recon_adam *adam,
                                             recon_checkpoint *state, const char *path);

#endif
