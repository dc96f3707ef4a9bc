/* Image models: see fuzz_models.h. */
#include "fuzz_models.h"
#include "apps/model.h"

static void answer(const recon_model *model)
{
    recon_model_info info = recon_model_describe(model);
    size_t pixels = info.shape.height * info.shape.width_px * info.shape.channels;
    float *image = calloc(pixels, sizeof *image);
    recon_pose2 pose;
    recon_so2_map map;
    FUZZ_CHECK(image);
    for (size_t i = 0; i < pixels; i++)
        image[i] = (float)(i % 3) / 2;
    if (pixels <= SMALL_SIDE * SMALL_SIDE &&
        fuzz_answered(recon_model_read(fuzz_ctx(), &pose, &map, model, image, 1)))
        FUZZ_CHECK(isfinite(pose.psi) && isfinite(pose.turn) && isfinite(map.theta));
    free(image);
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
