/* hash.h - keyed hashes, for tables of names that come from files.
 *
 * * Without a key, the author of a file could choose names that collide, and a table of n of them
 * would take n^2 steps. The key is random and new in every context. No result may depend on it:
 * tables are for lookup, never for order. Hashes that identify data (data/identity.h) have fixed
 * keys. */
#ifndef CORE_HASH_H
#define CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t word[2];
} recon_hash_key;

/* Makes a key from the system's random numbers, or from the clock and an address. */
recon_hash_key recon_hash_key_new(void);

/* SipHash-1-3 (Aumasson and Bernstein, 2012). */
uint64_t recon_hash(recon_hash_key key, const void *bytes, size_t n);

#endif
