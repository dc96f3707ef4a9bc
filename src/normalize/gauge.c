/* gauge.c - from one centre of a class to another. */
#include <recon/normalize/normalize.h>
#include "group/so3/fisher_gauge.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/threads.h"

#define BLOCK RECON_BLOCK_GAUGE

static recon_status move_row(recon_ctx *ctx, recon_frames *f, size_t i)
{
    recon_so3 *gamma = &f->gamma.so3[i];
    double uncentred[9];
    recon_fisher fisher;
    recon_fisher_center(uncentred, f->parameters + 9 * i, recon_so3_inverse(*gamma));
    recon_status status = recon_fisher_of(ctx, &fisher, uncentred);
    if (status != RECON_OK)
        return status;
    recon_so3 gauge = recon_fisher_gauge(&fisher, recon_fisher_free(&fisher));
    recon_so3 change = recon_so3_compose(*gamma, recon_so3_inverse(gauge));
    recon_fisher_center(f->parameters + 9 * i, uncentred, gauge);
    f->absolute.so3[i] = recon_so3_compose(f->absolute.so3[i], change);
    for (size_t j = i * f->k; f->normalized.so3 && j < (i + 1) * f->k; j++)
        f->normalized.so3[j] = recon_so3_compose(f->normalized.so3[j], change);
    *gamma = gauge;
    return RECON_OK;
}

/* A row without a class has no centre, and where there are several modes Gamma is one of them: the
 * gauge of all poses together would lie between. */
static int is_movable(const recon_frames *f, size_t i)
{
    return (!f->class_of || f->class_of[i] >= 0) && f->verdict[i] != RECON_NATURAL_SEVERAL;
}

static recon_status rows_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    recon_frames *f = arg;
    recon_status status = RECON_OK;
    (void)worker;
    for (size_t i = task * BLOCK; status == RECON_OK && i < (task + 1) * BLOCK && i < f->rows; i++)
        if (is_movable(f, i))
            status = move_row(ctx, f, i);
    return status;
}

void recon_frames_doubt(recon_frames *f, size_t i)
{
    int8_t verdict = f->verdict[i];
    if (verdict != RECON_NATURAL_ONE && verdict != RECON_NATURAL_AXIS)
        return;
    f->natural[verdict]--;
    f->natural[RECON_NATURAL_UNSURE]++;
    f->verdict[i] = RECON_NATURAL_UNSURE;
    f->fold[i] = 0;
}

recon_status recon_frames_gauge(recon_ctx *ctx, recon_frames *frames)
{
    if (frames->group != RECON_SO3)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "a gauge is for poses in SO(3)");
    return recon_parallel(ctx, rows_task, frames, (frames->rows + BLOCK - 1) / BLOCK);
}
