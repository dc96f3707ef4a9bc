/* quantiles.c - a density of angles as a set of them. */
#include "group/so2/fit.h"
#include <recon/group/so2_density.h>

#include <math.h>
#include <recon/group/so2.h>

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
