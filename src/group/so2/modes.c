/* modes.c - one broad mode or several?
 *
 * The model is a density of two levels: high on m arcs, low on the rest of the circle. Its
 * likelihood has a closed form, needs no bandwidth, no grid and no starting point, and its unimodal
 * member (m = 1) is flat-topped: a uniform arc is never worse off for being broad. More arcs must
 * earn their keep, in nats, against the best single arc.
 *
 * For a level lambda the best m arcs maximise  count - lambda * length  (the excess mass of Mueller
 * and Sawitzki, 1991). Points and gaps form a ring of alternating gains and losses; fusing the
 * smallest of them with its two neighbours, again and again, passes through the best m arcs for
 * every m. docs/notebook/statistics-so2.md has the reasons and the measured error rates. */
#include "group/so2/mean.h"

#include <math.h>
#include <recon/group/so2.h>

#define TWO_PI     (2 * M_PI)
#define RESOLUTION RECON_SO2_RESOLUTION /* what an arc is longer than its points */
#define MANY       64 /* arcs, beyond which fusing one at a time would take too long */
#define LEVELS     9  /* lambda = 1, 2, 4 ... times the density of the full circle */

/* What one more arc costs, in nats, times n / (n - 2). Among n uniform angles a gap that earns as
 * much has a chance of about n exp(-price): false splits become rarer faster than their damage
 * grows, which relative to the error of the Frechet mean goes as n. */
#define PRICE_BASE  -1.0
#define PRICE_LOG_N 3.1
#define FEWEST      5 /* angles that can be told apart at all */

/* What outliers cost. They are cheaper, since leaving out a few angles wrongly does less damage;
 * but at least two fifths must be left, and the gain be a tenth of a nat per angle: a large sample
 * finds fault with any simple density, and a skewed one must not count as polluted. */
#define STRAY_BASE    2.0
#define STRAY_LOG_N   1.5
#define STRAY_PER_ONE 0.1

/* The ring: arc r, followed by gap r. */
typedef struct {
    size_t count;
    size_t *first, *last; /* of the arc                          */
    double *gain, *loss;  /* of the arc; of the gap that follows */
} ring;

typedef struct {
    double likelihood; /* log */
    int count;
    recon_so2_arc arc[RECON_MODES_MAX];
} model;

size_t recon_so2_modes_scratch(size_t n)
{
    return 4 * n;
}

static double gap_after(const double *sorted, size_t n, size_t i)
{
    return i + 1 < n ? sorted[i + 1] - sorted[i] : sorted[0] - sorted[i] + TWO_PI;
}

static size_t points_in(const recon_so2_arc *arc, size_t n)
{
    return (arc->last + n - arc->first) % n + 1;
}

static size_t largest_gap(const double *sorted, size_t n)
{
    size_t at = 0;
    for (size_t i = 1; i < n; i++)
        if (gap_after(sorted, n, i) > gap_after(sorted, n, at))
            at = i;
    return at;
}

/* A gap that loses less than the point beside it gains is fused first in any order. */
static void cut_at_wide_gaps(ring *r, const double *sorted, size_t n, size_t start, double lambda)
{
    r->count = 0;
    size_t i = (start + 1) % n;
    for (size_t k = 0; k < n; k++, i = (i + 1) % n) {
        double loss = lambda * gap_after(sorted, n, i);
        int opens = k == 0 || r->loss[r->count - 1] >= 1;
        size_t at = opens ? r->count++ : r->count - 1;
        if (opens)
            r->first[at] = i;
        r->gain[at] = opens ? 1 : r->gain[at] + 1 - r->loss[at];
        r->last[at] = i;
        r->loss[at] = loss;
    }
}

static void remove_arc(ring *r, size_t at)
{
    r->count--;
    for (size_t i = at; i < r->count; i++) {
        r->first[i] = r->first[i + 1];
        r->last[i] = r->last[i + 1];
        r->gain[i] = r->gain[i + 1];
        r->loss[i] = r->loss[i + 1];
    }
}

