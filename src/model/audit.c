/* audit.c - see audit.h. */
#include <recon/model/audit.h>
#include "backbone/pose_density.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "group/group.h"
#include "model/model.h"
#include "stats/fdr.h"

#include <math.h>
#include <recon/core/rng.h>
#include <recon/knn/knn.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEIGHBOURS = 25, /* at most; of few inputs a share of these */
    SHARE = 10,
    LEAST_NEIGHBOURS = RECON_AUDIT_FEW - 2,
    ORBIT = RECON_POSE_BINS, /* rotations of an input; the first is none */
    EVIDENCE = 4,
    FITTED = 4000, /* inputs that are enough for the weights */
    ROUNDS = 2,
    PEAK = 3, /* rotations on either side of the likeliest */
    PASSES = 12,
    TURNS = 50,
    SEED = 1
};
#define LOWEST  (-12.0) /* a log density counts as at least that */
#define WIDTH   0.5     /* of the kernel, radians */
#define STRAY   0.003   /* share of neighbours that may be anywhere */
#define DOUBT   0.03    /* share of inputs that the weights need not explain */
#define RIDGE   1e-3
#define TINY    1e-9
#define MOST    2.0  /* of a weight */
#define SURE    0.5  /* of the odds: networks are too sure */
#define SEVERAL 0.25 /* share of neighbours in other poses that makes a kind mixed */

typedef struct {
    recon_audited *out;
    const recon_embedded *e;
    const recon_group *g;
    size_t n, k;
    int64_t *near;                             /* [n][k] */
    double rotation[ORBIT][RECON_NUMBERS_MAX]; /* of the orbit */
    double flat;                               /* mean of the kernel over the orbit */
    double *centre;                            /* [n] of the densities */
    double *right;                             /* [n] probability that it stands right */
    float *evidence;                           /* [n][EVIDENCE][ORBIT] */
    float *score;                              /* [n][ORBIT] of each rotation */
    double weight[EVIDENCE];
} audit;

/* --- evidence --------------------------------------------------------------------------------- */

static double kernel(double distance)
{
    return exp((cos(distance) - 1) / (WIDTH * WIDTH));
}

/* The rotations of the bins of a density, else random ones. */
static void make_orbit(audit *a)
{
    recon_rng rng = recon_rng_new(SEED, 0);
    a->g->identity(a->g, a->rotation[0]);
    for (int r = 1; r < ORBIT; r++)
        if (a->e->density)
            a->rotation[r][0] = 2 * M_PI * r / ORBIT;
        else
            a->g->haar(a->g, a->rotation[r], &rng);
    for (int r = 0; r < ORBIT; r++)
        a->flat += kernel(a->g->length(a->g, a->rotation[r])) / ORBIT;
}

/* Where the neighbours stand, seen from each rotation of input i. */
static void by_neighbours(float *out, const audit *a, size_t i, const double *poses)
{
    size_t numbers = a->g->numbers;
    for (int r = 0; r < ORBIT; r++) {
        double pose[RECON_NUMBERS_MAX], sum = 0, all = TINY;
        a->g->compose(a->g, pose, a->rotation[r], poses + i * numbers);
        for (size_t j = 0; j < a->k; j++) {
            size_t other = (size_t)a->near[i * a->k + j];
            sum += a->right[other] * kernel(a->g->distance(a->g, pose, poses + other * numbers));
            all += a->right[other];
        }
        out[r] = (float)log((1 - STRAY) * sum / all / a->flat + STRAY);
    }
}

static double log_density(const audit *a, size_t i, int bin)
{
    return fmax((double)a->e->density[i * ORBIT + (size_t)bin], LOWEST);
}

/* Input i rotated by r is upright if it was rotated by -r as given. */
static void by_density(float *own, float *both, const audit *a, size_t i)
{
    double mean[ORBIT] = { 0 }, p[ORBIT], all = TINY, sum = 0, mass = 0;
    for (size_t j = 0; j < a->k; j++)
        all += a->right[a->near[i * a->k + j]];
    for (size_t j = 0; j < a->k; j++)
        for (int b = 0; b < ORBIT; b++) {
            size_t other = (size_t)a->near[i * a->k + j];
            mean[b] += a->right[other] * log_density(a, other, b) / all;
        }
    for (int b = 0; b < ORBIT; b++) {
        sum += mean[b] = exp(mean[b]);
        mass += p[b] = exp((double)a->e->density[i * ORBIT + (size_t)b]);
    }
    for (int r = 0; r < ORBIT; r++) {
        double overlap = 0;
        for (int b = 0; b < ORBIT; b++)
            overlap += mean[b] * p[(b - r + ORBIT) % ORBIT];
        own[r] = (float)log_density(a, i, (ORBIT - r) % ORBIT);
        both[r] = (float)log(fmax(ORBIT * overlap / (sum * mass), TINY));
    }
}

