/* shuffle.h - random permutations, as a table or one element at a time. */
#ifndef CORE_SHUFFLE_H
#define CORE_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

/* Writes a random permutation of 0 .. n-1, of which only the first `count` places are shuffled. */
void recon_shuffle(size_t *order /* [n] */, size_t n, size_t count, uint64_t seed);

/* Returns the image of i < n under permutation number `turn` of seed. */
size_t recon_permute(size_t i, size_t n, uint64_t seed, uint64_t turn);

/* The inverse of recon_permute. */
size_t recon_permute_back(size_t i, size_t n, uint64_t seed, uint64_t turn);

#endif
