/* photo_net.h - a residual network for photographs: a picture to a code, a pose and a pose density.
 *
 * Natural pictures need more capacity than a steerable network of the same cost has, and show
 * something at every place, so that nothing is gained by knowing how their background rotates. This
 * one is plain: what a single pass says follows rotations only as far as it was learned. Exact
 * equivariance to quarter turns comes from looking four times (recon_quarters_join):
 *
 *     log q(g | x) = mean over k of log q_k(k g | k x) + const,   k the rotations by 0, 90, 180, 270
 *
 * and likewise for the pose, whose answers are rotated back, and the code. */
#ifndef BACKBONE_PHOTO_NET_H
#define BACKBONE_PHOTO_NET_H

#include <recon/backbone/networks.h>
#include <recon/nn/layers.h>

enum { RECON_PHOTO_STEMS = 6, RECON_PHOTO_BLOCKS = 8, RECON_QUARTERS = 4 };

typedef struct {
    size_t stems, blocks;
    recon_conv stem[RECON_PHOTO_STEMS];
    recon_norm norm[RECON_PHOTO_STEMS];
    recon_residual block[RECON_PHOTO_BLOCKS];
    recon_mlp code;
    recon_linear pose, density;
    int has_density;
} recon_photo_net;

int recon_preset_is_photo(recon_preset preset);

/* Fills in the defaults of a photo preset and checks the rest. */
recon_status recon_photo_shape(recon_ctx *ctx, recon_ieae_shape *shape);

/* Parameters "NAME.stem0.weight" and so on; shape is complete. */
recon_status recon_photo_net_add(recon_ctx *ctx, recon_photo_net *out, recon_params *params,
                                 const char *name, const recon_ieae_shape *shape);

/* One pass. x n x h x w x channels in the activations' type; answers are float: *code n x code, *pose
 * n x 2, *density n x RECON_POSE_BINS logits, or NULL where there is none. */
void recon_photo_net_apply(recon_tape *tape, const recon_photo_net *net, recon_var x,
                           recon_var *code, recon_var *pose, recon_var *density);

/* --- quarter turns ---------------------------------------------------------------------------- */

/* n square images, each rotated by 0, 90, 180 and 270 degrees: out [4][n]. */
void recon_quarters_make(float *out, const float *in, size_t n, size_t side, size_t channels);

/* What passes over the four have said, [4][n], as one answer, to [n] and in place. The sums do not
 * depend on which of the four came first, so that an input rotated by a quarter turn gets the same
 * bits. */
void recon_quarters_join_code(double *code, size_t n, size_t d);
void recon_quarters_join_pose(double *pose, size_t n);
void recon_quarters_join_density(double *logits, size_t n);

/* Softens n images as recon_ieae_preprocess says, in an order that rotates with them bit for bit. out must
 * not be in. */
void recon_quarters_soften(float *out, const float *in, size_t n, size_t side, size_t channels);

#endif
