/* dropout.c - Philox in vectors: the same words as core/rng.c, many positions at once. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "core/simd.h"

#define BLOCKS (RECON_RUN / 4) /* Philox makes four words at a time */

/* word[4 i + k] = word k of the block at position + i. */
RECON_CLONES static void words(uint32_t *restrict word, uint64_t position, uint64_t stream,
                               uint64_t seed)
{
    uint32_t c[4][BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        c[0][i] = (uint32_t)(position + i);
        c[1][i] = (uint32_t)((position + i) >> 32);
        c[2][i] = (uint32_t)stream;
        c[3][i] = (uint32_t)(stream >> 32);
    }
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
        for (size_t i = 0; i < BLOCKS; i++) {
            uint64_t a = (uint64_t)0xD2511F53u * c[0][i], b = (uint64_t)0xCD9E8D57u * c[2][i];
            c[0][i] = (uint32_t)(b >> 32) ^ c[1][i] ^ k0;
            c[1][i] = (uint32_t)b;
            c[2][i] = (uint32_t)(a >> 32) ^ c[3][i] ^ k1;
            c[3][i] = (uint32_t)a;
        }
    for (size_t i = 0; i < BLOCKS; i++)
        for (size_t k = 0; k < 4; k++)
            word[4 * i + k] = c[k][i];
}

RECON_CLONES static void drop(float *y, const float *x, const uint32_t *word, uint64_t below,
                              float scale, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = word[i] < below ? 0 : x[i] * scale;
}

static void dropout_run(const void *args, size_t at, size_t n)
{
    const recon_dropout_args *a = args;
    uint32_t word[RECON_RUN];
    float x[RECON_RUN], y[RECON_RUN];
    words(word, at / 4, *a->counter + (a->site << 32), a->seed);
    drop(recon_run_write(y, &a->y, at), recon_run_read(x, &a->x, at, n), word,
         (uint64_t)(a->rate * 0x1p32), (float)(1 / (1 - a->rate)), n);
    recon_run_wrote(y, &a->y, at, n);
}

recon_status recon_cpu_dropout(recon_ctx *ctx, const recon_dropout_args *args)
{
    return recon_runs(ctx, dropout_run, args, recon_tensor_count(&args->x), RECON_RUN);
}
