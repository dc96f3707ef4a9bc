/* See fuzz_pixels.h. The checksums of PNG's chunks are put right first: no mutation would get past
 * them. */
#include "fuzz_pixels.h"

#include "core/picture.h"
#include <zlib.h>

static size_t word(const uint8_t *b)
{
    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

static void mend(uint8_t *bytes, size_t size)
{
    for (size_t at = 8; at + 12 <= size;) {
        size_t n = word(bytes + at);
        if (n > size - at - 12)
            return;
        uint32_t sum = (uint32_t)crc32(0, bytes + at + 4, (uInt)(n + 4));
        for (int i = 0; i < 4; i++)
            bytes[at + 8 + n + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += n + 12;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_pixels p;
    uint8_t *copy = malloc(size ? size : 1);
    FUZZ_CHECK(copy);
    if (size)
        memcpy(copy, bytes, size);
    mend(copy, size);
    fuzz_pixels(recon_picture_whole(fuzz_ctx(), &p, recon_png_scan, copy, size, "fuzz"), &p);
    free(copy);
    return 0;
}