static recon_status find_evidence(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    audit *a = arg;
    float *to = a->evidence + i * EVIDENCE * ORBIT;
    (void)ctx;
    (void)worker;
    memset(to, 0, EVIDENCE * ORBIT * sizeof *to);
    if (a->e->density) {
        by_density(to, to + ORBIT, a, i);
        by_neighbours(to + 2 * ORBIT, a, i, a->centre);
    }
    by_neighbours(to + 3 * ORBIT, a, i, a->e->poses);
    return RECON_OK;
}

/* --- weights ---------------------------------------------------------------------------------- */

/* Probabilities of the rotations. */
static void posterior(double p[ORBIT], const audit *a, size_t i)
{
    const float *of = a->evidence + i * EVIDENCE * ORBIT;
    double most = -INFINITY, sum = 0;
    for (int r = 0; r < ORBIT; r++) {
        p[r] = 0;
        for (int v = 0; v < EVIDENCE; v++)
            p[r] += a->weight[v] * (double)of[v * ORBIT + r];
        most = fmax(most, p[r]);
    }
    for (int r = 0; r < ORBIT; r++)
        sum += p[r] = exp(p[r] - most);
    for (int r = 0; r < ORBIT; r++)
        p[r] /= sum;
}

typedef struct {
    double slope[EVIDENCE], curve[EVIDENCE][EVIDENCE];
} quadratic;

/* The log-likelihood of the given pose of input i, to second order in the weights. */
static void add_input(quadratic *q, const audit *a, size_t i)
{
    const float *of = a->evidence + i * EVIDENCE * ORBIT;
    double p[ORBIT], mean[EVIDENCE] = { 0 }, square[EVIDENCE][EVIDENCE] = { { 0 } };
    posterior(p, a, i);
    double known = (1 - DOUBT) * p[0], trust = a->right[i] * known / (known + DOUBT / ORBIT);
    for (int r = 0; r < ORBIT; r++)
        for (int v = 0; v < EVIDENCE; v++) {
            double x = p[r] * (double)of[v * ORBIT + r];
            mean[v] += x;
            for (int u = 0; u < EVIDENCE; u++)
                square[v][u] += x * (double)of[u * ORBIT + r];
        }
    for (int v = 0; v < EVIDENCE; v++) {
        q->slope[v] += trust * ((double)of[v * ORBIT] - mean[v]);
        for (int u = 0; u < EVIDENCE; u++)
            q->curve[v][u] += trust * (square[v][u] - mean[v] * mean[u]);
    }
}

/* The maximum of the quadratic over weights from 0 to MOST, one weight at a time. */
static void climb(double weight[EVIDENCE], const quadratic *q, double ridge)
{
    double step[EVIDENCE] = { 0 };
    for (int turn = 0; turn < TURNS * EVIDENCE; turn++) {
        int v = turn % EVIDENCE;
        double slope = q->slope[v] - ridge * (weight[v] + step[v]);
        for (int u = 0; u < EVIDENCE; u++)
            slope -= q->curve[v][u] * step[u];
        step[v] += slope / (q->curve[v][v] + ridge);
        step[v] = fmin(fmax(step[v], -weight[v]), MOST - weight[v]);
    }
    for (int v = 0; v < EVIDENCE; v++)
        weight[v] += step[v];
}

static void find_weights(audit *a)
{
    size_t every = (a->n + FITTED - 1) / FITTED;
    for (int v = 0; v < EVIDENCE; v++)
        a->weight[v] = 0.5;
    for (int pass = 0; pass < PASSES; pass++) {
        quadratic q = { .slope = { 0 } };
        for (size_t i = 0; i < a->n; i += every)
            add_input(&q, a, i);
        climb(a->weight, &q, RIDGE * (double)(a->n / every));
    }
}

static recon_status find_score(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    audit *a = arg;
    double p[ORBIT];
    (void)ctx;
    (void)worker;
    posterior(p, a, i);
    for (int r = 0; r < ORBIT; r++)
        a->score[i * ORBIT + (size_t)r] = (float)-log(fmax(ORBIT * p[r], 1e-300));
    return RECON_OK;
}

/* --- the answer ------------------------------------------------------------------------------- */

/* The mean direction of the posterior near its peak; else to the pose that most neighbours are near. */
static void find_rotation(const audit *a, size_t i)
{
    const size_t numbers = a->g->numbers;
    const int64_t *near = a->near + i * a->k;
    double p[ORBIT], x = 0, y = 0, most = -1, inverse[RECON_NUMBERS_MAX];
    int best = 0;
    posterior(p, a, i);
    for (int r = 1; r < ORBIT; r++)
        best = p[r] > p[best] ? r : best;
    for (int j = -PEAK; j <= PEAK; j++) {
        int r = (best + j + ORBIT) % ORBIT;
        x += p[r] * cos(a->rotation[r][0]);
        y += p[r] * sin(a->rotation[r][0]);
    }
    if (a->e->density) {
        a->out[i].rotation[0] = atan2(y, x);
        return;
    }
    a->g->inverse(a->g, inverse, a->e->poses + i * numbers);
    for (size_t j = 0; j < a->k; j++) {
        const double *pose = a->e->poses + (size_t)near[j] * numbers;
        double sum = 0;
        for (size_t l = 0; l < a->k; l++)
            sum += a->right[near[l]] *
                   kernel(a->g->distance(a->g, pose, a->e->poses + (size_t)near[l] * numbers));
        if (sum > most) {
            most = sum;
            a->g->compose(a->g, a->out[i].rotation, pose, inverse);
        }
    }
}

