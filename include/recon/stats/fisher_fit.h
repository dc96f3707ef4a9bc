/* fisher_fit.h - fitting a matrix Fisher distribution to rotations.
 *
 * ROBUST, the default, is the one for neighbourhoods: a matrix Fisher with a uniform background for
 * neighbours that do not belong (EM), as few singular values as the data can tell apart, and a
 * correction for few samples. ML is maximum likelihood with as many different singular values as
 * likelihood-ratio tests tell apart (all equal, two equal, none): what is not identifiable would
 * follow the noise. MOMENT is the paper's: coth(s) - 1/s = d inverted for each singular value d of
 * the mean matrix, exact for one non-zero value. docs/statistics-so3.md has the errors measured.
 *
 * Where free_directions is not 0, the mode of F is one of many equally good ones. */
#ifndef RECON_STATS_FISHER_FIT_H
#define RECON_STATS_FISHER_FIT_H

#include <recon/stats/matrix_fisher.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { RECON_FISHER_ROBUST = 0, RECON_FISHER_MOMENT, RECON_FISHER_ML } recon_fisher_method;

typedef struct {
    recon_fisher_method method;
} recon_fisher_fit_options;

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

/* The inverse of the gradient of log c: the maximum-likelihood singular values for a mean rotation
 * with proper singular values d. Where d is on the border of what is possible, as for copies of one
 * rotation, values stay at about RECON_FISHER_MAX. */
RECON_API void recon_fisher_invert_moment(double s[3], const double d[3]);

#ifdef __cplusplus
}
#endif
#endif
