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

/* RECON_ERR_INPUT where F is not finite or has a singular value above 1e12. */
RECON_API recon_status recon_fisher_of(recon_ctx *ctx, recon_fisher *out, const double f[9]);

/* log p(g), and the logarithm of the mixture (1 - background) p(g) + background with the uniform
 * distribution: what to score with where poses may be plainly wrong. background is in [0, 1]. */
RECON_API double recon_fisher_log_density(const recon_fisher *fisher, recon_so3 g);
RECON_API double recon_fisher_mixture_log_density(const recon_fisher *fisher, double background,
                                                  recon_so3 g);

/* n independent samples. */
RECON_API void recon_fisher_sample(recon_so3 *out, const recon_fisher *fisher, size_t n,
                                   recon_rng *rng);

/* A robust fit to samples: with a uniform background for those that do not belong, as few singular
 * values as the samples can tell apart, and a correction for few samples. Where free_directions is
 * not 0, the mode of F is one of many equally good ones. */
typedef struct {
    recon_fisher fisher;
    double background;     /* weight of the uniform part, at most 0.5                             */
    double log_likelihood; /* of all samples, background included                                 */
    double shrink;         /* F was multiplied by this against few samples                        */
    int free_directions;   /* in which the samples do not determine the mode: 1 is a ring         */
} recon_fisher_fit;

/* Singular values do not exceed this, so that copies of one rotation have a fit too. */
#define RECON_FISHER_MAX 1e6

#endif
