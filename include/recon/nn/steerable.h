/* steerable.h - layers on steerable images: if the picture is rotated, the output rotates with it.
 *
 * Equivariance is exact for quarter turns, which map the pixel grid onto itself, and holds up to
 * sampling error for other rotations. fields.h explains the channels, steerable_basis.h the
 * filters. */
#ifndef RECON_NN_STEERABLE_H
#define RECON_NN_STEERABLE_H

#include <recon/nn/fields.h>
#include <recon/nn/layers.h>
#include <recon/nn/steerable_basis.h>

/* How a layer is computed. Both ways give the same result up to rounding.
 * DENSE: expand the filters from the weights, then run an ordinary convolution.
 * WAVES: filter every input field with the few waves that all filters consist of, then mix the
 * results by matrix products: several times fewer operations, in smaller products.
 * FASTER: the one that takes less time on this backend for these shapes. */
typedef enum { RECON_WAY_FASTER, RECON_WAY_DENSE, RECON_WAY_WAVES } recon_steerable_way;

/* Convolution from fields to fields, stride 1, no bias. Its flat parameter "NAME.weight" is ordered
 * by frequencies (out, in), then by fields (out, in), then by basis elements. Initial weights are
 * normal with deviation 1 / sqrt(T B), where T input frequencies contribute to the output
 * frequency, this one by B weights, so that white noise of variance 1 gives an output of variance
 * 1. */
typedef struct {
    recon_layer_name name;
    recon_fields in, out;
    size_t size, pad;
    recon_rings rings;
    recon_steerable_way way;
    recon_param *weight;
    recon_param *basis; /* DENSE: sampled elements, kept with the parameters but not saved */
    recon_param *waves; /* WAVES: the sampled waves */
    recon_param *mix;   /* WAVES: how weights enter the products */
    recon_param *filter, *mixed; /* NULL until frozen */
} recon_steerable;

enum { RECON_PAD_NONE = -1 };
typedef struct {
    size_t size; /* odd; 0: 3 */
    int pad;     /* 0: (size - 1) / 2, which keeps the image size; RECON_PAD_NONE: no padding */
    recon_rings rings;
    recon_steerable_way way;
} recon_steerable_options;

/* Adds a layer. Some pairs of frequencies may have no weights, such as different ones with size 1.
 * An output frequency without any weights is RECON_ERR_INPUT. */
RECON_API recon_status recon_steerable_add(recon_ctx *ctx, recon_steerable *out,
                                           recon_params *params, const char *name,
                                           const recon_fields *in, const recon_fields *outputs,
                                           const recon_steerable_options *options);
RECON_API recon_var recon_steerable_apply(recon_tape *tape, const recon_steerable *layer,
                                          recon_var x);

/* Expands the weights once, for all later use in RECON_INFER; other modes still expand them in each
 * step. Freeze again after the weights change. A frozen layer is only read, so many threads may use
 * it, each with its own context. */
RECON_API recon_status recon_steerable_freeze(recon_ctx *ctx, recon_steerable *layer);

/* Norm and nonlinearity between two convolutions: batch norm and ReLU on scalars; pairs are divided
 * by their root mean square and scaled, then v relu(|v| - b) / |v|, where the threshold b =
 * softplus(p) is 0.1 initially and always positive. */
typedef struct {
    recon_layer_name name;
    recon_fields fields;
    recon_param *scale, *mean, *var; /* one number per scalar, then one per pair */
    recon_param *shift, *threshold;  /* shift of the scalars, p of the pairs; NULL without any */
} recon_field_norm;
RECON_API recon_status recon_field_norm_add(recon_ctx *ctx, recon_field_norm *out,
                                            recon_params *params, const char *name,
                                            const recon_fields *fields);
RECON_API recon_var recon_field_norm_apply(recon_tape *tape, const recon_field_norm *layer,
                                           recon_var x);

#endif
