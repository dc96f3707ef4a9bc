/* fuzz_pixels.h - pictures: whatever is accepted has all its pixels. */
#ifndef TESTS_FUZZ_PIXELS_H
#define TESTS_FUZZ_PIXELS_H

#include "fuzz.h"
#include "core/pixels.h"

static inline void fuzz_pixels(recon_status status, recon_pixels *p)
{
    if (status == RECON_ERR_UNSUPPORTED)
        return;
    if (status != RECON_OK) {
        fuzz_check_failure(status);
        FUZZ_CHECK(!p->bytes);
        return;
    }
    size_t n = recon_pixels_size(p);
    uint8_t *copy = malloc(n);
    FUZZ_CHECK(copy && p->channels >= 1 && p->channels <= RECON_PIXELS_CHANNELS);
    memcpy(copy, p->bytes, n);
    free(copy);
    free(p->bytes);
}

#endif
