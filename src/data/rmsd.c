/* rmsd.c - least root mean square distances: over rotations, and over renamings of atoms too.
 *
 * With M = sum of a_i b_i^T the squared distances after the best rotation sum to |a|^2 + |b|^2 -
 * 2 fit(M), where fit(M), the greatest tr(R^T M), is the top eigenvalue of a symmetric 4x4 matrix
 * and its eigenvector the quaternion (Horn 1987). Renaming atoms of b only changes M, so that the
 * best renaming is the one with the greatest fit.
 *
 * Leaf groups are searched by branch and bound. A group's share of M is (its mean in a)(its mean
 * in b)^T, whatever the permutation, plus D_p of the permutation p; and |tr(R^T D_p)| is at most
 * the product of the groups' spreads, by Cauchy and Schwarz. So fit(M of the groups decided, means
 * for the others) + spreads of the others bounds all that a choice can still lead to. Whether that
 * beats the best so far takes no eigenvalue: of a quartic with real roots only, t is above the
 * largest root if and only if no derivative is negative there. */
#include "data/rmsd.h"
#include "stats/eig4.h"
#include "group/so3/frame.h"
#include "group/so3/so3.h"

#include <math.h>
#include <string.h>

enum { NODES = 20000 }; /* of the search for one pair: about a millisecond */
#define GAIN 1e-13      /* a fit better by less than this part is no better */

/* --- one correspondence ----------------------------------------------------------------------- */

static double fit(const double m[9], recon_so3 *rotation)
{
    double k[10];
    recon_eig4 e;
    recon_so3_moment_of_matrix(k, m);
    recon_eig4_of(&e, k);
    const double *q = e.vector[0];
    *rotation = recon_so3_normalize((recon_so3){ q[0], q[1], q[2], q[3] });
    return 4 * e.value[0];
}

/* The root of a mean of squares that may come out below 0 by rounding. */
static double root(double squares, double count)
{
    return squares > 0 ? sqrt(squares / count) : 0;
}

