/* gcn.h (private) - the network behind the classifier of molecules. */
#ifndef BACKBONE_GCN_H
#define BACKBONE_GCN_H

#include <recon/nn/layers.h>
#include "backbone/gcn_graphs.h"
#include "nn/params.h"

#define RECON_GCN_KIND "gcn"
enum { RECON_GCN_LAYERS = 3, RECON_GCN_WIDEST = 4096 };

struct recon_gcn {
    recon_gcn_info info;
    recon_params *params;
    recon_linear layer[RECON_GCN_LAYERS];
    recon_mlp head;
};

/* Makes a network with the weights of a file, or untrained. */
recon_status recon_gcn_make(recon_ctx *ctx, recon_gcn **out, recon_gcn_info info, double dropout,
                            recon_precision precision, const recon_safetensors *file,
                            const char *path, uint64_t seed);

/* Logits [n][classes] of a batch. */
recon_var recon_gcn_apply(recon_tape *tape, const recon_gcn *gcn, const recon_gcn_inputs *inputs);
/* The same for a frozen network: features may have a gradient, weights get none. */
recon_var recon_gcn_apply_frozen(recon_tape *tape, const recon_gcn *gcn,
                                 const recon_gcn_inputs *inputs);

/* Compute the logits of a list, and the accuracy on all molecules, with a given tape. */
recon_status recon_gcn_logits_on(recon_ctx *ctx, float *out, recon_tape *tape, const recon_gcn *gcn,
                                 const recon_gcn_graphs *graphs, recon_gcn_list list);
recon_status recon_gcn_accuracy_on(recon_ctx *ctx, double *out, recon_tape *tape,
                                   const recon_gcn *gcn, const recon_gcn_graphs *graphs);

/* Computes the logits of n conformers: number which[i] of graphs (NULL: number i), rotated by
 * rotations[i] about its centre (NULL: not rotated). No edge is computed again. RECON_ERR_INPUT for
 * an invalid number and for graphs of another radius. */
recon_status recon_gcn_logits_rotated(recon_ctx *ctx, float *out /* [n][classes] */,
                                      const recon_gcn *gcn, const recon_gcn_graphs *graphs,
                                      const int64_t *which /* [n] */,
                                      const recon_so3 *rotations /* [n] */, size_t n);

#endif
