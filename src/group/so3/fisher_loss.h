/* fisher_loss.h (private) - what a rotation costs under a mixture of matrix Fisher distributions
 * with a uniform background, and which way is down. */
#ifndef GROUP_SO3_FISHER_LOSS_H
#define GROUP_SO3_FISHER_LOSS_H

#include "group/so3/fisher_mixture.h"

/* -log(w_0 + sum of w_k exp(tr F_k^T R - log c(F_k))), k = 1 .. parts; F_k and R row-major. The
 * weights are the softmax of parts + 1 numbers: share[0] is the background's, the first part has 0,
 * the others have share[1 .. parts - 1]. share NULL: no background, and parts of equal weight.
 * df [parts][9] and dshare [parts] are its derivatives; both may be NULL. NaN, there too, where F or
 * a share is not finite or F has an entry above 1e12. parts is at most RECON_FISHER_PARTS. */
double recon_fisher_loss(double *df, double *dshare, const double *f, const double *share,
                         int parts, const double r[9]);

/* Logarithms of parts + 1 weights of sum 1, the background's first: the softmax above. share NULL: no background (-INFINITY), and parts of equal weight. */
void recon_fisher_log_shares(double *log_weight, const double *share, int parts);

/* log of the sum of exp(x[i]), n >= 1; -INFINITY is allowed, not for all of them. */
double recon_log_sum(const double *x, int n);

#endif
