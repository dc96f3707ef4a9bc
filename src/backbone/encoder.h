/* encoder.h - encoders: images to an invariant code and a pose. All but those of the photo presets are
 * steerable. */
#ifndef BACKBONE_ENCODER_H
#define BACKBONE_ENCODER_H

#include <recon/backbone/networks.h>
#include <recon/nn/steerable.h>
#include "backbone/photo_net.h"
#include "backbone/pose_density.h"

enum { RECON_ENCODER_LAYERS = 6 };

typedef struct {
    size_t layers;
    recon_steerable conv[RECON_ENCODER_LAYERS], head;
    recon_field_norm norm[RECON_ENCODER_LAYERS];
    int pool[RECON_ENCODER_LAYERS]; /* halve the image afterwards */
    int has_mlp;
    recon_mlp mlp; /* on the head's scalars */
    size_t code;
    int has_density;
    recon_pose_density density;
    int is_photo;
    recon_photo_net photo; /* in place of all the rest */
} recon_encoder;

/* What an encoder makes of n images, all float. */
typedef struct {
    recon_var code;    /* n x code, which does not change when an image is rotated    */
    recon_var pose;    /* n x 2, which rotates with it                                */
    recon_var density; /* n x RECON_POSE_BINS, logits of q; NULL where there is none  */
} recon_encoded;

/* Fills in the preset's defaults and checks the rest. */
recon_status recon_encoder_shape(recon_ctx *ctx, recon_ieae_shape *shape);

/* Parameters "NAME.conv0.weight" and so on; shape is complete. */
recon_status recon_encoder_add(recon_ctx *ctx, recon_encoder *out, recon_params *params,
                               const char *name, const recon_ieae_shape *shape);

/* Expands the filters once and for all: the weights will not change any more. */
recon_status recon_encoder_freeze(recon_ctx *ctx, recon_encoder *encoder);

/* The fields behind layer i, 0 .. layers - 1, from those before it; photo presets have no layers. */
recon_var recon_encoder_layer(recon_tape *tape, const recon_encoder *encoder, size_t i,
                              recon_var x);

/* x n x h x w x channels in the activations' type. */
recon_encoded recon_encoder_apply(recon_tape *tape, const recon_encoder *encoder, recon_var x);

#endif
