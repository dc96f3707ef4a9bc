/* score_so2.c - poses of images that are unusual, and the distribution behind them. */
#include <recon/model/score.h>
#include "model/model.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <recon/group/so2.h>
#include "stats/so2_moments.h"
#include <stdlib.h>
#include <string.h>

#define LEAST_DIRECTION 0.5

enum { SCORED = 64 }; /* inputs of a task */

typedef struct {
    const recon_maps *model;
    recon_pose_score2 *out;
    recon_read2 of;
    size_t n;
} scoring;

static recon_status score_some(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const scoring *s = arg;
    size_t end = (task + 1) * SCORED < s->n ? (task + 1) * SCORED : s->n;
    (void)ctx;
    (void)worker;
    for (size_t i = task * SCORED; i < end; i++) {
        const recon_pose2 *pose = &s->of.poses[i];
        const recon_so2_map *map = &s->of.maps[i];
        s->out[i] = (recon_pose_score2){ .pose = *pose,
                                         .score = recon_so2_map_score(map, pose->psi),
                                         .p_value = recon_maps_p_value(s->model, map, &pose->psi),
                                         .p_embedding = s->of.p_embedding[i],
                                         .surrogate = fabs(pose->absolute) };
    }
    return RECON_OK;
}

recon_status recon_model_score2(recon_ctx *ctx, recon_pose_score2 *out, const recon_model *model,
                                const void *inputs, size_t n)
{
    scoring s = { .model = model->maps, .out = out, .n = n };
    recon_status status = recon_model_read2_all(ctx, &s.of, model, inputs, n);
    if (status == RECON_OK)
        status = recon_parallel(ctx, score_some, &s, (n + SCORED - 1) / SCORED);
    recon_read2_free(&s.of);
    return status;
}

typedef struct {
    const recon_maps *model;
    recon_distribution *out;
    recon_read2 of;
    double *angles; /* [n][pool], which stand for the densities */
    size_t pool;
} telling;

static recon_status tell(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const telling *t = arg;
    const recon_so2_map *map = &t->of.maps[i];
    const recon_pose2 *pose = &t->of.poses[i];
    recon_distribution *d = &t->out[i];
    (void)ctx;
    (void)worker;
    *d = (recon_distribution){ .pose = *pose,
                               .family = map->family,
                               .theta = map->theta,
                               .density = map->density,
                               .score = recon_so2_map_score(map, pose->psi),
                               .p_value = recon_maps_p_value(t->model, map, &pose->psi),
                               .p_embedding = t->of.p_embedding[i] };
    d->density.center = recon_so2_wrap(map->density.center - map->lambda);
    recon_so2_moments(d->moment, &d->density);
    recon_so2_quantiles(t->angles + i * t->pool, &d->density, t->pool);
    return RECON_OK;
}

recon_natural recon_density_natural(const recon_so2_center *counted)
{
    int broad = counted->natural == RECON_NATURAL_ONE && counted->moment[0] < LEAST_DIRECTION;
    return broad || counted->natural == RECON_NATURAL_NONE ? RECON_NATURAL_UNSURE
                                                           : counted->natural;
}

static recon_status judge(recon_ctx *ctx, recon_distribution *out, const double *angles, size_t n,
                          size_t pool)
{
    recon_so2_center *said = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &said, n, sizeof *said));
    RECON_TRY(recon_so2_mean_batch(ctx, said, angles, n, pool, NULL));
    for (size_t i = 0; i < n; i++) {
        out[i].verdict = out[i].density.family == RECON_SO2_BINS ? recon_density_natural(&said[i])
                                                                 : said[i].natural;
        out[i].fold = out[i].verdict == said[i].natural ? said[i].fold : 0;
        out[i].modes = said[i].modes;
        memcpy(out[i].mode, said[i].mode, sizeof out[i].mode);
    }
done:
    free(said);
    return status;
}

recon_status recon_distribution_images(recon_ctx *ctx, recon_distribution *out,
                                       const recon_model *model, const float *images, size_t n)
{
    telling t = { .model = model->maps, .out = out, .pool = model->backbone->kind->pool };
    recon_status status;
    RECON_TRY(recon_model_takes(ctx, model, "images"));
    RECON_TRY(recon_model_read2_all(ctx, &t.of, model, images, n));
    if (n && t.of.maps[0].density.family == RECON_SO2_BINS)
        t.pool = RECON_DENSITY_COUNTS;
    RECON_TRY(recon_alloc_raw(ctx, &t.angles, n, t.pool * sizeof *t.angles));
    RECON_TRY(recon_parallel(ctx, tell, &t, n));
    RECON_TRY(judge(ctx, out, t.angles, n, t.pool));
done:
    free(t.angles);
    recon_read2_free(&t.of);
    return status;
}
