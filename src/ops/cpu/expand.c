/* expand.c - filters out of weights and a basis: one output channel a task, or field.
 *
 * A component's part of an element, [dim_in][taps], lies together: a pair of fields is a few sums
 * of such runs by weights, and on the way back a few dot products. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

typedef struct {
    const recon_expand_args *a;
    const recon_expand_block *b;
    size_t taps, cols, run; /* run: dim_in * taps */
} job;

RECON_CLONES static void combine(float *restrict out, const float *restrict weight,
                                 const float *restrict basis, size_t elements, size_t stride,
                                 size_t run)
{
    memset(out, 0, run * sizeof *out);
    for (size_t e = 0; e < elements; e++)
        for (size_t k = 0; k < run; k++)
            out[k] += weight[e] * basis[e * stride + k];
}

/* sum[e] += the dot product of x with element e, in sixteen sums side by side. */
RECON_CLONES static void project(float *restrict sum, const float *restrict x,
                                 const float *restrict basis, size_t elements, size_t stride,
                                 size_t run)
{
    enum { LANES = 16 };
    for (size_t e = 0; e < elements; e++) {
        const float *y = basis + e * stride;
        float lane[LANES] = { 0 };
        size_t k = 0;
        for (; k + LANES <= run; k += LANES)
            for (size_t l = 0; l < LANES; l++)
                lane[l] += x[k + l] * y[k + l];
        for (; k < run; k++)
            lane[k % LANES] += x[k] * y[k];
        for (size_t l = 0; l < LANES; l++)
            sum[e] += lane[l];
    }
}

static const float *component(const job *j, size_t i)
{
    return (const float *)j->a->basis.data + j->b->first_basis + i * j->run;
}

/* rows [taps][cols] of one output channel, from [dim_in][taps] of each input field. */
static void fill_channel(const job *j, float *rows, float *piece, size_t u, size_t i)
{
    const recon_expand_block *b = j->b;
    const float *weight = j->a->weight.data;
    for (size_t v = 0; v < b->copies_in; v++) {
        float *to = rows + b->in + v * b->dim_in;
        combine(piece, weight + b->first_weight + (u * b->copies_in + v) * b->elements,
                component(j, i), b->elements, b->dim_out * j->run, j->run);
        for (size_t c = 0; c < b->dim_in; c++)
            for (size_t tap = 0; tap < j->taps; tap++)
                to[tap * j->cols + c] = piece[c * j->taps + tap];
    }
}

static void read_channel(const job *j, const float *rows, float *piece, size_t u, size_t i)
{
    const recon_expand_block *b = j->b;
    float *dweight = j->a->dweight.data;
    for (size_t v = 0; v < b->copies_in; v++) {
        const float *from = rows + b->in + v * b->dim_in;
        for (size_t c = 0; c < b->dim_in; c++)
            for (size_t tap = 0; tap < j->taps; tap++)
                piece[c * j->taps + tap] = from[tap * j->cols + c];
        project(dweight + b->first_weight + (u * b->copies_in + v) * b->elements, piece,
                component(j, i), b->elements, b->dim_out * j->run, j->run);
    }
}

static job job_of(const recon_expand_args *a, const recon_tensor *filter,
                  const recon_expand_block *b)
{
    size_t taps = recon_tensor_rows(filter) / filter->shape[0];
    return (job){ a, b, taps, recon_tensor_cols(filter), b->dim_in * taps };
}

static size_t longest_run(const recon_expand_args *a, size_t taps)
{
    size_t most = 0;
    for (size_t n = 0; n < a->plan.count; n++)
        if (a->plan.block[n].dim_in * taps > most)
            most = a->plan.block[n].dim_in * taps;
    return most;
}

static int holds(const recon_expand_block *b, size_t o)
{
    return o >= b->out && o - b->out < (size_t)b->copies_out * b->dim_out;
}

static recon_status forward_task(recon_ctx *ctx, void *arg, size_t o, int worker)
{
    const recon_expand_args *a = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t n = recon_tensor_count(&a->filter) / a->filter.shape[0];
    float *rows, *piece;
    recon_status status;
    RECON_TRY(recon_part_write(ctx, arena, &rows, &a->filter, o * n, n));
    RECON_TRY(recon_arena_take(ctx, arena, &piece,
                               longest_run(a, n / recon_tensor_cols(&a->filter)), sizeof *piece));
    for (const recon_expand_block *b = a->plan.block; b < a->plan.block + a->plan.count; b++)
        if (holds(b, o)) {
            job j = job_of(a, &a->filter, b);
            fill_channel(&j, rows, piece, (o - b->out) / b->dim_out, (o - b->out) % b->dim_out);
        }
    recon_run_wrote(rows, &a->filter, o * n, n);
done:
    recon_arena_release(arena, mark);
    return status;
}

/* The weights of a field get a share from each of its channels: one after the other, here. */
static recon_status back_block(recon_ctx *ctx, recon_arena *arena, const job *j, size_t u)
{
    const recon_expand_block *b = j->b;
    size_t n = j->taps * j->cols, weights = b->copies_in * b->elements;
    float *dweight = (float *)j->a->dweight.data + b->first_weight + u * weights, *piece;
    recon_status status;
    RECON_TRY(recon_arena_take(ctx, arena, &piece, j->run, sizeof *piece));
    memset(dweight, 0, weights * sizeof *dweight);
    for (size_t i = 0; i < b->dim_out; i++) {
        const float *rows;
        size_t o = b->out + u * b->dim_out + i;
        RECON_TRY(recon_part_read(ctx, arena, &rows, &j->a->dfilter, o * n, n));
        read_channel(j, rows, piece, u, i);
    }
done:
    return status;
}

static recon_status back_task(recon_ctx *ctx, void *arg, size_t o, int worker)
{
    const recon_expand_args *a = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    recon_status status = RECON_OK;
    for (const recon_expand_block *b = a->plan.block; b < a->plan.block + a->plan.count; b++)
        if (holds(b, o) && (o - b->out) % b->dim_out == 0) {
            job j = job_of(a, &a->dfilter, b);
            RECON_TRY(back_block(ctx, arena, &j, (o - b->out) / b->dim_out));
        }
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_cpu_expand(recon_ctx *ctx, const recon_expand_args *args)
{
    recon_expand_args a = *args;
    return recon_parallel(ctx, forward_task, &a, a.filter.shape[0]);
}

recon_status recon_cpu_expand_back(recon_ctx *ctx, const recon_expand_args *args)
{
    recon_expand_args a = *args;
    return recon_parallel(ctx, back_task, &a, a.dfilter.shape[0]);
}
