/* step_plan.h - how much memory a training step takes, known before the first one, and into how many
 * parts a batch goes so that it fits. */
#ifndef NN_STEP_PLAN_H
#define NN_STEP_PLAN_H

#include <recon/nn/train.h>
#include "ops/slices.h"

/* Part `part` of `parts` of a batch of `units`. */
recon_slice recon_slice_of(size_t units, size_t parts, size_t part);

typedef struct {
    const recon_trainee *it;
    recon_tape *train, *eval;
    uint64_t step;
    size_t free;             /* bytes                                         */
    const recon_slices *cut; /* of a batch that is not split; NULL: not cut   */
    recon_slice part;        /* the same where ranks have devices of their own; n 0: they do not */
    int averaged;            /* an average of the weights is kept             */
} recon_step_planner;

/* *parts is the least to try, and becomes the number to use, and *bytes what training will take:
 * steps, validation, feeding, and libraries. RECON_ERR_MEMORY where not even a single unit fits, or where
 * ranks share a batch: it is not split.
 * Afterwards the tapes have room for just that. */
recon_status recon_step_planner_run(recon_ctx *ctx, const recon_step_planner *plan, uint64_t *parts,
                                    size_t *bytes);

#endif
