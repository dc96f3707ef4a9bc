/* so3_fit.c - the heads of SO(3) on frozen z: their lessons, and what scores are usual. */
#include "maps/bundle_learn.h"
#include "maps/so3_maps.h"
#include "maps/so3_targets.h"
#include "maps/standard.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

static const recon_maps_options defaults = {
    .hidden = 512,
    .epochs = 30,
    .batch = 256,
    .rate = 2e-3,
    .decay = 0.01,
    .held_out = 0.1,
};

/* A small set is gone through more often: after 30 steps most poses still pass for background. */
enum { STEPS_LEAST = 300 };

static size_t usual_epochs(size_t n)
{
    size_t steps = n / defaults.batch ? n / defaults.batch : 1, least = STEPS_LEAST / steps;
    return least > defaults.epochs ? least : defaults.epochs;
}

/* --- lessons ---------------------------------------------------------------------------------- */

/* The density at z is that of the poses of [x]: a point is taught the pose of one of its neighbours
 * at a time. With its own alone a large network learns poses by heart. */
typedef struct {
    const recon_frames *frames;
    uint8_t *held; /* [n] is this point held out? then it teaches nobody */
    uint64_t seed;
} school;

/* One of the neighbours, or the point itself; in the place of one held out the next. */
static size_t neighbor(void *user, int head, size_t point, uint64_t draw)
{
    const school *s = user;
    size_t k = s->frames->k;
    recon_rng rng = recon_rng_new(s->seed, draw);
    if (head != RECON_SO3_DENSITY)
        return point;
    rng.position = point;
    for (size_t i = recon_rng_below(&rng, k + 1); i < k; i++) {
        size_t other = (size_t)s->frames->neighbors[point * k + i];
        if (!s->held[other])
            return other;
    }
    return point;
}

static recon_status school_new(recon_ctx *ctx, school *s, const recon_frames *frames,
                               const recon_lessons *l)
{
    *s = (school){ .frames = frames, .seed = l->seed };
    recon_status status = recon_alloc(ctx, &s->held, l->n, sizeof *s->held);
    for (size_t i = 0; status == RECON_OK && i < l->held; i++)
        s->held[recon_lessons_place(l, i)] = 1;
    return status;
}

/* The density is taught from F = 0 on: a first F of random directions makes every pose so unlikely
 * that all of them are taken for background, and nothing is learned from background. */
static recon_status start_uniform(recon_ctx *ctx, recon_so3_maps *m)
{
    const recon_mlp *head = &m->bundle.head[RECON_SO3_DENSITY];
    recon_param *weight = head->layer[head->layers - 1].weight;
    double *zeros = NULL;
    recon_status status = recon_alloc(ctx, &zeros, recon_param_count(weight), sizeof *zeros);
    if (status == RECON_OK)
        status = recon_param_write(ctx, weight, zeros);
    free(zeros);
    return status;
}

/* The scores of the points held out say what is usual. */
static recon_status calibrate(recon_ctx *ctx, recon_so3_maps *m, const recon_lessons *l,
                              const recon_embedded *data)
{
    recon_so3_map *map = NULL;
    recon_tail_point *tail = NULL;
    double *score = NULL;
    float *z = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &map, l->held, sizeof *map));
    RECON_TRY(recon_alloc(ctx, &score, l->held, sizeof *score));
    RECON_TRY(recon_alloc(ctx, &tail, l->held, sizeof *tail));
    RECON_TRY(recon_lessons_held(ctx, &z, l, data->z, data->d));
    RECON_TRY(recon_so3_maps_apply(ctx, map, m, z, l->held));
    for (size_t i = 0; i < l->held; i++) {
        size_t at = recon_lessons_place(l, i);
        score[i] = recon_so3_map_score(&map[i], data->so3[at]);
        tail[i] = recon_so3_tail_point(&map[i], data->so3[at]);
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

recon_status recon_so3_maps_fit(recon_ctx *ctx, recon_so3_maps **out, const recon_embedded *data,
                                const recon_frames *frames, const recon_maps_options *options)
{
    recon_maps_options o = options ? *options : (recon_maps_options){ 0 };
    recon_lessons lessons = { .n = data->n, .plain = 1 };
    recon_so3_targets targets;
    recon_so3_maps *m = NULL;
    school s = { 0 };
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_so3_targets_make(ctx, &targets, data, frames));
    RECON_TRY(recon_embeddings_check(ctx, data->z, data->n, data->d));
    o.epochs = o.epochs ? o.epochs : usual_epochs(data->n);
    RECON_TRY(recon_lessons_plan(ctx, &lessons, &o, &defaults));
    RECON_TRY(recon_so3_maps_new(ctx, &m, data->d, o.hidden ? o.hidden : defaults.hidden, o.dropout,
                                 o.seed));
    m->bundle.number = targets.unit;
    RECON_TRY(start_uniform(ctx, m));
    RECON_TRY(school_new(ctx, &s, frames, &lessons));
    lessons.twin = neighbor;
    lessons.twins = &s;
    RECON_TRY(recon_bundle_learn(ctx, &m->bundle, data->z, targets.of, &lessons));
    RECON_TRY(calibrate(ctx, m, &lessons, data));
    RECON_TRY(recon_bundle_keep(ctx, &m->bundle));
    *out = m;
done:
    if (status != RECON_OK)
        recon_so3_maps_free(ctx, m);
    free(s.held);
    recon_so3_targets_free(&targets);
    return status;
}
