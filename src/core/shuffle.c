/* shuffle.c - Fisher and Yates. */
#include "core/shuffle.h"

#include <recon/core/rng.h>

void recon_shuffle(size_t *order, size_t n, size_t count, uint64_t seed)
{
    recon_rng rng = recon_rng_new(seed, 0);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = 0; i < count; i++) {
        size_t j = i + (size_t)recon_rng_below(&rng, n - i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}
