/* score.c - odd poses, and the distribution behind them. */
#include <recon/model/score.h>
#include "model/model.h"
#include "model/modes.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/stats/so2_moments.h>
#include <stdlib.h>

recon_status recon_score(recon_ctx *ctx, recon_oddness *out, const recon_model *model,
                         const float *images, size_t n)
{
    recon_pose2 *poses;
    recon_so2_map *maps;
    recon_status status = recon_model_read_all(ctx, &poses, &maps, model, images, n);
    for (size_t i = 0; status == RECON_OK && i < n; i++) {
        out[i].pose = poses[i];
        out[i].score = recon_so2_map_score(&maps[i], poses[i].psi);
        out[i].p_value = recon_maps_p_value(model->maps, &maps[i], poses[i].psi);
        out[i].surrogate = fabs(poses[i].absolute);
    }
    free(maps);
    free(poses);
    return status;
}

double recon_score_threshold(const recon_model *model, double false_alarms)
{
    return recon_maps_threshold(model->maps, false_alarms);
}

typedef struct {
    const recon_maps *model;
    recon_distribution *out;
    const recon_pose2 *poses;
    const recon_so2_map *maps;
} telling;

static recon_status tell(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const telling *t = arg;
    const recon_so2_map *map = &t->maps[i];
    recon_distribution *d = &t->out[i];
    (void)ctx;
    (void)worker;
    *d = (recon_distribution){ .pose = t->poses[i],
                               .family = map->family,
                               .theta = map->theta,
                               .density = map->density,
                               .score = recon_so2_map_score(map, t->poses[i].psi),
                               .p_value = recon_maps_p_value(t->model, map, t->poses[i].psi) };
    d->density.center = recon_so2_wrap(map->density.center - map->lambda);
    d->modes = recon_density_modes(d->mode, &d->density, 0);
    recon_so2_moments(d->moment, &d->density);
    d->fold = recon_so2_fold(d->moment);
    return RECON_OK;
}

recon_status recon_distribution_of(recon_ctx *ctx, recon_distribution *out,
                                   const recon_model *model, const float *images, size_t n)
{
    recon_pose2 *poses;
    recon_so2_map *maps;
    recon_status status;
    RECON_TRY(recon_model_read_all(ctx, &poses, &maps, model, images, n));
    RECON_TRY(recon_parallel(ctx, tell, &(telling){ model->maps, out, poses, maps }, n));
done:
    free(maps);
    free(poses);
    return status;
}
