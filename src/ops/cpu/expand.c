/* expand.c - filters out of weights and a basis: one field of a block a task.
 *
 * A component's part of an element, [dim_in][taps], lies together: a pair of fields is a few sums
 * of such runs by weights, and on the way back a few dot products. */
#include "ops/cpu/cpu.h"
#include "core/arena.h"
#include "core/f16.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

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

/* A component's part of the first element; the others follow stride_of apart. */
static const float *component(const recon_expand_args *a, const recon_expand_block *b, size_t i)
{
    return (const float *)a->basis.data + b->first_basis + i * b->dim_in * b->taps;
}
static size_t stride_of(const recon_expand_block *b)
{
    return (size_t)b->dim_out * b->dim_in * b->taps;
}

static size_t filter_at(const recon_expand_block *b, size_t u, size_t i, size_t v)
{
    return b->start + (u * b->dim_out + i) * b->row + v * b->dim_in;
}

/* piece [dim_in][taps] to and from [taps][dim_in] at `at` of the filter, step apart. */
static void put(const recon_tensor *filter, size_t at, const float *piece,
                const recon_expand_block *b)
{
    for (size_t c = 0; c < b->dim_in; c++)
        for (size_t tap = 0; tap < b->taps; tap++, piece++)
            if (filter->type == RECON_F32)
                ((float *)filter->data)[at + tap * b->step + c] = *piece;
            else
                ((uint16_t *)filter->data)[at + tap * b->step + c] = recon_bf16_from_float(*piece);
}
static void get(float *piece, const recon_tensor *filter, size_t at, const recon_expand_block *b)
{
    for (size_t c = 0; c < b->dim_in; c++)
        for (size_t tap = 0; tap < b->taps; tap++, piece++)
            *piece =
                filter->type == RECON_F32
                    ? ((const float *)filter->data)[at + tap * b->step + c]
                    : recon_bf16_to_float(((const uint16_t *)filter->data)[at + tap * b->step + c]);
}

/* Field u of a block from its weights, or its weights' gradient. */
static void fill_field(const recon_expand_args *a, const recon_expand_block *b, size_t u,
                       float *piece)
{
    const float *weight = (const float *)a->weight.data + b->first_weight;
    for (size_t i = 0; i < b->dim_out; i++)
        for (size_t v = 0; v < b->copies_in; v++) {
            combine(piece, weight + (u * b->copies_in + v) * b->elements, component(a, b, i),
                    b->elements, stride_of(b), (size_t)b->dim_in * b->taps);
            put(&a->filter, filter_at(b, u, i, v), piece, b);
        }
}
static void read_field(const recon_expand_args *a, const recon_expand_block *b, size_t u,
                       float *piece)
{
    size_t weights = (size_t)b->copies_in * b->elements;
    float *dweight = (float *)a->dweight.data + b->first_weight + u * weights;
    memset(dweight, 0, weights * sizeof *dweight);
    for (size_t i = 0; i < b->dim_out; i++)
        for (size_t v = 0; v < b->copies_in; v++) {
            get(piece, &a->dfilter, filter_at(b, u, i, v), b);
            project(dweight + v * b->elements, piece, component(a, b, i), b->elements, stride_of(b),
                    (size_t)b->dim_in * b->taps);
        }
}

typedef void field_fn(const recon_expand_args *a, const recon_expand_block *b, size_t u,
                      float *piece);
typedef struct {
    const recon_expand_args *a;
    field_fn *run;
} job;

static recon_status field_task(recon_ctx *ctx, void *arg, size_t u, int worker)
{
    const job *j = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    const recon_expand_block *b = recon_expand_find(&j->a->plan, &u);
    float *piece;
    recon_status status;
    RECON_TRY(recon_arena_take(ctx, arena, &piece, (size_t)b->dim_in * b->taps + 1, sizeof *piece));
    j->run(j->a, b, u, piece);
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_cpu_expand(recon_ctx *ctx, const recon_expand_args *a)
{
    return recon_parallel(ctx, field_task, &(job){ a, fill_field }, recon_expand_fields(&a->plan));
}

recon_status recon_cpu_expand_back(recon_ctx *ctx, const recon_expand_args *a)
{
    return recon_parallel(ctx, field_task, &(job){ a, read_field }, recon_expand_fields(&a->plan));
}
