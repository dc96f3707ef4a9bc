/* plan.h (private) - how long an exact search will take, and how much memory, known before it. */
#ifndef NORMALIZE_PLAN_H
#define NORMALIZE_PLAN_H

#include <stddef.h>
#include <recon/core/ctx.h>

typedef struct {
    size_t rows, queries;  /* of all ranks; queries 0: the rows are compared with each other */
    size_t d, k;           /* k 0: components */
    size_t ranks, threads; /* threads of a rank */
    int bytes;             /* has the CPU fast products of bytes? */
} recon_plan_sizes;

typedef struct {
    double seconds;
    size_t bytes; /* of a rank */
} recon_plan;

/* By the rates of docs/notebook/cluster.md: within a factor of two on CPUs of the last years. */
recon_plan recon_plan_of(const recon_plan_sizes *sizes);

/* Logs what a long run will take; a short one says nothing. */
void recon_plan_tell(recon_ctx *ctx, const recon_plan_sizes *sizes);

#endif
