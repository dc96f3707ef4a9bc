/* score.c - how unnatural poses are, of inputs of any kind. */
#include <recon/model/score.h>
#include "core/fail.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

static recon_status score2(recon_ctx *ctx, recon_pose_score *out, const recon_model *m,
                           const void *inputs, size_t n)
{
    recon_pose2 *poses = NULL;
    recon_so2_map *maps;
    recon_status status = recon_model_read2_all(ctx, &poses, &maps, m, inputs, n);
    for (size_t i = 0; status == RECON_OK && i < n; i++)
        out[i] = (recon_pose_score){ recon_so2_map_score(&maps[i], poses[i].psi),
                                     recon_maps_p_value(m->maps, &maps[i], &poses[i].psi),
                                     fabs(poses[i].absolute) };
    free(maps);
    free(poses);
    return status;
}

static recon_status score3(recon_ctx *ctx, recon_pose_score *out, const recon_model *m,
                           const void *inputs, size_t n)
{
    recon_pose3 *poses = NULL;
    recon_so3_map *maps;
    recon_status status = recon_model_read3_all(ctx, &poses, &maps, m, inputs, n);
    for (size_t i = 0; status == RECON_OK && i < n; i++)
        out[i] = (recon_pose_score){ recon_so3_map_score(&maps[i], poses[i].psi),
                                     recon_maps_p_value(m->maps, &maps[i], &poses[i].psi),
                                     recon_so3_map_trace(&maps[i], poses[i].psi) };
    free(maps);
    free(poses);
    return status;
}

recon_status recon_score(recon_ctx *ctx, recon_pose_score *out, const recon_model *model,
                         const void *inputs, size_t n)
{
    return (model->backbone->kind->group == RECON_SO2 ? score2 : score3)(ctx, out, model, inputs,
                                                                         n);
}

double recon_score_threshold(const recon_model *model, double false_alarms)
{
    return recon_maps_threshold(model->maps, false_alarms);
}
