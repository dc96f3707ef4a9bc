/* molecule_refit.c - a molecule network trained again, on other conformers, as its file says. */
#include "backbone/molecule_net.h"
#include "backbone/recipe.h"
#include "data/formats.h"

recon_status recon_molecule_net_refit(recon_ctx *ctx, const char *path,
                                      const recon_backbone *backbone, const recon_safetensors *file,
                                      const recon_data *data, recon_precision precision)
{
    const recon_molecules *molecules = recon_data_molecules(data);
    recon_train_result result;
    recon_molecule_net_options o = {
        .shape = recon_molecule_net_describe((const recon_molecule_net *)backbone),
        .seed = recon_recipe_size(file, "seed"),
        .precision = precision,
        .overwrite = 1,
    };
    recon_recipe_read(&o, &recon_molecule_net_recipe, file);
    o.batch = recon_recipe_batch(file, recon_molecules_describe(molecules).n);
    return recon_molecule_net_train(ctx, &result, molecules, NULL, path, &o);
}
