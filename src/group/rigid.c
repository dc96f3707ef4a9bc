/* rigid.c - see rigid.h.
 *
 * The rotations have the statistics of SO(n). With their centre R, each pose (R_i, t_i) alone puts the shift
 * of the centre at y_i = R R_i^T t_i; the robust location of these says which poses belong, and the group mean of
 * those is the centre. Where rotations are free, y_i goes around: then t_i = c - R_i b is solved for the point c about
 * which the poses turn. All this follows a translation on the right. */
#include "group/rigid.h"
#include "group/locate.h"
#include "group/natural.h"
#include "group/so3/frame.h"
#include "group/so3/so3.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/npy.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/group/so2.h>
#include <string.h>

/* Rotation vectors and shifts of the plane are those of space with other entries 0. */
typedef double vec[3];

static const recon_group *rotations(const recon_group *self)
{
    return self->part[0];
}

static int is_plane(const recon_group *self)
{
    return self->part[0]->numbers == 1;
}

static size_t sides(const recon_group *self)
{
    return is_plane(self) ? 2 : 3;
}

static void rotate(const recon_group *self, double *out, const double *r, const double *v)
{
    if (is_plane(self))
        recon_so2_act(out, *r, v);
    else
        recon_so3_act(out, recon_so3_at(r, 0), v);
}

static const double *shift_at(const recon_group *self, const double *pose)
{
    return pose + rotations(self)->numbers;
}

static void shift_of(const recon_group *self, double *out, const double *pose)
{
    memcpy(out, shift_at(self, pose), sides(self) * sizeof *out);
}

/* --- algebra ---------------------------------------------------------------------------------- */

static void identity(const recon_group *self, double *out)
{
    memset(out, 0, self->numbers * sizeof *out);
    rotations(self)->identity(rotations(self), out);
}

static void compose(const recon_group *self, double *out, const double *a, const double *b)
{
    vec t;
    rotate(self, t, a, shift_at(self, b));
    for (size_t i = 0; i < sides(self); i++)
        t[i] += shift_at(self, a)[i];
    rotations(self)->compose(rotations(self), out, a, b);
    memcpy(out + rotations(self)->numbers, t, sides(self) * sizeof *t);
}

static void inverse(const recon_group *self, double *out, const double *a)
{
    vec t;
    shift_of(self, t, a);
    rotations(self)->inverse(rotations(self), out, a);
    rotate(self, t, out, t);
    for (size_t i = 0; i < sides(self); i++)
        out[rotations(self)->numbers + i] = -t[i];
}

static double length(const recon_group *self, const double *a)
{
    double r = rotations(self)->length(rotations(self), a), unit = self->unit > 0 ? self->unit : 1;
    double sum = r * r;
    for (size_t i = 0; i < sides(self); i++)
        sum += pow(shift_at(self, a)[i] / unit, 2);
    return sqrt(sum);
}

static double distance(const recon_group *self, const double *a, const double *b)
{
    double apart[RECON_NUMBERS_MAX];
    self->inverse(self, apart, b);
    self->compose(self, apart, a, apart);
    return length(self, apart);
}

static void haar(const recon_group *self, double *out, recon_rng *rng)
{
    double *t = out + rotations(self)->numbers;
    rotations(self)->haar(rotations(self), out, rng);
    for (size_t i = 0; i < sides(self); i++)
        t[i] = self->pool ? 0 : recon_rng_normal(rng);
    for (int sign = 1; self->pool && sign >= -1; sign -= 2) {
        const double *of = self->pool + recon_rng_below(rng, self->pool_count) * self->numbers;
        for (size_t i = 0; i < sides(self); i++)
            t[i] += sign * shift_at(self, of)[i];
    }
}

