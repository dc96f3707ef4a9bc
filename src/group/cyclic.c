/* cyclic.c - C_n: rotations by multiples of 360 / n degrees, counted 0 .. n - 1.
 *
 * The group is finite, so that the centre of a set is its most frequent element. The density is a
 * mass at the centre beside a uniform background. */
#include "group/group.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

#define EVIDENCE 5.0 /* nats that a mode must gain over an even spread, beside the choice of n  */
#define ENOUGH   10  /* poses for each element, after which an even spread is no lack of poses */

typedef struct {
    double background;
} fit;

static void identity(const recon_group *self, double *out)
{
    (void)self;
    *out = 0;
}

static void compose(const recon_group *self, double *out, const double *a, const double *b)
{
    *out = fmod(*a + *b, (double)self->n);
}

static void inverse(const recon_group *self, double *out, const double *a)
{
    *out = fmod((double)self->n - *a, (double)self->n);
}

static double length(const recon_group *self, const double *a)
{
    double n = (double)self->n;
    return 2 * M_PI / n * fmin(*a, n - *a);
}

static double distance(const recon_group *self, const double *a, const double *b)
{
    double apart = fabs(*a - *b);
    return length(self, &apart);
}

static void haar(const recon_group *self, double *out, recon_rng *rng)
{
    *out = (double)recon_rng_below(rng, self->n);
}

static recon_status check(recon_ctx *ctx, const recon_group *self, const double *poses, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(poses[i] >= 0 && poses[i] < (double)self->n && poses[i] == floor(poses[i])))
            return recon_fail(ctx, RECON_ERR_INPUT, "pose %zu is %g, not one of 0 .. %zu", i,
                              poses[i], self->n - 1);
    return RECON_OK;
}

/* Nats that a mass of `count` of k at one of n elements gains over an even spread. */
static double gain(double count, double k, double n)
{
    double share = count / k, rest = 1 - share;
    double beside = rest > 0 && n > 1 ? rest * log(rest * n / (n - 1)) : 0;
    return share * n > 1 ? k * (share * log(share * n) + beside) - log(n) : 0;
}

/* The element with most of the counts, of several the one nearest the identity. */
static size_t most_frequent(const recon_group *self, const double *count)
{
    size_t best = 0;
    for (size_t e = 1; e < self->n; e++)
        if (count[e] > count[best] ||
            (count[e] == count[best] &&
             length(self, &(double){ (double)e }) < length(self, &(double){ (double)best })))
            best = e;
    return best;
}

/* Modes are taken off one by one, as long as what is left is not spread evenly. */
static void find_center(recon_center *out, const recon_group *self, double *count, size_t k)
{
    double left = (double)k;
    size_t n = self->n;
    *out = (recon_center){ .modes = 0 };
    while (out->modes < RECON_MODES_MAX && left > 0) {
        size_t best = most_frequent(self, count), elements = n - (size_t)out->modes;
        if (out->modes && gain(count[best], left, (double)elements) < EVIDENCE)
            break;
        if (!out->modes) {
            int even = gain(count[best], left, (double)n) < EVIDENCE;
            out->natural = !even             ? RECON_NATURAL_ONE
                           : k >= ENOUGH * n ? RECON_NATURAL_NONE
                                             : RECON_NATURAL_UNSURE;
            out->mean[0] = (double)best;
            out->identifiability[0] =
                n > 1 ? (count[best] / left * (double)n - 1) / (double)(n - 1) : 1;
        }
        out->mode[out->modes].at[0] = (double)best;
        out->mode[out->modes++].weight = count[best];
        left -= count[best];
        count[best] = 0;
        if (out->natural != RECON_NATURAL_ONE)
            break;
    }
    if (out->modes > 1)
        out->natural = RECON_NATURAL_SEVERAL;
    for (int i = 0; i < out->modes; i++)
        out->mode[i].weight /= (double)k - left;
    out->fold = out->natural == RECON_NATURAL_ONE || out->natural == RECON_NATURAL_SEVERAL;
}

static recon_status center(recon_ctx *ctx, const recon_group *self, recon_center *out, void *fits,
                           const double *poses, size_t sets, size_t k,
                           const recon_mean_options *options)
{
    double *count = NULL;
    (void)fits, (void)options;
    for (size_t s = 0; s < sets; s++) {
        RECON_CHECK(recon_alloc(ctx, &count, self->n, sizeof *count));
        for (size_t i = 0; i < k; i++)
            count[(size_t)poses[s * k + i]]++;
        find_center(&out[s], self, count, k);
        free(count);
    }
    return RECON_OK;
}

/* Of a background b the share (n - 1) / n is not at the centre. */
static recon_status fit_sets(recon_ctx *ctx, const recon_group *self, void *fits,
                             const double *poses, size_t sets, size_t k, int family)
{
    fit *out = fits;
    double n = (double)self->n;
    (void)ctx, (void)family;
    for (size_t s = 0; s < sets; s++) {
        double off = 0;
        for (size_t i = 0; i < k; i++)
            off += poses[s * k + i] != 0;
        out[s].background = fmin(1, off / (double)k * n / (n - 1));
    }
    return RECON_OK;
}

static double background(const recon_group *self, const void *of)
{
    (void)self;
    return ((const fit *)of)->background;
}

/* Of the uniform density, 1, the centre has n times as much at its mass. */
static double score(const recon_group *self, const void *of, double b, const double *pose)
{
    (void)of;
    return -log(b + (*pose == 0 ? (1 - b) * (double)self->n : 0));
}

static double tail(const recon_group *self, const void *of, double b, const double *pose)
{
    (void)of;
    return *pose == 0 ? 1 : b * (1 - 1 / (double)self->n);
}

static void parameters(const recon_group *self, double *out, const void *of)
{
    *out = background(self, of);
}

static const recon_family families[] = { { "mass", { 0 } } };

const recon_group recon_group_cyclic = {
    .meaning = "the rotations by multiples of an angle",
    .column = "element",
    .numbers = 1,
    .identity = identity,
    .compose = compose,
    .inverse = inverse,
    .length = length,
    .distance = distance,
    .haar = haar,
    .check = check,
    .identifiability = 1, /* 1 for copies of one element, 0 for an even spread */
    .families = families,
    .family_count = 1,
    .fit_size = sizeof(fit),
    .center = center,
    .fit = fit_sets,
    .background = background,
    .score = score,
    .tail = tail,
    .parameters = parameters,
};
