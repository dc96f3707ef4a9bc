/* See fuzz_pixels.h. */
#include "fuzz_pixels.h"
#include "core/tiff.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_pixels p;
    FUZZ_CHECK(recon_tiff_pages(bytes, size) >= 1);
    fuzz_pixels(recon_tiff_decode(fuzz_ctx(), &p, bytes, size, "fuzz"), &p);
    return 0;
}
