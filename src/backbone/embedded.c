/* embedded.c - embeddings and poses from NPY files, checked. */
#include <recon/backbone/embedded.h>
#include <recon/core/array.h>
#include <recon/group/so2.h>
#include "comm/comm.h"
#include "core/npy.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "data/identity.h"
#include "backbone/embedded.h"

#include <math.h>
#include <stdlib.h>

/* A number that float32 cannot hold is not called infinite: the file has no such. What is infinite
 * or NaN in the file is found by whoever uses it. */
static recon_status check_range(recon_ctx *ctx, const float *z, const recon_array *a,
                                const char *path, size_t begin, size_t end)
{
    size_t columns = a->shape[1];
    recon_status status = RECON_OK;
    for (size_t i = begin * columns; i < end * columns && status == RECON_OK; i++) {
        if (isinf(z[i]) && isfinite(recon_array_value(a, i)))
            return recon_fail(
                ctx, RECON_ERR_INPUT,
                "%s: row %zu, column %zu is %g: embeddings become float32, which ends "
                "at 3.4e38",
                path, i / columns, i % columns, recon_array_value(a, i));
        status = recon_interrupted_at(ctx, i);
    }
    return status;
}

/* Of a copy that holds all rows, memory is taken for those that are written: rows begin .. end. */
static recon_status convert_rows(recon_ctx *ctx, float *out, const recon_array *a, const char *path,
                                 size_t begin, size_t end)
{
    size_t columns = a->shape[1];
    if (begin == 0 && end == a->shape[0]) {
        recon_status status = recon_array_to_f32(ctx, out, a);
        if (status != RECON_OK)
            return status;
    } else {
        for (size_t i = begin * columns; i < end * columns; i++) {
            out[i] = (float)recon_array_value(a, i);
            recon_status status = recon_interrupted_at(ctx, i);
            if (status != RECON_OK)
                return status;
        }
    }
    return check_range(ctx, out, a, path, begin, end);
}

enum { Z, POSES, LABELS, FILES };

/* identity may be NULL. */
static recon_status read_file(recon_ctx *ctx, recon_array *out, uint64_t *identity,
                              const char *path)
{
    recon_status status = recon_npy_read(ctx, out, path);
    if (status == RECON_OK && identity) {
        status = recon_identity_array(ctx, identity, out);
        recon_block_forget(out->block, out->mapped);
    }
    return status;
}

/* unit: a rank's rows alone; 0: all. */
static recon_status read_z(recon_ctx *ctx, recon_embedded *e, uint64_t *identity, const char *path,
                           size_t unit)
{
    recon_array_text shape;
    recon_status status;
    float *copy;
    RECON_TRY(read_file(ctx, &e->array, identity, path));
    if (e->array.ndim != 2)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: %s, but embeddings are N x D", path,
                             recon_array_show(shape, &e->array)));
    e->n = e->array.shape[0];
    e->d = e->array.shape[1];
    if (e->n == 0 || e->d == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: %s holds no embeddings", path,
                             recon_array_show(shape, &e->array)));
    if (e->array.dtype == RECON_F32 && !e->array.fortran) {
        e->z = e->array.data; /* as it lies in the file, mapped when large */
        goto done;
    }
    RECON_TRY(recon_alloc_raw(ctx, &copy, recon_array_count(&e->array), sizeof *copy));
    e->owned[0] = copy;
    e->z = copy;
    recon_share own = unit ? recon_comm_own(ctx, e->n, unit) : (recon_share){ 0, e->n };
    RECON_TRY(convert_rows(ctx, copy, &e->array, path, own.begin, own.end));
    if (!unit)
        recon_array_free(&e->array);
done:
    return status;
}

/* Numbers a pose: 1 for N or N x 1, 4 for N x 4, 9 for N x 9 or N x 3 x 3; 0 for anything else. */
static size_t pose_width(const recon_array *a)
{
    if (a->ndim == 1)
        return 1;
    if (a->ndim == 2 && (a->shape[1] == 1 || a->shape[1] == 4 || a->shape[1] == 9))
        return a->shape[1];
    return a->ndim == 3 && a->shape[1] == 3 && a->shape[2] == 3 ? 9 : 0;
}

/* Whole numbers are likelier to count the elements of a cyclic group than to be radians. */
static recon_status check_angles(recon_ctx *ctx, const recon_array *a, const char *path)
{
    if (recon_dtype_is_float(a->dtype))
        return RECON_OK;
    return recon_fail(
        ctx, RECON_ERR_INPUT,
        "%s: %s, but radians are floating-point numbers; if these are indices of C_n, "
        "multiply them by 2 pi / n",
        path, recon_dtype_name(a->dtype));
}

