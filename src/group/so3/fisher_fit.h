/* fisher_fit.h (private) - fits of matrix Fisher distributions to samples. */
#ifndef GROUP_SO3_FISHER_FIT_H
#define GROUP_SO3_FISHER_FIT_H

#include <recon/group/matrix_fisher.h>
#include "group/so3/frame.h"

/* ROBUST, the default, is for neighbourhoods: a matrix Fisher distribution with a uniform
 * background for wrong neighbours (EM), only as many different singular values as the data support,
 * and a correction for few samples. ML is maximum likelihood with as many different singular values
 * as likelihood-ratio tests distinguish (all equal, two equal, none), since the others would follow
 * noise. MOMENT is the paper's: coth(s) - 1/s = d inverted for each singular value d of the mean
 * matrix, exact for one non-zero value. docs/notebook/statistics-so3.md has their errors. */
typedef enum { RECON_FISHER_ROBUST = 0, RECON_FISHER_MOMENT, RECON_FISHER_ML } recon_fisher_method;

/* Zero means the default. */
typedef struct {
    recon_fisher_method method;
} recon_fisher_fit_options;

/* Four samples or fewer do not determine a spread: ROBUST then gives F = 0. RECON_ERR_INPUT for n =
 * 0 and for samples that are not unit quaternions. options may be NULL. */
recon_status recon_fisher_fit_samples(recon_ctx *ctx, recon_fisher_fit *out,
                                      const recon_so3 *samples, size_t n,
                                      const recon_fisher_fit_options *options);

/* The same for many sets; set i is samples[i * k .. i * k + k). */
recon_status recon_fisher_fit_batch(recon_ctx *ctx, recon_fisher_fit *out /* [sets] */,
                                    const recon_so3 *samples /* [sets * k] */, size_t sets,
                                    size_t k, const recon_fisher_fit_options *options);

/* The robust fit, with the weight of each sample. */
typedef struct {
    recon_fisher_fit fit;
    double *belongs;       /* [n] the probability that a sample is not background */
    double count;          /* their sum */
    recon_so3_frame frame; /* of the mean rotation with these weights */
} recon_fisher_robust;

/* The caller allocates belongs. */
recon_status recon_fisher_fit_robust(recon_ctx *ctx, recon_fisher_robust *out,
                                     const recon_so3 *samples, size_t n);

#endif
