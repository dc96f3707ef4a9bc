/* step.h - memory of one training step, in the backend's memory.
 *
 * Taking moves a pointer; resetting takes it all back. The first step finds out how much is needed,
 * the reset after it makes one block of that size, and from then on the same step gets the same
 * addresses. Built with ARENA=malloc every request has a block of its own. */
#ifndef NN_STEP_H
#define NN_STEP_H

#include <stddef.h>
#include <recon/core/ctx.h>

typedef struct recon_step_block {
    struct recon_step_block *below;
    void *bytes;
    size_t size, used;
} recon_step_block;

typedef struct {
    recon_step_block *top;
    size_t used, peak;
} recon_step; /* all zero: empty */

/* Aligned to 256, not set, alive until the reset. */
recon_status recon_step_take(recon_ctx *ctx, recon_step *step, void **out, size_t bytes);
/* Does a value begin in one of its blocks? */
int recon_step_holds(const recon_step *step, const void *value);
recon_status recon_step_reset(recon_ctx *ctx, recon_step *step);
void recon_step_free(recon_ctx *ctx, recon_step *step);

#endif