static int is_mixed(const audit *a, size_t i)
{
    size_t others = 0;
    for (size_t j = 0; j < a->k; j++)
        others += a->score[(size_t)a->near[i * a->k + j] * ORBIT] > 0;
    return (double)others > SEVERAL * (double)a->k;
}

static recon_status find_all(recon_ctx *ctx, audit *a)
{
    recon_status status = RECON_OK;
    for (int round = 0; status == RECON_OK && round < ROUNDS; round++) {
        status = recon_parallel(ctx, find_evidence, a, a->n);
        if (status == RECON_OK)
            find_weights(a);
        if (status == RECON_OK)
            status = recon_parallel(ctx, find_score, a, a->n);
        for (size_t i = 0; status == RECON_OK && i < a->n; i++)
            a->right[i] = 1 / (1 + DOUBT * exp((double)a->score[i * ORBIT]));
    }
    return status;
}

static recon_status judge(recon_ctx *ctx, audit *a, recon_audit_result *result, double rate)
{
    double *score = NULL, *p = NULL, right = TINY;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &score, a->n, sizeof *score));
    RECON_TRY(recon_alloc_raw(ctx, &p, a->n, sizeof *p));
    RECON_TRY(find_all(ctx, a));
    for (size_t i = 0; i < a->n; i++) {
        score[i] = SURE * (double)a->score[i * ORBIT];
        result->known -= a->right[i] * (double)a->score[i * ORBIT];
        right += a->right[i];
    }
    result->known /= right;
    RECON_TRY(recon_fdr_p_values(ctx, p, &result->threshold, &result->fall, score, a->n, rate));
    if (result->known < RECON_AUDIT_KNOWN)
        result->threshold = 0;
    for (size_t i = 0; i < a->n; i++) {
        recon_audited *o = &a->out[i];
        *o = (recon_audited){ .score = (double)a->score[i * ORBIT],
                              .p = p[i],
                              .wrong = p[i] <= result->threshold,
                              .mixed = is_mixed(a, i) };
        find_rotation(a, i);
        result->wrong += (size_t)o->wrong;
        result->mixed += (size_t)o->mixed;
    }
done:
    recon_free_all(score, p);
    return status;
}

static recon_status check(recon_ctx *ctx, size_t n)
{
    return n >= RECON_AUDIT_FEW ? RECON_OK
                                : recon_fail(ctx, RECON_ERR_INPUT,
                                             "%zu inputs: an audit compares inputs, and needs %d",
                                             n, RECON_AUDIT_FEW);
}

recon_status recon_audit_embedded(recon_ctx *ctx, recon_audited *out, recon_audit_result *result,
                                  const recon_embedded *e, double rate)
{
    size_t n = e->n;
    audit a = { .out = out, .e = e, .g = e->group, .n = n };
    recon_status status;
    *result = (recon_audit_result){ 0 };
    RECON_CHECK(check(ctx, n));
    a.k = n / SHARE < NEIGHBOURS ? n / SHARE : NEIGHBOURS;
    a.k = a.k > LEAST_NEIGHBOURS ? a.k : LEAST_NEIGHBOURS;
    RECON_TRY(recon_alloc_raw(ctx, &a.near, n, a.k * sizeof *a.near));
    RECON_TRY(recon_alloc(ctx, &a.centre, n, e->group->numbers * sizeof *a.centre));
    RECON_TRY(recon_alloc_raw(ctx, &a.right, n, sizeof *a.right));
    RECON_TRY(recon_alloc_raw(ctx, &a.evidence, n, EVIDENCE * ORBIT * sizeof *a.evidence));
    RECON_TRY(recon_alloc_raw(ctx, &a.score, n, ORBIT * sizeof *a.score));
    RECON_TRY(recon_knn_self(ctx, a.near, NULL, e->z, n, e->d, &(recon_knn_options){ .k = a.k }));
    make_orbit(&a);
    for (size_t i = 0; i < n; i++) {
        a.right[i] = 1;
        if (e->density)
            a.centre[i] = recon_pose_centre(e->density + i * ORBIT);
    }
    RECON_TRY(judge(ctx, &a, result, rate));
done:
    recon_free_all(a.near, a.centre, a.right, a.evidence, a.score);
    return status;
}

recon_status recon_audit(recon_ctx *ctx, recon_audited *out, recon_audit_result *result,
                         const recon_model *model, const recon_data *data, double rate)
{
    recon_embedded e = { 0 };
    recon_status status;
    RECON_TRY(check(ctx, recon_data_describe(data).n));
    RECON_TRY(recon_backbone_embed(ctx, &e, model->backbone, data));
    RECON_TRY(recon_audit_embedded(ctx, out, result, &e, rate));
done:
    recon_embedded_free(&e);
    return status;
}
