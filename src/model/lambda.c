/* lambda.c - the three ways to Lambda, and how they compare. */
#include "model/lambda.h"
#include "backbone/embedded.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 4, ROUNDS = 40 };
/* Ways within this of the best, or within the standard error of the difference, count as equal: then the
 * first of them is taken, see order. */
#define EQUAL 0.02

static const recon_lambda order[] = { RECON_LAMBDA_DENSITY, RECON_LAMBDA_HEAD,
                                      RECON_LAMBDA_NEIGHBOURS };

void recon_lambda_by(double *out, const recon_maps_kind *kind, recon_lambda way,
                     const recon_embedded *data, const recon_frames *frames, const void *heads,
                     size_t i)
{
    size_t numbers = kind->group->numbers;
    if (way == RECON_LAMBDA_NEIGHBOURS)
        memcpy(out, frames->gamma + i * numbers, numbers * sizeof *out);
    else
        kind->lambda_of(out, heads ? (const char *)heads + i * kind->map : NULL, way,
                        data->poses + i * numbers,
                        data->density ? data->density + i * RECON_POSE_BINS : NULL);
}

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
    const recon_embedded *data;
    const recon_frames *frames;
    const recon_maps *maps;
    const void *heads;
    size_t *which; /* the points held out */
    size_t n;
    double *x;           /* [n] scratch */
    double *log_p[WAYS]; /* [n] log densities of their poses about each way's centre */
} comparison;

static int is_there(const comparison *c, recon_lambda way)
{
    return way != RECON_LAMBDA_AUTO &&
           (way != RECON_LAMBDA_DENSITY ||
            recon_maps_know_density(c->maps->kind, c->data->density != NULL));
}

static double distance(const comparison *c, recon_lambda a, recon_lambda b, size_t i)
{
    const recon_maps_kind *kind = c->maps->kind;
    double p[RECON_NUMBERS_MAX], q[RECON_NUMBERS_MAX];
    recon_lambda_by(p, kind, a, c->data, c->frames, c->heads, i);
    recon_lambda_by(q, kind, b, c->data, c->frames, c->heads, i);
    return kind->group->distance(kind->group, p, q);
}

static void compare_pair(recon_lambda_choice *out, const comparison *c, recon_lambda a,
                         recon_lambda b)
{
    for (size_t j = 0; j < c->n; j++)
        c->x[j] = distance(c, a, b, c->which[j]);
    recon_sort_doubles(c->x, c->n);
    out->apart_median[a][b] = out->apart_median[b][a] = recon_quantile(c->x, c->n, 0.5);
    out->apart_p95[a][b] = out->apart_p95[b][a] = recon_quantile(c->x, c->n, 0.95);
}

/* What the density itself says of the poses counts where it is more: it knows for which inputs its
 * centre means little. */
static void count_own(const comparison *c)
{
    double *about = c->log_p[RECON_LAMBDA_DENSITY];
    for (size_t j = 0; j < c->n; j++) /* as they come: rotated by 0 */
        c->x[j] = (double)c->data->density[c->which[j] * RECON_POSE_BINS];
    if (mean_of(c->x, c->n) > mean_of(about, c->n))
        memcpy(about, c->x, c->n * sizeof *about);
}

static void measure(recon_lambda_choice *out, const comparison *c)
{
    const recon_maps_kind *kind = c->maps->kind;
    double lambda[RECON_NUMBERS_MAX];
    for (int a = 0; a < WAYS; a++)
        for (int b = 0; b < WAYS; b++)
            out->apart_median[a][b] = out->apart_p95[a][b] = NAN;
    for (int a = 1; a < WAYS; a++) {
        recon_lambda way = (recon_lambda)a;
        for (int b = 1; b < a; b++)
            if (is_there(c, way) && is_there(c, (recon_lambda)b))
                compare_pair(out, c, way, (recon_lambda)b);
        out->likelihood[a] = NAN;
        if (!is_there(c, way) || !kind->compared)
            continue;
        for (size_t j = 0; j < c->n; j++) {
            size_t i = c->which[j];
            recon_lambda_by(lambda, kind, way, c->data, c->frames, c->heads, i);
            c->x[j] = kind->group->distance(kind->group, recon_embedded_pose(c->data, i), lambda);
        }
        recon_lambda_log_densities(c->log_p[a], c->x, c->n);
        if (way == RECON_LAMBDA_DENSITY)
            count_own(c);
        out->likelihood[a] = mean_of(c->log_p[a], c->n);
    }
}

/* The standard error of the mean difference between two ways. */
static double error_between(const comparison *c, int a, int b)
{
    double squares = 0, mean = mean_of(c->log_p[a], c->n) - mean_of(c->log_p[b], c->n);
    for (size_t j = 0; j < c->n; j++) {
        double d = c->log_p[a][j] - c->log_p[b][j] - mean;
        squares += d * d;
    }
    return c->n > 1 ? sqrt(squares / (double)(c->n - 1) / (double)c->n) : INFINITY;
}

static recon_lambda best_of(const recon_lambda_choice *choice, const comparison *c)
{
    const double *likelihood = choice->likelihood;
    int best = RECON_LAMBDA_HEAD;
    if (!c->maps->kind->compared)
        return c->maps->kind->usual;
    for (int a = 1; a < WAYS; a++)
        best = likelihood[a] > likelihood[best] ? a : best;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (likelihood[best] - likelihood[order[k]] <=
            fmax(EQUAL, error_between(c, best, (int)order[k])))
            return order[k];
    return RECON_LAMBDA_HEAD;
}

recon_status recon_lambda_choose(recon_ctx *ctx, recon_lambda_choice *out, recon_lambda asked,
                                 const recon_embedded *data, const recon_frames *frames,
                                 const recon_maps *maps, const void *heads)
{
    comparison c = { .data = data, .frames = frames, .maps = maps, .heads = heads };
    recon_status status;
    *out = (recon_lambda_choice){ .likelihood = { NAN } };
    if (asked != RECON_LAMBDA_AUTO && !is_there(&c, asked))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "lambda %s: the backbone has no pose density ({recon.train()} without "
                          "{density=false})",
                          recon_lambda_name(asked));
    RECON_TRY(recon_alloc(ctx, &c.which, data->n, sizeof *c.which));
    RECON_TRY(recon_alloc(ctx, &c.x, data->n, sizeof *c.x));
    RECON_TRY(recon_alloc(ctx, &c.log_p[0], WAYS * data->n, sizeof **c.log_p));
    for (int a = 1; a < WAYS; a++)
        c.log_p[a] = c.log_p[0] + (size_t)a * data->n;
    for (size_t i = 0; i < data->n; i++)
        if (maps->held[i])
            c.which[c.n++] = i;
    out->points = c.n;
    measure(out, &c);
    out->taken = asked == RECON_LAMBDA_AUTO ? best_of(out, &c) : asked;
done:
    free(c.log_p[0]);
    free(c.x);
    free(c.which);
    return status;
}
