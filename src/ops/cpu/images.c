/* images.c - one image after the other, under the pool. */
#include "ops/cpu/images.h"
#include "ops/cpu/elements.h"
#include "core/fail.h"
#include "core/threads.h"

typedef struct {
    recon_image_kernel *kernel;
    const void *args;
    const recon_tensor *y, *x;
} job;

static size_t image_count(const recon_tensor *t)
{
    return t->shape[1] * t->shape[2] * t->shape[3];
}

static recon_status image_task(recon_ctx *ctx, void *arg, size_t n, int worker)
{
    const job *j = arg;
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t in = image_count(j->x), out = image_count(j->y);
    const float *x;
    float *y;
    RECON_TRY(recon_part_read(ctx, arena, &x, j->x, n * in, in));
    RECON_TRY(recon_part_write(ctx, arena, &y, j->y, n * out, out));
    j->kernel(j->args, n, y, x);
    recon_run_wrote(y, j->y, n * out, out);
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_images(recon_ctx *ctx, recon_image_kernel *kernel, const void *args,
                          const recon_tensor *y, const recon_tensor *x)
{
    job j = { kernel, args, y, x };
    return recon_parallel(ctx, image_task, &j, y->shape[0]);
}
