/* attach.h - what the rest of the library sees of cuda/: no CUDA header is needed to read it. */
#ifndef OPS_CUDA_ATTACH_H
#define OPS_CUDA_ATTACH_H

#include "ops/graph.h"
#include "ops/ops.h"
#include "ops/peers.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const recon_ops recon_ops_cuda;
extern const recon_graph_table recon_cuda_graphs;
extern const recon_peer_table recon_cuda_peers;

/* Opens a GPU for this context: a stream, cuBLAS, cuDNN. Processes of one machine count their places
 * from 0, and take the GPUs in turn. RECON_ERR_UNSUPPORTED, with the driver's words, when there is
 * none. */
recon_status recon_cuda_open(recon_ctx *ctx, int place);

/* Convolutions seen from now on are timed with every deterministic plan cuDNN offers, and the
 * fastest is kept; otherwise the first one its heuristics name. The heuristics choose alike in each
 * run, a stopwatch does not. */
void recon_cuda_tune(recon_ctx *ctx, int on);

#ifdef __cplusplus
}
#endif
#endif
