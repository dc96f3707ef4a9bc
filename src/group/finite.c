/* finite.c - see finite.h.
 *
 * The centre of a set is its most frequent element, and the verdict compares the marginal likelihoods of
 * hypotheses about where its poses are, with a uniform prior of each weight: one element, several, a coset
 * of a subgroup in equal parts, each beside a uniform background, and all elements alike. For poses that are
 * spread evenly the expected ratio of a hypothesis to that is 1, so that the chance that it is RATIO is at most
 * 1 / RATIO (Markov). The density is a mass at the centre beside the background. */
#include "group/finite.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/tie.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RATIO  20.0 /* a verdict is this many times as likely as each other one  */
#define ENOUGH 10   /* poses for each element, after which an even spread is no lack of poses */
#define CLEAR  0.6  /* share of one element above which no subgroup is looked for */

void recon_finite_identity(const recon_group *self, double *out)
{
    (void)self;
    *out = 0;
}

double recon_finite_distance(const recon_group *self, const double *a, const double *b)
{
    double apart;
    self->inverse(self, &apart, b);
    self->compose(self, &apart, a, &apart);
    return self->length(self, &apart);
}

void recon_finite_haar(const recon_group *self, double *out, recon_rng *rng)
{
    *out = (double)recon_rng_below(rng, self->elements);
}

recon_status recon_finite_check(recon_ctx *ctx, const recon_group *self, const double *poses,
                                size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(poses[i] >= 0 && poses[i] < (double)self->elements && poses[i] == floor(poses[i])))
            return recon_fail(ctx, RECON_ERR_INPUT, "row %zu is %g, not one of 0 .. %zu", i,
                              poses[i], self->elements - 1);
    return RECON_OK;
}

/* --- the verdict ------------------------------------------------------------------------------ */

typedef struct {
    const recon_group *group;
    const double *count; /* [elements] */
    size_t k;
    size_t *order; /* elements that occur, most frequent first, then nearest the identity */
    size_t used;
} tally;

/* A hypothesis, and what it takes as the modes. */
typedef struct {
    recon_natural natural;
    double log_evidence;
    size_t modes;
    size_t mode[RECON_MODES_MAX];
    int fold, symmetry;
} hypothesis;

/* log of B(in + 1, out + 1), and of a spread of n poses over m elements. */
static double log_beta(double in, double out)
{
    return lgamma(in + 1) + lgamma(out + 1) - lgamma(in + out + 2);
}

static double log_spread(double n, double m)
{
    return n > 0 ? -n * log(m) : 0;
}

static double log_choose(double n, double m)
{
    return lgamma(n + 1) - lgamma(m + 1) - lgamma(n - m + 1);
}

/* The most frequent elements with weights of their own; the background has one, too. */
static hypothesis elements(const tally *t, size_t modes)
{
    hypothesis h = { .natural = modes > 1 ? RECON_NATURAL_SEVERAL : RECON_NATURAL_ONE,
                     .modes = modes,
                     .fold = 1 };
    double n = (double)t->group->elements, m = (double)modes, out = (double)t->k;
    h.log_evidence = lgamma(m + 1) - lgamma((double)t->k + m + 1) - log_choose(n, m);
    for (size_t i = 0; i < modes; i++) {
        h.mode[i] = t->order[i];
        h.log_evidence += lgamma(t->count[t->order[i]] + 1);
        out -= t->count[t->order[i]];
    }
    h.log_evidence += lgamma(out + 1) + log_spread(out, n - m);
    return h;
}

/* The coset of a subgroup that holds most poses; of `subgroups`. */
static hypothesis coset(const tally *t, const recon_subgroup *of, size_t subgroups)
{
    const recon_group *g = t->group;
    double n = (double)g->elements, m = (double)of->n, most = 0;
    size_t best = 0;
    for (size_t i = 0; i < t->used; i++) {
        double sum = 0, at;
        for (size_t j = 0; j < of->n; j++) {
            g->compose(g, &at, &of->element[j], &(double){ (double)t->order[i] });
            sum += t->count[(size_t)at];
        }
        if (sum > most)
            most = sum, best = t->order[i];
    }
    hypothesis h = { .natural = RECON_NATURAL_MODULO, .fold = (int)of->n, .symmetry = of->code };
    double out = (double)t->k - most;
    h.log_evidence = log_beta(most, out) + log_spread(most, m) + log_spread(out, n - m) -
                     log(n / m) - log((double)subgroups);
    h.modes = of->n < RECON_MODES_MAX ? of->n : RECON_MODES_MAX;
    for (size_t j = 0; j < h.modes; j++) {
        double at;
        g->compose(g, &at, &of->element[j], &(double){ (double)best });
        h.mode[j] = (size_t)at;
    }
    return h;
}

/* Keeps the best hypothesis of each verdict. */
static void propose(hypothesis best[RECON_NATURAL_KINDS], hypothesis h)
{
    if (h.log_evidence > best[h.natural].log_evidence)
        best[h.natural] = h;
}

static void propose_cosets(hypothesis best[RECON_NATURAL_KINDS], const tally *t)
{
    const recon_finite *finite = t->group->user;
    recon_subgroup of;
    size_t subgroups = 0;
    if (t->count[t->order[0]] > CLEAR * (double)t->k)
        return;
    while (finite->list(&of, t->group, subgroups))
        subgroups++;
    for (size_t i = 0; i < subgroups && finite->list(&of, t->group, i); i++)
        propose(best, coset(t, &of, subgroups));
}

