/* locate.c - see locate.h.
 *
 * Lengths are measured in units of the pool. A mode begins at the vector with the nearest third of the others and
 * goes to a Tukey location with its own scale; what it does not hold may have another. The verdict in a direction
 * compares the distances of pairs with those in the pool: a pair's place in the order of the pool's distances is 1/2
 * in the mean if the set is drawn from the pool, whatever its shape. */
#include "group/locate.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/cholesky.h"
#include "stats/eig4.h"
#include "stats/quantile.h"
#include "stats/tie.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVIDENCE      5.0  /* nats that a further mode must gain, beside those of its parameters */
#define SHARE         0.15 /* of the vectors that a further mode must hold */
#define BETWEEN_MODES 0.3 /* of the vectors: with more outside of all modes there is one wide one */
#define DETERMINED    2.6 /* standard deviations below 1/2: a direction is determined, level 0.5 % */
#define FREE          1.64 /* nearer to 1/2: it may be free, level 5 % */
#define BETWEEN       0.4 /* mean place of pairs: above it no direction is determined, below none free */
#define NARROW        0.2 /* of the pool's greatest width: it has no spread in such a direction */
#define FAR           6.0 /* units of the pool: all bins */

enum {
    LEAST = 5,    /* vectors for a verdict        */
    STARTS = 128, /* vectors that a search begins at */
    ROUNDS = 100,
    PAIRED = 64 /* vectors with each of which every one makes a pair, at most */
};

double recon_tukey_square(size_t d)
{
    return pow(sqrt((double)d) + 3.7, 2);
}

/* --- the pool --------------------------------------------------------------------------------- */

/* The share of distances up to this bin, of members and those some places on, in a direction. */
typedef struct {
    double place[RECON_LOCATE_BINS];
} order;

static double dot(const double *a, const double *b, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += a[i] * b[i];
    return sum;
}

static size_t bin_of(double apart)
{
    return (size_t)fmin(fabs(apart) * RECON_LOCATE_BINS / FAR, RECON_LOCATE_BINS - 1);
}

static void sort_pool(order *out, const recon_shifts *s, const double *u)
{
    static const size_t part[] = { 7, 11, 13, 17, 19 }; /* members of one kind may be neighbours */
    double sum = 0, count = 0;
    memset(out, 0, sizeof *out);
    for (size_t j = 0; j < sizeof part / sizeof *part; j++)
        for (size_t i = 0, step = s->n * 5 / part[j] + 1; i < s->n; i++, count++) {
            const double *a = s->z[i], *b = s->z[(i + step) % s->n];
            out->place[bin_of(dot(u, a, s->d) - dot(u, b, s->d))]++;
        }
    for (size_t i = 0; i < RECON_LOCATE_BINS; i++) {
        double here = out->place[i];
        out->place[i] = (sum + here / 2) / count;
        sum += here;
    }
}

/* How much the mean place of a member's pairs differs from one to the next. */
static double doubt_of(const recon_shifts *s, size_t axis)
{
    double u[3] = { 0 }, sum = 0, square = 0;
    order o;
    u[axis] = 1;
    sort_pool(&o, s, u);
    for (size_t i = 0; i < s->n; i++) {
        double mean = 0;
        for (size_t j = 0; j < s->n; j++)
            mean += o.place[bin_of(s->z[i][axis] - s->z[j][axis])] / (double)s->n;
        sum += mean / (double)s->n;
        square += mean * mean / (double)s->n;
    }
    return square - sum * sum;
}

recon_status recon_shifts_of(recon_ctx *ctx, recon_shifts *out, const recon_group *self,
                             const double *poses, size_t n)
{
    const recon_normal_kind *kind = self->user;
    double mean[RECON_SHIFT_MAX], covariance[RECON_SHIFT_MAX * RECON_SHIFT_MAX], widest = 1e-24;
    *out = (recon_shifts){ .d = self->dimension - kind->rotations, .n = self->pool_count };
    recon_normal_spread(self, mean, covariance, poses, n);
    for (size_t a = 0; a < out->d; a++)
        widest = fmax(widest, covariance[a * out->d + a]);
    out->widest = sqrt(widest);
    recon_cholesky(out->factor, covariance, out->d, 1e-12 * widest);
    RECON_CHECK(recon_alloc_raw(ctx, &out->z, out->n, sizeof *out->z));
    for (size_t i = 0; i < out->n; i++) {
        kind->shift(self, out->z[i], self->pool + i * self->numbers);
        recon_cholesky_forward(out->z[i], out->factor, out->z[i], out->d);
    }
    for (size_t a = 0; a < out->d && out->n; a++)
        out->doubt = fmax(out->doubt, doubt_of(out, a));
    return RECON_OK;
}

/* --- modes ------------------------------------------------------------------------------------ */

typedef struct {
    double at[3], square; /* square: the variance in each direction */
    size_t n;             /* vectors within reach */
} mode;

