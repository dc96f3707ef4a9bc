/* o2.c - O(2): rotations of the plane and their mirror images. A pose is an angle and a hand, 0 or 1: mirror
 * y (diag(1, -1)) where it is 1, then rotate.
 *
 * The hand comes first: the centre is that of the angles of the hand that most poses have, by the statistics
 * of SO(2). The density is that of these angles beside a uniform background on both hands. */
#include "group/group.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/npy.h"
#include "group/mean.h"
#include "group/tail.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/group/so2_density.h>
#include <string.h>

#define LEVEL 0.05 /* of the test that both hands are as frequent */

enum { ANGLE, HAND, NUMBERS, LEAST_OF_A_HAND = 5 };

/* --- algebra ---------------------------------------------------------------------------------- */

static void put(double *out, double angle, int hand)
{
    out[ANGLE] = angle;
    out[HAND] = hand;
}

static void identity(const recon_group *self, double *out)
{
    (void)self;
    put(out, 0, 0);
}

static void compose(const recon_group *self, double *out, const double *a, const double *b)
{
    (void)self;
    put(out, recon_so2_compose(a[ANGLE], a[HAND] != 0 ? -b[ANGLE] : b[ANGLE]), a[HAND] != b[HAND]);
}

/* A mirror image is its own inverse. */
static void inverse(const recon_group *self, double *out, const double *a)
{
    (void)self;
    put(out, a[HAND] != 0 ? a[ANGLE] : recon_so2_inverse(a[ANGLE]), a[HAND] != 0);
}

static double length(const recon_group *self, const double *a)
{
    (void)self;
    return a[HAND] != 0 ? M_PI : fabs(recon_so2_wrap(a[ANGLE]));
}

static double distance(const recon_group *self, const double *a, const double *b)
{
    (void)self;
    return a[HAND] != b[HAND] ? M_PI : recon_so2_distance(a[ANGLE], b[ANGLE]);
}

static void haar(const recon_group *self, double *out, recon_rng *rng)
{
    (void)self;
    put(out, recon_so2_haar(rng), (int)recon_rng_below(rng, 2));
}

static recon_status check(recon_ctx *ctx, const recon_group *self, const double *poses, size_t n)
{
    (void)self;
    for (size_t i = 0; i < n; i++, poses += NUMBERS)
        if (!isfinite(poses[ANGLE]) || (poses[HAND] != 0 && poses[HAND] != 1))
            return recon_fail(ctx, RECON_ERR_INPUT, "row %zu is (%g, %g), not an angle and a hand",
                              i, poses[ANGLE], poses[HAND]);
    return RECON_OK;
}

/* --- files ------------------------------------------------------------------------------------ */

static recon_status read(recon_ctx *ctx, const recon_group *self, double *out, const recon_array *a,
                         size_t n, recon_quaternions order, const char *path)
{
    recon_array_text shape;
    double *m = NULL;
    recon_status status;
    if (!(a->ndim == 2 && a->shape[1] == 4) &&
        !(a->ndim == 3 && a->shape[1] == 2 && a->shape[2] == 2))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s, but poses are N x 2 x 2 or N x 4 for %s",
                          path, recon_array_show(shape, a), self->words);
    RECON_TRY(recon_group_check_order(ctx, order, a, 0, path));
    RECON_TRY(recon_alloc_raw(ctx, &m, n, 4 * sizeof *m));
    RECON_TRY(recon_group_rows(ctx, m, a, 4, n, path));
    for (size_t i = 0; i < n; i++) {
        const double *r = m + 4 * i;
        double det = r[0] * r[3] - r[1] * r[2], turn = det < 0 ? -1 : 1;
        double off =
            fmax(fabs(r[0] * r[2] + r[1] * r[3]),
                 fmax(fabs(r[0] * r[0] + r[1] * r[1] - 1), fabs(r[2] * r[2] + r[3] * r[3] - 1)));
        if (!(off <= RECON_POSE_TOLERANCE))
            RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                                 "%s: row %zu is not orthogonal: R R^T is off by %.3g", path, i,
                                 off));
        put(out + NUMBERS * i, atan2(r[2] - turn * r[1], r[0] + turn * r[3]), det < 0);
    }
done:
    recon_free_all(m);
    return status;
}

