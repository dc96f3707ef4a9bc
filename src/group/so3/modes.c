/* modes.c - counting modes on SO(3).
 *
 * Two questions, and several modes only where both say so. Does a kernel density, with the width
 * that best predicts each sample from the others, predict better than one matrix Fisher
 * distribution with its parameters paid for (or than the uniform one)? A ring, a flat disc and any
 * broad mode stop here: the matrix Fisher family has them. And are the density's peaks apart, that
 * is, does it fall to less than a quarter of the lower peak on the way from one to the other? A
 * uniform ball stops here.
 *
 * Kernels are isotropic matrix Fisher densities exp(-2 kappa (1 - (p.q)^2)), kappa doubling from
 * one to the next: each is the square of the one before, so that a pair of samples costs one
 * exponential for all ten widths, from 40 to 2 degrees. */
#include "group/so3/verdict.h"
#include "group/so3/frame.h"

#include <recon/group/matrix_fisher.h>

#include <math.h>
#include "core/fail.h"
#include "group/so3/so3.h"
#include "group/so3/fisher_fit.h"
#include "group/so3/fisher.h"
#include "stats/quantile.h"

#define BROADEST   2.0  /* kappa of the first kernel: a standard deviation of 40 degrees        */
#define SAMPLES    1024 /* enough to see modes: of more, every second, third ... is looked at    */
#define BACKGROUND 0.05 /* uniform part of the kernel density, so that no sample is impossible */
#define MARGIN     5.0  /* the log-likelihood by which the kernel density must win               */
#define DIP        0.25 /* of the lower peak                                                     */
#define LEAST      0.1  /* the smallest share of the samples that is a mode ...                  */
#define LEAST_N    3    /* ... and the smallest number                                           */
#define PEAKS      16
#define PATH       16
#define SHIFTS     30

typedef struct {
    recon_so3 *g; /* [n] the samples looked at                            */
    size_t n;
    double *density; /* [n][RECON_KERNELS]: sums of kernels over the others  */
    int kernel;      /* the one that predicts best                           */
    double kappa;
    recon_so3 peak[PEAKS];
    double height[PEAKS];
    int peaks;
    int group[PEAKS]; /* the first peak of the mode to which each belongs     */
} search;

void recon_so3_kernels_make(recon_so3_kernels *out)
{
    for (int k = 0; k < RECON_KERNELS; k++) {
        double s = ldexp(BROADEST, k) / 2, values[3] = { s, s, s };
        out->log_norm[k] = recon_fisher_log_constant(NULL, values) - 3 * s;
    }
}

static double dot(recon_so3 p, recon_so3 q)
{
    return p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
}

/* sin^2 of half the angle between p and q. */
static double gap(recon_so3 p, recon_so3 q)
{
    double c = dot(p, q);
    return 1 - c * c;
}

/* Sets the kernel and returns the sum of the log-densities of each sample given the others. The
 * kernel is chosen without the densest samples: a spike lighter than a mode must not decide how
 * finely all the others are looked at. */
static double best_kernel(search *s, const recon_so3_kernels *kernels, double *scratch)
{
    size_t kept = s->n - (size_t)(LEAST * (double)s->n);
    double best = -INFINITY, several = 0;
    for (int k = 0; k < RECON_KERNELS; k++) {
        double scale = (1 - BACKGROUND) * exp(-kernels->log_norm[k]) / (double)(s->n - 1);
        double total = 0, sparse = 0;
        for (size_t i = 0; i < s->n; i++)
            scratch[i] = log(BACKGROUND + scale * s->density[i * RECON_KERNELS + (size_t)k]);
        recon_sort_doubles(scratch, s->n);
        for (size_t i = 0; i < s->n; i++) {
            total += scratch[i];
            sparse += i < kept ? scratch[i] : 0;
        }
        if (sparse > best)
            best = sparse, several = total, s->kernel = k;
    }
    s->kappa = ldexp(BROADEST, s->kernel);
    return several;
}

/* Whether one mode explains the samples as well as a kernel density with this log-likelihood, of
 * the share of the samples looked at. One mode is the robust fit, with a background for outliers,
 * or plain maximum likelihood, each with its parameters taken off (Akaike; a ring has five), or the
 * uniform distribution, which has none. */
static recon_status one_will_do(recon_ctx *ctx, int *out, const search *s,
                                const recon_fisher_fit *robust, double several, double thinned)
{
    static const recon_fisher_fit_options ml = { .method = RECON_FISHER_ML };
    recon_fisher_fit plain;
    int parameters = (robust->free_directions > 0 ? 5 : 9) + (robust->background > 0);
    *out = several < MARGIN || several < thinned * robust->log_likelihood - parameters + MARGIN;
    if (*out)
        return RECON_OK;
    RECON_CHECK(recon_fisher_fit_samples(ctx, &plain, s->g, s->n, &ml));
    *out = several < plain.log_likelihood - 9 + MARGIN;
    return RECON_OK;
}

static double density_at(const search *s, recon_so3 q)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += exp(-2 * s->kappa * gap(q, s->g[i]));
    return sum;
}

/* Whether sample i is the densest within two standard deviations of the kernel. */
static int is_top(const search *s, size_t i)
{
    const double *density = s->density + s->kernel;
    for (size_t j = 0; j < s->n; j++) {
        double here = density[i * RECON_KERNELS], there = density[j * RECON_KERNELS];
        if ((there > here || (there == here && j < i)) && s->kappa * gap(s->g[i], s->g[j]) < 1)
            return 0;
    }
    return 1;
}

