/* wasserstein_so3.h - how far apart two samples of n rotations are: the p-Wasserstein distance of
 * group/wasserstein.h on SO(3), where the best plan is an assignment.
 *
 * The assignment is found by shortest augmenting paths: Jonker and Volgenant, "A shortest augmenting
 * path algorithm for dense and sparse linear assignment problems", Computing 38, 1987. Columns carry
 * prices. With the price taken off, each assigned row has its cheapest column; a row that is still
 * free finds, by Dijkstra's method over the columns, the cheapest chain of reassignments that ends
 * in a free column. */
#ifndef TESTS_GROUP_WASSERSTEIN_SO3_H
#define TESTS_GROUP_WASSERSTEIN_SO3_H

#include <math.h>
#include <stdlib.h>
#include <recon/group/so3.h>
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"

#define FREE SIZE_MAX

typedef struct {
    const double *cost;
    size_t n;
    size_t *column; /* of a row, or FREE                               */
    size_t *row;    /* of a column, or FREE                            */
    double *price;  /* of a column                                     */
    double *length; /* of the shortest path known to a column          */
    size_t *from;   /* the row before the column on that path          */
    size_t *open;   /* columns whose shortest path is not settled yet, */
    size_t *closed; /* and those whose is                              */
} solver;

static inline recon_status allocate(recon_ctx *ctx, solver *s)
{
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &s->row, s->n, sizeof *s->row));
    RECON_TRY(recon_alloc(ctx, &s->price, s->n, sizeof *s->price));
    RECON_TRY(recon_alloc(ctx, &s->length, s->n, sizeof *s->length));
    RECON_TRY(recon_alloc(ctx, &s->from, s->n, sizeof *s->from));
    RECON_TRY(recon_alloc(ctx, &s->open, s->n, sizeof *s->open));
    RECON_TRY(recon_alloc(ctx, &s->closed, s->n, sizeof *s->closed));
done:
    return status;
}

static inline void release(solver *s)
{
    free(s->row), free(s->price), free(s->length);
    free(s->from), free(s->open), free(s->closed);
}

/* Each column's price is its least cost, and the row that has it takes the column if it can: most
 * rows are served here, without a search. */
static inline void serve_cheapest(solver *s)
{
    for (size_t i = 0; i < s->n; i++)
        s->column[i] = s->row[i] = FREE;
    for (size_t j = 0; j < s->n; j++) {
        size_t best = 0;
        for (size_t i = 1; i < s->n; i++)
            best = s->cost[i * s->n + j] < s->cost[best * s->n + j] ? i : best;
        s->price[j] = s->cost[best * s->n + j];
        if (s->column[best] == FREE)
            s->column[best] = j, s->row[j] = best;
    }
}

/* Paths that reach an open column through this row, whose own path is longer by base than its
 * reduced costs say. Returns where in open the shortest of all is. */
static inline size_t relax(solver *s, size_t row, double base, size_t open)
{
    const double *cost = s->cost + row * s->n;
    size_t best = 0;
    for (size_t k = 0; k < open; k++) {
        size_t j = s->open[k];
        double length = base + cost[j] - s->price[j];
        if (length < s->length[j])
            s->length[j] = length, s->from[j] = row;
        if (s->length[j] < s->length[s->open[best]])
            best = k;
    }
    return best;
}

/* From a free row to the nearest free column; returns it, with *closed columns settled before. */
static inline size_t search(solver *s, size_t row, size_t *closed)
{
    double base = 0;
    size_t open = s->n;
    for (size_t j = 0; j < s->n; j++)
        s->open[j] = j, s->length[j] = INFINITY;
    for (*closed = 0;; ++*closed) {
        size_t k = relax(s, row, base, open), j = s->open[k];
        if (s->row[j] == FREE)
            return j;
        s->closed[*closed] = j;
        s->open[k] = s->open[--open];
        row = s->row[j];
        base = s->length[j] - (s->cost[row * s->n + j] - s->price[j]);
    }
}

static inline void augment(solver *s, size_t row)
{
    size_t closed, j = search(s, row, &closed), i;
    for (size_t k = 0; k < closed; k++)
        s->price[s->closed[k]] += s->length[s->closed[k]] - s->length[j];
    do { /* backwards along the path, each row gives up its column for the next */
        i = s->from[j];
        size_t given_up = s->column[i];
        s->row[j] = i, s->column[i] = j;
        j = given_up;
    } while (i != row);
}

/* column [n]: the column of each row, so that the sum of cost[row][column] is least. */
static inline recon_status assign(recon_ctx *ctx, size_t *column, const double *cost, size_t n)
{
    solver s = { .cost = cost, .n = n, .column = column };
    recon_status status;
    RECON_TRY(allocate(ctx, &s));
    serve_cheapest(&s);
    for (size_t i = 0; i < n; i++) {
        RECON_TRY(recon_interrupted(ctx));
        if (column[i] == FREE)
            augment(&s, i);
    }
done:
    release(&s);
    return status;
}

static inline recon_status recon_so3_wasserstein(recon_ctx *ctx, double *out, const recon_so3 *a,
                                                 const recon_so3 *b, size_t n, double p)
{
    double *cost = NULL;
    size_t *match = NULL;
    double sum = 0;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &cost, n * n, sizeof *cost));
    RECON_TRY(recon_alloc_raw(ctx, &match, n, sizeof *match));
    for (size_t i = 0; i < n * n; i++)
        cost[i] = pow(recon_so3_distance(a[i / n], b[i % n]), p);
    RECON_TRY(assign(ctx, match, cost, n));
    for (size_t i = 0; i < n; i++)
        sum += cost[i * n + match[i]];
    *out = pow(sum / (double)n, 1 / p);
done:
    free(cost);
    free(match);
    return status;
}

#endif
