/* assignment.h - the cheapest way to give each of n rows a column of its own. */
#ifndef STATS_ASSIGNMENT_H
#define STATS_ASSIGNMENT_H

#include <stddef.h>
#include <recon/core/ctx.h>

/* The permutation with the least sum of cost[i][column[i]], in O(n^3). Costs must be finite. */
recon_status recon_assign(recon_ctx *ctx, size_t *column /* [n] */, const double *cost /* [n][n] */,
                          size_t n);

#endif