static recon_status check_order(recon_ctx *ctx, recon_quaternions order, const recon_array *a,
                                size_t width, const char *path)
{
    recon_array_text shape;
    if ((width == 4) == (order != RECON_QUATERNIONS_NONE))
        return RECON_OK;
    if (width == 4)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: the order of the quaternions has to be stated, since the numbers "
                          "cannot show it: quaternions wxyz (w first: MuJoCo, PyTorch3D, Blender) "
                          "or xyzw (w last: SciPy, ROS, Eigen's coeffs)",
                          path);
    return recon_fail(
        ctx, RECON_ERR_INPUT,
        "%s: %s, but the order of quaternions is stated, and those are N x 4: leave it "
        "out",
        path, recon_array_show(shape, a));
}

static recon_status read_poses(recon_ctx *ctx, double **out, size_t *width, recon_embedded *e,
                               uint64_t *identity, const char *path, recon_group group,
                               recon_quaternions order)
{
    recon_array a = { 0 };
    recon_array_text shape;
    recon_status status;
    RECON_TRY(read_file(ctx, &a, identity, path));
    *width = pose_width(&a);
    e->precision = a.dtype == RECON_F64 ? RECON_F64 : RECON_F32;
    if (*width == 0 || (group == RECON_SO2) != (*width == 1))
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: %s, but poses are %s", path,
                             recon_array_show(shape, &a),
                             group == RECON_SO3 ? "N x 3 x 3, N x 9 or N x 4 for SO(3)"
                             : *width           ? "N angles for SO(2); is the group so3?"
                                                : "N angles for SO(2); of cosine and sine: "
                                                  "arctan2(sine, cosine)"));
    RECON_TRY(check_order(ctx, order, &a, *width, path));
    if (group == RECON_SO2)
        RECON_TRY(check_angles(ctx, &a, path));
    if (a.shape[0] != e->n)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: %s for %s", path,
                             RECON_COUNT(a.shape[0], "pose"), RECON_COUNT(e->n, "embedding")));
    RECON_TRY(recon_alloc_raw(ctx, out, e->n * *width, sizeof **out));
    RECON_TRY(recon_array_to_f64(ctx, *out, &a));
    for (size_t i = 0; i < e->n * *width; i++)
        if (!isfinite((*out)[i]))
            RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: row %zu holds %g", path, i / *width,
                                 (*out)[i]));
done:
    recon_array_free(&a);
    return status;
}

/* Angles may be given unwrapped, and the sum of two is within two full circles: beyond that they are
 * more likely in degrees. */
static void warn_of_degrees(recon_ctx *ctx, const double *angle, size_t n, const char *path)
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

static recon_status read_so2(recon_ctx *ctx, recon_embedded *e, uint64_t *identity,
                             const char *path, recon_quaternions order)
{
    double *angle = NULL;
    size_t width;
    recon_status status = read_poses(ctx, &angle, &width, e, identity, path, RECON_SO2, order);
    e->owned[1] = angle;
    e->so2 = angle;
    if (status != RECON_OK)
        return status;
    warn_of_degrees(ctx, angle, e->n, path);
    recon_so2_wrap_n(angle, angle, e->n);
    return RECON_OK;
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

/* Rotations by less than 90 degrees have |w| above 0.7, and rotations that are all by about 180
 * degrees and about one axis are rare: where w is nearly always small, and the number that the other
 * order takes for it large, the other order is more likely. */
static void warn_of_order(recon_ctx *ctx, const recon_so3 *g, size_t n, recon_quaternions order,
                          const char *path)
{
    int first = order == RECON_QUATERNIONS_WXYZ;
    size_t odd = 0;
    for (size_t i = 0; i < n; i++)
        odd += fabs(g[i].w) < 0.5 && fabs(first ? g[i].z : g[i].x) > 0.7;
    if ((double)odd > 0.95 * (double)n)
        recon_log(ctx, RECON_LOG_WARN,
                  "%s: %zu of %zu rotations are by about 180 degrees about %s if the quaternions "
                  "are %s: are they %s?",
                  path, odd, n, first ? "z" : "x", first ? "wxyz" : "xyzw",
                  first ? "xyzw" : "wxyz");
}

static recon_status read_so3(recon_ctx *ctx, recon_embedded *e, uint64_t *identity,
                             const char *path, recon_quaternions order)
{
    double *rows = NULL;
    recon_so3 *rotation;
    size_t width;
    recon_status status;
    RECON_TRY(read_poses(ctx, &rows, &width, e, identity, path, RECON_SO3, order));
    RECON_TRY(recon_alloc_raw(ctx, &rotation, e->n, sizeof *rotation));
    e->owned[1] = rotation;
    e->so3 = rotation;
    for (size_t i = 0; i < e->n; i++) {
        double off = error_of(rows + i * width, width);
        if (!(off <= RECON_POSE_TOLERANCE))
            RECON_TRY(not_a_rotation(ctx, path, i, width, off));
        rotation[i] = rotation_of(rows + i * width, order);
    }
    if (width == 4)
        warn_of_order(ctx, rotation, e->n, order, path);
done:
    free(rows);
    return status;
}

static recon_status read_labels(recon_ctx *ctx, recon_embedded *e, uint64_t *identity,
                                const char *path)
{
    recon_array a = { 0 };
    recon_array_text shape;
    int64_t *label;
    recon_status status;
    RECON_TRY(read_file(ctx, &a, identity, path));
    if (a.ndim != 1 || a.shape[0] != e->n)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: %s, but %s needed", path,
                             recon_array_show(shape, &a),
                             recon_count((recon_count_text){ 0 }, e->n, "label is", "labels are")));
    RECON_TRY(recon_alloc_raw(ctx, &label, e->n, sizeof *label));
    e->owned[2] = label;
    e->labels = label;
    status = recon_array_to_i64(ctx, label, &a);
    if (status != RECON_OK)
        recon_note(ctx, status, "in %s", path);
