/* Backbones of images: see fuzz_models.h. */
#include "fuzz_answers.h"

static void answer(const recon_ieae *model)
{
    recon_ieae_shape shape = recon_ieae_describe(model);
    float *image = fuzz_image(shape.height * shape.width_px * shape.channels);
    float *z = calloc(shape.code, sizeof *z);
    float q[RECON_POSE_BINS] = { 0 };
    double psi;
    recon_seen seen = { .z = z, .psi = &psi, .density = q };
    if (fuzz_answered(recon_ieae_embed(fuzz_ctx(), &seen, model, image, 1)))
        FUZZ_CHECK(isfinite(psi) && isfinite(z[0]) && isfinite(z[shape.code - 1]) &&
                   isfinite(q[0]));
    fuzz_answered(recon_ieae_decode(fuzz_ctx(), image, model, z, 1));
    free(image);
    free(z);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_ieae *model;
    const char *path = fuzz_lie(small_model, bytes, size);
    if (fuzz_opened(recon_ieae_open(fuzz_ctx(), &model, path, RECON_SINGLE), path))
        answer(model);
    recon_ieae_close(fuzz_ctx(), model);
    return 0;
}
