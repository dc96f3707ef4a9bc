/* score.c - how unnatural poses are: of inputs of any kind, and by their types. */
#include <recon/model/score.h>
#include "core/fail.h"
#include "core/memory.h"
#include "model/model.h"

#include <stdlib.h>

static recon_status score_so2(recon_ctx *ctx, recon_pose_score *out, const recon_model *m,
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

static recon_status score_so3(recon_ctx *ctx, recon_pose_score *out, const recon_model *m,
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

recon_status recon_score(recon_ctx *ctx, recon_pose_score *out, const recon_model *m,
                         const void *inputs, size_t n)
{
    return (m->backbone->kind->group == RECON_SO2 ? score_so2 : score_so3)(ctx, out, m, inputs, n);
}

recon_status recon_score_images(recon_ctx *ctx, recon_pose_score2 *out, const recon_model *model,
                                const float *images, size_t n)
{
    recon_status status = recon_model_takes(ctx, model, "images");
    return status == RECON_OK ? recon_model_score2(ctx, out, model, images, n) : status;
}

recon_status recon_score_molecules(recon_ctx *ctx, recon_pose_score3 *out, const recon_model *model,
                                   const recon_conformer *x, size_t n)
{
    recon_status status = recon_model_takes(ctx, model, "molecules");
    return status == RECON_OK ? recon_model_score3(ctx, out, model, x, n) : status;
}

double recon_score_threshold(const recon_model *model, double false_alarms)
{
    return recon_maps_threshold(model->maps, false_alarms);
}
