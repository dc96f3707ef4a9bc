/* matrix_fisher.c - density, moments and samples of the matrix Fisher distribution. */
#include <recon/group/matrix_fisher.h>

#include <math.h>
#include "group/so3/fisher.h"
#include "group/so3/frame.h"

#define LARGEST 1e12

double recon_fisher_log_constant(double gradient[3], const double s[3])
{
    recon_fisher_constant c;
    recon_fisher_constant_of(&c, s);
    for (int i = 0; gradient && i < 3; i++)
        gradient[i] = c.mean[i];
    return c.log_c;
}

recon_status recon_fisher_of(recon_ctx *ctx, recon_fisher *out, const double f[9])
{
    for (int i = 0; i < 9; i++)
        if (!(fabs(f[i]) <= LARGEST))
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "matrix Fisher: F[%d][%d] is %g, expected at most %g", i / 3, i % 3,
                              f[i], LARGEST);
    double m[10];
    recon_so3_frame frame;
    recon_so3_moment_of_matrix(m, f);
    recon_so3_frame_of(&frame, m);
    out->mode = frame.mode;
    for (int i = 0; i < 9; i++) {
        out->f[i] = f[i];
        out->body[i / 3][i % 3] = frame.body[i / 3][i % 3];
    }
    for (int k = 0; k < 3; k++)
        out->singular[k] = frame.singular[k];
    out->log_constant = recon_fisher_log_constant(out->moment, out->singular);
    return RECON_OK;
}

double recon_fisher_log_density(const recon_fisher *fisher, recon_so3 g)
{
    double r[9], trace = 0;
    recon_so3_to_matrix(r, g);
    for (int i = 0; i < 9; i++)
        trace += fisher->f[i] * r[i];
    return trace - fisher->log_constant;
}

double recon_fisher_mixture_log_density(const recon_fisher *fisher, double background, recon_so3 g)
{
    double inside = log1p(-background) + recon_fisher_log_density(fisher, g);
    double outside = log(background);
    double larger = fmax(inside, outside), smaller = fmin(inside, outside);
    return larger + log1p(exp(smaller - larger));
}

void recon_fisher_mean(double mean[9], const recon_fisher *fisher)
{
    recon_so3_frame frame = { .mode = fisher->mode };
    for (int i = 0; i < 9; i++)
        frame.body[i / 3][i % 3] = fisher->body[i / 3][i % 3];
    recon_so3_frame_matrix(mean, &frame, fisher->moment);
}

/* Seen from the mode, the quaternion has density exp(-x^T B x), B diagonal: Bingham's. Kent,
 * Ganeiber and Mardia (2013) draw it by rejection from the angular central Gaussian with 1 + 2 B /
 * b, best for sum 1/(b + 2 B_i) = 1; about half the proposals and more are taken, however large B
 * is. */
typedef struct {
    double precision[4]; /* B */
    double sd[4];        /* of the Gaussian */
    double b;
} envelope;

static double excess(const double precision[4], double b)
{
    double sum = -1;
    for (int i = 0; i < 4; i++)
        sum += 1 / (b + 2 * precision[i]);
    return sum;
}

static envelope envelope_of(const double s[3])
{
    envelope e = { .precision = { 0, 2 * (s[1] + s[2]), 2 * (s[0] + s[2]), 2 * (s[0] + s[1]) } };
    double low = 1, high = 4;
    for (int i = 0; i < 50; i++) {
        e.b = (low + high) / 2;
        *(excess(e.precision, e.b) > 0 ? &low : &high) = e.b;
    }
    for (int i = 0; i < 4; i++)
        e.sd[i] = 1 / sqrt(1 + 2 * e.precision[i] / e.b);
    return e;
}

/* One proposal; whether it is taken. */
static int propose(double x[4], const envelope *e, recon_rng *rng)
{
    double norm = 0, exponent = 0, form = 0;
    for (int i = 0; i < 4; i++) {
        x[i] = e->sd[i] * recon_rng_normal(rng);
        norm += x[i] * x[i];
    }
    for (int i = 0; i < 4; i++) {
        x[i] /= sqrt(norm);
        exponent += e->precision[i] * x[i] * x[i];
        form += x[i] * x[i] * (1 + 2 * e->precision[i] / e->b);
    }
    double log_ratio = -exponent + 2 * log(form * e->b / 4) + (4 - e->b) / 2;
    return log(1 - recon_rng_uniform(rng)) <= log_ratio;
}

void recon_fisher_sample(recon_so3 *out, const recon_fisher *fisher, size_t n, recon_rng *rng)
{
    envelope e = envelope_of(fisher->singular);
    for (size_t k = 0; k < n; k++) {
        double x[4], v[3];
        while (!propose(x, &e, rng))
            ;
        for (int i = 0; i < 3; i++)
            v[i] =
                x[1] * fisher->body[0][i] + x[2] * fisher->body[1][i] + x[3] * fisher->body[2][i];
        out[k] = recon_so3_compose(fisher->mode, (recon_so3){ x[0], v[0], v[1], v[2] });
    }
}
