/* fisher.h - the matrix Fisher distribution: normalising constant, inversion of moments, centre,
 * mixtures and loss. */
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
    double mean[3];          /* d log c / d s */
    double covariance[3][3]; /* d^2 log c / d s^2 */
} recon_fisher_constant;

/* Any finite s, in any order. */
void recon_fisher_constant_of(recon_fisher_constant *out, const double s[3]);

/* Returns log c for singular values in any order and with any signs. gradient, the mean of the
 * diagonal of R for F = diag(s), may be NULL. The absolute error is below 1e-10 up to 1e4; beyond,
 * the relative error is 1e-15. */
double recon_fisher_log_constant(double gradient[3], const double s[3]);

void recon_fisher_mean(double mean[9], const recon_fisher *fisher); /* E[R], row-major */

/* --- Computes the singular values of F from those, d, of a mean rotation. A fit may use the steps
 * for a warm start or stop early; recon_fisher_invert_moment does all. */

#define RECON_FISHER_EXACT 1e-16 /* a gain in log-likelihood that is only rounding */

/* Returns s with coth(s) - 1/s = d, 0 <= d <= 1: exact if F has one non-zero singular value. */
double recon_langevin_inverse(double d);

/* Moves d off the border of the possible values, to singular values up to RECON_FISHER_MAX. */
void recon_fisher_inside(double out[3], const double d[3]);

/* Computes a starting point for d inside. */
void recon_fisher_start(double s[3], const double d[3]);

/* Minimises log c(s) - s.d from s until steps gain less than `enough`; returns the minimum. */
double recon_fisher_descend(double s[3], const double d[3], double enough);

double recon_dot3(const double a[3], const double b[3]);

/* Inverts the gradient of log c: computes the maximum-likelihood singular values for a mean
 * rotation with proper singular values d. For d on the border, as for copies of one rotation, they
 * are about RECON_FISHER_MAX. */
void recon_fisher_invert_moment(double s[3], const double d[3]);

/* --- A centre of a matrix Fisher distribution that does not depend on noise, the gauge.
 *
 * If the poses of a class lie on a ring (F has one large singular value), every rotation of the
 * ring is as good a centre as the mode U V^T, and noise decides where the mode is: two
 * neighbourhoods of one class disagree by 90 degrees in the median. The data only determine that a
 * body axis b goes to a world axis w. The gauge is then the smallest rotation that takes b to w, a
 * smooth function of the two axes (except for b = -w, where no smooth choice exists). In general it
 * is the rotation nearest the identity among the equally good centres: the mode if nothing is free,
 * the identity if all is. */

/* Rotations about an axis are called free if their concentration is below this, a mean cosine below
 * a half: 25 samples cannot distinguish them from uniform ones (recon_so3_free_directions). */
#define RECON_FISHER_LOOSE 1.16

/* Returns the number of free directions of the mode, 0 .. 3: see recon_so3_free_directions. */
int recon_fisher_free(const recon_fisher *fisher);

/* Returns the centre nearest the identity, given the number of free directions. It is multiplied on
 * the left if the world is rotated (g F), and on the right if the body's frame is changed (F h):
 * exactly if nothing is free, and on a ring up to a spin about the world axis. */
recon_so3 recon_fisher_gauge(const recon_fisher *fisher, int free_directions);

/* The best determined direction: the rotation takes body, in the frame before it, to world. */
void recon_fisher_axes(double body[3], double world[3], const recon_fisher *fisher);

/* F g^-1, row-major: if R has the parameter F, R g^-1 has this one, for any rotation g. */
void recon_fisher_center(double out[9], const double f[9], recon_so3 g);

/* --- Mixtures of matrix Fisher distributions with a uniform background, for several modes. */

enum { RECON_FISHER_PARTS = 4 };

typedef struct {
    int parts;                         /* 1 .. RECON_FISHER_PARTS */
    double background;                 /* weight of the uniform distribution */
    double weight[RECON_FISHER_PARTS]; /* of the parts, with sum 1 */
    recon_fisher part[RECON_FISHER_PARTS];
} recon_fisher_mixture;

/* log((1 - background) sum of weight p + background). */
double recon_fisher_parts_log_density(const recon_fisher_mixture *mixture, recon_so3 g);

/* Reduces a mixture to one part for each mode, heaviest first. Parts belong to one mode if the
 * density between them stays above a quarter of the lower peak; they are replaced by the matrix
 * Fisher distribution with the same mean rotation. A mode with less than a tenth of the weight is
 * added to the background. */
recon_status recon_fisher_parts_reduce(recon_ctx *ctx, recon_fisher_mixture *out,
                                       const recon_fisher_mixture *mixture);

/* --- The negative log-likelihood of a rotation under such a mixture, and its gradient. */

/* Returns -log(w_0 + sum of w_k exp(tr F_k^T R - log c(F_k))), k = 1 .. parts; F_k and R row-major.
 * The weights are the softmax of parts + 1 numbers: share[0] for the background, 0 for the first
 * part, and share[1 .. parts - 1] for the others. share NULL: no background, and equal weights. df
 * [parts][9] and dshare [parts] receive the derivatives and may be NULL. The results are NaN if F
 * or a share is not finite or F has an entry above 1e12. parts is at most RECON_FISHER_PARTS. */
double recon_fisher_loss(double *df, double *dshare, const double *f, const double *share,
                         int parts, const double r[9]);

/* Computes the logarithms of the parts + 1 weights above, the background first. share NULL: no
 * background (-INFINITY), and equal weights. */
void recon_fisher_log_shares(double *log_weight, const double *share, int parts);

/* Returns the log of the sum of exp(x[i]), n >= 1; not all may be -INFINITY. */
double recon_log_sum(const double *x, int n);

#endif
