/* fit.c - fits widths that are robust to neighbours from a wrong class.
 *
 * Width and background weight together by maximum likelihood: exactly for the arc, where only the
 * observed distances can be its half-width; by EM for the peaks. docs/notebook/statistics-so2.md
 * compares this with quantiles and with priors on the background. */
#include "group/so2/fit.h"

#include "core/blocks.h"
#include "core/arena.h"
#include "core/fail.h"
#include "core/threads.h"
#include "group/so2/mean.h"

#include <math.h>

#define NARROWEST        (M_PI / 720) /* no width is below a quarter of a degree */
#define LEAST_BACKGROUND 1e-6         /* 0 would be for good */
#define MOST_BACKGROUND  0.5
#define MAX_STEPS        100
#define CONVERGED        1e-4 /* far below the error of any such width */
#define SETS_BLOCK       RECON_BLOCK_FITS

size_t recon_so2_fit_scratch(size_t n)
{
    return 8 * n;
}

static double mean_square(const double *d, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += d[i] * d[i];
    return sum / (double)n;
}

/* 1 - mean cos: small spreads keep their digits. */
static double mean_spread(const double *d, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += 2 * sin(d[i] / 2) * sin(d[i] / 2);
    return sum / (double)n;
}

static double kappa_of(double spread)
{
    return fmin(recon_vonmises_kappa(spread), 1 / (NARROWEST * NARROWEST));
}

static double plain_width(const double *d, size_t n, recon_so2_family family)
{
    if (family == RECON_SO2_VONMISES)
        return kappa_of(mean_spread(d, n));
    double sigma = fmax(sqrt(mean_square(d, n)), NARROWEST);
    return family == RECON_SO2_NORMAL ? sigma : fmin(sqrt(3) * sigma, M_PI);
}

/* Into out[n]; the n doubles behind it are used too. */
static void sort_distances(double *out, const double *d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[n + i] = fabs(d[i]);
    recon_so2_sort(out, out + n, n);
}

/* The arc reaches to the i-th nearest angle; what lies beyond is background. */
static double arc_likelihood(double *background, double width, size_t inside, size_t n)
{
    double outside = (double)(n - inside), free = fmax(1 - width / M_PI, 1e-12);
    double b = fmin(outside / (double)n / free, MOST_BACKGROUND);
    *background = b;
    double sum = (double)inside * log((1 - b) / (2 * width) + b / (2 * M_PI));
    return outside > 0 ? sum + outside * log(b / (2 * M_PI)) : sum;
}

/* The largest of N uniform distances falls short of the half-width by one part in N + 1. */
static void fit_arc(recon_so2_density *out, const double *d, size_t n, double *scratch)
{
    double *distance = scratch, best = -INFINITY;
    sort_distances(distance, d, n);
    for (size_t i = 0; i < n; i++) {
        double b, width = fmax(distance[i], NARROWEST), inside = (double)(i + 1);
        double likelihood = arc_likelihood(&b, width, i + 1, n);
        if (likelihood > best) {
            best = likelihood;
            out->width = fmin(width * (inside + 1) / inside, M_PI);
            out->background = b;
        }
    }
}

/* The two peaks: the density of each angle, and what the width is made of, 1 - cos
 * or the square. */
static void vonmises_terms(double *density, double *term, const double *d, size_t n, double kappa)
{
    double norm = recon_vonmises_log_norm(kappa);
    for (size_t i = 0; i < n; i++) {
        double s = sin(d[i] / 2);
        term[i] = 2 * s * s;
        density[i] = exp(-kappa * term[i] - norm);
    }
}

static void normal_terms(double *density, double *term, const double *d, size_t n, double sigma)
{
    for (size_t i = 0; i < n; i++)
        density[i] = recon_wrapped_normal_square(&term[i], d[i], sigma);
}

/* One EM step: which angles belong to the peak, then its width and the background from those.
 * Returns how many belong. */
static double peak_step(recon_so2_density *at, const double *d, size_t n, double *scratch)
{
    double *share = scratch, *term = scratch + n;
    double b = at->background, members = 0, sum = 0;
    int vonmises = at->family == RECON_SO2_VONMISES;
    (vonmises ? vonmises_terms : normal_terms)(share, term, d, n, at->width);
    for (size_t i = 0; i < n; i++) {
        double peak = (1 - b) * share[i], belongs = peak / (peak + b / (2 * M_PI));
        members += belongs;
        sum += belongs * term[i];
    }
    double mean = sum / fmax(members, 1e-300);
    at->width = vonmises ? kappa_of(mean) : fmin(fmax(sqrt(mean), NARROWEST), M_PI);
    at->background = fmin(fmax(1 - members / (double)n, LEAST_BACKGROUND), MOST_BACKGROUND);
    return members;
}

