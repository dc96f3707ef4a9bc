/* model.h - a complete model, written by `recon discover`: a backbone and its maps, in one file.
 *
 * An open model is immutable: many threads may use it, each with its own context on the backend
 * that the model was opened with. */
#ifndef RECON_MODEL_MODEL_H
#define RECON_MODEL_MODEL_H

#include <recon/backbone/backbone.h>
#include <recon/backbone/networks.h>
#include <recon/maps/maps.h>
#include <recon/model/trust.h>
#include <recon/normalize/index.h>

typedef struct recon_model recon_model;

/* Opens a model of any kind; the file records which. precision is that of the backbone's
 * convolutions and products. A file of `recon train` has no maps yet: the message tells what to
 * do. */
RECON_API recon_status recon_model_open(recon_ctx *ctx, recon_model **out, const char *path,
                                        recon_precision precision);
RECON_API void recon_model_close(recon_ctx *ctx, recon_model *model);

/* Selects a source of Lambda other than the one that discover chose; AUTO changes nothing. Call it
 * before the model is used. RECON_ERR_INPUT if the model does not have that source. */
RECON_API recon_status recon_model_use_lambda(recon_ctx *ctx, recon_model *model,
                                              recon_lambda lambda);

/* Sets which way is up: input i is upright after rotating it by rotations[i] ([n][group->numbers];
 * for images radians, counter-clockwise). All inputs of its cluster then get the corresponding
 * natural pose and the verdict one; several inputs of one cluster are averaged. *followed (may be
 * NULL) receives how many of the inputs belong to a cluster; the others have no effect, and none
 * has in a model from a version that stored no clusters. Call it before threads share the model. */
RECON_API recon_status recon_model_anchor(recon_ctx *ctx, recon_model *model, const void *inputs,
                                          const double *rotations, size_t n, size_t *followed);

/* Takes what another model holds for upright, such as the shipped `general`, for what is: asks it about n inputs,
 * as that model takes them, and where most of those of a cluster agree, all of the cluster follow as anchors say.
 * The other clusters keep the natural poses of the data. *followed (may be NULL) receives how many of the inputs
 * belong to clusters that follow. */
RECON_API recon_status recon_model_prior(recon_ctx *ctx, recon_model *model, const void *inputs,
                                         const recon_model *prior, const void *prior_inputs,
                                         size_t n, size_t *followed);

/* The kind, sizes and maps of a model. */
typedef struct {
    const char *kind;         /* of the backbone: "ieae" */
    const char *data;         /* of its inputs: "images", "molecules" */
    const recon_group *group; /* of their poses */
    size_t code;              /* length of z */
    size_t weights;           /* of backbone and maps */
    size_t codes; /* stored embeddings of training inputs; 0: none, and thus no p_embedding */
    recon_maps_info maps;
    recon_lambda lambda;                /* the source of Lambda */
    recon_ieae_shape images;            /* of a model for images, else all zero */
    recon_molecule_net_shape molecules; /* of a model for molecules, else all zero */
} recon_model_info;
RECON_API recon_model_info recon_model_describe(const recon_model *model);

/* Computes what the model's backbone sees in n inputs of its kind; arrays of out may be NULL. Refuses
 * the same inputs as recon_canonicalize. */
RECON_API recon_status recon_model_embed(recon_ctx *ctx, const recon_seen *out,
                                         const recon_model *model, const void *inputs, size_t n);

/* Makes an index of the embeddings that the model stores, at most 4,096 in half precision, with the
 * classes and the mean of its discovery: ask it about what recon_model_embed gives.
 * RECON_ERR_UNSUPPORTED for a model without them (recon_model_info.codes). */
RECON_API recon_status recon_model_index(recon_ctx *ctx, recon_index **out,
                                         const recon_model *model);

RECON_API const recon_backbone *recon_model_backbone(const recon_model *model); /* lent */

/* Returns whether discover found its natural poses trustworthy; lent. NULL if the file does not
 * record it. If the file has only the level, all measures are NaN and there are no reasons. */
RECON_API const recon_trust *recon_model_trust(const recon_model *model);

#endif
