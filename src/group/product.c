/* product.c - A*B: pairs of poses that vary independently, their columns side by side.
 *
 * Each part has its own centre and verdict; which modes go together is counted, so that parts that depend on
 * each other have those pairs as modes that occur. The density is the product of the parts' densities, beside one
 * background. */
#include "group/group.h"
#include "group/natural.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/npy.h"

#include <math.h>
#include <recon/core/array.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where part i of a pose begins, and where its fit does. */
static size_t at_pose(const recon_group *self, int i)
{
    return i ? self->part[0]->numbers : 0;
}

static size_t aligned(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static void *fit_of(const recon_group *self, const void *fit, int i)
{
    return (char *)fit + (i ? aligned(self->part[0]->fit_size) : 0);
}

/* A loop over the parts, with the place of each in poses. */
#define EACH_PART(g, at)                                                                           \
    for (int part_ = 0; part_ < 2; part_++)                                                        \
        for (const recon_group *g = self->part[part_]; g; g = NULL)                                \
            for (size_t at = at_pose(self, part_), once_ = 1; once_; once_ = 0)

/* --- algebra ---------------------------------------------------------------------------------- */

static void identity(const recon_group *self, double *out)
{
    EACH_PART(g, at) g->identity(g, out + at);
}

static void compose(const recon_group *self, double *out, const double *a, const double *b)
{
    EACH_PART(g, at) g->compose(g, out + at, a + at, b + at);
}

static void inverse(const recon_group *self, double *out, const double *a)
{
    EACH_PART(g, at) g->inverse(g, out + at, a + at);
}

static double length(const recon_group *self, const double *a)
{
    double sum = 0;
    EACH_PART(g, at) sum += pow(g->length(g, a + at), 2);
    return sqrt(sum);
}

static double distance(const recon_group *self, const double *a, const double *b)
{
    double sum = 0;
    EACH_PART(g, at) sum += pow(g->distance(g, a + at, b + at), 2);
    return sqrt(sum);
}

static void haar(const recon_group *self, double *out, recon_rng *rng)
{
    EACH_PART(g, at) g->haar(g, out + at, rng);
}

static void exponential(const recon_group *self, double *out, const double *v)
{
    EACH_PART(g, at) g->exp(g, out + at, v + (part_ ? self->part[0]->dimension : 0));
}

static void logarithm(const recon_group *self, double *v, const double *a)
{
    EACH_PART(g, at) g->log(g, v + (part_ ? self->part[0]->dimension : 0), a + at);
}

/* Part i of n poses, one behind the other. */
static void take(double *out, const recon_group *self, int i, const double *poses, size_t n)
{
    size_t numbers = self->part[i]->numbers;
    for (size_t j = 0; j < n; j++)
        memcpy(out + j * numbers, poses + j * self->numbers + at_pose(self, i),
               numbers * sizeof *out);
}

static recon_status check(recon_ctx *ctx, const recon_group *self, const double *poses, size_t n)
{
    double *own = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &own, n, self->numbers * sizeof *own));
    for (int i = 0; i < 2; i++) {
        take(own, self, i, poses, n);
        status = self->part[i]->check(ctx, self->part[i], own, n);
        if (status != RECON_OK)
            RECON_TRY(recon_note(ctx, status, "part %s of %s", self->part[i]->name, self->name));
    }
done:
    free(own);
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

static size_t columns_of(const recon_group *g, recon_quaternions order)
{
    return g->takes_quaternions && order ? g->takes_quaternions : recon_group_written(g);
}

/* Columns as the part's own reader takes them. */
static recon_status read_part(recon_ctx *ctx, const recon_group *self, int i, double *out,
                              const double *rows, size_t width, size_t n, recon_quaternions order,
                              const char *path)
{
    const recon_group *g = self->part[i];
    size_t own = columns_of(g, order), begin = i ? columns_of(self->part[0], order) : 0;
    recon_array a = { .dtype = RECON_F64, .ndim = own > 1 ? 2 : 1, .shape = { n, own } };
    double *columns = NULL, *poses = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &columns, n, own * sizeof *columns));
    RECON_TRY(recon_alloc_raw(ctx, &poses, n, g->numbers * sizeof *poses));
    for (size_t j = 0; j < n; j++)
        memcpy(columns + j * own, rows + j * width + begin, own * sizeof *columns);
    a.data = columns;
    if (g->shape[1] && own != g->takes_quaternions) { /* a matrix */
        a.ndim = 3;
        a.shape[1] = g->shape[0];
        a.shape[2] = g->shape[1];
    }
    RECON_TRY(recon_group_read(ctx, g, poses, &a, n,
                               g->takes_quaternions ? order : RECON_QUATERNIONS_NONE, path));
    for (size_t j = 0; j < n; j++)
        memcpy(out + j * self->numbers + at_pose(self, i), poses + j * g->numbers,
               g->numbers * sizeof *out);
