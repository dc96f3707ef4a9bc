/* model.h - a complete model, as `recon discover` writes it: a backbone and the maps, in one file.
 *
 * An open model is immutable: many threads may use it, each with its own context on the backend
 * that the model was opened with. */
#ifndef RECON_MODEL_MODEL_H
#define RECON_MODEL_MODEL_H

#include <recon/backbone/backbone.h>
#include <recon/backbone/networks.h>
#include <recon/maps/maps.h>
#include <recon/model/trust.h>

typedef struct recon_model recon_model;

/* Opens a model of any kind; the file records which. precision applies to the backbone's
 * convolutions and products. A file of `recon train` has no maps yet, and the error message says
 * what to do. */
RECON_API recon_status recon_model_open(recon_ctx *ctx, recon_model **out, const char *path,
                                        recon_precision precision);
RECON_API void recon_model_close(recon_ctx *ctx, recon_model *model);

/* Selects another source of Lambda than discover chose; AUTO changes nothing. Call it before the
 * model is used. RECON_ERR_INPUT if the model does not have that source. */
RECON_API recon_status recon_model_use_lambda(recon_ctx *ctx, recon_model *model,
                                              recon_lambda lambda);

/* Tells the model which way is up: input i is upright once it is rotated by rotations[i] ([n][numbers of
 * the group]; for images radians, counter-clockwise), and all inputs of its cluster follow, with the
 * verdict one. Several of one cluster count by their mean. *followed, which may be NULL: how many of
 * the inputs belong to a cluster; the others say nothing, and neither does any input to a model of a
 * version that stored no clusters. Call it before the model is used by several threads. */
RECON_API recon_status recon_model_anchor(recon_ctx *ctx, recon_model *model, const void *inputs,
                                          const double *rotations, size_t n, size_t *followed);

/* What it takes, its size and its maps. */
typedef struct {
    const char *kind;         /* of the backbone: "ieae"                                 */
    const char *data;         /* of its inputs: "images", "molecules"                    */
    const recon_group *group; /* of their poses                                          */
    size_t code;              /* length of z                                             */
    size_t weights;           /* of backbone and maps                                    */
    size_t codes;             /* embeddings of training inputs that it keeps; 0: it has none, and no
                          p-value for embeddings                                          */
    recon_maps_info maps;
    recon_lambda lambda;                /* where Lambda comes from */
    recon_ieae_shape images;            /* of a model of images, else all zero          */
    recon_molecule_net_shape molecules; /* of a model of molecules, else all zero       */
} recon_model_info;
RECON_API recon_model_info recon_model_describe(const recon_model *model);

RECON_API const recon_backbone *recon_model_backbone(const recon_model *model); /* lent */

/* Whether its natural poses can be trusted, according to discover; lent. NULL if the file has no
 * verdict. If the file has only the verdict, every measure is NaN and there are no reasons. */
RECON_API const recon_trust *recon_model_trust(const recon_model *model);

#endif
