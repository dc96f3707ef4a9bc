/* peers.h - training over ranks with a device each: every rank has a part of each batch, and
 * gradients, one block of all parameters, are summed over ranks.
 *
 * Norms and contrastive losses see a rank's own part, as if one process had split the batch. Sums
 * go from device to device (ops/peers.h), or, if that is not possible, through host memory and MPI.
 *
 * The block is cut into a few buckets, of whole parameters. A bucket is summed as soon as the
 * gradients of all of its parameters are complete, while the backward pass goes on. */
#ifndef NN_PEERS_H
#define NN_PEERS_H

#include <recon/nn/checkpoint.h>
#include <recon/nn/train.h>
#include "ops/peers.h"
#include "nn/params.h"
#include "ops/slices.h"

enum { RECON_PEERS_BUCKETS = 4 };
#define RECON_PEERS_BUCKET ((size_t)1 << 16) /* numbers, at least: smaller sums are all latency */

typedef struct {
    size_t begin, end; /* numbers of the block */
    size_t waits;      /* for so many parameters; 0: its sum has begun */
} recon_bucket;

typedef struct {
    int size;                      /* 1: no peers, and nothing is done */
    const recon_peer_table *table; /* NULL: through the hosts */
    float *all;                    /* [size][room] for that */
    size_t room;
    recon_bucket bucket[RECON_PEERS_BUCKETS];
    size_t buckets;
} recon_peers;

/* Close always. */
recon_status recon_peers_open(recon_ctx *ctx, recon_peers *out);
void recon_peers_close(recon_peers *peers);

/* Called as a backward pass begins; as the gradient of a parameter is complete (those of other
 * networks are ignored); and at its end: then gradients are their sum over ranks, and buffers (the
 * statistics of norms) their mean. */
void recon_peers_begin(recon_peers *peers, const recon_params *params);
recon_status recon_peers_ready(recon_ctx *ctx, recon_peers *peers, const recon_params *params,
                               const recon_param *param);
recon_status recon_peers_finish(recon_ctx *ctx, recon_peers *peers, recon_params *params);

/* --- Sharing a training: settings that the ranks must agree on, and copying the state of rank 0 to
 * all. In one process nothing is done. */

/* RECON_ERR_INPUT where there are more ranks than a batch of so many units has parts. */
recon_status recon_ranks_fit(recon_ctx *ctx, size_t units);

/* Decides how ranks share a trainee's batches. If they are cut into slices, *cut is this rank's
 * part, else it is zero and *part is this rank's part of a batch. Several ranks become *peers. It
 * fails if they cannot share a batch, or if their settings, which include the data, differ. */
recon_status recon_ranks_begin(recon_ctx *ctx, recon_slices *cut, recon_peers *peers,
                               recon_slice *part, const recon_trainee *it, const char *settings);

/* Copy weights and buffers of rank 0; the second also the optimiser's blocks and the numbers. */
recon_status recon_ranks_weights(recon_ctx *ctx, recon_params *params);
recon_status recon_ranks_state(recon_ctx *ctx, recon_adam *adam, recon_checkpoint *at);

#endif
