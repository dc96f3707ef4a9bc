/* shuffle.h - a random order. */
#ifndef CORE_SHUFFLE_H
#define CORE_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

/* 0 .. n-1 by chance and the seed; the first `count` places are enough. */
void recon_shuffle(size_t *order /* [n] */, size_t n, size_t count, uint64_t seed);

#endif
