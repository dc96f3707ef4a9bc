/* backbone.h - class-pose networks of any domain: from an input x to z = eta(x), which is
 * invariant, and psi(x), which rotates with x.
 *
 * A domain is a recon_backbone_kind. Two are built in: "ieae" (images on SO(2)) and "molnet"
 * (molecules on SO(3)). An application adds its own with recon_backbone_add; docs/extending.md
 * shows a complete one. */
#ifndef RECON_BACKBONE_BACKBONE_H
#define RECON_BACKBONE_BACKBONE_H

#include <recon/backbone/embedded.h>
#include <recon/backbone/networks.h>
#include <recon/core/safetensors.h>
#include <recon/data/dataset.h>
#include <recon/ops/backend.h>

typedef struct recon_backbone recon_backbone;
struct recon_params; /* recon/nn/params.h: a network of the engine */
struct recon_recipe;

/* The outputs of a backbone for n inputs; any array may be NULL. */
typedef struct {
    float *z;    /* [n][code]                                                                 */
    double *psi; /* [n][numbers of the kind's group]                                          */
    /* [n][RECON_POSE_BINS], of a backbone on SO(2) that has one: log q(g | x) per radian at g = 0, 5,
     * 10 .. degrees, the pose density. q is the density of the rotation that made x of a natural
     * input. */
    float *density;
} recon_seen;

typedef struct {
    const char *name; /* the metadata "model" of its files                                    */
    const char *data; /* the name of the recon_data_kind that it takes                        */
    const recon_group *group;
    size_t k;    /* neighbours that make a class, unless asked otherwise                      */
    size_t pool; /* poses that a verdict is made from (recon_normalize_options)               */
    recon_status (*open)(recon_ctx *ctx, recon_backbone **out, const recon_safetensors *file,
                         const char *path, recon_precision precision);
    void (*close)(recon_ctx *ctx, recon_backbone *backbone);
    recon_status (*embed)(recon_ctx *ctx, const recon_seen *out, const recon_backbone *backbone,
                          const void *inputs, size_t n);
    /* Each input rotated by g[i], [n][numbers of the group], to out: a batch for
     * images, places of atoms for molecules. The identity leaves an input bit for bit as it is. */
    recon_status (*rotate)(recon_ctx *ctx, void *out, const recon_backbone *backbone,
                           const void *inputs, const double *g, size_t n,
                           recon_interpolation interpolation);
    /* These may be NULL. How data for this backbone are opened; whether a set fits it; whether
     * input i of a set can be used; whether a caller's batch can; and about which place input i of
     * a batch rotates (SO(3); NULL: the origin). */
    void (*data_options)(const recon_backbone *backbone, recon_data_options *options);
    recon_status (*fits)(recon_ctx *ctx, const recon_backbone *backbone, const recon_data *data);
    recon_status (*accepts)(recon_ctx *ctx, const recon_backbone *backbone, const recon_data *data,
                            size_t i);
    recon_status (*check)(recon_ctx *ctx, const recon_backbone *backbone, const void *inputs,
                          size_t n);
    void (*center)(double out[3], const void *inputs, size_t i);
    /* The names that a training's settings may have, which is the built-in networks' own; NULL in an
     * application's kind, whose `train` reads the settings itself. */
    const struct recon_recipe *recipe;
    /* See recon_training_complete, and recon_backbone_train. prepare NULL: nothing is left open;
     * train NULL: recon does not train this kind. */
    recon_status (*prepare)(recon_ctx *ctx, recon_training *training, recon_data_options *as);
    recon_status (*train)(recon_ctx *ctx, recon_train_result *result, const recon_data *data,
                          const char *path, const recon_training *training);
    /* Trains such a backbone from its first weights on other data, with the settings that the
     * backbone's own file records, and writes it to path. NULL: recon does not train this kind. */
    recon_status (*refit)(recon_ctx *ctx, const char *path, const recon_backbone *backbone,
                          const recon_safetensors *file, const recon_data *data,
                          recon_precision precision);
    /* How far the poses of alike inputs are from the rotations between those inputs, where these are
     * known without the network: radians, of each input the median over its neighbours; NaN where
     * there is none to compare with. What is far here says nothing about how inputs are rotated.
     * NULL: not known of this kind. */
    recon_status (*inconsistency)(recon_ctx *ctx, double *out /* [n] */, const recon_data *data,
                                  const recon_embedded *points);
} recon_backbone_kind;

/* The first member of the struct of every kind; `open` fills it in. */
struct recon_backbone {
    const recon_backbone_kind *kind;
    struct recon_params *params; /* weights; NULL: none */
    size_t code;                 /* length of z */
    int density;                 /* does it have one? */
};

/* Opens the backbone of any model file, according to its metadata: a file of `recon train`, or a
 * complete model. An open backbone is immutable: many threads may use it, each with its own context
 * on the backend that it was opened with. */
RECON_API recon_status recon_backbone_open(recon_ctx *ctx, recon_backbone **out, const char *path,
                                           recon_precision precision);
RECON_API void recon_backbone_close(recon_ctx *ctx, recon_backbone *backbone);

/* How data for it are opened, where the options leave that open: see the kind's data_options. */
RECON_API void recon_backbone_data_options(const recon_backbone *backbone,
                                           recon_data_options *options);

/* Registers a kind with this context, so that it can open files of that kind; the kind must outlive
 * the context. At most RECON_KINDS_MOST; a name that is taken is RECON_ERR_INPUT. */
enum { RECON_KINDS_MOST = 8 };
RECON_API recon_status recon_backbone_add(recon_ctx *ctx, const recon_backbone_kind *kind);

/* Embeds a whole data set, with its labels. Free with recon_embedded_free. Data of another kind, or
 * that do not fit, are RECON_ERR_INPUT. */
RECON_API recon_status recon_backbone_embed(recon_ctx *ctx, recon_embedded *out,
                                            const recon_backbone *backbone, const recon_data *data);

#endif
