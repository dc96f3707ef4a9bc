/* fit.c - maps fitted to frozen z: batches for their heads, and the scores that are usual. */
#include "maps/head_training.h"
#include "maps/maps.h"
#include "core/fail.h"
#include "core/memory.h"
#include "maps/standard.h"
#include "backbone/embedded.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    recon_maps *maps;
    float *z;    /* [n][d] standardised */
    float *rows; /* of a batch          */
} learner;

static recon_var input(void *user, recon_tape *t, const size_t *which, size_t n)
{
    learner *p = user;
    size_t d = p->maps->d, shape[2] = { n, d };
    for (size_t i = 0; i < n; i++)
        memcpy(p->rows + i * d, p->z + which[i] * d, d * sizeof *p->rows);
    return recon_var_input(t, p->rows, RECON_F32, shape, 2);
}

static recon_var output(void *user, recon_tape *t, int head, recon_var x)
{
    return recon_mlp_apply(t, &((learner *)user)->maps->head[head], x);
}

static void assign(recon_head_training *l, learner *p, float *const targets[])
{
    const recon_maps_kind *kind = p->maps->kind;
    l->params = p->maps->params;
    l->heads = kind->heads;
    l->kind = kind->head;
    l->number = p->maps->number;
    for (int h = 0; h < kind->heads; h++) {
        l->name[h] = kind->head[h].name;
        l->target[h] = targets[h];
    }
    l->input = input;
    l->output = output;
    l->user = p;
}

/* Finds the standard of z and trains all heads on it. The number is set. */
static recon_status learn(recon_ctx *ctx, recon_maps *m, const float *z, float *const targets[],
                          recon_head_training *l)
{
    learner p = { .maps = m };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &p.z, l->n * m->d, sizeof *p.z));
    RECON_TRY(recon_alloc(ctx, &p.rows, l->batch * m->d, sizeof *p.rows));
    recon_standard_find(m->mean, m->scale, z, l->n, m->d);
    recon_standardize(p.z, z, l->n, m->d, m->mean, m->scale);
    assign(l, &p, targets);
    RECON_TRY(recon_head_training_run(ctx, l));
done:
    free(p.rows);
    free(p.z);
    return status;
}

/* --- what is usual ---------------------------------------------------------------------------- */

/* The points held out. */
static recon_status gather_held(recon_ctx *ctx, recon_embedded *out, const recon_head_training *l,
                                const recon_embedded *data)
{
    size_t d = data->d, pose = data->so2 ? sizeof *data->so2 : sizeof *data->so3;
    float *z = NULL, *density = NULL;
    char *poses = NULL;
    recon_status status;
    *out = (recon_embedded){ .n = l->held, .d = d };
    RECON_TRY(recon_alloc_raw(ctx, &z, l->held * d, sizeof *z));
    out->z = out->owned[0] = z;
    RECON_TRY(recon_alloc_raw(ctx, &poses, l->held, pose));
    out->owned[1] = poses;
    out->so2 = data->so2 ? (const double *)(void *)poses : NULL;
    out->so3 = data->so2 ? NULL : (const recon_so3 *)(void *)poses;
    if (data->density)
        RECON_TRY(recon_alloc_raw(ctx, &density, l->held, RECON_POSE_BINS * sizeof *density));
    out->density = out->owned[2] = density;
    for (size_t i = 0; i < l->held; i++) {
        size_t from = recon_head_training_place(l, i);
        if (density)
            memcpy(density + i * RECON_POSE_BINS, data->density + from * RECON_POSE_BINS,
                   RECON_POSE_BINS * sizeof *density);
        memcpy(z + i * d, data->z + from * d, d * sizeof *z);
        memcpy(poses + i * pose, recon_embedded_pose(data, from), pose);
    }
done:
    return status;
}

