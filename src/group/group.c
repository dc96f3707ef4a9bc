/* group.c - finds groups by name, and functions common to all groups. */
#include "group/group.h"
#include "group/mean.h"
#include "group/rigid.h"
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

static const recon_group *const built_in[] = { RECON_SO2,        RECON_SO3,
                                               &recon_group_o2,  &recon_group_se2,
                                               &recon_group_se3, &recon_group_scale };
enum {
    BUILT_IN = sizeof built_in / sizeof *built_in,
    ADDED = sizeof((recon_ctx){ 0 }.groups) / sizeof(void *)
};

/* Families, whose groups are called by a prefix and n. */
static const struct {
    const char *prefix;
    size_t least, most; /* n */
    const char *words, *what;
    const recon_group *group;
    size_t elements, numbers; /* for each n */
    double uniform;           /* the same */
} families[] = {
    { "c", 2, 360, "C_%zu", "cyclic", &recon_group_cyclic, 1, 0, 0 },
    { "d", 2, 64, "D_%zu", "dihedral", &recon_group_dihedral, 2, 0, 0 },
    { "torus", 1, RECON_NUMBERS_MAX, "T^%zu", "angles", &recon_group_torus, 0, 1,
      1.83787706640934548356 },
    { "r", 1, 3, "R^%zu", "shifts", &recon_group_shifts, 0, 1, NAN },
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
    char name[24], words[40];
    recon_group_directions directions;
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
    char again[sizeof(((made *)NULL)->name)];
    size_t f = 0;
    for (; f < FAMILIES; f++) {
        size_t prefix = strlen(families[f].prefix);
        if (strncmp(name, families[f].prefix, prefix) != 0)
            continue;
        *n = strtoul(name + prefix, NULL, 10);
        snprintf(again, sizeof again, "%s%zu", families[f].prefix, *n);
        if (*n >= families[f].least && *n <= families[f].most && !strcmp(again, name))
            break;
    }
    return f;
}

static const recon_group *keep(recon_ctx *ctx, made *m, const char *name)
{
    snprintf(m->name, sizeof m->name, "%s", name);
    m->group.name = m->name;
    m->group.words = m->words;
    m->next = ctx->made_groups;
    ctx->made_groups = m;
    return &m->group;
}

/* The product of two groups of which neither is one. */
static recon_status make_product(recon_ctx *ctx, const recon_group **out, const char *name)
{
    const char *star = strchr(name, '*');
    const recon_group *part[2];
    char first[sizeof((made){ 0 }.name)];
    made *m;
    if (strchr(star + 1, '*') || strlen(name) >= sizeof first)
        return RECON_OK;
    snprintf(first, sizeof first, "%.*s", (int)(star - name), name);
    RECON_CHECK(recon_group_find(ctx, &part[0], first));
    RECON_CHECK(recon_group_find(ctx, &part[1], star + 1));
    RECON_CHECK(recon_alloc(ctx, &m, 1, sizeof *m));
    recon_status status =
        recon_group_multiply(ctx, &m->group, &m->family, m->directions, part[0], part[1]);
    if (status != RECON_OK) {
        free(m);
        return status;
    }
    snprintf(m->words, sizeof m->words, "%.11s x %.11s", part[0]->words, part[1]->words);
    *out = keep(ctx, m, name);
    return RECON_OK;
}

/* A group of this name, if a family has one; *out NULL: none has. */
static recon_status make(recon_ctx *ctx, const recon_group **out, const char *name)
{
    size_t n, f = family_of(&n, name);
    made *m;
    *out = NULL;
    if (strchr(name, '*'))
        return make_product(ctx, out, name);
    if (f == FAMILIES)
        return RECON_OK;
    RECON_CHECK(recon_alloc(ctx, &m, 1, sizeof *m));
    m->group = *families[f].group;
    snprintf(m->words, sizeof m->words, families[f].words, n);
    m->group.n = n;
    m->group.elements = n * families[f].elements;
    if (families[f].numbers) {
        int square = m->group.directions && n > 1; /* a covariance */
        m->family = (recon_family){ "normal", { n, square ? n : 0 } };
        m->group.numbers = m->group.dimension = m->group.shape[0] = n;
        m->group.identifiability = m->group.identifiability ? m->group.identifiability : n;
        m->group.uniform = (double)n * families[f].uniform;
        m->group.families = &m->family;
    }
    *out = keep(ctx, m, name);
    return RECON_OK;
}

const char *recon_group_list(recon_group_names out, const recon_ctx *ctx)
{
    const recon_group *group;
    size_t used = 0, room = sizeof(recon_group_names);
    for (size_t i = 0; (group = group_at(ctx, i)) && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", group->name);
    for (size_t f = 0; f < FAMILIES && used < room; f++)
        used += (size_t)snprintf(out + used, room - used, "%s%s%zu to %s%zu (%s)", ", ",
                                 families[f].prefix, families[f].least, families[f].prefix,
                                 families[f].most, families[f].what);
    if (used < room)
        snprintf(out + used, room - used, " and products of two (so2*scale)");
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

/* --- one run ---------------------------------------------------------------------------------- */

int recon_group_is_unbounded(const recon_group *group)
{
    return group->directions && strpbrk(group->directions, "sz") != NULL;
}

/* The standard deviation of angles that are uniform is pi / sqrt 3. */
static void set_pool(recon_group *g, const double *pool, size_t n)
{
    double v[RECON_NUMBERS_MAX], square = 0, count = 0;
    g->pool = pool;
    g->pool_count = n;
    if (!g->log || !recon_group_is_unbounded(g))
        return;
    for (size_t i = 0; i + 1 < n; i++) {
        double apart[RECON_NUMBERS_MAX];
        g->inverse(g, apart, pool + i * g->numbers);
        g->compose(g, apart, pool + (i + n / 2) % n * g->numbers, apart);
        g->log(g, v, apart);
        for (size_t a = 0; a < g->dimension; a++)
            if (g->directions[a] != 'r')
                square += v[a] * v[a] / 2, count++;
    }
    g->unit = square > 0 ? sqrt(3 * square / count) / M_PI : 1;
}

void recon_group_run_begin(recon_group_run *out, const recon_group *group, const double *poses,
                           size_t n)
{
    size_t used = n < RECON_POOL ? n : RECON_POOL, at = 0;
    out->group = *group;
    for (size_t i = 0; i < used; i++)
        memcpy(out->pool[2] + i * group->numbers, poses + i * n / used * group->numbers,
               group->numbers * sizeof *poses);
    for (int p = 0; group->part[1] && p < 2; p++) {
        out->part[p] = *group->part[p];
        size_t numbers = out->part[p].numbers;
        for (size_t i = 0; i < used; i++)
            memcpy(out->pool[p] + i * numbers, out->pool[2] + i * group->numbers + at,
                   numbers * sizeof *poses);
        set_pool(&out->part[p], out->pool[p], used);
        out->group.part[p] = &out->part[p];
        at += numbers;
    }
    set_pool(&out->group, out->pool[2], used);
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
