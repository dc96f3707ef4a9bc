/* Classifiers of images: see fuzz_models.h. Their logits may be anything: they are compared. */
#include "fuzz_models.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_classifier *c;
    const char *path = fuzz_lie(small_classifier, bytes, size);
    const float image[SMALL_SIDE * SMALL_SIDE] = { 0, 1, 0.5f };
    double logits[SMALL_CLASSES];
    if (fuzz_opened(recon_classifier_open(fuzz_ctx(), &c, path), path)) {
        recon_classifier_info i = recon_classifier_describe(c);
        if (i.height * i.width * i.channels <= SMALL_SIDE * SMALL_SIDE &&
            i.classes <= SMALL_CLASSES)
            fuzz_answered(recon_classifier_logits(fuzz_ctx(), logits, c, image, 1));
    }
    recon_classifier_close(fuzz_ctx(), c);
    return 0;
}