recon_status recon_maps_measure(recon_ctx *ctx, double *score, recon_tail_point *tail,
                                const recon_maps *m, const recon_embedded *data)
{
    const recon_maps_kind *kind = m->kind;
    char *map = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &map, data->n, kind->map));
    RECON_TRY(recon_maps_apply(ctx, map, m, data->z, data->n, RECON_MAPS_ALL));
    recon_maps_put_densities((recon_so2_map *)map, m, data->so2, data->density, data->n,
                             RECON_MAPS_ALL);
    for (size_t i = 0; i < data->n; i++) {
        const void *psi = recon_embedded_pose(data, i);
        score[i] = kind->score(map + i * kind->map, psi);
        tail[i] = kind->tail(map + i * kind->map, psi);
    }
done:
    free(map);
    return status;
}

recon_status recon_maps_calibrate(recon_ctx *ctx, recon_maps *m, double *score,
                                  recon_tail_point *tail, size_t n)
{
    recon_calibrate(&m->calibration, score, n);
    recon_tails_make(&m->tails, tail, n);
    return recon_maps_keep(ctx, m);
}

/* The scores of the points held out say what is usual. */
static recon_status calibrate(recon_ctx *ctx, recon_maps *m, const recon_head_training *l,
                              const recon_embedded *data)
{
    recon_embedded held = { .n = 0 };
    recon_tail_point *tail = NULL;
    double *score = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &score, l->held, sizeof *score));
    RECON_TRY(recon_alloc(ctx, &tail, l->held, sizeof *tail));
    RECON_TRY(gather_held(ctx, &held, l, data));
    RECON_TRY(recon_maps_measure(ctx, score, tail, m, &held));
    RECON_TRY(recon_maps_calibrate(ctx, m, score, tail, l->held));
done:
    recon_embedded_free(&held);
    free(tail);
    free(score);
    return status;
}

/* Which points those are. */
static recon_status mark_held(recon_ctx *ctx, recon_maps *m, const recon_head_training *l)
{
    recon_status status = recon_alloc(ctx, &m->held, l->n, sizeof *m->held);
    for (size_t i = 0; status == RECON_OK && i < l->held; i++)
        m->held[recon_head_training_place(l, i)] = 1;
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

static size_t usual_epochs(const recon_maps_kind *kind, size_t n)
{
    size_t batch = kind->defaults.batch, steps = n / batch ? n / batch : 1;
    size_t least = kind->steps_least / steps;
    return least > kind->defaults.epochs ? least : kind->defaults.epochs;
}

recon_status recon_maps_fit(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                            const recon_frames *frames, const recon_maps_options *options)
{
    const recon_maps_kind *kind = recon_maps_kind_of(frames->group);
    const recon_maps_options *usual = &kind->defaults;
    recon_maps_options o = options ? *options : (recon_maps_options){ 0 };
    recon_head_training training = { .n = data->n,
                                     .plain = kind->plain,
                                     .as_split = kind->as_split };
    recon_targets targets;
    recon_maps *m = NULL;
    void *keep = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_targets_make(ctx, &targets, data, frames));
    RECON_TRY(recon_embeddings_check(ctx, data->z, data->n, data->d));
    o.epochs = o.epochs ? o.epochs : usual_epochs(kind, data->n);
    RECON_TRY(recon_head_training_plan(ctx, &training, &o, usual));
    RECON_TRY(recon_maps_new(ctx, &m, kind, data->d, o.hidden ? o.hidden : usual->hidden,
                             o.dropout > 0 ? o.dropout : usual->dropout, o.seed));
    m->number = targets.number;
    if (kind->prepare)
        RECON_TRY(kind->prepare(ctx, m, &training, frames, &keep));
    RECON_TRY(learn(ctx, m, data->z, targets.of, &training));
    RECON_TRY(calibrate(ctx, m, &training, data));
    RECON_TRY(mark_held(ctx, m, &training));
    *out = m;
done:
    if (status != RECON_OK)
        recon_maps_free(ctx, m);
    free(keep);
    recon_targets_free(&targets);
    return status;
}
