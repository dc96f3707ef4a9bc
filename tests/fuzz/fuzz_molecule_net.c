/* Backbones of molecules: see fuzz_models.h. */
#include "fuzz_answers.h"

static void answer(const recon_molecule_net *model)
{
    recon_molecule_net_shape shape = recon_molecule_net_describe(model);
    float *z = calloc(shape.code, sizeof *z), *latent = calloc(shape.latent, sizeof *latent);
    float shift[3];
    recon_so3 psi;
    const recon_molecule_net_answer out = { z, latent, &psi, shift };
    if (fuzz_answered(recon_molecule_net_embed(fuzz_ctx(), &out, model, &fuzz_water, 1)))
        FUZZ_CHECK(fuzz_is_rotation(psi) && isfinite(z[0]) && isfinite(shift[2]));
    free(z);
    free(latent);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_molecule_net *model;
    const char *path = fuzz_lie(small_molecule_model, bytes, size);
    if (fuzz_opened(recon_molecule_net_open(fuzz_ctx(), &model, path, RECON_SINGLE), path))
        answer(model);
    recon_molecule_net_close(fuzz_ctx(), model);
    return 0;
}