typedef struct {
    const recon_shifts *shifts;
    double (*z)[3];
    size_t n, left;
    int *mode_of; /* -1: none yet */
    double *scratch;
} search;

static double apart(const search *s, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < s->shifts->d; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static double biweight(double share)
{
    return share < 1 ? (1 - share) * (1 - share) : 0;
}

/* The vector whose nearest third is nearest. */
static void begin(mode *out, const search *s)
{
    size_t need = s->left / 3, stride = (s->n + STARTS - 1) / STARTS;
    out->square = INFINITY;
    for (size_t i = 0; i < s->n; i += stride) {
        size_t n = 0;
        for (size_t j = 0; j < s->n && s->mode_of[i] < 0; j++)
            if (s->mode_of[j] < 0)
                s->scratch[n++] = apart(s, s->z[i], s->z[j]);
        if (n == 0)
            continue;
        recon_sort_doubles(s->scratch, n);
        double reach = s->scratch[need < n - 1 ? need : n - 1];
        if (reach < out->square) {
            out->square = reach;
            memcpy(out->at, s->z[i], sizeof out->at);
        }
    }
}

/* Location and scale together. For a normal distribution the weighted variance is 1 - 4 / c^2 of the true
 * one. */
static void climb(mode *m, search *s)
{
    size_t d = s->shifts->d;
    double c = recon_tukey_square(d);
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0, square = 0, to[3] = { 0 }, reach = fmax(c * m->square, 1e-28);
        m->n = 0;
        for (size_t i = 0; i < s->n; i++) {
            double r = apart(s, s->z[i], m->at), w = s->mode_of[i] < 0 ? biweight(r / reach) : 0;
            m->n += w > 0;
            sum += w;
            square += w * r;
            for (size_t a = 0; a < d; a++)
                to[a] += w * s->z[i][a];
        }
        if (sum <= 0)
            return;
        for (size_t a = 0; a < d; a++)
            to[a] /= sum;
        double moved = apart(s, to, m->at), before = m->square;
        memcpy(m->at, to, sizeof to);
        m->square = square / sum / (double)d / (1 - 4 / c);
        if (moved <= 1e-24 * reach && fabs(m->square - before) <= 1e-9 * before)
            return;
    }
}

/* Whether those that a further mode holds are so close together, beside strays as wide as the pool. */
static int is_clear(const mode *m, const search *s)
{
    double n = (double)m->n, d = (double)s->shifts->d;
    double gain = n * (log(n / (double)s->left) - d / 2 * log(fmax(m->square, 1e-20)));
    return m->n >= LEAST && n >= SHARE * (double)s->n &&
           gain > EVIDENCE + (d + 1) * log((double)s->n);
}

static int find_narrow(mode *out, search *s)
{
    int count = 0;
    double c = recon_tukey_square(s->shifts->d);
    for (s->left = s->n; count < RECON_MODES_MAX && s->left > 0; count++) {
        mode *m = &out[count];
        begin(m, s);
        climb(m, s);
        if (count && !is_clear(m, s))
            break;
        for (size_t i = 0; i < s->n; i++)
            if (s->mode_of[i] < 0 && apart(s, s->z[i], m->at) < fmax(c * m->square, 1e-28))
                s->mode_of[i] = count, s->left--;
    }
    return count;
}

/* Modes with much between them are parts of a wide one, which is climbed from the mean. */
static int find_modes(mode *out, search *s)
{
    int count = find_narrow(out, s);
    if (count == 1 || (double)s->left <= BETWEEN_MODES * (double)s->n)
        return count;
    for (size_t i = 0; i < s->n; i++)
        s->mode_of[i] = -1;
    out[0] = (mode){ .square = 1e200 };
    climb(&out[0], s);
    return 1;
}

static int by_weight(const void *a, const void *b)
{
    const mode *x = a, *y = b;
    return (x->n < y->n) - (x->n > y->n);
}

static double norm_of(const recon_location *l, int i, size_t d)
{
    return dot(l->at[i], l->at[i], d);
}

static void report_modes(recon_location *out, mode *m, const search *s)
{
    size_t d = s->shifts->d, sum = 0;
    qsort(m, (size_t)out->modes, sizeof *m, by_weight);
    for (int i = 0; i < out->modes; i++) {
        sum += m[i].n;
        for (size_t a = 0; a < d; a++)
            out->at[i][a] = dot(s->shifts->factor + a * d, m[i].at, a + 1);
    }
    for (int i = 0; i < out->modes; i++) {
        out->weight[i] = (double)m[i].n / (double)sum;
        if (recon_masses_tie((double)m[i].n, (double)m[0].n) &&
            norm_of(out, i, d) < norm_of(out, out->chosen, d))
            out->chosen = i;
    }
}

/* --- the verdict ------------------------------------------------------------------------------ */

