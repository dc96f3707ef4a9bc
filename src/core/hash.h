/* hash.h - keyed hashes, for tables of names that come from files.
 *
 * Whoever writes a file may choose names that collide under a hash without a key: a table of n of
 * them then takes n^2 steps. The key is random and new in every context, so nobody can choose them.
 * No result may depend on it: tables are for finding things, never for their order. What tells data
 * apart (data/identity.h) has keys that are always the same. */
#ifndef CORE_HASH_H
#define CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t word[2];
} recon_hash_key;

/* From the system's random numbers; where it has none yet, from the clock and an address. */
recon_hash_key recon_hash_key_new(void);

/* SipHash-1-3 (Aumasson and Bernstein, 2012). */
uint64_t recon_hash(recon_hash_key key, const void *bytes, size_t n);

#endif