done:
    recon_free_all(columns, poses);
    return status;
}

static recon_status read(recon_ctx *ctx, const recon_group *self, double *out, const recon_array *a,
                         size_t n, recon_quaternions order, const char *path)
{
    size_t width = columns_of(self->part[0], order) + columns_of(self->part[1], order);
    recon_array_text shape;
    double *rows = NULL;
    recon_status status;
    if (a->ndim != 2 || a->shape[1] != width)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: %s, but poses are N x %zu for %s: the columns of %s, then of %s",
                          path, recon_array_show(shape, a), width, self->words,
                          self->part[0]->words, self->part[1]->words);
    RECON_TRY(recon_alloc_raw(ctx, &rows, n, width * sizeof *rows));
    RECON_TRY(recon_group_rows(ctx, rows, a, width, n, path));
    for (int i = 0; i < 2; i++)
        RECON_TRY(read_part(ctx, self, i, out, rows, width, n, order, path));
done:
    free(rows);
    return status;
}

static void write(const recon_group *self, double *out, const double *poses, size_t n)
{
    for (size_t j = 0; j < n; j++, poses += self->numbers)
        EACH_PART(g, at)
        {
            recon_group_write(g, out, poses + at, 1);
            out += recon_group_written(g);
        }
}

/* --- the centre ------------------------------------------------------------------------------- */

static int nearest(const recon_group *g, const recon_center *c, const double *pose)
{
    int best = 0;
    for (int i = 1; i < c->modes; i++)
        if (g->distance(g, c->mode[i].at, pose) < g->distance(g, c->mode[best].at, pose))
            best = i;
    return best;
}

/* Pairs of modes that occur, the most frequent first; those with a tenth as many as that are strays. */
static void join_modes(recon_center *out, const recon_group *self, const recon_center part[2],
                       const double *poses, size_t k)
{
    size_t count[RECON_MODES_MAX][RECON_MODES_MAX] = { { 0 } }, sum = 0, most = 0;
    for (size_t i = 0; i < k; i++) {
        const double *pose = poses + i * self->numbers;
        count[nearest(self->part[0], &part[0], pose)]
             [nearest(self->part[1], &part[1], pose + at_pose(self, 1))]++;
    }
    for (out->modes = 0; out->modes < RECON_MODES_MAX; out->modes++) {
        size_t a = 0, b = 0;
        for (size_t i = 0; i < RECON_MODES_MAX * RECON_MODES_MAX; i++)
            if (count[i / RECON_MODES_MAX][i % RECON_MODES_MAX] > count[a][b])
                a = i / RECON_MODES_MAX, b = i % RECON_MODES_MAX;
        most = out->modes ? most : count[a][b];
        if (10 * count[a][b] <= most)
            break;
        memcpy(out->mode[out->modes].at, part[0].mode[a].at,
               self->part[0]->numbers * sizeof(double));
        memcpy(out->mode[out->modes].at + at_pose(self, 1), part[1].mode[b].at,
               self->part[1]->numbers * sizeof(double));
        out->mode[out->modes].weight = (double)count[a][b];
        sum += count[a][b];
        count[a][b] = 0;
    }
    for (int i = 0; i < out->modes; i++)
        out->mode[i].weight /= (double)sum;
}

/* The free directions of a part, at `begin` of those of the product: of a part without any pose all are. */
static void add_free(recon_center *out, const recon_group *g, const recon_center *part,
                     size_t begin)
{
    int all = part->natural == RECON_NATURAL_NONE, own = all ? (int)g->dimension : part->free_count;
    int spin = part->natural == RECON_NATURAL_AXIS && own == 0 && g->has_axis;
    for (int i = 0; i < own + spin && out->free_count < RECON_FREE_MAX; i++) {
        double *to = out->free[out->free_count++] + begin;
        if (all)
            to[i] = 1;
        else
            memcpy(to, spin ? part->axis[1] : part->free[i],
                   (spin ? 3 : g->dimension) * sizeof *to);
    }
}