/* The mean place of pairs in a direction. */
static double mean_place(const search *s, const double *u)
{
    order o;
    double sum = 0, count = 0;
    size_t d = s->shifts->d, most = s->n - 1 < PAIRED ? s->n - 1 : PAIRED;
    sort_pool(&o, s->shifts, u);
    for (size_t i = 0; i < s->n; i++)
        s->scratch[i] = dot(u, s->z[i], d);
    for (size_t step = 1; step <= most; step++)
        for (size_t i = 0; i < s->n; i++, count++)
            sum += o.place[bin_of(s->scratch[i] - s->scratch[(i + step) % s->n])];
    return count ? sum / count : 0;
}

/* The directions in which those about the mode are far apart, the widest first. */
static void directions(double u[3][3], const search *s, const mode *m)
{
    size_t d = s->shifts->d;
    double sym[10] = { 0 }, c = recon_tukey_square(d);
    recon_eig4 eig;
    for (size_t i = 0; i < s->n; i++) {
        double w = biweight(apart(s, s->z[i], m->at) / fmax(c * m->square, 1e-28));
        for (size_t a = 0; a < d; a++)
            for (size_t b = a; b < d; b++)
                sym[RECON_SYM4(a, b)] += w * (s->z[i][a] - m->at[a]) * (s->z[i][b] - m->at[b]);
    }
    for (size_t a = d; a < 4; a++)
        sym[RECON_SYM4(a, a)] = -1 - (double)a;
    recon_eig4_of(&eig, sym);
    for (size_t a = 0; a < d; a++)
        memcpy(u[a], eig.vector[a], sizeof u[a]);
}

/* A direction in units of the pool as one of shifts. */
static void add_free(recon_location *out, const recon_shifts *s, const double *u)
{
    double *to = out->free[out->free_count++], length;
    for (size_t a = 0; a < s->d; a++)
        to[a] = dot(s->factor + a * s->d, u, a + 1);
    length = sqrt(dot(to, to, s->d));
    for (size_t a = 0; a < s->d; a++)
        to[a] /= length;
}

/* The standard deviation of the pool along what a direction in its units measures. */
static double pool_width(const recon_shifts *s, const double *u)
{
    double v[3];
    recon_cholesky_backward(v, s->factor, u, s->d);
    return 1 / sqrt(dot(v, v, s->d));
}

/* In a direction in which all poses agree, those of a set that do say nothing. */
static void judge(recon_location *out, const search *s, const mode *m)
{
    size_t d = s->shifts->d, unsure = 0;
    double u[3][3], n = (double)s->n, widest = 0;
    double sd = sqrt(4 * s->shifts->doubt / n + 1 / (6 * n * (n - 1)));
    out->natural = out->modes > 1 ? RECON_NATURAL_SEVERAL : RECON_NATURAL_ONE;
    out->known = 1;
    if (s->n < LEAST)
        out->natural = RECON_NATURAL_UNSURE;
    if (s->n < LEAST || s->shifts->n == 0)
        return;
    directions(u, s, m);
    for (size_t a = 0; a < d; a++) {
        if (pool_width(s->shifts, u[a]) < NARROW * s->shifts->widest)
            continue;
        double place = mean_place(s, u[a]);
        widest = fmax(widest, place);
        if (place > fmax(0.5 - FREE * sd, BETWEEN))
            add_free(out, s->shifts, u[a]);
        else
            unsure += place > fmin(0.5 - DETERMINED * sd, BETWEEN);
    }
    out->known = fmax(0, 1 - 2 * widest);
    if (out->modes > 1)
        out->free_count = 0;
    else if (unsure)
        out->natural = RECON_NATURAL_UNSURE;
    else if (out->free_count)
        out->natural = (size_t)out->free_count < d ? RECON_NATURAL_AXIS : RECON_NATURAL_NONE;
}

recon_status recon_locate(recon_ctx *ctx, recon_location *out, double *belongs, const double *y,
                          size_t n, const recon_shifts *shifts)
{
    search s = { .shifts = shifts, .n = n };
    mode m[RECON_MODES_MAX] = { { { 0 }, 0, 0 } };
    size_t d = shifts->d;
    double c = recon_tukey_square(d);
    recon_status status;
    *out = (recon_location){ .modes = 0 };
    RECON_TRY(recon_alloc(ctx, &s.z, n, sizeof *s.z));
    RECON_TRY(recon_alloc_raw(ctx, &s.mode_of, n, sizeof *s.mode_of));
    RECON_TRY(recon_alloc_raw(ctx, &s.scratch, n, sizeof *s.scratch));
    for (size_t i = 0; i < n; i++) {
        recon_cholesky_forward(s.z[i], shifts->factor, y + i * d, d);
        s.mode_of[i] = -1;
    }
    out->modes = find_modes(m, &s);
    report_modes(out, m, &s);
    judge(out, &s, &m[out->chosen]);
    for (size_t i = 0; i < n; i++)
        belongs[i] =
            biweight(apart(&s, s.z[i], m[out->chosen].at) / fmax(c * m[out->chosen].square, 1e-28));
done:
    recon_free_all(s.z, s.mode_of, s.scratch);
    return status;
}
