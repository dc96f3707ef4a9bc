/* map.c - functions of single numbers and their gradients; sums and casts;
 * gates; cross products. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "core/exp.h"
#include "ops/ref/ref.h"
#include "core/simd.h"

#include <math.h>
#include <string.h>

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

/* ---- gates of planes, up to RECON_RUN columns of a row at a time ---- */

RECON_CLONES static void add_products(float *restrict sum, const float *restrict a,
                                      const float *restrict b, size_t n)
{
    EACH sum[i] += a[i] * b[i];
}

/* Columns of a row of planes: they begin at x and are step apart; in one plane they begin at at. */
typedef struct {
    size_t at, n, x, step;
} piece;

static size_t pieces_of_row(const recon_tensor *t)
{
    return (recon_tensor_cols(t) + RECON_RUN - 1) / RECON_RUN;
}

static piece piece_of(const recon_tensor *t, size_t planes, size_t i)
{
    size_t cols = recon_tensor_cols(t), pieces = pieces_of_row(t);
    size_t row = i / pieces, col = i % pieces * RECON_RUN, n = cols - col;
    return (piece){ row * cols + col, n < RECON_RUN ? n : RECON_RUN, row * planes * cols + col,
                    cols };
}

static recon_status each_piece(recon_ctx *ctx, recon_run *run, const void *args,
                               const recon_tensor *t, size_t rows)
{
    return recon_runs(ctx, run, args, rows * pieces_of_row(t),
                      1 + RECON_RUN / (recon_tensor_cols(t) + 1));
}

/* Of x to y, or of dy to dx. */
static void open_planes(const recon_gate_args *a, const recon_tensor *to, const recon_tensor *from,
                        piece p)
{
    float x[RECON_RUN], y[RECON_RUN], buffer[RECON_RUN];
    const float *g = recon_run_read(buffer, &a->g, p.at, p.n);
    for (size_t k = 0; k < a->field; k++, p.x += p.step) {
        open_gates(recon_run_write(y, to, p.x), recon_run_read(x, from, p.x, p.n), g, 1, p.n);
        recon_run_wrote(y, to, p.x, p.n);
    }
}

static void dot_planes(const recon_gate_args *a, piece p)
{
    float x[RECON_RUN], dy[RECON_RUN], buffer[RECON_RUN];
    float *sum = recon_run_write(buffer, &a->dg, p.at);
    memset(sum, 0, p.n * sizeof *sum);
    for (size_t k = 0; k < a->field; k++, p.x += p.step)
        add_products(sum, recon_run_read(x, &a->x, p.x, p.n), recon_run_read(dy, &a->dy, p.x, p.n),
                     p.n);
    recon_run_wrote(buffer, &a->dg, p.at, p.n);
}

static void planes_run(const void *args, size_t at, size_t n)
{
    const recon_gate_args *a = args;
    for (size_t i = at; i < at + n; i++)
        open_planes(a, &a->y, &a->x, piece_of(&a->g, a->field, i));
}

static void planes_back_run(const void *args, size_t at, size_t n)
{
    const recon_gate_args *a = args;
    for (size_t i = at; i < at + n; i++) {
        if (a->dx.data)
            open_planes(a, &a->dx, &a->dy, piece_of(&a->g, a->field, i));
        if (a->dg.data)
            dot_planes(a, piece_of(&a->g, a->field, i));
    }
}

/* ---- both kinds ---- */

static recon_status run_gates(recon_ctx *ctx, const recon_gate_args *args, recon_run *fields,
                              recon_run *planes)
{
    if (args->planes)
        return each_piece(ctx, planes, args, &args->g, recon_tensor_rows(&args->g));
    return recon_runs(ctx, fields, args, recon_tensor_count(&args->g), RECON_RUN / args->field);
}

recon_status recon_cpu_gate(recon_ctx *ctx, const recon_gate_args *args)
{
    return !args->planes && args->field > RECON_RUN ? recon_ref_gate(ctx, args)
                                                    : run_gates(ctx, args, gate_run, planes_run);
}

recon_status recon_cpu_gate_back(recon_ctx *ctx, const recon_gate_args *args)
{
    return !args->planes && args->field > RECON_RUN
               ? recon_ref_gate_back(ctx, args)
               : run_gates(ctx, args, gate_back_run, planes_back_run);
}

/* ---- cross products ---- */

RECON_CLONES static void cross(float *restrict y, const float *restrict a, const float *restrict b,
                               const float *restrict c, const float *restrict d, size_t n)
{
    EACH y[i] = a[i] * d[i] - b[i] * c[i];
}

static void cross_run(const void *args, size_t at, size_t n)
{
    const recon_cross_args *c = args;
    float buffer[7][RECON_RUN];
    for (size_t i = at; i < at + n; i++) {
        piece p = piece_of(&c->y, 3, i);
        const float *a[3], *b[3];
        for (size_t k = 0; k < 3; k++) {
            a[k] = recon_run_read(buffer[k], &c->a, p.x + k * p.step, p.n);
            b[k] = recon_run_read(buffer[3 + k], &c->b, p.x + k * p.step, p.n);
        }
        for (size_t k = 0; k < 3; k++) {
            size_t to = p.x + k * p.step, next = (k + 1) % 3, last = (k + 2) % 3;
            cross(recon_run_write(buffer[6], &c->y, to), a[next], a[last], b[next], b[last], p.n);
            recon_run_wrote(buffer[6], &c->y, to, p.n);
        }
    }
}

recon_status recon_cpu_cross(recon_ctx *ctx, const recon_cross_args *args)
{
    return each_piece(ctx, cross_run, args, &args->y, recon_tensor_rows(&args->y) / 3);
}
