/* group.c - finds groups by name, and functions common to all groups. */
#include "group/group.h"
#include "group/mean.h"
#include "core/npy.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- by name ---------------------------------------------------------------------------------- */

static const recon_group *const built_in[] = { RECON_SO2, RECON_SO3 };
enum {
    BUILT_IN = sizeof built_in / sizeof *built_in,
    ADDED = sizeof((recon_ctx){ 0 }.groups) / sizeof(void *)
};

/* Families, whose groups are called by a letter and n. */
static const struct {
    char letter;
    size_t least, most; /* n */
    const char *words, *what;
    const recon_group *group;
    int is_power; /* n numbers of a circle each */
} families[] = {
    { 'c', 2, 360, "C_%zu", "cyclic", &recon_group_cyclic, 0 },
    { 't', 2, RECON_NUMBERS_MAX, "T^%zu", "tori", &recon_group_torus, 1 }, /* T^1 is SO(2) */
};
enum { FAMILIES = sizeof families / sizeof *families };

static const recon_group *group_at(const recon_ctx *ctx, size_t i)
{
    return i < BUILT_IN                          ? built_in[i]
           : ctx && i - BUILT_IN < ctx->n_groups ? ctx->groups[i - BUILT_IN]
                                                 : NULL;
}

/* A group of a family, made for a context, which frees it. */
typedef struct made {
    struct made *next;
    recon_group group;
    recon_family family;
    char name[8], words[16];
} made;

static const recon_group *find(const recon_ctx *ctx, const char *name)
{
    const recon_group *group;
    for (size_t i = 0; (group = group_at(ctx, i)); i++)
        if (!strcmp(group->name, name))
            return group;
    for (const made *m = ctx->made_groups; m; m = m->next)
        if (!strcmp(m->name, name))
            return &m->group;
    return NULL;
}

/* The family of a name such as "c12", and its n; FAMILIES: it is of none. */
static size_t family_of(size_t *n, const char *name)
{
    char again[8];
    size_t f = 0;
    while (f < FAMILIES && families[f].letter != name[0])
        f++;
    *n = f < FAMILIES ? strtoul(name + 1, NULL, 10) : 0;
    snprintf(again, sizeof again, "%c%zu", name[0], *n);
    return f < FAMILIES && *n >= families[f].least && *n <= families[f].most && !strcmp(again, name)
               ? f
               : FAMILIES;
}

/* A group of this name, if a family has one; *out NULL: none has. */
static recon_status make(recon_ctx *ctx, const recon_group **out, const char *name)
{
    size_t n, f = family_of(&n, name);
    made *m;
    *out = NULL;
    if (f == FAMILIES)
        return RECON_OK;
    RECON_CHECK(recon_alloc(ctx, &m, 1, sizeof *m));
    m->group = *families[f].group;
    snprintf(m->name, sizeof m->name, "%s", name);
    snprintf(m->words, sizeof m->words, families[f].words, n);
    m->group.name = m->name;
    m->group.words = m->words;
    m->group.n = n;
    if (families[f].is_power) {
        m->family = (recon_family){ "normal", { n, 0 } };
        m->group.numbers = m->group.dimension = m->group.identifiability = m->group.shape[0] = n;
        m->group.uniform = (double)n * recon_group_so2.uniform;
        m->group.families = &m->family;
    }
    m->next = ctx->made_groups;
    ctx->made_groups = m;
    *out = &m->group;
    return RECON_OK;
}

