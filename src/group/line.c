/* line.c - R^n, shifts, and R+, sizes, whose logarithms are shifts. */
#include "group/locate.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

static void shift_of(const recon_group *self, double *out, const double *a)
{
    self->log(self, out, a);
}

static const recon_normal_kind kind = { .shift = shift_of };

/* --- R^n -------------------------------------------------------------------------------------- */

static void no_shift(const recon_group *self, double *out)
{
    memset(out, 0, self->numbers * sizeof *out);
}

static void add(const recon_group *self, double *out, const double *a, const double *b)
{
    for (size_t i = 0; i < self->numbers; i++)
        out[i] = a[i] + b[i];
}

static void negate(const recon_group *self, double *out, const double *a)
{
    for (size_t i = 0; i < self->numbers; i++)
        out[i] = -a[i];
}

static void copy(const recon_group *self, double *out, const double *a)
{
    memmove(out, a, self->numbers * sizeof *out);
}

static recon_status check(recon_ctx *ctx, const recon_group *self, const double *poses, size_t n)
{
    for (size_t i = 0; i < n * self->numbers; i++)
        if (!(fabs(poses[i]) <= RECON_SHIFT_LARGEST))
            return recon_fail(ctx, RECON_ERR_INPUT, "row %zu holds %g: shifts are within +-%g",
                              i / self->numbers, poses[i], RECON_SHIFT_LARGEST);
    return RECON_OK;
}

/* --- R+ --------------------------------------------------------------------------------------- */

static void no_scale(const recon_group *self, double *out)
{
    (void)self;
    *out = 1;
}

static void multiply(const recon_group *self, double *out, const double *a, const double *b)
{
    (void)self;
    *out = *a * *b;
}

static void reciprocal(const recon_group *self, double *out, const double *a)
{
    (void)self;
    *out = 1 / *a;
}

static void exponential(const recon_group *self, double *out, const double *v)
{
    (void)self;
    *out = exp(*v);
}

static void logarithm(const recon_group *self, double *out, const double *a)
{
    (void)self;
    *out = log(*a);
}

static recon_status check_scale(recon_ctx *ctx, const recon_group *self, const double *poses,
                                size_t n)
{
    (void)self;
    for (size_t i = 0; i < n; i++)
        if (!(poses[i] >= 1 / RECON_SHIFT_LARGEST && poses[i] <= RECON_SHIFT_LARGEST))
            return recon_fail(ctx, RECON_ERR_INPUT, "row %zu is %g: a scale is above 0", i,
                              poses[i]);
    return RECON_OK;
}

/* --- both ------------------------------------------------------------------------------------- */

static double length(const recon_group *self, const double *a)
{
    double v[RECON_SHIFT_MAX], sum = 0;
    self->log(self, v, a);
    for (size_t i = 0; i < self->dimension; i++)
        sum += v[i] * v[i];
    return sqrt(sum) / (self->unit > 0 ? self->unit : 1);
}

static double distance(const recon_group *self, const double *a, const double *b)
{
    double apart[RECON_SHIFT_MAX];
    self->inverse(self, apart, b);
    self->compose(self, apart, a, apart);
    return length(self, apart);
}

static void haar(const recon_group *self, double *out, recon_rng *rng)
{
    double v[RECON_SHIFT_MAX], other[RECON_SHIFT_MAX];
    if (self->pool) {
        size_t a = recon_rng_below(rng, self->pool_count);
        self->inverse(self, other,
                      self->pool + recon_rng_below(rng, self->pool_count) * self->numbers);
        self->compose(self, out, self->pool + a * self->numbers, other);
        return;
    }
    for (size_t i = 0; i < self->dimension; i++)
        v[i] = recon_rng_normal(rng);
    self->exp(self, out, v);
}

/* The mean of logarithms is the group mean, the Frechet mean and the chordal one. */
static void take_mean(const recon_group *self, double *out, const double *y, size_t k)
{
    double sum[RECON_SHIFT_MAX] = { 0 };
    for (size_t i = 0; i < k; i++)
        for (size_t a = 0; a < self->dimension; a++)
            sum[a] += y[i * self->dimension + a] / (double)k;
    self->exp(self, out, sum);
}

static void report(recon_center *out, const recon_group *self, const recon_location *l)
{
    *out = (recon_center){ .natural = l->natural, .modes = l->modes, .free_count = l->free_count };
    out->fold = l->natural == RECON_NATURAL_ONE || l->natural == RECON_NATURAL_SEVERAL;
    out->identifiability[0] = l->known;
    self->exp(self, out->mean, l->at[l->chosen]);
    for (int i = 0; i < l->modes; i++) {
        self->exp(self, out->mode[i].at, l->at[i]);
        out->mode[i].weight = l->weight[i];
    }
    for (int i = 0; i < l->free_count; i++)
        memcpy(out->free[i], l->free[i], self->dimension * sizeof(double));
}

static recon_status center(recon_ctx *ctx, const recon_group *self, recon_center *out, void *fits,
                           const double *poses, size_t sets, size_t k,
                           const recon_mean_options *options)
{
    size_t d = self->dimension;
    double *y = NULL;
    recon_shifts shifts = { 0 };
    recon_location found;
    recon_status status;
    (void)fits;
    RECON_TRY(recon_alloc_raw(ctx, &y, k, (d + 1) * sizeof *y));
    if (self->pool)
        RECON_TRY(recon_shifts_of(ctx, &shifts, self, NULL, 0));
    for (size_t s = 0; s < sets; s++) {
        const double *set = poses + s * k * self->numbers;
        for (size_t i = 0; i < k; i++)
            self->log(self, y + i * d, set + i * self->numbers);
        if (!self->pool) {
            recon_free_all(shifts.z);
            RECON_TRY(recon_shifts_of(ctx, &shifts, self, set, k));
        }
        RECON_TRY(recon_locate(ctx, &found, y + k * d, y, k, &shifts));
        report(&out[s], self, &found);
        if (options && options->kind > RECON_MEAN_TUKEY)
            take_mean(self, out[s].mean, y, k);
    }
done:
    recon_free_all(y, shifts.z);
    return status;
}

#define LINE_ENTRIES                                                                               \
    .user = &kind, .uniform = NAN, .length = length, .distance = distance, .haar = haar,           \
    .identifiability = 1, .center = center, RECON_NORMAL_ENTRIES

const recon_group recon_group_shifts = {
    .meaning = "shifts",
    .column = "shift",
    .directions = "sss",
    .identity = no_shift,
    .compose = add,
    .inverse = negate,
    .exp = copy,
    .log = copy,
    .check = check,
    LINE_ENTRIES,
};

static const recon_family families[] = { { "normal", { 0 } } };

const recon_group recon_group_scale = {
    .name = "scale",
    .words = "R+",
    .meaning = "sizes",
    .column = "scale",
    .numbers = 1,
    .dimension = 1,
    .directions = "z",
    .identity = no_scale,
    .compose = multiply,
    .inverse = reciprocal,
    .exp = exponential,
    .log = logarithm,
    .check = check_scale,
    .families = families,
    LINE_ENTRIES,
};
