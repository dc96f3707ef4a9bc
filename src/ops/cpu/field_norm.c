/* field_norm.c - norms and nonlinearities of scalars and pairs, row by row.
 *
 * The formulas are in ref/field_norm.c. Two passes each way, over blocks of rows that stay in the
 * first-level cache: sums first, of floats within a block and of doubles beyond, then the numbers.
 * What the nonlinearity did is computed anew on the way back: cheaper than having kept it. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "ops/sums.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

#define BLOCK RECON_BLOCK_ROWS

/* What the passes need of each field. */
typedef struct {
    float *mean, *inv, *gain, *offset; /* gain = scale inv; offset: shift or bias */
    float *back, *along;               /* dx = gain (du - back - xhat along)      */
} factors;
enum { FACTORS = 6 };

typedef struct job job;
typedef void kernel(const job *j, double *sums, float *out, const float *x, const float *dy,
                    size_t rows);
struct job {
    const recon_field_norm_args *a;
    kernel *kernel;
    const recon_tensor *dy, *out; /* NULL: the pass does not use it */
    size_t rows, cols, fields;    /* rows of the whole batch */
    recon_pieces pieces;
    factors k;
    double *sums; /* [tasks][2][cols], then their total */
};

/* ---- kernels over a block of rows ---- */

static void moments(const job *j, double *sums, float *out, const float *x, const float *dy,
                    size_t rows)
{
    (void)out, (void)dy;
    recon_add_moments(sums, sums + j->cols, x, rows, j->cols);
}

RECON_CLONES static void normalise(const job *j, double *sums, float *restrict y,
                                   const float *restrict x, const float *dy, size_t rows)
{
    const float *restrict mean = j->k.mean, *restrict gain = j->k.gain;
    const float *restrict shift = j->k.offset;
    size_t scalars = j->a->scalars, pairs = j->a->pairs;
    (void)sums, (void)dy;
    for (size_t r = 0; r < rows; r++, x += j->cols, y += j->cols) {
        for (size_t f = 0; f < scalars; f++) {
            float u = (x[f] - mean[f]) * gain[f] + shift[f];
            y[f] = u < 0 ? 0 : u; /* so, a NaN stays one */
        }
        const float *restrict v = x + scalars, *restrict scale = gain + scalars;
        const float *restrict bias = shift + scalars;
        float *restrict w = y + scalars;
        for (size_t f = 0; f < pairs; f++) {
            float a = scale[f] * v[2 * f], b = scale[f] * v[2 * f + 1];
            float norm = sqrtf(a * a + b * b), to = norm + bias[f];
            float factor = ((norm > 0) & (to > 0)) ? to / norm : 0; /* & and not &&: no branch */
            w[2 * f] = factor * a;
            w[2 * f + 1] = factor * b;
        }
    }
}

/* Of a pair u = (a, b) with gradient (p, q) behind the nonlinearity: the one before it in (p, q),
 * and the bias's. */
static inline __attribute__((always_inline)) float pull_pair(float *p, float *q, float a, float b,
                                                             float bias)
{
    float norm = sqrtf(a * a + b * b), dot = a * *p + b * *q;
    int open = (norm > 0) & (norm + bias > 0);
    float inv = open ? 1 / norm : 0, unit = dot * inv;
    float keep = open ? 1 + bias * inv : 0, rotation = unit * bias * inv * inv;
    *p = keep * *p - rotation * a;
    *q = keep * *q - rotation * b;
    return unit;
}

/* sums [2][fields]: of the offset's gradient, and of du xhat. */
RECON_CLONES static void slopes(const job *j, double *sums, float *out, const float *restrict x,
                                const float *restrict dy, size_t rows)
{
    enum { WIDE = RECON_BLOCK_COLUMNS };
    const factors *k = &j->k;
    size_t scalars = j->a->scalars;
    (void)out;
    for (size_t begin = 0; begin < j->fields; begin += WIDE) {
        float first[WIDE] = { 0 }, second[WIDE] = { 0 };
        size_t end = j->fields - begin < WIDE ? j->fields : begin + WIDE;
        size_t middle = begin > scalars ? begin : end < scalars ? end : scalars;
        for (size_t r = 0; r < rows; r++) {
            const float *restrict v = x + r * j->cols, *restrict d = dy + r * j->cols;
            for (size_t f = begin; f < middle; f++) {
                float off = v[f] - k->mean[f], du = off * k->gain[f] + k->offset[f] > 0 ? d[f] : 0;
                first[f - begin] += du;
                second[f - begin] += du * off * k->inv[f];
            }
            for (size_t f = middle; f < end; f++) {
                size_t c = 2 * f - scalars;
                float p = d[c], q = d[c + 1], g = k->gain[f];
                first[f - begin] += pull_pair(&p, &q, g * v[c], g * v[c + 1], k->offset[f]);
                second[f - begin] += (p * v[c] + q * v[c + 1]) * k->inv[f];
            }
        }
        for (size_t f = begin; f < end; f++) {
            sums[f] += (double)first[f - begin];
            sums[j->fields + f] += (double)second[f - begin];
        }
    }
}

