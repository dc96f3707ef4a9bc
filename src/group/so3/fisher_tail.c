/* fisher_tail.c - tails of densities on SO(3): the probability of a score as high.
 *
 * A score rises as t = tr(F^T R) falls. Where R has the density exp(v t) / c(v F), the cumulant
 * generating function of t is log c((v + u) F) - log c(v F): v = 1 is the matrix Fisher
 * distribution, v = 0 the background. One saddlepoint, the v for which E t is the t at hand, serves
 * both. */
#include "group/tail.h"
#include "group/so3/fisher.h"
#include "group/so3/frame.h"

#include <math.h>

#define STEPS    30
#define NEAR     1e-3 /* of the spread: there the formula is 0/0, and t is the mean */
#define SMALL    1e-6 /* F this short has no say */
#define FARTHEST 1e9
#define MEMBER   0.1 /* of the density at a pose: less, and it is not of this mode */

typedef struct {
    double log_c, mean, variance; /* of t under exp(v t) / c(v F) */
} tilted;

static tilted tilt(const double s[3], double v)
{
    double scaled[3] = { v * s[0], v * s[1], v * s[2] };
    recon_fisher_constant c;
    tilted out = { 0 };
    recon_fisher_constant_of(&c, scaled);
    out.log_c = c.log_c;
    for (int i = 0; i < 3; i++) {
        out.mean += s[i] * c.mean[i];
        for (int j = 0; j < 3; j++)
            out.variance += s[i] * s[j] * c.covariance[i][j];
    }
    return out;
}

/* The v with E t = t: Newton's method on a rising function, with bounds. */
static double saddlepoint(tilted *at, const double s[3], double t, double start)
{
    double low = -INFINITY, high = INFINITY, v = start;
    for (int i = 0; i < STEPS; i++) {
        *at = tilt(s, v);
        double off = t - at->mean, spread = sqrt(fmax(at->variance, 1e-300));
        if (fabs(off) < 1e-4 * spread || fabs(v) > FARTHEST)
            break;
        *(off > 0 ? &low : &high) = v;
        double next = v + off / at->variance;
        if (!(next > low && next < high))
            next = isinf(low) || isinf(high) ? 2 * v + (off > 0 ? 1 : -1) : (low + high) / 2;
        v = next;
    }
    return v;
}

static double normal_below(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

/* The chance of at most t where the tilt is `base`, from the saddlepoint v of t. */
static double below(double t, double v, const tilted *at, double base, double log_c)
{
    double u = v - base, w = u * t - (at->log_c - log_c);
    double r = copysign(sqrt(2 * fmax(w, 0)), u), q = u * sqrt(fmax(at->variance, 1e-300));
    if (fabs(r) < NEAR || fabs(q) < NEAR)
        return normal_below(r);
    double density = exp(-r * r / 2) / sqrt(2 * M_PI);
    return fmin(fmax(normal_below(r) + density * (1 / r - 1 / q), 0), 1);
}

/* t = s cos(tilt), and the cosine has the density of exp(s cos) on [-1, 1]. */
static double ring_below(double cosine, double s)
{
    double at = fmin(fmax(cosine, -1), 1);
    return s < SMALL ? (1 + at) / 2 : expm1(s * (at + 1)) / expm1(2 * s);
}

double recon_fisher_tail(const recon_fisher *fisher, double background, recon_so3 g)
{
    const double *s = fisher->singular;
    double t = recon_so3_trace(fisher->f, g), most = s[0] + s[1] + s[2];
    if (s[0] < SMALL)
        return 1;
    if (fabs(s[1]) + fabs(s[2]) < 1e-9 * s[0]) {
        double c = t / s[0];
        double own = s[0] < 300 ? ring_below(c, s[0]) : exp(s[0] * (fmin(c, 1) - 1));
        return (1 - background) * own + background * ring_below(c, 0);
    }
    tilted at;
    double slack = fmax(most - t, 1e-9 * most), v = saddlepoint(&at, s, t, 1.5 / slack);
    double own = below(t, v, &at, 1, fisher->log_constant);
    return (1 - background) * own + background * below(t, v, &at, 0, 0);
}

double recon_fisher_parts_tail(const recon_fisher_mixture *p, recon_so3 g)
{
    double part[RECON_FISHER_PARTS], most = 0;
    for (int k = 0; k < p->parts; k++)
        part[k] = log(p->weight[k]) + recon_fisher_log_density(&p->part[k], g);
    double all = recon_log_sum(part, p->parts);
    for (int k = 0; k < p->parts; k++)
        if (!(part[k] - all < log(MEMBER))) /* NaN is not lost */
            most = fmax(most, recon_fisher_tail(&p->part[k], p->background, g));
    return most;
}
