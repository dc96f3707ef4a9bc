/* layers.h (private) - the names of layers and their parameters. */
#ifndef NN_LAYERS_H
#define NN_LAYERS_H

#include <recon/nn/layers.h>

/* Copies the name; RECON_ERR_INPUT when it is too long. */
recon_status recon_layer_set_name(recon_ctx *ctx, recon_layer_name out, const char *name);

/* "layer.part", into a buffer that holds any of ours. Returns out. */
typedef char recon_part_name[sizeof(recon_layer_name) + 32];
const char *recon_part_print(recon_part_name out, const char *layer, const char *name);

/* Adds a part of n numbers, all value at first. */
recon_status recon_part_add(recon_ctx *ctx, recon_param **out, recon_params *params,
                            const char *layer, const char *name, size_t n, double value);

#endif
