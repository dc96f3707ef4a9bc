/* verdict.c - one natural pose, several, one modulo a symmetry, none, or cannot tell.
 *
 * Each verdict but the last is a claim, and each claim has a test. Are the angles spread evenly
 * over the circle? Rayleigh's test of the moments m = 1..4. Are they several modes? Two-level
 * densities (so2/modes.c), or m evenly spaced modes against the best density with one mode. Has one
 * mode enough on its side? Not where two modes would explain the angles clearly better, though not
 * so clearly that they may be called two. None? Only where n angles with a natural pose would
 * hardly look like this. The null of every test has flat arcs of all widths in it, which are the
 * densities with one mode that look most like several.
 *
 * Critical values are quantiles found by simulation (tests/slow/test_verdicts.c checks them). */
#include "group/so2/verdict.h"
#include "group/so2/mean.h"
#include "group/so2/fit.h"

#include <math.h>
#include <recon/group/so2.h>

#define TWO_PI     (2 * M_PI)
#define RESOLUTION RECON_SO2_RESOLUTION

/* Levels and critical values. */
#define EVEN_LEVEL   0.035 /* evenly spread angles that seem to be no such                   */
#define CLAIM        0.25  /* the least moment that makes a pose natural: so2/mean.h         */
#define NONE_MOST    0.5   /* "none" rules out larger moments, one-sided at 0.05 ...         */
#define ONE_SIDED    1.645 /* ... and so many standard deviations                            */
#define SPLIT        4.7   /* what two modes gain over one in 1 of 30 sets from one, any n   */
#define SPLIT_MOST_N 100   /* more angles: so2/modes.c sees every gap that matters           */
#define GAP_WEIGHT   0.7   /* of a gap in the split's gain                                   */
#define FEW          20    /* angles whose arcs may be chance                                */
#define EVEN_WEIGHTS 0.04  /* chance of "modulo" where a mode has half the weight it should  */

/* Nats that evenly spaced modes must gain over one: exceeded by 1 in 100 sets from one mode, flat
 * or normal, of any width. */
static double spaced_critical(double n)
{
    return 2.2 + 0.35 * sqrt(n) + 13 / n;
}

/* --- one mode --------------------------------------------------------------------------------- */

/* Where the circle is cut: the angles as points of a line, from 0 on. */
static void unroll(double *x, const double *sorted, size_t n)
{
    size_t at = recon_so2_after_gap(sorted, n);
    for (size_t i = 0; i < n; i++) {
        double d = sorted[(at + i) % n] - sorted[at];
        x[i] = d < 0 ? d + TWO_PI : d;
    }
}

static double mean_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

static double variance_of(const double *x, size_t n, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum / (double)n;
}

static double log_normal(double n, double variance)
{
    return -0.5 * n * log(TWO_PI * M_E * (variance + RESOLUTION * RESOLUTION));
}

/* The same of a von Mises density, which is what a broad normal looks like all around the circle;
 * a narrow one is the line's. */
static double log_vonmises(double n, double moment)
{
    double spread = fmax(1 - moment, RESOLUTION * RESOLUTION / 2);
    double kappa = recon_vonmises_kappa(spread);
    return -n * (kappa * spread + recon_vonmises_log_norm(kappa));
}

/* The log-likelihood of the best of a flat arc, a normal and a von Mises density. */
static double log_plain(const double *x, size_t n, double moment)
{
    double count = (double)n, length = fmin(x[n - 1] + RESOLUTION, TWO_PI);
    double line = fmax(-count * log(length), log_normal(count, variance_of(x, n, mean_of(x, n))));
    return fmax(line, log_vonmises(count, moment));
}

/* The same with skewed and peaked densities: exponential to either side, and Laplace's. */
static double log_one(const double *x, size_t n, double moment)
{
    double count = (double)n, mean = mean_of(x, n), deviation = RESOLUTION;
    for (size_t i = 0; i < n; i++)
        deviation += fabs(x[i] - x[n / 2]) / count;
    double excess = fmin(mean, x[n - 1] - mean) + RESOLUTION;
    double skewed = -count * (log(excess) + 1), peaked = -count * (log(2 * deviation) + 1);
    return fmax(log_plain(x, n, moment), fmax(skewed, peaked));
}

/* --- several ---------------------------------------------------------------------------------- */

/* The log-likelihood of two normals of one width, each with the angles to one side of a gap, and a
 * part of what leaving the gap out gains a flat arc: a normal has no gaps in its middle. */
