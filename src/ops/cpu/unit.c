/* unit.c - rows scaled to length one. The formulas are in ref/direction.c. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <math.h>

/* Eight sums side by side: the compiler may not reorder a single one. */
RECON_CLONES static double dot(const float *restrict a, const float *restrict b, size_t n)
{
    enum { WIDE = 8 };
    double sum[WIDE] = { 0 }, all = 0;
    size_t i = 0;
    for (; i + WIDE <= n; i += WIDE)
        for (size_t k = 0; k < WIDE; k++)
            sum[k] += (double)a[i + k] * (double)b[i + k];
    for (; i < n; i++)
        all += (double)a[i] * (double)b[i];
    for (size_t k = 0; k < WIDE; k++)
        all += sum[k];
    return all;
}

RECON_CLONES static void forth(float *restrict y, const float *restrict x, size_t n)
{
    double norm = sqrt(dot(x, x, n));
    double least = norm < RECON_UNIT_LEAST ? RECON_UNIT_LEAST : norm; /* NaN stays */
    for (size_t i = 0; i < n; i++)
        y[i] = (float)((double)x[i] / least);
}

RECON_CLONES static void back(float *restrict dx, const float *restrict dy, const float *restrict x,
                              size_t n)
{
    double norm = sqrt(dot(x, x, n)), inv = norm <= RECON_UNIT_LEAST ? 0 : 1 / norm;
    double along = dot(x, dy, n) * inv * inv;
    for (size_t i = 0; i < n; i++)
        dx[i] = (float)(((double)dy[i] - (double)x[i] * along) * inv);
}

/* Some rows, by parts of the tensors that a worker has room for. */
typedef struct {
    const recon_unit_args *a;
    const recon_tensor *out; /* y or dx */
    size_t rows, cols, step;
} job;

static recon_status rows_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const job *j = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t first = task * j->step, rows = j->rows - first < j->step ? j->rows - first : j->step;
    size_t at = first * j->cols, n = rows * j->cols;
    const float *x, *dy = NULL;
    float *out;
    recon_status status;
    RECON_TRY(recon_part_read(ctx, arena, &x, &j->a->x, at, n));
    if (j->out == &j->a->dx)
        RECON_TRY(recon_part_read(ctx, arena, &dy, &j->a->dy, at, n));
    RECON_TRY(recon_part_write(ctx, arena, &out, j->out, at, n));
    for (size_t r = 0; r < n; r += j->cols) {
        if (dy)
            back(out + r, dy + r, x + r, j->cols);
        else
            forth(out + r, x + r, j->cols);
    }
    recon_run_wrote(out, j->out, at, n);
done:
    recon_arena_release(arena, mark);
    return status;
}

static recon_status run(recon_ctx *ctx, const recon_unit_args *args, const recon_tensor *out)
{
    job j = { args, out, recon_tensor_rows(&args->x), recon_tensor_cols(&args->x), 0 };
    j.step = recon_rows_per_task(j.cols);
    return recon_parallel(ctx, rows_task, &j, (j.rows + j.step - 1) / j.step);
}

recon_status recon_cpu_unit(recon_ctx *ctx, const recon_unit_args *args)
{
    return run(ctx, args, &args->y);
}

recon_status recon_cpu_unit_back(recon_ctx *ctx, const recon_unit_args *args)
{
    return run(ctx, args, &args->dx);
}
