/* step.h - memory of one training step, in the backend's memory.
 *
 * Taking moves a pointer; resetting takes it all back. The first step finds out how much is needed,
 * the reset after it makes one block of that size, and from then on the same step gets the same
 * addresses. Where that was planned, the first block has that size already. Built with ARENA=malloc
 * every request has a block of its own. */
#ifndef NN_STEP_H
#define NN_STEP_H

#include <stddef.h>
#include <stdint.h>
#include <recon/core/ctx.h>
#include <recon/nn/train.h>
#include "ops/slices.h"

typedef struct recon_step_block {
    struct recon_step_block *below;
    void *bytes;
    size_t size, used;
} recon_step_block;

typedef struct {
    recon_step_block *top;
    size_t used, peak;
    uintptr_t planned; /* not 0: on paper, from this address on. What is taken counts, but is not
                          there */
} recon_step;          /* all zero: empty */

/* On paper a step takes no more than this, and another may begin behind it. */
#define RECON_STEP_MOST ((size_t)1 << 45)

/* Aligned to 256, not set, alive until the reset. */
recon_status recon_step_take(recon_ctx *ctx, recon_step *step, void **out, size_t bytes);
/* From here on paper; `from` 0: from here on for real. The peak stays. */
void recon_step_plan(recon_ctx *ctx, recon_step *step, uintptr_t from);
/* Does a value begin in one of its blocks? */
int recon_step_holds(const recon_step *step, const void *value);
recon_status recon_step_reset(recon_ctx *ctx, recon_step *step);
void recon_step_free(recon_ctx *ctx, recon_step *step);

/* --- How much memory a training step takes, known before the first one, and into how many
 * parts a batch goes so that it fits. */

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
