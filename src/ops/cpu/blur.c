/* blur.c - separable blurring with a stride: an output row is a sum of input rows, then of its own
 * shifts. Both ways are the same but for which tap joins two places. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

typedef struct {
    const recon_blur_args *a;
    const recon_tensor *to, *from;
    int back;
} job;

/* The tap between place `to` of the output and `from` of the input, by row or by column; 0 when
 * they are too far apart. */
static float tap(const job *j, size_t to, size_t from)
{
    size_t small = j->back ? from : to, large = j->back ? to : from;
    size_t i = large + j->a->size / 2 - small * j->a->stride; /* wraps around when below 0 */
    return i < j->a->size ? (float)j->a->taps[i] : 0;
}

RECON_CLONES static void add_scaled(float *restrict sum, const float *restrict x, float factor,
                                    size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += factor * x[i];
}

static void across(const job *j, float *to, const float *from)
{
    size_t wide = j->to->shape[2], w = j->from->shape[2], c = j->from->shape[3];
    memset(to, 0, wide * c * sizeof *to);
    for (size_t q = 0; q < wide; q++)
        for (size_t k = 0; k < w; k++) {
            float factor = tap(j, q, k);
            if (factor != 0)
                add_scaled(to + q * c, from + k * c, factor, c);
        }
}

static recon_status row_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const job *j = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t tall = j->to->shape[1], h = j->from->shape[1], row = index % tall, n = index / tall;
    size_t in = j->from->shape[2] * j->from->shape[3], out = j->to->shape[2] * j->to->shape[3];
    float *sum, *room, *to;
    recon_status status;
    RECON_TRY(recon_arena_take(ctx, arena, &sum, in, sizeof *sum));
    RECON_TRY(recon_arena_take(ctx, arena, &room, in, sizeof *room));
    RECON_TRY(recon_part_write(ctx, arena, &to, j->to, index * out, out));
    memset(sum, 0, in * sizeof *sum);
    for (size_t i = 0; i < h; i++) {
        float factor = tap(j, row, i);
        if (factor != 0)
            add_scaled(sum, recon_run_read(room, j->from, (n * h + i) * in, in), factor, in);
    }
    across(j, to, sum);
    recon_run_wrote(to, j->to, index * out, out);
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_cpu_blur(recon_ctx *ctx, const recon_blur_args *a)
{
    job j = { a, &a->y, &a->x, 0 };
    return recon_parallel(ctx, row_task, &j, a->y.shape[0] * a->y.shape[1]);
}

recon_status recon_cpu_blur_back(recon_ctx *ctx, const recon_blur_args *a)
{
    job j = { a, &a->dx, &a->dy, 1 };
    return recon_parallel(ctx, row_task, &j, a->dx.shape[0] * a->dx.shape[1]);
}
