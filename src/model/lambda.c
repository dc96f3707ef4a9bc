/* lambda.c - the three ways to Lambda, and how they compare. */
#include "model/lambda.h"
#include "backbone/embedded.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

enum { WAYS = 4, ROUNDS = 40 };
/* Ways within this of the best, or within the standard error of the difference, count as equal: then the
 * first of them is taken, see order. */
#define EQUAL 0.02

static const recon_lambda order[] = { RECON_LAMBDA_DENSITY, RECON_LAMBDA_HEAD,
                                      RECON_LAMBDA_NEIGHBOURS };

/* --- likelihood ------------------------------------------------------------------------------- */

/* Normals of 3, 8, 20 and 50 degrees about zero, and what is spread evenly. */
enum { PARTS = 5 };
static void densities_of(double out[PARTS], double angle)
{
    static const double sigma[PARTS - 1] = { 3, 8, 20, 50 };
    for (int k = 0; k + 1 < PARTS; k++) {
        double s = sigma[k] * M_PI / 180, x = angle / s;
        out[k] = exp(-x * x / 2) / (s * sqrt(2 * M_PI));
    }
    out[PARTS - 1] = 1 / (2 * M_PI);
}

/* One round of expectation and maximisation; out [n]: the log densities before it. */
static void improve(double *out, double weight[PARTS], const double *angles, size_t n)
{
    double sum[PARTS] = { 0 };
    for (size_t i = 0; i < n; i++) {
        double p[PARTS], all = 0;
        densities_of(p, angles[i]);
        for (int k = 0; k < PARTS; k++)
            all += p[k] *= weight[k];
        for (int k = 0; k < PARTS; k++)
            sum[k] += p[k] / all;
        out[i] = log(all);
    }
    for (int k = 0; k < PARTS; k++)
        weight[k] = (sum[k] + 0.2) / ((double)n + 0.2 * PARTS); /* none dies out */
}

void recon_lambda_log_densities(double *out, const double *angles, size_t n)
{
    double weight[PARTS] = { 0.2, 0.2, 0.2, 0.2, 0.2 };
    for (int round = 0; round < ROUNDS && n > 0; round++)
        improve(out, weight, angles, n);
}

static double mean_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

/* --- compared --------------------------------------------------------------------------------- */

typedef struct {
    const recon_lambda_ways *of;
    double *x;           /* [n] scratch */
    double *log_p[WAYS]; /* [n] log densities of the poses about each way's centre */
} comparison;

static double distance(const comparison *c, const double *a, const double *b, size_t i)
{
    const recon_group *g = c->of->kind->group;
    return g->distance(g, a + i * g->numbers, b + i * g->numbers);
}

static void compare_pair(recon_lambda_choice *out, const comparison *c, recon_lambda a,
                         recon_lambda b)
{
    size_t n = 0;
    for (size_t j = 0; j < c->of->n; j++)
        if (!c->of->one || c->of->one[j])
            c->x[n++] = distance(c, c->of->lambda[a], c->of->lambda[b], j);
    if (n == 0)
        return;
    recon_sort_doubles(c->x, n);
    out->apart_median[a][b] = out->apart_median[b][a] = recon_quantile(c->x, n, 0.5);
    out->apart_p95[a][b] = out->apart_p95[b][a] = recon_quantile(c->x, n, 0.95);
}

/* What a density itself says of the poses counts where it is more: it knows for which inputs its
 * centre means little, and a law where there are several. */
static void count_own(const comparison *c, int way)
{
    const double *own = c->of->own[way];
    if (own && mean_of(own, c->of->n) > mean_of(c->log_p[way], c->of->n))
        memcpy(c->log_p[way], own, c->of->n * sizeof *own);
}

static void measure(recon_lambda_choice *out, const comparison *c)
{
    const double *const *lambda = c->of->lambda;
    size_t n = c->of->n;
    for (int a = 0; a < WAYS; a++)
        for (int b = 0; b < WAYS; b++)
            out->apart_median[a][b] = out->apart_p95[a][b] = NAN;
    for (int a = 1; a < WAYS; a++) {
        for (int b = 1; b < a; b++)
            if (lambda[a] && lambda[b])
                compare_pair(out, c, (recon_lambda)a, (recon_lambda)b);
        out->likelihood[a] = NAN;
        if (!lambda[a] || !c->of->kind->compared)
            continue;
        for (size_t j = 0; j < n; j++)
            c->x[j] = distance(c, c->of->psi, lambda[a], j);
        recon_lambda_log_densities(c->log_p[a], c->x, n);
        count_own(c, a);
        out->likelihood[a] = mean_of(c->log_p[a], n);
    }
}

double recon_error_between(const double *a, const double *b, size_t n)
{
    double squares = 0, mean = mean_of(a, n) - mean_of(b, n);
    for (size_t j = 0; j < n; j++)
        squares += (a[j] - b[j] - mean) * (a[j] - b[j] - mean);
    return n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : INFINITY;
}

static double error_between(const comparison *c, int a, int b)
{
    return recon_error_between(c->log_p[a], c->log_p[b], c->of->n);
}

static recon_lambda best_of(const recon_lambda_choice *choice, const comparison *c)
{
    const double *likelihood = choice->likelihood;
    int best = RECON_LAMBDA_HEAD;
    if (!c->of->kind->compared)
        return c->of->kind->usual;
    for (int a = 1; a < WAYS; a++)
        best = likelihood[a] > likelihood[best] ? a : best;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (likelihood[best] - likelihood[order[k]] <=
            fmax(EQUAL, error_between(c, best, (int)order[k])))
            return order[k];
    return RECON_LAMBDA_HEAD;
}

recon_status recon_lambda_choose(recon_ctx *ctx, recon_lambda_choice *out, recon_lambda asked,
                                 const recon_lambda_ways *of)
{
    comparison c = { .of = of };
    recon_status status;
    *out = (recon_lambda_choice){ .likelihood = { NAN }, .points = of->n };
    if (asked != RECON_LAMBDA_AUTO && !of->lambda[asked])
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "lambda %s: the backbone has no pose density ({recon.train()} without "
                          "{density=false})",
                          recon_lambda_name(asked));
    RECON_TRY(recon_alloc(ctx, &c.x, of->n, sizeof *c.x));
    RECON_TRY(recon_alloc(ctx, &c.log_p[0], WAYS * of->n, sizeof **c.log_p));
    for (int a = 1; a < WAYS; a++)
        c.log_p[a] = c.log_p[0] + (size_t)a * of->n;
    measure(out, &c);
    out->taken = asked == RECON_LAMBDA_AUTO ? best_of(out, &c) : asked;
done:
    recon_free_all(c.log_p[0], c.x);
    return status;
}
