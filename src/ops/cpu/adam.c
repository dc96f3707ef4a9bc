/* adam.c - the norm of all gradients, and the step of the optimiser. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "ops/ref/ref.h"
#include "core/simd.h"
#include "core/threads.h"

#include <math.h>

typedef struct {
    const float *x;
    size_t n;
    double *part; /* a task's sum of squares */
} norm_job;

RECON_CLONES static void squares(float *restrict out, const float *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] * x[i];
}

static recon_status norm_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const norm_job *j = arg;
    float square[RECON_RUN];
    size_t begin = task * RECON_TASK, end = j->n - begin < RECON_TASK ? j->n : begin + RECON_TASK;
    double sum = 0;
    (void)ctx, (void)worker;
    for (size_t at = begin; at < end; at += RECON_RUN) {
        size_t n = end - at < RECON_RUN ? end - at : RECON_RUN;
        squares(square, j->x + at, n);
        sum += recon_sum(square, n);
    }
    j->part[task] = sum;
    return RECON_OK;
}

recon_status recon_cpu_norm2(recon_ctx *ctx, double *out, const void *x, size_t n, recon_dtype type)
{
    if (type != RECON_F32)
        return recon_ref_norm2(ctx, out, x, n, type);
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    size_t tasks = (n + RECON_TASK - 1) / RECON_TASK;
    norm_job j = { x, n, NULL };
    recon_status status = recon_arena_take(ctx, arena, &j.part, tasks, sizeof *j.part);
    if (status == RECON_OK)
        status = recon_parallel(ctx, norm_task, &j, tasks);
    double sum = 0;
    for (size_t t = 0; status == RECON_OK && t < tasks; t++)
        sum += j.part[t];
    *out = sqrt(sum);
    recon_arena_release(arena, mark);
    return status;
}

/* The step in the numbers that a loop needs. */
typedef struct {
    float scale, b1, b2, one_b1, one_b2, eps, rate, keep, by_bias1, by_bias2;
} rates;

RECON_CLONES static void step(float *restrict w, const float *restrict g, float *restrict m,
                              float *restrict v, rates r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float s = r.scale * g[i];
        float first = r.b1 * m[i] + r.one_b1 * s, second = r.b2 * v[i] + r.one_b2 * s * s;
        m[i] = first;
        v[i] = second;
        w[i] = r.keep * w[i] - r.rate * (first * r.by_bias1) / (sqrtf(second * r.by_bias2) + r.eps);
    }
}

RECON_CLONES static void follow(float *restrict ema, const float *restrict w, float decay,
                                float rest, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ema[i] = decay * ema[i] + rest * w[i];
}

static void adam_run(const void *args, size_t at, size_t n)
{
    const recon_adam_args *a = args;
    const recon_adam_state *now = a->state;
    int clipped = a->clip > 0 && *a->grad_norm > a->clip;
    rates r = { .scale = clipped ? (float)(a->clip / *a->grad_norm) : 1,
                .b1 = (float)a->b1,
                .b2 = (float)a->b2,
                .one_b1 = (float)(1 - a->b1),
                .one_b2 = (float)(1 - a->b2),
                .eps = (float)a->eps,
                .rate = (float)now->rate,
                .keep = (float)(1 - now->rate * a->decay),
                .by_bias1 = (float)(1 / now->bias1),
                .by_bias2 = (float)(1 / now->bias2) };
    float *w = (float *)a->w + at;
    step(w, (const float *)a->g + at, (float *)a->m + at, (float *)a->v + at, r, n);
    if (a->ema)
        follow((float *)a->ema + at, w, (float)a->ema_decay, (float)(1 - a->ema_decay), n);
    if (a->bf16)
        recon_floats_to_bf16((uint16_t *)a->bf16 + at, w, n);
}

recon_status recon_cpu_adam(recon_ctx *ctx, const recon_adam_args *args)
{
    if (args->type != RECON_F32)
        return recon_ref_adam(ctx, args);
    return recon_runs(ctx, adam_run, args, args->n, RECON_RUN);
}