/* a v + b w x v + c w x (w x v), the form of all that follows. */
static void combine(double *out, double a, double b, double c, const double *w, const double *v)
{
    vec x = { w[1] * v[2] - w[2] * v[1], w[2] * v[0] - w[0] * v[2], w[0] * v[1] - w[1] * v[0] };
    vec y = { w[1] * x[2] - w[2] * x[1], w[2] * x[0] - w[0] * x[2], w[0] * x[1] - w[1] * x[0] };
    for (int i = 0; i < 3; i++)
        out[i] = a * v[i] + b * x[i] + c * y[i];
}

static double norm(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The coefficient of w x (w x v) in the inverse of the left Jacobian of the rotation w. */
static double curl(const double *w)
{
    double a = norm(w);
    return a < 1e-3 ? 1 / 12.0 + a * a / 720 : (1 - a / 2 / tan(a / 2)) / (a * a);
}

/* v of exp(w, v) from its shift: by that inverse. */
static void unroll(double *out, const double *w, const double *t)
{
    combine(out, 1, -0.5, curl(w), w, t);
}

static void roll(double *out, const double *w, const double *v)
{
    double a = norm(w), s = a * a;
    combine(out, 1, a < 1e-3 ? 0.5 - s / 24 : (1 - cos(a)) / s,
            a < 1e-3 ? 1 / 6.0 - s / 120 : (a - sin(a)) / (s * a), w, v);
}

/* Between vectors of the Lie algebra and those of space. */
static void widen(const recon_group *self, vec w, vec v, const double *from)
{
    size_t r = self->dimension - sides(self);
    memset(w, 0, sizeof(vec));
    memset(v, 0, sizeof(vec));
    memcpy(r == 1 ? w + 2 : w, from, r * sizeof *w);
    memcpy(v, from + r, sides(self) * sizeof *v);
}

static void logarithm(const recon_group *self, double *out, const double *a)
{
    size_t r = self->dimension - sides(self);
    double raw[RECON_NORMAL_MAX];
    vec w, t;
    rotations(self)->log(rotations(self), raw, a);
    memcpy(raw + r, shift_at(self, a), sides(self) * sizeof *raw);
    widen(self, w, t, raw);
    unroll(t, w, t);
    memcpy(out, raw, r * sizeof *out);
    memcpy(out + r, t, sides(self) * sizeof *out);
}

static void exponential(const recon_group *self, double *out, const double *from)
{
    vec w, v;
    widen(self, w, v, from);
    roll(v, w, v);
    rotations(self)->exp(rotations(self), out, from);
    memcpy(out + rotations(self)->numbers, v, sides(self) * sizeof *out);
}

/* The rotations' part of it, for a measure of mass one in space, and that of the shifts. */
static double log_jacobian(const recon_group *self, const double *v)
{
    double a, s;
    vec w, t;
    widen(self, w, t, v);
    a = norm(w);
    s = a < 1e-3 ? 1 - a * a / 12 : 2 * (1 - cos(a)) / (a * a);
    return is_plane(self) ? log(s) : 2 * log(s) - log(8 * M_PI * M_PI);
}

static const recon_normal_kind plane = { 1, shift_of, log_jacobian, 1.83787706640934548356 };
static const recon_normal_kind space = { 3, shift_of, log_jacobian, 0 };

static recon_status check(recon_ctx *ctx, const recon_group *self, const double *poses, size_t n)
{
    for (size_t i = 0; i < n; i++, poses += self->numbers) {
        recon_status status = rotations(self)->check(ctx, rotations(self), poses, 1);
        if (status != RECON_OK)
            return recon_note(ctx, status, "row %zu", i);
        for (size_t j = 0; j < sides(self); j++)
            if (!(fabs(shift_at(self, poses)[j]) <= RECON_SHIFT_LARGEST))
                return recon_fail(ctx, RECON_ERR_INPUT, "row %zu has a shift of %g, beyond +-%g", i,
                                  shift_at(self, poses)[j], RECON_SHIFT_LARGEST);
    }
    return RECON_OK;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Columns of a row: 3 or 9, 16 or 7; 0: none of these. */
static size_t row_width(const recon_group *self, const recon_array *a)
{
    size_t n = sides(self) + 1, width = a->ndim == 2 ? a->shape[1] : 0;
    if (a->ndim == 3 && a->shape[1] == n && a->shape[2] == n)
        return n * n;
    return width == n * n || width == (is_plane(self) ? 3 : 7) ? width : 0;
}

/* A homogeneous matrix. */
static recon_status take_matrix(recon_ctx *ctx, const recon_group *self, double *out,
                                const double *m, const char *path, size_t row)
{
    size_t n = sides(self), side = n + 1;
    double r[9] = { 0, 0, 0, 0, 0, 0, 0, 0, 1 }, off;
    for (size_t i = 0; i < n * n; i++)
        r[i / n * 3 + i % n] = m[i / n * side + i % n];
    off = recon_so3_matrix_error(r);
    if (isinf(off))
        return recon_fail(
            ctx, RECON_ERR_INPUT,
            "%s: row %zu is not a rotation: a mirror image (determinant below 0), or huge", path,
            row);
    if (!(off <= RECON_POSE_TOLERANCE))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: row %zu is not a rotation: R R^T is off by %.3g", path, row, off);
    for (size_t i = 0; i < side; i++)
        if (!(fabs(m[n * side + i] - (i == n)) <= RECON_POSE_TOLERANCE))
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "%s: row %zu: the last line of its matrix has %g", path, row,
                              m[n * side + i]);
    recon_so3 q = recon_so3_from_matrix(r);
    if (is_plane(self))
        *out = atan2(r[3] - r[1], r[0] + r[4]);
    else
        memcpy(out, (double[]){ q.w, q.x, q.y, q.z }, 4 * sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[rotations(self)->numbers + i] = m[i * side + n];
    return RECON_OK;
}

/* x y z, then the quaternion. */
static recon_status take_quaternion(recon_ctx *ctx, double *out, const double *row,
                                    recon_quaternions order, const char *path, size_t i)
{
    const double *q = row + 3;
    double off = fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1);
    int first = order == RECON_QUATERNIONS_WXYZ;
    if (!(off <= RECON_POSE_TOLERANCE))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: row %zu is not a rotation: the quaternion's length is off by %.3g",
                          path, i, off);
    recon_so3 r = recon_so3_normalize(first ? (recon_so3){ q[0], q[1], q[2], q[3] }
                                            : (recon_so3){ q[3], q[0], q[1], q[2] });
    memcpy(out, (double[]){ r.w, r.x, r.y, r.z, row[0], row[1], row[2] }, 7 * sizeof *out);
    return RECON_OK;
}

