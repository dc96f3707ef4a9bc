/* activate.c - gates of steerable features, row by row in one pass: see ref/activate.c. */
#include "ops/couple.h"
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "core/exp.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#define SCALAR (float)RECON_ACTIVATE_SCALAR
#define GATE   (float)RECON_ACTIVATE_GATE

/* A row's scalars and opened gates: factor [channels of degree 1 and up]. */
RECON_CLONES static void activate_row(float *restrict y, float *restrict factor,
                                      const float *restrict x, const uint32_t *channels)
{
    size_t scalars = channels[0], gates = recon_couple_gates(channels);
    for (size_t i = 0; i < scalars; i++)
        y[i] = SCALAR * x[i] * recon_sigmoidf(x[i]);
    for (size_t u = 0; u < gates; u++)
        factor[u] = GATE * recon_sigmoidf(x[scalars + u]);
    x += scalars + gates;
    y += scalars;
    for (size_t l = 1; l < RECON_COUPLE_DEGREES; l++)
        for (size_t u = 0; u < channels[l]; u++, factor++)
            for (size_t k = 0; k < 2 * l + 1; k++)
                *y++ = *factor * *x++;
}

/* factor is scratch, as above. */
RECON_CLONES static void pull_row(float *restrict dx, float *restrict factor,
                                  const float *restrict dy, const float *restrict x,
                                  const uint32_t *channels)
{
    size_t scalars = channels[0], gates = recon_couple_gates(channels);
    float *dg = dx + scalars;
    const float *g = x + scalars;
    for (size_t i = 0; i < scalars; i++) {
        float s = recon_sigmoidf(x[i]);
        dx[i] = SCALAR * dy[i] * s * (1 + x[i] * recon_sigmoidf(-x[i]));
    }
    for (size_t u = 0; u < gates; u++)
        factor[u] = GATE * recon_sigmoidf(g[u]);
    const float *v = g + gates;
    float *dv = dg + gates, *dot = dg;
    const float *open = factor;
    dy += scalars;
    for (size_t l = 1; l < RECON_COUPLE_DEGREES; l++)
        for (size_t u = 0; u < channels[l]; u++, open++) {
            float sum = 0;
            for (size_t k = 0; k < 2 * l + 1; k++) {
                sum += *dy * *v++;
                *dv++ = *open * *dy++;
            }
            *dot++ = sum;
        }
    for (size_t u = 0; u < gates; u++)
        dg[u] *= factor[u] * recon_sigmoidf(-g[u]);
}

typedef struct {
    const recon_activate_args *a;
    size_t rows; /* of a task */
    int back;
} job;

/* Numbers of a task's rows, in floats. */
typedef struct {
    const float *x, *dy;
    float *to, *factor;
} block;

static recon_status take(recon_ctx *ctx, block *b, const job *j, recon_arena *arena, size_t row,
                         size_t rows)
{
    const recon_activate_args *a = j->a;
    size_t in = recon_tensor_cols(&a->x), out = recon_couple_dim(a->channels);
    recon_status status;
    RECON_TRY(recon_part_read(ctx, arena, &b->x, &a->x, row * in, rows * in));
    if (j->back) {
        RECON_TRY(recon_part_read(ctx, arena, &b->dy, &a->dy, row * out, rows * out));
        RECON_TRY(recon_part_write(ctx, arena, &b->to, &a->dx, row * in, rows * in));
    } else {
        RECON_TRY(recon_part_write(ctx, arena, &b->to, &a->y, row * out, rows * out));
    }
    RECON_TRY(
        recon_arena_take(ctx, arena, &b->factor, recon_couple_gates(a->channels), sizeof(float)));
done:
    return status;
}

static recon_status rows_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const job *j = arg;
    const recon_activate_args *a = j->a;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t in = recon_tensor_cols(&a->x), out = recon_couple_dim(a->channels);
    size_t row = index * j->rows, left = recon_tensor_rows(&a->x) - row;
    size_t rows = left < j->rows ? left : j->rows;
    block b;
    recon_status status = take(ctx, &b, j, arena, row, rows);
    for (size_t r = 0; r < rows && status == RECON_OK; r++)
        if (j->back)
            pull_row(b.to + r * in, b.factor, b.dy + r * out, b.x + r * in, a->channels);
        else
            activate_row(b.to + r * out, b.factor, b.x + r * in, a->channels);
    if (status == RECON_OK)
        recon_run_wrote(b.to, j->back ? &a->dx : &a->y, row * (j->back ? in : out),
                        rows * (j->back ? in : out));
    recon_arena_release(arena, mark);
    return status;
}

static recon_status run(recon_ctx *ctx, const recon_activate_args *a, int back)
{
    job j = { a, recon_rows_per_task(recon_tensor_cols(&a->x)), back };
    return recon_parallel(ctx, rows_task, &j, (recon_tensor_rows(&a->x) + j.rows - 1) / j.rows);
}

recon_status recon_cpu_activate(recon_ctx *ctx, const recon_activate_args *args)
{
    return run(ctx, args, 0);
}

recon_status recon_cpu_activate_back(recon_ctx *ctx, const recon_activate_args *args)
{
    return run(ctx, args, 1);
}
