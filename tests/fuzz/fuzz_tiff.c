/* See fuzz_pixels.h. */
#include "fuzz_pixels.h"
#include "core/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_pixels p;
    FUZZ_CHECK(recon_tiff_pages(bytes, size) >= 1);
    fuzz_pixels(recon_picture_whole(fuzz_ctx(), &p, recon_tiff_scan, bytes, size, "fuzz"), &p);
    return 0;
}