static recon_status read(recon_ctx *ctx, const recon_group *self, double *out, const recon_array *a,
                         size_t n, recon_quaternions order, const char *path)
{
    size_t width = row_width(self, a);
    double *rows = NULL;
    recon_array_text shape;
    recon_status status = RECON_OK;
    if (width == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s, but poses are %s for %s", path,
                          recon_array_show(shape, a),
                          is_plane(self) ? "N x 3 (angle x y), N x 3 x 3 or N x 9"
                                         : "N x 4 x 4, N x 16 or N x 7 (x y z, quaternion)",
                          self->words);
    RECON_TRY(recon_group_check_order(ctx, order, a, width == 7 ? 4 : 0, path));
    RECON_TRY(recon_alloc_raw(ctx, &rows, n * width, sizeof *rows));
    if (width == 3)
        RECON_TRY(recon_angles_check_type(ctx, a, path));
    RECON_TRY(recon_group_rows(ctx, rows, a, width, n, path));
    for (size_t i = 0; i < n; i++) {
        const double *row = rows + i * width;
        double *to = out + i * self->numbers;
        if (width == 7)
            RECON_TRY(take_quaternion(ctx, to, row, order, path, i));
        else if (width != 3)
            RECON_TRY(take_matrix(ctx, self, to, row, path, i));
        else
            memcpy(to, (double[]){ recon_so2_wrap(row[0]), row[1], row[2] }, 3 * sizeof *to);
    }
    status = check(ctx, self, out, n);
    if (status != RECON_OK)
        recon_note_file(ctx, status, path);
done:
    recon_free_all(rows);
    return status;
}