static void add_outer(double m[9], const double u[3], const double v[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[3 * i + j] += u[i] * v[j];
}

/* Centre and total weight. */
static double centre(double c[3], const float *x, size_t n, const float *weights)
{
    double total = 0, sum[3] = { 0 };
    for (size_t i = 0; i < n; i++) {
        double w = weights ? weights[i] : 1;
        total += w;
        for (int k = 0; k < 3; k++)
            sum[k] += w * x[3 * i + k];
    }
    for (int k = 0; k < 3; k++)
        c[k] = sum[k] / total;
    return total;
}

static void from_centre(double out[3], const float *x, size_t i, const double c[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = x[3 * i + k] - c[k];
}

static double dot(const double u[3], const double v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static int weights_are_good(const float *weights, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(weights[i] >= 0))
            return 0;
    return 1;
}

recon_status recon_rmsd_kabsch(double *rmsd, recon_so3 *rotation, const float *a, const float *b,
                               size_t n, const float *weights)
{
    double ca[3], cb[3], u[3], v[3], m[9] = { 0 }, squares = 0;
    recon_so3 best;
    if (n == 0 || (weights && !weights_are_good(weights, n)))
        return RECON_ERR_INPUT;
    double total = centre(ca, a, n, weights);
    centre(cb, b, n, weights);
    for (size_t i = 0; i < n; i++) {
        double w = weights ? weights[i] : 1;
        from_centre(u, a, i, ca);
        from_centre(v, b, i, cb);
        squares += w * (dot(u, u) + dot(v, v));
        for (int k = 0; k < 3; k++)
            u[k] *= w;
        add_outer(m, u, v);
    }
    if (!isfinite(squares) || !(total > 0))
        return RECON_ERR_INPUT;
    *rmsd = root(squares - 2 * fit(m, &best), total);
    if (rotation)
        *rotation = best;
    return RECON_OK;
}

/* --- leaf groups ------------------------------------------------------------------------------ */

/* The first 2, 6 and 24 permute 2, 3 and 4 leaves. */
static const uint8_t permutation[24][RECON_LEAVES] = {
    { 0, 1, 2, 3 }, { 1, 0, 2, 3 }, { 0, 2, 1, 3 }, { 2, 0, 1, 3 }, { 1, 2, 0, 3 }, { 2, 1, 0, 3 },
    { 0, 1, 3, 2 }, { 1, 0, 3, 2 }, { 0, 3, 1, 2 }, { 3, 0, 1, 2 }, { 1, 3, 0, 2 }, { 3, 1, 0, 2 },
    { 0, 2, 3, 1 }, { 2, 0, 3, 1 }, { 0, 3, 2, 1 }, { 3, 0, 2, 1 }, { 2, 3, 0, 1 }, { 3, 2, 0, 1 },
    { 1, 2, 3, 0 }, { 2, 1, 3, 0 }, { 1, 3, 2, 0 }, { 3, 1, 2, 0 }, { 2, 3, 1, 0 }, { 3, 2, 1, 0 },
};
static const size_t permutations[RECON_LEAVES + 1] = { 1, 1, 2, 6, 24 };

/* One group under one automorphism, both sides seen from their own means. */
typedef struct {
    size_t size;
    double a[RECON_LEAVES][3], b[RECON_LEAVES][3];
} leaves;

static void leaves_from_mean(double out[][3], const float *x, const uint16_t *atom, size_t size)
{
    double mean[3] = { 0 };
    for (size_t i = 0; i < size; i++)
        for (int k = 0; k < 3; k++)
            mean[k] += (double)x[3 * (size_t)atom[i] + (size_t)k] / (double)size;
    for (size_t i = 0; i < size; i++)
        from_centre(out[i], x, atom[i], mean);
}

static double spread(double x[][3], size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += dot(x[i], x[i]);
    return sqrt(sum);
}

/* m += D_p. */
static void add_leaves(double m[9], const leaves *l, size_t p)
{
    for (size_t i = 0; i < l->size; i++)
        add_outer(m, l->a[i], l->b[permutation[p][i]]);
}

/* The permutation that fits best under a rotation, row-major r. */
static size_t nearest(const leaves *l, const double r[9])
{
    size_t best = 0;
    double most = -INFINITY;
    for (size_t p = 0; p < permutations[l->size]; p++) {
        double m[9] = { 0 }, sum = 0;
        add_leaves(m, l, p);
        for (int k = 0; k < 9; k++)
            sum += m[k] * r[k];
        if (sum > most)
            most = sum, best = p;
    }
    return best;
}

/* --- the search ------------------------------------------------------------------------------- */

typedef struct {
    const recon_symmetry *symmetry;
    const float *a, *b;
    const uint16_t *order;             /* the automorphism looked at              */
    double bound[RECON_LEAF_GROUPS];   /* what each group can add to the fit      */
    uint8_t choice[RECON_LEAF_GROUPS]; /* the permutation of each group           */
    size_t nodes;                      /* seen so far                             */
    double best, gain;                 /* the greatest fit, and what counts as more */
    recon_so3 rotation;
    const uint16_t *best_order;
    uint8_t best_choice[RECON_LEAF_GROUPS];
} search;

static void look_at(leaves *out, const search *s, size_t g)
{
    const recon_leaf_group *group = s->symmetry->group + g;
    uint16_t image[RECON_LEAVES] = { 0 };
    for (size_t i = 0; i < group->size; i++)
        image[i] = s->order[group->atom[i]];
    out->size = group->size;
    leaves_from_mean(out->a, s->a, group->atom, group->size);
    leaves_from_mean(out->b, s->b, image, group->size);
}

/* Whether fit(m) > t. x^4 - 2 |m|^2 x^2 - 8 det(m) x + |m|^4 - 4 |cofactors|^2 is the
 * characteristic polynomial of the 4x4 matrix. */
static int fits_better(const double m[9], double t)
{
    double c[9] = {
        m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6],
        m[7] * m[2] - m[8] * m[1], m[8] * m[0] - m[6] * m[2], m[6] * m[1] - m[7] * m[0],
        m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5], m[0] * m[4] - m[1] * m[3]
    };
    double mm = 0, cc = 0, det = m[0] * c[0] + m[1] * c[1] + m[2] * c[2], tt = t * t;
    for (int i = 0; i < 9; i++)
        mm += m[i] * m[i], cc += c[i] * c[i];
    return !(t >= 0 && 3 * tt >= mm && (tt - mm) * t >= 2 * det &&
             (tt - 2 * mm) * tt - 8 * det * t + mm * mm - 4 * cc >= 0);
}

