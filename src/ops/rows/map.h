/* map.h - functions of single numbers and their gradients; sums and casts;
 * gates; cross products. */
#ifndef OPS_ROWS_MAP_H
#define OPS_ROWS_MAP_H

#include "ops/rows/real.h"

/* ---- functions ---- */

#define EACH for (size_t i = 0; i < n; i++)

RECON_CLONES static void values(real *restrict y, const real *restrict x, recon_unary kind,
                                size_t n)
{
    switch (kind) {
    case RECON_RELU: EACH y[i] = x[i] < 0 ? 0 : x[i]; break;
    case RECON_SILU: EACH y[i] = x[i] * sigmoid(x[i]); break;
    case RECON_SIGMOID: EACH y[i] = sigmoid(x[i]); break;
    case RECON_SOFTPLUS: EACH y[i] = softplus(x[i]); break;
    }
}

RECON_CLONES static void slopes(real *restrict dx, const real *restrict dy, const real *restrict x,
                                recon_unary kind, size_t n)
{
    switch (kind) {
    case RECON_RELU: EACH dx[i] = x[i] > 0 ? dy[i] : 0; break;
    case RECON_SILU:
        EACH
        {
            real s = sigmoid(x[i]);
            dx[i] = dy[i] * s * (1 + x[i] * sigmoid(-x[i]));
        }
        break;
    case RECON_SIGMOID: EACH dx[i] = dy[i] * sigmoid(x[i]) * sigmoid(-x[i]); break;
    case RECON_SOFTPLUS: EACH dx[i] = dy[i] * sigmoid(x[i]); break;
    }
}

static void map_run(const void *args, size_t at, size_t n)
{
    const recon_map_args *a = args;
    real x[RECON_RUN], y[RECON_RUN];
    values(write_run(y, &a->y, at), read_run(x, &a->x, at, n), a->kind, n);
    wrote_run(y, &a->y, at, n);
}

static void map_back_run(const void *args, size_t at, size_t n)
{
    const recon_map_args *a = args;
    real x[RECON_RUN], dy[RECON_RUN], dx[RECON_RUN];
    slopes(write_run(dx, &a->dx, at), read_run(dy, &a->dy, at, n), read_run(x, &a->x, at, n),
           a->kind, n);
    wrote_run(dx, &a->dx, at, n);
}

recon_status ENTRY(map)(recon_ctx *ctx, const recon_map_args *args)
{
    return recon_runs(ctx, map_run, args, recon_tensor_count(&args->x), RECON_RUN);
}

recon_status ENTRY(map_back)(recon_ctx *ctx, const recon_map_args *args)
{
    return recon_runs(ctx, map_back_run, args, recon_tensor_count(&args->x), RECON_RUN);
}

/* ---- sums and casts: y may be a or b ---- */

RECON_CLONES static void combine(real *y, const real *a, const real *b, real alpha, real beta,
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
    real a[RECON_RUN], b[RECON_RUN], y[RECON_RUN];
    combine(write_run(y, &s->y, at), read_run(a, &s->a, at, n),
            s->b.data ? read_run(b, &s->b, at, n) : NULL, (real)s->alpha, (real)s->beta, n);
    wrote_run(y, &s->y, at, n);
}

recon_status ENTRY(add)(recon_ctx *ctx, const recon_add_args *args)
{
    if (args->a.type == RECON_F64 && sizeof(real) < sizeof(double))
        return recon_ref_add(ctx, args);
    return recon_runs(ctx, add_run, args, recon_tensor_count(&args->a), RECON_RUN);
}

/* ---- gates, n of them ---- */

RECON_CLONES static void open_gates(real *restrict y, const real *restrict x,
                                    const real *restrict g, size_t field, size_t n)
{
    if (field == 1)
        EACH y[i] = x[i] * g[i];
    else
        EACH for (size_t k = i * field; k < (i + 1) * field; k++) y[k] = x[k] * g[i];
}

RECON_CLONES static void dot_fields(real *restrict out, const real *restrict a,
                                    const real *restrict b, size_t field, size_t n)
{
    EACH
    {
        real sum = 0;
        for (size_t k = i * field; k < (i + 1) * field; k++)
            sum += a[k] * b[k];
        out[i] = sum;
    }
}

