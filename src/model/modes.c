/* modes.c - a density of angles read on a grid.
 *
 * Half a degree is a quarter of the narrowest part that a mixture has (two degrees), and a sum
 * over a whole period of a smooth function converges faster than any power of the step. */
#include "model/modes.h"

#include <math.h>
#include <recon/group/so2.h>

enum { GRID = 720, PEAKS = GRID / 2 };
#define STEP       (2 * M_PI / GRID)
#define LEAST_RISE 1.6 /* of a peak over its higher valley: four bumps may stand for one arc */
#define LEAST_MASS 0.05

/* One peak and the valley behind it, counter-clockwise. */
typedef struct {
    double at, height, mass, valley;
} peak;

static double angle_of(int i)
{
    return -M_PI + (i + 1) * STEP;
}

/* Between grid points, by the parabola through the logarithms of three of them. */
static double refine(const double *p, int i)
{
    double l = log(p[(i + GRID - 1) % GRID]), m = log(p[i]), r = log(p[(i + 1) % GRID]);
    double curve = l - 2 * m + r, shift = curve < 0 ? 0.5 * (l - r) / curve : 0;
    return recon_so2_wrap(angle_of(i) + STEP * fmin(fmax(shift, -0.5), 0.5));
}

/* Once around from the lowest point, so that no basin is cut in two. */
static int find_peaks(peak *out, const double *p, int lowest)
{
    int count = 0, rising = 0;
    double mass = 0;
    for (int k = 1; k <= GRID; k++) {
        int i = (lowest + k) % GRID;
        double now = p[i], before = p[(i + GRID - 1) % GRID], after = p[(i + 1) % GRID];
        mass += now;
        rising = now > before ? 1 : rising;
        if (rising && after < now) { /* the end of a plateau, if it is one */
            out[count++] = (peak){ .at = refine(p, i), .height = now };
            rising = 0;
        }
        if (count && (k == GRID || (now <= before && after > now))) { /* the bottom of a valley */
            out[count - 1].valley = now;
            out[count - 1].mass += mass;
            mass = 0;
        }
    }
    return count;
}

/* Gives peak i to the neighbour across its higher valley; the lower one remains. */
static int merge(peak *peaks, int count, int i)
{
    int before = (i + count - 1) % count, after = (i + 1) % count;
    int to = peaks[before].valley > peaks[i].valley ? before : after;
    peaks[to].mass += peaks[i].mass;
    peaks[before].valley = fmin(peaks[before].valley, peaks[i].valley);
    for (int j = i; j + 1 < count; j++)
        peaks[j] = peaks[j + 1];
    return count - 1;
}

/* Below 1 it is no mode: it hardly rises, or holds hardly any mass. */
static double strength(const peak *peaks, int count, int i, double total)
{
    double valley = fmax(peaks[i].valley, peaks[(i + count - 1) % count].valley);
    return fmin(peaks[i].height / (LEAST_RISE * valley), peaks[i].mass / (LEAST_MASS * total));
}

static int prune(peak *peaks, int count, double total)
{
    while (count > 1) {
        int least = 0;
        for (int i = 1; i < count; i++)
            if (strength(peaks, count, i, total) < strength(peaks, count, least, total))
                least = i;
        if (strength(peaks, count, least, total) >= 1 && count <= RECON_MODES_MAX)
            break;
        count = merge(peaks, count, least);
    }
    return count;
}

static int comes_before(recon_so2_mode a, recon_so2_mode b)
{
    if (fabs(a.weight - b.weight) > 1e-9)
        return a.weight > b.weight;
    return fabs(a.at) < fabs(b.at);
}

static int list_modes(recon_so2_mode *out, const peak *peaks, int count, double total)
{
    for (int i = 0; i < count; i++) {
        recon_so2_mode m = { peaks[i].at, fmin(peaks[i].mass / total, 1) }; /* sums round */
        int j = i;
        for (; j > 0 && comes_before(m, out[j - 1]); j--)
            out[j] = out[j - 1];
        out[j] = m;
    }
    if (count == 0)
        out[0] = (recon_so2_mode){ 0, 1 };
    return count ? count : 1;
}

int recon_density_modes(recon_so2_mode out[RECON_MODES_MAX], const recon_so2_density *density,
                        double from)
{
    double p[GRID], total = 0;
    peak peaks[PEAKS];
    int lowest = 0;
    for (int i = 0; i < GRID; i++) {
        p[i] = exp(recon_so2_log_density(density, from + angle_of(i)));
        total += p[i];
        lowest = p[i] < p[lowest] ? i : lowest;
    }
    return list_modes(out, peaks, prune(peaks, find_peaks(peaks, p, lowest), total), total);
}
