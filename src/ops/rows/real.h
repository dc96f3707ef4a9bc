/* real.h - the numbers that the kernels of this folder work on.
 *
 * A kernel whose rows or images do not meet is written once, in a header that two files include:
 * cpu/rows.c, where `real` is float and each loop is compiled for several levels of x86-64, and
 * ref/rows.c, where it is double and the loops are plain. Tensors of that very type are worked on in
 * place; others pass through a buffer, as runs of at most RECON_RUN numbers, or through an arena. */
#ifndef OPS_ROWS_REAL_H
#define OPS_ROWS_REAL_H

#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "ops/ref/ref.h"
#include "core/f16.h"
#include "core/exp.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

#ifdef RECON_ROWS_IN_DOUBLE

#undef RECON_CLONES
#define RECON_CLONES
#define ENTRY(name) recon_ref_##name
#define get_real    recon_ref_get
#define set_real    recon_ref_set
typedef double real;

static inline const real *read_run(real *buffer, const recon_tensor *t, size_t at, size_t n)
{
    if (t->type == RECON_F64)
        return (const real *)t->data + at;
    recon_ref_load(buffer, t, at, n);
    return buffer;
}

static inline real *write_run(real *buffer, const recon_tensor *t, size_t at)
{
    return t->type == RECON_F64 ? (real *)t->data + at : buffer;
}

static inline void wrote_run(const real *buffer, const recon_tensor *t, size_t at, size_t n)
{
    if (t->type != RECON_F64)
        recon_ref_store(t, at, buffer, n);
}

static recon_status write_part(recon_ctx *ctx, recon_arena *scratch, real **out,
                               const recon_tensor *t, size_t at, size_t count)
{
    *out = write_run(NULL, t, at);
    return *out ? RECON_OK : recon_arena_take(ctx, scratch, out, count, sizeof **out);
}

static recon_status read_part(recon_ctx *ctx, recon_arena *scratch, const real **out,
                              const recon_tensor *t, size_t at, size_t count)
{
    real *room;
    recon_status status = write_part(ctx, scratch, &room, t, at, count);
    if (status == RECON_OK)
        *out = read_run(room, t, at, count);
    return status;
}

static inline real sigmoid(real x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)); /* nothing overflows */
}

static inline real softplus(real x)
{
    return (x < 0 ? 0 : x) + log1p(exp(-fabs(x)));
}

#else

#define ENTRY(name) recon_cpu_##name
#define read_run    recon_run_read
#define write_run   recon_run_write
#define wrote_run   recon_run_wrote
#define read_part   recon_part_read
#define write_part  recon_part_write
#define sigmoid     recon_sigmoidf
typedef float real;

static inline real get_real(const recon_tensor *t, size_t i)
{
    return t->type == RECON_F32 ? ((const float *)t->data)[i]
                                : recon_bf16_to_float(((const uint16_t *)t->data)[i]);
}

static inline void set_real(const recon_tensor *t, size_t i, real x)
{
    if (t->type == RECON_F32)
        ((float *)t->data)[i] = x;
    else
        ((uint16_t *)t->data)[i] = recon_bf16_from_float(x);
}

static inline real softplus(real x)
{
    return (x < 0 ? 0 : x) + recon_log1pf_unit(recon_expf(-fabsf(x)));
}

#endif

/* y[c] = or += a x[c] */
static inline void scale_run(real *restrict y, real a, const real *restrict x, size_t c)
{
    for (size_t i = 0; i < c; i++)
        y[i] = a * x[i];
}
static inline void add_scaled(real *restrict y, real a, const real *restrict x, size_t c)
{
    for (size_t i = 0; i < c; i++)
        y[i] += a * x[i];
}

/* One row or image of out, from those of x and dy with the same number: NULL where the job has
 * none. scratch has room for as many numbers as the job says. */
typedef void row_kernel(const void *args, size_t row, real *out, const real *x, const real *dy,
                        real *scratch);
typedef struct {
    row_kernel *kernel;
    const void *args;
    const recon_tensor *out, *x, *dy;
    size_t rows, scratch;
    size_t step; /* rows of a task */
} row_job;

static recon_status rows_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const row_job *j = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    size_t first = task * j->step, rows = j->rows - first < j->step ? j->rows - first : j->step;
    size_t to = recon_tensor_count(j->out) / j->rows;
    size_t in = j->x ? recon_tensor_count(j->x) / j->rows : 0;
    size_t back = j->dy ? recon_tensor_count(j->dy) / j->rows : 0;
    const real *x = NULL, *dy = NULL;
    real *out, *scratch;
    RECON_CHECK(write_part(ctx, arena, &out, j->out, first * to, rows * to));
    RECON_CHECK(recon_arena_take(ctx, arena, &scratch, j->scratch, sizeof *scratch));
    if (j->x)
        RECON_CHECK(read_part(ctx, arena, &x, j->x, first * in, rows * in));
    if (j->dy)
        RECON_CHECK(read_part(ctx, arena, &dy, j->dy, first * back, rows * back));
    for (size_t r = 0; r < rows; r++)
        j->kernel(j->args, first + r, out + r * to, x ? x + r * in : NULL,
                  dy ? dy + r * back : NULL, scratch);
    wrote_run(out, j->out, first * to, rows * to);
    return RECON_OK;
}

static recon_status each_row(recon_ctx *ctx, row_job j)
{
    return recon_parallel(ctx, rows_task, &j, (j.rows + j.step - 1) / j.step);
}

/* A task for each image of out. */
static recon_status each_image(recon_ctx *ctx, row_kernel *kernel, const void *args,
                               const recon_tensor *out, const recon_tensor *x,
                               const recon_tensor *dy)
{
    return each_row(ctx, (row_job){ .kernel = kernel,
                                    .args = args,
                                    .out = out,
                                    .x = x,
                                    .dy = dy,
                                    .rows = out->shape[0],
                                    .step = 1 });
}

#endif
