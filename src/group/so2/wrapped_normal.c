/* wrapped_normal.c - the sum over five windings where the normal is narrow, its Fourier series
 * (they are the two sides of Jacobi's identity) where it is broad. Both end below 1e-16 of the
 * whole. */
#include "group/so2/fit.h"

#include <math.h>

#define TWO_PI    (2 * M_PI)
#define BROAD     1.5
#define HARMONICS 6

static double fourier(double angle, double sigma)
{
    double sum = 1;
    for (int m = 1; m <= HARMONICS; m++)
        sum += 2 * exp(-0.5 * m * m * sigma * sigma) * cos(m * angle);
    return sum / TWO_PI;
}

/* Weights relative to winding 0, of x = |angle|: for winding -1 it is t, for +1 it is u v with
 * u = exp(-2 pi x / sigma^2) and v = t u, and the next ones are powers. No exponent is positive. */
double recon_wrapped_normal_square(double *square, double angle, double sigma)
{
    double x = fabs(angle), scale = TWO_PI / (sigma * sigma);
    double t = exp(-scale * (M_PI - x)), u = exp(-scale * x), v = t * u;
    double weight[5] = { t * t * v * v, t, 1, u * v, v * v * v * v * u * u };
    double sum = 0, squares = 0;
    for (int k = -2; k <= 2; k++) {
        double at = x + TWO_PI * k;
        sum += weight[k + 2];
        squares += weight[k + 2] * at * at;
    }
    *square = squares / sum;
    return sum * exp(-0.5 * x * x / (sigma * sigma)) / (sigma * sqrt(TWO_PI));
}

double recon_wrapped_normal_density(double angle, double sigma)
{
    double square;
    return sigma > BROAD ? fourier(angle, sigma)
                         : recon_wrapped_normal_square(&square, angle, sigma);
}
