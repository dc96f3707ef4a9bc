/* symmetry.c - which finite group, or which free spin, a set of rotations repeats.
 *
 * An object with symmetry group H has its poses near a h a^-1 c, h in H: c is the natural pose and a places
 * the axes of H. The mean Wigner matrix of degree l then has the squared norm dim(invariants of degree
 * l) / (2l + 1) times a factor for noise, and its estimate is a mean over pairs of poses of chi_l, a
 * function of the angle between them. That spectrum needs no placement and gives a shortlist. The
 * groups on it are placed by alternating chordal means, and compared by the likelihood of the poses
 * under equal weights for all elements, an isotropic spread and uniform strays.
 *
 * The likelihood alone would also name a group for an arc, or for two unequal poses, that no listed
 * law describes. So the winner has to fit: few strays, and no element preferred. */
#include <recon/group/mean.h>
#include "core/arena.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "group/group.h"
#include "group/so3/frame.h"
#include "group/so3/so3.h"
#include "group/so3/symmetry.h"
#include "stats/eig4.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdio.h>
#include <string.h>

enum {
    DEGREES = 10,  /* of the spectrum */
    GROUPS = 16,   /* candidates */
    SPIN = 72,     /* elements that stand for a circle: finer than any spread that is fitted */
    PAIRED = 256,  /* poses whose pairs make the spectrum */
    PLACED = 96,   /* poses that a placement is searched with */
    SHORT = 5,     /* length of the shortlist */
    STARTS = 160,  /* placements tried */
    FOLLOWED = 16, /* of them, to the end */
    ROUNDS = 4,    /* of alternating means for these */
    EM_ROUNDS = 20 /* for spread and strays */
};
#define STRAYS_MOST 0.5
#define APART       4    /* widths between neighbouring elements, at least */
#define WIDTH_MOST  0.35 /* radians */
#define WIDTH_LEAST 0.01 /* radians: exact copies have no likelihood */
#define EVEN_Z      2.97 /* normal quantile of 0.0015 */
#define EVEN_LOG    6.9  /* -log of the level of each of Rayleigh's tests */
#define GAP_LEVEL   0.005
#define FREE_LEAST  8
#define CLUMP       0.5 /* radians */
#define STEPS_LEAST 5   /* of n times the squared moment: chance in 1 of 150 free spins */

typedef struct {
    int code, order;
    double invariants[DEGREES]; /* dimension for degree l + 1 */
    recon_so3 element[SPIN];
} candidate;

typedef struct {
    recon_so3 a, b; /* the poses are near a h b */
    double width, strays, likelihood, p_value;
} placement;

/* --- the groups ------------------------------------------------------------------------------- */

/* chi_l(t) = sin((2l+1) t/2) / sin(t/2) = 1 + 2 sum_m cos(m t): l = 1 .. DEGREES. */
static void characters(double chi[DEGREES], double cos_t)
{
    double before = 1, now = cos_t, sum = 1;
    for (int l = 0; l < DEGREES; l++) {
        sum += 2 * now;
        chi[l] = sum;
        double next = 2 * cos_t * now - before;
        before = now;
        now = next;
    }
}

static double dot(recon_so3 p, recon_so3 q)
{
    return p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
}

static recon_so3 about(double x, double y, double z, double angle)
{
    return recon_so3_from_axis_angle((const double[]){ x, y, z }, angle);
}

/* All products of two generators, from the identity on. */
static void generate(candidate *g, recon_so3 first, recon_so3 second)
{
    const recon_so3 generator[2] = { first, second };
    g->element[0] = recon_so3_identity();
    g->order = 1;
    for (int i = 0; i < g->order; i++)
        for (int k = 0; k < 2; k++) {
            recon_so3 p = recon_so3_compose(g->element[i], generator[k]);
            int known = 0;
            for (int j = 0; j < g->order; j++)
                known |= fabs(dot(g->element[j], p)) > 1 - 1e-9;
            if (!known)
                g->element[g->order++] = p;
        }
    memset(g->invariants, 0, sizeof g->invariants);
    for (int i = 0; i < g->order; i++) {
        double chi[DEGREES], w = g->element[i].w;
        characters(chi, 2 * w * w - 1);
        for (int l = 0; l < DEGREES; l++)
            g->invariants[l] += chi[l] / g->order;
    }
}