/* A part's mean is its centre, unless that pair of modes does not occur. */
static void join(recon_center *out, const recon_group *self, const recon_center part[2],
                 const double *poses, size_t k)
{
    int both = part[0].modes > 1 && part[1].modes > 1;
    *out = (recon_center){ .natural = recon_natural_join(part[0].natural, part[1].natural) };
    join_modes(out, self, part, poses, k);
    for (int i = 0; i < 2; i++)
        memcpy(out->mean + at_pose(self, i), part[i].mean, self->part[i]->numbers * sizeof(double));
    if (both)
        memcpy(out->mean, out->mode[0].at, self->numbers * sizeof(double));
    memcpy(out->identifiability, part[0].identifiability,
           self->part[0]->identifiability * sizeof(double));
    memcpy(out->identifiability + self->part[0]->identifiability, part[1].identifiability,
           self->part[1]->identifiability * sizeof(double));
    out->fold = out->natural == RECON_NATURAL_MODULO
                    ? (part[0].fold ? part[0].fold : 1) * (part[1].fold ? part[1].fold : 1)
                    : out->natural <= RECON_NATURAL_SEVERAL;
    if (out->natural == RECON_NATURAL_AXIS)
        for (int i = 0; i < 2; i++)
            add_free(out, self->part[i], &part[i], i ? self->part[0]->dimension : 0);
}

static recon_status center(recon_ctx *ctx, const recon_group *self, recon_center *out, void *fits,
                           const double *poses, size_t sets, size_t k,
                           const recon_mean_options *options)
{
    double *own = NULL;
    recon_center *found[2] = { NULL, NULL }, both[2];
    char *fit = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &own, sets * k, self->numbers * sizeof *own));
    for (int i = 0; i < 2; i++) {
        const recon_group *g = self->part[i];
        free(fit);
        RECON_TRY(recon_alloc_raw(ctx, &fit, sets, g->fit_size));
        RECON_TRY(recon_alloc_raw(ctx, &found[i], sets, sizeof *found[i]));
        take(own, self, i, poses, sets * k);
        RECON_TRY(g->center(ctx, g, found[i], fit, own, sets, k, options));
        for (size_t s = 0; s < sets && !g->fit; s++)
            memcpy(fit_of(self, (char *)fits + s * self->fit_size, i), fit + s * g->fit_size,
                   g->fit_size);
    }
    for (size_t s = 0; s < sets; s++) {
        both[0] = found[0][s];
        both[1] = found[1][s];
        join(&out[s], self, both, poses + s * k * self->numbers, k);
    }
done:
    recon_free_all(own, found[0], found[1], fit);
    return status;
}

/* --- the density ------------------------------------------------------------------------------ */

static recon_status recenter(recon_ctx *ctx, const recon_group *self, void *fit,
                             const double *center)
{
    EACH_PART(g, at)
    if (g->recenter)
        RECON_CHECK(g->recenter(ctx, g, fit_of(self, fit, part_), center + at));
    return RECON_OK;
}

/* One family, without a choice: the normal one where there is. */
static int family_of(const recon_group *g)
{
    for (int i = 0; i < g->family_count; i++)
        if (!strcmp(g->families[i].name, "normal"))
            return i;
    return 0;
}

static recon_status fit_sets(recon_ctx *ctx, const recon_group *self, void *fits,
                             const double *poses, size_t sets, size_t k, int family)
{
    double *own = NULL;
    recon_status status;
    (void)family;
    RECON_TRY(recon_alloc_raw(ctx, &own, k, self->numbers * sizeof *own));
    for (size_t s = 0; s < sets; s++)
        for (int i = 0; i < 2; i++) {
            const recon_group *g = self->part[i];
            take(own, self, i, poses + s * k * self->numbers, k);
            if (g->fit)
                RECON_TRY(g->fit(ctx, g, fit_of(self, (char *)fits + s * self->fit_size, i), own, 1,
                                 k, family_of(g)));
        }
done:
    free(own);
    return status;
}

