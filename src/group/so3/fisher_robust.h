/* fisher_robust.h - the robust fit of matrix_fisher.h with what it knows of each sample. */
#ifndef GROUP_SO3_FISHER_ROBUST_H
#define GROUP_SO3_FISHER_ROBUST_H

#include <recon/group/matrix_fisher.h>
#include "group/so3/frame.h"

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
