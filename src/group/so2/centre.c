/* centre.c - the centre of a density: its modes are stretches between valleys, merged until all
 * count. */
#include "group/so2/mean.h"

#include <complex.h>
#include <math.h>
#include <recon/group/so2.h>

enum { BINS = RECON_POSE_BINS };

/* From one valley to the next, both included by half. */
typedef struct {
    double peak, mass, valley; /* valley: the density where it ends */
    int from, to;              /* its bins, from < to on */
} mode;

static int lowest_of(const double *p)
{
    int low = 0;
    for (int i = 1; i < BINS; i++)
        low = p[i] < p[low] ? i : low;
    return low;
}

/* Once around from the lowest bin, so that no mode is cut in two: the last one ends there. */
static int find_modes(mode *out, const double *p)
{
    int low = lowest_of(p), n = 0;
    mode now = { .from = low + 1 };
    for (int k = 1; k <= BINS; k++) {
        int i = (low + k) % BINS;
        double after = p[(i + 1) % BINS];
        now.mass += p[i];
        now.peak = fmax(now.peak, p[i]);
        if (k == BINS || (p[i] < now.peak && after > p[i])) {
            now.valley = p[i];
            now.to = low + k + 1;
            out[n++] = now;
            now = (mode){ .from = low + k + 1 };
        }
    }
    return n;
}

/* b follows a. */
static mode joined(const mode *a, const mode *b)
{
    return (mode){ .peak = fmax(a->peak, b->peak),
                   .mass = a->mass + b->mass,
                   .valley = b->valley,
                   .from = a->from,
                   .to = b->to };
}

/* How clearly the valley behind a mode parts it from the next: 1 or more where it does. */
static double clearness(const mode *m, double total)
{
    double depth = RECON_VALLEY * fmin(m[0].peak, m[1].peak) / fmax(m[0].valley, 1e-300);
    return fmin(depth, fmin(m[0].mass, m[1].mass) / (RECON_MODE_LEAST * total));
}

/* Joins the two modes that are parted least, until all are parted clearly. The last and the first
 * need no look: the lowest bin is between them, so one of them is parted no more clearly from its
 * other neighbour. */
static int prune(mode *m, int n, double total)
{
    while (n > 1) {
        int least = 0;
        for (int i = 1; i + 1 < n; i++)
            if (clearness(&m[i], total) < clearness(&m[least], total))
                least = i;
        if (clearness(&m[least], total) >= 1)
            break;
        m[least] = joined(&m[least], &m[least + 1]);
        for (int i = least + 1; i + 1 < n; i++)
            m[i] = m[i + 1];
        n--;
    }
    return n;
}

/* What is below the level, and a tenth of what is above it. */
static double levelled(double p, double level)
{
    return RECON_CENTRE_ABOVE * p + (1 - RECON_CENTRE_ABOVE) * fmin(p, level);
}

/* The direction of a mode, levelled: first of all of it, then of what lies within reach of the last
 * one. */
static double mean_of(const mode *m, const double *p)
{
    double complex way[BINS], sum = 0;
    double level = RECON_CENTRE_LEVEL * m->peak;
    double reach = BINS; /* in bins; one at an end counts by the part of it that is within */
    for (int i = 0; i < BINS; i++)
        way[i] = cexp(2 * M_PI * I * i / BINS);
    for (int step = 0; step <= RECON_CENTRE_STEPS; step++) {
        double at = carg(sum), mass = 0;
        sum *= RECON_CENTRE_STAY;
        for (int i = m->from; i < m->to; i++) {
            double away = recon_so2_distance(2 * M_PI * i / BINS, at) * BINS / (2 * M_PI);
            double within = levelled(p[i % BINS], level) * fmin(fmax(reach - away + 0.5, 0), 1);
            mass += within;
            sum += within * way[i % BINS];
        }
        reach = RECON_CENTRE_REACH * mass / level;
    }
    return carg(sum);
}

static void cut_out(recon_so2_density *out, const recon_so2_density *p, const mode *m)
{
    double total = 0;
    recon_so2_density one = { .family = RECON_SO2_BINS, .center = p->center };
    for (int i = m->from; i < m->to; i++)
        total += (double)(one.bin[i % BINS] = p->bin[i % BINS]);
    for (int i = 0; i < BINS; i++)
        one.bin[i] = (float)((double)one.bin[i] * BINS / (2 * M_PI * total));
    *out = one;
}

double recon_so2_centre(const recon_so2_density *p, recon_so2_density *alone)
{
    double smoothed[BINS], total = 0;
    mode m[BINS];
    int heaviest = 0;
    /* (1, 2, 1) / 4: single bins make no modes. */
    for (int i = 0; i < BINS; i++)
        smoothed[i] =
            0.25 * ((double)p->bin[(i + BINS - 1) % BINS] + (double)p->bin[(i + 1) % BINS]) +
            0.5 * (double)p->bin[i];
    int n = find_modes(m, smoothed);
    for (int i = 0; i < n; i++)
        total += m[i].mass;
    n = prune(m, n, total);
    for (int i = 1; i < n; i++)
        heaviest = m[i].mass > m[heaviest].mass ? i : heaviest;
    if (alone)
        cut_out(alone, p, &m[heaviest]);
    return recon_so2_wrap(p->center + mean_of(&m[heaviest], smoothed));
}
