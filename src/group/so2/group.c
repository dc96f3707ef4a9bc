/* group.c - SO(2) as a table: a pose is one angle. */
#include "group/group.h"
#include "core/npy.h"
#include "core/ctx.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"
#include "group/tail.h"
#include "group/mean.h"
#include "group/so2/mean.h"
#include "group/so2/fit.h"
#include "group/so2/symmetry.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/group/so2_density.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- algebra ---------------------------------------------------------------------------------- */

static void identity(const recon_group *self, double *out)
{
    (void)self;
    *out = 0;
}

static void compose(const recon_group *self, double *out, const double *a, const double *b)
{
    (void)self;
    *out = recon_so2_compose(*a, *b);
}

static void inverse(const recon_group *self, double *out, const double *a)
{
    (void)self;
    *out = recon_so2_inverse(*a);
}

static double length(const recon_group *self, const double *a)
{
    (void)self;
    return fabs(recon_so2_wrap(*a));
}

static double distance(const recon_group *self, const double *a, const double *b)
{
    (void)self;
    return recon_so2_distance(*a, *b);
}

static void haar(const recon_group *self, double *out, recon_rng *rng)
{
    (void)self;
    *out = recon_so2_haar(rng);
}

/* Both ways between angles and their vectors. */
static void wrap(const recon_group *self, double *out, const double *a)
{
    (void)self;
    *out = recon_so2_wrap(*a);
}

static recon_status check(recon_ctx *ctx, const recon_group *self, const double *poses, size_t n)
{
    (void)self;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(poses[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "pose %zu is %g", i, poses[i]);
    return RECON_OK;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Whole numbers are likelier to count the elements of a cyclic group than to be radians. */
recon_status recon_angles_check_type(recon_ctx *ctx, const recon_array *a, const char *path)
{
    if (recon_dtype_is_float(a->dtype))
        return RECON_OK;
    return recon_fail(
        ctx, RECON_ERR_INPUT,
        "%s: %s, but radians are floating-point numbers; if these are indices of C_n, "
        "multiply them by 2 pi / n",
        path, recon_dtype_name(a->dtype));
}

/* Angles may be given unwrapped, and the sum of two is within two full circles: beyond that they
 * are more likely in degrees. */
void recon_angles_warn(recon_ctx *ctx, const double *angle, size_t n, const char *path)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(angle[i]));
    if (largest > RECON_ANGLE_USUAL)
        recon_log(ctx, RECON_LOG_WARN,
                  "%s: angles up to %g; radians are expected, not degrees: if these are degrees, "
                  "convert them",
                  path, largest);
}

static int looks_like_rotations(const recon_array *a)
{
    return a->ndim == 2 ? a->shape[1] == 4 || a->shape[1] == 9
                        : a->ndim == 3 && a->shape[1] == 3 && a->shape[2] == 3;
}

static recon_status read(recon_ctx *ctx, const recon_group *self, double *out, const recon_array *a,
                         size_t n, recon_quaternions order, const char *path)
{
    recon_array_text shape;
    (void)self;
    if (a->ndim != 1 && !(a->ndim == 2 && a->shape[1] == 1))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s, but poses are %s", path,
                          recon_array_show(shape, a),
                          looks_like_rotations(a) ? "N angles for SO(2); is the group so3?"
                                                  : "N angles for SO(2); of cosine and sine: "
                                                    "arctan2(sine, cosine)");
    RECON_CHECK(recon_group_check_order(ctx, order, a, 1, path));
    RECON_CHECK(recon_angles_check_type(ctx, a, path));
    RECON_CHECK(recon_group_rows(ctx, out, a, 1, n, path));
    recon_angles_warn(ctx, out, n, path);
    recon_so2_wrap_n(out, out, n);
    return RECON_OK;
}

/* --- statistics ------------------------------------------------------------------------------- */

static const recon_family families[] = {
    [RECON_SO2_AUTO] = { "auto", { 0 } },
    [RECON_SO2_UNIFORM] = { "uniform", { 0 } },
    [RECON_SO2_NORMAL] = { "normal", { 0 } },
    [RECON_SO2_VONMISES] = { "vonmises", { 0 } },
    [RECON_SO2_MIXTURE] = { "mixture", { 3, RECON_SO2_PARTS_MAX } }, /* weights, means, kappas */
};

static recon_status center(recon_ctx *ctx, const recon_group *self, recon_center *out, void *fits,
                           const double *poses, size_t sets, size_t k,
                           const recon_mean_options *options)
{
    recon_so2_center *found = NULL;
    recon_status status;
    (void)self, (void)fits;
    RECON_TRY(recon_alloc_raw(ctx, &found, sets, sizeof *found));
    RECON_TRY(recon_so2_mean_batch(ctx, found, poses, sets, k, options));
    for (size_t s = 0; s < sets; s++) {
        const recon_so2_center *c = &found[s];
        out[s] = (recon_center){
            .mean = { c->mean }, .natural = c->natural, .fold = c->fold, .modes = c->modes
        };
        memcpy(out[s].identifiability, c->moment, sizeof c->moment);
        for (int i = 0; i < c->modes; i++) {
            out[s].mode[i].at[0] = c->mode[i].at;
            out[s].mode[i].weight = c->mode[i].weight;
        }
    }
done:
    free(found);
    return status;
}