/* A stray in either part is one. */
static double background(const recon_group *self, const void *fit)
{
    double most = 0;
    EACH_PART(g, at)
    {
        (void)at;
        most = fmax(most, g->background(g, fit_of(self, fit, part_)));
    }
    return most;
}

static double score(const recon_group *self, const void *fit, double b, const double *pose)
{
    double in = log1p(-b), out = log(b), high;
    EACH_PART(g, at)
    {
        in -= b < 1 ? g->score(g, fit_of(self, fit, part_), 0, pose + at) : 0;
        out -= b > 0 ? g->score(g, fit_of(self, fit, part_), 1, pose + at) : 0;
    }
    high = fmax(in, out);
    return -high - log(exp(in - high) + exp(out - high));
}

/* The product of two uniform numbers is at most t with probability t (1 - log t). */
static double tail(const recon_group *self, const void *fit, double b, const double *pose)
{
    double t = 1;
    EACH_PART(g, at) t *= g->tail(g, fit_of(self, fit, part_), b, pose + at);
    t = fmin(t, 1);
    return t > 0 ? t * (1 - log(t)) : 0;
}

static void parameters(const recon_group *self, double *out, const void *fit)
{
    EACH_PART(g, at)
    {
        (void)at;
        g->parameters(g, out, fit_of(self, fit, part_));
        out += recon_family_parameters(&g->families[family_of(g)]);
    }
}

/* Of the first part that has one: radians, or the unit of shifts. */
static double width(const recon_group *self, const void *fit)
{
    EACH_PART(g, at)
    {
        (void)at;
        if (g->width && g->dimension)
            return g->width(g, fit_of(self, fit, part_));
    }
    return NAN;
}

static const recon_group table = { .meaning = "pairs of poses that vary independently",
                                   .column = "pair",
                                   .identity = identity,
                                   .compose = compose,
                                   .inverse = inverse,
                                   .length = length,
                                   .distance = distance,
                                   .haar = haar,
                                   .check = check,
                                   .read = read,
                                   .write = write,
                                   .family_count = 1,
                                   .center = center,
                                   .recenter = recenter,
                                   .fit = fit_sets,
                                   .background = background,
                                   .score = score,
                                   .tail = tail,
                                   .parameters = parameters,
                                   .width = width };

recon_status recon_group_multiply(recon_ctx *ctx, recon_group *out, recon_family *family,
                                  recon_group_directions directions, const recon_group *a,
                                  const recon_group *b)
{
    size_t numbers = a->numbers + b->numbers, known = a->identifiability + b->identifiability;
    if (numbers > RECON_NUMBERS_MAX || known > RECON_NUMBERS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s*%s: %zu numbers a pose, more than %d", a->name,
                          b->name, numbers, RECON_NUMBERS_MAX);
    *out = table;
    out->part[0] = a;
    out->part[1] = b;
    out->numbers = numbers;
    out->dimension = a->dimension + b->dimension;
    out->elements = a->dimension || b->dimension ? 0 : a->elements * b->elements;
    out->shape[0] = recon_group_written(a) + recon_group_written(b);
    out->takes_quaternions =
        a->takes_quaternions || b->takes_quaternions
            ? columns_of(a, RECON_QUATERNIONS_WXYZ) + columns_of(b, RECON_QUATERNIONS_WXYZ)
            : 0;
    out->identifiability = known;
    out->uniform = a->uniform + b->uniform;
    out->fit_size = aligned(a->fit_size) + aligned(b->fit_size);
    if (a->exp && b->exp) {
        out->exp = exponential;
        out->log = logarithm;
    }
    snprintf(directions, sizeof(recon_group_directions), "%.*s%.*s", (int)a->dimension,
             a->directions ? a->directions : "rrrrrrrrrrrrrrrr", (int)b->dimension,
             b->directions ? b->directions : "rrrrrrrrrrrrrrrr");
    out->directions = out->dimension ? directions : NULL;
    *family = (recon_family){ "product",
                              { recon_family_parameters(&a->families[family_of(a)]) +
                                    recon_family_parameters(&b->families[family_of(b)]),
                                0 } };
    out->families = family;
    return RECON_OK;
}
