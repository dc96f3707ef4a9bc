/* kinds.c - what is asked of a model's answers by its group. */
#include "core/memory.h"
#include "model/model.h"

static recon_status judge_angles(recon_ctx *ctx, recon_natural *out, const recon_model *m,
                                 const recon_read *of, size_t n)
{
    return recon_so2_verdicts(ctx, out, NULL, m, of, n);
}

/* What the neighbours of such an input say is learned. */
static recon_status judge_rotations(recon_ctx *ctx, recon_natural *out, const recon_model *m,
                                    const recon_read *of, size_t n)
{
    const recon_so3_map *maps = of->maps;
    (void)ctx, (void)m;
    for (size_t i = 0; i < n; i++)
        out[i] = maps[i].verdict;
    return RECON_OK;
}

static const recon_model_kind kinds[] = {
    { .group = RECON_SO2, .near = 1, .judge = judge_angles },
    { .group = RECON_SO3, .judge = judge_rotations },
};

const recon_model_kind *recon_model_kind_of(const recon_group *group)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].group == group)
            return &kinds[i];
    return NULL;
}
