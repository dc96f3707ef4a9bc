/* kinds.c - what a model says by its group. */
#include "core/memory.h"
#include "model/model.h"

#include <stdlib.h>

static recon_status score2(recon_ctx *ctx, recon_pose_score *out, const recon_model *m,
                           const void *inputs, size_t n)
{
    recon_pose_score2 *of = NULL;
    recon_status status = recon_alloc_raw(ctx, &of, n, sizeof *of);
    if (status == RECON_OK)
        status = recon_model_score2(ctx, of, m, inputs, n);
    for (size_t i = 0; status == RECON_OK && i < n; i++)
        out[i] = (recon_pose_score){ .score = of[i].score,
                                     .p_value = of[i].p_value,
                                     .p_embedding = of[i].p_embedding,
                                     .surrogate = of[i].surrogate };
    free(of);
    return status;
}

static recon_status score3(recon_ctx *ctx, recon_pose_score *out, const recon_model *m,
                           const void *inputs, size_t n)
{
    recon_pose_score3 *of = NULL;
    recon_status status = recon_alloc_raw(ctx, &of, n, sizeof *of);
    if (status == RECON_OK)
        status = recon_model_score3(ctx, of, m, inputs, n);
    for (size_t i = 0; status == RECON_OK && i < n; i++)
        out[i] = (recon_pose_score){ .score = of[i].score,
                                     .p_value = of[i].p_value,
                                     .p_embedding = of[i].p_embedding,
                                     .surrogate = of[i].trace };
    free(of);
    return status;
}

static const recon_model_kind kinds[] = {
    { .group = RECON_SO2,
      .pose = sizeof(recon_pose2),
      .absolute_at = offsetof(recon_pose2, absolute),
      .rotation_at = offsetof(recon_pose2, rotation),
      .read = recon_read_gated2,
      .score = score2 },
    { .group = RECON_SO3,
      .pose = sizeof(recon_pose3),
      .absolute_at = offsetof(recon_pose3, absolute),
      .rotation_at = offsetof(recon_pose3, rotation),
      .free_at = offsetof(recon_pose3, free),
      .read = recon_read_gated3,
      .score = score3 },
};

const recon_model_kind *recon_model_kind_of(const recon_group *group)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].group == group)
            return &kinds[i];
    return NULL;
}
