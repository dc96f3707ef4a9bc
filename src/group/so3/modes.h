/* modes.h - one broad mode or several? */
#ifndef GROUP_SO3_MODES_H
#define GROUP_SO3_MODES_H

#include <recon/group/so3.h>
#include <recon/group/matrix_fisher.h>
#include <recon/group/mean.h>
#include "core/arena.h"

#define RECON_KERNELS 10

/* log of the kernels' normalising constants, made once for many sets. */
typedef struct {
    double log_norm[RECON_KERNELS];
} recon_so3_kernels;

void recon_so3_kernels_make(recon_so3_kernels *out);

/* The modes of the samples, of which robust is the robust fit; at most RECON_MODES_MAX, heaviest
 * first; *modes = 1 and at[0] not set where there is no reason to see more than one. */
recon_status recon_so3_modes(recon_ctx *ctx, int *modes, recon_so3 at[RECON_MODES_MAX],
                             const recon_so3 *samples, size_t n, const recon_so3_kernels *kernels,
                             const recon_fisher_fit *robust, recon_arena *arena);

#endif