static int make_groups(candidate out[GROUPS])
{
    const recon_so3 none = recon_so3_identity(), half = about(1, 0, 0, M_PI);
    const double golden = (1 + sqrt(5)) / 2;
    int n = 0;
    for (int fold = 1; fold <= 6; fold++, n++) {
        out[n].code = fold;
        generate(&out[n], about(0, 0, 1, 2 * M_PI / fold), none);
    }
    for (int fold = 2; fold <= 6; fold++, n++) {
        out[n].code = RECON_SYMMETRY_D + fold;
        generate(&out[n], about(0, 0, 1, 2 * M_PI / fold), half);
    }
    const recon_so3 diagonal = about(1, 1, 1, 2 * M_PI / 3);
    out[n].code = RECON_SYMMETRY_T;
    generate(&out[n++], about(0, 0, 1, M_PI), diagonal);
    out[n].code = RECON_SYMMETRY_O;
    generate(&out[n++], about(0, 0, 1, M_PI / 2), diagonal);
    out[n].code = RECON_SYMMETRY_I;
    generate(&out[n++], about(0, 1, golden, 2 * M_PI / 5), diagonal);
    out[n].code = RECON_SYMMETRY_SPIN;
    generate(&out[n++], about(0, 0, 1, 2 * M_PI / SPIN), none);
    return n;
}

int recon_so3_point_group(recon_so3 element[RECON_POINT_GROUP_MOST], int code)
{
    candidate group[GROUPS];
    int count = make_groups(group);
    for (int i = 0; i < count; i++)
        if (group[i].code == code && group[i].order <= RECON_POINT_GROUP_MOST) {
            memcpy(element, group[i].element, (size_t)group[i].order * sizeof *element);
            return group[i].order;
        }
    return 0;
}

/* The axis of highest order in the group's own frame. */
static void main_axis(double axis[3], int code)
{
    const double golden = (1 + sqrt(5)) / 2, length = sqrt(1 + golden * golden);
    axis[0] = code == RECON_SYMMETRY_T ? sqrt(1.0 / 3) : 0;
    axis[1] = code == RECON_SYMMETRY_T ? sqrt(1.0 / 3) : code == RECON_SYMMETRY_I ? 1 / length : 0;
    axis[2] = code == RECON_SYMMETRY_T   ? sqrt(1.0 / 3)
              : code == RECON_SYMMETRY_I ? golden / length
                                         : 1;
}

/* Parameters of a placement: two rotations, less what moves no element. */
static double freedom(int code)
{
    return code == RECON_SYMMETRY_C1     ? 3
           : code == RECON_SYMMETRY_SPIN ? 4
           : code < RECON_SYMMETRY_D     ? 5
                                         : 6;
}

/* --- the shortlist ---------------------------------------------------------------------------- */

/* Sample i of `some` evenly spaced ones of n. */
static recon_so3 spaced(const recon_so3 *g, size_t n, size_t some, size_t i)
{
    return g[i * n / some];
}

static void spectrum(double u[DEGREES], const recon_so3 *g, size_t n)
{
    size_t some = n < PAIRED ? n : PAIRED;
    memset(u, 0, DEGREES * sizeof *u);
    for (size_t i = 0; i < some; i++)
        for (size_t j = 0; j < i; j++) {
            double chi[DEGREES], w = dot(spaced(g, n, some, i), spaced(g, n, some, j));
            characters(chi, 2 * w * w - 1);
            for (int l = 0; l < DEGREES; l++)
                u[l] += 2 * chi[l] / (double)(some * (some - 1));
        }
}

