/* wasserstein.c - exact distances between samples on the circle.
 *
 * Delon, Salomon, Sobolevski, "Fast transport optimization for Monge costs on the circle", SIAM J.
 * Appl. Math. 70, 2010. Unrolled onto the line an optimal plan keeps the order, so that it is fixed
 * by one number, the shift between the two quantile functions, and its cost is convex in the shift.
 * For samples of n and m points the cost is moreover linear between the multiples of 1/(nm): the
 * best shift is one of them, and bisection on the sign of the slope finds it in whole numbers. */
#include "group/wasserstein.h"

#include <math.h>
#include <stdint.h>
#include "core/fail.h"
#include "core/memory.h"
#include "group/so2/mean.h"
#include "stats/quantile.h"

#define P_MAX      16
#define POINTS_MAX (1 << 30) /* three times n m fits 64 bits */

static double power(double x, double p)
{
    return p == 1 ? x : p == 2 ? x * x : pow(x, p);
}

static double root(double x, double p)
{
    return p == 1 ? x : p == 2 ? sqrt(x) : pow(x, 1 / p);
}

static recon_status check_sizes(recon_ctx *ctx, size_t n, size_t m, double p)
{
    if (n == 0 || m == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "wasserstein: the %s sample is empty",
                          n == 0 ? "first" : "second");
    if (n > POINTS_MAX || m > POINTS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "wasserstein: %zu and %zu points, at most %d each",
                          n, m, POINTS_MAX);
    if (!(p >= 1 && p <= P_MAX))
        return recon_fail(ctx, RECON_ERR_INPUT, "wasserstein: p is %g, expected 1 to %d", p, P_MAX);
    return RECON_OK;
}

/* Into (-pi, pi], in order. */
static recon_status unroll(recon_ctx *ctx, double **out, const double *angle, size_t n,
                           const char *which)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(angle[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "wasserstein: angle %zu of the %s sample is %g",
                              i, which, angle[i]);
    RECON_CHECK(recon_alloc_raw(ctx, out, n, sizeof **out));
    recon_so2_wrap_n(*out, angle, n);
    recon_sort_doubles(*out, n);
    return RECON_OK;
}

typedef struct {
    const double *a, *b; /* sorted, in (-pi, pi]; a_{i+n} = a_i + 2 pi, and so for b */
    int64_t n, m;
    double p;
} circle;

/* Point i of a sample of n that goes on round the circle, -n <= i. */
static double point(const double *x, int64_t n, int64_t i)
{
    return x[(i + n) % n] + 2 * M_PI * (double)((i + n) / n - 1);
}

/* In units of 1/(nm), a_i holds the mass (im, im + m] and, shifted by k, b_j holds
 * (jn - k, jn + n - k]. From k to k + 1 the ends move one unit down, and at each the mass of one
 * a_i goes over from b_{j-1} to b_j: the slope is what that costs. */
static double slope(const circle *c, int64_t k)
{
    double sum = 0;
    for (int64_t j = 1; j <= c->m; j++) {
        int64_t below = j * c->n - k - 1 + c->n * c->m; /* one turn up: not negative */
        double a = point(c->a, c->n, below / c->m - c->n);
        sum += power(fabs(point(c->b, c->m, j) - a), c->p) -
               power(fabs(point(c->b, c->m, j - 1) - a), c->p);
    }
    return sum;
}

/* A rotation either way is too far: there every point moves in the same direction. */
static int64_t best_shift(const circle *c)
{
    int64_t low = -c->n * c->m, high = c->n * c->m;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (slope(c, middle) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The mean of d^p under the plan of shift k, interval by interval of constant a_i and b_j. */
static double plan_cost(const circle *c, int64_t k)
{
    int64_t whole = c->n * c->m, at = 0, i = 0;
    int64_t j = (k + whole) / c->n - c->m; /* k / n rounded down, k >= -nm */
    double sum = 0;
    while (at < whole) {
        int64_t end_a = (i + 1) * c->m, end_b = (j + 1) * c->n - k;
        int64_t end = end_a < end_b ? end_a : end_b;
        double d = fabs(c->a[i] - point(c->b, c->m, j));
        sum += (double)(end - at) * power(d, c->p);
        i += end == end_a, j += end == end_b;
        at = end;
    }
    return sum / (double)whole;
}

recon_status recon_so2_wasserstein(recon_ctx *ctx, double *out, const double *a, const double *b,
                                   size_t n, size_t m, double p)
{
    double *sorted_a = NULL, *sorted_b = NULL;
    recon_status status;
    RECON_TRY(check_sizes(ctx, n, m, p));
    RECON_TRY(unroll(ctx, &sorted_a, a, n, "first"));
    RECON_TRY(unroll(ctx, &sorted_b, b, m, "second"));
    circle c = { sorted_a, sorted_b, (int64_t)n, (int64_t)m, p };
    *out = root(plan_cost(&c, best_shift(&c)), p);
done:
    recon_free_all(sorted_a, sorted_b);
    return status;
}
