/* embedded.c - embeddings and poses from NPY files, checked. */
#include <recon/backbone/embedded.h>
#include <recon/core/array.h>
#include "comm/comm.h"
#include "core/npy.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "data/identity.h"
#include "group/group.h"
#include "backbone/embedded.h"

#include <math.h>
#include <stdlib.h>

/* A number that float32 cannot hold is not called infinite: the file has no such. What is infinite
 * or NaN in the file is found by whoever uses it. */
static recon_status check_range(recon_ctx *ctx, const float *z, const recon_array *a,
                                const char *path, size_t begin, size_t end)
{
    size_t columns = a->shape[1];
    for (size_t i = begin * columns; i < end * columns; i++) {
        if (isinf(z[i]) && isfinite(recon_array_value(a, i)))
            return recon_fail(
                ctx, RECON_ERR_INPUT,
                "%s: row %zu, column %zu is %g: embeddings become float32, which ends "
                "at 3.4e38",
                path, i / columns, i % columns, recon_array_value(a, i));
        RECON_CHECK(recon_interrupted_at(ctx, i));
    }
    return RECON_OK;
}

/* Of a copy that holds all rows, memory is taken for those that are written: rows begin .. end. */
static recon_status convert_rows(recon_ctx *ctx, float *out, const recon_array *a, const char *path,
                                 size_t begin, size_t end)
{
    size_t columns = a->shape[1];
    if (begin == 0 && end == a->shape[0]) {
        RECON_CHECK(recon_array_to_f32(ctx, out, a));
    } else {
        for (size_t i = begin * columns; i < end * columns; i++) {
            out[i] = (float)recon_array_value(a, i);
            RECON_CHECK(recon_interrupted_at(ctx, i));
        }
    }
    return check_range(ctx, out, a, path, begin, end);
}

enum { Z, POSES, LABELS, FILES };

/* identity may be NULL. */
static recon_status read_file(recon_ctx *ctx, recon_array *out, uint64_t *identity,
                              const char *path)
{
    RECON_CHECK(recon_npy_read(ctx, out, path));
    if (identity) {
        RECON_CHECK(recon_identity_array(ctx, identity, out));
        recon_block_forget(out->block, out->mapped);
    }
    return RECON_OK;
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

static recon_status read_poses(recon_ctx *ctx, recon_embedded *e, uint64_t *identity,
                               const char *path, const recon_group *group, recon_quaternions order)
{
    recon_array a = { 0 };
    double *poses = NULL;
    recon_status status;
    RECON_TRY(read_file(ctx, &a, identity, path));
    e->precision = a.dtype == RECON_F64 ? RECON_F64 : RECON_F32;
    RECON_TRY(recon_alloc_raw(ctx, &poses, e->n * group->numbers, sizeof *poses));
    e->owned[1] = poses;
    e->group = group;
    e->poses = poses;
    RECON_TRY(recon_group_read(ctx, group, poses, &a, e->n, order, path));
done:
    recon_array_free(&a);
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
                             const recon_group *group, recon_quaternions order,
                             const char *const path[FILES], size_t unit)
{
    uint64_t *of_poses = identity ? identity + POSES : NULL;
    *out = (recon_embedded){ 0 };
    RECON_CHECK(recon_group_check(ctx, group));
    RECON_CHECK(recon_enum_check(ctx, order, RECON_QUATERNIONS_XYZW, "order of quaternions"));
    RECON_CHECK(read_z(ctx, out, identity, path[Z], unit));
    RECON_CHECK(read_poses(ctx, out, of_poses, path[POSES], group, order));
    if (path[LABELS])
        RECON_CHECK(read_labels(ctx, out, identity ? identity + LABELS : NULL, path[LABELS]));
    return RECON_OK;
}

recon_status recon_embedded_read(recon_ctx *ctx, recon_embedded *out, const recon_group *group,
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
                                       const recon_group *group, recon_quaternions quaternions,
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

const double *recon_embedded_pose(const recon_embedded *e, size_t i)
{
    return e->poses + i * e->group->numbers;
}