/* A field longer than a run is taken in parts: then n is 1. */
static void open_fields(const recon_gate_args *a, const recon_tensor *to, const recon_tensor *from,
                        size_t at, size_t n)
{
    real x[RECON_RUN], y[RECON_RUN], buffer[RECON_RUN];
    const real *g = read_run(buffer, &a->g, at, n);
    for (size_t k = 0; k < a->field; k += RECON_RUN) {
        size_t m = a->field - k < RECON_RUN ? a->field - k : RECON_RUN, first = at * a->field + k;
        open_gates(write_run(y, to, first), read_run(x, from, first, n * m), g, m, n);
        wrote_run(y, to, first, n * m);
    }
}

static void dot_gates(const recon_gate_args *a, size_t at, size_t n)
{
    real x[RECON_RUN], dy[RECON_RUN], part[RECON_RUN], buffer[RECON_RUN];
    real *sum = write_run(buffer, &a->dg, at);
    for (size_t k = 0; k < a->field; k += RECON_RUN) {
        size_t m = a->field - k < RECON_RUN ? a->field - k : RECON_RUN, first = at * a->field + k;
        dot_fields(k ? part : sum, read_run(dy, &a->dy, first, n * m),
                   read_run(x, &a->x, first, n * m), m, n);
        if (k)
            *sum += *part;
    }
    wrote_run(sum, &a->dg, at, n);
}

static void gate_run(const void *args, size_t at, size_t n)
{
    const recon_gate_args *a = args;
    open_fields(a, &a->y, &a->x, at, n);
}

static void gate_back_run(const void *args, size_t at, size_t n)
{
    const recon_gate_args *a = args;
    if (a->dx.data)
        open_fields(a, &a->dx, &a->dy, at, n);
    if (a->dg.data)
        dot_gates(a, at, n);
}

/* ---- gates of planes, up to RECON_RUN columns of a row at a time ---- */

RECON_CLONES static void add_products(real *restrict sum, const real *restrict a,
                                      const real *restrict b, size_t n)
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
    real x[RECON_RUN], y[RECON_RUN], buffer[RECON_RUN];
    const real *g = read_run(buffer, &a->g, p.at, p.n);
    for (size_t k = 0; k < a->field; k++, p.x += p.step) {
        open_gates(write_run(y, to, p.x), read_run(x, from, p.x, p.n), g, 1, p.n);
        wrote_run(y, to, p.x, p.n);
    }
}

static void dot_planes(const recon_gate_args *a, piece p)
{
    real x[RECON_RUN], dy[RECON_RUN], buffer[RECON_RUN];
    real *sum = write_run(buffer, &a->dg, p.at);
    memset(sum, 0, p.n * sizeof *sum);
    for (size_t k = 0; k < a->field; k++, p.x += p.step)
        add_products(sum, read_run(x, &a->x, p.x, p.n), read_run(dy, &a->dy, p.x, p.n), p.n);
    wrote_run(buffer, &a->dg, p.at, p.n);
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
    return recon_runs(ctx, fields, args, recon_tensor_count(&args->g),
                      args->field < RECON_RUN ? RECON_RUN / args->field : 1);
}

recon_status ENTRY(gate)(recon_ctx *ctx, const recon_gate_args *args)
{
    return run_gates(ctx, args, gate_run, planes_run);
}

recon_status ENTRY(gate_back)(recon_ctx *ctx, const recon_gate_args *args)
{
    return run_gates(ctx, args, gate_back_run, planes_back_run);
}

/* ---- cross products ---- */

RECON_CLONES static void cross(real *restrict y, const real *restrict a, const real *restrict b,
                               const real *restrict c, const real *restrict d, size_t n)
{
    EACH y[i] = a[i] * d[i] - b[i] * c[i];
}

static void cross_run(const void *args, size_t at, size_t n)
{
    const recon_cross_args *c = args;
    real buffer[7][RECON_RUN];
    for (size_t i = at; i < at + n; i++) {
        piece p = piece_of(&c->y, 3, i);
        const real *a[3], *b[3];
        for (size_t k = 0; k < 3; k++) {
            a[k] = read_run(buffer[k], &c->a, p.x + k * p.step, p.n);
            b[k] = read_run(buffer[3 + k], &c->b, p.x + k * p.step, p.n);
        }
        for (size_t k = 0; k < 3; k++) {
            size_t to = p.x + k * p.step, next = (k + 1) % 3, last = (k + 2) % 3;
            cross(write_run(buffer[6], &c->y, to), a[next], a[last], b[next], b[last], p.n);
            wrote_run(buffer[6], &c->y, to, p.n);
        }
    }
}

recon_status ENTRY(cross)(recon_ctx *ctx, const recon_cross_args *args)
{
    return each_piece(ctx, cross_run, args, &args->y, recon_tensor_rows(&args->y) / 3);
}

#endif
