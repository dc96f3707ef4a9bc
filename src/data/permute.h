/* permute.h - a random order, one place at a time and without a table. */
#ifndef DATA_PERMUTE_H
#define DATA_PERMUTE_H

#include <stddef.h>
#include <stdint.h>

/* Where i < n goes in permutation number `turn` of seed. */
size_t recon_permute(size_t i, size_t n, uint64_t seed, uint64_t turn);

/* What goes to i < n: the inverse. */
size_t recon_permute_back(size_t i, size_t n, uint64_t seed, uint64_t turn);

#endif
