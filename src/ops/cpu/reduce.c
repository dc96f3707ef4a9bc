/* reduce.c - sums over a dimension and their gradient. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "ops/sums.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

/* A task sums some of the middle of one outer. */
typedef struct {
    const recon_reduce_args *a;
    size_t piece, pieces;
    double *part; /* [outer][pieces][inner] */
} job;

static recon_status sum_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const job *j = arg;
    const recon_reduce_args *a = j->a;
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    size_t outer = task / j->pieces, begin = task % j->pieces * j->piece;
    size_t rows = a->middle - begin < j->piece ? a->middle - begin : j->piece;
    double *sum = j->part + task * a->inner;
    const float *x;
    RECON_TRY(recon_part_read(ctx, arena, &x, &a->x, (outer * a->middle + begin) * a->inner,
                              rows * a->inner));
    memset(sum, 0, a->inner * sizeof *sum);
    if (a->inner == 1)
        *sum = recon_sum(x, rows);
    else
        recon_column_sums(sum, x, rows, a->inner);
done:
    return status;
}

static void add_pieces(const job *j)
{
    const recon_reduce_args *a = j->a;
    for (size_t at = 0; at < a->outer * a->inner; at++) {
        size_t o = at / a->inner, i = at % a->inner;
        double sum = 0;
        for (size_t k = 0; k < j->pieces; k++)
            sum += j->part[(o * j->pieces + k) * a->inner + i];
        float y = (float)(a->scale * sum);
        *recon_run_write(&y, &a->y, at) = y;
        recon_run_wrote(&y, &a->y, at, 1);
    }
}

/* Over the batch: a task for each piece of a slice. */
typedef struct {
    const recon_reduce_args *a;
    recon_pieces pieces;
    double *part; /* [tasks][inner] */
} batch_job;

static recon_status batch_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const batch_job *j = arg;
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_rows own = recon_pieces_rows(&j->pieces, task);
    size_t inner = j->a->inner, rows = own.end - own.begin;
    double *sum = j->part + task * inner;
    const float *x;
    RECON_TRY(recon_part_read(ctx, arena, &x, &j->a->x, own.begin * inner, rows * inner));
    memset(sum, 0, inner * sizeof *sum);
    recon_column_sums(sum, x, rows, inner);
done:
    return status;
}

static recon_status reduce_batch(recon_ctx *ctx, const recon_reduce_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    batch_job j = { .a = a };
    j.pieces =
        recon_pieces_of(recon_slices_in_rows(&a->x, a->middle), recon_rows_per_task(a->inner));
    RECON_TRY(recon_arena_take(ctx, arena, &j.part, j.pieces.tasks * a->inner, sizeof *j.part));
    RECON_TRY(recon_parallel(ctx, batch_task, &j, j.pieces.tasks));
    RECON_TRY(recon_pieces_sum(ctx, &j.pieces, j.part, RECON_F64, j.part, a->inner * sizeof *j.part,
                               a->inner));
    for (size_t i = 0; i < a->inner; i++) {
        float y = (float)(a->scale * j.part[i]);
        *recon_run_write(&y, &a->y, i) = y;
        recon_run_wrote(&y, &a->y, i, 1);
    }
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_cpu_reduce(recon_ctx *ctx, const recon_reduce_args *args)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    job j = { .a = args, .piece = recon_rows_per_task(args->inner) };
    if (args->x.slices && args->batch)
        return reduce_batch(ctx, args);
    j.pieces = (args->middle + j.piece - 1) / j.piece;
    RECON_TRY(recon_arena_take(ctx, arena, &j.part, args->outer * j.pieces * args->inner,
                               sizeof *j.part));
    RECON_TRY(recon_parallel(ctx, sum_task, &j, args->outer * j.pieces));
    add_pieces(&j);
done:
    recon_arena_release(arena, mark);
    return status;
}

/* ---- the gradient repeats rows ---- */

RECON_CLONES static void repeat(float *restrict dx, const float *restrict dy, float scale,
                                size_t rows, size_t cols)
{
    if (cols == 1)
        for (size_t r = 0; r < rows; r++)
            dx[r] = scale * dy[0];
    else
        for (size_t r = 0; r < rows; r++, dx += cols)
            for (size_t i = 0; i < cols; i++)
                dx[i] = scale * dy[i];
}

static recon_status repeat_task(recon_ctx *ctx, void *arg, size_t outer, int worker)
{
    const recon_reduce_args *a = arg;
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    size_t n = a->middle * a->inner;
    const float *dy;
    float *dx;
    RECON_TRY(recon_part_read(ctx, arena, &dy, &a->dy, outer * a->inner, a->inner));
    RECON_TRY(recon_part_write(ctx, arena, &dx, &a->dx, outer * n, n));
    repeat(dx, dy, (float)a->scale, a->middle, a->inner);
    recon_run_wrote(dx, &a->dx, outer * n, n);
done:
    return status;
}

recon_status recon_cpu_reduce_back(recon_ctx *ctx, const recon_reduce_args *args)
{
    return recon_parallel(ctx, repeat_task, (void *)args, args->outer);
}
