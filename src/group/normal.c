/* normal.c - see normal.h. */
#include "group/normal.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/cholesky.h"
#include "stats/eig4.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

#define FREEDOM   3.0  /* of the strays' Student distribution                         */
#define AROUND    5.0  /* without a pool strays are this many times as wide           */
#define NARROWEST 1e-3 /* radians, or this share of the strays' width: the least width */
#define STRAYS    0.1  /* background at which a fit begins                            */

enum { ROUNDS = 40 };

static const recon_normal_kind *kind_of(const recon_group *self)
{
    return self->user;
}

static size_t shifts_of(const recon_group *self)
{
    return self->dimension - kind_of(self)->rotations;
}

double recon_chi_square_above(double x, size_t n)
{
    double term = n % 2 ? sqrt(2 * x / M_PI) * exp(-x / 2) : exp(-x / 2);
    double sum = n % 2 ? erfc(sqrt(x / 2)) : term;
    if (n % 2 == 0)
        term *= x / 2;
    for (size_t m = n % 2 ? 3 : 4; m <= n; m += 2) {
        sum += term;
        term *= x / (double)m;
    }
    return sum;
}

void recon_normal_spread(const recon_group *self, double *mean, double *covariance,
                         const double *poses, size_t n)
{
    size_t m = shifts_of(self);
    double y[RECON_SHIFT_MAX];
    if (self->pool)
        poses = self->pool, n = self->pool_count;
    memset(mean, 0, m * sizeof *mean);
    memset(covariance, 0, m * m * sizeof *covariance);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < n; i++) {
            kind_of(self)->shift(self, y, poses + i * self->numbers);
            for (size_t a = 0; a < m; a++) {
                mean[a] += round ? 0 : y[a] / (double)n;
                for (size_t b = 0; round && b < m; b++)
                    covariance[a * m + b] += (y[a] - mean[a]) * (y[b] - mean[b]) / (double)n;
            }
        }
}

/* The chance that a normal rotation vector is shorter than pi. Of three directions by Lebedev's rule with 26
 * points in the frame of the eigenvalues. */
static double within_pi(const recon_group *self, const double *sigma)
{
    size_t d = self->dimension;
    double m[10] = { 0 }, sum = 0;
    recon_eig4 eig;
    if (kind_of(self)->rotations == 0)
        return 1;
    if (kind_of(self)->rotations == 1)
        return erf(M_PI / sqrt(2 * sigma[0]));
    for (size_t i = 0; i < 3; i++)
        for (size_t j = i; j < 3; j++)
            m[RECON_SYM4(i, j)] = sigma[i * d + j];
    m[RECON_SYM4(3, 3)] = -1;
    recon_eig4_of(&eig, m);
    for (int i = 0; i < 7; i++) {
        const double *v = eig.value, trace = v[0] + v[1] + v[2];
        double square = i < 3 ? v[i] : i < 6 ? (trace - v[i - 3]) / 2 : trace / 3;
        double weight = i < 3 ? 2.0 / 21 : i < 6 ? 16.0 / 105 : 27.0 / 105;
        sum += weight * (1 - recon_chi_square_above(M_PI * M_PI / square, 3));
    }
    return sum;
}

static void set_sigma(recon_normal *out, const recon_group *self)
{
    size_t d = self->dimension;
    out->log_constant = -(double)d / 2 * log(2 * M_PI) - log(within_pi(self, out->sigma)) -
                        recon_cholesky(out->factor, out->sigma, d, 1e-300);
}

/* The squared length of v in standard deviations. */
static double square_of(const recon_normal *p, const double *v, size_t d)
{
    double w[RECON_NORMAL_MAX], sum = 0;
    recon_cholesky_forward(w, p->factor, v, d);
    for (size_t i = 0; i < d; i++)
        sum += w[i] * w[i];
    return sum;
}

