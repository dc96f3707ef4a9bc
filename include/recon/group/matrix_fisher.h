/* matrix_fisher.h - the matrix Fisher distribution on SO(3): density, sampling, robust fit.
 *
 * The density is exp(tr F^T R) / c(F) with respect to the Haar measure of total mass 1, so F = 0 is
 * the uniform distribution with density 1. With the proper singular value decomposition F = U
 * diag(s) V^T (U, V rotations, s0 >= s1 >= |s2|) the mode is U V^T, and the rotation about its axis
 * k has precision s_i + s_j: where this is near zero, the rotation about that axis is free. */
#ifndef RECON_GROUP_MATRIX_FISHER_H
#define RECON_GROUP_MATRIX_FISHER_H

#include <recon/core/ctx.h>
#include <recon/core/rng.h>
#include <recon/group/so3.h>

/* A distribution with its decomposition, made by recon_fisher_of. A value: copy freely. */
typedef struct {
    double f[9];         /* F, row-major */
    recon_so3 mode;      /* U V^T; arbitrary if F = 0 */
    double singular[3];  /* the proper singular values, falling; only the last may be negative */
    double moment[3];    /* E[R] = U diag(moment) V^T */
    double body[3][3];   /* body[k] is column k of V: axis k in the frame before the rotation */
    double log_constant; /* log c(F) */
} recon_fisher;

/* Decomposes F. RECON_ERR_INPUT if F is not finite or has a singular value above 1e12. */
RECON_API recon_status recon_fisher_of(recon_ctx *ctx, recon_fisher *out, const double f[9]);

/* Return log p(g), and the logarithm of the mixture (1 - background) p(g) + background with the
 * uniform distribution, for scores of poses that may be wrong. background is in [0, 1]. */
RECON_API double recon_fisher_log_density(const recon_fisher *fisher, recon_so3 g);
RECON_API double recon_fisher_mixture_log_density(const recon_fisher *fisher, double background,
                                                  recon_so3 g);

/* Draws n independent samples. */
RECON_API void recon_fisher_sample(recon_so3 *out, const recon_fisher *fisher, size_t n,
                                   recon_rng *rng);

/* A robust fit to samples: it has a uniform background for outliers, only as many different
 * singular values as the samples support, and a correction for few samples. If free_directions is
 * not 0, the mode of F is one of many equally good ones. */
typedef struct {
    recon_fisher fisher;
    double background;     /* weight of the uniform part, at most 0.5 */
    double log_likelihood; /* of all samples, including the background */
    double shrink;         /* the factor on F that corrects for few samples */
    int free_directions;   /* directions in which the mode is not determined: 1 for a ring */
} recon_fisher_fit;

/* The largest singular value of a fit, so that copies of one rotation have a fit too. */
#define RECON_FISHER_MAX 1e6

#endif
