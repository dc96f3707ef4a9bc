/* gauge.c - from one centre of a class to another. */
#include <recon/normalize/normalize.h>
#include "core/blocks.h"
#include "core/fail.h"
#include "core/threads.h"
#include "normalize/findings.h"

#include <string.h>

#define BLOCK RECON_BLOCK_GAUGE

static recon_status move_row(recon_ctx *ctx, recon_frames *f, size_t i)
{
    const recon_group *group = f->group;
    size_t numbers = group->numbers;
    double *gamma = f->gamma + i * numbers, *absolute = f->absolute + i * numbers;
    double change[RECON_NUMBERS_MAX], before[RECON_NUMBERS_MAX];
    memcpy(before, gamma, numbers * sizeof *before);
    RECON_CHECK(group->gauge(ctx, group, gamma, f->parameters + i * f->parameters_width));
    group->inverse(group, change, gamma);
    group->compose(group, change, before, change);
    group->compose(group, absolute, absolute, change);
    for (size_t j = i * f->k; f->normalized && j < (i + 1) * f->k; j++) {
        double *pose = f->normalized + j * numbers;
        group->compose(group, pose, pose, change);
    }
    return RECON_OK;
}

/* A row without a class has no centre, and where there are several modes Gamma is one of them: the
 * gauge of all poses together would lie between. */
static int is_movable(const recon_frames *f, size_t i)
{
    return (!f->class_of || f->class_of[i] >= 0) && f->verdict[i] != RECON_NATURAL_SEVERAL &&
           f->verdict[i] != RECON_NATURAL_MODULO;
}

static recon_status rows_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    recon_frames *f = arg;
    (void)worker;
    for (size_t i = task * BLOCK; i < (task + 1) * BLOCK && i < f->rows; i++)
        if (is_movable(f, i))
            RECON_CHECK(move_row(ctx, f, i));
    return RECON_OK;
}

void recon_frames_make_unsure(recon_frames *f, size_t i)
{
    int8_t verdict = f->verdict[i];
    if (verdict != RECON_NATURAL_ONE && verdict != RECON_NATURAL_AXIS)
        return;
    f->natural[verdict]--;
    f->natural[RECON_NATURAL_UNSURE]++;
    recon_class_verdict_doubt(f, i);
}

recon_status recon_frames_gauge(recon_ctx *ctx, recon_frames *frames)
{
    if (!frames->group->gauge)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "a gauge is not for poses in %s",
                          frames->group->words);
    return recon_parallel(ctx, rows_task, frames, (frames->rows + BLOCK - 1) / BLOCK);
}
