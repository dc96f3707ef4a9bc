/* map.c - functions of single numbers and their gradients; sums and casts; gates. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "ops/cpu/exp.h"
#include "ops/ref/ref.h"
#include "core/simd.h"

#include <math.h>

/* ---- functions ---- */

#define EACH for (size_t i = 0; i < n; i++)

RECON_CLONES static void values(float *restrict y, const float *restrict x, recon_map_kind kind,
                                size_t n)
{
    switch (kind) {
    case RECON_RELU: EACH y[i] = x[i] < 0 ? 0 : x[i]; break;
    case RECON_SILU: EACH y[i] = x[i] * recon_sigmoidf(x[i]); break;
    case RECON_SIGMOID: EACH y[i] = recon_sigmoidf(x[i]); break;
    case RECON_SOFTPLUS:
        EACH y[i] = (x[i] < 0 ? 0 : x[i]) + recon_log1pf_unit(recon_expf(-fabsf(x[i])));
        break;
    case RECON_TANH:
        EACH
        {
            float e = recon_expf(-2 * fabsf(x[i])); /* never overflows */
            y[i] = copysignf((1 - e) / (1 + e), x[i]);
        }
    }
}

RECON_CLONES static void slopes(float *restrict dx, const float *restrict dy,
                                const float *restrict x, recon_map_kind kind, size_t n)
{
    switch (kind) {
    case RECON_RELU: EACH dx[i] = x[i] > 0 ? dy[i] : 0; break;
    case RECON_SILU:
        EACH
        {
            float s = recon_sigmoidf(x[i]);
            dx[i] = dy[i] * s * (1 + x[i] * recon_sigmoidf(-x[i]));
        }
        break;
    case RECON_SIGMOID: EACH dx[i] = dy[i] * recon_sigmoidf(x[i]) * recon_sigmoidf(-x[i]); break;
    case RECON_SOFTPLUS: EACH dx[i] = dy[i] * recon_sigmoidf(x[i]); break;
    case RECON_TANH: EACH dx[i] = dy[i] * 4 * recon_sigmoidf(2 * x[i]) * recon_sigmoidf(-2 * x[i]);
    }
}

static void map_run(const void *args, size_t at, size_t n)
{
    const recon_map_args *a = args;
    float x[RECON_RUN], y[RECON_RUN];
    values(recon_run_write(y, &a->y, at), recon_run_read(x, &a->x, at, n), a->kind, n);
    recon_run_wrote(y, &a->y, at, n);
}

static void map_back_run(const void *args, size_t at, size_t n)
{
    const recon_map_args *a = args;
    float x[RECON_RUN], dy[RECON_RUN], dx[RECON_RUN];
    slopes(recon_run_write(dx, &a->dx, at), recon_run_read(dy, &a->dy, at, n),
           recon_run_read(x, &a->x, at, n), a->kind, n);
    recon_run_wrote(dx, &a->dx, at, n);
}

recon_status recon_cpu_map(recon_ctx *ctx, const recon_map_args *args)
{
    return recon_runs(ctx, map_run, args, recon_tensor_count(&args->x), RECON_RUN);
}

recon_status recon_cpu_map_back(recon_ctx *ctx, const recon_map_args *args)
{
    return recon_runs(ctx, map_back_run, args, recon_tensor_count(&args->x), RECON_RUN);
}

/* ---- sums and casts: y may be a or b ---- */

RECON_CLONES static void combine(float *y, const float *a, const float *b, float alpha, float beta,
                                 size_t n)
{
    if (b)
        EACH y[i] = alpha * a[i] + beta * b[i];
    else
        EACH y[i] = alpha * a[i];
}

static void add_run(const void *args, size_t at, size_t n)
{
    const recon_add_args *s = args;
    float a[RECON_RUN], b[RECON_RUN], y[RECON_RUN];
    combine(recon_run_write(y, &s->y, at), recon_run_read(a, &s->a, at, n),
            s->b.data ? recon_run_read(b, &s->b, at, n) : NULL, (float)s->alpha, (float)s->beta, n);
    recon_run_wrote(y, &s->y, at, n);
}

recon_status recon_cpu_add(recon_ctx *ctx, const recon_add_args *args)
{
    if (args->a.type == RECON_F64)
        return recon_ref_add(ctx, args);
    return recon_runs(ctx, add_run, args, recon_tensor_count(&args->a), RECON_RUN);
}

/* ---- gates, n of them ---- */

RECON_CLONES static void open_gates(float *restrict y, const float *restrict x,
                                    const float *restrict g, size_t field, size_t n)
{
    if (field == 1)
        EACH y[i] = x[i] * g[i];
    else
        EACH for (size_t k = i * field; k < (i + 1) * field; k++) y[k] = x[k] * g[i];
}

RECON_CLONES static void dot_fields(float *restrict out, const float *restrict a,
                                    const float *restrict b, size_t field, size_t n)
{
    EACH
    {
        float sum = 0;
        for (size_t k = i * field; k < (i + 1) * field; k++)
            sum += a[k] * b[k];
        out[i] = sum;
    }
}

static void gate_run(const void *args, size_t at, size_t n)
{
    const recon_gate_args *a = args;
    float x[RECON_RUN], y[RECON_RUN], g[RECON_RUN];
    size_t m = a->field;
    open_gates(recon_run_write(y, &a->y, at * m), recon_run_read(x, &a->x, at * m, n * m),
               recon_run_read(g, &a->g, at, n), m, n);
    recon_run_wrote(y, &a->y, at * m, n * m);
}

static void gate_back_run(const void *args, size_t at, size_t n)
{
    const recon_gate_args *a = args;
    float buffer[RECON_RUN], other[RECON_RUN], out[RECON_RUN];
    size_t m = a->field;
    const float *dy = recon_run_read(buffer, &a->dy, at * m, n * m);
    if (a->dx.data) {
        open_gates(recon_run_write(out, &a->dx, at * m), dy, recon_run_read(other, &a->g, at, n), m,
                   n);
        recon_run_wrote(out, &a->dx, at * m, n * m);
    }
    if (a->dg.data) {
        dot_fields(recon_run_write(out, &a->dg, at), dy,
                   recon_run_read(other, &a->x, at * m, n * m), m, n);
        recon_run_wrote(out, &a->dg, at, n);
    }
}

recon_status recon_cpu_gate(recon_ctx *ctx, const recon_gate_args *args)
{
    size_t n = recon_tensor_count(&args->g);
    return args->field > RECON_RUN ? recon_ref_gate(ctx, args)
                                   : recon_runs(ctx, gate_run, args, n, RECON_RUN / args->field);
}

recon_status recon_cpu_gate_back(recon_ctx *ctx, const recon_gate_args *args)
{
    size_t n = recon_tensor_count(&args->g);
    return args->field > RECON_RUN
               ? recon_ref_gate_back(ctx, args)
               : recon_runs(ctx, gate_back_run, args, n, RECON_RUN / args->field);
}
