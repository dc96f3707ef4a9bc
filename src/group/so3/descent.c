/* descent.c - Newton steps in the tangent space with the curvature of the squared distance,
 * Tukey's with reweighted samples, each halved until the loss falls. Everything rotates with the
 * data.
 *
 * A Frechet mean is the lowest of many minima. Where all samples lie within a quarter turn of one
 * there is no other (Afsari, 2011); where is_lowest holds it is the lowest; else the search starts
 * at other points, too. */
#include "group/so3/frame.h"
#include "group/so3/so3.h"

#include <math.h>
#include <recon/group/so2.h>

#define STEPS    100
#define STILL    1e-13 /* radians: a step smaller than this is rounding                   */
#define ROUNDING 1e-13 /* of a loss, relative                                             */
#define AROUND   64    /* starting points on the circle through the two best eigenvectors */
#define MARGIN   1e-6  /* of an eigenvalue, relative                                      */
#define PROMISE  1.01  /* starts that come within this of the best loss are followed      */

enum {
    STARTS = 32, /* samples at which a search begins: all, or this many of them */
    FOLDS = 3,   /* rounds by which a start comes near its minimum              */
    BEST = 4     /* starts that are followed to the end, at most                */
};

/* h x = g by Cramer's rule; h is symmetric, 00 11 22 01 02 12. Weights that vanish give no step. */
static void solve_step(double x[3], const double h[6], const double g[3])
{
    double c00 = h[1] * h[2] - h[5] * h[5], c01 = h[4] * h[5] - h[3] * h[2];
    double c02 = h[3] * h[5] - h[1] * h[4], c11 = h[0] * h[2] - h[4] * h[4];
    double c12 = h[3] * h[4] - h[0] * h[5], c22 = h[0] * h[1] - h[3] * h[3];
    double det = h[0] * c00 + h[3] * c01 + h[4] * c02;
    double scale = det > 0 ? 1 / det : 0;
    x[0] = scale * (c00 * g[0] + c01 * g[1] + c02 * g[2]);
    x[1] = scale * (c01 * g[0] + c11 * g[1] + c12 * g[2]);
    x[2] = scale * (c02 * g[0] + c12 * g[1] + c22 * g[2]);
}

/* c = 0: half the squared distance. Its Hessian is 1 along the way to the sample and
 * (angle/2) cot(angle/2) across; Tukey's weight multiplies both. */
recon_so3_descent recon_so3_probe(recon_so3 at, const recon_so3_samples *s, double c)
{
    recon_so3_descent d = { .at = at };
    double h[6] = { 0 }, sum[3] = { 0 };
    recon_so3 back = recon_so3_inverse(at);
    for (size_t i = 0; i < s->n; i++) {
        recon_so3 q = recon_so3_compose(back, s->g[i]);
        double own = s->weight ? s->weight[i] : 1;
        double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), half = atan2(sine, q.w);
        double scale = sine > 1e-9 ? 2 * half / sine : 2;
        double v[3] = { scale * q.x, scale * q.y, scale * q.z };
        double angle = 2 * half, square = angle * angle;
        double rest = c > 0 ? fmax(1 - square / (c * c), 0) : 1,
               weight = own * (c > 0 ? rest * rest : 1);
        double across = sine > 1e-9 ? half * q.w / sine : 1;
        double along = weight * (1 - across) / fmax(square, 1e-30);
        d.loss += own * (c > 0 ? c * c / 6 * (1 - rest * rest * rest) : square / 2);
        d.farthest = fmax(d.farthest, own > 0 ? angle : 0);
        h[0] += weight * across + along * v[0] * v[0], h[3] += along * v[0] * v[1];
        h[1] += weight * across + along * v[1] * v[1], h[4] += along * v[0] * v[2];
        h[2] += weight * across + along * v[2] * v[2], h[5] += along * v[1] * v[2];
        for (int k = 0; k < 3; k++)
            sum[k] += weight * v[k];
    }
    solve_step(d.step, h, sum);
    return d;
}