const char *recon_group_list(recon_group_names out, const recon_ctx *ctx)
{
    const recon_group *group;
    size_t used = 0, room = sizeof(recon_group_names);
    for (size_t i = 0; (group = group_at(ctx, i)) && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", group->name);
    for (size_t f = 0; f < FAMILIES && used < room; f++)
        used += (size_t)snprintf(out + used, room - used, "%s%c%zu to %c%zu (%s)",
                                 f + 1 < FAMILIES ? ", " : " and ", families[f].letter,
                                 families[f].least, families[f].letter, families[f].most,
                                 families[f].what);
    return out;
}

recon_status recon_group_find(recon_ctx *ctx, const recon_group **out, const char *name)
{
    recon_group_names known;
    *out = find(ctx, name);
    if (*out)
        return RECON_OK;
    recon_status status = make(ctx, out, name);
    return *out || status != RECON_OK
               ? status
               : recon_fail(ctx, RECON_ERR_INPUT, "there is no group '%.40s': %s are known", name,
                            recon_group_list(known, ctx));
}

static size_t product(const size_t shape[2])
{
    return (shape[0] ? shape[0] : 1) * (shape[1] ? shape[1] : 1);
}

recon_status recon_group_check(recon_ctx *ctx, const recon_group *g)
{
    if (!g || !g->name || !g->words || !g->meaning)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "poses of a group are needed, which has a name, words and a meaning");
    if (g->numbers == 0 || g->numbers > RECON_NUMBERS_MAX || g->identifiability == 0 ||
        g->identifiability > RECON_NUMBERS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "group %s: 1 to %d numbers are allowed", g->name,
                          RECON_NUMBERS_MAX);
    if (!g->identity || !g->compose || !g->inverse || !g->length || !g->distance || !g->haar ||
        !g->check || !g->center || !g->background || !g->score || !g->tail || !g->parameters ||
        !g->families || g->family_count < 1 || g->fit_size == 0)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "group %s: its table lacks an entry that is not optional", g->name);
    if ((!g->read || !g->write) && product(g->shape) != g->numbers)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "group %s: without read and write its shape has to hold %zu numbers",
                          g->name, g->numbers);
    return RECON_OK;
}

recon_status recon_group_add(recon_ctx *ctx, const recon_group *group)
{
    size_t n;
    RECON_CHECK(recon_group_check(ctx, group));
    if (find(ctx, group->name) || family_of(&n, group->name) < FAMILIES)
        return recon_fail(ctx, RECON_ERR_INPUT, "a group named '%s' already exists", group->name);
    if (ctx->n_groups == ADDED)
        return recon_fail(ctx, RECON_ERR_INPUT, "at most %d groups can be added", ADDED);
    ctx->groups[ctx->n_groups++] = group;
    return RECON_OK;
}

/* --- sizes ------------------------------------------------------------------------------------ */

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

const char *recon_group_print(recon_pose_text text, const recon_group *group, const double *pose)
{
    double unit = group->text_degrees ? RECON_TO_RADIANS : 1;
    size_t used = 0;
    for (size_t i = 0; i < group->numbers && used < sizeof(recon_pose_text); i++)
        used += (size_t)snprintf(text + used, sizeof(recon_pose_text) - used, "%s%.*f",
                                 i ? " " : "", group->text_degrees ? 2 : 6, pose[i] / unit);
    return text;
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
    RECON_CHECK(recon_array_to_f64(ctx, out, a));
    for (size_t i = 0; i < n * width; i++)
        if (!isfinite(out[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: row %zu holds %g", path, i / width,
                              out[i]);
    return RECON_OK;
}

recon_status recon_group_check_order(recon_ctx *ctx, recon_quaternions order, const recon_array *a,
                                     size_t width, const char *path)
{
    recon_array_text shape;
    if ((width == 4) == (order != RECON_QUATERNIONS_NONE))
        return RECON_OK;
    if (width == 4)
        return recon_fail(
            ctx, RECON_ERR_INPUT,
            "%s: the order of the quaternions has to be stated, since the numbers "
            "cannot show it: {quaternions=wxyz} (w first: MuJoCo, PyTorch3D, Blender) "
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

/* --- The means by name, and their options */

recon_status recon_mean_options_check(recon_ctx *ctx, const recon_mean_options *o)
{
    RECON_CHECK(recon_reserved_check(ctx, o->reserved, "recon_mean_options"));
    return recon_enum_check(ctx, o->kind, RECON_MEAN_CHORDAL, "mean");
}

const char *recon_mean_name(recon_mean_kind kind)
{
    static const char *const name[] = { "auto", "tukey", "frechet", "chordal" };
    return name[kind];
}
