/* group.c - SO(3) as a table: a pose is a unit quaternion. */
#include "group/group.h"
#include "core/npy.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "group/so3/fisher.h"
#include "group/so3/frame.h"
#include "group/tail.h"
#include "group/mean.h"
#include "group/so3/so3.h"

#include <recon/group/mean.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- algebra ---------------------------------------------------------------------------------- */

static recon_so3 of(const double *g)
{
    return (recon_so3){ g[0], g[1], g[2], g[3] };
}

static void put(double *out, recon_so3 g)
{
    out[0] = g.w, out[1] = g.x, out[2] = g.y, out[3] = g.z;
}

static void identity(const recon_group *self, double *out)
{
    (void)self;
    put(out, recon_so3_identity());
}

static void compose(const recon_group *self, double *out, const double *a, const double *b)
{
    (void)self;
    put(out, recon_so3_compose(of(a), of(b)));
}

static void inverse(const recon_group *self, double *out, const double *a)
{
    (void)self;
    put(out, recon_so3_inverse(of(a)));
}

static double length(const recon_group *self, const double *a)
{
    (void)self;
    return recon_so3_angle(of(a));
}

static double distance(const recon_group *self, const double *a, const double *b)
{
    (void)self;
    return recon_so3_distance(of(a), of(b));
}

static void haar(const recon_group *self, double *out, recon_rng *rng)
{
    (void)self;
    put(out, recon_so3_haar(rng));
}

static void exponential(const recon_group *self, double *out, const double *v)
{
    (void)self;
    put(out, recon_so3_exp(v));
}

static void logarithm(const recon_group *self, double *v, const double *a)
{
    (void)self;
    recon_so3_log(v, of(a));
}

static recon_status check(recon_ctx *ctx, const recon_group *self, const double *poses, size_t n)
{
    (void)self;
    return recon_so3_check(ctx, (const recon_so3 *)poses, n, 0);
}

/* --- files ------------------------------------------------------------------------------------ */

/* Numbers a row: 9 for N x 9 or N x 3 x 3, 4 for N x 4; 0 for anything else. */
static size_t row_width(const recon_array *a)
{
    if (a->ndim == 2 && (a->shape[1] == 4 || a->shape[1] == 9))
        return a->shape[1];
    return a->ndim == 3 && a->shape[1] == 3 && a->shape[2] == 3 ? 9 : 0;
}

/* How far a row is from a rotation. */
static double error_of(const double *row, size_t width)
{
    if (width == 9)
        return recon_so3_matrix_error(row);
    return fabs(sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2] + row[3] * row[3]) - 1);
}

static recon_so3 rotation_of(const double *row, recon_quaternions order)
{
    if (order == RECON_QUATERNIONS_NONE)
        return recon_so3_from_matrix(row);
    return recon_so3_normalize(order == RECON_QUATERNIONS_WXYZ
                                   ? (recon_so3){ row[0], row[1], row[2], row[3] }
                                   : (recon_so3){ row[3], row[0], row[1], row[2] });
}

static recon_status not_a_rotation(recon_ctx *ctx, const char *path, size_t i, size_t width,
                                   double off)
{
    if (isinf(off))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: row %zu is not a rotation: a reflection, or huge", path, i);
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: row %zu is not a rotation: %s is off by %.3g",
                      path, i, width == 9 ? "R R^T" : "the quaternion's length", off);
}

static recon_status read(recon_ctx *ctx, const recon_group *self, double *out, const recon_array *a,
                         size_t n, recon_quaternions order, const char *path)
{
    size_t width = row_width(a);
    double *rows = NULL;
    recon_array_text shape;
    recon_status status;
    if (width == 0)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: %s, but poses are N x 3 x 3, N x 9 or N x 4 for %s", path,
                          recon_array_show(shape, a), self->words);
    RECON_TRY(recon_group_check_order(ctx, order, a, width, path));
    RECON_TRY(recon_alloc_raw(ctx, &rows, n * width, sizeof *rows));
    RECON_TRY(recon_group_rows(ctx, rows, a, width, n, path));
    for (size_t i = 0; i < n; i++) {
        double off = error_of(rows + i * width, width);
        if (!(off <= RECON_POSE_TOLERANCE))
            RECON_TRY(not_a_rotation(ctx, path, i, width, off));
        put(out + 4 * i, rotation_of(rows + i * width, order));
    }
    if (width == 4) {
        /* Rotations by less than 90 degrees have |w| above 0.7, and rotations that are all by about
         * 180 degrees and about one axis are rare: where w is nearly always small, and the number
         * that the other order takes for it large, the other order is more likely. */
        int first = order == RECON_QUATERNIONS_WXYZ;
        size_t odd = 0;
        for (size_t i = 0; i < n; i++)
            odd += fabs(of(out + 4 * i).w) < 0.5 &&
                   fabs(first ? of(out + 4 * i).z : of(out + 4 * i).x) > 0.7;
        if ((double)odd > 0.95 * (double)n)
            recon_log(
                ctx, RECON_LOG_WARN,
                "%s: %zu of %zu rotations are by about 180 degrees about %s if the quaternions "
                "are %s: are they %s?",
                path, odd, n, first ? "z" : "x", first ? "wxyz" : "xyzw", first ? "xyzw" : "wxyz");
    }
done:
    free(rows);
    return status;
}

static void write(const recon_group *self, double *out, const double *poses, size_t n)
{
    (void)self;
    recon_so3_to_matrix_n(out, (const recon_so3 *)poses, n);
}

/* --- statistics ------------------------------------------------------------------------------- */

static const recon_family families[] = { { "fisher", { 3, 3 } } };

