/* ieae_refit.c - an image network trained again, on other images, as its file says. */
#include "backbone/ieae.h"
#include "backbone/recipe.h"
#include "data/formats.h"

recon_status recon_ieae_refit(recon_ctx *ctx, const char *path, const recon_backbone *backbone,
                              const recon_safetensors *file, const recon_data *data,
                              recon_precision precision)
{
    const recon_dataset *images = recon_data_images(data);
    recon_train_result result;
    recon_ieae_options o = { .shape = recon_ieae_describe((const recon_ieae *)backbone),
                             .seed = recon_recipe_size(file, "seed"),
                             .from = recon_recipe_from(file),
                             .precision = precision,
                             .overwrite = 1 };
    recon_recipe_read(&o, &recon_ieae_recipe, file);
    o.epochs = recon_recipe_short(file);
    o.batch = recon_recipe_batch(file, recon_dataset_describe(images).n);
    return recon_ieae_train(ctx, &result, images, path, &o);
}
