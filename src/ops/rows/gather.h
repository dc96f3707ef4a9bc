/* gather.h - rows by index, sums of rows, and columns. Copies are copies of bytes; sums run in double, a piece
 * of the row at a time, so that they stay in registers and the first-level cache. */
#ifndef OPS_ROWS_GATHER_H
#define OPS_ROWS_GATHER_H

#include "ops/rows/real.h"
#include "core/blocks.h"

/* Numbers of one row: all dimensions but the first. */
static size_t width_of(const recon_tensor *t)
{
    return t->shape[0] ? recon_tensor_count(t) / t->shape[0] : 0;
}

static const int32_t *ints(const recon_tensor *t)
{
    return t->data;
}

/* ---- copies ---- */

static void copy_row(const recon_tensor *to, size_t row, const recon_tensor *from, size_t source,
                     size_t bytes)
{
    memcpy((char *)to->data + row * bytes, (const char *)from->data + source * bytes, bytes);
}

static void gather_run(const void *args, size_t at, size_t n)
{
    const recon_gather_args *a = args;
    size_t bytes = width_of(&a->y) * recon_dtype_size(a->y.type);
    for (size_t e = at; e < at + n; e++)
        copy_row(&a->y, e, &a->x, (size_t)ints(&a->index)[e], bytes);
}

static void spread_run(const void *args, size_t at, size_t n)
{
    const recon_segment_args *a = args;
    size_t bytes = width_of(&a->dy) * recon_dtype_size(a->dy.type);
    for (size_t s = at; s < at + n; s++)
        for (int32_t e = ints(&a->offset)[s]; e < ints(&a->offset)[s + 1]; e++)
            copy_row(&a->dx, (size_t)e, &a->dy, s, bytes);
}

/* ---- sums ---- */

RECON_CLONES static void add_reals(double *restrict sum, const real *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += (double)x[i];
}

RECON_CLONES static void round_sums(real *restrict y, const double *restrict sum, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (real)sum[i];
}

/* y[row] = the sum of x[order[k]], or of x[k], for k = begin .. end. */
static void sum_rows(const recon_tensor *y, size_t row, const recon_tensor *x, const int32_t *order,
                     int32_t begin, int32_t end)
{
    size_t width = width_of(y);
    enum { WIDE = RECON_BLOCK_COLUMNS };
    double sum[WIDE];
    real buffer[WIDE];
    for (size_t col = 0; col < width; col += WIDE) {
        size_t n = width - col < WIDE ? width - col : WIDE, to = row * width + col;
        memset(sum, 0, n * sizeof *sum);
        for (int32_t k = begin; k < end; k++) {
            size_t from = (size_t)(order ? order[k] : k) * width + col;
            add_reals(sum, read_run(buffer, x, from, n), n);
        }
        round_sums(write_run(buffer, y, to), sum, n);
        wrote_run(buffer, y, to, n);
    }
}

static void gather_back_run(const void *args, size_t at, size_t n)
{
    const recon_gather_args *a = args;
    const int32_t *offset = ints(&a->offset);
    for (size_t r = at; r < at + n; r++)
        sum_rows(&a->dx, r, &a->dy, ints(&a->order), offset[r], offset[r + 1]);
}

static void segment_run(const void *args, size_t at, size_t n)
{
    const recon_segment_args *a = args;
    const int32_t *offset = ints(&a->offset);
    for (size_t s = at; s < at + n; s++)
        sum_rows(&a->y, s, &a->x, NULL, offset[s], offset[s + 1]);
}

/* ---- columns ---- */

static void columns_run(const void *args, size_t at, size_t n)
{
    const recon_columns_args *a = args;
    size_t size = recon_dtype_size(a->src.type);
    size_t from = recon_tensor_cols(&a->src), to = recon_tensor_cols(&a->dst);
    for (size_t r = at; r < at + n; r++)
        memcpy((char *)a->dst.data + (r * to + a->to) * size,
               (const char *)a->src.data + (r * from + a->from) * size, a->cols * size);
}

/* ---- entries ---- */

/* Rows of a run, about RECON_RUN numbers. */
static size_t rows_per_run(const recon_tensor *t)
{
    return 1 + RECON_RUN / (width_of(t) + 1);
}

recon_status ENTRY(gather)(recon_ctx *ctx, const recon_gather_args *a)
{
    return recon_runs(ctx, gather_run, a, a->y.shape[0], rows_per_run(&a->y));
}

recon_status ENTRY(gather_back)(recon_ctx *ctx, const recon_gather_args *a)
{
    return recon_runs(ctx, gather_back_run, a, a->dx.shape[0], rows_per_run(&a->dx));
}

recon_status ENTRY(segment_sum)(recon_ctx *ctx, const recon_segment_args *a)
{
    return recon_runs(ctx, segment_run, a, a->y.shape[0], rows_per_run(&a->y));
}

recon_status ENTRY(segment_sum_back)(recon_ctx *ctx, const recon_segment_args *a)
{
    return recon_runs(ctx, spread_run, a, a->dy.shape[0], rows_per_run(&a->dy));
}

recon_status ENTRY(columns)(recon_ctx *ctx, const recon_columns_args *args)
{
    return recon_runs(ctx, columns_run, args, args->rows, 1 + RECON_RUN / (args->cols + 1));
}

#endif