static double log_normal(const recon_normal *p, const recon_group *self, const double *v)
{
    const recon_normal_kind *kind = kind_of(self);
    return p->log_constant - square_of(p, v, self->dimension) / 2 -
           (kind->log_jacobian ? kind->log_jacobian(self, v) : 0);
}

static double log_stray(const recon_normal *p, const recon_group *self, const double *pose)
{
    size_t m = shifts_of(self);
    double y[RECON_SHIFT_MAX], sum = 0;
    kind_of(self)->shift(self, y, pose);
    recon_cholesky_forward(y, p->stray, y, m);
    for (size_t i = 0; i < m; i++)
        sum += y[i] * y[i];
    return p->stray_constant - (FREEDOM + (double)m) / 2 * log1p(sum / FREEDOM);
}

static void set_strays(recon_normal *out, const recon_group *self, const double covariance[],
                       double least)
{
    double m = (double)shifts_of(self);
    out->stray_constant = lgamma((FREEDOM + m) / 2) - lgamma(FREEDOM / 2) -
                          m / 2 * log(FREEDOM * M_PI) - kind_of(self)->uniform -
                          recon_cholesky(out->stray, covariance, shifts_of(self), least);
}

/* --- the fit ---------------------------------------------------------------------------------- */

/* One set: logarithms, and for each pose the density of a stray and whether it belongs. */
typedef struct {
    const recon_group *group;
    const double *poses;
    size_t k;
    double *v, *stray, *belongs, *scratch;
    double least[2]; /* the least variance of rotations, and of shifts */
} fitting;

/* The median of the squared lengths of a block, as a variance. */
static double robust_variance(const fitting *f, size_t begin, size_t end)
{
    static const double median[] = { 0, 0.4549, 1.3863, 2.3660 };
    size_t d = f->group->dimension;
    for (size_t i = 0; i < f->k; i++) {
        f->scratch[i] = 0;
        for (size_t a = begin; a < end; a++)
            f->scratch[i] += f->v[i * d + a] * f->v[i * d + a];
    }
    recon_sort_doubles(f->scratch, f->k);
    return recon_quantile(f->scratch, f->k, 0.5) / median[end - begin];
}

static void begin_fit(recon_normal *out, fitting *f)
{
    const recon_group *g = f->group;
    size_t d = g->dimension, rotations = kind_of(g)->rotations, m = d - rotations;
    double mean[RECON_SHIFT_MAX], spread[RECON_SHIFT_MAX * RECON_SHIFT_MAX];
    double variance[2] = { 0 }, wide = 0;
    for (size_t i = 0; i < f->k; i++)
        g->log(g, f->v + i * d, f->poses + i * g->numbers);
    if (rotations)
        variance[0] = robust_variance(f, 0, rotations);
    variance[1] = robust_variance(f, rotations, d);
    recon_normal_spread(g, mean, spread, f->poses, f->k);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m && !g->pool; b++)
            spread[a * m + b] = a == b ? AROUND * AROUND * variance[1] : 0;
    for (size_t a = 0; a < m; a++)
        wide = fmax(wide, spread[a * m + a]);
    wide = fmax(wide, 1e-24);
    f->least[0] = NARROWEST * NARROWEST;
    f->least[1] = NARROWEST * NARROWEST * wide;
    set_strays(out, g, spread, f->least[1]);
    memset(out->sigma, 0, sizeof out->sigma);
    for (size_t a = 0; a < d; a++)
        out->sigma[a * d + a] = fmax(variance[a >= rotations], f->least[a >= rotations]);
    set_sigma(out, g);
    out->background = STRAYS;
    for (size_t i = 0; i < f->k; i++)
        f->stray[i] = log_stray(out, g, f->poses + i * g->numbers);
}

/* The covariance of those that belong, with as many poses again as there are directions, and one, that are
 * alike in all rotations and all shifts. */