/* One pass that drops arcs and fills gaps worth no more than this, while more than
 * keep are left. */
static void thin(ring *r, double worth, size_t keep)
{
    size_t kept = 0, count = r->count;
    double before_first = 0;
    for (size_t i = 0; i < count; i++) {
        if (r->count > keep && r->gain[i] <= worth) {
            *(kept ? &r->loss[kept - 1] : &before_first) += r->loss[i] - r->gain[i];
            r->count--;
            continue;
        }
        size_t at = kept;
        if (r->count > keep && kept > 0 && r->loss[kept - 1] <= worth) {
            at = kept - 1;
            r->gain[at] += r->gain[i] - r->loss[at];
            r->count--;
        } else {
            r->first[at] = r->first[i];
            r->gain[at] = r->gain[i];
            kept++;
        }
        r->last[at] = r->last[i];
        r->loss[at] = r->loss[i];
    }
    r->loss[kept - 1] += before_first;
}

static void fill_gap(ring *r, size_t at)
{
    size_t next = (at + 1) % r->count;
    r->gain[next] += r->gain[at] - r->loss[at];
    r->first[next] = r->first[at];
    remove_arc(r, at);
}

/* One arc fewer, at the least cost. */
static void fuse_smallest(ring *r)
{
    size_t arc = 0, gap = 0;
    for (size_t i = 1; i < r->count; i++) {
        arc = r->gain[i] < r->gain[arc] ? i : arc;
        gap = r->loss[i] < r->loss[gap] ? i : gap;
    }
    if (r->loss[gap] <= r->gain[arc])
        fill_gap(r, gap);
    else {
        size_t before = (arc + r->count - 1) % r->count;
        r->loss[before] += r->loss[arc] - r->gain[arc];
        remove_arc(r, arc);
    }
}

/* Log-likelihood of n points when inside of them fall on arcs of this length. */
static double two_levels(double inside, double n, double length)
{
    double outside = n - inside, rest = TWO_PI - length;
    double sum = inside * log(inside / (n * length));
    return outside > 0 ? sum + outside * log(outside / (n * rest)) : sum;
}

static void keep_if_better(model *best, const ring *r, const double *sorted, size_t n)
{
    double length = 0, inside = 0;
    recon_so2_arc arc[RECON_MODES_MAX];
    for (size_t i = 0; i < r->count; i++) {
        double width = sorted[r->last[i]] - sorted[r->first[i]];
        width += r->last[i] < r->first[i] ? TWO_PI : 0;
        arc[i] = (recon_so2_arc){
            .first = r->first[i], .last = r->last[i], .from = sorted[r->first[i]], .width = width
        };
        length += fmin(width + RESOLUTION, TWO_PI);
        inside += (double)points_in(&arc[i], n);
    }
    length = fmin(length, TWO_PI);
    double likelihood = two_levels(inside, (double)n, length);
    if (best->count && likelihood <= best->likelihood)
        return;
    best->likelihood = likelihood;
    best->count = (int)r->count;
    for (size_t i = 0; i < r->count; i++)
        best->arc[i] = arc[i];
}

static double price(int arcs, size_t n)
{
    if (n < FEWEST)
        return arcs == 1 ? 0 : INFINITY;
    double few = (double)n / ((double)n - 2); /* two angles span what the others lie in */
    return (arcs - 1) * few * (PRICE_BASE + PRICE_LOG_N * log((double)n));
}

