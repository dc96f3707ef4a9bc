/* checkpoint.h - saves and restores the state of a training, so that a resumed run has the same
 * results as one that never stopped.
 *
 * One safetensors file holds weights, buffers, the optimiser's moments, the average, and the
 * numbers below. All random draws are functions of seed and step, so there is no other state. The
 * file appears complete or not at all; if the disk is full, the previous one remains. */
#ifndef RECON_NN_CHECKPOINT_H
#define RECON_NN_CHECKPOINT_H

#include <recon/nn/adam.h>

typedef struct {
    uint64_t step;        /* steps done */
    uint64_t steps;       /* steps of the whole run; 0: a file of version 0.1.0 */
    uint64_t from;        /* the step at which the learning rate and the moments started */
    uint64_t parts;       /* the number of parts that a batch is split into; 0: not split */
    uint64_t stale;       /* validations since the best one */
    double best;          /* the best metric; lower is better; HUGE_VAL: none so far */
    const char *settings; /* the settings of the run, as text; not NULL */
    int due;              /* 1: the validation after this step is still to be made */
} recon_checkpoint;

/* Saves adam's parameters and moments and the state to path, with a checksum. Numbers that are not
 * finite are RECON_ERR_NUMERIC, and the previous file is kept. */
RECON_API recon_status recon_checkpoint_save(recon_ctx *ctx, const char *path,
                                             const recon_adam *adam, const recon_checkpoint *state);

/* Restores adam and its parameters. state->settings holds the settings of this run, such as "batch:
 * 64, rate: 0.002", which include the identity of the data. A file with other settings is
 * RECON_ERR_MISMATCH, and the message names the differences; only the number of epochs may differ.
 * A wrong checksum is RECON_ERR_FORMAT; a file of version 0.1.0 has none and is read. */
RECON_API recon_status recon_checkpoint_load(recon_ctx *ctx, recon_adam *adam,
                                             recon_checkpoint *state, const char *path);

#endif