/* How far the spectrum is from that of a group, at the best spread and share of strays. */
static double misfit(const candidate *g, const double u[DEGREES], double pairs)
{
    double best = INFINITY;
    for (double width = 0.015; width < 0.5; width *= 1.3) {
        double up = 0, down = 0, p[DEGREES], weight[DEGREES], sum = 0;
        for (int l = 0; l < DEGREES; l++) {
            p[l] = g->invariants[l] * exp(-(l + 1) * (l + 2) * width * width);
            weight[l] = 1 / (1 / pairs + 4e-4 * p[l] * p[l]);
            up += weight[l] * p[l] * u[l];
            down += weight[l] * p[l] * p[l];
        }
        double share = down > 0 ? fmin(fmax(up / down, 0.3), 1) : 0;
        for (int l = 0; l < DEGREES; l++)
            sum += weight[l] * (u[l] - share * p[l]) * (u[l] - share * p[l]);
        best = fmin(best, sum);
    }
    return best;
}

static int shortlist(int out[SHORT], const candidate *groups, int count, const recon_so3 *g,
                     size_t n)
{
    double u[DEGREES], far[GROUPS], some = (double)(n < PAIRED ? n : PAIRED);
    int kept = 0;
    spectrum(u, g, n);
    for (int i = 0; i < count; i++)
        far[i] = misfit(&groups[i], u, some * (some - 1) / 2);
    for (; kept < SHORT; kept++) {
        int best = 0;
        for (int i = 1; i < count; i++)
            best = far[i] < far[best] ? i : best;
        out[kept] = best;
        far[best] = INFINITY;
    }
    return kept;
}

/* --- placement -------------------------------------------------------------------------------- */

static recon_so3 top(const double moment[10])
{
    recon_eig4 e;
    recon_eig4_of(&e, moment);
    return recon_so3_normalize(
        (recon_so3){ e.vector[0][0], e.vector[0][1], e.vector[0][2], e.vector[0][3] });
}

/* The element whose pose is nearest to g; *cosine of half the angle to it. */
static int nearest(const recon_so3 *pose, int order, recon_so3 g, double *cosine)
{
    int best = 0;
    *cosine = 0;
    for (int h = 0; h < order; h++) {
        double c = fabs(dot(pose[h], g));
        if (c > *cosine)
            *cosine = c, best = h;
    }
    return best;
}

static void poses_of(recon_so3 *pose, const candidate *h, const placement *p)
{
    for (int i = 0; i < h->order; i++)
        pose[i] = recon_so3_compose(recon_so3_compose(p->a, h->element[i]), p->b);
}

/* One round: elements to poses, then b and a as chordal means, in which poses count by a kernel of the
 * given width. Returns the sum of the weights before. */
static double improve(placement *p, const candidate *h, const recon_so3 *g, size_t n, size_t some,
                      double width)
{
    recon_so3 pose[SPIN], inverse[SPIN], to_b, to_a;
    double of_b[10] = { 0 }, of_a[10] = { 0 }, sum = 0, weight[PLACED > PAIRED ? PLACED : PAIRED];
    int element[PLACED > PAIRED ? PLACED : PAIRED];
    poses_of(pose, h, p);
    for (int i = 0; i < h->order; i++)
        inverse[i] = recon_so3_inverse(h->element[i]);
    to_b = recon_so3_inverse(p->a);
    for (size_t j = 0; j < some; j++) {
        double cosine;
        recon_so3 q = spaced(g, n, some, j);
        element[j] = nearest(pose, h->order, q, &cosine);
        /* 8 sin^2(t/4) = t^2/2 to fourth order */
        weight[j] = exp(-4 * (1 - cosine) / (width * width));
        sum += weight[j];
        recon_so3_moment_add(
            of_b, recon_so3_compose(inverse[element[j]], recon_so3_compose(to_b, q)), weight[j]);
    }
    p->b = top(of_b);
    to_a = recon_so3_inverse(p->b);
    for (size_t j = 0; j < some; j++)
        recon_so3_moment_add(
            of_a,
            recon_so3_compose(recon_so3_compose(spaced(g, n, some, j), to_a), inverse[element[j]]),
            weight[j]);
    p->a = top(of_a);
    return sum;
}

