/* ieae.h (private) - the autoencoder of images: its parts, its use and its training. */
#ifndef BACKBONE_IEAE_H
#define BACKBONE_IEAE_H

#include <recon/backbone/backbone.h>
#include <recon/backbone/networks.h>
#include <recon/nn/layers.h>
#include "backbone/encoder.h"

/* --- the decoder: codes to canonical images (decoder.c) --- */

enum { RECON_DECODER_LAYERS = 6 };

typedef struct {
    recon_preset preset;
    size_t height, width;
    recon_linear widen; /* not in the paper's */
    recon_conv conv[RECON_DECODER_LAYERS];
    recon_norm norm[RECON_DECODER_LAYERS];
} recon_decoder;

recon_status recon_decoder_add(recon_ctx *ctx, recon_decoder *out, recon_params *params,
                               const char *name, const recon_ieae_shape *shape);

/* code n x code, float; images n x height x width x channels in (0, 1), float. */
recon_var recon_decoder_apply(recon_tape *tape, const recon_decoder *decoder, recon_var code);

/* --- the model --- */

typedef struct recon_ieae recon_ieae;

struct recon_ieae {
    recon_backbone base; /* first: a pointer to the one is a pointer to the other */
    recon_ieae_shape shape;
    recon_encoder encoder;
    recon_decoder decoder; /* photo presets have none */
    int turns;             /* passes over an image: 1, or 4 with a photo preset */
    float *mask;           /* [height * width], or NULL */
    int crop;              /* 1: trained on images cropped by recon_image_crop */
};

/* Makes a model with the weights of a file, which is lent; file NULL: untrained. */
recon_status recon_ieae_make(recon_ctx *ctx, recon_ieae **out, const recon_ieae_shape *shape,
                             recon_precision precision, const recon_safetensors *file,
                             const char *path, uint64_t seed);

/* Applies the mask, if there is one, to n images. out may be in. */
void recon_ieae_mask(float *out, const recon_ieae *model, const float *in, size_t n);

/* Prepares n images from outside. The network learned from rotated views, which bilinear resampling
 * has softened, so other images are sharper than those it knows. They are softened as such a
 * rotation does on average: at an offset f from the nearest pixel, uniform in -1/2 .. 1/2, the
 * weights are 1 - |f| and |f|, on average 3/4, and 1/8 on either side. out may be in, except for
 * photo presets. */
void recon_ieae_preprocess(float *out, const recon_ieae *model, const float *in, size_t n);

/* The reconstruction: the decoded code, rotated by the pose. */
recon_var recon_ieae_rebuild(recon_tape *tape, const recon_ieae *model, recon_var code,
                             recon_var pose);

/* Opens a model; the file may also hold maps (see maps.h). precision is that of the convolutions.
 * An open model is immutable: many threads may use it, each with its own context on the backend
 * that it was opened with. */
recon_status recon_ieae_open(recon_ctx *ctx, recon_ieae **out, const char *path,
                             recon_precision precision);
void recon_ieae_close(recon_ctx *ctx, recon_ieae *model);
recon_ieae_shape recon_ieae_describe(const recon_ieae *model);

/* Makes a photo preset process images once instead of four times: a quarter of the cost, but it is
 * then no longer exactly equivariant to quarter turns. Call it before the model is used. */
void recon_ieae_preprocess_once(recon_ieae *model);

/* Embeds images n x height x width x channels: z, psi (SO(2)), and q if the model has a density. */
recon_status recon_ieae_embed(recon_ctx *ctx, const recon_seen *out, const recon_ieae *model,
                              const float *images, size_t n);
/* Decodes n codes to canonical images x_hat, out n x height x width x channels. RECON_ERR_INPUT for
 * a photo preset, which has no decoder. */
recon_status recon_ieae_decode(recon_ctx *ctx, float *out, const recon_ieae *model, const float *z,
                               size_t n);

/* --- training (ieae_train.c) --- */

/* How images are shown. */
typedef enum {
    RECON_VIEWS_RANDOM, /* rotated by a new random angle each time */
    RECON_VIEWS_GIVEN   /* in the poses in which they come; for reconstruction alone, because the
                           other terms compare rotations */
} recon_views;

/* The settings of recon_ieae_recipe, then those of recon_training. Zero in any field means its
 * default; a negative weight means none. Few images, fewer than 10,000 with the preset small or
 * with `from`, are shown more often, in smaller batches and with more augmentation. */
typedef struct {
    recon_ieae_shape shape; /* with `from` a preset of RECON_PRESET_FAST follows that, too */
    size_t epochs, batch;
    double rate, decay, density, pose, contrast, temperature, warp;
    int flip, augment; /* positive: yes, negative: no */
    recon_views views;
    uint64_t seed, every, patience;
    int threads;
    recon_precision precision;
    int resume, overwrite;
    const char *from;
    int crop;
    const char *data, *rotate;
} recon_ieae_options;

recon_status recon_ieae_train(recon_ctx *ctx, recon_train_result *result, const recon_dataset *data,
                              const char *path, const recon_ieae_options *options);

/* See recon_backbone_kind. */
recon_status recon_ieae_complete(recon_ctx *ctx, recon_training *training, recon_data_options *as);
recon_status recon_ieae_train_kind(recon_ctx *ctx, recon_train_result *result,
                                   const recon_data *data, const char *path,
                                   const recon_training *training);

/* --- a model to start from (ieae_from.c) --- */

/* Fills in options from `from`, the model of options->from: preset (negative: not set), width,
 * frequencies, code and density. Those that are set and differ are RECON_ERR_INPUT; other channels,
 * if known, are RECON_ERR_MISMATCH. A mask is kept, and may be added. */
recon_status recon_ieae_follow(recon_ctx *ctx, recon_ieae_options *options, const recon_ieae *from,
                               int preset);
/* Copies the weights of from, those of the decoder only for images of the same size.
 * RECON_ERR_INPUT for a photo preset with a different stem, as for images of a very different
 * size. */
recon_status recon_ieae_take(recon_ctx *ctx, recon_ieae *model, const recon_ieae *from);

/* See recon_backbone_kind. */
recon_status recon_ieae_refit(recon_ctx *ctx, const char *path, const recon_backbone *backbone,
                              const recon_safetensors *file, const recon_data *data,
                              recon_precision precision);

#endif
