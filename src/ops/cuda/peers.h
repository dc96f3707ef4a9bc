/* peers.h - what a context on the GPU has of its peers: see nccl.cu. */
#ifndef OPS_CUDA_PEERS_H
#define OPS_CUDA_PEERS_H

#include "ops/cuda/state.h"

/* Before the context goes. */
void nccl_leave(recon_cuda *state);

#endif