recon_so3_descent recon_so3_descend(recon_so3 from, const recon_so3_samples *s, double c)
{
    recon_so3_descent d = recon_so3_probe(from, s, c);
    for (int i = 0; i < STEPS; i++) {
        double size = 1,
               length = sqrt(d.step[0] * d.step[0] + d.step[1] * d.step[1] + d.step[2] * d.step[2]);
        if (length > M_PI / 2)
            size = M_PI / 2 / length;
        recon_so3_descent next;
        for (;; size /= 2) {
            double v[3] = { size * d.step[0], size * d.step[1], size * d.step[2] };
            next = recon_so3_probe(recon_so3_compose(d.at, recon_so3_exp(v)), s, c);
            if (next.loss <= d.loss * (1 + ROUNDING) || size * length < STILL)
                break;
        }
        if (next.loss <= d.loss * (1 + ROUNDING))
            d = next;
        if (size * length < STILL)
            break;
    }
    return d;
}

/* Of two candidates whose losses tie, the one nearer the identity. */
int recon_so3_better(const recon_so3_descent *a, const recon_so3_descent *b, double tie)
{
    if (fabs(a->loss - b->loss) <= tie)
        return recon_so3_angle(a->at) < recon_so3_angle(b->at);
    return a->loss < b->loss;
}

static double dot(recon_so3 p, recon_so3 q)
{
    return p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
}

recon_so3 recon_so3_on_circle(const recon_so3_frame *frame, double angle)
{
    double c = cos(angle / 2), s = sin(angle / 2);
    recon_so3 p = frame->mode, q = frame->second;
    return recon_so3_normalize(
        (recon_so3){ c * p.w + s * q.w, c * p.x + s * q.x, c * p.y + s * q.y, c * p.z + s * q.z });
}

double recon_so3_along_circle(const recon_so3_frame *frame, recon_so3 g)
{
    return recon_so2_wrap(2 * atan2(dot(frame->second, g), dot(frame->mode, g)));
}

/* Samples that go round a circle have about one minimum each, at the mean of their angles and
 * 2 pi / n apart; the best of these, by the angles alone. */
static double best_rotation(const recon_so3_frame *frame, const recon_so3_samples *s)
{
    size_t around = s->n < AROUND ? s->n : AROUND, best = 0;
    double loss[AROUND] = { 0 }, middle = 0, total = 0;
    for (size_t i = 0; i < s->n; i++) {
        double own = s->weight ? s->weight[i] : 1;
        middle += own * recon_so3_along_circle(frame, s->g[i]);
        total += own;
    }
    middle /= total;
    for (size_t i = 0; i < s->n; i++) {
        double own = s->weight ? s->weight[i] : 1;
        double angle = recon_so3_along_circle(frame, s->g[i]) - middle;
        for (size_t k = 0; k < around; k++) {
            double away = angle - 2 * M_PI * (double)k / (double)around; /* in (-4 pi, 2 pi] */
            away += away < -3 * M_PI ? 4 * M_PI : away < -M_PI ? 2 * M_PI : 0;
            away -= away > M_PI ? 2 * M_PI : 0;
            loss[k] += own * away * away;
        }
    }
    for (size_t k = 1; k < around; k++)
        best = loss[k] < loss[best] ? k : best;
    return middle + 2 * M_PI * (double)best / (double)around;
}

/* Whether no rotation has a lower Frechet loss than `at`, a minimum. theta^2 is a convex function of
 * u = 1 - cos(theta), so it lies above its tangent at each sample's own u. The sum of these tangents
 * is a quadratic form in the quaternion that touches the loss at `at`, which is one of its
 * eigenvectors; the loss has its lowest point there if the eigenvalue is the largest. Sufficient, and
 * not necessary. */
static int is_lowest(recon_so3 at, const recon_so3_samples *s)
{
    double own = 0, b[6] = { 0 }; /* its eigenvalue, and the form on the other three directions */
    recon_so3 back = recon_so3_inverse(at);
    for (size_t i = 0; i < s->n; i++) {
        recon_so3 q = recon_so3_compose(back, s->g[i]);
        double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
        double slope =
            sine > 1e-9 ? atan2(sine, q.w) / (sine * q.w) : 1; /* half a turn: infinite */
        slope *= s->weight ? s->weight[i] : 1;
        own += slope * q.w * q.w;
        b[0] += slope * q.x * q.x, b[3] += slope * q.x * q.y;
        b[1] += slope * q.y * q.y, b[4] += slope * q.x * q.z;
        b[2] += slope * q.z * q.z, b[5] += slope * q.y * q.z;
    }
    double least = MARGIN * own; /* of the pivots of own I - b */
    double p0 = own - b[0], p1 = own - b[1] - b[3] * b[3] / p0, e = b[5] + b[3] * b[4] / p0;
    double p2 = own - b[2] - b[4] * b[4] / p0 - e * e / p1;
    return p0 > least && p1 > least && p2 > least; /* false where one is NaN */
}

