/* score.c - how unnatural poses are: of inputs of any kind, and by their types. */
#include <recon/model/score.h>
#include "model/model.h"

recon_status recon_score(recon_ctx *ctx, recon_pose_score *out, const recon_model *m,
                         const void *inputs, size_t n)
{
    return recon_model_kind_of(m->backbone->kind->group)->score(ctx, out, m, inputs, n);
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
