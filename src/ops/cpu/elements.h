/* elements.h - runs of numbers as floats, whatever a tensor stores them in.
 *
 * Kernels are written once, for float, on runs of at most RECON_RUN numbers. F32 is worked on in
 * place; BF16 passes through a buffer that stays in the first-level cache. */
#ifndef OPS_CPU_ELEMENTS_H
#define OPS_CPU_ELEMENTS_H

#include "ops/ops.h"
#include "core/arena.h"

#define RECON_RUN  1024
#define RECON_TASK 32768 /* numbers that are worth a task */

/* See core/f16.h. */
void recon_floats_to_bf16(uint16_t *out, const float *x, size_t n);
void recon_floats_from_bf16(float *out, const uint16_t *x, size_t n);

/* Elements at .. at + n of t to read; buffer [n] is used when they are not floats. */
static inline const float *recon_run_read(float *buffer, const recon_tensor *t, size_t at, size_t n)
{
    if (t->type == RECON_F32)
        return (const float *)t->data + at;
    recon_floats_from_bf16(buffer, (const uint16_t *)t->data + at, n);
    return buffer;
}

/* Where to put elements at .. of t; recon_run_wrote then stores what went to the buffer. */
static inline float *recon_run_write(float *buffer, const recon_tensor *t, size_t at)
{
    return t->type == RECON_F32 ? (float *)t->data + at : buffer;
}
static inline void recon_run_wrote(const float *buffer, const recon_tensor *t, size_t at, size_t n)
{
    if (t->type != RECON_F32)
        recon_floats_to_bf16((uint16_t *)t->data + at, buffer, n);
}

/* Calls run for 0 .. n in pieces of at most most, in parallel and in no order. All begin at
 * multiples of most. */
typedef void recon_run(const void *args, size_t at, size_t n);
recon_status recon_runs(recon_ctx *ctx, recon_run *run, const void *args, size_t n, size_t most);

/* How many rows of cols numbers make a task that is worth handing out. Depends on nothing else. */
static inline size_t recon_rows_per_task(size_t cols)
{
    return cols < RECON_TASK ? RECON_TASK / (cols ? cols : 1) : 1;
}

/* count numbers of t from at on as floats to read, or room for them, in scratch where
 * t has none. */
recon_status recon_part_read(recon_ctx *ctx, recon_arena *scratch, const float **out,
                             const recon_tensor *t, size_t at, size_t count);
recon_status recon_part_write(recon_ctx *ctx, recon_arena *scratch, float **out,
                              const recon_tensor *t, size_t at, size_t count);

/* sum of n numbers, in an order of its own: floats within a run, doubles beyond. */
double recon_sum(const float *x, size_t n);

/* sum[c] += the column sums of x [rows][cols]: floats within a few rows, doubles beyond. */
void recon_column_sums(double *sum, const float *x, size_t rows, size_t cols);

/* first[c], second[c] += the column sums of x and of its square over a few rows: in float about the
 * first of them, so that a mean much larger than the spread costs no digits, in double beyond. */
void recon_add_moments(double *first, double *second, const float *x, size_t rows, size_t cols);

#endif
