/* group.c - groups by name, and what is the same of all of them. */
#include "group/group.h"
#include "core/npy.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- by name ---------------------------------------------------------------------------------- */

static const recon_group *const built_in[] = { RECON_SO2, RECON_SO3 };
enum {
    BUILT_IN = sizeof built_in / sizeof *built_in,
    ADDED = sizeof((recon_ctx){ 0 }.groups) / sizeof(void *)
};

static const recon_group *group_at(const recon_ctx *ctx, size_t i)
{
    return i < BUILT_IN                   ? built_in[i]
           : i - BUILT_IN < ctx->n_groups ? ctx->groups[i - BUILT_IN]
                                          : NULL;
}

static const recon_group *find(const recon_ctx *ctx, const char *name)
{
    const recon_group *group;
    for (size_t i = 0; (group = group_at(ctx, i)); i++)
        if (!strcmp(group->name, name))
            return group;
    return NULL;
}

recon_status recon_group_find(recon_ctx *ctx, const recon_group **out, const char *name)
{
    char known[256] = "";
    const recon_group *group;
    *out = find(ctx, name);
    if (*out)
        return RECON_OK;
    for (size_t i = 0, used = 0; (group = group_at(ctx, i)) && used < sizeof known; i++)
        used +=
            (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", group->name);
    return recon_fail(ctx, RECON_ERR_INPUT, "there is no group '%.40s': %s are known", name, known);
}

recon_status recon_group_check(recon_ctx *ctx, const recon_group *g)
{
    if (!g || !g->name || !g->words)
        return recon_fail(ctx, RECON_ERR_INPUT, "poses of a group are needed, and that has a name");
    if (g->numbers == 0 || g->numbers > RECON_NUMBERS_MAX || g->identifiability == 0 ||
        g->identifiability > RECON_NUMBERS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "group %s: 1 to %d numbers are allowed", g->name,
                          RECON_NUMBERS_MAX);
    if (!g->identity || !g->compose || !g->inverse || !g->length || !g->distance || !g->haar ||
        !g->check || !g->center || !g->background || !g->score || !g->tail || !g->parameters ||
        g->family_count < 1 || g->fit_size == 0)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "group %s: its table lacks an entry that is not optional", g->name);
    return RECON_OK;
}

recon_status recon_group_add(recon_ctx *ctx, const recon_group *group)
{
    recon_status status = recon_group_check(ctx, group);
    if (status != RECON_OK)
        return status;
    if (find(ctx, group->name))
        return recon_fail(ctx, RECON_ERR_INPUT, "a group named '%s' already exists", group->name);
    if (ctx->n_groups == ADDED)
        return recon_fail(ctx, RECON_ERR_INPUT, "at most %d groups can be added", ADDED);
    ctx->groups[ctx->n_groups++] = group;
    return RECON_OK;
}

/* --- sizes ------------------------------------------------------------------------------------ */

static size_t product(const size_t shape[2])
{
    return (shape[0] ? shape[0] : 1) * (shape[1] ? shape[1] : 1);
}

size_t recon_group_written(const recon_group *group)
{
    return product(group->shape);
}

void recon_group_write(const recon_group *group, double *out, const double *poses, size_t n)
{
    if (group->write)
        group->write(group, out, poses, n);
    else
        memcpy(out, poses, n * group->numbers * sizeof *out);
}

size_t recon_family_parameters(const recon_family *family)
{
    return product(family->shape);
}

/* --- poses of a file -------------------------------------------------------------------------- */

recon_status recon_group_rows(recon_ctx *ctx, double *out, const recon_array *a, size_t width,
                              size_t n, const char *path)
{
    if (a->shape[0] != n)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s for %s", path,
                          RECON_COUNT(a->shape[0], "pose"), RECON_COUNT(n, "embedding"));
    recon_status status = recon_array_to_f64(ctx, out, a);
    for (size_t i = 0; status == RECON_OK && i < n * width; i++)
        if (!isfinite(out[i]))
            status =
                recon_fail(ctx, RECON_ERR_INPUT, "%s: row %zu holds %g", path, i / width, out[i]);
    return status;
}

recon_status recon_group_check_order(recon_ctx *ctx, recon_quaternions order, const recon_array *a,
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

/* An array of poses as they are written. */
static recon_status read_as_written(recon_ctx *ctx, const recon_group *group, double *out,
                                    const recon_array *a, size_t n, recon_quaternions order,
                                    const char *path)
{
    recon_array_text shape;
    char rows[64] = "N";
    int dims = 1;
    for (int i = 0; i < 2 && group->shape[i]; i++, dims++) {
        size_t used = strlen(rows);
        snprintf(rows + used, sizeof rows - used, " x %zu", group->shape[i]);
    }
    if (a->ndim != dims || memcmp(a->shape + 1, group->shape, (size_t)(dims - 1) * sizeof(size_t)))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s, but poses are %s for %s", path,
                          recon_array_show(shape, a), rows, group->words);
    if (order != RECON_QUATERNIONS_NONE)
        return recon_group_check_order(ctx, order, a, 0, path);
    recon_status status = recon_group_rows(ctx, out, a, group->numbers, n, path);
    if (status == RECON_OK)
        status = group->check(ctx, group, out, n);
    return status == RECON_OK ? RECON_OK : recon_note_file(ctx, status, path);
}

recon_status recon_group_read(recon_ctx *ctx, const recon_group *group, double *out,
                              const recon_array *array, size_t n, recon_quaternions order,
                              const char *path)
{
    return (group->read ? group->read : read_as_written)(ctx, group, out, array, n, order, path);
}
