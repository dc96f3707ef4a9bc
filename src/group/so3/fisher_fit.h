/* fisher_fit.h (private) - fits of matrix Fisher distributions to samples. */
#ifndef GROUP_SO3_FISHER_FIT_H
#define GROUP_SO3_FISHER_FIT_H

#include <recon/group/matrix_fisher.h>
#include "group/so3/frame.h"

/* ROBUST, the default, is the one for neighbourhoods: a matrix Fisher with a uniform background for
 * neighbours that do not belong (EM), as few singular values as the data can tell apart, and a
 * correction for few samples. ML is maximum likelihood with as many different singular values as
 * likelihood-ratio tests tell apart (all equal, two equal, none): what is not identifiable would
 * follow the noise. MOMENT is the paper's: coth(s) - 1/s = d inverted for each singular value d of
 * the mean matrix, exact for one non-zero value. docs/notebook/statistics-so3.md has the errors measured. */
typedef enum { RECON_FISHER_ROBUST = 0, RECON_FISHER_MOMENT, RECON_FISHER_ML } recon_fisher_method;

/* Zero means the default. */
typedef struct {
    recon_fisher_method method;
} recon_fisher_fit_options;

/* Four samples or fewer say nothing about a spread: ROBUST then gives F = 0. RECON_ERR_INPUT for n
 * = 0 and for samples that are not unit quaternions. options may be NULL. */
recon_status recon_fisher_fit_samples(recon_ctx *ctx, recon_fisher_fit *out,
                                      const recon_so3 *samples, size_t n,
                                      const recon_fisher_fit_options *options);

/* Of many sets: set i is samples[i * k .. i * k + k). Does not depend on the number of threads. */
recon_status recon_fisher_fit_batch(recon_ctx *ctx, recon_fisher_fit *out /* [sets] */,
                                    const recon_so3 *samples /* [sets * k] */, size_t sets,
                                    size_t k, const recon_fisher_fit_options *options);

/* The robust fit with what it knows of each sample. */
typedef struct {
    recon_fisher_fit fit;
    double *belongs;       /* [n] 1 - the sample's share of the background   */
    double count;          /* their sum                                      */
    recon_so3_frame frame; /* of the mean rotation, so weighted        */
} recon_fisher_robust;

/* belongs is given by the caller. */
recon_status recon_fisher_fit_robust(recon_ctx *ctx, recon_fisher_robust *out,
                                     const recon_so3 *samples, size_t n);

#endif
