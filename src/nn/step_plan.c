/* step_plan.c - a step on paper. */
#include "nn/step.h"
#include "comm/comm.h"
#include "core/fail.h"
#include "nn/tape.h"

#include <math.h>
#include <stdio.h>

/* What libraries, threads and kernels take for themselves. Measured: 25 MB at 28 x 28 pixels, 56 MB
 * at 64 x 64. */
#define LIBRARIES   ((size_t)24 << 20)
#define WEIGHTS     4             /* in multiples of them: they, their gradients, two moments */
#define SAVED       3             /* a checkpoint on its way to the disk: all but gradients   */
#define AVERAGED    2             /* their average, and the checkpoint's                      */
#define EXCHANGED   4             /* where ranks exchange gradients (ops/sums.h)              */
#define GRAIN       8             /* of a side that is said to fit */
#define SPARE(free) ((free) / 10) /* others need some, too */

recon_slice recon_slice_of(size_t units, size_t parts, size_t part)
{
    size_t first = units * part / parts;
    return (recon_slice){ first, units * (part + 1) / parts - first, units };
}

/* The largest slice, through both tapes. */
static recon_status go_through(const recon_step_planner *p, recon_slice slice)
{
    double metric;
    if (p->cut && slice.n == slice.of)
        recon_tape_cut(p->train, p->cut);
    else if (p->part.n && slice.n == slice.of)
        recon_tape_split(p->train, p->part);
    else
        recon_tape_split(p->train, slice);
    RECON_CHECK(recon_tape_begin(p->train, RECON_TRAIN, p->step));
    RECON_CHECK(p->it->feed(p->it->user, p->train, p->step));
    RECON_CHECK(recon_tape_backward(p->train, p->it->loss(p->it->user, p->train)));
    if (p->it->validate) {
        recon_tape_split(p->eval, slice);
        RECON_CHECK(recon_tape_begin(p->eval, RECON_INFER, 0));
        RECON_CHECK(p->it->validate(p->it->user, p->eval, &metric));
    }
    return RECON_OK;
}

static int is_shared(const recon_ctx *ctx, const recon_step_planner *p)
{
    return (p->cut || p->part.n) && recon_comm_size(ctx) > 1;
}

/* What does not grow with the batch. */
static size_t fixed_bytes(const recon_ctx *ctx, const recon_step_planner *p)
{
    const recon_params *params = p->it->params;
    size_t times = WEIGHTS + SAVED + (p->averaged ? AVERAGED : 0) +
                   (is_shared(ctx, p) && p->cut ? EXCHANGED : 0);
    return LIBRARIES + times * params->n_weights * recon_dtype_size(params->type);
}

static recon_status measure(recon_ctx *ctx, const recon_step_planner *p, size_t parts,
                            size_t *bytes)
{
    recon_status status;
    recon_tape_plan(p->train);
    recon_tape_plan(p->eval);
    RECON_TRY(recon_params_clear_gradients(ctx, p->it->params));
    recon_slice largest = { 0, (p->it->units + parts - 1) / parts, p->it->units };
    RECON_TRY(go_through(p, largest));
    if (parts > 1) /* the second part adds its gradients to those of the first */
        RECON_TRY(go_through(p, largest));
    *bytes =
        recon_tape_peak(p->train) + recon_tape_peak(p->eval) + p->it->beside + fixed_bytes(ctx, p);
done:
    recon_tape_execute(p->train);
    recon_tape_execute(p->eval);
    return status;
}

/* What a step takes grows with the pixels, but for the weights and libraries. 0: no size fits. */
static size_t side_that_fits(const recon_ctx *ctx, const recon_step_planner *p, size_t bytes,
                             size_t room)
{
    size_t fixed = fixed_bytes(ctx, p);
    if (room <= fixed || bytes <= fixed)
        return 0;
    double share = (double)(room - fixed) / (double)(bytes - fixed);
    return (size_t)((double)p->it->side * sqrt(share)) / GRAIN * GRAIN;
}

static recon_status refuse(recon_ctx *ctx, const recon_step_planner *p, size_t bytes, size_t room)
{
    size_t side = side_that_fits(ctx, p, bytes, room);
    char fits[80] = "";
    if (side)
        snprintf(fits, sizeof fits, " (those of %zu x %zu pixels would fit)", side, side);
    return recon_fail(
        ctx, RECON_ERR_MEMORY,
        "out of memory: a step takes about %zu MiB even where the batch is split into single inputs%s, "
        "and %zu MiB are free",
        bytes >> 20, fits, p->free >> 20);
}

recon_status recon_step_planner_run(recon_ctx *ctx, const recon_step_planner *p, uint64_t *parts,
                                    size_t *bytes)
{
    size_t units = p->it->units, room = p->free - SPARE(p->free);
    RECON_CHECK(measure(ctx, p, *parts, bytes));
    if (*bytes > room && is_shared(ctx, p))
        return recon_fail(ctx, RECON_ERR_MEMORY,
                          "out of memory: a step takes about %zu MiB at this rank, and %zu MiB are "
                          "free: more ranks, on more machines, or a smaller {batch} take less",
                          *bytes >> 20, p->free >> 20);
    while (*bytes > room && *parts < units) {
        *parts = 2 * *parts < units ? 2 * *parts : units;
        RECON_CHECK(measure(ctx, p, *parts, bytes));
    }
    if (*bytes > room)
        RECON_CHECK(refuse(ctx, p, *bytes, room));
    return RECON_OK;
}