static void write(const recon_group *self, double *out, const double *poses, size_t n)
{
    (void)self;
    for (size_t i = 0; i < n; i++, poses += NUMBERS, out += 4) {
        double c = cos(poses[ANGLE]), s = sin(poses[ANGLE]), hand = poses[HAND] != 0 ? -1 : 1;
        out[0] = c, out[1] = -hand * s, out[2] = s, out[3] = hand * c;
    }
}

/* --- the centre ------------------------------------------------------------------------------- */

/* The angles of one hand. */
typedef struct {
    size_t n;
    double *angle;
    recon_so2_center center;
} hand;

static recon_status take_hand(recon_ctx *ctx, hand *out, const double *poses, size_t k, int which,
                              const recon_mean_options *options)
{
    out->n = 0;
    for (size_t i = 0; i < k; i++)
        if (poses[NUMBERS * i + HAND] == which)
            out->angle[out->n++] = poses[NUMBERS * i + ANGLE];
    out->center = (recon_so2_center){ .natural = RECON_NATURAL_UNSURE };
    return out->n ? recon_so2_mean(ctx, &out->center, out->angle, out->n, options) : RECON_OK;
}

/* The chance that a fair coin falls as unevenly. */
static double coin(size_t less, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i <= less; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) -
                   (double)n * M_LN2);
    return fmin(1, 2 * sum);
}

/* Modes of two hands; those of the first are there. */
static void add_modes(recon_center *out, const hand *h, int which, double share)
{
    for (int i = 0; i < h->center.modes && out->modes < RECON_MODES_MAX; i++, out->modes++) {
        put(out->mode[out->modes].at, h->center.mode[i].at, which);
        out->mode[out->modes].weight = share * h->center.mode[i].weight;
    }
}

/* Both hands have as clear angles: a mirror image is another natural pose, and one as frequent a symmetry.
 * Where neither hand is preferred nor any angle, nothing is; where a hand alone is, its rotations are free. */
static void judge(recon_center *out, const hand *most, const hand *less, size_t k)
{
    recon_natural a = most->center.natural, b = less->center.natural;
    int even = coin(less->n, k) > LEVEL, fold = most->center.fold;
    int alike = a == b && fold == less->center.fold;
    out->natural = RECON_NATURAL_UNSURE;
    if (less->n >= LEAST_OF_A_HAND && (a == RECON_NATURAL_ONE || a == RECON_NATURAL_MODULO) &&
        alike)
        out->natural = even ? RECON_NATURAL_MODULO : RECON_NATURAL_SEVERAL;
    else if (less->n >= LEAST_OF_A_HAND && b <= RECON_NATURAL_MODULO && a <= RECON_NATURAL_MODULO)
        out->natural = RECON_NATURAL_SEVERAL;
    else if (even)
        out->natural = a == RECON_NATURAL_NONE && alike ? RECON_NATURAL_NONE : RECON_NATURAL_UNSURE;
    else
        out->natural = a == RECON_NATURAL_NONE ? RECON_NATURAL_AXIS : a;
    if (out->natural == RECON_NATURAL_AXIS)
        out->free_count = 1, out->free[0][0] = 1;
    int both = out->natural == RECON_NATURAL_MODULO && alike && even;
    out->fold = out->natural == RECON_NATURAL_SEVERAL  ? 1
                : out->natural == RECON_NATURAL_ONE    ? 1
                : out->natural == RECON_NATURAL_MODULO ? (both ? 2 * fold : fold)
                                                       : 0;
    out->symmetry = both ? RECON_SYMMETRY_D + fold : 0;
}

static recon_status center_one(recon_ctx *ctx, recon_center *out, double *scratch,
                               const double *poses, size_t k, const recon_mean_options *options)
{
    hand hands[2] = { { .angle = scratch }, { .angle = scratch + k } };
    for (int h = 0; h < 2; h++)
        RECON_CHECK(take_hand(ctx, &hands[h], poses, k, h, options));
    int first = hands[1].n > hands[0].n && coin(hands[0].n, k) <= LEVEL;
    const hand *most = &hands[first], *less = &hands[!first];
    *out = (recon_center){ .modes = 0 };
    judge(out, most, less, k);
    put(out->mean, most->center.mean, first);
    int both = out->natural == RECON_NATURAL_SEVERAL || out->symmetry;
    both = both && less->n >= LEAST_OF_A_HAND;
    add_modes(out, most, first, both ? (double)most->n / (double)k : 1);
    if (both)
        add_modes(out, less, !first, (double)less->n / (double)k);
    out->identifiability[0] = fabs(2.0 * (double)most->n / (double)k - 1);
    memcpy(out->identifiability + 1, most->center.moment, sizeof most->center.moment);
    return RECON_OK;
}

