/* density.c - values and samples of the families. */
#include <recon/group/so2_density.h>

#include "group/so2/fit.h"

#include <math.h>
#include <recon/group/so2.h>

static double log_vonmises(double angle, double kappa)
{
    double s = sin(angle / 2); /* 1 - cos without cancellation */
    return -2 * kappa * s * s - recon_vonmises_log_norm(kappa);
}

static double log_normal(double angle, double sigma)
{
    double p = recon_wrapped_normal_density(angle, sigma);
    if (p > 0)
        return log(p);
    return -0.5 * angle * angle / (sigma * sigma) - log(sigma * sqrt(2 * M_PI)); /* underflow */
}

/* log(exp(a) + exp(b)) */
static double log_sum(double a, double b)
{
    double more = fmax(a, b), less = fmin(a, b);
    return less == -INFINITY ? more : more + log1p(exp(less - more));
}

static double log_mixture(const recon_so2_density *p, double angle)
{
    double sum = -INFINITY;
    for (int i = 0; i < p->parts; i++) {
        const recon_so2_part *part = &p->part[i];
        double rotated = recon_so2_wrap(angle - part->mean);
        sum = log_sum(sum, log(part->weight) + log_vonmises(rotated, part->kappa));
    }
    return sum;
}

/* Linear between two bins. */
static double log_bins(const recon_so2_density *p, double angle)
{
    double at = angle * RECON_POSE_BINS / (2 * M_PI), low = floor(at);
    int i = ((int)low + RECON_POSE_BINS) % RECON_POSE_BINS, j = (i + 1) % RECON_POSE_BINS;
    return log((1 - (at - low)) * (double)p->bin[i] + (at - low) * (double)p->bin[j]);
}

static double log_family(const recon_so2_density *p, double angle)
{
    switch (p->family) {
    case RECON_SO2_UNIFORM: return fabs(angle) <= p->width ? -log(2 * p->width) : -INFINITY;
    case RECON_SO2_NORMAL: return log_normal(angle, p->width);
    case RECON_SO2_VONMISES: return log_vonmises(angle, p->width);
    case RECON_SO2_MIXTURE: return log_mixture(p, angle);
    case RECON_SO2_BINS: return log_bins(p, angle);
    case RECON_SO2_AUTO: break;
    }
    return NAN; /* no density has this family */
}

double recon_so2_log_density(const recon_so2_density *p, double angle)
{
    double of_family = log_family(p, recon_so2_wrap(angle - p->center));
    if (p->background <= 0)
        return of_family;
    return log_sum(log1p(-p->background) + of_family, log(p->background / (2 * M_PI)));
}

double recon_so2_score(const recon_so2_density *p, double angle)
{
    return -recon_so2_log_density(p, angle);
}

static double sample_mixture(const recon_so2_density *p, recon_rng *rng)
{
    double left = recon_rng_uniform(rng);
    int i = 0;
    for (; i + 1 < p->parts && left >= p->part[i].weight; i++)
        left -= p->part[i].weight;
    return p->part[i].mean + recon_vonmises_sample(p->part[i].kappa, rng);
}

/* The bins are the corners of a polygon: a bin by its weight, then a triangle about it. */
static double sample_bins(const recon_so2_density *p, recon_rng *rng)
{
    const double step = 2 * M_PI / RECON_POSE_BINS;
    double left = recon_rng_uniform(rng) / step;
    int i = 0;
    for (; i + 1 < RECON_POSE_BINS && left >= (double)p->bin[i]; i++)
        left -= (double)p->bin[i];
    return step * (i + recon_rng_uniform(rng) + recon_rng_uniform(rng) - 1);
}

static double sample_family(const recon_so2_density *p, recon_rng *rng)
{
    switch (p->family) {
    case RECON_SO2_UNIFORM: return p->width * (1 - 2 * recon_rng_uniform(rng));
    case RECON_SO2_NORMAL: return p->width * recon_rng_normal(rng);
    case RECON_SO2_VONMISES: return recon_vonmises_sample(p->width, rng);
    case RECON_SO2_MIXTURE: return sample_mixture(p, rng);
    case RECON_SO2_BINS: return sample_bins(p, rng);
    case RECON_SO2_AUTO: break;
    }
    return NAN;
}

double recon_so2_sample(const recon_so2_density *p, recon_rng *rng)
{
    if (p->background > 0 && recon_rng_uniform(rng) < p->background)
        return recon_so2_haar(rng);
    return recon_so2_wrap(p->center + sample_family(p, rng));
}

const char *recon_so2_family_name(recon_so2_family family)
{
    static const char *const name[] = {
        "auto", "uniform", "normal", "vonmises", "mixture", "bins"
    };
    size_t i = (size_t)family;
    return i < sizeof name / sizeof *name ? name[i] : "unknown";
}

/* --- A density of angles as a set of them */

enum { GRID = 1440 }; /* cells: a quarter of a degree, a tenth of the narrowest part there is */
#define STEP (2 * M_PI / GRID)

static double cell(const recon_so2_density *p, int i)
{
    return exp(recon_so2_log_density(p, p->center + (i + 0.5) * STEP - M_PI));
}

/* Where the circle is opened: where the density is least, so that no mode is cut, and so that the
 * quantiles depend on the density alone, not on what its table is relative to. */
static int least_cell(const recon_so2_density *p, double *total)
{
    double least = INFINITY;
    int at = 0;
    *total = 0;
    for (int i = 0; i < GRID; i++) {
        double mass = cell(p, i);
        *total += mass;
        if (mass < least) {
            least = mass;
            at = i;
        }
    }
    return at;
}

void recon_so2_quantiles(double *out, const recon_so2_density *p, size_t n)
{
    double total, below = 0;
    int first = least_cell(p, &total), i = first;
    for (size_t j = 0; j < n; j++) {
        double want = ((double)j + 0.5) / (double)n * total, mass = cell(p, i);
        for (; i + 1 < first + GRID && below + mass < want; mass = cell(p, ++i))
            below += mass;
        double part = mass > 0 ? fmin((want - below) / mass, 1) : 0.5;
        out[j] = recon_so2_wrap(p->center + (i + part) * STEP - M_PI);
    }
}
