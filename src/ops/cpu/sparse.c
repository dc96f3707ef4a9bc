/* sparse.c - sums of weighted rows. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "ops/cpu/images.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

typedef struct {
    const recon_sparse_args *a;
    const float *x;
    float *y;
    size_t width, rows; /* rows of a task */
} job;

RECON_CLONES static void sum_rows(const job *j, size_t begin, size_t end)
{
    const int32_t *index = j->a->index.data, *offset = j->a->offset.data;
    const float *weight = j->a->weight.data;
    for (size_t r = begin; r < end; r++) {
        float *y = j->y + r * j->width;
        memset(y, 0, j->width * sizeof *y);
        for (int32_t e = offset[r]; e < offset[r + 1]; e++)
            recon_add_scaled(y, weight[e], j->x + (size_t)index[e] * j->width, j->width);
    }
}

static recon_status sum_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const job *j = arg;
    size_t begin = task * j->rows, n = j->a->y.shape[0];
    (void)ctx, (void)worker;
    sum_rows(j, begin, n - begin < j->rows ? n : begin + j->rows);
    return RECON_OK;
}

recon_status recon_cpu_sparse(recon_ctx *ctx, const recon_sparse_args *args)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    size_t rows = args->y.shape[0], count = recon_tensor_count(&args->y);
    job j = { .a = args, .width = rows ? count / rows : 0 };
    j.rows = recon_rows_per_task(j.width);
    RECON_TRY(recon_part_read(ctx, arena, &j.x, &args->x, 0, recon_tensor_count(&args->x)));
    RECON_TRY(recon_part_write(ctx, arena, &j.y, &args->y, 0, count));
    RECON_TRY(recon_parallel(ctx, sum_task, &j, (rows + j.rows - 1) / j.rows));
    recon_run_wrote(j.y, &args->y, 0, count);
done:
    recon_arena_release(arena, mark);
    return status;
}