static double log_split(const double *x, size_t n)
{
    double best = -INFINITY, total = 0, squares = 0, left = 0, count = (double)n;
    for (size_t i = 0; i < n; i++) {
        total += x[i];
        squares += x[i] * x[i];
    }
    for (size_t i = 1; i < n; i++) {
        double a = (double)i, b = count - a;
        left += x[i - 1];
        double within = squares - left * left / a - (total - left) * (total - left) / b;
        double value = log_normal(count, fmax(within, 0) / count) + a * log(a / count) +
                       b * log(b / count) -
                       GAP_WEIGHT * count * log(1 - (x[i] - x[i - 1]) / (x[n - 1] + RESOLUTION));
        if (i > 1 && i + 1 < n && 10 * i >= n && 10 * (n - i) >= n)
            best = fmax(best, value);
    }
    return best;
}

/* The centre of the angles on the m-fold circle: of the modes, the one nearest the identity. */
static double spaced_center(const double *sorted, size_t n, int m)
{
    double c = 0, s = 0;
    for (size_t i = 0; i < n; i++) {
        c += cos(m * sorted[i]);
        s += sin(m * sorted[i]);
    }
    return atan2(s, c) / m;
}

static int nearest_member(double angle, double center, int m)
{
    double steps = (angle - center) * m / TWO_PI;
    int at = (int)lround(steps) % m;
    return at < 0 ? at + m : at;
}

static void count_members(double count[RECON_SO2_MOMENTS], const double *sorted, size_t n, int m,
                          double center)
{
    for (int j = 0; j < m; j++)
        count[j] = 0;
    for (size_t i = 0; i < n; i++)
        count[nearest_member(sorted[i], center, m)]++;
}

static double least_of(const double *count, int m)
{
    double least = count[0];
    for (int j = 1; j < m; j++)
        least = fmin(least, count[j]);
    return least;
}

/* The log-likelihood of m evenly spaced modes with weights of their own. */
static double log_spaced(const double *sorted, size_t n, int m, double moment, double *scratch)
{
    double count[RECON_SO2_MOMENTS], total = (double)n, sum = total * log((double)m);
    double *folded = scratch, *x = scratch + n;
    count_members(count, sorted, n, m, spaced_center(sorted, n, m));
    if (least_of(count, m) < fmax(2, 0.1 * total))
        return -INFINITY;
    for (int j = 0; j < m; j++)
        sum += count[j] * log(count[j] / total);
    for (size_t i = 0; i < n; i++)
        x[i] = m * sorted[i];
    recon_so2_sort(folded, x, n);
    unroll(x, folded, n);
    return sum + log_plain(x, n, moment);
}

void recon_so2_weigh_evidence(recon_so2_evidence *out, const double *sorted, size_t n,
                              const double moment[RECON_SO2_MOMENTS], const recon_so2_modes *modes,
                              double *scratch)
{
    double *x = scratch;
    unroll(x, sorted, n);
    double one = fmax(log_one(x, n, moment[0]), modes->one);
    out->split = log_split(x, n) - one;
    for (int m = 2; m <= RECON_SO2_MOMENTS; m++)
        out->spaced[m] = log_spaced(sorted, n, m, moment[m - 1], scratch) - one;
}

/* Whether the modes, each by itself, lie where even spacing has them. */
static int lies_evenly(const double *sorted, size_t n, int m, double center)
{
    static const double critical[RECON_SO2_MOMENTS + 1] = { 0, 0, 6.63, 9.21, 11.34 }; /* 1 % */
    double sum[RECON_SO2_MOMENTS] = { 0 }, count[RECON_SO2_MOMENTS], squares = 0, between = 0;
    count_members(count, sorted, n, m, center);
    for (size_t i = 0; i < n; i++) {
        int j = nearest_member(sorted[i], center, m);
        double d = recon_so2_wrap(sorted[i] - center - j * TWO_PI / m);
        sum[j] += d;
        squares += d * d;
    }
    for (int j = 0; j < m; j++)
        between += sum[j] * sum[j] / count[j];
    double free = fmax((double)n - m, 1),
           few = 1 + 4.5 / free + 25 / (free * free); /* F, not chi */
    double within = fmax(squares - between, 0) / free + RESOLUTION * RESOLUTION;
    return between / within < few * critical[m];
}

/* --- weights ---------------------------------------------------------------------------------- */

/* The chance of at least this many of n where each has the chance p. */
static double binomial_tail(double least, double n, double p)
{
    double sum = 0;
    for (double i = least; i <= n; i++)
        sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(p) +
                   (n - i) * log1p(-p));
    return sum;
}