static const model *best_model(model models[RECON_MODES_MAX], const double *sorted, size_t n,
                               double *scratch)
{
    ring r = (ring){ .gain = scratch,
                     .loss = scratch + n,
                     .first = (size_t *)(void *)(scratch + 2 * n),
                     .last = (size_t *)(void *)(scratch + 3 * n) };
    size_t start = largest_gap(sorted, n);
    for (int m = 0; m < RECON_MODES_MAX; m++)
        models[m].count = 0;
    /* Everything but the largest gap: the unimodal density that no cut can miss. */
    cut_at_wide_gaps(&r, sorted, n, start, 0);
    keep_if_better(&models[0], &r, sorted, n);
    double lambda = (double)n / TWO_PI;
    for (int level = 0; level < LEVELS; level++, lambda *= 2) {
        cut_at_wide_gaps(&r, sorted, n, start, lambda);
        /* Points by themselves gain least of all, so they go first in any order. Of very many arcs
         * the small ones go in passes, each twice as rough as the last: what is left is the coarse
         * shape. */
        thin(&r, 1, RECON_MODES_MAX);
        for (double worth = 2; r.count > MANY; worth *= 2)
            thin(&r, worth, MANY);
        for (; r.count > 0; fuse_smallest(&r)) {
            if (r.count <= RECON_MODES_MAX)
                keep_if_better(&models[r.count - 1], &r, sorted, n);
            if (r.count == 1)
                break;
        }
    }
    const model *best = &models[0];
    for (int m = 1; m < RECON_MODES_MAX; m++)
        if (models[m].count &&
            models[m].likelihood - price(m + 1, n) > best->likelihood - price(best->count, n))
            best = &models[m];
    return best;
}

/* How far the angle lies outside the arc: 0 within. */
static double distance_to(const recon_so2_arc *arc, double angle)
{
    double along = angle - arc->from;
    along += along < 0 ? TWO_PI : 0;
    return along <= arc->width ? 0 : fmin(along - arc->width, TWO_PI - along);
}

static double mean_of(const recon_so2_arc *arc, const double *sorted, size_t n)
{
    double sum = 0;
    size_t points = points_in(arc, n);
    for (size_t k = 0, i = arc->first; k < points; k++, i = (i + 1) % n)
        sum += sorted[i] - arc->from + (i < arc->first ? TWO_PI : 0);
    return recon_so2_wrap(arc->from + sum / (double)points);
}

/* Against the densities that have one peak and nothing else: a flat arc over everything and a normal
 * with the variance found. */
static void compare_with_all(recon_so2_modes *out, const double *sorted, size_t n, double variance)
{
    size_t start = largest_gap(sorted, n);
    double width = TWO_PI - gap_after(sorted, n, start);
    double flat = -(double)n * log(fmin(width + RESOLUTION, TWO_PI));
    double normal = -0.5 * (double)n * log(TWO_PI * M_E * (variance + RESOLUTION * RESOLUTION));
    out->from = sorted[(start + 1) % n];
    out->width = width;
    out->stray = out->one - fmax(flat, normal);
    out->flat = flat - normal;
}

/* Do some angles lie so far out that no density with one peak and nothing else explains them? */
static int has_outliers(const recon_so2_modes *modes, size_t n)
{
    return n >= FEWEST && 5 * points_in(&modes->arc[0], n) >= 2 * n &&
           modes->stray > STRAY_PER_ONE * (double)n &&
           modes->stray > STRAY_BASE + STRAY_LOG_N * log((double)n);
}

void recon_so2_find_modes(recon_so2_modes *out, const double *sorted, size_t n, double variance,
                          double *scratch)
{
    model models[RECON_MODES_MAX];
    const model *best = best_model(models, sorted, n, scratch);
    *out = (recon_so2_modes){ .count = best->count, .one = models[0].likelihood };
    for (int i = 0; i < best->count; i++) {
        out->arc[i] = best->arc[i];
        out->arc[i].center = mean_of(&best->arc[i], sorted, n);
    }
    for (size_t i = 0; i < n; i++) {
        int nearest = 0;
        for (int a = 1; a < best->count; a++)
            if (distance_to(&out->arc[a], sorted[i]) < distance_to(&out->arc[nearest], sorted[i]))
                nearest = a;
        out->arc[nearest].weight++;
    }
    for (int a = 0; a < best->count; a++)
        out->arc[a].weight /= (double)n;
    compare_with_all(out, sorted, n, variance);
    out->outliers = best->count == 1 && has_outliers(out, n);
}
