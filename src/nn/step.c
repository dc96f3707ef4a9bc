/* step.c - a bump allocator over the backend's blocks. */
#include "nn/step.h"
#include "core/fail.h"
#include "core/memory.h"
#include "ops/ops.h"

#include <stdint.h>
#include <stdlib.h>

#define ALIGN       256 /* what device memory and the widest vectors like */
#define FIRST_BLOCK ((size_t)1 << 20)
#define GROWTH      8 /* a further block is this part of the peak: memory may be scarce */

static recon_status push(recon_ctx *ctx, recon_step *step, size_t size)
{
    recon_step_block *b;
    RECON_CHECK(recon_alloc(ctx, &b, 1, sizeof *b));
    recon_status status = recon_ops_of(ctx)->alloc(ctx, &b->bytes, size);
    if (status != RECON_OK) {
        free(b);
        return recon_note(ctx, status, "a step needs %zu MiB", (step->used + size) >> 20);
    }
    b->size = size;
    b->below = step->top;
    step->top = b;
    return RECON_OK;
}

static size_t next_size(const recon_step *step, size_t bytes)
{
#ifdef RECON_ARENA_MALLOC
    (void)step;
    return bytes;
#else
    size_t size = step->top ? step->peak / GROWTH : step->peak;
    size = size < FIRST_BLOCK ? FIRST_BLOCK : size;
    return size < bytes ? bytes : size;
#endif
}

static recon_status take_on_paper(recon_ctx *ctx, recon_step *step, void **out, size_t bytes)
{
    if (bytes > RECON_STEP_MOST - step->used)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory: a step needs %zu MiB",
                          (step->used + bytes) >> 20);
    *out = (void *)(step->planned + step->used);
    step->used += bytes;
    step->peak = step->used > step->peak ? step->used : step->peak;
    return RECON_OK;
}

recon_status recon_step_take(recon_ctx *ctx, recon_step *step, void **out, size_t bytes)
{
    *out = NULL;
    if (bytes > SIZE_MAX / 2)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory: %zu bytes in one step", bytes);
    bytes = (bytes + (bytes == 0) + ALIGN - 1) / ALIGN * ALIGN;
    if (step->planned)
        return take_on_paper(ctx, step, out, bytes);
    if (!step->top || step->top->size - step->top->used < bytes) {
        RECON_CHECK(push(ctx, step, next_size(step, bytes)));
    }
    *out = (char *)step->top->bytes + step->top->used;
    step->top->used += bytes;
    step->used += bytes;
    if (step->used > step->peak)
        step->peak = step->used;
    return RECON_OK;
}

int recon_step_holds(const recon_step *step, const void *value)
{
    uintptr_t at = (uintptr_t)value;
    if (step->planned)
        return at >= step->planned && at < step->planned + step->used;
    for (const recon_step_block *b = step->top; b; b = b->below)
        if (at >= (uintptr_t)b->bytes && at < (uintptr_t)b->bytes + b->size)
            return 1;
    return 0;
}

void recon_step_free(recon_ctx *ctx, recon_step *step)
{
    while (step->top) {
        recon_step_block *b = step->top;
        step->top = b->below;
        recon_ops_of(ctx)->release(ctx, b->bytes);
        free(b);
    }
    *step = (recon_step){ .peak = step->peak, .planned = step->planned };
}

void recon_step_plan(recon_ctx *ctx, recon_step *step, uintptr_t from)
{
    recon_step_free(ctx, step);
    step->planned = from;
}

recon_status recon_step_reset(recon_ctx *ctx, recon_step *step)
{
    step->used = 0;
    if (step->top)
        step->top->used = 0;
#ifdef RECON_ARENA_MALLOC
    recon_step_free(ctx, step);
#else
    if (step->top && step->top->below) {
        recon_step_free(ctx, step);
        return push(ctx, step, step->peak);
    }
#endif
    return RECON_OK;
}
