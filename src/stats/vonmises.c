/* vonmises.c - Bessel functions by their power series below SERIES, by Hankel's asymptotic series
 * above, where its smallest term, about exp(-2 kappa), is below rounding. */
#include "stats/vonmises.h"

#include <math.h>
#include <recon/group/so2.h>

#define SERIES 30.0
#define NORMAL_FROM                                                                                \
    1e6 /* above it a von Mises is a normal to 1e-7, and acos has no digits left                   \
         */

/* I0 and I1 times exp(-kappa), kappa < SERIES. */
static void power_series(double *i0, double *i1, double kappa)
{
    double quarter = kappa * kappa / 4, term = 1, sum0 = 1, sum1 = 1;
    for (int j = 1; term > 1e-18 * sum0; j++) {
        term *= quarter / ((double)j * j);
        sum0 += term;
        sum1 += term / (j + 1);
    }
    *i0 = exp(-kappa) * sum0;
    *i1 = exp(-kappa) * kappa / 2 * sum1;
}

/* I0 and I0 - I1 times sqrt(2 pi kappa) exp(-kappa), kappa >= SERIES. The two series are subtracted
 * term by term: their leading ones cancel. */
static void hankel_series(double *i0, double *difference, double kappa)
{
    double a = 1, b = 1, sum = 1, minus = 0;
    for (int j = 1; fabs(a) > 1e-18; j++) {
        double odd = 2 * j - 1, scale = 8 * kappa * j;
        a *= odd * odd / scale;
        b *= (odd * odd - 4) / scale;
        sum += a;
        minus += a - b;
    }
    *i0 = sum;
    *difference = minus;
}

double recon_vonmises_log_norm(double kappa)
{
    double i0, other;
    if (kappa < SERIES) {
        power_series(&i0, &other, kappa);
        return log(2 * M_PI * i0);
    }
    hankel_series(&i0, &other, kappa);
    return log(i0) + 0.5 * log(2 * M_PI / kappa);
}

double recon_vonmises_spread(double kappa)
{
    double i0, other;
    if (kappa < SERIES) {
        power_series(&i0, &other, kappa);
        return 1 - other / i0;
    }
    hankel_series(&i0, &other, kappa);
    return other / i0;
}

/* 1/spread is nearly a straight line in kappa, from slope 1/2 at 0 to slope 2: Newton on it takes
 * two or three steps from the start, which is within 7 % (Banerjee et al., 2005). */
double recon_vonmises_kappa(double spread)
{
    if (spread >= 1)
        return 0;
    double mean = 1 - spread, kappa = mean * (2 - mean * mean) / (spread * (2 - spread));
    for (int i = 0; i < 20 && isfinite(kappa); i++) {
        double now = recon_vonmises_spread(kappa);
        double slope = kappa > 1e-4 ? now * (2 - now) - (1 - now) / kappa : 0.5;
        double step = (1 / spread - 1 / now) * now * now / slope;
        kappa = fmax(kappa + step, kappa / 4);
        if (fabs(step) <= 1e-9 * kappa) /* the next one would be its square */
            break;
    }
    return kappa;
}

/* Best and Fisher (1979): rejection from a wrapped Cauchy. */
double recon_vonmises_sample(double kappa, recon_rng *rng)
{
    if (kappa < 1e-8)
        return recon_so2_haar(rng);
    if (kappa > NORMAL_FROM)
        return recon_rng_normal(rng) / sqrt(kappa);
    double tau = 1 + sqrt(1 + 4 * kappa * kappa);
    double rho = (tau - sqrt(2 * tau)) / (2 * kappa), r = (1 + rho * rho) / (2 * rho);
    for (;;) {
        double z = cos(M_PI * recon_rng_uniform(rng)), f = (1 + r * z) / (r + z);
        double c = kappa * (r - f), u = 1 - recon_rng_uniform(rng);
        if (c * (2 - c) > u || log(c / u) + 1 >= c)
            return recon_rng_uniform(rng) < 0.5 ? -acos(f) : acos(f);
    }
}