typedef struct {
    recon_so3 at;
    double loss; /* nearly */
} start;

/* acos(c) = sqrt(1 - c) P(c) to 7e-5 (Abramowitz and Stegun, 4.4.45): enough to compare starts. */
static double nearly_loss(recon_so3 at, const recon_so3_samples *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        double c = fmin(fabs(dot(at, s->g[i])), 1);
        double p = 1.5707288 + c * (-.2121144 + c * (.0742610 - .0187293 * c));
        sum += (s->weight ? s->weight[i] : 1) * (1 - c) * p * p;
    }
    return 2 * sum;
}

/* The chordal mean of quaternions that all have the sign that brings them next to `at`: close to the
 * minimum among the rotations to which the same signs belong. */
static recon_so3 fold(recon_so3 at, const recon_so3_samples *s)
{
    recon_so3 sum = { 0 };
    for (size_t i = 0; i < s->n; i++) {
        recon_so3 q = s->g[i];
        double sign = copysign(s->weight ? s->weight[i] : 1, dot(at, q));
        sum.w += sign * q.w, sum.x += sign * q.x, sum.y += sign * q.y, sum.z += sign * q.z;
    }
    return dot(sum, sum) > 0 ? recon_so3_normalize(sum) : at;
}

/* Keeps the best, each once. */
static int keep(start best[BEST], int n, start new)
{
    for (int k = 0; k < n; k++)
        if (recon_so3_distance(best[k].at, new.at) < .01)
            return n;
    if (n == BEST && new.loss >= best[n - 1].loss)
        return n;
    int k = n < BEST ? n++ : n - 1;
    for (; k > 0 && best[k - 1].loss > new.loss; k--)
        best[k] = best[k - 1];
    best[k] = new;
    return n;
}

/* From each sample, and from each turned by half about the three axes of the set. What was found
 * before stays unless something is clearly lower. */
static recon_so3 search(recon_so3_descent found, const recon_so3_frame *frame,
                        const recon_so3_samples *s)
{
    start best[BEST];
    int n = 0;
    double enough = found.loss * (1 - RECON_SO3_SAME), near = found.loss * PROMISE;
    for (size_t i = 0; i < s->n; i += (s->n + STARTS - 1) / STARTS)
        for (int k = -1; k < 3; k++) {
            const double *axis = frame->body[k < 0 ? 0 : k];
            const recon_so3 turn = { 0, axis[0], axis[1], axis[2] };
            recon_so3 at = k < 0 ? s->g[i] : recon_so3_compose(s->g[i], turn);
            for (int f = 0; f < FOLDS; f++)
                at = fold(at, s);
            n = keep(best, n, (start){ at, nearly_loss(at, s) });
        }
    for (int k = 0; k < n && best[k].loss < near; k++) {
        recon_so3_descent d = recon_so3_descend(best[k].at, s, 0);
        if (d.loss < enough && recon_so3_better(&d, &found, RECON_SO3_SAME * found.loss))
            found = d;
    }
    return found.at;
}

recon_so3 recon_so3_frechet(const recon_so3_frame *frame, const recon_so3_samples *s)
{
    recon_so3_descent best = recon_so3_descend(frame->mode, s, 0);
    if (best.farthest < M_PI / 2)
        return best.at;
    recon_so3 rotated = recon_so3_on_circle(frame, best_rotation(frame, s));
    recon_so3_descent second = recon_so3_descend(rotated, s, 0);
    if (recon_so3_better(&second, &best, RECON_SO3_SAME * best.loss))
        best = second;
    return is_lowest(best.at, s) ? best.at : search(best, frame, s);
}