/* SE(3): homogeneous matrices. */
static void write_matrices(const recon_group *self, double *out, const double *poses, size_t n)
{
    for (size_t i = 0; i < n; i++, poses += self->numbers, out += 16) {
        double r[9];
        recon_so3_to_matrix(r, recon_so3_at(poses, 0));
        for (int j = 0; j < 16; j++)
            out[j] = j >= 12 ? j == 15 : j % 4 == 3 ? poses[4 + j / 4] : r[j / 4 * 3 + j % 4];
    }
}

/* --- means ------------------------------------------------------------------------------------ */

/* x of m x = b by Cramer's rule, n = 2 or 3; entries beyond n are those of the identity. */
static void solve(vec x, double m[3][3], const vec b)
{
    vec c[3];
    for (int i = 0; i < 3; i++) {
        const double *p = m[(i + 1) % 3], *q = m[(i + 2) % 3];
        for (int k = 0; k < 3; k++)
            c[i][k] = p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3];
    }
    double det = m[0][0] * c[0][0] + m[0][1] * c[0][1] + m[0][2] * c[0][2];
    for (int k = 0; k < 3; k++)
        x[k] = fabs(det) > 1e-14 ? (c[0][k] * b[0] + c[1][k] * b[1] + c[2][k] * b[2]) / det : 0;
}

/* The shift of the group mean with this rotation: sum of w_i V_i^-1 (t_i - Q_i m) = 0 with Q_i = R_i R^-1. */
static void solve_shift(const recon_group *self, double *mean, const double *poses,
                        const double *weight, size_t n)
{
    const recon_group *so = rotations(self);
    double back[RECON_NUMBERS_MAX], q[RECON_NUMBERS_MAX], m[3][3] = { { 0 } };
    vec sum = { 0 }, x;
    so->inverse(so, back, mean);
    for (size_t i = 0; i < n; i++) {
        double raw[RECON_NORMAL_MAX] = { 0 }, own = weight ? weight[i] : 1;
        vec w, t, column;
        if (own <= 0)
            continue;
        so->compose(so, q, poses + i * self->numbers, back);
        so->log(so, raw, q);
        widen(self, w, t, raw);
        shift_of(self, t, poses + i * self->numbers);
        double c = curl(w);
        combine(t, 1, -0.5, c, w, t);
        for (int j = 0; j < 3; j++) {
            vec e = { j == 0, j == 1, j == 2 };
            combine(column, 1, 0.5, c, w, e); /* V^-1 Q is the inverse of V at -w */
            sum[j] += own * t[j];
            for (int k = 0; k < 3; k++)
                m[k][j] += own * column[k];
        }
    }
    solve(x, m, sum);
    memcpy(mean + so->numbers, x, sides(self) * sizeof *x);
}

/* Where each pose alone puts the shift of the centre: t_i about the rotations R R_i^T. */
static void seen_from_body(const recon_group *self, double *y, const double *mean,
                           const double *poses, size_t n)
{
    const recon_group *so = rotations(self);
    double q[RECON_NUMBERS_MAX];
    for (size_t i = 0; i < n; i++, poses += self->numbers, y += sides(self)) {
        so->inverse(so, q, poses);
        so->compose(so, q, mean, q);
        rotate(self, y, q, shift_at(self, poses));
    }
}

