/* Image models that discover made: see fuzz_models.h. */
#include "fuzz_images.h"

#include <recon/model/canonicalize.h>
#include <recon/model/score.h>

static void answer(const recon_model *model)
{
    recon_model_info info = recon_model_describe(model);
    size_t pixels = info.shape.height * info.shape.width_px * info.shape.channels;
    float *image = fuzz_image(pixels), *out = calloc(pixels, sizeof *out);
    recon_pose2 pose;
    recon_oddness odd;
    recon_distribution d;
    if (fuzz_answered(recon_canonicalize(fuzz_ctx(), out, &pose, model, image, 1, NULL)))
        FUZZ_CHECK(isfinite(pose.psi) && isfinite(pose.turn) && isfinite(out[pixels / 2]));
    if (fuzz_answered(recon_score(fuzz_ctx(), &odd, model, image, 1)))
        FUZZ_CHECK(isfinite(odd.score) && odd.p_value > 0 && odd.p_value <= 1);
    if (fuzz_answered(recon_distribution_of(fuzz_ctx(), &d, model, image, 1)))
        FUZZ_CHECK(isfinite(d.theta) && d.modes >= 1 && d.modes <= RECON_MODES_MAX);
    free(image);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_model *model;
    const char *path = fuzz_lie(small_model, bytes, size);
    if (fuzz_opened(recon_model_open(fuzz_ctx(), &model, path, RECON_SINGLE), path))
        answer(model);
    recon_model_close(fuzz_ctx(), model);
    return 0;
}