static recon_status center(recon_ctx *ctx, const recon_group *self, recon_center *out, void *fits,
                           const double *poses, size_t sets, size_t k,
                           const recon_mean_options *options)
{
    double *scratch = NULL;
    recon_status status;
    (void)self, (void)fits;
    RECON_TRY(recon_alloc_raw(ctx, &scratch, 2 * k, sizeof *scratch));
    for (size_t s = 0; s < sets; s++)
        RECON_TRY(center_one(ctx, &out[s], scratch, poses + s * k * NUMBERS, k, options));
done:
    recon_free_all(scratch);
    return status;
}

/* --- the density ------------------------------------------------------------------------------ */

/* A background b shows itself as b / 2 of the other hand, and as the background of the own one. */
static recon_status fit_sets(recon_ctx *ctx, const recon_group *self, void *fits,
                             const double *poses, size_t sets, size_t k, int family)
{
    recon_so2_density *out = fits;
    double *scratch = NULL;
    recon_status status;
    (void)self, (void)family;
    RECON_TRY(recon_alloc_raw(ctx, &scratch, k, sizeof *scratch));
    for (size_t s = 0; s < sets; s++) {
        hand own = { .angle = scratch };
        for (size_t i = s * k; i < (s + 1) * k; i++)
            if (poses[NUMBERS * i + HAND] == 0)
                own.angle[own.n++] = poses[NUMBERS * i + ANGLE];
        if (own.n == 0)
            own.angle[own.n++] = 0;
        RECON_TRY(recon_so2_fit_batch(ctx, &out[s], own.angle, 1, own.n, RECON_SO2_NORMAL, NULL));
        double other = fmax(0, 1 - (double)own.n / (double)k);
        out[s].background = fmin(1, other + (1 - other) * out[s].background);
    }
done:
    recon_free_all(scratch);
    return status;
}

static double background(const recon_group *self, const void *fit)
{
    (void)self;
    return ((const recon_so2_density *)fit)->background;
}

/* With respect to d angle on each hand. */
static double score(const recon_group *self, const void *fit, double b, const double *pose)
{
    recon_so2_density one = *(const recon_so2_density *)fit;
    one.background = 0;
    double p = pose[HAND] == 0 ? exp(recon_so2_log_density(&one, pose[ANGLE])) : 0;
    return -log((1 - b) * p + b * exp(-self->uniform));
}

static double tail(const recon_group *self, const void *fit, double b, const double *pose)
{
    recon_so2_density one = *(const recon_so2_density *)fit;
    (void)self;
    if (pose[HAND] != 0)
        return b / 2;
    one.background = 0;
    double own = recon_so2_tail(&one, pose[ANGLE]);
    return (1 - b) * own + b * (0.5 + (1 - fabs(pose[ANGLE]) / M_PI) / 2);
}

static void parameters(const recon_group *self, double *out, const void *fit)
{
    (void)self;
    *out = ((const recon_so2_density *)fit)->width;
}

static double width(const recon_group *self, const void *fit)
{
    double sigma;
    parameters(self, &sigma, fit);
    return sigma;
}

static const recon_family families[] = { { "normal", { 0 } } };

const recon_group recon_group_o2 = {
    .name = "o2",
    .words = "O(2)",
    .meaning = "the rotations of a picture and of its mirror image",
    .column = "angle_hand",
    .numbers = NUMBERS,
    .dimension = 1,
    .directions = "r",
    .identity = identity,
    .compose = compose,
    .inverse = inverse,
    .length = length,
    .distance = distance,
    .haar = haar,
    .check = check,
    .shape = { 2, 2 },
    .read = read,
    .write = write,
    .identifiability =
        5, /* how uneven the hands are; |E exp(i m angle)| of the own one, m = 1 .. 4 */
    .uniform = 2.53102424696929079, /* log 4 pi */
    .families = families,
    .family_count = 1,
    .fit_size = sizeof(recon_so2_density),
    .center = center,
    .fit = fit_sets,
    .background = background,
    .score = score,
    .tail = tail,
    .parameters = parameters,
    .width = width,
};
