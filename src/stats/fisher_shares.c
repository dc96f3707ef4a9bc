/* fisher_shares.c - see fisher_shares.h. */
#include "stats/fisher_shares.h"

#include <math.h>

double recon_log_sum(const double *x, int n)
{
    double top = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        top = fmax(top, x[i]);
    for (int i = 0; i < n; i++)
        sum += exp(x[i] - top);
    return top + log(sum);
}

void recon_fisher_log_shares(double *log_weight, const double *share, int parts)
{
    log_weight[0] = share ? share[0] : -INFINITY;
    log_weight[1] = 0;
    for (int k = 1; k < parts; k++)
        log_weight[k + 1] = share ? share[k] : 0;
    double total = recon_log_sum(log_weight, parts + 1);
    for (int k = 0; k <= parts; k++)
        log_weight[k] -= total;
}
