/* loss.c - the losses over all elements, MSE and L1, in vectors. The others are sums over a few
 * numbers per row and ref's. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "ops/ref/ref.h"
#include "ops/sums.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <math.h>

static int by_element(recon_loss_kind kind)
{
    return kind == RECON_LOSS_MSE || kind == RECON_LOSS_L1;
}

RECON_CLONES static void terms(float *restrict out, const float *restrict x,
                               const float *restrict target, int l1, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float d = x[i] - target[i];
        out[i] = l1 ? fabsf(d) : d * d;
    }
}

RECON_CLONES static void slopes(float *restrict out, const float *restrict x,
                                const float *restrict target, int l1, float scale, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float d = x[i] - target[i];
        out[i] = scale * (l1 ? (float)((d > 0) - (d < 0)) : 2 * d);
    }
}

typedef struct {
    const recon_loss_args *a;
    recon_pieces pieces; /* of numbers */
    double *part;        /* a task's sum */
} job;

static recon_status sum_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const job *j = arg;
    const recon_loss_args *a = j->a;
    float x[RECON_RUN], target[RECON_RUN], term[RECON_RUN];
    recon_rows own = recon_pieces_rows(&j->pieces, task);
    double sum = 0;
    (void)ctx, (void)worker;
    for (size_t at = own.begin; at < own.end; at += RECON_RUN) {
        size_t n = own.end - at < RECON_RUN ? own.end - at : RECON_RUN;
        terms(term, recon_run_read(x, &a->x, at, n), recon_run_read(target, &a->target, at, n),
              a->kind == RECON_LOSS_L1, n);
        sum += recon_sum(term, n);
    }
    j->part[task] = sum;
    return RECON_OK;
}

recon_status recon_cpu_loss(recon_ctx *ctx, const recon_loss_args *args)
{
    if (!by_element(args->kind))
        return recon_ref_loss(ctx, args);
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    recon_slices s = recon_slices_in_rows(&args->x, recon_tensor_count(&args->x));
    job j = { .a = args, .pieces = recon_pieces_of(s, RECON_TASK) };
    recon_status status = RECON_OK;
    double sum;
    RECON_TRY(recon_arena_take(ctx, arena, &j.part, j.pieces.tasks, sizeof *j.part));
    RECON_TRY(recon_parallel(ctx, sum_task, &j, j.pieces.tasks));
    RECON_TRY(recon_pieces_sum(ctx, &j.pieces, &sum, RECON_F64, j.part, sizeof *j.part, 1));
    *(float *)args->loss.data = (float)(sum / (double)s.all);
done:
    recon_arena_release(arena, mark);
    return status;
}

static void back_run(const void *args, size_t at, size_t n)
{
    const recon_loss_args *a = args;
    float x[RECON_RUN], target[RECON_RUN], dx[RECON_RUN];
    size_t all = recon_slices_in_rows(&a->x, recon_tensor_count(&a->x)).all;
    double scale = (double)*(const float *)a->dloss.data / (double)all;
    slopes(recon_run_write(dx, &a->dx, at), recon_run_read(x, &a->x, at, n),
           recon_run_read(target, &a->target, at, n), a->kind == RECON_LOSS_L1, (float)scale, n);
    recon_run_wrote(dx, &a->dx, at, n);
}

recon_status recon_cpu_loss_back(recon_ctx *ctx, const recon_loss_args *args)
{
    if (!by_element(args->kind))
        return recon_ref_loss_back(ctx, args);
    return recon_runs(ctx, back_run, args, recon_tensor_count(&args->x), RECON_RUN);
}
