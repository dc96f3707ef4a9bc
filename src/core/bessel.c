/* bessel.c - Bessel functions by their power series below SERIES, by Hankel's asymptotic series
 * above, where its smallest term, about exp(-2 x), is below rounding. In core because the von Mises
 * loss in ops needs them as much as the densities in stats do. */
#include "core/bessel.h"

#include <math.h>

#define SERIES 30.0

/* I0 and I1, x < SERIES. */
static void power_series(double *i0, double *i1, double x)
{
    double quarter = x * x / 4, term = 1, sum0 = 1, sum1 = 1;
    for (int j = 1; term > 1e-18 * sum0; j++) {
        term *= quarter / ((double)j * j);
        sum0 += term;
        sum1 += term / (j + 1);
    }
    *i0 = sum0;
    *i1 = x / 2 * sum1;
}

/* I0 and I0 - I1 times sqrt(2 pi x) exp(-x), x >= SERIES. The two series are subtracted term by
 * term: their leading ones cancel. */
static void hankel_series(double *i0, double *difference, double x)
{
    double a = 1, b = 1, sum = 1, minus = 0;
    for (int j = 1; fabs(a) > 1e-18; j++) {
        double odd = 2 * j - 1, scale = 8 * x * j;
        a *= odd * odd / scale;
        b *= (odd * odd - 4) / scale;
        sum += a;
        minus += a - b;
    }
    *i0 = sum;
    *difference = minus;
}

double recon_bessel_log_i0(double x)
{
    double i0, other;
    if (x < SERIES) {
        power_series(&i0, &other, x);
        return log(i0) - x;
    }
    hankel_series(&i0, &other, x);
    return log(i0) - 0.5 * log(2 * M_PI * x);
}

double recon_bessel_spread(double x)
{
    double i0, other;
    if (x < SERIES) {
        power_series(&i0, &other, x);
        return 1 - other / i0;
    }
    hankel_series(&i0, &other, x);
    return other / i0;
}
