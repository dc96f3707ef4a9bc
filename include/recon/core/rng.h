/* rng.h - counter-based random numbers (Philox 4x32-10, Salmon et al., SC 2011).
 *
 * A generator is a value: seed, stream and position determine each number. Give each item of a
 * parallel loop its own stream, and the results are the same on any number of threads, on any
 * machine, and after a restart. */
#ifndef RECON_CORE_RNG_H
#define RECON_CORE_RNG_H

#include <stddef.h>
#include <stdint.h>
#include <recon/core/status.h>

typedef struct {
    uint64_t seed, stream;
    uint64_t position; /* blocks of four words generated so far */
    uint32_t word[4];  /* the current block */
    uint32_t left;     /* words of the current block that are not yet used */
} recon_rng;

/* Returns a generator at the beginning of a stream. */
RECON_API recon_rng recon_rng_new(uint64_t seed, uint64_t stream);

/* Return the next 32 or 64 random bits. */
RECON_API uint32_t recon_rng_u32(recon_rng *rng);
RECON_API uint64_t recon_rng_u64(recon_rng *rng);
RECON_API double recon_rng_uniform(recon_rng *rng);             /* [0, 1), 53 bits */
RECON_API double recon_rng_normal(recon_rng *rng);              /* mean 0, variance 1 */
RECON_API uint64_t recon_rng_below(recon_rng *rng, uint64_t n); /* 0 .. n-1, no bias; n > 0 */

#endif