RECON_CLONES static void pull_back(const job *j, double *sums, float *restrict dx,
                                   const float *restrict x, const float *restrict dy, size_t rows)
{
    const factors *k = &j->k;
    const float *restrict gain = k->gain, *restrict inv = k->inv, *restrict along = k->along;
    const float *restrict mean = k->mean, *restrict back = k->back, *restrict offset = k->offset;
    size_t scalars = j->a->scalars, fields = j->fields;
    (void)sums;
    for (size_t r = 0; r < rows; r++, x += j->cols, dy += j->cols, dx += j->cols) {
        for (size_t f = 0; f < scalars; f++) {
            float off = x[f] - mean[f], du = off * gain[f] + offset[f] > 0 ? dy[f] : 0;
            dx[f] = gain[f] * (du - back[f] - off * inv[f] * along[f]);
        }
        for (size_t f = scalars; f < fields; f++) {
            size_t c = 2 * f - scalars;
            float p = dy[c], q = dy[c + 1], g = gain[f], m = inv[f] * along[f];
            pull_pair(&p, &q, g * x[c], g * x[c + 1], offset[f]);
            dx[c] = g * (p - x[c] * m);
            dx[c + 1] = g * (q - x[c + 1] * m);
        }
    }
}

/* ---- passes ---- */

static recon_status pass_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const job *j = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_rows own = recon_pieces_rows(&j->pieces, task);
    size_t room = BLOCK * j->cols;
    float *buffer;
    RECON_CHECK(recon_arena_take(ctx, arena, &buffer, 3 * room, sizeof *buffer));
    for (size_t r = own.begin; r < own.end; r += BLOCK) {
        size_t rows = own.end - r < BLOCK ? own.end - r : BLOCK, at = r * j->cols,
               n = rows * j->cols;
        const float *x = recon_run_read(buffer, &j->a->x, at, n);
        const float *dy = j->dy ? recon_run_read(buffer + room, j->dy, at, n) : NULL;
        float *out = j->out ? recon_run_write(buffer + 2 * room, j->out, at) : NULL;
        j->kernel(j, j->sums + 2 * task * j->cols, out, x, dy, rows);
        if (j->out)
            recon_run_wrote(out, j->out, at, n);
    }
    return RECON_OK;
}

static recon_status write_pass(recon_ctx *ctx, job *j, kernel *what, const recon_tensor *dy,
                               const recon_tensor *out)
{
    j->kernel = what;
    j->dy = dy;
    j->out = out;
    return recon_parallel(ctx, pass_task, j, j->pieces.tasks);
}

/* Sums over the batch, behind those of the tasks. Returns them through *total. */
static recon_status sum_pass(recon_ctx *ctx, job *j, kernel *what, const recon_tensor *dy,
                             double **total)
{
    size_t n = 2 * j->cols;
    memset(j->sums, 0, j->pieces.tasks * n * sizeof *j->sums);
    recon_status status = write_pass(ctx, j, what, dy, NULL);
    *total = j->sums + j->pieces.tasks * n;
    return status == RECON_OK ? recon_pieces_sum(ctx, &j->pieces, *total, RECON_F64, j->sums,
                                                 n * sizeof *j->sums, n)
                              : status;
}

/* ---- statistics ---- */

static float *floats(const recon_tensor *t)
{
    return t->data;
}

static void move(float *running, double momentum, double now)
{
    *running = (float)((1 - momentum) * (double)*running + momentum * now);
}

