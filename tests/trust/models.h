/* models.h - whole models of images and of molecules, made in a moment: what they have learnt is of
 * no account here, what they do with memory, files and threads is. */
#ifndef TESTS_TRUST_MODELS_H
#define TESTS_TRUST_MODELS_H

#include "backbone/molecule_net.h"
#include "backbone/ieae.h"
#include "model/chains.h"
#include "model/tiny.h"

#include <recon/model/canonicalize.h>
#include <recon/model/score.h>

/* Two steps, with a checkpoint after each. The epoch is one, so that a model which could not be
 * written has no second chance. */
static const recon_ieae_options quick_training = {
    .shape = { .preset = RECON_PRESET_SMALL, .width = 0.25, .code = 8 },
    .epochs = 1,
    .batch = 10,
    .every = 1,
    .seed = 1,
    .overwrite = 1,
};

/* Two epochs: the first stage, and the second with its partners. */
static const recon_molecule_net_options quick_molecule_training = {
    .shape = { .preset = RECON_PRESET_SMALL, .width = 0.25, .layers = 1, .latent = 8, .code = 4 },
    .epochs = 2,
    .before = 1,
    .batch = 16,
    .seed = 5,
    .overwrite = 1,
};

static const recon_discover_options quick_discovery = {
    .k = 5, .maps = { .hidden = 8, .epochs = 1, .batch = 16, .seed = 1 }, .folds = -1
};

/* model.safetensors in the scratch folder, of its backbone.safetensors. */
static inline void quick_discover(recon_ctx *ctx, const recon_data *data)
{
    recon_discovery d;
    CHECK_OK(ctx, recon_discover(ctx, &d, scratch("backbone.safetensors"), NULL, data,
                                 scratch_folder, &quick_discovery));
    recon_discovery_free(&d);
}

/* The first letters as a set of their own, their pixels in tiny_images; to be closed. */
static inline recon_dataset *quick_letters(recon_ctx *ctx)
{
    recon_dataset *data;
    char spec[600];
    recon_dataset_close(tiny_data(ctx));
    const recon_array few = {
        .dtype = RECON_F32, .ndim = 3, .shape = { 24, TINY_SIDE, TINY_SIDE }, .data = tiny_images
    };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("few.npy"), &few));
    snprintf(spec, sizeof spec, "npy:%s", scratch("few.npy"));
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, spec));
    return data;
}

/* Some chains; to be closed. */
static inline recon_molecules *quick_chains(recon_ctx *ctx)
{
    recon_molecules *all = chains_data(ctx), *some;
    CHECK_OK(ctx, recon_molecules_take(ctx, &some, all, 30, 1));
    recon_molecules_close(all);
    return some;
}

/* Both leave backbone.safetensors and model.safetensors in the scratch folder. */
static inline recon_model *quick_model(recon_ctx *ctx, const recon_dataset *data)
{
    recon_train_result r;
    const char *backbone = scratch("backbone.safetensors");
    CHECK_OK(ctx, recon_ieae_train(ctx, &r, data, backbone, &quick_training));
    quick_discover(ctx, recon_dataset_data(data));
    return tiny_model(ctx);
}

static inline recon_model *quick_molecule_model(recon_ctx *ctx, const recon_molecules *data)
{
    recon_train_result r;
    const char *backbone = scratch("backbone.safetensors");
    CHECK_OK(ctx,
             recon_molecule_net_train(ctx, &r, data, NULL, backbone, &quick_molecule_training));
    quick_discover(ctx, recon_molecules_data(data));
    return chains_model(ctx);
}

#endif
