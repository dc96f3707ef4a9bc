/* symmetry.c - which cyclic group a set of angles repeats.
 *
 * m times the angles of an object that looks alike after each m-th of a turn gather about one direction, that of
 * their m-th moment. For each m a normal law about m evenly spaced centres, all of the same weight, and uniform strays
 * are fitted; the likeliest m has to fit, as on SO(3): few strays, centres told apart, none preferred, and each in the
 * middle of its angles. */
#include "group/so2/symmetry.h"

#include <math.h>
#include <recon/group/so2.h>

enum { FOLDS = RECON_MODES_MAX, ROUNDS = 40 };
#define TWO_PI      (2 * M_PI)
#define STRAYS_MOST 0.5
#define APART       4     /* widths between neighbouring centres, at least */
#define WIDTH_MOST  0.35  /* radians */
#define WIDTH_LEAST 0.005 /* radians: exact copies have no likelihood */
#define NEAR        3.5   /* widths within which an angle is no stray */
#define LEVEL       0.0015
#define ROUGH       6.9 /* -log of the level of each of Rayleigh's tests */

typedef struct {
    int fold;
    double center, width, strays, likelihood;
} law;

/* From the nearest centre. */
static double off(const law *l, double angle)
{
    return recon_so2_wrap(l->fold * (angle - l->center)) / l->fold;
}

static law fit(const double *angles, size_t n, int fold)
{
    law l = { .fold = fold, .width = 0.15, .strays = 0.1 };
    double re = 0, im = 0;
    for (size_t i = 0; i < n; i++) {
        re += cos(fold * angles[i]);
        im += sin(fold * angles[i]);
    }
    l.center = atan2(im, re) / fold;
    for (int round = 0; round < ROUNDS; round++) {
        double inside = 0, squares = 0, shift = 0;
        double peak = (1 - l.strays) / (fold * l.width * sqrt(TWO_PI)), base = l.strays / TWO_PI;
        l.likelihood = 0;
        for (size_t i = 0; i < n; i++) {
            double d = off(&l, angles[i]), own = peak * exp(-d * d / (2 * l.width * l.width));
            double belongs = own / (own + base);
            l.likelihood += log(own + base);
            inside += belongs;
            squares += belongs * d * d;
            shift += belongs * d;
        }
        l.center += shift / fmax(inside, 1e-9);
        l.strays = fmin(fmax(1 - inside / (double)n, 0.5 / (double)n), 0.95);
        l.width = fmin(fmax(sqrt(squares / fmax(inside, 1)), WIDTH_LEAST), 0.6);
    }
    return l;
}

/* The upper tail of chi-squared, by Wilson and Hilferty. */
static double tail_of(double chi, double degrees)
{
    double k = 2 / (9 * degrees);
    return erfc((cbrt(chi / degrees) - 1 + k) / sqrt(2 * k)) / 2;
}

/* Of each centre: how many angles are near it, and the sum of how far they are off. */
typedef struct {
    double count[FOLDS], sum[FOLDS], inside, squares;
} shares;

static shares share_out(const law *l, const double *angles, size_t n)
{
    shares s = { .inside = 0 };
    for (size_t i = 0; i < n; i++) {
        double d = off(l, angles[i]);
        int at = (int)lround((angles[i] - d - l->center) * l->fold / TWO_PI) % l->fold;
        at += at < 0 ? l->fold : 0;
        if (fabs(d) > NEAR * l->width)
            continue;
        s.count[at]++;
        s.sum[at] += d;
        s.inside++;
        s.squares += d * d;
    }
    return s;
}

/* An arc, or weights that fall from one centre on, are uneven in their first harmonics above all. */
static int is_rough(const law *l, const shares *s)
{
    for (int m = 1; 2 * m < l->fold; m++) {
        double re = 0, im = 0;
        for (int j = 0; j < l->fold; j++) {
            re += s->count[j] * cos(TWO_PI * m * j / l->fold);
            im += s->count[j] * sin(TWO_PI * m * j / l->fold);
        }
        if (re * re + im * im > ROUGH * s->inside)
            return 1;
    }
    return 0;
}

/* Whether each centre is taken as often, and in the middle of its angles; and how likely that is. */
static int fits(const law *l, const double *angles, size_t n, double *p_value)
{
    const shares s = share_out(l, angles, n);
    double m = l->fold, even = 0, between = 0, each = s.inside / m;
    int may_miss = m * pow(1 - 1 / m, s.inside) > LEVEL;
    for (int j = 0; j < l->fold; j++) {
        if (s.count[j] == 0 && !may_miss)
            return 0;
        even += (s.count[j] - each) * (s.count[j] - each) / each;
        between += s.count[j] > 0 ? s.sum[j] * s.sum[j] / s.count[j] : 0;
    }
    double within = fmax((s.squares - between) / fmax(s.inside - m, 1), WIDTH_LEAST * WIDTH_LEAST);
    *p_value = tail_of(even + between / within, 2 * (m - 1));
    return tail_of(even, m - 1) >= LEVEL && tail_of(between / within, m - 1) >= LEVEL &&
           !is_rough(l, &s);
}

void recon_so2_symmetry(recon_so2_named *out, const double *angles, size_t n)
{
    /* none: a uniform law; more is asked of one of FOLDS */
    law best = { .likelihood = 1.5 * log((double)n) + log(FOLDS) - (double)n * log(TWO_PI) };
    *out = (recon_so2_named){ .fold = 0 };
    if (n < RECON_SYMMETRY_LEAST)
        return;
    for (int m = 1; m <= FOLDS; m++) {
        law l = fit(angles, n, m);
        best = l.likelihood > best.likelihood ? l : best;
    }
    if (best.fold == 0 || best.strays > STRAYS_MOST || best.width > WIDTH_MOST ||
        best.width * APART > TWO_PI / best.fold)
        return;
    out->p_value = 1;
    if (best.fold > 1 && !fits(&best, angles, n, &out->p_value))
        return;
    out->fold = best.fold;
    out->center = recon_so2_wrap(best.fold * best.center) / best.fold;
}

int recon_so2_repeats(const double *angles, size_t n, int fold)
{
    law l = fit(angles, n, fold);
    double p;
    return fits(&l, angles, n, &p);
}
