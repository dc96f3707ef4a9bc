/* fisher_shares.h (private) - weights of a mixture's parts, as networks put them out. */
#ifndef STATS_FISHER_SHARES_H
#define STATS_FISHER_SHARES_H

/* Logarithms of parts + 1 weights of sum 1, the background's first: the softmax described in
 * fisher_loss.h. share NULL: no background (-INFINITY), and parts of equal weight. */
void recon_fisher_log_shares(double *log_weight, const double *share, int parts);

/* log of the sum of exp(x[i]), n >= 1; -INFINITY is allowed, not for all of them. */
double recon_log_sum(const double *x, int n);

#endif
