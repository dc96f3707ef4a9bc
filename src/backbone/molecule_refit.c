/* molecule_refit.c - a molecule network trained again, on other conformers, as its file says. */
#include "backbone/molecule_net.h"
#include "backbone/recipe.h"
#include "data/kinds.h"

recon_status recon_molecule_net_refit(recon_ctx *ctx, const char *path,
                                      const recon_backbone *backbone, const recon_safetensors *file,
                                      const recon_data *data, recon_precision precision)
{
    const recon_molecules *molecules = recon_data_molecules(data);
    size_t n = recon_molecules_describe(molecules).n;
    recon_train_result result;
    const recon_molecule_net_options o = {
        .shape = recon_molecule_net_describe((const recon_molecule_net *)backbone),
        .epochs = recon_recipe_size(file, "epochs"),
        .before = recon_recipe_size(file, "epochs before pairs"),
        .batch = recon_recipe_batch(file, n),
        .rate = recon_recipe_number(file, "rate"),
        .element = recon_recipe_weight(file, "element"),
        .align = recon_recipe_weight(file, "align"),
        .contrast = recon_recipe_weight(file, "contrast"),
        .pairs =
            recon_recipe_is(file, "pairs", "elements") ? RECON_PAIRS_ELEMENTS : RECON_PAIRS_BONDS,
        .seed = recon_recipe_size(file, "seed"),
        .precision = precision,
        .overwrite = 1,
    };
    return recon_molecule_net_train(ctx, &result, molecules, NULL, path, &o);
}
