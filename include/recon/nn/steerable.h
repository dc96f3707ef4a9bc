/* steerable.h - layers on steerable images: rotate the picture, and what comes out rotates along.
 *
 * Exactly so for quarter turns, where the pixel grid maps onto itself, and up to the error of
 * sampling for others. See fields.h for what channels stand for, steerable_basis.h for filters. */
#ifndef RECON_NN_STEERABLE_H
#define RECON_NN_STEERABLE_H

#include <recon/nn/fields.h>
#include <recon/nn/layers.h>
#include <recon/nn/steerable_basis.h>

/* How a layer is run. Both ways compute the same up to rounding.
 * DENSE: its filters are expanded from the weights, and the rest is a convolution like any other.
 * WAVES: every input field is filtered with the few waves that filters are made of, and products
 * mix what comes out: several times fewer operations, in smaller products.
 * FASTER: whichever takes less time on this backend for these shapes. */
typedef enum { RECON_WAY_FASTER, RECON_WAY_DENSE, RECON_WAY_WAVES } recon_steerable_way;

/* Convolution from fields to fields, stride 1, no bias. One flat parameter, "NAME.weight": block by
 * block of frequencies (out, in), in them field by field (out, in), in them element by element. At
 * first every weight is normal with deviation 1 / sqrt(T B): T frequencies reach the output's, by B
 * weights from this one, so that white noise of variance 1 comes out with variance 1. */
typedef struct {
    recon_layer_name name;
    recon_fields in, out;
    size_t size, pad;
    recon_rings rings;
    recon_steerable_way way;
    recon_param *weight;
    recon_param *basis; /* sampled elements, kept with the parameters and never written     */
    recon_param *waves; /* the other way: waves, and what weights mean to their products    */
    recon_param *mix;
    recon_param *filter, *mixed; /* NULL until frozen */
} recon_steerable;

enum { RECON_PAD_NONE = -1 };
typedef struct {
    size_t size; /* odd; 0: 3                                                     */
    int pad;     /* 0: (size - 1) / 2, which keeps the image; RECON_PAD_NONE: 0   */
    recon_rings rings;
    recon_steerable_way way;
} recon_steerable_options;

/* A pair of fields that no weight reaches, as of different frequencies by size 1, is no error, but
 * an output frequency that nothing reaches is RECON_ERR_INPUT. */
RECON_API recon_status recon_steerable_add(recon_ctx *ctx, recon_steerable *out,
                                           recon_params *params, const char *name,
                                           const recon_fields *in, const recon_fields *outputs,
                                           const recon_steerable_options *options);
RECON_API recon_var recon_steerable_apply(recon_tape *tape, const recon_steerable *layer,
                                          recon_var x);

/* Expands the weights once, for tapes in RECON_INFER to use from then on; other modes go on from
 * the weights. For models that are trained: after the weights change, freeze again. A frozen layer
 * is only read, from as many threads as there are contexts. */
RECON_API recon_status recon_steerable_freeze(recon_ctx *ctx, recon_steerable *layer);

/* What stands between two convolutions: batch norm and ReLU on scalars; on pairs, division by
 * their root mean square, a scale each, and v relu(|v| - b) / |v|, where the threshold b =
 * softplus(p) is 0.1 at first and stays above 0. */
typedef struct {
    recon_layer_name name;
    recon_fields fields;
    recon_param *scale, *mean, *var; /* one number a scalar, then one a pair */
    recon_param *shift, *threshold;  /* of the scalars, p of the pairs; NULL: there are none */
} recon_field_norm;
RECON_API recon_status recon_field_norm_add(recon_ctx *ctx, recon_field_norm *out,
                                            recon_params *params, const char *name,
                                            const recon_fields *fields);
RECON_API recon_var recon_field_norm_apply(recon_tape *tape, const recon_field_norm *layer,
                                           recon_var x);

#endif