/* Log-likelihood under spread and strays, which are fitted. */
static void fit(placement *p, const candidate *h, const recon_so3 *g, size_t n, size_t some)
{
    recon_so3 pose[SPIN];
    poses_of(pose, h, p);
    p->width = 0.15;
    p->strays = 0.1;
    for (int round = 0; round < EM_ROUNDS; round++) {
        /* density to Haar: 8 pi^2 times a normal one of the rotation vector, its volume element undone */
        double peak = 8 * M_PI * M_PI / pow(2 * M_PI * p->width * p->width, 1.5) / h->order;
        double inside = 0, squares = 0;
        p->likelihood = 0;
        for (size_t j = 0; j < some; j++) {
            double sum = 0, spread = 0;
            for (int i = 0; i < h->order; i++) {
                double c = fmin(fabs(dot(pose[i], spaced(g, n, some, j))), 1), t = 2 * acos(c);
                if (t > 5 * p->width)
                    continue;
                double s = 2 * sqrt(1 - c * c), volume = s > 1e-6 ? t / s : 1;
                double density = peak * exp(-t * t / (2 * p->width * p->width)) * volume * volume;
                sum += density;
                spread += density * t * t;
            }
            double all = (1 - p->strays) * sum + p->strays;
            p->likelihood += log(all);
            inside += (1 - p->strays) * sum / all;
            squares += (1 - p->strays) * spread / all;
        }
        p->strays = fmin(fmax(1 - inside / (double)some, 0.5 / (double)some), 0.95);
        p->width = fmin(fmax(sqrt(squares / fmax(3 * inside, 1)), WIDTH_LEAST), 0.6);
    }
}

/* The best of many starts, of which few are followed. Each makes one pose exact, since a stray may be among them. */
static placement place(const candidate *h, const recon_so3 *g, size_t n)
{
    size_t some = n < PLACED ? n : PLACED, more = n < PAIRED ? n : PAIRED;
    recon_rng rng = recon_rng_new(1, 0);
    placement kept[FOLLOWED], best = { .width = 0 };
    double sum[FOLLOWED], most = -1;
    int starts = h->order == 1 ? STARTS / 8 : h->code < RECON_SYMMETRY_D ? STARTS / 2 : STARTS;
    for (int s = 0, count = 0; s < starts; s++) {
        placement p = { .a = recon_so3_haar(&rng) };
        p.b = recon_so3_compose(recon_so3_inverse(p.a), spaced(g, n, some, (size_t)s % some));
        improve(&p, h, g, n, some, 0.4);
        double now = improve(&p, h, g, n, some, 0.4);
        int at = count < FOLLOWED ? count++ : FOLLOWED;
        for (; at > 0 && now > sum[at - 1]; at--)
            if (at < FOLLOWED)
                kept[at] = kept[at - 1], sum[at] = sum[at - 1];
        if (at < FOLLOWED)
            kept[at] = p, sum[at] = now;
    }
    for (int s = 0; s < FOLLOWED && s < starts; s++) {
        double now = 0;
        for (int round = 0; round < ROUNDS; round++)
            now = improve(&kept[s], h, g, n, some, 0.2);
        if (now > most) {
            most = now;
            best = kept[s];
        }
    }
    for (int round = 0; round < 2; round++) {
        fit(&best, h, g, n, more);
        for (int i = 0; i < 4; i++)
            improve(&best, h, g, n, more, 2 * fmax(best.width, 0.03));
    }
    fit(&best, h, g, n, more);
    return best;
}

/* --- does it fit? ----------------------------------------------------------------------------- */

/* The normal quantile of the same level as chi-squared, by Wilson and Hilferty. */
static double z_of(double chi, double degrees)
{
    double k = 2 / (9 * degrees);
    return (cbrt(chi / degrees) - 1 + k) / sqrt(k);
}

/* tr(w^-1 b), symmetric: 00 11 22 01 02 12; w with a little of its trace, as few poses may leave it flat. */
static double ratio(const double w[6], const double b[6])
{
    double more = 0.02 * (w[0] + w[1] + w[2]) + 1e-12;
    double x = w[0] + more, y = w[1] + more, z = w[2] + more;
    double c[6] = { y * z - w[5] * w[5],    x * z - w[4] * w[4],    x * y - w[3] * w[3],
                    w[4] * w[5] - w[3] * z, w[3] * w[5] - w[4] * y, w[3] * w[4] - w[5] * x };
    double det = x * c[0] + w[3] * c[3] + w[4] * c[4], sum = 0;
    for (int k = 0; k < 6; k++)
        sum += (k < 3 ? 1 : 2) * c[k] * b[k] / det;
    return sum;
}

