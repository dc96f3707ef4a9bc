/* dropout.h - Philox in vectors: the same words as core/rng.c, many positions at once. */
#ifndef OPS_ROWS_DROPOUT_H
#define OPS_ROWS_DROPOUT_H

#include "ops/rows/real.h"
#include "ops/slices.h"

enum { BLOCKS = RECON_RUN / 4 }; /* Philox makes four words at a time */

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

RECON_CLONES static void drop(real *y, const real *x, const uint32_t *word, uint64_t below,
                              real scale, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = word[i] < below ? 0 : x[i] * scale;
}

/* Words come in fours, so up to three are made in front of the first that is wanted. */
enum { DROPS = RECON_RUN - 4 };

static void dropout_run(const void *args, size_t at, size_t n)
{
    const recon_dropout_args *a = args;
    size_t first = at + recon_slices_rows_before(&a->x, recon_tensor_count(&a->x));
    uint32_t word[RECON_RUN];
    real x[RECON_RUN], y[RECON_RUN];
    words(word, first / 4, *a->counter + (a->site << 32), a->seed);
    drop(write_run(y, &a->y, at), read_run(x, &a->x, at, n), word + first % 4,
         (uint64_t)(a->rate * 0x1p32), (real)(1 / (1 - a->rate)), n);
    wrote_run(y, &a->y, at, n);
}

/* Channels from..to of a row, on all of its planes. */
static void drop_channels(const recon_dropout_args *a, size_t row, size_t from, size_t n)
{
    size_t channels = recon_tensor_cols(&a->x), rows = recon_tensor_rows(&a->x) / a->planes;
    size_t first = (recon_slices_rows_before(&a->x, rows) + row) * channels + from;
    uint64_t below = (uint64_t)(a->rate * 0x1p32);
    uint32_t word[RECON_RUN];
    real x[RECON_RUN], y[RECON_RUN];
    words(word, first / 4, *a->counter + (a->site << 32), a->seed);
    for (size_t p = 0; p < a->planes; p++) {
        size_t at = (row * a->planes + p) * channels + from;
        drop(write_run(y, &a->y, at), read_run(x, &a->x, at, n), word + first % 4, below,
             (real)(1 / (1 - a->rate)), n);
        wrote_run(y, &a->y, at, n);
    }
}

static void channels_run(const void *args, size_t at, size_t n)
{
    const recon_dropout_args *a = args;
    size_t channels = recon_tensor_cols(&a->x);
    for (size_t row = at; row < at + n; row++)
        for (size_t from = 0; from < channels; from += DROPS)
            drop_channels(a, row, from, channels - from < DROPS ? channels - from : DROPS);
}

recon_status ENTRY(dropout)(recon_ctx *ctx, const recon_dropout_args *args)
{
    if (args->planes > 1)
        return recon_runs(ctx, channels_run, args, recon_tensor_rows(&args->x) / args->planes, 1);
    return recon_runs(ctx, dropout_run, args, recon_tensor_count(&args->x), DROPS);
}

#endif
