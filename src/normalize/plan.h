/* plan.h (private) - estimates the time and memory of an exact search before it starts. */
#ifndef NORMALIZE_PLAN_H
#define NORMALIZE_PLAN_H

#include <stddef.h>
#include <recon/core/ctx.h>

typedef struct {
    size_t rows, queries;  /* over all ranks; queries 0: the rows are compared with each other */
    size_t d, k;           /* k 0: components */
    size_t ranks, threads; /* threads of a rank */
    int bytes;             /* 1: the CPU has fast products of bytes */
} recon_plan_sizes;

typedef struct {
    double seconds;
    size_t bytes; /* per rank */
} recon_plan;

/* Uses the rates of docs/notebook/cluster.md, which hold within a factor of two on recent CPUs. */
recon_plan recon_plan_of(const recon_plan_sizes *sizes);

/* Logs the estimate if the run will be long. */
void recon_plan_tell(recon_ctx *ctx, const recon_plan_sizes *sizes);

#endif
