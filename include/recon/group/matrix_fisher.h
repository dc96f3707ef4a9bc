/* matrix_fisher.h - the matrix Fisher distribution on SO(3): density, sampling, robust fit.
 *
 * Density exp(tr F^T R) / c(F) with respect to the Haar measure of total mass 1, so that F = 0 is
 * the uniform distribution with density 1. With the proper singular value decomposition
 * F = U diag(s) V^T (U, V rotations, s0 >= s1 >= |s2|) the mode is U V^T and the rotation about its
 * axis k has precision s_i + s_j: a value near zero there is a direction left free. */
#ifndef RECON_GROUP_MATRIX_FISHER_H
#define RECON_GROUP_MATRIX_FISHER_H

#include <recon/core/ctx.h>
#include <recon/core/rng.h>
#include <recon/group/so3.h>

/* F taken apart: a value, copy freely. Make it with recon_fisher_of. */
typedef struct {
    double f[9];         /* F, row-major                                              */
    recon_so3 mode;      /* U V^T; any rotation where F = 0                           */
    double singular[3];  /* proper: falling, and only the last may be negative        */
    double moment[3];    /* E[R] = U diag(moment) V^T                                 */
    double body[3][3];   /* body[k] is column k of V: the axes before the mode        */
    double log_constant; /* log c(F)                                                  */
} recon_fisher;

/* log c for singular values in any order and with any signs, from 0 up; gradient (the mean of the
 * diagonal of R, F = diag(s)) may be NULL. Absolute error below 1e-10 up to 1e4, relative error
 * 1e-15 beyond. */
RECON_API double recon_fisher_log_constant(double gradient[3], const double s[3]);

/* RECON_ERR_INPUT where F is not finite or has a singular value above 1e12. */
RECON_API recon_status recon_fisher_of(recon_ctx *ctx, recon_fisher *out, const double f[9]);

/* log p(g), and the logarithm of the mixture (1 - background) p(g) + background with the uniform
 * distribution: what to score with where poses may be plainly wrong. background is in [0, 1]. */
RECON_API double recon_fisher_log_density(const recon_fisher *fisher, recon_so3 g);
RECON_API double recon_fisher_mixture_log_density(const recon_fisher *fisher, double background,
                                                  recon_so3 g);

RECON_API void recon_fisher_mean(double mean[9], const recon_fisher *fisher); /* E[R], row-major */

/* n independent samples. */
RECON_API void recon_fisher_sample(recon_so3 *out, const recon_fisher *fisher, size_t n,
                                   recon_rng *rng);

/* --- fits ------------------------------------------------------------------------------------- */

/* ROBUST, the default, is the one for neighbourhoods: a matrix Fisher with a uniform background for
 * neighbours that do not belong (EM), as few singular values as the data can tell apart, and a
 * correction for few samples. ML is maximum likelihood with as many different singular values as
 * likelihood-ratio tests tell apart (all equal, two equal, none): what is not identifiable would
 * follow the noise. MOMENT is the paper's: coth(s) - 1/s = d inverted for each singular value d of
 * the mean matrix, exact for one non-zero value. docs/statistics-so3.md has the errors measured. */
typedef enum { RECON_FISHER_ROBUST = 0, RECON_FISHER_MOMENT, RECON_FISHER_ML } recon_fisher_method;

/* Zero means the default. */
typedef struct {
    recon_fisher_method method;
    uint64_t reserved[RECON_RESERVED];
} recon_fisher_fit_options;

/* Where free_directions is not 0, the mode of F is one of many equally good ones. */
typedef struct {
    recon_fisher fisher;
    double background;     /* weight of the uniform part; 0 unless ROBUST, at most 0.5            */
    double log_likelihood; /* of all samples, background included                                 */
    double shrink;         /* F was multiplied by this against few samples; 1 unless ROBUST       */
    int free_directions;   /* see recon_so3_free_directions; over the samples taken to belong     */
} recon_fisher_fit;

/* Singular values do not exceed this, so that copies of one rotation have a fit too. */
#define RECON_FISHER_MAX 1e6

/* Four samples or fewer say nothing about a spread: ROBUST then gives F = 0. RECON_ERR_INPUT for n
 * = 0 and for samples that are not unit quaternions. options may be NULL. */
RECON_API recon_status recon_fisher_fit_samples(recon_ctx *ctx, recon_fisher_fit *out,
                                                const recon_so3 *samples, size_t n,
                                                const recon_fisher_fit_options *options);

/* Set i is samples[i * k .. i * k + k). Does not depend on the number of threads. */
RECON_API recon_status recon_fisher_fit_batch(recon_ctx *ctx, recon_fisher_fit *out /* [sets] */,
                                              const recon_so3 *samples /* [sets * k] */,
                                              size_t sets, size_t k,
                                              const recon_fisher_fit_options *options);

#endif
