/* so2.c - rotations of the plane, x to the right and y up.
 *
 * The period is the double nearest to 2 pi: what remainder() and a single subtraction take off is
 * then the same number, and both are exact. */
#include "group/so2/mean.h"
#include <recon/group/so2.h>

#include <math.h>

#define TWO_PI (2 * M_PI)

/* |x| <= 3 pi: the difference is exact (Sterbenz). Without a call, so that loops vectorise. */
static inline double fold(double x)
{
    double y = x > M_PI ? x - TWO_PI : x;
    return x <= -M_PI ? x + TWO_PI : y;
}

static inline int is_near(double x)
{
    return fabs(x) <= 3 * M_PI;
}

double recon_so2_wrap(double angle)
{
    return fold(is_near(angle) ? angle : remainder(angle, TWO_PI));
}

double recon_so2_compose(double a, double b)
{
    return recon_so2_wrap(a + b);
}

/* 0 - a rather than -a: the inverse of 0 is 0, not -0. */
double recon_so2_inverse(double a)
{
    return recon_so2_wrap(0 - a);
}

double recon_so2_distance(double a, double b)
{
    return fabs(recon_so2_wrap(a - b));
}

/* 1 - 2u is exact and lies in (-1, 1]. */
double recon_so2_haar(recon_rng *rng)
{
    return M_PI * (1 - 2 * recon_rng_uniform(rng));
}

void recon_so2_act(double out[2], double a, const double v[2])
{
    double c = cos(a), s = sin(a), x = v[0], y = v[1];
    out[0] = c * x - s * y;
    out[1] = s * x + c * y;
}

/* Angles far from the interval are rare: one pass finds out, the other is free of calls. */
void recon_so2_wrap_n(double *out, const double *a, size_t n)
{
    int all_near = 1;
    for (size_t i = 0; i < n; i++)
        all_near &= is_near(a[i]);
    if (all_near)
        for (size_t i = 0; i < n; i++)
            out[i] = fold(a[i]);
    else
        for (size_t i = 0; i < n; i++)
            out[i] = recon_so2_wrap(a[i]);
}