/* Uphill by mean shift: the density does not fall in any step. */
static recon_so3 climb(const search *s, recon_so3 q)
{
    for (int step = 0; step < SHIFTS; step++) {
        recon_so3 sum = { 0 };
        for (size_t i = 0; i < s->n; i++) {
            double c = dot(q, s->g[i]), w = c * exp(-2 * s->kappa * (1 - c * c));
            sum.w += w * s->g[i].w, sum.x += w * s->g[i].x;
            sum.y += w * s->g[i].y, sum.z += w * s->g[i].z;
        }
        recon_so3 next = recon_so3_normalize(sum);
        double moved = gap(q, next);
        q = next;
        if (moved < 1e-8)
            break;
    }
    return q;
}

/* The tops that are no stray samples; where there are more than PEAKS the densest. */
static void find_peaks(search *s)
{
    double highest = 0;
    for (size_t i = 0; i < s->n; i++)
        highest = fmax(highest, 1 + s->density[i * RECON_KERNELS + (size_t)s->kernel]);
    for (size_t i = 0; i < s->n; i++) {
        double height = 1 + s->density[i * RECON_KERNELS + (size_t)s->kernel];
        if (height < fmax(1.5, LEAST * highest) || !is_top(s, i))
            continue;
        int at = s->peaks < PEAKS ? s->peaks++ : PEAKS - 1;
        if (at == PEAKS - 1 && s->peaks == PEAKS && s->height[at] >= height)
            continue;
        for (; at > 0 && s->height[at - 1] < height; at--)
            s->peak[at] = s->peak[at - 1], s->height[at] = s->height[at - 1];
        s->peak[at] = s->g[i], s->height[at] = height;
    }
}

/* Whether the density stays above DIP of the lower peak on the shortest way from one
 * to the other. */
static int connected(const search *s, int a, int b)
{
    double floor = DIP * fmin(s->height[a], s->height[b]);
    for (int i = 1; i < PATH; i++)
        if (density_at(s, recon_so3_toward(s->peak[a], s->peak[b], (double)i / PATH)) < floor)
            return 0;
    return 1;
}

/* Climbs from each top, then puts connected peaks into one group, named by its first. */
static void group_peaks(search *s)
{
    for (int a = 0; a < s->peaks; a++) {
        s->peak[a] = climb(s, s->peak[a]);
        s->height[a] = density_at(s, s->peak[a]);
        s->group[a] = a;
    }
    for (int a = 0; a < s->peaks; a++)
        for (int b = 0; b < a; b++) {
            int from = s->group[a], to = s->group[b];
            if (from == to || !connected(s, a, b))
                continue;
            for (int c = 0; c < s->peaks; c++)
                s->group[c] = s->group[c] == from ? to : s->group[c];
        }
}

/* Groups that are heavy enough, heaviest first. */
static int list_modes(recon_so3 at[RECON_MODES_MAX], const search *s)
{
    size_t members[PEAKS] = { 0 };
    for (size_t i = 0; i < s->n; i++) {
        int nearest = 0;
        for (int a = 1; a < s->peaks; a++)
            if (gap(s->g[i], s->peak[a]) < gap(s->g[i], s->peak[nearest]))
                nearest = a;
        members[s->group[nearest]]++;
    }
    int modes = 0;
    for (; modes < RECON_MODES_MAX; modes++) {
        int heaviest = 0;
        for (int a = 1; a < s->peaks; a++)
            heaviest = members[a] > members[heaviest] ? a : heaviest;
        if (members[heaviest] < LEAST_N || (double)members[heaviest] < LEAST * (double)s->n)
            break;
        members[heaviest] = 0;
        at[modes] = s->peak[heaviest];
    }
    return modes;
}

recon_status recon_so3_modes(recon_ctx *ctx, int *modes, recon_so3 at[RECON_MODES_MAX],
                             const recon_so3 *samples, size_t n, const recon_so3_kernels *kernels,
                             const recon_fisher_fit *robust, recon_arena *arena)
{
    size_t stride = (n + SAMPLES - 1) / SAMPLES;
    search s = { .n = (n + stride - 1) / stride };
    double *scratch;
    int one = 1;
    *modes = 1;
    RECON_CHECK(recon_arena_take(ctx, arena, &s.g, s.n, sizeof *s.g));
    RECON_CHECK(recon_arena_take(ctx, arena, &s.density, s.n * RECON_KERNELS, sizeof *s.density));
    RECON_CHECK(recon_arena_take(ctx, arena, &scratch, s.n, sizeof *scratch));
    if (s.n < 2 * LEAST_N)
        return RECON_OK;
    for (size_t i = 0; i < s.n; i++)
        s.g[i] = samples[i * stride];
    for (size_t i = 0; i < s.n * RECON_KERNELS; i++)
        s.density[i] = 0;
    for (size_t i = 0; i < s.n; i++)
        for (size_t j = 0; j < i; j++) {
            double kernel = exp(-2 * BROADEST * gap(s.g[i], s.g[j]));
            double *a = s.density + i * RECON_KERNELS, *b = s.density + j * RECON_KERNELS;
            for (int k = 0; k < RECON_KERNELS; k++, kernel *= kernel)
                a[k] += kernel, b[k] += kernel;
        }
    double several = best_kernel(&s, kernels, scratch);
    find_peaks(&s);
    if (s.peaks > 1)
        RECON_CHECK(one_will_do(ctx, &one, &s, robust, several, (double)s.n / (double)n));
    if (one)
        return RECON_OK;
    group_peaks(&s);
    int found = list_modes(at, &s);
    *modes = found > 1 ? found : 1;
    return RECON_OK;
}