/* The mean rotation, without copies; and the mean of the shifts as seen from the body. */
static void chordal_of_space(double *out, const double *poses, size_t n)
{
    double m[10] = { 0 };
    vec sum = { 0 }, t;
    recon_so3_frame frame;
    for (size_t i = 0; i < n; i++, poses += 7) {
        recon_so3 r = recon_so3_at(poses, 0);
        recon_so3_moment_add(m, r, 1 / (double)n);
        recon_so3_act(t, recon_so3_inverse(r), poses + 4);
        for (int j = 0; j < 3; j++)
            sum[j] += t[j] / (double)n;
    }
    recon_so3_frame_of(&frame, m);
    memcpy(out, &frame.mode, sizeof frame.mode);
    recon_so3_act(out + 4, frame.mode, sum);
}

/* The rotation, then the shift. */
static recon_status mean_of_space(recon_ctx *ctx, double *out, const double *poses, size_t n)
{
    recon_so3_samples samples = { .n = n };
    recon_so3_frame frame;
    recon_so3 *r = NULL;
    double m[10] = { 0 };
    RECON_CHECK(recon_alloc_raw(ctx, &r, n, sizeof *r));
    for (size_t i = 0; i < n; i++) {
        r[i] = recon_so3_at(poses + 7 * i, 0);
        recon_so3_moment_add(m, r[i], 1 / (double)n);
    }
    samples.g = r;
    recon_so3_frame_of(&frame, m);
    recon_so3 at = recon_so3_frechet(&frame, &samples);
    memcpy(out, &at, sizeof at);
    solve_shift(&recon_group_se3, out, poses, NULL, n);
    recon_free_all(r);
    return RECON_OK;
}

static recon_status mean_of_plane(recon_ctx *ctx, double *out, const double *poses, size_t n,
                                  recon_mean_kind kind)
{
    double *angle = NULL, *y;
    recon_so2_center center;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &angle, n, 3 * sizeof *angle));
    y = angle + n;
    for (size_t i = 0; i < n; i++)
        angle[i] = poses[3 * i];
    RECON_TRY(recon_so2_mean(ctx, &center, angle, n, &(recon_mean_options){ .kind = kind }));
    memcpy(out, (double[]){ center.mean, 0, 0 }, 3 * sizeof *out);
    if (kind != RECON_MEAN_CHORDAL) {
        solve_shift(&recon_group_se2, out, poses, NULL, n);
        goto done;
    }
    seen_from_body(&recon_group_se2, y, out, poses, n);
    for (size_t i = 0; i < 2 * n; i++)
        out[1 + i % 2] += y[i] / (double)n;
done:
    recon_free_all(angle);
    return status;
}

recon_status recon_rigid_mean(recon_ctx *ctx, const recon_group *self, double *out,
                              const double *poses, size_t n, recon_mean_kind kind)
{
    if (is_plane(self))
        return mean_of_plane(ctx, out, poses, n, kind);
    if (kind != RECON_MEAN_CHORDAL)
        return mean_of_space(ctx, out, poses, n);
    chordal_of_space(out, poses, n);
    return RECON_OK;
}

/* --- the centre ------------------------------------------------------------------------------- */

/* One set: its poses, its rotations' centre, and room. */
typedef struct {
    const recon_group *group;
    const double *poses;
    const recon_center *spin;
    const recon_shifts *shifts;
    size_t k;
    double *y, *weight, *belongs, *scratch;
} centering;

/* Tukey's weights of squares, whose median in d directions is known. */
static void weigh(double *weight, double *scratch, const double *square, size_t n, size_t d)
{
    static const double median[] = { 0, 0.4549, 1.3863, 2.3660 };
    memcpy(scratch, square, n * sizeof *scratch);
    recon_sort_doubles(scratch, n);
    double reach = fmax(recon_tukey_square(d) * recon_quantile(scratch, n, 0.5) / median[d], 1e-18);
    for (size_t i = 0; i < n; i++)
        weight[i] = square[i] < reach ? pow(1 - square[i] / reach, 2) : 0;
}

