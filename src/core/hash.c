/* hash.c - SipHash-1-3 and its keys. */
#include "core/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

recon_hash_key recon_hash_key_new(void)
{
    recon_hash_key key;
    struct timespec t;
    if (getrandom(&key, sizeof key, GRND_NONBLOCK) == (ssize_t)sizeof key)
        return key;
    clock_gettime(CLOCK_MONOTONIC, &t);
    key.word[0] = (uint64_t)t.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)t.tv_sec;
    key.word[1] = (uint64_t)(uintptr_t)&key;
    return key;
}

static uint64_t rotated(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotated(v[1], 13) ^ v[0];
    v[3] = rotated(v[3], 16) ^ v[2];
    v[0] = rotated(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotated(v[1], 17) ^ v[2];
    v[3] = rotated(v[3], 21) ^ v[0];
    v[2] = rotated(v[2], 32);
}

static void take(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v);
    v[0] ^= word;
}

uint64_t recon_hash(recon_hash_key key, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t v[4] = { key.word[0] ^ 0x736f6d6570736575u, key.word[1] ^ 0x646f72616e646f6du,
                      key.word[0] ^ 0x6c7967656e657261u, key.word[1] ^ 0x7465646279746573u };
    uint64_t word, last = (uint64_t)n << 56;
    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word); /* little-endian, as all of recon's files */
        take(v, word);
    }
    for (size_t i = 0; i < n; i++)
        last |= (uint64_t)p[i] << 8 * i;
    take(v, last);
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
