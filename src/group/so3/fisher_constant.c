/* fisher_constant.c - log c(s) from 0 to any concentration, by one smooth integral.
 *
 * Lee (Bayesian attitude estimation with the matrix Fisher distribution on SO(3), 2018) has
 *
 *   c = 1/2 int_-1^1 I0((si - sj)(1 - u)/2) I0((si + sj)(1 + u)/2) exp(sk u) du
 *
 * for any order (i, j, k). With s1 >= s2 >= |s3|, k the largest, v = 1 - u and the Bessel functions
 * scaled by exp(-x) this is exp(s1 + s2 + s3) times
 *
 *   1/2 int_0^2 i0e(a v) i0e(b (2 - v)) exp(-r v) dv,   a = (s2 - s3)/2, b = (s2 + s3)/2, r = s1 +
 * s3,
 *
 * where nothing is negative and nothing overflows. v = w^2 takes the root singularity of i0e(a v)
 * for large a away; panels that grow by a factor of four from the narrowest width follow the
 * integrand over every scale, and 24 Gauss-Legendre nodes on each reach rounding. Derivatives come
 * from the same nodes: I0' = I1, so that each is a mean of r(x) = I1(x)/I0(x). */
#include "group/so3/fisher.h"

#include <math.h>
#include "core/simd.h"

#define NODES  24
#define PANELS 24   /* enough for values of 1e13                                       */
#define FADED  40.0 /* exp(-40) is below rounding: the integral ends there             */
#define GROWTH 4.0  /* from panel to panel, and the first one in units of the width    */
#define NEAR   16.0 /* below: power series, above: asymptotic series                   */
#define INLINE static inline __attribute__((always_inline))

/* Gauss-Legendre on [-1, 1], 24 nodes: the positive half, since the rule is even. */
static const double node[NODES / 2] = {
    0.99518721999702136, 0.9747285559713095,  0.93827455200273276, 0.88641552700440103,
    0.82000198597390292, 0.74012419157855436, 0.64809365193697557, 0.54542147138883954,
    0.43379350762604514, 0.31504267969616337, 0.19111886747361631, 0.064056892862605626,
};
static const double weight[NODES / 2] = {
    0.0123412297999872,   0.028531388628933663, 0.044277438817419806, 0.059298584915436781,
    0.073346481411080306, 0.086190161531953276, 0.097618652104113888, 0.10744427011596563,
    0.1155056680537256,   0.12167047292780339,  0.1258374563468283,   0.12793819534675216,
};

/* The integrand's shape for s1 >= s2 >= |s3|. */
typedef struct {
    double a, b, r;
} shape;

/* One panel's nodes side by side, so that the loops below run in vector registers. */
typedef struct {
    double v[NODES], weight[NODES];
    double x[NODES], y[NODES];               /* a v and b (2 - v)                  */
    double ratio_x[NODES], ratio_y[NODES];   /* I1/I0 there                        */
    double factor_x[NODES], factor_y[NODES]; /* I0, or i0e where the argument is large */
} panel;

/* I0(x) and I1/I0 by the power series, whose terms are all positive: those left out are below 1e-16
 * for x < NEAR. */
INLINE void bessel_near(double *factor, double *ratio, const double *x)
{
    double t[NODES], p0[NODES], p1[NODES];
    for (int i = 0; i < NODES; i++) {
        double near = x[i] < NEAR ? x[i] : NEAR;
        t[i] = near * near / 4, p0[i] = p1[i] = 1;
    }
    for (int k = 31; k > 0; k--)
        for (int i = 0; i < NODES; i++) {
            p0[i] = 1 + p0[i] * (t[i] * (1.0 / (k * k)));
            p1[i] = 1 + p1[i] * (t[i] * (1.0 / (k * (k + 1))));
        }
    for (int i = 0; i < NODES; i++)
        factor[i] = p0[i], ratio[i] = x[i] / 2 * p1[i] / p0[i];
}

/* exp(-x) I0(x) and I1/I0 by the asymptotic series, where x >= NEAR; other entries stay. */
INLINE void bessel_far(double *factor, double *ratio, const double *x)
{
    double h[NODES], q0[NODES], q1[NODES];
    for (int i = 0; i < NODES; i++)
        h[i] = 1 / (x[i] < NEAR ? NEAR : x[i]), q0[i] = q1[i] = 1;
    for (int k = 24; k > 0; k--)
        for (int i = 0; i < NODES; i++) {
            q0[i] = 1 + q0[i] * (h[i] * ((2 * k - 1) * (2 * k - 1) / (8.0 * k)));
            q1[i] = 1 + q1[i] * (h[i] * ((2 * k - 3) * (2 * k + 1) / (8.0 * k)));
        }
    for (int i = 0; i < NODES; i++) {
        double scaled = q0[i] * sqrt(h[i] * (1 / (2 * M_PI)));
        factor[i] = x[i] < NEAR ? factor[i] : scaled;
        ratio[i] = x[i] < NEAR ? ratio[i] : q1[i] / q0[i];
    }
}

/* I0(x) for x < NEAR and exp(-x) I0(x) beyond, with I1/I0. x is monotonic along the panel, so that
 * its ends say which series are needed. */