/* Which rotations belong to mode m: all where they are free, else those about it. */
static void weigh_rotations(centering *s, int m, double *square)
{
    const recon_group *g = s->group, *so = rotations(g);
    recon_natural natural = s->spin->natural;
    for (size_t i = 0; i < s->k; i++) {
        const double *r = s->poses + i * g->numbers;
        double here = so->distance(so, r, s->spin->mode[m].at), best = here;
        for (int j = 0; j < s->spin->modes; j++)
            best = fmin(best, so->distance(so, r, s->spin->mode[j].at));
        square[i] = here * here;
        s->weight[i] = here <= best;
    }
    if (natural == RECON_NATURAL_ONE)
        weigh(s->weight, s->scratch, square, s->k, g->dimension - sides(g));
}

/* t_i = c - R_i b for the point c of space, with these weights; shift is c - R b of the mean. */
static void solve_pivot(const centering *s, double *mean, double *c)
{
    const recon_group *g = s->group;
    size_t n = sides(g);
    double m[3][3] = { { 0 } }, a[3][3], sum = 0;
    vec t = { 0 }, right = { 0 }, b, x;
    for (size_t i = 0; i < s->k; i++, sum += s->weight[i - 1])
        for (size_t j = 0; j < n; j++) {
            vec e = { j == 0, j == 1, j == 2 }, column = { 0 };
            rotate(g, column, s->poses + i * g->numbers, e);
            t[j] += s->weight[i] * shift_at(g, s->poses + i * g->numbers)[j];
            for (size_t l = 0; l < n; l++)
                m[l][j] += s->weight[i] * column[l];
        }
    for (int j = 0; j < 3; j++)
        for (int l = 0; l < 3; l++)
            t[j] /= l == 0 ? sum : 1, m[j][l] /= sum;
    for (size_t i = 0; i < s->k; i++) /* the mean of (R_i - M)^T (t_i - t) */
        for (size_t j = 0; j < n; j++) {
            vec e = { j == 0, j == 1, j == 2 }, column = { 0 };
            rotate(g, column, s->poses + i * g->numbers, e);
            for (size_t l = 0; l < n; l++)
                right[j] -= s->weight[i] / sum * (column[l] - m[l][j]) *
                            (shift_at(g, s->poses + i * g->numbers)[l] - t[l]);
        }
    for (int j = 0; j < 3; j++)
        for (int l = 0; l < 3; l++) {
            a[j][l] = j == l;
            for (int i = 0; i < 3; i++)
                a[j][l] -= m[i][j] * m[i][l];
        }
    solve(b, a, right);
    for (size_t j = 0; j < n; j++)
        c[j] = t[j] + m[j][0] * b[0] + m[j][1] * b[1] + m[j][2] * b[2];
    memset(x, 0, sizeof x);
    rotate(g, x, mean, b);
    for (size_t j = 0; j < n; j++)
        mean[rotations(g)->numbers + j] = c[j] - x[j];
    for (size_t i = 0; i < s->k; i++) { /* what is left of each shift */
        rotate(g, x, s->poses + i * g->numbers, b);
        for (size_t j = 0; j < n; j++)
            s->y[i * n + j] = shift_at(g, s->poses + i * g->numbers)[j] - c[j] + x[j];
    }
}

enum { PIVOT_ROUNDS = 10 };

/* Where rotations are free: the robust point about which they turn. */
static recon_status center_free(recon_ctx *ctx, centering *s, double *mean, double *c,
                                recon_location *found)
{
    size_t n = sides(s->group);
    for (int round = 0; round < PIVOT_ROUNDS; round++) {
        solve_pivot(s, mean, c);
        for (size_t i = 0; i < s->k; i++) {
            s->belongs[i] = 0;
            for (size_t j = 0; j < n; j++)
                s->belongs[i] += s->y[i * n + j] * s->y[i * n + j];
        }
        weigh(s->weight, s->scratch, s->belongs, s->k, n);
    }
    RECON_CHECK(recon_locate(ctx, found, s->belongs, s->y, s->k, s->shifts));
    if (found->natural == RECON_NATURAL_SEVERAL) /* about several points, perhaps */
        found->natural = RECON_NATURAL_UNSURE;
    return RECON_OK;
}

