/* fisher_loss.c - d log c / dF is the mean rotation U diag(moment) V^T, so that d loss / dF is the
 * mean less the rotation itself, for the share of it that is not background. */
#include "stats/fisher_loss.h"
#include "stats/fisher_constant.h"
#include "stats/so3_frame.h"

#include <math.h>

#define LARGEST 1e12

static double log_sigmoid(double x)
{
    return fmin(x, 0) - log1p(exp(-fabs(x)));
}

static int is_usable(const double f[9], double logit)
{
    int usable = isfinite(logit);
    for (int i = 0; i < 9; i++)
        usable &= fabs(f[i]) <= LARGEST;
    return usable;
}

static double refuse(double *df, double *dlogit)
{
    for (int i = 0; df && i < 9; i++)
        df[i] = NAN;
    if (dlogit)
        *dlogit = NAN;
    return NAN;
}

double recon_fisher_loss(double *df, double *dlogit, const double f[9], double logit,
                         const double r[9])
{
    double m[10], mean[9], trace = 0;
    recon_so3_frame frame;
    recon_fisher_constant c;
    if (!is_usable(f, logit))
        return refuse(df, dlogit);
    recon_so3_moment_of_matrix(m, f);
    recon_so3_frame_of(&frame, m);
    recon_fisher_constant_of(&c, frame.singular);
    for (int i = 0; i < 9; i++)
        trace += f[i] * r[i];
    double inside = log_sigmoid(-logit) + trace - c.log_c, outside = log_sigmoid(logit);
    double top = fmax(inside, outside), total = top + log1p(exp(-fabs(inside - outside)));
    if (df) {
        recon_so3_frame_matrix(mean, &frame, c.mean);
        for (int i = 0; i < 9; i++)
            df[i] = exp(inside - total) * (mean[i] - r[i]);
    }
    if (dlogit)
        *dlogit = exp(outside) - exp(outside - total);
    return -total;
}
