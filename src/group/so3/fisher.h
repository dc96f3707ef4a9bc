/* fisher.h - the matrix Fisher distribution: its constant, the way back from a mean, its centre, mixtures and loss. */
#ifndef GROUP_SO3_FISHER_H
#define GROUP_SO3_FISHER_H

#include <recon/group/matrix_fisher.h>

/* --- The normalising constant of the matrix Fisher distribution.
 *
 * c(s) is the mean of exp(tr(S^T R)) over all rotations, S = diag(s). It depends on s up to
 * permutations and even changes of sign. One quadrature gives its logarithm, the gradient (which is
 * the mean of the diagonal of R) and the Hessian (its covariance). */

typedef struct {
    double log_c;
    double mean[3];          /* d log c / d s            */
    double covariance[3][3]; /* d^2 log c / d s^2        */
} recon_fisher_constant;

/* Any finite s, in any order. */
void recon_fisher_constant_of(recon_fisher_constant *out, const double s[3]);

/* log c for singular values in any order and with any signs, from 0 up; gradient (the mean of the
 * diagonal of R, F = diag(s)) may be NULL. Absolute error below 1e-10 up to 1e4, relative error
 * 1e-15 beyond. */
double recon_fisher_log_constant(double gradient[3], const double s[3]);

void recon_fisher_mean(double mean[9], const recon_fisher *fisher); /* E[R], row-major */

/* --- From the singular values d of a mean rotation to those of F, in steps that a
 * fit may warm up and stop early. recon_fisher_invert_moment is all of them. */

#define RECON_FISHER_EXACT 1e-16 /* a gain in log-likelihood that is rounding */

/* The s with coth(s) - 1/s = d, 0 <= d <= 1: exact where F has one singular value. */
double recon_langevin_inverse(double d);

/* d moved off the border, so that no singular value passes RECON_FISHER_MAX. */
void recon_fisher_inside(double out[3], const double d[3]);

/* Where to start from, for d inside. */
void recon_fisher_start(double s[3], const double d[3]);

/* From s to the least value of log c(s) - s.d, which is returned, until a step gains less than
 * enough. */
double recon_fisher_descend(double s[3], const double d[3], double enough);

double recon_dot3(const double a[3], const double b[3]);

/* The inverse of the gradient of log c: the maximum-likelihood singular values for a mean rotation
 * with proper singular values d. Where d is on the border of what is possible, as for copies of one
 * rotation, values stay at about RECON_FISHER_MAX. */
void recon_fisher_invert_moment(double s[3], const double d[3]);

/* --- One rotation to stand for a matrix Fisher distribution, chosen so that it does
 * not follow noise.
 *
 * Where the poses of a class lie on a ring (F has one large singular value), every rotation of the
 * ring is as good a centre as the mode U V^T, and which of them the mode is, the noise decides: two
 * neighbourhoods of one class disagree by 90 degrees in the median. What the data do determine is
 * that a body axis b goes to a world axis w. The gauge is then the least rotation that takes b to
 * w, a smooth function of the two axes (but for b = -w, where no smooth choice exists). In general
 * it is, among the rotations that are equally good centres, the one nearest the identity: the mode
 * where nothing is free, the identity where all is. */

/* A rotation with a concentration below this, a mean cosine below a half, is called free: it is what 25
 * samples cannot tell from a uniform one (recon_so3_free_directions). */
#define RECON_FISHER_LOOSE 1.16

/* How many directions the mode may be rotated in before the density objects, 0 .. 3, in the terms of
 * recon_so3_free_directions: 1 is a ring. */
int recon_fisher_free(const recon_fisher *fisher);

/* The centre nearest the identity when so many directions are free. Rotating the world (g F) rotates
 * it on the left and changing the body's frame (F h) on the right: exactly where nothing is free,
 * and on a ring up to a spin about the world axis. */
recon_so3 recon_fisher_gauge(const recon_fisher *fisher, int free_directions);

/* The best determined direction: body, in the frame before the rotation, goes to world. */
void recon_fisher_axes(double body[3], double world[3], const recon_fisher *fisher);

/* F g^-1, row-major: where R has F, R g^-1 has this. g is any rotation, and the gauge's own F is
 * the one about the identity. */
void recon_fisher_center(double out[9], const double f[9], recon_so3 g);

/* --- Densities of several modes on SO(3): matrix Fisher distributions
 * side by side, with a uniform background. */

enum { RECON_FISHER_PARTS = 4 };

typedef struct {
    int parts;                         /* 1 .. RECON_FISHER_PARTS                */
    double background;                 /* share of the uniform distribution      */
    double weight[RECON_FISHER_PARTS]; /* of the parts among each other: of sum 1 */
    recon_fisher part[RECON_FISHER_PARTS];
} recon_fisher_mixture;

/* log((1 - background) sum of weight p + background). */
double recon_fisher_parts_log_density(const recon_fisher_mixture *mixture, recon_so3 g);

/* n independent samples. */
void recon_fisher_parts_sample(recon_so3 *out, const recon_fisher_mixture *mixture, size_t n,
                               recon_rng *rng);

/* The same mixture with one part for each mode, heaviest first. Parts are of one mode where the
 * density between them stays above a quarter of the lower peak; their mode is the matrix Fisher
 * distribution with the mean rotation of these parts. A mode with less than a tenth of the weight is
 * none, and is counted with the background. */
recon_status recon_fisher_parts_reduce(recon_ctx *ctx, recon_fisher_mixture *out,
                                       const recon_fisher_mixture *mixture);

/* --- What a rotation costs under a mixture of matrix Fisher distributions
 * with a uniform background, and which way is down. */

/* -log(w_0 + sum of w_k exp(tr F_k^T R - log c(F_k))), k = 1 .. parts; F_k and R row-major. The
 * weights are the softmax of parts + 1 numbers: share[0] is the background's, the first part has 0,
 * the others have share[1 .. parts - 1]. share NULL: no background, and parts of equal weight.
 * df [parts][9] and dshare [parts] are its derivatives; both may be NULL. NaN, there too, where F or
 * a share is not finite or F has an entry above 1e12. parts is at most RECON_FISHER_PARTS. */
double recon_fisher_loss(double *df, double *dshare, const double *f, const double *share,
                         int parts, const double r[9]);

/* Logarithms of parts + 1 weights of sum 1, the background's first: the softmax above. share NULL: no background (-INFINITY), and parts of equal weight. */
void recon_fisher_log_shares(double *log_weight, const double *share, int parts);

/* log of the sum of exp(x[i]), n >= 1; -INFINITY is allowed, not for all of them. */
double recon_log_sum(const double *x, int n);

#endif