/* Keeps the correspondence chosen if it fits better than the best so far. */
static int offer(search *s, const double m[9])
{
    recon_so3 rotation;
    double value = fit(m, &rotation);
    if (!(value > s->best + s->gain))
        return 0;
    s->best = value;
    s->rotation = rotation;
    s->best_order = s->order;
    memcpy(s->best_choice, s->choice, s->symmetry->info.groups);
    return 1;
}

/* Decides group g and those behind it; rest is what they can add to m at most. */
static void branch(search *s, size_t g, const double m[9], double rest)
{
    if (g == s->symmetry->info.groups) {
        offer(s, m);
        return;
    }
    leaves l;
    look_at(&l, s, g);
    rest -= s->bound[g];
    for (size_t p = 0; p < permutations[l.size] && s->nodes < NODES; p++) {
        double next[9];
        memcpy(next, m, sizeof next);
        add_leaves(next, &l, p);
        s->nodes++;
        if (!fits_better(next, s->best + s->gain - rest))
            continue;
        s->choice[g] = (uint8_t)p;
        branch(s, g + 1, next, rest);
    }
}

/* A good start, so that the search has little left to do: the leaves nearest under the best
 * rotation so far, the best rotation for these, and again. */
static void alternate(search *s, const double means[9])
{
    double m[9], r[9];
    recon_so3 rotation;
    fit(means, &rotation);
    for (int better = 1; better; rotation = s->rotation) {
        recon_so3_to_matrix(r, rotation);
        memcpy(m, means, sizeof m);
        for (size_t g = 0; g < s->symmetry->info.groups; g++) {
            leaves l;
            look_at(&l, s, g);
            s->choice[g] = (uint8_t)nearest(&l, r);
            add_leaves(m, &l, s->choice[g]);
        }
        better = offer(s, m);
    }
}

/* M of one automorphism, leaf groups in the order given. */
static void correlate(double m[9], const search *s, const double ca[3], const double cb[3])
{
    double u[3], v[3];
    memset(m, 0, 9 * sizeof *m);
    for (size_t i = 0; i < s->symmetry->info.atoms; i++) {
        from_centre(u, s->a, i, ca);
        from_centre(v, s->b, s->order[i], cb);
        add_outer(m, u, v);
    }
}

/* Takes each group's share off m, all but that of its mean; returns what the groups can add. */
static double keep_means(search *s, double m[9])
{
    double rest = 0;
    for (size_t g = 0; g < s->symmetry->info.groups; g++) {
        leaves l;
        look_at(&l, s, g);
        for (size_t i = 0; i < l.size; i++)
            add_outer(m, (double[3]){ -l.a[i][0], -l.a[i][1], -l.a[i][2] }, l.b[i]);
        rest += s->bound[g] = spread(l.a, l.size) * spread(l.b, l.size);
    }
    return rest;
}

static void search_all(search *s, const double ca[3], const double cb[3])
{
    const recon_symmetry_info *info = &s->symmetry->info;
    double m[9];
    for (size_t i = 0; i < info->automorphisms; i++) {
        s->order = s->symmetry->order + i * info->atoms;
        correlate(m, s, ca, cb);
        if (i == 0)
            offer(s, m); /* the plain rmsd: never do worse */
        double rest = keep_means(s, m);
        if (!fits_better(m, s->best + s->gain - rest))
            continue;
        alternate(s, m);
        branch(s, 0, m, rest);
    }
}

/* --- the best correspondence ------------------------------------------------------------------ */

/* atom i of s->a belongs to atom map[i] of s->b */
static void write_map(int32_t *map, const search *s)
{
    const recon_symmetry *y = s->symmetry;
    for (size_t i = 0; i < y->info.atoms; i++)
        map[i] = s->best_order[i];
    for (size_t g = 0; g < y->info.groups; g++)
        for (size_t i = 0; i < y->group[g].size; i++)
            map[y->group[g].atom[i]] =
                s->best_order[y->group[g].atom[permutation[s->best_choice[g]][i]]];
}

