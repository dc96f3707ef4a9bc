/* fisher_loss.h (private) - what a rotation costs under a matrix Fisher distribution with a uniform
 * background, and which way is down. */
#ifndef STATS_FISHER_LOSS_H
#define STATS_FISHER_LOSS_H

/* -log(pi + (1 - pi) exp(tr F^T R - log c(F))), pi = 1 / (1 + exp(-logit)); F and R row-major. df
 * [9] and dlogit are its derivatives; both may be NULL. NaN, there too, where F or the logit is not
 * finite or F has an entry above 1e12. */
double recon_fisher_loss(double *df, double *dlogit, const double f[9], double logit,
                         const double r[9]);

#endif