static recon_status mean(recon_ctx *ctx, const recon_group *self, double *out, const double *poses,
                         const double *weights, size_t n, recon_mean_kind kind)
{
    (void)self;
    return recon_so2_weighted_mean(ctx, out, poses, weights, n, kind == RECON_MEAN_CHORDAL);
}

/* Of many poses: names more than the verdict knows, and takes "modulo" back where modes are not equal. */
static recon_status symmetry(recon_ctx *ctx, const recon_group *self, recon_center *out,
                             const double *poses, size_t n)
{
    recon_so2_named found;
    (void)ctx, (void)self;
    if (out->natural == RECON_NATURAL_ONE || n < RECON_SYMMETRY_LEAST)
        return RECON_OK;
    recon_so2_symmetry(&found, poses, n);
    if (found.fold > 1) {
        *out = (recon_center){ .mean = { found.center },
                               .natural = RECON_NATURAL_MODULO,
                               .fold = found.fold,
                               .symmetry = found.fold,
                               .symmetry_p = found.p_value,
                               .modes = found.fold,
                               .identifiability = {
                                   out->identifiability[0], out->identifiability[1],
                                   out->identifiability[2], out->identifiability[3] } };
        for (int j = 0; j < found.fold; j++) {
            out->mode[j].at[0] = recon_so2_wrap(found.center + 2 * M_PI * j / found.fold);
            out->mode[j].weight = 1.0 / found.fold;
        }
    } else if (out->natural == RECON_NATURAL_MODULO && !recon_so2_repeats(poses, n, out->fold)) {
        out->natural = RECON_NATURAL_SEVERAL;
        out->fold = 1;
        out->mean[0] = out->mode[0].at[0];
    }
    return RECON_OK;
}

static recon_status choose(recon_ctx *ctx, const recon_group *self, int *family,
                           const double *poses, size_t sets, size_t k)
{
    recon_so2_family best;
    (void)self;
    recon_status status = recon_so2_choose_family(ctx, &best, poses, sets, k);
    *family = (int)best;
    return status;
}

static recon_status fit(recon_ctx *ctx, const recon_group *self, void *fits, const double *poses,
                        size_t sets, size_t k, int family)
{
    (void)self;
    return recon_so2_fit_batch(ctx, fits, poses, sets, k, (recon_so2_family)family, NULL);
}

static double background(const recon_group *self, const void *fit)
{
    (void)self;
    return ((const recon_so2_density *)fit)->background;
}

static recon_so2_density with(const void *fit, double background)
{
    recon_so2_density p = *(const recon_so2_density *)fit;
    p.background = background;
    return p;
}

static double score(const recon_group *self, const void *fit, double background, const double *pose)
{
    const recon_so2_density p = with(fit, background);
    (void)self;
    return recon_so2_score(&p, *pose);
}

static double tail(const recon_group *self, const void *fit, double background, const double *pose)
{
    const recon_so2_density p = with(fit, background);
    (void)self;
    return recon_so2_tail(&p, *pose);
}

static void parameters(const recon_group *self, double *out, const void *fit)
{
    const recon_so2_density *p = fit;
    (void)self;
    out[0] = p->width;
    for (int i = 0; p->family == RECON_SO2_MIXTURE && i < RECON_SO2_PARTS_MAX; i++) {
        int used = i < p->parts;
        out[i] = used ? p->part[i].weight : 0;
        out[RECON_SO2_PARTS_MAX + i] = used ? p->part[i].mean : 0;
        out[2 * RECON_SO2_PARTS_MAX + i] = used ? p->part[i].kappa : 0;
    }
}

static double width(const recon_group *self, const void *fit)
{
    const recon_so2_density *p = fit;
    (void)self;
    return p->family == RECON_SO2_UNIFORM || p->family == RECON_SO2_NORMAL ? p->width : NAN;
}

const recon_group recon_group_so2 = {
    .name = "so2",
    .words = "SO(2)",
    .meaning = "the rotations of a picture",
    .column = "angle_deg",
    .numbers = 1,
    .dimension = 1,
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
    .text_degrees = 1,
    .identifiability = 4,              /* |E exp(i m g)|, m = 1 .. 4 */
    .uniform = 1.83787706640934548356, /* log 2 pi */
    .families = families,
    .family_count = sizeof families / sizeof *families,
    .fit_size = sizeof(recon_so2_density),
    .center = center,
    .mean = mean,
    .symmetry = symmetry,
    .choose = choose,
    .fit = fit,
    .background = background,
    .score = score,
    .tail = tail,
    .parameters = parameters,
    .width = width,
};
