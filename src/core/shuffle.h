/* shuffle.h - random orders: as a table, and one place at a time without one. */
#ifndef CORE_SHUFFLE_H
#define CORE_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

/* 0 .. n-1 by chance and the seed; the first `count` places are enough. */
void recon_shuffle(size_t *order /* [n] */, size_t n, size_t count, uint64_t seed);

/* Where i < n goes in permutation number `turn` of seed. */
size_t recon_permute(size_t i, size_t n, uint64_t seed, uint64_t turn);

/* What goes to i < n: the inverse. */
size_t recon_permute_back(size_t i, size_t n, uint64_t seed, uint64_t turn);

#endif
