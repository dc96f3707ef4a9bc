/* expand.h - filters out of weights and a basis: one field of a block a task.
 *
 * A component's part of an element, [dim_in][taps], lies together: a pair of fields is a few sums
 * of such runs by weights, and on the way back a few dot products. */
#ifndef OPS_ROWS_EXPAND_H
#define OPS_ROWS_EXPAND_H

#include "ops/rows/real.h"

RECON_CLONES static void add_elements(real *restrict out, const real *restrict weight,
                                      const real *restrict basis, size_t elements, size_t stride,
                                      size_t run)
{
    memset(out, 0, run * sizeof *out);
    for (size_t e = 0; e < elements; e++)
        for (size_t k = 0; k < run; k++)
            out[k] += weight[e] * basis[e * stride + k];
}

/* sum[e] += the dot product of x with element e, in sixteen sums side by side. */
RECON_CLONES static void project(real *restrict sum, const real *restrict x,
                                 const real *restrict basis, size_t elements, size_t stride,
                                 size_t run)
{
    enum { LANES = 16 };
    for (size_t e = 0; e < elements; e++) {
        const real *y = basis + e * stride;
        real lane[LANES] = { 0 };
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

static size_t filter_at(const recon_expand_block *b, size_t u, size_t i, size_t v)
{
    return b->start + (u * b->dim_out + i) * b->row + v * b->dim_in;
}

/* piece [dim_in][taps] to and from [taps][dim_in] at `at` of the filter, step apart. */
static void put_piece(const recon_tensor *filter, size_t at, const real *piece,
                      const recon_expand_block *b)
{
    for (size_t c = 0; c < b->dim_in; c++)
        for (size_t tap = 0; tap < b->taps; tap++)
            set_real(filter, at + tap * b->step + c, *piece++);
}
static void get_piece(real *piece, const recon_tensor *filter, size_t at,
                      const recon_expand_block *b)
{
    for (size_t c = 0; c < b->dim_in; c++)
        for (size_t tap = 0; tap < b->taps; tap++)
            *piece++ = get_real(filter, at + tap * b->step + c);
}

typedef struct {
    const recon_expand_args *a;
    int back;
} expand_job;

/* Field u of a block from its weights, or its weights' gradient. */
static recon_status expand_task(recon_ctx *ctx, void *arg, size_t u, int worker)
{
    const expand_job *j = arg;
    const recon_expand_args *a = j->a;
    const recon_expand_block *b = recon_expand_find(&a->plan, &u);
    size_t run = (size_t)b->dim_in * b->taps, stride = b->dim_out * run;
    size_t weights = (size_t)b->copies_in * b->elements, first = b->first_weight + u * weights;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    const real *basis, *weight = NULL;
    real *piece, *dweight = NULL;
    RECON_CHECK(recon_arena_take(ctx, arena, &piece, run + 1, sizeof *piece));
    RECON_CHECK(read_part(ctx, arena, &basis, &a->basis, b->first_basis, b->elements * stride));
    if (j->back) {
        RECON_CHECK(write_part(ctx, arena, &dweight, &a->dweight, first, weights));
        memset(dweight, 0, weights * sizeof *dweight);
    } else {
        RECON_CHECK(read_part(ctx, arena, &weight, &a->weight, first, weights));
    }
    for (size_t i = 0; i < b->dim_out; i++, basis += run)
        for (size_t v = 0; v < b->copies_in; v++) {
            size_t at = filter_at(b, u, i, v), of_pair = v * b->elements;
            if (j->back) {
                get_piece(piece, &a->dfilter, at, b);
                project(dweight + of_pair, piece, basis, b->elements, stride, run);
            } else {
                add_elements(piece, weight + of_pair, basis, b->elements, stride, run);
                put_piece(&a->filter, at, piece, b);
            }
        }
    if (j->back)
        wrote_run(dweight, &a->dweight, first, weights);
    return RECON_OK;
}

recon_status ENTRY(expand)(recon_ctx *ctx, const recon_expand_args *a)
{
    return recon_parallel(ctx, expand_task, &(expand_job){ a, 0 }, recon_expand_fields(&a->plan));
}

recon_status ENTRY(expand_back)(recon_ctx *ctx, const recon_expand_args *a)
{
    return recon_parallel(ctx, expand_task, &(expand_job){ a, 1 }, recon_expand_fields(&a->plan));
}

#endif
