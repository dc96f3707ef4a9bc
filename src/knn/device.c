/* device.c - the search of a backend, and the host's for rows that it could not settle. */
#include "knn/search.h"
#include "comm/comm.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "ops/ops.h"

#include <stdlib.h>

int recon_device_takes(recon_ctx *ctx, const recon_points *rows, const recon_points *p, size_t k)
{
    const recon_ops *ops = recon_ops_of(ctx);
    return ops->nearest && p->w && k <= RECON_NEAREST_MOST && k <= p->n &&
           (double)rows->n * (double)p->n >= ops->nearest_pairs &&
           rows->longest <= RECON_NEAREST_LONGEST;
}

static recon_status tile_done(recon_ctx *ctx)
{
    recon_progress_add(ctx, 1);
    recon_status status = recon_comm_poll(ctx, 0); /* rows of other ranks may be on their way */
    return status == RECON_OK ? recon_interrupted(ctx) : status;
}

static recon_nearest_side side_of(const recon_points *p)
{
    return (recon_nearest_side){ p->n, p->z, p->w, p->shift,
                                 p->metric == RECON_COSINE ? p->norm : NULL };
}

/* The terms of recon_points_blocked and recon_points_error, row by row. */
static recon_status describe(recon_ctx *ctx, recon_nearest_args *a, double **base, double **error,
                             const recon_points *rows, const recon_points *p)
{
    int euclidean = rows->metric == RECON_EUCLIDEAN;
    a->rows = side_of(rows);
    a->cols = side_of(p);
    a->d = rows->d;
    a->euclidean = euclidean;
    a->slope = (euclidean ? 0.5 : 1) * rows->scale * rows->scale;
    RECON_CHECK(recon_alloc_raw(ctx, error, rows->n, sizeof **error));
    if (euclidean)
        RECON_CHECK(recon_alloc_raw(ctx, base, rows->n, sizeof **base));
    for (size_t i = 0; i < rows->n; i++) {
        (*error)[i] = recon_points_error(rows, i, p);
        if (euclidean)
            (*base)[i] = 0.5 * rows->norm[i] * rows->norm[i];
    }
    a->base = *base;
    a->error = *error;
    return RECON_OK;
}

/* A row that does not count among its own has one more place, which goes to itself or, behind
 * copies of it, to nobody. */
static void put_row(const recon_nearest_args *a, size_t i, const recon_neighbor *found, size_t wide)
{
    for (size_t c = 0, n = 0; c < wide && n < a->k; c++)
        if (wide == a->k || found[c].index != i) {
            a->score[i * a->k + n] = found[c].score;
            a->index[i * a->k + n++] = found[c].index;
        }
}

/* The rows named, by the host. */
static recon_status search_rows(recon_ctx *ctx, const recon_nearest_args *a, const size_t *row,
                                size_t count, const recon_points *rows, const recon_points *p)
{
    size_t wide = a->k + (a->self && !a->include_self), d = rows->d;
    recon_points some = { 0 };
    recon_neighbor *found = NULL;
    float *z = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &z, count * d, sizeof *z));
    RECON_TRY(recon_alloc_raw(ctx, &found, count * wide, sizeof *found));
    for (size_t i = 0; i < count; i++)
        memcpy(z + i * d, rows->z + row[i] * d, d * sizeof *z);
    RECON_TRY(recon_points_make(ctx, &some, z, count, d, rows->metric, p, "rows"));
    recon_neighbors_clear(found, count * wide);
    RECON_TRY(recon_exact_search_on(ctx, found, &some, p, 0, wide));
    for (size_t i = 0; i < count; i++)
        put_row(a, row[i], found + i * wide, wide);
done:
    recon_points_free(&some);
    recon_free_all(found, z);
    return status;
}

static recon_status search_open_rows(recon_ctx *ctx, const recon_nearest_args *a,
                                     const recon_points *rows, const recon_points *p)
{
    size_t *row = NULL, count = 0;
    recon_status status = RECON_OK;
    for (size_t i = 0; i < rows->n; i++)
        count += a->open[i] != 0;
    if (count == 0)
        return RECON_OK;
    recon_log(ctx, RECON_LOG_INFO,
              "%zu rows lie in crowds too dense for half precision: searched on the host", count);
    RECON_TRY(recon_alloc_raw(ctx, &row, count, sizeof *row));
    for (size_t i = 0, n = 0; i < rows->n; i++)
        if (a->open[i])
            row[n++] = i;
    RECON_TRY(search_rows(ctx, a, row, count, rows, p));
done:
    free(row);
    return status;
}

static recon_status search(recon_ctx *ctx, recon_neighbor *out, const recon_points *rows,
                           const recon_points *p, recon_nearest_args *a)
{
    const recon_ops *ops = recon_ops_of(ctx);
    double *base = NULL, *error = NULL;
    size_t n = rows->n * a->k;
    recon_status status;
    RECON_TRY(describe(ctx, a, &base, &error, rows, p));
    RECON_TRY(recon_alloc_raw(ctx, &a->score, n, sizeof *a->score));
    RECON_TRY(recon_alloc_raw(ctx, &a->index, n, sizeof *a->index));
    RECON_TRY(recon_alloc_raw(ctx, &a->open, rows->n, sizeof *a->open));
    a->tile_done = tile_done;
    recon_progress_begin(ctx, "neighbours", ops->nearest_tiles(a));
    status = ops->nearest(ctx, a);
    recon_progress_end(ctx);
    RECON_TRY(status);
    RECON_TRY(search_open_rows(ctx, a, rows, p));
    for (size_t i = 0; i < n; i++)
        out[i] = (recon_neighbor){ a->score[i], a->index[i] };
done:
    recon_free_all(a->score, a->index, a->open, base, error);
    return status;
}

recon_status recon_device_self(recon_ctx *ctx, recon_neighbor *out, const recon_points *p, size_t k,
                               int include_self)
{
    return search(ctx, out, p, p,
                  &(recon_nearest_args){ .self = 1, .include_self = include_self, .k = k });
}

recon_status recon_device_search(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                 const recon_points *p, size_t k)
{
    return search(ctx, out, queries, p, &(recon_nearest_args){ .k = k });
}
