/* fisher_invert.c - from the singular values of a mean rotation to those of F. */
#include "group/so3/fisher.h"

#include <math.h>
#include <recon/group/matrix_fisher.h>

/* The s with coth(s) - 1/s = d, 0 <= d < 1. Newton from a rational start within 5 %. */
double recon_langevin_inverse(double d)
{
    if (d < 1e-7)
        return 3 * d;
    if (d > 1 - 1 / RECON_FISHER_MAX)
        return RECON_FISHER_MAX;
    double s = d * (3 - d * d) / (1 - d * d);
    for (int i = 0; i < 6; i++) {
        double value = s < 0.05 ? s / 3 - s * s * s / 45 : 1 / tanh(s) - 1 / s;
        double sinus = s < 300 ? sinh(s) : INFINITY;
        double slope = s < 0.05 ? 1.0 / 3 - s * s / 15 : 1 / (s * s) - 1 / (sinus * sinus);
        s += (d - value) / slope;
    }
    return s;
}

/* Solves h x = g for a symmetric positive definite h, by Cholesky's L D L^T. */
static void solve3(double x[3], double h[3][3], const double g[3])
{
    double l10 = h[0][1] / h[0][0], l20 = h[0][2] / h[0][0];
    double d1 = h[1][1] - l10 * h[0][1], e = h[1][2] - l20 * h[0][1], l21 = e / d1;
    double d2 = h[2][2] - l20 * h[0][2] - l21 * e;
    double y1 = g[1] - l10 * g[0], y2 = g[2] - l20 * g[0] - l21 * y1;
    x[2] = y2 / d2;
    x[1] = y1 / d1 - l21 * x[2];
    x[0] = g[0] / h[0][0] - l10 * x[1] - l20 * x[2];
}

/* Moves d off the border, where a singular value of F would pass RECON_FISHER_MAX: in terms of the
 * eigenvalues a of the mean of q q^T, each but the first is at least the floor. */
void recon_fisher_inside(double out[3], const double d[3])
{
    const double floor = 1 / (8 * RECON_FISHER_MAX);
    double a0 = fmax((1 + d[0] - d[1] - d[2]) / 4, floor);
    double a1 = fmax((1 - d[0] + d[1] - d[2]) / 4, floor);
    double a2 = fmax((1 - d[0] - d[1] + d[2]) / 4, floor);
    out[0] = 1 - 2 * (a1 + a2), out[1] = 1 - 2 * (a0 + a2), out[2] = 1 - 2 * (a0 + a1);
}

/* Precisions about the three axes as in the concentrated case: low elsewhere, and from below
 * Newton's method does not overshoot. */
void recon_fisher_start(double s[3], const double d[3])
{
    double top = 1 + d[0] + d[1] + d[2], precision[3];
    for (int k = 0; k < 3; k++)
        precision[k] = (top / (1 + 2 * d[k] - (d[0] + d[1] + d[2])) - 1) / 4;
    for (int k = 0; k < 3; k++)
        s[k] = (precision[0] + precision[1] + precision[2]) / 2 - precision[k];
}

double recon_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Damped Newton steps on the convex function log c(s) - s.d, until one gains less than enough.
 * Returns its least value. */
double recon_fisher_descend(double s[3], const double d[3], double enough)
{
    recon_fisher_constant c;
    recon_fisher_constant_of(&c, s);
    double value = c.log_c - recon_dot3(s, d);
    for (int i = 0; i < 60; i++) {
        double g[3], step[3], size = 1;
        for (int k = 0; k < 3; k++)
            g[k] = d[k] - c.mean[k];
        solve3(step, c.covariance, g);
        double gain = recon_dot3(g, step);
        for (;; size /= 2) {
            double tried[3] = { s[0] + size * step[0], s[1] + size * step[1],
                                s[2] + size * step[2] };
            recon_fisher_constant_of(&c, tried);
            double now = c.log_c - recon_dot3(tried, d);
            if (now <= value - 0.1 * size * gain || gain < 1e-9 || size < 1e-6) {
                s[0] = tried[0], s[1] = tried[1], s[2] = tried[2], value = now;
                break;
            }
        }
        if (gain < enough)
            break;
    }
    return value;
}

void recon_fisher_invert_moment(double s[3], const double d[3])
{
    double within[3];
    recon_fisher_inside(within, d);
    recon_fisher_start(s, within);
    recon_fisher_descend(s, within, RECON_FISHER_EXACT);
}
