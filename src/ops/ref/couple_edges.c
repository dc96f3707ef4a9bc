/* couple_edges.c - the tensor product of messages by its definition: rows of both nodes, then
 * couple. */
#include "ops/ref/ref.h"
#include "ops/couple.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

static size_t extras(const recon_couple_edges_args *a)
{
    return a->extra.data ? recon_tensor_cols(&a->extra) : 0;
}

/* Numbers of a degree in a node's row. */
static size_t node_count(const recon_couple_edges_args *a, size_t degree)
{
    size_t channels = (a->plan->in[degree] - (degree ? 0 : extras(a))) / 2;
    return channels * recon_couple_size(degree);
}

/* Calls visit for the numbers that the row of an edge has of its target and of its source. */
typedef void visitor(double *row, double *node, size_t count);
static void each_run(const recon_couple_edges_args *a, double *rows, double *nodes, visitor *visit)
{
    size_t edges = recon_tensor_rows(&a->attr), in = recon_couple_dim(a->plan->in);
    for (size_t e = 0; e < edges; e++) {
        double *target = nodes + recon_ref_int(&a->target, e) * recon_tensor_cols(&a->x);
        double *source = nodes + recon_ref_int(&a->source, e) * recon_tensor_cols(&a->x);
        for (size_t l = 0; l < RECON_COUPLE_DEGREES; l++) {
            double *row = rows + e * in + recon_couple_at(a->plan->in, l);
            size_t count = node_count(a, l);
            visit(row, target, count);
            visit(row + count, source, count);
            target += count, source += count;
        }
    }
}

static void copy_run(double *row, double *node, size_t count)
{
    memcpy(row, node, count * sizeof *row);
}

static void add_run(double *row, double *node, size_t count)
{
    for (size_t i = 0; i < count; i++)
        node[i] += row[i];
}

/* The rows of all edges, in double, and couple's arguments with them; free x.data. */
static recon_status open_rows(recon_ctx *ctx, recon_couple_args *out,
                              const recon_couple_edges_args *a)
{
    recon_status status = RECON_OK;
    size_t edges = recon_tensor_rows(&a->attr), in = recon_couple_dim(a->plan->in);
    double *x = NULL;
    *out = (recon_couple_args){ .plan = a->plan,
                                .y = a->y,
                                .x = { .type = RECON_F64, .ndim = 2, .shape = { edges, in } },
                                .attr = a->attr,
                                .w = a->w,
                                .bias = a->bias,
                                .dy = a->dy,
                                .dw = a->dw,
                                .dbias = a->dbias };
    RECON_TRY(recon_ref_widen(ctx, &x, &a->x));
    RECON_TRY(recon_alloc(ctx, &out->x.data, edges * in, sizeof *x));
    each_run(a, out->x.data, x, copy_run);
    for (size_t e = 0; e < edges; e++)
        for (size_t i = 0; i < extras(a); i++)
            recon_ref_set(&out->x, e * in + 2 * node_count(a, 0) + i,
                          recon_ref_get(&a->extra, e * extras(a) + i));
done:
    free(x);
    return status;
}

recon_status recon_ref_couple_edges(recon_ctx *ctx, const recon_couple_edges_args *a)
{
    recon_status status = RECON_OK;
    recon_couple_args rows;
    RECON_TRY(open_rows(ctx, &rows, a));
    RECON_TRY(recon_ref_couple(ctx, &rows));
done:
    free(rows.x.data);
    return status;
}

recon_status recon_ref_couple_edges_back(recon_ctx *ctx, const recon_couple_edges_args *a)
{
    recon_status status = RECON_OK;
    size_t count = recon_tensor_count(&a->x);
    recon_couple_args rows;
    double *dx = NULL;
    RECON_TRY(open_rows(ctx, &rows, a));
    rows.dx = rows.x;
    rows.dx.data = NULL;
    RECON_TRY(recon_alloc(ctx, &rows.dx.data, recon_tensor_count(&rows.x), sizeof *dx));
    RECON_TRY(recon_ref_couple_back(ctx, &rows));
    if (a->dx.data) {
        RECON_TRY(recon_alloc(ctx, &dx, count, sizeof *dx));
        each_run(a, rows.dx.data, dx, add_run);
        recon_ref_store(&a->dx, 0, dx, count);
    }
done:
    free(rows.x.data), free(rows.dx.data), free(dx);
    return status;
}