/* From the columns' sums to mean and inv. */
static void find(const job *j, const double *first, const double *second)
{
    const recon_field_norm_args *a = j->a;
    double n = (double)j->rows;
    for (size_t f = 0; f < j->fields; f++) {
        size_t c = 2 * f - a->scalars; /* of a pair */
        double mean = f < a->scalars ? first[f] / n : 0;
        double var = f < a->scalars ? fmax(second[f] / n - mean * mean, 0)
                                    : (second[c] + second[c + 1]) / (2 * n);
        floats(&a->inv)[f] = (float)(1 / sqrt(var + a->eps));
        if (f < a->scalars) {
            floats(&a->mean)[f] = (float)mean;
            move(floats(&a->running_mean) + f, a->momentum, mean);
            var *= n > 1 ? n / (n - 1) : 1;
        }
        move(floats(&a->running_var) + f, a->momentum, var);
    }
}

static void set_factors(const job *j)
{
    const recon_field_norm_args *a = j->a;
    const float *mean = floats(a->training ? &a->mean : &a->running_mean);
    for (size_t f = 0; f < j->fields; f++) {
        int pair = f >= a->scalars;
        j->k.mean[f] = pair ? 0 : mean[f];
        j->k.inv[f] = a->training ? floats(&a->inv)[f]
                                  : (float)(1 / sqrt((double)floats(&a->running_var)[f] + a->eps));
        j->k.gain[f] = floats(&a->scale)[f] * j->k.inv[f];
        j->k.offset[f] = pair ? floats(&a->bias)[f - a->scalars] : floats(&a->shift)[f];
    }
}

/* Gradients of the parameters, and what dx needs of the sums. */
static void set_slopes(const job *j, const double *offset, const double *along)
{
    const recon_field_norm_args *a = j->a;
    double n = (double)j->rows;
    for (size_t f = 0; f < j->fields; f++) {
        int pair = f >= a->scalars;
        floats(&a->dscale)[f] = (float)along[f];
        *(pair ? floats(&a->dbias) + f - a->scalars : floats(&a->dshift) + f) = (float)offset[f];
        j->k.back[f] = a->training && !pair ? (float)(offset[f] / n) : 0;
        j->k.along[f] = a->training ? (float)(along[f] / (pair ? 2 * n : n)) : 0;
    }
}

/* ---- entries ---- */

static recon_status take_job(recon_ctx *ctx, job *j, recon_arena *arena,
                             const recon_field_norm_args *a)
{
    float *block;
    recon_slices s = recon_slices_in_rows(&a->x, recon_tensor_rows(&a->x));
    *j = (job){ .a = a, .rows = s.all, .cols = recon_tensor_cols(&a->x) };
    j->fields = a->scalars + a->pairs;
    j->pieces = recon_pieces_of(s, recon_rows_per_task(j->cols));
    RECON_CHECK(recon_arena_take(ctx, arena, &block, FACTORS * j->fields, sizeof *block));
    RECON_CHECK(recon_arena_take(ctx, arena, &j->sums, 2 * (j->pieces.tasks + 1) * j->cols,
                                 sizeof *j->sums));
    float **at[FACTORS] = {
        &j->k.mean, &j->k.inv, &j->k.gain, &j->k.offset, &j->k.back, &j->k.along
    };
    for (size_t i = 0; i < FACTORS; i++)
        *at[i] = block + i * j->fields;
    return RECON_OK;
}

recon_status recon_cpu_field_norm(recon_ctx *ctx, const recon_field_norm_args *a)
{
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    recon_status status;
    double *sums;
    job j;
    RECON_TRY(take_job(ctx, &j, arena, a));
    if (a->training) {
        RECON_TRY(sum_pass(ctx, &j, moments, NULL, &sums));
        find(&j, sums, sums + j.cols);
    }
    set_factors(&j);
    RECON_TRY(write_pass(ctx, &j, normalise, NULL, &a->y));
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_cpu_field_norm_back(recon_ctx *ctx, const recon_field_norm_args *a)
{
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    recon_status status;
    double *sums;
    job j;
    RECON_TRY(take_job(ctx, &j, arena, a));
    set_factors(&j);
    RECON_TRY(sum_pass(ctx, &j, slopes, &a->dy, &sums));
    set_slopes(&j, sums, sums + j.fields);
    RECON_TRY(write_pass(ctx, &j, pull_back, &a->dy, &a->dx));
done:
    recon_arena_release(arena, mark);
    return status;
}
