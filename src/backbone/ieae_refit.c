/* ieae_refit.c - an image network trained again, on other images, as its file says. */
#include "backbone/ieae.h"
#include "backbone/recipe.h"
#include "data/kinds.h"

recon_status recon_ieae_refit(recon_ctx *ctx, const char *path, const recon_backbone *backbone,
                              const recon_safetensors *file, const recon_data *data,
                              recon_precision precision)
{
    const recon_dataset *images = recon_data_images(data);
    recon_train_result result;
    const recon_ieae_options o = {
        .shape = recon_ieae_describe((const recon_ieae *)backbone),
        .epochs = recon_recipe_size(recon_recipe_before(file, "epochs", 0)),
        .batch = recon_recipe_batch(file, recon_dataset_describe(images).n),
        .rate = recon_recipe_behind(file, "rate", 0),
        .lean = recon_recipe_weight(file, "lean"),
        .pose = recon_recipe_weight(file, "pose"),
        .contrast = recon_recipe_weight(file, "contrast"),
        .temperature = recon_recipe_behind(file, "at", 0),
        .warp = recon_recipe_behind(file, "warp", 0),
        .seed = recon_recipe_size(recon_recipe_behind(file, "seed", 0)),
        .precision = precision,
    };
    return recon_ieae_train(ctx, &result, images, path, &o);
}
