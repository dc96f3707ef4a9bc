/* tiny.h - a model of small pictures, trained in a second: letters L and T of 16 x 16 pixels,
 * rotated by up to 30 degrees, every third T upside down before that: it has two natural poses. 16
 * is twice divisible by 2, so that quarter turns of a picture pass through the network's poolings
 * exactly. */
#ifndef TESTS_MODEL_TINY_H
#define TESTS_MODEL_TINY_H

#include "backbone/ieae.h"
#include "scratch.h"

#include <recon/core/array.h>
#include <recon/data/dataset.h>
#include <recon/model/discover.h>

enum { TINY_N = 240, TINY_SIDE = 16, TINY_PIXELS = TINY_SIDE * TINY_SIDE };

static float tiny_images[TINY_N][TINY_PIXELS];

/* A stem, and a bar at its foot or across its head. */
static inline void tiny_letter(float *out, int tee, int upside_down, recon_rng *rng)
{
    float upright[TINY_PIXELS] = { 0 };
    for (int i = 3; i < 13; i++)
        upright[i * TINY_SIDE + (tee ? 7 : 5)] = upright[i * TINY_SIDE + (tee ? 8 : 6)] = 1;
    for (int j = tee ? 3 : 5; j < (tee ? 13 : 11); j++)
        upright[(tee ? 3 : 12) * TINY_SIDE + j] = upright[(tee ? 4 : 11) * TINY_SIDE + j] = 1;
    double angle = 0.5 * (2 * recon_rng_uniform(rng) - 1) + (upside_down ? 3.14159265358979 : 0);
    recon_image_rotate(out, upright, TINY_SIDE, TINY_SIDE, 1, angle, RECON_BILINEAR);
    for (int i = 0; i < TINY_PIXELS; i++)
        out[i] += (float)(0.05 * recon_rng_uniform(rng));
}

/* images.npy and labels.npy in the scratch folder; the data set is to be closed. */
static inline recon_dataset *tiny_data(recon_ctx *ctx)
{
    int64_t labels[TINY_N];
    recon_rng rng = recon_rng_new(4, 0);
    recon_dataset *data;
    char spec[600];
    for (int i = 0; i < TINY_N; i++) {
        labels[i] = i % 2;
        tiny_letter(tiny_images[i], i % 2, i % 6 == 5, &rng);
    }
    recon_array x = { .dtype = RECON_F32,
                      .ndim = 3,
                      .shape = { TINY_N, TINY_SIDE, TINY_SIDE },
                      .data = tiny_images };
    recon_array y = { .dtype = RECON_I64, .ndim = 1, .shape = { TINY_N }, .data = labels };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("images.npy"), &x));
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("labels.npy"), &y));
    snprintf(spec, sizeof spec, "npy:%s", scratch("images.npy"));
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, spec));
    return data;
}

/* backbone.safetensors in the scratch folder; density: 0 with one, -1 without. */
static inline void tiny_train(recon_ctx *ctx, const recon_dataset *data, double density)
{
    recon_train_result r;
    const char *kept = density < 0 ? "tiny-plain" : "tiny-density";
    if (scratch_find(kept, "backbone.safetensors"))
        return;
    CHECK_OK(ctx, recon_ieae_train(
                      ctx, &r, data, scratch("backbone.safetensors"),
                      &(recon_ieae_options){
                          .shape = { .preset = RECON_PRESET_SMALL, .width = 0.25, .code = 8 },
                          .epochs = 2,
                          .density = density,
                          .batch = 22,
                          .seed = 1,
                          .overwrite = 1 }));
    scratch_keep(kept, "backbone.safetensors");
}

static const recon_discover_options tiny_options = {
    .k = 5,
    .maps = { .hidden = 64, .epochs = 40, .batch = 32, .rate = 5e-3, .seed = 1 },
    .data = "letters",
    .folds = -1,
};

/* model.safetensors, and all else that discover writes, in the scratch folder. */
static inline void tiny_discover(recon_ctx *ctx, const recon_dataset *data, recon_lambda lambda)
{
    recon_discover_options o = tiny_options;
    recon_discovery d;
    o.lambda = lambda;
    CHECK_OK(ctx, recon_discover(ctx, &d, scratch("backbone.safetensors"), NULL,
                                 recon_dataset_data(data), scratch_folder, &o));
    recon_discovery_free(&d);
}

/* Group fixtures: a context, the scratch folder, and the whole model as a file. Its Lambda is that of
 * the pose density, which has hardly learned anything; or there is none, and maps alone say what
 * poses there are. */
static inline int tiny_setup_with(void **state, double density, recon_lambda lambda)
{
    if (scratch_setup(state) != 0)
        return -1;
    recon_dataset *data = tiny_data(*state);
    tiny_train(*state, data, density);
    tiny_discover(*state, data, lambda);
    recon_dataset_close(data);
    return 0;
}

static inline int tiny_setup(void **state)
{
    return tiny_setup_with(state, 0, RECON_LAMBDA_DENSITY);
}

static inline int tiny_setup_plain(void **state)
{
    return tiny_setup_with(state, -1, RECON_LAMBDA_HEAD);
}

static inline recon_model *tiny_model(recon_ctx *ctx)
{
    recon_model *model;
    CHECK_OK(ctx, recon_model_open(ctx, &model, scratch("model.safetensors"), RECON_SINGLE));
    return model;
}

#endif
