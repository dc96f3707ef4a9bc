/* torus.c - T^n: n angles that rotate independently.
 *
 * Each circle has a centre and a verdict of its own, as on SO(2). The density is a product of wrapped
 * normals beside one uniform background. */
#include "group/group.h"
#include "core/npy.h"
#include "core/fail.h"
#include "core/memory.h"
#include "group/mean.h"
#include "group/normal.h"
#include "group/so2/mean.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/group/so2_density.h>
#include <string.h>

typedef struct {
    double sigma[RECON_NUMBERS_MAX];
    double background;
} fit;

static void identity(const recon_group *self, double *out)
{
    memset(out, 0, self->n * sizeof *out);
}

static void compose(const recon_group *self, double *out, const double *a, const double *b)
{
    for (size_t j = 0; j < self->n; j++)
        out[j] = recon_so2_compose(a[j], b[j]);
}

static void inverse(const recon_group *self, double *out, const double *a)
{
    for (size_t j = 0; j < self->n; j++)
        out[j] = recon_so2_inverse(a[j]);
}

static double distance(const recon_group *self, const double *a, const double *b)
{
    double sum = 0;
    for (size_t j = 0; j < self->n; j++)
        sum += pow(recon_so2_distance(a[j], b[j]), 2);
    return sqrt(sum);
}

static double length(const recon_group *self, const double *a)
{
    const double none[RECON_NUMBERS_MAX] = { 0 };
    return distance(self, a, none);
}

static void haar(const recon_group *self, double *out, recon_rng *rng)
{
    for (size_t j = 0; j < self->n; j++)
        out[j] = recon_so2_haar(rng);
}

/* Both ways between angles and their vectors. */
static void wrap(const recon_group *self, double *out, const double *a)
{
    recon_so2_wrap_n(out, a, self->n);
}

static recon_status check(recon_ctx *ctx, const recon_group *self, const double *poses, size_t n)
{
    for (size_t i = 0; i < n * self->n; i++)
        if (!isfinite(poses[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "pose %zu holds %g", i / self->n, poses[i]);
    return RECON_OK;
}

/* Circle j of all sets. */
static void take_circle(double *out, const recon_group *self, const double *poses, size_t count,
                        size_t j)
{
    for (size_t i = 0; i < count; i++)
        out[i] = poses[i * self->n + j];
}

static recon_status read(recon_ctx *ctx, const recon_group *self, double *out, const recon_array *a,
                         size_t n, recon_quaternions order, const char *path)
{
    recon_array_text shape;
    if (a->ndim != 2 || a->shape[1] != self->n)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s, but poses are N x %zu for %s", path,
                          recon_array_show(shape, a), self->n, self->words);
    RECON_CHECK(recon_group_check_order(ctx, order, a, 0, path));
    RECON_CHECK(recon_angles_check_type(ctx, a, path));
    RECON_CHECK(recon_group_rows(ctx, out, a, self->n, n, path));
    recon_angles_warn(ctx, out, n * self->n, path);
    recon_so2_wrap_n(out, out, n * self->n);
    return RECON_OK;
}

/* One pose where every circle has one; which of several go together is not looked at. */
static recon_natural join(recon_natural a, recon_natural b)
{
    if (a == RECON_NATURAL_NONE || b == RECON_NATURAL_NONE)
        return RECON_NATURAL_NONE;
    return a == RECON_NATURAL_ONE && b == RECON_NATURAL_ONE ? a : RECON_NATURAL_UNSURE;
}

static recon_status center(recon_ctx *ctx, const recon_group *self, recon_center *out, void *fits,
                           const double *poses, size_t sets, size_t k,
                           const recon_mean_options *options)
{
    recon_so2_center *circle = NULL;
    double *angles = NULL;
    recon_status status;
    (void)fits;
    RECON_TRY(recon_alloc_raw(ctx, &circle, sets, sizeof *circle));
    RECON_TRY(recon_alloc_raw(ctx, &angles, sets, k * sizeof *angles));
    for (size_t s = 0; s < sets; s++)
        out[s] = (recon_center){ .natural = RECON_NATURAL_ONE, .modes = 1, .mode[0].weight = 1 };
    for (size_t j = 0; j < self->n; j++) {
        take_circle(angles, self, poses, sets * k, j);
        RECON_TRY(recon_so2_mean_batch(ctx, circle, angles, sets, k, options));
        for (size_t s = 0; s < sets; s++) {
            out[s].mean[j] = out[s].mode[0].at[j] = circle[s].mean;
            out[s].identifiability[j] = circle[s].moment[0];
            out[s].natural = join(out[s].natural, circle[s].natural);
        }
    }
    for (size_t s = 0; s < sets; s++)
        out[s].fold = out[s].natural == RECON_NATURAL_ONE;
done:
    recon_free_all(angles, circle);
    return status;
}

/* A pose that is off on any circle is background. */
static recon_status fit_sets(recon_ctx *ctx, const recon_group *self, void *fits,
                             const double *poses, size_t sets, size_t k, int family)
{
    fit *out = fits;
    recon_so2_density *circle = NULL;
    double *angles = NULL;
    recon_status status;
    (void)family;
    RECON_TRY(recon_alloc_raw(ctx, &circle, sets, sizeof *circle));
    RECON_TRY(recon_alloc_raw(ctx, &angles, sets, k * sizeof *angles));
    memset(out, 0, sets * sizeof *out);
    for (size_t j = 0; j < self->n; j++) {
        take_circle(angles, self, poses, sets * k, j);
        RECON_TRY(recon_so2_fit_batch(ctx, circle, angles, sets, k, RECON_SO2_NORMAL, NULL));
        for (size_t s = 0; s < sets; s++) {
            out[s].sigma[j] = circle[s].width;
            out[s].background = fmax(out[s].background, circle[s].background);
        }
    }
done:
    recon_free_all(angles, circle);
    return status;
}

static double background(const recon_group *self, const void *of)
{
    (void)self;
    return ((const fit *)of)->background;
}

static double score(const recon_group *self, const void *of, double b, const double *pose)
{
    double log_p = 0, least = log(b) - self->uniform;
    for (size_t j = 0; j < self->n; j++)
        log_p += recon_so2_log_density(&(recon_so2_density){ .family = RECON_SO2_NORMAL,
                                                             .width = ((const fit *)of)->sigma[j] },
                                       pose[j]);
    log_p += log1p(-b);
    double high = fmax(log_p, least);
    return -high - log(exp(log_p - high) + exp(least - high));
}

/* Of the background about all poses score as high. */
static double tail(const recon_group *self, const void *of, double b, const double *pose)
{
    double x = 0;
    for (size_t j = 0; j < self->n; j++)
        x += pow(pose[j] / ((const fit *)of)->sigma[j], 2);
    return fmin(1, (1 - b) * recon_chi_square_above(x, self->n) + b);
}

static void parameters(const recon_group *self, double *out, const void *of)
{
    memcpy(out, ((const fit *)of)->sigma, self->n * sizeof *out);
}

const recon_group recon_group_torus = {
    .meaning = "angles that rotate independently",
    .column = "angles",
    .identity = identity,
    .compose = compose,
    .inverse = inverse,
    .length = length,
    .distance = distance,
    .haar = haar,
    .exp = wrap,
    .log = wrap,
    .check = check,
    .read = read,
    .family_count = 1,
    .fit_size = sizeof(fit),
    .center = center,
    .fit = fit_sets,
    .background = background,
    .score = score,
    .tail = tail,
    .parameters = parameters,
};
