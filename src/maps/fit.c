/* fit.c - the heads on frozen z: their lessons, and what scores are usual. */
#include "maps/lessons.h"
#include "maps/maps.h"
#include "maps/standard.h"
#include "maps/targets.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

static const recon_maps_options defaults = {
    .hidden = 256,
    .epochs = 30,
    .batch = 256,
    .rate = 1e-3,
    .decay = 0.01,
    .dropout = 0.2,
    .held_out = 0.1,
};

typedef struct {
    recon_maps *maps;
    float *z;    /* [n][d] standardised */
    float *rows; /* of a batch          */
} pupil;

static recon_var input(void *user, recon_tape *t, const size_t *which, size_t n)
{
    pupil *p = user;
    size_t d = p->maps->info.d, shape[2] = { n, d };
    for (size_t i = 0; i < n; i++)
        memcpy(p->rows + i * d, p->z + which[i] * d, d * sizeof *p->rows);
    return recon_var_input(t, p->rows, RECON_F32, shape, 2);
}

static recon_var output(void *user, recon_tape *t, int head, recon_var x)
{
    return recon_mlp_apply(t, &((pupil *)user)->maps->head[head], x);
}

/* Finds the standard of z, and trains all heads on it. */
static recon_status learn(recon_ctx *ctx, recon_maps *m, const recon_embedded *data,
                          const recon_targets *targets, recon_lessons *l)
{
    pupil p = { .maps = m };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &p.z, data->n * data->d, sizeof *p.z));
    RECON_TRY(recon_alloc(ctx, &p.rows, l->batch * data->d, sizeof *p.rows));
    recon_standard_find(m->mean, m->scale, data->z, data->n, data->d);
    recon_standardize(p.z, data->z, data->n, data->d, m->mean, m->scale);
    l->params = m->params;
    l->heads = RECON_HEADS;
    for (int h = 0; h < RECON_HEADS; h++) {
        l->name[h] = recon_heads[h].name;
        l->target[h] = targets->of[h];
    }
    l->input = input;
    l->output = output;
    l->user = &p;
    RECON_TRY(recon_lessons_learn(ctx, l));
done:
    free(p.rows);
    free(p.z);
    return status;
}

/* The scores of the points held out say what is usual. */
static recon_status calibrate(recon_ctx *ctx, recon_maps *m, const recon_lessons *l,
                              const recon_embedded *data)
{
    recon_so2_map *map = NULL;
    double *score = NULL;
    float *z = NULL;
    size_t d = data->d;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &map, l->held, sizeof *map));
    RECON_TRY(recon_alloc(ctx, &score, l->held, sizeof *score));
    RECON_TRY(recon_alloc_raw(ctx, &z, l->held * d, sizeof *z));
    for (size_t i = 0; i < l->held; i++)
        memcpy(z + i * d, data->z + recon_lessons_place(l, i) * d, d * sizeof *z);
    RECON_TRY(recon_maps_apply(ctx, map, m, z, l->held));
    for (size_t i = 0; i < l->held; i++)
        score[i] = recon_so2_map_score(&map[i], data->so2[recon_lessons_place(l, i)]);
    recon_calibrate(&m->calibration, score, l->held);
    m->info.held_out = l->held;
done:
    free(z);
    free(score);
    free(map);
    return status;
}

recon_status recon_maps_fit(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                            const recon_frames *frames, const recon_maps_options *options)
{
    recon_maps_options o = options ? *options : (recon_maps_options){ 0 };
    recon_lessons lessons = { .n = data->n };
    recon_targets targets;
    recon_maps *m = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_targets_make(ctx, &targets, frames, data->so2, data->n));
    RECON_TRY(recon_embeddings_check(ctx, data->z, data->n, data->d));
    RECON_TRY(recon_lessons_plan(ctx, &lessons, &o, &defaults));
    RECON_TRY(recon_maps_new(ctx, &m, data->d, o.hidden ? o.hidden : defaults.hidden,
                             o.dropout > 0 ? o.dropout : defaults.dropout, o.seed));
    m->info.family = targets.theta_family;
    RECON_TRY(learn(ctx, m, data, &targets, &lessons));
    RECON_TRY(calibrate(ctx, m, &lessons, data));
    RECON_TRY(recon_maps_keep(ctx, m));
    *out = m;
done:
    if (status != RECON_OK)
        recon_maps_free(ctx, m);
    recon_targets_free(&targets);
    return status;
}