/* Where they are not: the shifts of those about mode m. */
static recon_status center_mode(recon_ctx *ctx, centering *s, int m, double *mean,
                                recon_location *found)
{
    const recon_group *g = s->group;
    size_t n = sides(g), used = 0;
    weigh_rotations(s, m, s->y);
    seen_from_body(g, s->y, mean, s->poses, s->k);
    for (size_t i = 0; i < s->k; i++)
        if (s->weight[i] > 0)
            memmove(s->y + used++ * n, s->y + i * n, n * sizeof *s->y);
    RECON_CHECK(recon_locate(ctx, found, s->belongs, s->y, used, s->shifts));
    for (size_t i = 0, at = 0; i < s->k; i++)
        s->weight[i] = s->weight[i] > 0 ? s->weight[i] * s->belongs[at++] : 0;
    solve_shift(g, mean, s->poses, s->weight, s->k);
    return RECON_OK;
}

/* Spins about the point c, and shifts. */
static void add_free(recon_center *out, const centering *s, const double *c,
                     const recon_location *found)
{
    size_t r = s->group->dimension - sides(s->group);
    int spins = s->spin->natural == RECON_NATURAL_AXIS   ? 1
                : s->spin->natural == RECON_NATURAL_NONE ? (int)r
                                                         : 0;
    for (int i = 0; i < spins; i++) {
        double *to = out->free[out->free_count++];
        vec w = { 0 }, v, at = { c[0], c[1], r == 1 ? 0 : c[2] };
        if (s->spin->natural == RECON_NATURAL_AXIS)
            memcpy(w, s->spin->axis[1], sizeof w);
        else
            w[r == 1 ? 2 : i] = 1;
        memcpy(to, r == 1 ? w + 2 : w, r * sizeof *to);
        combine(v, 0, -1, 0, w, at);
        memcpy(to + r, v, sides(s->group) * sizeof *v);
    }
    for (int i = 0; i < found->free_count; i++)
        memcpy(out->free[out->free_count++] + r, found->free[i], sides(s->group) * sizeof(double));
}

static recon_status center_one(recon_ctx *ctx, recon_center *out, centering *s)
{
    const recon_group *g = s->group;
    size_t r = rotations(g)->numbers, n = sides(g);
    const recon_center *spin = s->spin;
    recon_location found, other;
    vec c = { 0 };
    int chosen = 0,
        free = spin->natural == RECON_NATURAL_AXIS || spin->natural == RECON_NATURAL_NONE;
    *out = *spin;
    for (int m = 0; m < spin->modes; m++)
        if (rotations(g)->distance(rotations(g), spin->mean, spin->mode[m].at) <
            rotations(g)->distance(rotations(g), spin->mean, spin->mode[chosen].at))
            chosen = m;
    for (size_t i = 0; i < s->k; i++)
        s->weight[i] = 1;
    RECON_CHECK(free ? center_free(ctx, s, out->mean, c, &found)
                     : center_mode(ctx, s, chosen, out->mean, &found));
    for (int m = 0; m < spin->modes && spin->modes > 1; m++)
        RECON_CHECK(center_mode(ctx, s, m, out->mode[m].at, &other));
    if (spin->modes <= 1) {
        out->modes = free ? 1 : found.modes;
        for (int m = 0; m < out->modes; m++) {
            memcpy(out->mode[m].at, out->mean, (r + n) * sizeof *c);
            if (out->modes > 1)
                memcpy(out->mode[m].at + r, found.at[m], n * sizeof *c);
            out->mode[m].weight = found.weight[m];
        }
    }
    out->natural = recon_natural_join(spin->natural, found.natural);
    out->fold = out->natural == RECON_NATURAL_ONE || out->natural == RECON_NATURAL_SEVERAL ? 1
                : out->natural == RECON_NATURAL_MODULO ? spin->fold
                                                       : 0;
    out->identifiability[rotations(g)->identifiability] = found.known;
    if (out->natural == RECON_NATURAL_AXIS)
        add_free(out, s, c, &found);
    return RECON_OK;
}

