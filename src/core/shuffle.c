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

/* --- A Feistel network over the smallest square that holds n, with Philox as its round
 * function; places beyond n are walked on until they fall inside. A bijection of the square walked
 * that way is one of 0 .. n-1. */

enum { ROUNDS = 6 };
#define SHUFFLES ((uint64_t)1 << 63) /* streams that nothing else draws from */

static uint64_t half_bits(size_t n)
{
    uint64_t bits = 0;
    while (bits < 32 && (uint64_t)1 << 2 * bits < n)
        bits++;
    return bits;
}

static uint64_t mix(uint64_t right, uint64_t round, uint64_t seed, uint64_t turn)
{
    recon_rng rng = recon_rng_new(seed, SHUFFLES | turn << 4 | round);
    rng.position = right;
    return recon_rng_u32(&rng);
}

size_t recon_permute(size_t i, size_t n, uint64_t seed, uint64_t turn)
{
    uint64_t bits = half_bits(n), mask = ((uint64_t)1 << bits) - 1, x = i;
    do {
        uint64_t left = x >> bits, right = x & mask;
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint64_t next = left ^ (mix(right, round, seed, turn) & mask);
            left = right;
            right = next;
        }
        x = left << bits | right;
    } while (x >= n);
    return (size_t)x;
}

size_t recon_permute_back(size_t i, size_t n, uint64_t seed, uint64_t turn)
{
    uint64_t bits = half_bits(n), mask = ((uint64_t)1 << bits) - 1, x = i;
    do {
        uint64_t left = x >> bits, right = x & mask;
        for (uint64_t round = ROUNDS; round-- > 0;) {
            uint64_t before = right ^ (mix(left, round, seed, turn) & mask);
            right = left;
            left = before;
        }
        x = left << bits | right;
    } while (x >= n);
    return (size_t)x;
}
