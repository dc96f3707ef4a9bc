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

/* A field of a block: its weights, and the block's elements, [dim_out][dim_in][taps] each. */
typedef struct {
    const recon_expand_block *b;
    const real *basis;
    size_t u, first, weights; /* first: its first weight */
    real *piece;
} expanded;

static void fill_field(const expanded *f, const recon_tensor *filter, const real *weight)
{
    const recon_expand_block *b = f->b;
    size_t run = (size_t)b->dim_in * b->taps;
    for (size_t i = 0; i < b->dim_out; i++)
        for (size_t v = 0; v < b->copies_in; v++) {
            add_elements(f->piece, weight + v * b->elements, f->basis + i * run, b->elements,
                         b->dim_out * run, run);
            put_piece(filter, filter_at(b, f->u, i, v), f->piece, b);
        }
}
static void read_field(const expanded *f, real *dweight, const recon_tensor *dfilter)
{
    const recon_expand_block *b = f->b;
    size_t run = (size_t)b->dim_in * b->taps;
    memset(dweight, 0, f->weights * sizeof *dweight);
    for (size_t i = 0; i < b->dim_out; i++)
        for (size_t v = 0; v < b->copies_in; v++) {
            get_piece(f->piece, dfilter, filter_at(b, f->u, i, v), b);
            project(dweight + v * b->elements, f->piece, f->basis + i * run, b->elements,
                    b->dim_out * run, run);
        }
}

static recon_status open_field(recon_ctx *ctx, expanded *f, recon_arena *arena,
                               const recon_expand_args *a, size_t u)
{
    const recon_expand_block *b = recon_expand_find(&a->plan, &u);
    size_t run = (size_t)b->dim_in * b->taps;
    recon_status status;
    *f = (expanded){ .b = b, .u = u, .weights = (size_t)b->copies_in * b->elements };
    f->first = b->first_weight + u * f->weights;
    RECON_TRY(recon_arena_take(ctx, arena, &f->piece, run + 1, sizeof *f->piece));
    RECON_TRY(read_part(ctx, arena, &f->basis, &a->basis, b->first_basis,
                        b->elements * b->dim_out * run));
done:
    return status;
}

static recon_status expand_task(recon_ctx *ctx, void *arg, size_t u, int worker)
{
    const recon_expand_args *a = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_status status;
    const real *weight;
    expanded f;
    RECON_TRY(open_field(ctx, &f, arena, a, u));
    RECON_TRY(read_part(ctx, arena, &weight, &a->weight, f.first, f.weights));
    fill_field(&f, &a->filter, weight);
done:
    return status;
}

static recon_status expand_back_task(recon_ctx *ctx, void *arg, size_t u, int worker)
{
    const recon_expand_args *a = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_status status;
    real *dweight;
    expanded f;
    RECON_TRY(open_field(ctx, &f, arena, a, u));
    RECON_TRY(write_part(ctx, arena, &dweight, &a->dweight, f.first, f.weights));
    read_field(&f, dweight, &a->dfilter);
    wrote_run(dweight, &a->dweight, f.first, f.weights);
done:
    return status;
}

recon_status ENTRY(expand)(recon_ctx *ctx, const recon_expand_args *a)
{
    return recon_parallel(ctx, expand_task, (void *)a, recon_expand_fields(&a->plan));
}

recon_status ENTRY(expand_back)(recon_ctx *ctx, const recon_expand_args *a)
{
    return recon_parallel(ctx, expand_back_task, (void *)a, recon_expand_fields(&a->plan));
}

#endif
