/* ieae_refit.c - an image network trained again, on other images, as its file says. */
#include "backbone/ieae.h"
#include "backbone/recipe.h"
#include "data/kinds.h"
#include "nn/settings.h"

#include <math.h>

/* 0, the default, where the file does not say; negative: none. */
static double decay_of(const recon_safetensors *file)
{
    const char *line = recon_safetensors_metadata(file, "training");
    double decay = line ? recon_settings_value(line, "decay", NAN) : NAN;
    return isnan(decay) ? 0 : decay > 0 ? recon_recipe_number(file, "decay") : -1;
}

recon_status recon_ieae_refit(recon_ctx *ctx, const char *path, const recon_backbone *backbone,
                              const recon_safetensors *file, const recon_data *data,
                              recon_precision precision)
{
    const recon_dataset *images = recon_data_images(data);
    recon_train_result result;
    const recon_ieae_options o = {
        .shape = recon_ieae_describe((const recon_ieae *)backbone),
        .epochs = recon_recipe_short(file),
        .batch = recon_recipe_batch(file, recon_dataset_describe(images).n),
        .rate = recon_recipe_number(file, "rate"),
        .decay = decay_of(file),
        .density = recon_recipe_weight(file, "density"),
        .pose = recon_recipe_weight(file, "pose"),
        .contrast = recon_recipe_weight(file, "contrast"),
        .temperature = recon_recipe_number(file, "temperature"),
        .augment = recon_recipe_is(file, "augment", "yes") ? 1 : -1,
        .flip = recon_recipe_is(file, "flip", "yes") ? 1 : -1,
        .views = recon_recipe_is(file, "views", "given") ? RECON_VIEWS_GIVEN : RECON_VIEWS_RANDOM,
        .warp = recon_recipe_weight(file, "warp"),
        .seed = recon_recipe_size(file, "seed"),
        .from = recon_recipe_from(file),
        .precision = precision,
        .overwrite = 1,
    };
    return recon_ieae_train(ctx, &result, images, path, &o);
}