static hypothesis decide(const tally *t)
{
    hypothesis best[RECON_NATURAL_KINDS];
    recon_natural first = RECON_NATURAL_NONE;
    double n = (double)t->group->elements, second = -INFINITY;
    for (int i = 0; i < RECON_NATURAL_KINDS; i++)
        best[i] = (hypothesis){ .log_evidence = -INFINITY };
    propose(best, (hypothesis){ .natural = RECON_NATURAL_NONE,
                                .log_evidence = log_spread((double)t->k, n) });
    for (size_t m = 1; m <= t->used && m < t->group->elements && m <= RECON_MODES_MAX; m++)
        propose(best, elements(t, m));
    propose_cosets(best, t);
    /* Of one element, or of equal parts, several are an extension, which has to be clearly better. */
    if (best[RECON_NATURAL_SEVERAL].log_evidence <
        log(RATIO) +
            fmax(best[RECON_NATURAL_ONE].log_evidence, best[RECON_NATURAL_MODULO].log_evidence))
        best[RECON_NATURAL_SEVERAL].log_evidence = -INFINITY;
    for (int i = 0; i < RECON_NATURAL_KINDS; i++)
        first = best[i].log_evidence > best[first].log_evidence ? (recon_natural)i : first;
    for (int i = 0; i < RECON_NATURAL_KINDS; i++)
        second = i != (int)first ? fmax(second, best[i].log_evidence) : second;
    hypothesis h = best[first];
    int clear = first == RECON_NATURAL_NONE ? t->k >= ENOUGH * t->group->elements
                                            : h.log_evidence > second + log(RATIO);
    if (!clear || first == RECON_NATURAL_NONE) {
        h = elements(t, 1);
        h.natural = clear ? RECON_NATURAL_NONE : RECON_NATURAL_UNSURE;
        h.fold = 0;
    }
    return h;
}

/* Of equally heavy modes the nearest to the identity is the centre, as on the other groups. */
static void report(recon_center *out, const tally *t, const hypothesis *h)
{
    const recon_group *g = t->group;
    double n = (double)g->elements, most = t->count[t->order[0]], sum = 0;
    size_t at = h->mode[0];
    *out = (recon_center){
        .natural = h->natural, .fold = h->fold, .symmetry = h->symmetry, .modes = (int)h->modes
    };
    for (size_t i = 0; i < h->modes; i++)
        sum += t->count[h->mode[i]];
    for (size_t i = 0; i < h->modes; i++) {
        double e = (double)h->mode[i], now = (double)at, count = t->count[h->mode[i]];
        out->mode[i].at[0] = e;
        out->mode[i].weight = h->fold > 1 ? 1.0 / h->fold : count / sum;
        if ((h->fold > 1 || recon_masses_tie(count, t->count[h->mode[0]])) &&
            g->length(g, &e) < g->length(g, &now))
            at = h->mode[i];
    }
    out->mean[0] = (double)at;
    out->identifiability[0] = (most / (double)t->k * n - 1) / (n - 1);
}

static void count_poses(tally *t, double *count, const double *poses)
{
    const recon_group *g = t->group;
    memset(count, 0, g->elements * sizeof *count);
    for (size_t i = 0; i < t->k; i++)
        count[(size_t)poses[i]]++;
    t->used = 0;
    for (size_t e = 0; e < g->elements; e++) {
        size_t i = t->used;
        if (count[e] == 0)
            continue;
        double length = g->length(g, &(double){ (double)e });
        for (; i > 0; i--) {
            size_t before = t->order[i - 1];
            if (count[before] > count[e] ||
                (count[before] == count[e] && g->length(g, &(double){ (double)before }) <= length))
                break;
            t->order[i] = before;
        }
        t->order[i] = e;
        t->used++;
    }
}

recon_status recon_finite_center(recon_ctx *ctx, const recon_group *self, recon_center *out,
                                 void *fits, const double *poses, size_t sets, size_t k,
                                 const recon_mean_options *options)
{
    double *count = NULL;
    tally t = { .group = self, .k = k };
    recon_status status;
    (void)fits, (void)options;
    RECON_TRY(recon_alloc_raw(ctx, &count, self->elements, sizeof *count));
    RECON_TRY(recon_alloc_raw(ctx, &t.order, self->elements, sizeof *t.order));
    t.count = count;
    for (size_t s = 0; s < sets; s++) {
        count_poses(&t, count, poses + s * k);
        hypothesis h = decide(&t);
        report(&out[s], &t, &h);
    }
done:
    recon_free_all(count, t.order);
    return status;
}

/* --- the density, whose fit is the weight of the background ------------------------------------ */

/* Of a background b the share (n - 1) / n is not at the centre. */
recon_status recon_finite_fit(recon_ctx *ctx, const recon_group *self, void *fits,
                              const double *poses, size_t sets, size_t k, int family)
{
    double *out = fits, n = (double)self->elements;
    (void)ctx, (void)family;
    for (size_t s = 0; s < sets; s++) {
        double off = 0;
        for (size_t i = 0; i < k; i++)
            off += poses[s * k + i] != 0;
        out[s] = fmin(1, off / (double)k * n / (n - 1));
    }
    return RECON_OK;
}

double recon_finite_background(const recon_group *self, const void *fit)
{
    (void)self;
    return *(const double *)fit;
}

/* Of the uniform density, 1, the centre has n times as much at its mass. */
double recon_finite_score(const recon_group *self, const void *fit, double b, const double *pose)
{
    (void)fit;
    return -log(b + (*pose == 0 ? (1 - b) * (double)self->elements : 0));
}

double recon_finite_tail(const recon_group *self, const void *fit, double b, const double *pose)
{
    (void)fit;
    return *pose == 0 ? 1 : b * (1 - 1 / (double)self->elements);
}

void recon_finite_parameters(const recon_group *self, double *out, const void *fit)
{
    *out = recon_finite_background(self, fit);
}

const recon_family recon_finite_families[1] = { { "mass", { 0 } } };
