/* rng.c - Philox 4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2,
 * 3", SC 2011. The key is the seed; the counter is (position, stream). */
#include <recon/core/rng.h>

#include <math.h>

#define TWO_PI 6.283185307179586477

static void philox(uint32_t out[4], uint64_t position, uint64_t stream, uint64_t seed)
{
    uint32_t c0 = (uint32_t)position, c1 = (uint32_t)(position >> 32);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

recon_rng recon_rng_new(uint64_t seed, uint64_t stream)
{
    return (recon_rng){ .seed = seed, .stream = stream };
}

uint32_t recon_rng_u32(recon_rng *rng)
{
    if (rng->left == 0) {
        philox(rng->word, rng->position++, rng->stream, rng->seed);
        rng->left = 4;
    }
    return rng->word[4 - rng->left--];
}

uint64_t recon_rng_u64(recon_rng *rng)
{
    uint64_t low = recon_rng_u32(rng);
    return low | (uint64_t)recon_rng_u32(rng) << 32;
}

double recon_rng_uniform(recon_rng *rng)
{
    return (double)(recon_rng_u64(rng) >> 11) * 0x1p-53;
}

/* Box-Muller, one of the pair: no state beyond the counter, so a restart cannot split a pair. */
double recon_rng_normal(recon_rng *rng)
{
    double radius = sqrt(-2 * log1p(-recon_rng_uniform(rng)));
    return radius * cos(TWO_PI * recon_rng_uniform(rng));
}

/* Numbers above the last whole multiple of n are thrown away, so that none is favoured. */
uint64_t recon_rng_below(recon_rng *rng, uint64_t n)
{
    uint64_t limit = UINT64_MAX - (UINT64_MAX % n + 1) % n;
    uint64_t x = recon_rng_u64(rng);
    while (x > limit)
        x = recon_rng_u64(rng);
    return x % n;
}
