/* cholesky.h - small symmetric matrices: a = l l^T with l lower triangular, both row-major [n][n]. */
#ifndef STATS_CHOLESKY_H
#define STATS_CHOLESKY_H

#include <stddef.h>

/* Returns the sum of the logarithms of l's diagonal. Pivots are at least `least`. l may be a. */
double recon_cholesky(double *l, const double *a, size_t n, double least);

/* out = l^-1 v, so that |out|^2 is v^T a^-1 v; and out = l^-T v. out may be v. */
void recon_cholesky_forward(double *out, const double *l, const double *v, size_t n);
void recon_cholesky_backward(double *out, const double *l, const double *v, size_t n);

#endif
