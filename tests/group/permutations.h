/* permutations.h - the cheapest assignment by trying them all: n up to about 7. */
#ifndef TESTS_STATS_PERMUTATIONS_H
#define TESTS_STATS_PERMUTATIONS_H

#include <math.h>

/* Rows from row on, columns not in the set used. */
static inline double least_cost_from(const double *cost, int n, int row, unsigned used)
{
    double best = row == n ? 0 : INFINITY;
    for (int j = 0; row < n && j < n; j++)
        if (!(used & 1u << j))
            best =
                fmin(best, cost[row * n + j] + least_cost_from(cost, n, row + 1, used | 1u << j));
    return best;
}

static inline double least_cost(const double *cost /* [n][n] */, int n)
{
    return least_cost_from(cost, n, 0, 0);
}

#endif
