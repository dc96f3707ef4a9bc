/* sparse.h - sums of weighted rows. */
#ifndef OPS_ROWS_SPARSE_H
#define OPS_ROWS_SPARSE_H

#include "ops/rows/real.h"

typedef struct {
    const recon_sparse_args *a;
    const real *x, *weight;
    real *y;
    size_t width, rows; /* rows of a task */
} sparse_job;

RECON_CLONES static void sparse_rows(const sparse_job *j, size_t begin, size_t end)
{
    const int32_t *index = j->a->index.data, *offset = j->a->offset.data;
    for (size_t r = begin; r < end; r++) {
        real *y = j->y + r * j->width;
        memset(y, 0, j->width * sizeof *y);
        for (int32_t e = offset[r]; e < offset[r + 1]; e++)
            add_scaled(y, j->weight[e], j->x + (size_t)index[e] * j->width, j->width);
    }
}

static recon_status sparse_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const sparse_job *j = arg;
    size_t begin = task * j->rows, n = j->a->y.shape[0];
    (void)ctx, (void)worker;
    sparse_rows(j, begin, n - begin < j->rows ? n : begin + j->rows);
    return RECON_OK;
}

recon_status ENTRY(sparse)(recon_ctx *ctx, const recon_sparse_args *args)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    size_t rows = args->y.shape[0], count = recon_tensor_count(&args->y);
    sparse_job j = { .a = args, .width = rows ? count / rows : 0 };
    j.rows = recon_rows_per_task(j.width);
    RECON_TRY(read_part(ctx, arena, &j.x, &args->x, 0, recon_tensor_count(&args->x)));
    RECON_TRY(write_part(ctx, arena, &j.y, &args->y, 0, count));
    RECON_TRY(
        read_part(ctx, arena, &j.weight, &args->weight, 0, recon_tensor_count(&args->weight)));
    RECON_TRY(recon_parallel(ctx, sparse_task, &j, (rows + j.rows - 1) / j.rows));
    wrote_run(j.y, &args->y, 0, count);
done:
    recon_arena_release(arena, mark);
    return status;
}

#endif
