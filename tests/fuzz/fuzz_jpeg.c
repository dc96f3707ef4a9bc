/* See fuzz_pixels.h. */
#include "fuzz_pixels.h"
#include "core/jpeg.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_pixels p;
    fuzz_pixels(recon_jpeg_decode(fuzz_ctx(), &p, bytes, size, "fuzz"), &p);
    return 0;
}