INLINE void bessel(double *factor, double *ratio, const double *x)
{
    double least = fmin(x[0], x[NODES - 1]), most = fmax(x[0], x[NODES - 1]);
    for (int i = 0; i < NODES; i++)
        factor[i] = ratio[i] = 0;
    if (least < NEAR)
        bessel_near(factor, ratio, x);
    if (most >= NEAR)
        bessel_far(factor, ratio, x);
}

RECON_CLONES
static void fill(panel *p, const shape *s, double from, double to)
{
    double middle = (from + to) / 2, half = (to - from) / 2;
    for (int i = 0; i < NODES; i++) {
        double place = i < NODES / 2 ? -node[i] : node[NODES - 1 - i];
        double w = middle + half * place;
        p->v[i] = w * w;
        p->weight[i] = half * w * (i < NODES / 2 ? weight[i] : weight[NODES - 1 - i]);
        p->x[i] = s->a * p->v[i];
        p->y[i] = s->b * (2 - p->v[i]);
    }
    bessel(p->factor_x, p->ratio_x, p->x);
    bessel(p->factor_y, p->ratio_y, p->y);
}

/* Weighted sums over the nodes. At each, the derivative of log I0 I0 exp by s is 1 - below, and its
 * own derivative has the parts local (x: by s1 - s2, y: by s1 + s2): in a concentrated distribution
 * all of them are small, and what is small keeps its digits. */
typedef struct {
    double value, below[3], square[3][3], local_x, local_y;
} sums;

/* (log I0)'' = 1 - r/x - r^2, which is 1/2 at 0. */
static double curvature(double x, double ratio)
{
    return x < 1e-8 ? 0.5 : fmax(1 - ratio / x - ratio * ratio, 0);
}

static void add_panel(sums *sum, const panel *p, double r)
{
    for (int i = 0; i < NODES; i++) {
        double x = p->x[i], y = p->y[i], rx = p->ratio_x[i], ry = p->ratio_y[i];
        double v = p->v[i], fx = v / 2, fy = 1 - v / 2;
        double faded = r * v + (x < NEAR ? x : 0) + (y < NEAR ? y : 0);
        double f = p->weight[i] * p->factor_x[i] * p->factor_y[i] * exp(-faded);
        const double below[3] = { v, 1 - fy * ry - fx * rx, 1 - fy * ry + fx * rx };
        sum->value += f;
        sum->local_x += f * fx * fx * curvature(x, rx);
        sum->local_y += f * fy * fy * curvature(y, ry);
        for (int j = 0; j < 3; j++) {
            sum->below[j] += f * below[j];
            for (int k = 0; k <= j; k++)
                sum->square[j][k] += f * below[j] * below[k];
        }
    }
}

static void integrate(sums *sum, const shape *s)
{
    double end = sqrt(s->r * 2 > FADED ? FADED / s->r : 2);
    double from = 0, step = GROWTH / sqrt(s->a + s->b + s->r + 1);
    for (int k = 0; k < PANELS && from < end; k++) {
        double to = k == PANELS - 1 || step > 0.8 * end ? end : step;
        panel p;
        fill(&p, s, from, to);
        add_panel(sum, &p, s->r);
        from = to, step *= GROWTH;
    }
}

/* Brings s to s1 >= s2 >= |s3| by a permutation and an even change of sign. */
static void arrange(double sorted[3], int place[3], double sign[3], const double s[3])
{
    int negative = 0;
    for (int i = 0; i < 3; i++) {
        place[i] = i;
        negative += s[i] < 0;
    }
    for (int pass = 0; pass < 3; pass++) {
        int i = pass % 2, first = place[i];
        if (fabs(s[first]) < fabs(s[place[i + 1]]))
            place[i] = place[i + 1], place[i + 1] = first;
    }
    for (int i = 0; i < 3; i++) {
        sign[i] = s[place[i]] < 0 ? -1 : 1;
        sorted[i] = fabs(s[place[i]]);
    }
    if (negative % 2) {
        sign[2] = -sign[2];
        sorted[2] = -sorted[2];
    }
}

/* The covariance of the diagonal entries i and j, s1 >= s2 >= |s3|. */
static double covariance(const sums *sum, int i, int j)
{
    double square = i < j ? sum->square[j][i] : sum->square[i][j];
    double local = i == 0 || j == 0 ? 0 : sum->local_y + (i == j ? sum->local_x : -sum->local_x);
    return (square - sum->below[i] * sum->below[j] / sum->value + local) / sum->value;
}

void recon_fisher_constant_of(recon_fisher_constant *out, const double s[3])
{
    double t[3], sign[3];
    int place[3];
    arrange(t, place, sign, s);
    shape shaped = { (t[1] - t[2]) / 2, (t[1] + t[2]) / 2, t[0] + t[2] };
    sums sum = { 0 };
    integrate(&sum, &shaped);
    out->log_c = t[0] + t[1] + t[2] + log(sum.value);
    for (int i = 0; i < 3; i++) {
        out->mean[place[i]] = sign[i] * (1 - sum.below[i] / sum.value);
        for (int j = 0; j < 3; j++)
            out->covariance[place[i]][place[j]] = sign[i] * sign[j] * covariance(&sum, i, j);
    }
}
