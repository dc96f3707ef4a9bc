/* fisher_constant.h - the normalising constant of the matrix Fisher distribution.
 *
 * c(s) is the mean of exp(tr(S^T R)) over all rotations, S = diag(s). It depends on s up to
 * permutations and even changes of sign. One quadrature gives its logarithm, the gradient (which is
 * the mean of the diagonal of R) and the Hessian (its covariance). */
#ifndef GROUP_SO3_FISHER_CONSTANT_H
#define GROUP_SO3_FISHER_CONSTANT_H

typedef struct {
    double log_c;
    double mean[3];          /* d log c / d s            */
    double covariance[3][3]; /* d^2 log c / d s^2        */
} recon_fisher_constant;

/* Any finite s, in any order. */
void recon_fisher_constant_of(recon_fisher_constant *out, const double s[3]);

#endif
