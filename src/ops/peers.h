/* peers.h - sums over ranks between devices' own memories: NCCL between GPUs, one process for each.
 *
 * Ranks that share tensors by slices (slices.h) need none of these sums. */
#ifndef OPS_PEERS_H
#define OPS_PEERS_H

#include <stddef.h>
#include <recon/core/ctx.h>

enum { RECON_PEERS_ID = 128, RECON_PEERS_CARD = 64 };

typedef struct {
    /* Which device a context works on, told apart from every other one of the machine. */
    recon_status (*card)(recon_ctx *ctx, char out[RECON_PEERS_CARD]);
    /* Made at rank 0, and brought to all; then all join. RECON_ERR_UNSUPPORTED where the library
     * that carries the sums is not there. Once for a context. */
    recon_status (*make_id)(recon_ctx *ctx, unsigned char id[RECON_PEERS_ID]);
    recon_status (*join)(recon_ctx *ctx, const unsigned char id[RECON_PEERS_ID], int rank,
                         int size);
    /* x [n], in the device's memory, becomes the sum over all ranks, the same bits at all, in the order
     * that is fastest. It begins behind the kernels that were called before, and goes on beside those
     * that are called next; those behind sums_end find it done. In the same order at all ranks. Both may
     * be recorded in a graph, once they have been called outside of one. */
    recon_status (*sum)(recon_ctx *ctx, float *x, size_t n);
    recon_status (*sums_end)(recon_ctx *ctx);
} recon_peer_table;

/* NULL where the context's backend has none. */
const recon_peer_table *recon_ops_peers(recon_ctx *ctx);

#endif
