/* tail.c - tails of densities on the circle: the probability of a score as high. */
#include "group/tail.h"

#include "group/so2/fit.h"

#include <math.h>
#include <recon/group/so2.h>

enum { WINDINGS = 3, STEPS = 64, GRID = 360 };

/* The share of a wrapped normal that is farther away than x. */
static double beyond_normal(double x, double sigma)
{
    double inside = 0, scale = 1 / (sigma * sqrt(2));
    for (int k = -WINDINGS; k <= WINDINGS; k++) {
        double at = 2 * M_PI * k;
        inside += 0.5 * (erf((at + x) * scale) - erf((at - x) * scale));
    }
    return fmin(fmax(1 - inside, 0), 1);
}

/* The same of a von Mises density by Simpson's rule, as far as there is anything. */
static double beyond_vonmises(double x, double kappa)
{
    double end = fmin(M_PI, x + 12 / sqrt(kappa + 1)), step = (end - x) / STEPS, sum = 0;
    double norm = recon_vonmises_log_norm(kappa);
    for (int i = 0; i <= STEPS; i++) {
        double s = sin((x + i * step) / 2), weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * exp(-2 * kappa * s * s - norm);
    }
    return fmin(2 * sum * step / 3, 1);
}

/* Where the density has several peaks: all poses that are no likelier, wherever they are. */
static double beyond_level(const recon_so2_density *p, double level)
{
    double density[GRID], sum = 0, total = 0;
    /* The density of a mixture on an even grid of the circle. */
    for (int i = 0; i < GRID; i++)
        density[i] = p->background / (2 * M_PI);
    for (int k = 0; k < p->parts; k++) {
        const recon_so2_part *part = &p->part[k];
        double mean = part->mean + p->center, c = part->kappa * cos(mean),
               s = part->kappa * sin(mean);
        double scale = (1 - p->background) * part->weight;
        double norm = part->kappa + recon_vonmises_log_norm(part->kappa);
        double x = 1, y = 0, rotate_c = cos(2 * M_PI / GRID), rotate_s = sin(2 * M_PI / GRID);
        for (int i = 0; i < GRID; i++) {
            density[i] += scale * exp(c * x + s * y - norm);
            double next = rotate_c * x - rotate_s * y;
            y = rotate_s * x + rotate_c * y;
            x = next;
        }
    }
    for (int i = 0; i < GRID; i++) {
        total += density[i];
        sum += density[i] <= level ? density[i] : 0;
    }
    return sum / total;
}

/* The same of a table, in FINE cells a bin. Of what is as likely, half: ties are broken evenly, and
 * what is nearly as likely counts in part, so that rounding does not decide about a cell. */
static double beyond_bins(const recon_so2_density *p, double level)
{
    enum { FINE = 4 };
    double less = 0, total = 0, tie = RECON_TAIL_TIE * level + RECON_TAIL_LEAST;
    for (int i = 0; i < RECON_POSE_BINS * FINE; i++) {
        double part = (double)(i % FINE) / FINE;
        double here = (1 - part) * (double)p->bin[i / FINE] +
                      part * (double)p->bin[(i / FINE + 1) % RECON_POSE_BINS];
        total += here;
        less += here * fmin(fmax(0.5 + (level - here) / tie, 0), 1);
    }
    return less / total;
}

double recon_so2_tail(const recon_so2_density *p, double angle)
{
    double x = fabs(recon_so2_wrap(angle - p->center)), beyond = NAN;
    switch (p->family) {
    case RECON_SO2_UNIFORM: beyond = fmax(1 - x / p->width, 0); break;
    case RECON_SO2_NORMAL: beyond = beyond_normal(x, p->width); break;
    case RECON_SO2_VONMISES: beyond = beyond_vonmises(x, p->width); break;
    case RECON_SO2_MIXTURE: return beyond_level(p, exp(recon_so2_log_density(p, angle)));
    case RECON_SO2_BINS: return beyond_bins(p, exp(recon_so2_log_density(p, angle)));
    case RECON_SO2_AUTO: break;
    }
    return (1 - p->background) * beyond + p->background * (1 - x / M_PI);
}