static void add_square(double m[6], const double v[3], double weight)
{
    for (int k = 0; k < 3; k++)
        m[k] += weight * v[k] * v[k];
    m[3] += weight * v[0] * v[1];
    m[4] += weight * v[0] * v[2];
    m[5] += weight * v[1] * v[2];
}

/* Do the poses of each element scatter about its own place? Two poses 130 degrees apart are no half turn. About
 * chi-squared where they do; its degrees are at most 0 where too few are known. */
static double off_centre(double *degrees, const placement *p, const candidate *h,
                         const recon_so3 *g, size_t n)
{
    size_t some = n < PAIRED ? n : PAIRED;
    double sum[SPIN][3] = { { 0 } }, count[SPIN] = { 0 }, inside = 0, taken = 0;
    double within[6] = { 0 }, between[6] = { 0 };
    recon_so3 pose[SPIN];
    poses_of(pose, h, p);
    for (size_t j = 0; j < some; j++) {
        double cosine, v[3];
        recon_so3 q = spaced(g, n, some, j);
        int i = nearest(pose, h->order, q, &cosine);
        if (2 * acos(fmin(cosine, 1)) > 3.5 * p->width)
            continue;
        recon_so3_log(v, recon_so3_compose(q, recon_so3_inverse(pose[i])));
        for (int c = 0; c < 3; c++)
            sum[i][c] += v[c];
        add_square(within, v, 1);
        count[i]++;
        inside++;
    }
    for (int i = 0; i < h->order; i++)
        if (count[i] > 0) {
            add_square(between, sum[i], 1 / count[i]);
            taken++;
        }
    double free = inside - taken;
    *degrees = free < FREE_LEAST ? 0 : 3 * taken - freedom(h->code);
    for (int k = 0; k < 6; k++)
        within[k] -= between[k];
    return (free - 4) * ratio(within, between); /* as Hotelling's, in the mean */
}

/* Are strays anywhere? Pairs of them within CLUMP of one another are about Poisson's where they are; a third natural pose is
 * no stray. */
static int is_scattered(const placement *p, const candidate *h, const recon_so3 *g, size_t n)
{
    size_t some = n < PAIRED ? n : PAIRED, strays = 0;
    recon_so3 pose[SPIN], stray[PAIRED];
    double near = 0;
    poses_of(pose, h, p);
    for (size_t j = 0; j < some; j++) {
        double cosine;
        nearest(pose, h->order, spaced(g, n, some, j), &cosine);
        if (2 * acos(fmin(cosine, 1)) > 6 * p->width)
            stray[strays++] = spaced(g, n, some, j);
    }
    for (size_t i = 0; i < strays; i++)
        for (size_t j = 0; j < i; j++)
            near += fabs(dot(stray[i], stray[j])) > cos(CLUMP / 2);
    double expected = (double)(strays * (strays - (strays > 0))) / 2 * (CLUMP - sin(CLUMP)) / M_PI;
    return near <= expected + 3 * sqrt(expected) + 3;
}

/* Are the elements told apart? Half a free spin looks like any dihedral group whose poses are broad enough. */
static int is_resolved(const placement *p, const candidate *h)
{
    double least = WIDTH_MOST * APART;
    for (int i = 1; i < h->order; i++)
        least = fmin(least, recon_so3_angle(h->element[i]));
    return h->code == RECON_SYMMETRY_SPIN || p->width * APART <= least;
}

/* The chance that a spin leaves a gap as wide: an arc of 240 degrees is hardly uneven in other ways. */
static double gap_chance(const placement *p, const recon_so3 *g, size_t n)
{
    size_t some = n < PAIRED ? n : PAIRED, count = 0;
    double angle[PAIRED], widest = 0;
    const recon_so3 from = recon_so3_inverse(p->a), to = recon_so3_inverse(p->b);
    for (size_t j = 0; j < some; j++) {
        recon_so3 h = recon_so3_compose(recon_so3_compose(from, spaced(g, n, some, j)), to);
        if (2 * acos(fmin(hypot(h.w, h.z), 1)) <= 3.5 * p->width)
            angle[count++] = recon_so2_wrap(2 * atan2(h.z, h.w));
    }
    recon_sort_doubles(angle, count);
    for (size_t j = 0; j < count; j++)
        widest = fmax(widest, j ? angle[j] - angle[j - 1] : angle[0] - angle[count - 1] + 2 * M_PI);
    return fmin((double)count * pow(1 - widest / (2 * M_PI), (double)count - 1), 1);
}