/* --- spread ----------------------------------------------------------------------------------- */

double recon_rayleigh(double r, double n)
{
    double z = n * r; /* at most n; to order 1/n^2 (Wilkie 1983) */
    return fmin(exp(sqrt(1 + 4 * n + 4 * (n * n - z * z)) - (1 + 2 * n)), 1);
}

int recon_so2_uneven(const double moment[RECON_SO2_MOMENTS], double n, double level)
{
    for (int m = 0; m < RECON_SO2_MOMENTS; m++)
        if (recon_rayleigh(moment[m], n) < level / RECON_SO2_MOMENTS)
            return 1;
    return 0;
}

int recon_so2_level(const double moment[RECON_SO2_MOMENTS], double n, double most)
{
    double limit = most - ONE_SIDED * (1 - most * most) / sqrt(2 * n);
    for (int m = 0; m < RECON_SO2_MOMENTS; m++)
        if (moment[m] >= limit)
            return 0;
    return 1;
}

/* --- irregular modes -------------------------------------------------------------------------- */

/* Few angles can be cut into arcs in many ways. Where the arcs are wider than the gaps between
 * them, it is not known where the modes are, and nothing can be said of them. */
static int well_apart(const recon_so2_modes *modes)
{
    double widest = 0, narrowest = TWO_PI;
    for (int i = 0; i < modes->count; i++) {
        const recon_so2_arc *own = &modes->arc[i];
        widest = fmax(widest, own->width);
        for (int j = 0; j < modes->count; j++) {
            double gap = recon_so2_wrap(modes->arc[j].from - own->from - own->width);
            if (j != i)
                narrowest = fmin(narrowest, gap < 0 ? gap + TWO_PI : gap);
        }
    }
    return widest < narrowest;
}

/* --- the verdict ------------------------------------------------------------------------------ */

/* m evenly spaced modes, if that is what there is. */
static void judge_spaced(recon_so2_verdict *out, const double *sorted, size_t n, int m)
{
    double center = spaced_center(sorted, n, m), count[RECON_SO2_MOMENTS];
    count_members(count, sorted, n, m, center);
    if (least_of(count, m) < 1 || !lies_evenly(sorted, n, m, center))
        return;
    out->spaced = m;
    out->center = center;
    for (int j = 0; j < m; j++)
        out->share[j] = count[j] / (double)n;
    /* Equal weights are a claim as well: no mode has half the weight that is due to it, or less. */
    if (binomial_tail(least_of(count, m), (double)n, 0.5 / m) <= EVEN_WEIGHTS) {
        out->natural = RECON_NATURAL_MODULO;
        out->fold = m;
    }
}

void recon_so2_judge(recon_so2_verdict *out, const double *sorted, size_t n,
                     const double moment[RECON_SO2_MOMENTS], const recon_so2_modes *modes,
                     double *scratch)
{
    double count = (double)n;
    recon_so2_evidence e;
    *out = (recon_so2_verdict){ .natural = RECON_NATURAL_UNSURE };
    if (n < 5)
        return;
    recon_so2_weigh_evidence(&e, sorted, n, moment, modes, scratch);
    int best = 2, uneven = recon_so2_uneven(moment, count, EVEN_LEVEL);
    for (int m = 3; m <= RECON_SO2_MOMENTS; m++)
        best = e.spaced[m] > e.spaced[best] ? m : best;
    int spaced = uneven && e.spaced[best] > spaced_critical(count);
    if (spaced || modes->count > 1) {
        out->natural = RECON_NATURAL_SEVERAL;
        out->fold = 1;
        if (e.spaced[best] > 0)
            judge_spaced(out, sorted, n, best);
        if (!out->spaced && (modes->count < 2 || (n < FEW && !well_apart(modes))))
            *out = (recon_so2_verdict){ .natural = RECON_NATURAL_UNSURE };
    } else if (!uneven || moment[0] < CLAIM) { /* a weak higher moment makes no pose natural */
        out->natural =
            recon_so2_level(moment, count, NONE_MOST) ? RECON_NATURAL_NONE : RECON_NATURAL_UNSURE;
    } else if (moment[0] >= CLAIM && recon_rayleigh(moment[0], count) < EVEN_LEVEL &&
               !(n <= SPLIT_MOST_N && e.split > SPLIT)) {
        out->natural = RECON_NATURAL_ONE;
        out->fold = 1;
    }
}
