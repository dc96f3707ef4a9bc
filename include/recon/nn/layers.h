/* layers.h - layers: named parameters, and the operations that use them.
 *
 * A layer is a value that points to its parameters. _add adds these to a recon_params by name;
 * _apply computes on a tape, and sets the layer name for error messages. */
#ifndef RECON_NN_LAYERS_H
#define RECON_NN_LAYERS_H

#include <recon/nn/tape.h>

typedef char recon_layer_name[64];

/* x weight^T + bias on the last axis. */
typedef struct {
    recon_layer_name name;
    recon_param *weight, *bias; /* bias NULL: none */
} recon_linear;
RECON_API recon_status recon_linear_add(recon_ctx *ctx, recon_linear *out, recon_params *params,
                                        const char *name, size_t inputs, size_t outputs);
RECON_API recon_var recon_linear_apply(recon_tape *tape, const recon_linear *layer, recon_var x);

/* A convolution on images. */
typedef struct {
    recon_layer_name name;
    recon_param *weight, *bias;
    size_t stride, pad;
} recon_conv;
typedef struct {
    size_t size, stride; /* 0: 3, 1; odd sizes; padding keeps the size of the image */
    int bias;            /* 0: none, as before a norm */
} recon_conv_layer_options;
RECON_API recon_status recon_conv_add(recon_ctx *ctx, recon_conv *out, recon_params *params,
                                      const char *name, size_t inputs, size_t outputs,
                                      const recon_conv_layer_options *options);
RECON_API recon_var recon_conv_apply(recon_tape *tape, const recon_conv *layer, recon_var x);

/* Batch norm; with field > 1 on vector fields, without mean and shift. */
typedef struct {
    recon_layer_name name;
    recon_param *scale, *shift, *mean, *var;
    size_t field;
} recon_norm;
RECON_API recon_status recon_norm_add(recon_ctx *ctx, recon_norm *out, recon_params *params,
                                      const char *name, size_t channels, size_t field);
RECON_API recon_var recon_norm_apply(recon_tape *tape, const recon_norm *layer, recon_var x);
/* relu(norm(x) + skip), in one pass; skip may be NULL. */
RECON_API recon_var recon_norm_relu_apply(recon_tape *tape, const recon_norm *layer, recon_var x,
                                          recon_var skip);

/* relu(norm(conv(relu(norm(conv(x))))) + x), with a 1x1 convolution on the second x if the shape
 * changes (He et al., CVPR 2016). */
typedef struct {
    recon_conv conv[2], shortcut;
    recon_norm norm[2], shortcut_norm;
    int projects;
} recon_residual;
RECON_API recon_status recon_residual_add(recon_ctx *ctx, recon_residual *out, recon_params *params,
                                          const char *name, size_t inputs, size_t outputs,
                                          size_t stride);
RECON_API recon_var recon_residual_apply(recon_tape *tape, const recon_residual *block,
                                         recon_var x);

/* Linear layers with ReLU and dropout between them. */
enum { RECON_MLP_MAX = 8 };
typedef struct {
    recon_linear layer[RECON_MLP_MAX];
    size_t layers;
    double dropout;
} recon_mlp;
/* Adds an MLP; sizes [n] are those of the input, the hidden layers and the output. */
RECON_API recon_status recon_mlp_add(recon_ctx *ctx, recon_mlp *out, recon_params *params,
                                     const char *name, const size_t *sizes, size_t n,
                                     double dropout);
RECON_API recon_var recon_mlp_apply(recon_tape *tape, const recon_mlp *mlp, recon_var x);

#endif