/* Do poses gather in n steps about the main axis? A free spin whose tilt is broad looks like any number of broad steps. */
static int has_steps(const placement *p, const candidate *h, const recon_so3 *g, size_t n)
{
    size_t some = n < PAIRED ? n : PAIRED;
    int fold = h->code % RECON_SYMMETRY_D;
    double axis[3] = { 0, 0, 1 }, sum = 0, inside = 0;
    recon_so3 pose[SPIN];
    if (fold < 3 || h->code >= RECON_SYMMETRY_T)
        return 1;
    poses_of(pose, h, p);
    recon_so3_act(axis, recon_so3_inverse(p->b), axis);
    for (size_t j = 0; j < some; j++) {
        double cosine, v[3];
        recon_so3 q = spaced(g, n, some, j);
        int i = nearest(pose, h->order, q, &cosine);
        if (2 * acos(fmin(cosine, 1)) > 3.5 * p->width)
            continue;
        recon_so3_log(v, recon_so3_compose(recon_so3_inverse(pose[i]), q));
        sum += cos(fold * (v[0] * axis[0] + v[1] * axis[1] + v[2] * axis[2]));
        inside++;
    }
    return sum > 0 && sum * sum >= STEPS_LEAST * inside;
}

/* Are all elements taken equally often? Pearson's test of the counts, and about an axis Rayleigh's of the
 * first harmonics: an arc is uneven in those above all. */
static int is_even(placement *p, const candidate *h, const recon_so3 *g, size_t n)
{
    size_t some = n < PAIRED ? n : PAIRED;
    double count[SPIN] = { 0 }, inside = 0, chi = 0;
    recon_so3 pose[SPIN];
    poses_of(pose, h, p);
    for (size_t j = 0; j < some; j++) {
        double cosine;
        int i = nearest(pose, h->order, spaced(g, n, some, j), &cosine);
        if (2 * acos(fmin(cosine, 1)) > 3.5 * p->width)
            continue;
        count[i]++;
        inside++;
    }
    if (h->code == RECON_SYMMETRY_SPIN || h->code < RECON_SYMMETRY_D)
        for (int m = 1; m <= 4 && 2 * m < h->order; m++) {
            double re = 0, im = 0;
            for (int i = 0; i < h->order; i++) {
                double t = 2 * atan2(h->element[i].z, h->element[i].w);
                re += count[i] * cos(m * t);
                im += count[i] * sin(m * t);
            }
            if (re * re + im * im > EVEN_LOG * inside)
                return 0;
        }
    if (h->code == RECON_SYMMETRY_SPIN) {
        p->p_value = gap_chance(p, g, n);
        return p->p_value >= GAP_LEVEL;
    }
    /* An element that is never taken, where that is rarer than 0.0015 by chance: Pearson's test of few misses it. */
    int may_miss = h->order * pow(1 - 1.0 / h->order, inside) > 0.0015;
    for (int i = 0; i < h->order; i++) {
        if (count[i] == 0 && !may_miss)
            return 0;
        double d = count[i] - inside / h->order;
        chi += d * d * h->order / inside;
    }
    double free, off = off_centre(&free, p, h, g, n), even = h->order - 1;
    off = free > 0 ? off : 0;
    p->p_value = erfc(z_of(chi + off, even + fmax(free, 0)) / sqrt(2)) / 2;
    return z_of(chi, even) < EVEN_Z && (free <= 0 || z_of(off, free) < EVEN_Z);
}

/* --- the name --------------------------------------------------------------------------------- */

