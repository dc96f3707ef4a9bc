/* peers.h - ranks that train on devices of their own: each has a part of every batch, and what they
 * add up is the gradient, one block of all parameters.
 *
 * Norms and contrasts see a rank's own part, as where one process splits a batch. Sums go from device
 * to device (ops/peers.h), or, where that cannot be, through the hosts' memories and MPI. */
#ifndef NN_PEERS_H
#define NN_PEERS_H

#include "ops/peers.h"
#include "nn/params.h"

typedef struct {
    int size;                      /* 1: no peers, and nothing is done */
    const recon_peer_table *table; /* NULL: through the hosts */
    float *all;                    /* [size][room] for that */
    size_t room;
} recon_peers;

/* Close always. */
recon_status recon_peers_open(recon_ctx *ctx, recon_peers *out);
void recon_peers_close(recon_peers *peers);

/* Gradients become their sum over ranks, buffers (the statistics of norms) their mean. */
recon_status recon_peers_sum(recon_ctx *ctx, recon_peers *peers, recon_params *params);

#endif
