/* See fuzz_pixels.h. */
#include "fuzz_pixels.h"
#include "core/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_pixels p;
    fuzz_pixels(recon_picture_whole(fuzz_ctx(), &p, recon_pnm_scan, bytes, size, "fuzz"), &p);
    return 0;
}
