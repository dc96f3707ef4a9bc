/* wrapped_normal.c - the sum over windings where the normal is narrow, its Fourier series (they are
 * the two sides of Jacobi's identity) where it is broad. Both end below 1e-16 of the whole. */
#include "stats/wrapped_normal.h"

#include <math.h>

#define TWO_PI    (2 * M_PI)
#define BROAD     1.5
#define WINDINGS  2
#define HARMONICS 6

static double fourier(double angle, double sigma)
{
    double sum = 1;
    for (int m = 1; m <= HARMONICS; m++)
        sum += 2 * exp(-0.5 * m * m * sigma * sigma) * cos(m * angle);
    return sum / TWO_PI;
}

double recon_wrapped_normal_density(double angle, double sigma)
{
    if (sigma > BROAD)
        return fourier(angle, sigma);
    double sum = 0;
    for (int k = -WINDINGS; k <= WINDINGS; k++) {
        double x = (angle + TWO_PI * k) / sigma;
        sum += exp(-0.5 * x * x);
    }
    return sum / (sigma * sqrt(TWO_PI));
}

/* The weights are relative to the nearest winding's, so that they never all vanish. */
double recon_wrapped_normal_square(double angle, double sigma)
{
    double sum = 0, squares = 0;
    for (int k = -WINDINGS; k <= WINDINGS; k++) {
        double x = angle + TWO_PI * k;
        double weight = exp((angle * angle - x * x) / (2 * sigma * sigma));
        sum += weight;
        squares += weight * x * x;
    }
    return squares / sum;
}