static void report(recon_center *out, const recon_so3_center *c)
{
    *out = (recon_center){ .natural = c->natural,
                           .fold = c->natural == RECON_NATURAL_ONE ||
                                   c->natural == RECON_NATURAL_SEVERAL,
                           .modes = c->modes };
    put(out->mean, c->mean);
    memcpy(out->identifiability, c->singular, sizeof c->singular);
    memcpy(out->axis[0], c->axis_body, sizeof out->axis[0]);
    memcpy(out->axis[1], c->axis_world, sizeof out->axis[1]);
    for (int i = 0; i < c->modes; i++) {
        put(out->mode[i].at, c->mode[i].at);
        out->mode[i].weight = c->mode[i].weight;
    }
}

/* With the robust fit that has found each centre. */
static recon_status center(recon_ctx *ctx, const recon_group *self, recon_center *out, void *fits,
                           const double *poses, size_t sets, size_t k,
                           const recon_mean_options *options)
{
    recon_fisher_fit *fit = fits;
    recon_so3_center *found = NULL;
    recon_status status;
    (void)self;
    RECON_TRY(recon_alloc_raw(ctx, &found, sets, sizeof *found));
    RECON_TRY(recon_so3_mean_batch(ctx, found, (const recon_so3 *)poses, sets, k, options));
    for (size_t s = 0; s < sets; s++) {
        report(&out[s], &found[s]);
        fit[s] = found[s].fit;
    }
done:
    free(found);
    return status;
}

static recon_status mean(recon_ctx *ctx, const recon_group *self, double *out, const double *poses,
                         const double *weights, size_t n, recon_mean_kind kind)
{
    const recon_so3_samples all = { (const recon_so3 *)poses, weights, n };
    recon_so3_frame frame;
    double m[10] = { 0 }, total = 0;
    (void)ctx, (void)self;
    for (size_t i = 0; i < n; i++)
        total += weights ? weights[i] : 1;
    for (size_t i = 0; i < n; i++)
        recon_so3_moment_add(m, all.g[i], (weights ? weights[i] : 1) / total);
    recon_so3_frame_of(&frame, m);
    put(out, kind == RECON_MEAN_CHORDAL ? frame.mode : recon_so3_frechet(&frame, &all));
    return RECON_OK;
}

/* A free spin has a verdict of its own, which its tests have to give. */
static recon_status symmetry(recon_ctx *ctx, const recon_group *self, recon_center *out,
                             const double *poses, size_t n)
{
    recon_point_group found;
    (void)self;
    if (out->natural == RECON_NATURAL_ONE)
        return RECON_OK;
    RECON_CHECK(recon_so3_symmetry(ctx, &found, (const recon_so3 *)poses, n));
    if (found.code == RECON_SYMMETRY_C1 || found.order == 0)
        return RECON_OK;
    out->natural = RECON_NATURAL_MODULO;
    out->symmetry = found.code;
    out->symmetry_p = found.p_value;
    out->fold = found.order;
    out->modes = 1;
    put(out->mean, found.center);
    put(out->mode[0].at, found.center);
    out->mode[0].weight = 1.0 / found.order;
    recon_so3_act(out->axis[0], recon_so3_inverse(found.center), found.axis);
    memcpy(out->axis[1], found.axis, sizeof out->axis[1]);
    return RECON_OK;
}

static recon_status recenter(recon_ctx *ctx, const recon_group *self, void *fit,
                             const double *center)
{
    recon_fisher_fit *p = fit;
    double f[9];
    (void)self;
    recon_fisher_center(f, p->fisher.f, of(center));
    return recon_fisher_of(ctx, &p->fisher, f);
}

static double background(const recon_group *self, const void *fit)
{
    (void)self;
    return ((const recon_fisher_fit *)fit)->background;
}

static double score(const recon_group *self, const void *fit, double background, const double *pose)
{
    (void)self;
    return -recon_fisher_mixture_log_density(&((const recon_fisher_fit *)fit)->fisher, background,
                                             of(pose));
}

static double tail(const recon_group *self, const void *fit, double background, const double *pose)
{
    (void)self;
    return recon_fisher_tail(&((const recon_fisher_fit *)fit)->fisher, background, of(pose));
}

static void parameters(const recon_group *self, double *out, const void *fit)
{
    const recon_fisher_fit *p = fit;
    (void)self;
    memcpy(out, p->fisher.f, sizeof p->fisher.f);
}

static recon_status gauge(recon_ctx *ctx, const recon_group *self, double *center,
                          double *parameters)
{
    double uncentred[9];
    recon_fisher fisher;
    (void)self;
    recon_fisher_center(uncentred, parameters, recon_so3_inverse(of(center)));
    RECON_CHECK(recon_fisher_of(ctx, &fisher, uncentred));
    put(center, recon_fisher_gauge(&fisher, recon_fisher_free(&fisher)));
    recon_fisher_center(parameters, uncentred, of(center));
    return RECON_OK;
}

const recon_group recon_group_so3 = {
    .name = "so3",
    .words = "SO(3)",
    .meaning = "the rotations of space",
    .column = "rotation",
    .numbers = 4,
    .dimension = 3,
    .identity = identity,
    .compose = compose,
    .inverse = inverse,
    .length = length,
    .distance = distance,
    .haar = haar,
    .exp = exponential,
    .log = logarithm,
    .check = check,
    .shape = { 3, 3 },
    .takes_quaternions = 4,
    .read = read,
    .write = write,
    .identifiability = 3, /* singular values of the mean rotation */
    .has_axis = 1,
    .families = families,
    .family_count = sizeof families / sizeof *families,
    .fit_size = sizeof(recon_fisher_fit),
    .center = center,
    .mean = mean,
    .symmetry = symmetry,
    .recenter = recenter,
    .background = background,
    .score = score,
    .tail = tail,
    .parameters = parameters,
    .gauge = gauge,
};
