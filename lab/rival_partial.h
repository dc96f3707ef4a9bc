/* rival_partial.h - a Partial G-CNN (Romero and Lohit, NeurIPS 2022), from its paper's description: group
 * convolutions on SE(2) with kernels that a small network gives as a function of place and angle, and
 * for each layer a learned part of the circle that its outputs cover.
 *
 * Features are images of PARTIAL_ANGLES x fields, angles first. The angles are an equispaced grid of
 * the whole circle, in training with another offset at each step, so that no direction of the pixel
 * grid can be learned. Those beyond a layer's part fade out: the next layer does not see them. */
#ifndef LAB_RIVAL_PARTIAL_H
#define LAB_RIVAL_PARTIAL_H

#include <recon/nn/layers.h>

enum { PARTIAL_ANGLES = 8, PARTIAL_LAYERS = 4 };

typedef struct {
    recon_layer_name name;
    size_t inputs, outputs, size; /* fields; of the kernel */
    size_t angles;                /* of the input: 1 for images */
    recon_linear mix, kernel;     /* waves to inputs x outputs weights, see filters() */
    recon_param *theta;           /* the part of its outputs, see part(); NULL: the whole circle */
    recon_param *disc, *ones;     /* where the kernel is 0; one for each row of filters */
    recon_norm norm;              /* one for a field, whatever its angle */
    recon_var wave[2];            /* fed: what the kernel is made of, at each place and angle */
    recon_var index, order, offset; /* fed: how rows of weights become filters, see expand() */
} partial_layer;

typedef struct {
    partial_layer layer[PARTIAL_LAYERS];
    recon_param *mean; /* [fields][angles x fields], over the angles */
    recon_param *ones; /* one for each of its rows */
    recon_linear head;
    recon_var slope, at, one; /* fed: [PARTIAL_ANGLES][1], of the part of the circle */
} partial_net;

recon_status partial_add(recon_ctx *ctx, partial_net *out, recon_params *params, size_t channels,
                         size_t classes);
/* Constants that a step needs: before it, because what is recorded to be replayed copies nothing. The
 * angles begin at `offset` radians. */
recon_status partial_feed(recon_tape *tape, partial_net *net, double offset);
/* Logits of images n x h x w x channels. */
recon_var partial_apply(recon_tape *tape, const partial_net *net, recon_var x);

/* What is added to the loss, 1 x 1: a layer is not to cover more of the circle than the one before. */
recon_var partial_penalty(recon_tape *tape, const partial_net *net);

#endif