const char *recon_symmetry_name(recon_symmetry_text text, int code)
{
    const char *solid[] = { "T", "O", "I" };
    if (code >= RECON_SYMMETRY_T && code <= RECON_SYMMETRY_I)
        snprintf(text, sizeof(recon_symmetry_text), "%s", solid[code - RECON_SYMMETRY_T]);
    else if (code == RECON_SYMMETRY_SPIN)
        snprintf(text, sizeof(recon_symmetry_text), "free spin");
    else if (code == RECON_SYMMETRY_D + 1) /* of groups with mirror images */
        snprintf(text, sizeof(recon_symmetry_text), "either hand");
    else if (code > RECON_SYMMETRY_D && code < RECON_SYMMETRY_T)
        snprintf(text, sizeof(recon_symmetry_text), "D%d", code - RECON_SYMMETRY_D);
    else if (code >= RECON_SYMMETRY_C1 && code < RECON_SYMMETRY_D)
        snprintf(text, sizeof(recon_symmetry_text), "C%d", code);
    else
        text[0] = 0;
    return text;
}

const char *recon_symmetry_words(recon_symmetry_words_text text, int code, const double axis[3])
{
    static const char *const solid[] = { "tetrahedral", "octahedral", "icosahedral" };
    const size_t room = sizeof(recon_symmetry_words_text);
    int dihedral = code > RECON_SYMMETRY_D && code < RECON_SYMMETRY_T;
    int used = code == RECON_SYMMETRY_SPIN ? snprintf(text, room, "free spin")
               : code >= RECON_SYMMETRY_T
                   ? snprintf(text, room, "%s", solid[code - RECON_SYMMETRY_T])
                   : snprintf(text, room, "%d-fold", code % RECON_SYMMETRY_D);
    if (axis[0] != 0 || axis[1] != 0 || axis[2] != 0)
        used += snprintf(text + used, room - (size_t)used, " about (%.2f, %.2f, %.2f)",
                         axis[0] + 0.0, axis[1] + 0.0, axis[2] + 0.0);
    if (dihedral)
        snprintf(text + used, room - (size_t)used, ", 2-fold across");
    return text;
}

static void report(recon_point_group *out, const placement *p, const candidate *h)
{
    double axis[3], least = INFINITY;
    out->code = h->code;
    out->order = h->code == RECON_SYMMETRY_SPIN ? 0 : h->order;
    out->width = p->width;
    out->strays = p->strays;
    out->p_value = p->p_value;
    for (int i = 0; i < h->order; i++) {
        recon_so3 c = recon_so3_compose(recon_so3_compose(p->a, h->element[i]), p->b);
        double angle = recon_so3_angle(c);
        if (angle < least) {
            least = angle;
            out->center = c;
        }
    }
    if (h->code == RECON_SYMMETRY_C1)
        return;
    main_axis(axis, h->code);
    recon_so3_act(out->axis, p->a, axis);
}

recon_status recon_so3_symmetry(recon_ctx *ctx, recon_point_group *out, const recon_so3 *samples,
                                size_t n)
{
    candidate group[GROUPS];
    int list[SHORT], count, best = -1;
    placement found = { .width = 0, .p_value = 1 };
    double most = 0; /* of all rotations alike: their log-likelihood is 0 */
    *out = (recon_point_group){ .code = RECON_SYMMETRY_UNNAMED, .center = recon_so3_identity() };
    RECON_CHECK(recon_so3_check(ctx, samples, n, 0));
    if (n < RECON_SYMMETRY_LEAST)
        return RECON_OK;
    count = make_groups(group);
    count = shortlist(list, group, count, samples, n);
    double some = (double)(n < PAIRED ? n : PAIRED);
    for (int i = 0; i < count; i++) {
        placement p = place(&group[list[i]], samples, n);
        double value = p.likelihood - (2 + freedom(group[list[i]].code)) / 2 * log(some);
        if (value > most) {
            most = value;
            best = list[i];
            found = p;
        }
    }
    if (best >= 0 && found.strays <= STRAYS_MOST && is_resolved(&found, &group[best]) &&
        is_scattered(&found, &group[best], samples, n) &&
        has_steps(&found, &group[best], samples, n) &&
        (group[best].order == 1 || is_even(&found, &group[best], samples, n)))
        report(out, &found, &group[best]);
    return RECON_OK;
}
