/* step.h - the memory of one training step, in the backend's memory.
 *
 * Taking memory moves a pointer, and a reset releases all. The first step measures how much is
 * needed; the reset after it allocates one block of that size, and from then on the same step gets
 * the same addresses. If the step was planned, the first block has that size already. Built with
 * ARENA=malloc, every request has its own block. */
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
    uintptr_t planned; /* not 0: a plan, from this address on: requests count, but have no memory */
} recon_step;          /* all zero: empty */

/* The most memory that a planned step may take; another plan may begin after it. */
#define RECON_STEP_MOST ((size_t)1 << 45)

/* Takes uninitialised memory, aligned to 256 and valid until the reset. */
recon_status recon_step_take(recon_ctx *ctx, recon_step *step, void **out, size_t bytes);
/* Starts planning at the address `from`, or, if that is 0, ends it. The peak is kept. */
void recon_step_plan(recon_ctx *ctx, recon_step *step, uintptr_t from);
/* Returns whether a value begins in one of its blocks. */
int recon_step_holds(const recon_step *step, const void *value);
recon_status recon_step_reset(recon_ctx *ctx, recon_step *step);
void recon_step_free(recon_ctx *ctx, recon_step *step);

/* --- Planning: the memory of a training step, and the parts of a batch that fit. */

/* Part `part` of `parts` of a batch of `units`. */
recon_slice recon_slice_of(size_t units, size_t parts, size_t part);

typedef struct {
    const recon_trainee *it;
    recon_tape *train, *eval;
    uint64_t step;
    size_t free;             /* bytes */
    const recon_slices *cut; /* of a batch that is not split; NULL: not cut */
    recon_slice part;        /* the same where ranks have devices of their own; n 0: they do not */
    int averaged;            /* an average of the weights is kept */
} recon_step_planner;

/* *parts is the least to try, and becomes the number to use, and *bytes what training will take:
 * steps, validation, feeding, and libraries. RECON_ERR_MEMORY where not even a single unit fits, or
 * where ranks share a batch: it is not split. Afterwards the tapes have room for just that. */
recon_status recon_step_planner_run(recon_ctx *ctx, const recon_step_planner *plan, uint64_t *parts,
                                    size_t *bytes);

#endif