static void estimate(recon_normal *out, const fitting *f, double sum)
{
    const recon_group *g = f->group;
    size_t d = g->dimension, rotations = kind_of(g)->rotations;
    double alike = d > 1 ? (double)d + 1 : 0, mean[2] = { 0 };
    double correction = f->k > 1 ? (double)f->k / (double)(f->k - 1) : 1;
    memset(out->sigma, 0, sizeof out->sigma);
    for (size_t i = 0; i < f->k; i++)
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                out->sigma[a * d + b] +=
                    f->belongs[i] * f->v[i * d + a] * f->v[i * d + b] / (sum + alike);
    for (size_t a = 0; a < d; a++)
        mean[a >= rotations] += out->sigma[a * d + a] * (sum + alike) / sum /
                                (double)(a < rotations ? rotations : d - rotations);
    for (size_t a = 0; a < d * d; a++)
        out->sigma[a] *= correction;
    for (size_t a = 0; a < d; a++)
        out->sigma[a * d + a] +=
            correction * alike * mean[a >= rotations] / (sum + alike) + f->least[a >= rotations];
}

static void fit_one(recon_normal *out, fitting *f)
{
    const recon_group *g = f->group;
    begin_fit(out, f);
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0, before = out->background;
        for (size_t i = 0; i < f->k; i++) {
            double in = log1p(-out->background) + log_normal(out, g, f->v + i * g->dimension);
            f->belongs[i] = 1 / (1 + exp(log(out->background) + f->stray[i] - in));
            sum += f->belongs[i];
        }
        out->background = fmin(fmax(1 - sum / (double)f->k, 1e-9), 0.99);
        estimate(out, f, fmax(sum, 1e-3));
        set_sigma(out, g);
        if (fabs(out->background - before) < 1e-9)
            break;
    }
}

recon_status recon_normal_fit(recon_ctx *ctx, const recon_group *self, void *fits,
                              const double *poses, size_t sets, size_t k, int family)
{
    recon_normal *out = fits;
    fitting f = { .group = self, .k = k };
    double *all = NULL;
    recon_status status;
    (void)family;
    RECON_TRY(recon_alloc_raw(ctx, &all, k, (self->dimension + 3) * sizeof *all));
    f.v = all;
    f.stray = all + k * self->dimension;
    f.belongs = f.stray + k;
    f.scratch = f.belongs + k;
    for (size_t s = 0; s < sets; s++) {
        f.poses = poses + s * k * self->numbers;
        fit_one(&out[s], &f);
    }
done:
    recon_free_all(all);
    return status;
}

/* --- the rest of the table -------------------------------------------------------------------- */

double recon_normal_background(const recon_group *self, const void *fit)
{
    (void)self;
    return ((const recon_normal *)fit)->background;
}

double recon_normal_score(const recon_group *self, const void *fit, double b, const double *pose)
{
    double v[RECON_NORMAL_MAX], least = log(b) + log_stray(fit, self, pose);
    self->log(self, v, pose);
    double log_p = log1p(-b) + log_normal(fit, self, v), high = fmax(log_p, least);
    return -high - log(exp(log_p - high) + exp(least - high));
}

/* Of the background about all poses score as high. */
double recon_normal_tail(const recon_group *self, const void *fit, double b, const double *pose)
{
    double v[RECON_NORMAL_MAX];
    self->log(self, v, pose);
    return fmin(
        1,
        (1 - b) * recon_chi_square_above(square_of(fit, v, self->dimension), self->dimension) + b);
}

void recon_normal_parameters(const recon_group *self, double *out, const void *fit)
{
    const recon_normal *p = fit;
    size_t d = self->dimension;
    memcpy(out, p->sigma, d * d * sizeof *out);
    if (d == 1)
        *out = sqrt(*out);
}

double recon_normal_width(const recon_group *self, const void *fit)
{
    const recon_normal *p = fit;
    size_t d = self->dimension, n = kind_of(self)->rotations ? kind_of(self)->rotations : d;
    double sum = 0;
    for (size_t a = 0; a < n; a++)
        sum += p->sigma[a * d + a] / (double)n;
    return sqrt(sum);
}
