/* norm_relu.c - the norm-nonlinearity of vector fields, row by row. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

/* Rows of a task: they fit into its buffers as floats. */
typedef struct {
    const recon_norm_relu_args *a;
    size_t rows, cols, piece, tasks;
    double *dbias; /* [tasks][fields] */
} job;

static job make_job(const recon_norm_relu_args *a)
{
    job j = { .a = a, .rows = recon_tensor_rows(&a->x), .cols = recon_tensor_cols(&a->x) };
    j.piece = recon_rows_per_task(j.cols);
    j.tasks = (j.rows + j.piece - 1) / j.piece;
    return j;
}

static inline __attribute__((always_inline)) float square_of(const float *x, size_t m)
{
    float sum = 0;
    for (size_t i = 0; i < m; i++)
        sum += x[i] * x[i];
    return sum;
}

/* One row; inlined with m known for the fields that matter, so that they become vectors. */
static inline __attribute__((always_inline)) void shrink_row(float *restrict y,
                                                             const float *restrict x,
                                                             const float *restrict bias, size_t m,
                                                             size_t fields)
{
    for (size_t f = 0; f < fields; f++) {
        float norm = sqrtf(square_of(x + f * m, m)), to = norm + bias[f];
        float factor = (norm > 0) & (to > 0) ? to / norm : 0; /* & and not &&: no branch */
        for (size_t i = 0; i < m; i++)
            y[f * m + i] = factor * x[f * m + i];
    }
}

/* ref/norm.c has the formula. sum[f] += d loss / d bias[f] */
static inline __attribute__((always_inline)) void pull_row(float *restrict dx, float *restrict sum,
                                                           const float *restrict dy,
                                                           const float *restrict x,
                                                           const float *restrict bias, size_t m,
                                                           size_t fields)
{
    for (size_t f = 0; f < fields; f++) {
        float norm = sqrtf(square_of(x + f * m, m)), dot = 0;
        for (size_t i = 0; i < m; i++)
            dot += x[f * m + i] * dy[f * m + i];
        int open = (norm > 0) & (norm + bias[f] > 0);
        float inv = open ? 1 / norm : 0, unit = dot * inv; /* of dy along x */
        float keep = open ? 1 + bias[f] * inv : 0, turn = unit * bias[f] * inv * inv;
        for (size_t i = 0; i < m; i++)
            dx[f * m + i] = keep * dy[f * m + i] - turn * x[f * m + i];
        sum[f] += unit;
    }
}

RECON_CLONES static void shrink(float *restrict y, const float *restrict x,
                                const float *restrict bias, size_t m, size_t fields, size_t rows)
{
    size_t cols = m * fields;
    for (size_t r = 0; r < rows; r++, x += cols, y += cols)
        switch (m) {
        case 2: shrink_row(y, x, bias, 2, fields); break;
        case 3: shrink_row(y, x, bias, 3, fields); break;
        default: shrink_row(y, x, bias, m, fields);
        }
}

RECON_CLONES static void pull(float *restrict dx, float *restrict sum, const float *restrict dy,
                              const float *restrict x, const float *restrict bias, size_t m,
                              size_t fields, size_t rows)
{
    size_t cols = m * fields;
    for (size_t r = 0; r < rows; r++, x += cols, dy += cols, dx += cols)
        switch (m) {
        case 2: pull_row(dx, sum, dy, x, bias, 2, fields); break;
        case 3: pull_row(dx, sum, dy, x, bias, 3, fields); break;
        default: pull_row(dx, sum, dy, x, bias, m, fields);
        }
}

static size_t rows_of(const job *j, size_t task)
{
    size_t begin = task * j->piece;
    return j->rows - begin < j->piece ? j->rows - begin : j->piece;
}

static recon_status forward_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const job *j = arg;
    const recon_norm_relu_args *a = j->a;
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t rows = rows_of(j, task), at = task * j->piece * j->cols, n = rows * j->cols;
    const float *x;
    float *y;
    RECON_TRY(recon_part_read(ctx, arena, &x, &a->x, at, n));
    RECON_TRY(recon_part_write(ctx, arena, &y, &a->y, at, n));
    shrink(y, x, a->bias.data, a->field, j->cols / a->field, rows);
    recon_run_wrote(y, &a->y, at, n);
done:
    recon_arena_release(arena, mark);
    return status;
}

/* dbias is summed in float over a few rows, in double beyond. */
static recon_status back_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    enum { BLOCK = 32 };
    const job *j = arg;
    const recon_norm_relu_args *a = j->a;
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t rows = rows_of(j, task), at = task * j->piece * j->cols, n = rows * j->cols;
    size_t fields = j->cols / a->field;
    double *dbias = j->dbias + task * fields;
    const float *x, *dy;
    float *dx, *sum;
    RECON_TRY(recon_part_read(ctx, arena, &x, &a->x, at, n));
    RECON_TRY(recon_part_read(ctx, arena, &dy, &a->dy, at, n));
    RECON_TRY(recon_part_write(ctx, arena, &dx, &a->dx, at, n));
    RECON_TRY(recon_arena_take(ctx, arena, &sum, fields, sizeof *sum));
    memset(dbias, 0, fields * sizeof *dbias);
    for (size_t r = 0; r < rows; r += BLOCK) {
        size_t some = rows - r < BLOCK ? rows - r : BLOCK, from = r * j->cols;
        memset(sum, 0, fields * sizeof *sum);
        pull(dx + from, sum, dy + from, x + from, a->bias.data, a->field, fields, some);
        for (size_t f = 0; f < fields; f++)
            dbias[f] += (double)sum[f];
    }
    recon_run_wrote(dx, &a->dx, at, n);
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_cpu_norm_relu(recon_ctx *ctx, const recon_norm_relu_args *args)
{
    job j = make_job(args);
    return recon_parallel(ctx, forward_task, &j, j.tasks);
}

recon_status recon_cpu_norm_relu_back(recon_ctx *ctx, const recon_norm_relu_args *args)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    job j = make_job(args);
    size_t fields = j.cols / args->field;
    float *out = args->dbias.data;
    RECON_TRY(recon_arena_take(ctx, arena, &j.dbias, j.tasks * fields, sizeof *j.dbias));
    RECON_TRY(recon_parallel(ctx, back_task, &j, j.tasks));
    for (size_t f = 0; out && f < fields; f++) {
        double sum = 0;
        for (size_t t = 0; t < j.tasks; t++)
            sum += j.dbias[t * fields + f];
        out[f] = (float)sum;
    }
done:
    recon_arena_release(arena, mark);
    return status;
}
