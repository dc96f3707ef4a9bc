/* Rows of text: whatever is accepted has all its pixels, all finite, and labels. */
#include "fuzz.h"
#include "data/dataset.h"
#include "data/formats.h"

#include <math.h>

static void check(const uint8_t *bytes, size_t size, int skip_bad)
{
    recon_dataset d = { 0 };
    const recon_dataset_options options = { .skip_bad = skip_bad };
    recon_status status = recon_amat_parse(fuzz_ctx(), &d, bytes, size, &options, "fuzz");
    if (status != RECON_OK)
        fuzz_check_failure(status);
    for (size_t i = 0; status == RECON_OK && i < d.info.n; i++) {
        FUZZ_CHECK(d.labels[i] >= 0 && (size_t)d.labels[i] < d.info.classes);
        for (size_t k = 0; k < recon_dataset_pixels(&d.info); k++)
            FUZZ_CHECK(isfinite(d.floats[i * recon_dataset_pixels(&d.info) + k]));
    }
    free(d.own_floats);
    free(d.own_labels);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    check(bytes, size, 0);
    check(bytes, size, 1);
    return 0;
}