/* From the median on; with a background, or with b = 0 throughout. */
static void climb(recon_so2_density *out, const double *d, size_t n, int background,
                  double *scratch)
{
    double members = 0, change = 1;
    sort_distances(scratch, d, n);
    double median = (scratch[(n - 1) / 2] + scratch[n / 2]) / 2;
    double sigma = fmax(1.4826 * median, NARROWEST);
    out->width = out->family == RECON_SO2_VONMISES ? 1 / (sigma * sigma) : sigma;
    out->background = background ? 0.1 : 0;
    for (int step = 0; step < MAX_STEPS && change > CONVERGED; step++) {
        recon_so2_density before = *out;
        members = peak_step(out, d, n, scratch);
        out->background = background ? out->background : 0;
        change = fabs(out->width - before.width) / fmax(before.width, 1e-3) +
                 fabs(out->background - before.background);
    }
    /* The centre was estimated from the same angles: one degree of freedom less. */
    double factor = members / fmax(members - 1, 1);
    out->width = out->family == RECON_SO2_VONMISES ? out->width / factor
                                                   : fmin(out->width * sqrt(factor), M_PI);
}

static double log_likelihood(const recon_so2_density *p, const double *d, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += recon_so2_log_density(p, d[i]);
    return sum;
}

/* The wings of a broad peak are easily taken for background, and the width then falls short: the
 * background must earn its parameter (Akaike 1974). */
static void fit_peak(recon_so2_density *out, const double *d, size_t n, double *scratch)
{
    recon_so2_density plain = *out;
    climb(out, d, n, 1, scratch);
    climb(&plain, d, n, 0, scratch);
    if (log_likelihood(out, d, n) < log_likelihood(&plain, d, n) + 1)
        *out = plain;
}

void recon_so2_fit_one(recon_so2_density *out, const double *angles, size_t n,
                       recon_so2_family family, double *scratch)
{
    *out = (recon_so2_density){ .family = family };
    if (family == RECON_SO2_UNIFORM)
        fit_arc(out, angles, n, scratch);
    else if (family == RECON_SO2_MIXTURE)
        recon_mixture_fit(out, angles, n, scratch);
    else
        fit_peak(out, angles, n, scratch);
}

typedef struct {
    recon_so2_density *out;
    const double *angles;
    size_t sets, k;
    recon_so2_family family;
    int plain;
} batch;

static recon_status fit_set(recon_ctx *ctx, const batch *b, size_t set, recon_arena *arena)
{
    recon_status status;
    recon_mark mark = recon_arena_mark(arena);
    double *angles, *scratch;
    RECON_TRY(recon_arena_take(ctx, arena, &angles, b->k, sizeof *angles));
    RECON_TRY(recon_arena_take(ctx, arena, &scratch, recon_so2_fit_scratch(b->k), sizeof *scratch));
    recon_so2_wrap_n(angles, b->angles + set * b->k, b->k);
    if (b->plain)
        b->out[set] = (recon_so2_density){ .family = b->family,
                                           .width = plain_width(angles, b->k, b->family) };
    else
        recon_so2_fit_one(&b->out[set], angles, b->k, b->family, scratch);
done:
    recon_arena_release(arena, mark);
    return status;
}

static recon_status block_of_sets(recon_ctx *ctx, void *arg, size_t block, int worker)
{
    const batch *b = arg;
    size_t end = (block + 1) * SETS_BLOCK < b->sets ? (block + 1) * SETS_BLOCK : b->sets;
    for (size_t i = block * SETS_BLOCK; i < end; i++)
        RECON_CHECK(fit_set(ctx, b, i, recon_worker_arena(ctx, worker)));
    return RECON_OK;
}

recon_status recon_so2_fit_batch(recon_ctx *ctx, recon_so2_density *out, const double *angles,
                                 size_t sets, size_t k, recon_so2_family family,
                                 const recon_so2_fit_options *options)
{
    recon_status status;
    batch b = { out, angles, sets, k, family, options && options->plain };
    RECON_TRY(RECON_OPTIONS_CHECK(ctx, options, recon_so2_fit_options));
    RECON_TRY(recon_so2_check(ctx, angles, sets, k));
    RECON_TRY(recon_enum_check(ctx, family, RECON_SO2_MIXTURE, "family"));
    if (family == RECON_SO2_AUTO)
        RECON_TRY(recon_so2_choose_family(ctx, &b.family, angles, sets, k));
    if (b.plain && b.family == RECON_SO2_MIXTURE)
        return recon_fail(ctx, RECON_ERR_INPUT, "a mixture has no plain fit");
    status = recon_parallel(ctx, block_of_sets, &b, (sets + SETS_BLOCK - 1) / SETS_BLOCK);
done:
    return status;
}
