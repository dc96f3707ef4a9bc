/* backbone.h - class-pose networks for any domain: they map an input x to z = eta(x), which is
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
struct recon_params; /* recon/nn/params.h: the weights of a network */
struct recon_recipe;

/* The outputs of a backbone for n inputs; any array may be NULL. */
typedef struct {
    float *z;    /* [n][code] */
    double *psi; /* [n][group->numbers], the group being the kind's */
    /* [n][RECON_POSE_BINS], only for backbones on SO(2) with a pose density: log q(g | x) per
     * radian at g = 0, 5, 10 .. degrees. q is the density of the rotation that produced x from a
     * natural input. */
    float *density;
} recon_seen;

typedef struct {
    const char *name; /* the value of "model" in the metadata of its files */
    const char *data; /* the name of the recon_data_kind that it takes */
    const recon_group *group;
    size_t k;    /* the default number of neighbours in a class */
    size_t pool; /* the number of poses that a verdict is based on (recon_normalize_options) */
    recon_status (*open)(recon_ctx *ctx, recon_backbone **out, const recon_safetensors *file,
                         const char *path, recon_precision precision);
    void (*close)(recon_ctx *ctx, recon_backbone *backbone);
    recon_status (*embed)(recon_ctx *ctx, const recon_seen *out, const recon_backbone *backbone,
                          const void *inputs, size_t n);
    /* Rotates each input by g[i], [n][group->numbers], and writes it to out: a batch of images, or
     * the coordinates of atoms. The identity leaves an input unchanged, bit for bit. */
    recon_status (*rotate)(recon_ctx *ctx, void *out, const recon_backbone *backbone,
                           const void *inputs, const double *g, size_t n,
                           recon_interpolation interpolation);
    /* The remaining entries may be NULL. data_options sets how data for this backbone are opened.
     * fits checks a data set, accepts checks input i of a data set, and check checks a caller's
     * batch. center returns the centre of rotation of input i (SO(3); NULL: the origin). */
    void (*data_options)(const recon_backbone *backbone, recon_data_options *options);
    recon_status (*fits)(recon_ctx *ctx, const recon_backbone *backbone, const recon_data *data);
    recon_status (*accepts)(recon_ctx *ctx, const recon_backbone *backbone, const recon_data *data,
                            size_t i);
    recon_status (*check)(recon_ctx *ctx, const recon_backbone *backbone, const void *inputs,
                          size_t n);
    void (*center)(double out[3], const void *inputs, size_t i);
    /* The settings that training accepts. Used by the built-in networks only: NULL in an
     * application's kind, whose `train` reads the settings itself. */
    const struct recon_recipe *recipe;
    /* See recon_training_complete and recon_backbone_train. Without `prepare` there is nothing to
     * complete; without `train` recon cannot train this kind. */
    recon_status (*prepare)(recon_ctx *ctx, recon_training *training, recon_data_options *as);
    recon_status (*train)(recon_ctx *ctx, recon_train_result *result, const recon_data *data,
                          const char *path, const recon_training *training);
    /* Trains a new backbone from scratch on other data, with the settings recorded in the file of
     * this one, and writes it to path. NULL: recon cannot retrain this kind. */
    recon_status (*refit)(recon_ctx *ctx, const char *path, const recon_backbone *backbone,
                          const recon_safetensors *file, const recon_data *data,
                          recon_precision precision);
    /* Compares the network's relative poses with the rotations between similar inputs, where
     * these can be found without the network. out[i] is the median difference over the
     * neighbours of input i, in radians, or NaN if there is no neighbour to compare with. Where
     * it is large, the poses do not show how inputs are rotated. NULL: such rotations are not
     * known for this kind. */
    recon_status (*inconsistency)(recon_ctx *ctx, double *out /* [n] */, const recon_data *data,
                                  const recon_embedded *points);
} recon_backbone_kind;

/* The first member of every backbone's own struct; `open` fills it in. */
struct recon_backbone {
    const recon_backbone_kind *kind;
    struct recon_params *params; /* weights; NULL: none */
    size_t code;                 /* length of z */
    int density;                 /* 1 if it computes a pose density */
};

/* Opens the backbone of a model file, written by `recon train` or `recon discover`; the metadata
 * tell its kind. An open backbone is immutable: many threads may use it, each with its own context
 * on the backend that it was opened with. */
RECON_API recon_status recon_backbone_open(recon_ctx *ctx, recon_backbone **out, const char *path,
                                           recon_precision precision);
RECON_API void recon_backbone_close(recon_ctx *ctx, recon_backbone *backbone);

/* Fills in how data for this backbone are opened, where options do not: see data_options. */
RECON_API void recon_backbone_data_options(const recon_backbone *backbone,
                                           recon_data_options *options);

/* Registers a kind with this context, which can then open files of that kind. The kind must outlive
 * the context. At most RECON_KINDS_MOST kinds; a name that is taken is RECON_ERR_INPUT. */
enum { RECON_KINDS_MOST = 8 };
RECON_API recon_status recon_backbone_add(recon_ctx *ctx, const recon_backbone_kind *kind);

/* Embeds a whole data set and copies its labels. Free the result with recon_embedded_free. Data of
 * another kind, or data that do not fit the backbone, are RECON_ERR_INPUT. */
RECON_API recon_status recon_backbone_embed(recon_ctx *ctx, recon_embedded *out,
                                            const recon_backbone *backbone, const recon_data *data);

#endif
