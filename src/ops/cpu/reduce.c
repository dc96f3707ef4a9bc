/* reduce.c - sums over a dimension and their gradient. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "ops/sums.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

/* A task sums a piece of the middle of one outer. Over a batch in slices pieces keep to them. */
typedef struct {
    const recon_reduce_args *a;
    recon_pieces pieces;
    int cut;
    double *part; /* [outer][pieces][inner] */
} job;

static recon_status sum_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const job *j = arg;
    const recon_reduce_args *a = j->a;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_rows own = recon_pieces_rows(&j->pieces, task % j->pieces.tasks);
    size_t first = task / j->pieces.tasks * a->middle + own.begin, rows = own.end - own.begin;
    double *sum = j->part + task * a->inner;
    const float *x;
    RECON_CHECK(recon_part_read(ctx, arena, &x, &a->x, first * a->inner, rows * a->inner));
    memset(sum, 0, a->inner * sizeof *sum);
    if (a->inner == 1 && !j->cut)
        *sum = recon_sum(x, rows);
    else
        recon_column_sums(sum, x, rows, a->inner);
    return RECON_OK;
}

static void add_pieces(const job *j, size_t pieces)
{
    const recon_reduce_args *a = j->a;
    for (size_t at = 0; at < a->outer * a->inner; at++) {
        size_t o = at / a->inner, i = at % a->inner;
        double sum = 0;
        for (size_t k = 0; k < pieces; k++)
            sum += j->part[(o * pieces + k) * a->inner + i];
        float y = (float)(a->scale * sum);
        *recon_run_write(&y, &a->y, at) = y;
        recon_run_wrote(&y, &a->y, at, 1);
    }
}

recon_status recon_cpu_reduce(recon_ctx *ctx, const recon_reduce_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    recon_slices whole = { a->middle, a->middle, 1, 0, 1 };
    size_t row = a->inner * sizeof(double);
    job j = { .a = a, .cut = a->x.slices && a->batch };
    j.pieces = recon_pieces_of(j.cut ? recon_slices_in_rows(&a->x, a->middle) : whole,
                               recon_rows_per_task(a->inner));
    RECON_TRY(recon_arena_take(ctx, arena, &j.part, a->outer * j.pieces.tasks + 1, row));
    RECON_TRY(recon_parallel(ctx, sum_task, &j, a->outer * j.pieces.tasks));
    if (j.cut)
        RECON_TRY(recon_pieces_sum(ctx, &j.pieces, j.part, RECON_F64, j.part, row, a->inner));
    add_pieces(&j, j.cut ? 1 : j.pieces.tasks);
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
    recon_arena *arena = recon_worker_arena(ctx, worker);
    size_t n = a->middle * a->inner;
    const float *dy;
    float *dx;
    RECON_CHECK(recon_part_read(ctx, arena, &dy, &a->dy, outer * a->inner, a->inner));
    RECON_CHECK(recon_part_write(ctx, arena, &dx, &a->dx, outer * n, n));
    repeat(dx, dy, (float)a->scale, a->middle, a->inner);
    recon_run_wrote(dx, &a->dx, outer * n, n);
    return RECON_OK;
}

recon_status recon_cpu_reduce_back(recon_ctx *ctx, const recon_reduce_args *args)
{
    return recon_parallel(ctx, repeat_task, (void *)args, args->outer);
}
