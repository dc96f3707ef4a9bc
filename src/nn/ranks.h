/* ranks.h - a training that several ranks share: what they must agree on, and rank 0's state at all
 * of them. In one process nothing is done. */
#ifndef NN_RANKS_H
#define NN_RANKS_H

#include <recon/nn/checkpoint.h>
#include <recon/nn/train.h>
#include "nn/peers.h"
#include "ops/slices.h"

/* RECON_ERR_INPUT where there are more ranks than a batch of so many units has parts. */
recon_status recon_ranks_fit(recon_ctx *ctx, size_t units);

/* Whether a trainee's batches are cut into slices: *cut is this rank's part, or all zero. Where they are
 * not, *part is this rank's part of a batch. Several ranks become *peers; those that cannot share a batch
 * fail, as do those with other settings, of which the data are one. */
recon_status recon_ranks_begin(recon_ctx *ctx, recon_slices *cut, recon_peers *peers,
                               recon_slice *part, const recon_trainee *it, const char *settings);

/* Weights and buffers of rank 0; and beside them the optimiser's blocks and the numbers. */
recon_status recon_ranks_weights(recon_ctx *ctx, recon_params *params);
recon_status recon_ranks_state(recon_ctx *ctx, recon_adam *adam, recon_checkpoint *at);

#endif
