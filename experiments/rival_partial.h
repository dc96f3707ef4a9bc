/* rival_partial.h - a Partial G-CNN (Romero and Lohit, NeurIPS 2022), from its paper's description: group
 * convolutions on SE(2) with kernels that a small network gives as a function of place and angle, and
 * for each layer a learned part of the circle that its outputs cover.
 *
 * Features are images of PARTIAL_ANGLES x fields, angles first. Where the paper draws angles within the
 * part anew at every pass, the angles here are a fixed grid, and those beyond the part fade out. */
#ifndef EXPERIMENTS_RIVAL_PARTIAL_H
#define EXPERIMENTS_RIVAL_PARTIAL_H

#include <recon/nn/layers.h>

enum { PARTIAL_ANGLES = 8, PARTIAL_LAYERS = 3 };

typedef struct {
    recon_layer_name name;
    size_t inputs, outputs, size;   /* fields; of the kernel */
    size_t angles;                  /* of the input: 1 for images */
    recon_mlp kernel;               /* (place, angle) to inputs x outputs weights */
    recon_param *theta;             /* the part, 1: the whole circle; NULL: it always is */
    recon_param *places, *disc;     /* what the kernel is asked for, and where it is 0 */
    recon_norm norm;                /* one for a field, whatever its angle */
    recon_var index, order, offset; /* fed: how rows of weights become filters, see expand() */
} partial_layer;

typedef struct {
    partial_layer layer[PARTIAL_LAYERS];
    recon_linear head;
    recon_var slope, at, one; /* fed: [PARTIAL_ANGLES][1], of the part of the circle */
} partial_net;

recon_status partial_add(recon_ctx *ctx, partial_net *out, recon_params *params, size_t channels,
                         size_t classes);
/* Constants that a step needs: before it, because what is recorded to be replayed copies nothing. */
recon_status partial_feed(recon_tape *tape, partial_net *net);
/* Logits of images n x h x w x channels. */
recon_var partial_apply(recon_tape *tape, const partial_net *net, recon_var x);

#endif
