/* fit.c - the heads of SO(2) on frozen z: their lessons, and what scores are usual. */
#include "maps/bundle_learn.h"
#include "maps/maps.h"
#include "maps/standard.h"
#include "maps/targets.h"
#include "core/fail.h"
#include "core/memory.h"

#include <recon/data/dataset.h>
#include <stdlib.h>

static const recon_maps_options defaults = {
    .hidden = 256,
    .epochs = 30,
    .batch = 256,
    .rate = 1e-3,
    .decay = 0.01,
    .dropout = 0.2,
    .held_out = 1.0 / RECON_HELD_OUT, /* as many as a backbone does */
};

/* The scores of the points held out say what is usual. */
static recon_status calibrate(recon_ctx *ctx, recon_maps *m, const recon_lessons *l,
                              const recon_embedded *data)
{
    recon_so2_map *map = NULL;
    recon_tail_point *tail = NULL;
    double *score = NULL;
    float *z = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &map, l->held, sizeof *map));
    RECON_TRY(recon_alloc(ctx, &score, l->held, sizeof *score));
    RECON_TRY(recon_alloc(ctx, &tail, l->held, sizeof *tail));
    RECON_TRY(recon_lessons_held(ctx, &z, l, data->z, data->d));
    RECON_TRY(recon_maps_apply(ctx, map, m, z, l->held));
    for (size_t i = 0; i < l->held; i++) {
        size_t at = recon_lessons_place(l, i);
        score[i] = recon_so2_map_score(&map[i], data->so2[at]);
        tail[i] = recon_so2_tail_point(&map[i], data->so2[at]);
    }
    recon_calibrate(&m->bundle.calibration, score, l->held);
    recon_tails_make(&m->bundle.tails, tail, l->held);
done:
    free(z);
    free(tail);
    free(score);
    free(map);
    return status;
}

recon_status recon_maps_fit(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                            const recon_frames *frames, const recon_maps_options *options)
{
    recon_maps_options o = options ? *options : (recon_maps_options){ 0 };
    recon_lessons lessons = { .n = data->n, .as_split = 1 };
    recon_targets targets;
    recon_maps *m = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_targets_make(ctx, &targets, frames, data->so2, data->n));
    RECON_TRY(recon_embeddings_check(ctx, data->z, data->n, data->d));
    RECON_TRY(recon_lessons_plan(ctx, &lessons, &o, &defaults));
    RECON_TRY(recon_maps_new(ctx, &m, data->d, o.hidden ? o.hidden : defaults.hidden,
                             o.dropout > 0 ? o.dropout : defaults.dropout, o.seed));
    m->bundle.number = targets.theta_family;
    RECON_TRY(recon_bundle_learn(ctx, &m->bundle, data->z, targets.of, &lessons));
    RECON_TRY(calibrate(ctx, m, &lessons, data));
    RECON_TRY(recon_bundle_keep(ctx, &m->bundle));
    *out = m;
done:
    if (status != RECON_OK)
        recon_maps_free(ctx, m);
    recon_targets_free(&targets);
    return status;
}
