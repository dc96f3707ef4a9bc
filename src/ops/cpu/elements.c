/* elements.c - bf16 to float and back; loops over runs; sums. */
#include "ops/cpu/elements.h"
#include "core/fail.h"
#include "core/f16.h"
#include "core/blocks.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

RECON_CLONES void recon_floats_to_bf16(uint16_t *restrict out, const float *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = recon_bf16_from_float(x[i]);
}

RECON_CLONES void recon_floats_from_bf16(float *restrict out, const uint16_t *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = recon_bf16_to_float(x[i]);
}

RECON_CLONES void recon_column_sums(double *restrict sum, const float *restrict x, size_t rows,
                                    size_t cols)
{
    enum { COLS = RECON_BLOCK_COLUMNS, ROWS = RECON_BLOCK_ROWS };
    float part[COLS];
    for (size_t c = 0; c < cols; c += COLS)
        for (size_t r = 0; r < rows; r += ROWS) {
            size_t width = cols - c < COLS ? cols - c : COLS;
            size_t end = rows - r < ROWS ? rows : r + ROWS;
            memset(part, 0, width * sizeof *part);
            for (size_t i = r; i < end; i++)
                for (size_t j = 0; j < width; j++)
                    part[j] += x[i * cols + c + j];
            for (size_t j = 0; j < width; j++)
                sum[c + j] += (double)part[j];
        }
}

RECON_CLONES double recon_sum(const float *x, size_t n)
{
    enum { LANES = 32 };
    double sum = 0;
    for (size_t at = 0; at < n; at += RECON_RUN) {
        size_t count = n - at < RECON_RUN ? n - at : RECON_RUN, i = 0;
        float lane[LANES] = { 0 };
        for (; i + LANES <= count; i += LANES)
            for (size_t k = 0; k < LANES; k++)
                lane[k] += x[at + i + k];
        for (; i < count; i++)
            lane[i % LANES] += x[at + i];
        for (size_t k = 0; k < LANES; k++)
            sum += (double)lane[k];
    }
    return sum;
}

recon_status recon_part_read(recon_ctx *ctx, recon_arena *scratch, const float **out,
                             const recon_tensor *t, size_t at, size_t count)
{
    float *room;
    RECON_CHECK(recon_part_write(ctx, scratch, &room, t, at, count));
    *out = recon_run_read(room, t, at, count);
    return RECON_OK;
}

recon_status recon_part_write(recon_ctx *ctx, recon_arena *scratch, float **out,
                              const recon_tensor *t, size_t at, size_t count)
{
    *out = recon_run_write(NULL, t, at);
    return *out ? RECON_OK : recon_arena_take(ctx, scratch, out, count, sizeof **out);
}

RECON_CLONES void recon_add_moments(double *restrict first, double *restrict second,
                                    const float *restrict x, size_t rows, size_t cols)
{
    enum { WIDE = RECON_BLOCK_COLUMNS };
    float sum[WIDE], square[WIDE];
    for (size_t c = 0; c < cols; c += WIDE) {
        size_t width = cols - c < WIDE ? cols - c : WIDE;
        memset(sum, 0, sizeof sum);
        memset(square, 0, sizeof square);
        for (size_t r = 0; r < rows; r++)
            for (size_t i = 0; i < width; i++) {
                float d = x[r * cols + c + i] - x[c + i];
                sum[i] += d;
                square[i] += d * d;
            }
        for (size_t i = 0; i < width; i++) {
            double n = (double)rows, pivot = (double)x[c + i], off = (double)sum[i];
            first[c + i] += n * pivot + off;
            second[c + i] += (double)square[i] + pivot * (2 * off + n * pivot);
        }
    }
}

typedef struct {
    recon_run *run;
    const void *args;
    size_t n, most;
} loop;

#define RUNS_PER_TASK 32
static recon_status loop_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const loop *l = arg;
    size_t piece = RUNS_PER_TASK * l->most, begin = task * piece;
    size_t end = l->n - begin < piece ? l->n : begin + piece;
    (void)ctx, (void)worker;
    for (size_t at = begin; at < end; at += l->most)
        l->run(l->args, at, end - at < l->most ? end - at : l->most);
    return RECON_OK;
}

recon_status recon_runs(recon_ctx *ctx, recon_run *run, const void *args, size_t n, size_t most)
{
    loop l = { run, args, n, most };
    size_t piece = RUNS_PER_TASK * most;
    return recon_parallel(ctx, loop_task, &l, (n + piece - 1) / piece);
}
