/* nets.h - image classifiers, from images n x h x w x c in [0, 1] to logits n x classes. */
#ifndef RECON_NN_NETS_H
#define RECON_NN_NETS_H

#include <recon/nn/layers.h>

/* ResNet-18 for small images: a 3x3 stem of stride 1, no max pool, and four stages with 1, 2, 4 and
 * 8 times width channels. width 0: 64, as published; a width of 20 has a tenth of the weights. */
typedef struct {
    recon_conv stem;
    recon_norm stem_norm;
    recon_residual block[8];
    recon_linear head;
} recon_resnet18;
RECON_API recon_status recon_resnet18_add(recon_ctx *ctx, recon_resnet18 *out, recon_params *params,
                                          size_t channels, size_t classes, size_t width);
RECON_API recon_var recon_resnet18_apply(recon_tape *tape, const recon_resnet18 *net, recon_var x);

/* Two convolutions and two linear layers, for images of a fixed size; minutes on a CPU. */
typedef struct {
    recon_conv conv[2];
    recon_norm norm[2];
    recon_mlp head;
} recon_small_cnn;
RECON_API recon_status recon_small_cnn_add(recon_ctx *ctx, recon_small_cnn *out,
                                           recon_params *params, size_t height, size_t width,
                                           size_t channels, size_t classes);
RECON_API recon_var recon_small_cnn_apply(recon_tape *tape, const recon_small_cnn *net,
                                          recon_var x);

#endif