static void write_inverse_map(int32_t *map, const search *s)
{
    const recon_symmetry *y = s->symmetry;
    for (size_t i = 0; i < y->info.atoms; i++)
        map[s->best_order[i]] = (int32_t)i;
    for (size_t g = 0; g < y->info.groups; g++)
        for (size_t i = 0; i < y->group[g].size; i++)
            map[s->best_order[y->group[g].atom[permutation[s->best_choice[g]][i]]]] =
                y->group[g].atom[i];
}

static double squares_about(const double c[3], const float *x, size_t n)
{
    double u[3], sum = 0;
    for (size_t i = 0; i < n; i++) {
        from_centre(u, x, i, c);
        sum += dot(u, u);
    }
    return sum;
}

/* The pair is searched in an order of its own, so that who is called a does not matter. */
static int comes_after(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < 3 * n; i++)
        if (a[i] != b[i])
            return a[i] > b[i];
    return 0;
}

recon_status recon_rmsd_best(double *rmsd, recon_so3 *rotation, int32_t *map,
                             const recon_symmetry *symmetry, const float *a, const float *b)
{
    size_t n = symmetry->info.atoms;
    int swapped = comes_after(a, b, n);
    search s; /* large, and most of it stays unused: not zeroed */
    s.symmetry = symmetry;
    s.a = swapped ? b : a;
    s.b = swapped ? a : b;
    s.nodes = 0;
    s.best = -INFINITY;
    memset(s.choice, 0, symmetry->info.groups); /* the order given */
    double ca[3], cb[3];
    centre(ca, s.a, n, NULL);
    centre(cb, s.b, n, NULL);
    double squares = squares_about(ca, s.a, n) + squares_about(cb, s.b, n);
    if (!isfinite(squares))
        return RECON_ERR_INPUT;
    s.gain = GAIN * squares;
    search_all(&s, ca, cb);
    *rmsd = root(squares - 2 * s.best, (double)n);
    if (rotation)
        *rotation = swapped ? recon_so3_inverse(s.rotation) : s.rotation;
    if (map)
        (swapped ? write_inverse_map : write_map)(map, &s);
    return RECON_OK;
}

/* --- one conformer and itself ----------------------------------------------------------------- */

static size_t count_renamings(const recon_symmetry *y)
{
    size_t n = y->info.automorphisms;
    for (size_t g = 0; g < y->info.groups && n <= RECON_SAME_TRIES; g++)
        n *= permutations[y->group[g].size];
    return n;
}

/* Renaming number `which` of them: the automorphism, then one permutation of each leaf group. */
static void write_renaming(uint16_t *map, const recon_symmetry *y, size_t which)
{
    const uint16_t *order = y->order + which % y->info.automorphisms * y->info.atoms;
    which /= y->info.automorphisms;
    memcpy(map, order, y->info.atoms * sizeof *map);
    for (size_t g = 0; g < y->info.groups; g++) {
        const recon_leaf_group *leaf = &y->group[g];
        const uint8_t *p = permutation[which % permutations[leaf->size]];
        which /= permutations[leaf->size];
        for (size_t i = 0; i < leaf->size; i++)
            map[leaf->atom[i]] = order[leaf->atom[p[i]]];
    }
}

static int is_same_shape(const float *xyz, const double c[3], const uint16_t *map, size_t n)
{
    double u[3], v[3], m[9] = { 0 }, squares = 2 * squares_about(c, xyz, n);
    recon_so3 rotation;
    for (size_t i = 0; i < n; i++) {
        from_centre(u, xyz, i, c);
        from_centre(v, xyz, map[i], c);
        add_outer(m, u, v);
    }
    return root(squares - 2 * fit(m, &rotation), (double)n) < RECON_SAME_SHAPE;
}

size_t recon_rmsd_symmetry_number(const recon_symmetry *y, const float *xyz)
{
    size_t n = y->info.atoms, renamings = count_renamings(y), rotations = 1;
    uint16_t map[RECON_SYMMETRY_ATOMS];
    double c[3];
    centre(c, xyz, n, NULL);
    if (renamings > RECON_SAME_TRIES || !isfinite(squares_about(c, xyz, n)))
        return 1;
    for (size_t i = 1; i < renamings; i++) { /* 0 renames nothing */
        write_renaming(map, y, i);
        rotations += (size_t)is_same_shape(xyz, c, map, n);
    }
    return rotations;
}
