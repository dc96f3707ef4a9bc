/* fisher_constant.h - the normalising constant of the matrix Fisher distribution.
 *
 * c(s) is the mean of exp(tr(S^T R)) over all rotations, S = diag(s). It depends on s up to
 * permutations and even changes of sign. One quadrature gives its logarithm, the gradient (which is
 * the mean of the diagonal of R) and the Hessian (its covariance). */
#ifndef GROUP_SO3_FISHER_CONSTANT_H
#define GROUP_SO3_FISHER_CONSTANT_H

#include <recon/group/matrix_fisher.h>

typedef struct {
    double log_c;
    double mean[3];          /* d log c / d s            */
    double covariance[3][3]; /* d^2 log c / d s^2        */
} recon_fisher_constant;

/* Any finite s, in any order. */
void recon_fisher_constant_of(recon_fisher_constant *out, const double s[3]);

/* log c for singular values in any order and with any signs, from 0 up; gradient (the mean of the
 * diagonal of R, F = diag(s)) may be NULL. Absolute error below 1e-10 up to 1e4, relative error
 * 1e-15 beyond. */
double recon_fisher_log_constant(double gradient[3], const double s[3]);

void recon_fisher_mean(double mean[9], const recon_fisher *fisher); /* E[R], row-major */

#endif
