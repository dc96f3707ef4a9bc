/* so3_descent.c - Newton steps in the tangent space with the curvature of the squared distance,
 * Tukey's with reweighted samples, each halved until the loss falls. Everything rotates with the
 * data; where all samples lie within a quarter turn of a Frechet mean there is no other (Afsari,
 * 2011). */
#include "stats/so3_descent.h"

#include <math.h>
#include <recon/group/so2.h>

#define STEPS    100
#define STILL    1e-13 /* radians: a step smaller than this is rounding                   */
#define ROUNDING 1e-13 /* of a loss, relative                                             */
#define AROUND   64    /* starting points on the circle through the two best eigenvectors */

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

/* Where all samples are within a quarter turn of a minimum there is no other. */
recon_so3 recon_so3_frechet(const recon_so3_frame *frame, const recon_so3_samples *s)
{
    recon_so3_descent best = recon_so3_descend(frame->mode, s, 0);
    if (best.farthest < M_PI / 2)
        return best.at;
    recon_so3 rotated = recon_so3_on_circle(frame, best_rotation(frame, s));
    recon_so3_descent second = recon_so3_descend(rotated, s, 0);
    return recon_so3_better(&second, &best, RECON_SO3_SAME * best.loss) ? second.at : best.at;
}
