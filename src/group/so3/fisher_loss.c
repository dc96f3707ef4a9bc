/* fisher_loss.c - d log c / dF is the mean rotation U diag(moment) V^T, so that d loss / dF is the
 * mean less the rotation itself, for the share of it that belongs to this part. */
#include "group/so3/fisher.h"
#include "group/so3/frame.h"

#include <math.h>

#define LARGEST 1e12

enum { F = 9, TERMS = RECON_FISHER_PARTS + 1 };

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

static int is_usable(const double *f, const double *share, int parts)
{
    int usable = 1;
    for (int i = 0; i < parts * F; i++)
        usable &= fabs(f[i]) <= LARGEST;
    for (int k = 0; share && k < parts; k++)
        usable &= isfinite(share[k]) != 0;
    return usable;
}

static double refuse(double *df, double *dshare, int parts)
{
    for (int i = 0; df && i < parts * F; i++)
        df[i] = NAN;
    for (int k = 0; dshare && k < parts; k++)
        dshare[k] = NAN;
    return NAN;
}

/* log p(R); slope [9], its negative derivative by F, may be NULL. */
static double log_density(double *slope, const double f[F], const double r[F])
{
    double m[10], trace = 0;
    recon_so3_frame frame;
    recon_fisher_constant c;
    recon_so3_moment_of_matrix(m, f);
    recon_so3_frame_of(&frame, m);
    recon_fisher_constant_of(&c, frame.singular);
    for (int i = 0; i < F; i++)
        trace += f[i] * r[i];
    if (slope) {
        recon_so3_frame_matrix(slope, &frame, c.mean);
        for (int i = 0; i < F; i++)
            slope[i] -= r[i];
    }
    return trace - c.log_c;
}

double recon_fisher_loss(double *df, double *dshare, const double *f, const double *share,
                         int parts, const double r[9])
{
    double weight[TERMS], term[TERMS];
    if (!is_usable(f, share, parts))
        return refuse(df, dshare, parts);
    recon_fisher_log_shares(weight, share, parts);
    term[0] = weight[0];
    for (int k = 0; k < parts; k++)
        term[k + 1] = weight[k + 1] + log_density(df ? df + k * F : NULL, f + k * F, r);
    double total = recon_log_sum(term, parts + 1);
    for (int i = 0; df && i < parts * F; i++)
        df[i] *= exp(term[1 + i / F] - total);
    for (int k = 0; dshare && k < parts; k++) {
        int at = k ? k + 1 : 0; /* the first part has no share of its own */
        dshare[k] = exp(weight[at]) - exp(term[at] - total);
    }
    return -total;
}
