/* tukey.c - the Tukey mean: sum of m(d; c) in place of the sum of squares, minimised by
 * reweighted tangent steps from each mode.
 *
 * With c given, the lowest loss wins. With c to be decided, the heaviest mode does: near the flank
 * of a broad mode a narrow spike can have the lower loss, but never the greater weight. */
#include "group/so2/mean.h"
#include "stats/tie.h"

#include <math.h>
#include <recon/group/so2.h>

#define TWO_PI    (2 * M_PI)
#define MAX_STEPS 500
#define CONVERGED 1e-13

/* sorted and y lie in (-pi, pi], so their difference is less than one turn off. */
static inline double rotation_to(double from, double to)
{
    double d = to - from;
    return d > M_PI ? d - TWO_PI : d <= -M_PI ? d + TWO_PI : d;
}

/* One reweighted tangent step at y: the mean of the angles as seen from y, weighted by
 * (1 - (d/c)^2)^2. *mass is how many angles the loss sees: n - 6/c^2 times the Tukey loss. */
static double tukey_step(double *mass, double y, const double *sorted, size_t n, double c)
{
    double pull = 0, weight = 0, seen = 0, scale = 1 / (c * c);
    for (size_t i = 0; i < n; i++) {
        double d = rotation_to(y, sorted[i]), u = 1 - d * d * scale;
        u = u > 0 ? u : 0;
        pull += u * u * d;
        weight += u * u;
        seen += u * u * u;
    }
    *mass = seen;
    return weight > 0 ? pull / weight : 0;
}

static double tukey_from(double *mass, double y, const double *sorted, size_t n, double c)
{
    for (int i = 0; i < MAX_STEPS; i++) {
        double step = tukey_step(mass, y, sorted, n, c);
        y = recon_so2_wrap(y + step);
        if (fabs(step) < CONVERGED)
            break;
    }
    return y;
}

typedef struct {
    double at, mass; /* mass in points */
} candidate;

static size_t choose(const candidate *c, size_t count)
{
    size_t heaviest = 0;
    for (size_t i = 1; i < count; i++)
        heaviest = c[i].mass > c[heaviest].mass ? i : heaviest;
    size_t best = heaviest;
    for (size_t i = 0; i < count; i++)
        if (recon_masses_tie(c[i].mass, c[heaviest].mass) && fabs(c[i].at) < fabs(c[best].at))
            best = i;
    return best;
}

/* Counter-clockwise from one angle to another: [0, 2 pi). */
static double ahead(double from, double to)
{
    double d = recon_so2_wrap(to - from);
    return d < 0 ? d + TWO_PI : d;
}

/* To the middle of the nearest gap beside the mode, which for modes of equal width is half their
 * spacing. With outliers on all sides: three half-widths, beyond which a normal has nothing left. */
static double adaptive_c(const recon_so2_modes *modes, size_t at)
{
    const recon_so2_arc *own = &modes->arc[at];
    double c = modes->outliers ? 1.5 * (own->width + 2 * RECON_SO2_RESOLUTION) : M_PI;
    double above = ahead(own->center, own->from + own->width), below = own->width - above;
    for (size_t i = 0; i < (size_t)modes->count; i++) {
        const recon_so2_arc *other = &modes->arc[i];
        if (i == at)
            continue;
        double up = ahead(own->center, other->from);
        double down = ahead(other->from + other->width, own->center);
        c = fmin(c, fmin(above + up, below + down) / 2);
    }
    return fmin(c, M_PI);
}

static double adaptive(double *c, const double *sorted, size_t n, const recon_so2_modes *modes)
{
    candidate mode[RECON_MODES_MAX] = { { 0 } };
    for (int i = 0; i < modes->count; i++)
        mode[i] = (candidate){ modes->arc[i].center, modes->arc[i].weight * (double)n };
    size_t chosen = choose(mode, (size_t)modes->count);
    double mass;
    *c = adaptive_c(modes, chosen);
    return tukey_from(&mass, mode[chosen].at, sorted, n, *c);
}

static double fixed(double c, const double *sorted, size_t n, const recon_so2_modes *modes,
                    double frechet)
{
    candidate found[RECON_MODES_MAX + 1];
    size_t count = (size_t)modes->count;
    for (size_t i = 0; i <= count; i++) {
        double start = i < count ? modes->arc[i].center : frechet;
        found[i].at = tukey_from(&found[i].mass, start, sorted, n, c);
    }
    return found[choose(found, count + 1)].at;
}

double recon_so2_tukey(double *c, const double *sorted, size_t n, const recon_so2_modes *modes,
                       double one)
{
    if (*c > 0)
        return fixed(*c, sorted, n, modes, one);
    return recon_so2_one_mode(modes) ? one : adaptive(c, sorted, n, modes);
}