static recon_status center(recon_ctx *ctx, const recon_group *self, recon_center *out, void *fits,
                           const double *poses, size_t sets, size_t k,
                           const recon_mean_options *options)
{
    const recon_group *so = rotations(self);
    double *room = NULL, *spins = NULL;
    recon_center *spin = NULL;
    recon_shifts shifts = { 0 };
    void *unused = NULL;
    recon_status status;
    (void)fits;
    RECON_TRY(recon_alloc_raw(ctx, &spins, sets * k, so->numbers * sizeof *spins));
    RECON_TRY(recon_alloc_raw(ctx, &spin, sets, sizeof *spin));
    RECON_TRY(recon_alloc_raw(ctx, &unused, sets, so->fit_size));
    RECON_TRY(recon_alloc_raw(ctx, &room, k, 6 * sizeof *room));
    for (size_t i = 0; i < sets * k; i++)
        memcpy(spins + i * so->numbers, poses + i * self->numbers, so->numbers * sizeof *spins);
    RECON_TRY(so->center(ctx, so, spin, unused, spins, sets, k, options));
    if (self->pool)
        RECON_TRY(recon_shifts_of(ctx, &shifts, self, NULL, 0));
    for (size_t s = 0; s < sets; s++) {
        centering one = { self,
                          poses + s * k * self->numbers,
                          &spin[s],
                          &shifts,
                          k,
                          room,
                          room + 3 * k,
                          room + 4 * k,
                          room + 5 * k };
        if (!self->pool) {
            recon_free_all(shifts.z);
            RECON_TRY(recon_shifts_of(ctx, &shifts, self, one.poses, k));
        }
        RECON_TRY(center_one(ctx, &out[s], &one));
        if (options && options->kind > RECON_MEAN_TUKEY)
            RECON_TRY(recon_rigid_mean(ctx, self, out[s].mean, one.poses, k, options->kind));
    }
done:
    recon_free_all(room, spins, spin, shifts.z, unused);
    return status;
}

#define RIGID_ENTRIES                                                                              \
    .uniform = NAN, .identity = identity, .compose = compose, .inverse = inverse,                  \
    .length = length, .distance = distance, .haar = haar, .exp = exponential, .log = logarithm,    \
    .check = check, .read = read, .center = center, RECON_NORMAL_ENTRIES

static const recon_family plane_normal = { "normal", { 3, 3 } };
static const recon_family space_normal = { "normal", { 6, 6 } };

const recon_group recon_group_se2 = {
    .name = "se2",
    .words = "SE(2)",
    .meaning = "rotations and shifts of the plane",
    .column = "angle_shift",
    .numbers = 3,
    .dimension = 3,
    .part = { RECON_SO2 },
    .user = &plane,
    .directions = "rss",
    .shape = { 3, 0 },
    .identifiability = 5, /* those of SO(2), then how well the shift is known */
    .families = &plane_normal,
    RIGID_ENTRIES,
};

const recon_group recon_group_se3 = {
    .name = "se3",
    .words = "SE(3)",
    .meaning = "rotations and shifts of space",
    .column = "rotation_shift",
    .numbers = 7,
    .dimension = 6,
    .part = { RECON_SO3 },
    .user = &space,
    .directions = "rrrsss",
    .shape = { 4, 4 },
    .takes_quaternions = 7,
    .write = write_matrices,
    .identifiability = 4, /* those of SO(3), then how well the shift is known */
    .families = &space_normal,
    RIGID_ENTRIES,
};