done:
    recon_array_free(&a);
    return status;
}

/* identity: NULL, or room for those of the files. */
static recon_status read_all(recon_ctx *ctx, recon_embedded *out, uint64_t *identity,
                             recon_group group, recon_quaternions order,
                             const char *const path[FILES], size_t unit)
{
    uint64_t *of_poses = identity ? identity + POSES : NULL;
    recon_status status;
    *out = (recon_embedded){ 0 };
    RECON_TRY(recon_enum_check(ctx, group, RECON_SO3, "group"));
    RECON_TRY(recon_enum_check(ctx, order, RECON_QUATERNIONS_XYZW, "order of quaternions"));
    RECON_TRY(read_z(ctx, out, identity, path[Z], unit));
    RECON_TRY(group == RECON_SO2 ? read_so2(ctx, out, of_poses, path[POSES], order)
                                 : read_so3(ctx, out, of_poses, path[POSES], order));
    if (path[LABELS])
        RECON_TRY(read_labels(ctx, out, identity ? identity + LABELS : NULL, path[LABELS]));
done:
    return status;
}

recon_status recon_embedded_read(recon_ctx *ctx, recon_embedded *out, recon_group group,
                                 recon_quaternions quaternions, const char *z, const char *poses,
                                 const char *labels)
{
    const char *const path[FILES] = { z, poses, labels };
    recon_status status = read_all(ctx, out, NULL, group, quaternions, path, 0);
    if (status != RECON_OK)
        recon_embedded_free(out);
    return status;
}

recon_status recon_embedded_read_share(recon_ctx *ctx, recon_embedded *out, uint64_t *identity,
                                       recon_group group, recon_quaternions quaternions,
                                       const char *z, const char *poses, const char *labels,
                                       size_t unit)
{
    const char *const path[FILES] = { z, poses, labels };
    size_t own = recon_comm_size(ctx) > 1 ? unit : 0;
    uint64_t of[FILES] = { 0 };
    recon_status status;
    RECON_TRY(recon_comm_agree(ctx, read_all(ctx, out, of, group, quaternions, path, own)));
    for (int i = 0; i < FILES; i++)
        if (path[i])
            RECON_TRY(recon_comm_same(ctx, of[i], path[i]));
    *identity = recon_identity_join(of, LABELS);
done:
    if (status != RECON_OK)
        recon_embedded_free(out);
    return status;
}

void recon_embedded_free(recon_embedded *e)
{
    recon_array_free(&e->array);
    for (size_t i = 0; i < sizeof e->owned / sizeof *e->owned; i++)
        free(e->owned[i]);
    *e = (recon_embedded){ 0 };
}

recon_group recon_embedded_group(const recon_embedded *e)
{
    return e->so3 ? RECON_SO3 : RECON_SO2;
}

const void *recon_embedded_pose(const recon_embedded *e, size_t i)
{
    return e->so3 ? (const void *)&e->so3[i] : &e->so2[i];
}
