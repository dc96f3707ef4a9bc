/* moments.c - |E exp(i m theta)| of each family. */
#include "group/so2/mean.h"

#include <complex.h>
#include <math.h>

enum { DEPTH = 128 }; /* where the continued fraction begins: 1e-6 at worst, near kappa = 5000 */

/* out[m - 1] = I_m(kappa) / I_0(kappa). The ratios r_m = I_m / I_(m-1) obey r_m = 1 / (2 m / kappa
 * + r_(m+1)), which forgets a wrong start on the way down; Amos' bound (Math. Comp. 1974) begins
 * close, also where kappa is so large that little is forgotten. */
static void vonmises_moments(double out[RECON_SO2_MOMENTS], double kappa)
{
    double half = DEPTH + 0.5, r = kappa / (DEPTH - 0.5 + sqrt(half * half + kappa * kappa));
    for (int m = DEPTH - 1; m >= 1; m--) {
        r = kappa / (2 * m + kappa * r);
        if (m <= RECON_SO2_MOMENTS)
            out[m - 1] = r;
    }
    for (int m = 1; m < RECON_SO2_MOMENTS; m++)
        out[m] *= out[m - 1];
}

static void mixture_moments(double out[RECON_SO2_MOMENTS], const recon_so2_density *p)
{
    double complex sum[RECON_SO2_MOMENTS] = { 0 };
    double part[RECON_SO2_MOMENTS];
    for (int k = 0; k < p->parts; k++) {
        vonmises_moments(part, p->part[k].kappa);
        for (int m = 0; m < RECON_SO2_MOMENTS; m++)
            sum[m] += p->part[k].weight * part[m] * cexp(I * (m + 1) * p->part[k].mean);
    }
    for (int m = 0; m < RECON_SO2_MOMENTS; m++)
        out[m] = cabs(sum[m]);
}

/* Of the bins, as if each were one angle: what lies between them changes it by less than a part in a
 * hundred. */
static double complex bins_moment(const recon_so2_density *p, int m)
{
    double complex sum = 0;
    double total = 0;
    for (int i = 0; i < RECON_POSE_BINS; i++) {
        sum += (double)p->bin[i] * cexp(2 * M_PI * I * m * i / RECON_POSE_BINS);
        total += (double)p->bin[i];
    }
    return sum / total;
}

void recon_so2_moments(double moment[RECON_SO2_MOMENTS], const recon_so2_density *p)
{
    if (p->family == RECON_SO2_MIXTURE)
        mixture_moments(moment, p);
    else if (p->family == RECON_SO2_BINS)
        for (int m = 1; m <= RECON_SO2_MOMENTS; m++)
            moment[m - 1] = cabs(bins_moment(p, m));
    else if (p->family == RECON_SO2_VONMISES)
        vonmises_moments(moment, p->width);
    for (int m = 1; m <= RECON_SO2_MOMENTS; m++) {
        double w = m * p->width;
        if (p->family == RECON_SO2_UNIFORM)
            moment[m - 1] = w > 0 ? fabs(sin(w) / w) : 1;
        else if (p->family == RECON_SO2_NORMAL)
            moment[m - 1] = exp(-w * w / 2);
        moment[m - 1] *= 1 - p->background;
    }
}

int recon_so2_fold(const double moment[RECON_SO2_MOMENTS])
{
    double most = moment[0];
    for (int m = 2; m <= RECON_SO2_MOMENTS; m++) {
        if (moment[m - 1] >= RECON_FOLD_CLEAR && moment[m - 1] >= 2 * most)
            return m;
        most = fmax(most, moment[m - 1]);
    }
    return most >= RECON_FOLD_LEAST;
}

static double mean_direction(const recon_so2_density *p)
{
    double moment[RECON_SO2_MOMENTS];
    double complex sum = 0;
    if (p->family == RECON_SO2_BINS)
        return p->center + carg(bins_moment(p, 1));
    if (p->family != RECON_SO2_MIXTURE)
        return p->center;
    for (int k = 0; k < p->parts; k++) {
        vonmises_moments(moment, p->part[k].kappa);
        sum += p->part[k].weight * moment[0] * cexp(I * p->part[k].mean);
    }
    return p->center + carg(sum);
}

/* By the trapezoidal rule outwards, in steps that grow with the distance: a density may be as sharp
 * as a thousandth of the circle. */
double recon_so2_deviation(const recon_so2_density *p, double wanted)
{
    enum { STEPS = 256 };
    double middle = mean_direction(p), inside = 0, from = 0;
    double before = 2 * exp(recon_so2_log_density(p, middle));
    for (int i = 1; i <= STEPS; i++) {
        double to = M_PI * i * i / (STEPS * STEPS);
        double here =
            exp(recon_so2_log_density(p, middle + to)) + exp(recon_so2_log_density(p, middle - to));
        double share = (before + here) / 2 * (to - from);
        if (inside + share >= wanted)
            return from + (to - from) * (wanted - inside) / share;
        inside += share;
        before = here;
        from = to;
    }
    return M_PI;
}
