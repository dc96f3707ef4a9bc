/* fit.c - fits maps to frozen z: batches for their heads, and the calibration. */
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
    float *rows; /* of a batch */
} learner;

static recon_var input(void *user, recon_tape *t, const size_t *which, size_t n, uint64_t draw)
{
    learner *p = user;
    size_t d = p->maps->d, shape[2] = { n, d };
    (void)draw;
    for (size_t i = 0; i < n; i++)
        memcpy(p->rows + i * d, p->z + which[i] * d, d * sizeof *p->rows);
    return recon_var_input(t, p->rows, RECON_F32, shape, 2);
}

static recon_var output(void *user, recon_tape *t, int head, recon_var x)
{
    recon_maps *m = ((learner *)user)->maps;
    return recon_mlp_apply(t, &m->head[m->first + head], x);
}

static void assign(recon_head_training *l, learner *p, float *const targets[])
{
    int first = p->maps->first;
    l->params = p->maps->params;
    l->heads = p->maps->kind->heads - first;
    l->kind = p->maps->kind->head + first;
    l->number = p->maps->number;
    for (int h = 0; h < l->heads; h++) {
        l->name[h] = l->kind[h].name;
        l->target[h] = targets[first + h];
    }
    l->input = input;
    l->output = output;
    l->user = p;
}

/* Finds the standard of z and trains the heads on it. The number is set. */
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
    recon_free_all(p.rows, p.z);
    return status;
}

/* --- what is usual ---------------------------------------------------------------------------- */

/* The points held out. */
static recon_status gather_held(recon_ctx *ctx, recon_embedded *out, const recon_head_training *l,
                                const recon_embedded *data)
{
    size_t d = data->d, numbers = data->group->numbers;
    float *z = NULL, *density = NULL;
    double *poses = NULL;
    *out = (recon_embedded){ .n = l->held, .d = d, .group = data->group };
    RECON_CHECK(recon_alloc_raw(ctx, &z, l->held * d, sizeof *z));
    out->z = out->owned[0] = z;
    RECON_CHECK(recon_alloc_raw(ctx, &poses, l->held, numbers * sizeof *poses));
    out->poses = out->owned[1] = poses;
    if (data->density)
        RECON_CHECK(recon_alloc_raw(ctx, &density, l->held, RECON_POSE_BINS * sizeof *density));
    out->density = out->owned[2] = density;
    for (size_t i = 0; i < l->held; i++) {
        size_t from = recon_head_training_place(l, i);
        if (density)
            memcpy(density + i * RECON_POSE_BINS, data->density + from * RECON_POSE_BINS,
                   RECON_POSE_BINS * sizeof *density);
        memcpy(z + i * d, data->z + from * d, d * sizeof *z);
        memcpy(poses + i * numbers, recon_embedded_pose(data, from), numbers * sizeof *poses);
    }
    return RECON_OK;
}

recon_status recon_maps_measure(recon_ctx *ctx, double *score, recon_tail_point *tail,
                                const recon_maps *m, const recon_embedded *data,
                                const recon_data *inputs)
{
    const recon_maps_kind *kind = m->kind;
    const recon_maps_inputs in = { .n = data->n, .z = data->z, .data = inputs };
    char *map = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &map, data->n, kind->map));
    RECON_TRY(recon_maps_apply(ctx, map, m, &in, RECON_MAPS_ALL));
    RECON_TRY(
        recon_maps_put_densities(ctx, map, m, data->poses, data->density, data->n, RECON_MAPS_ALL));
    for (size_t i = 0; i < data->n; i++) {
        const double *psi = recon_embedded_pose(data, i);
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

/* The inputs behind the points held out. */
static recon_status pick_held(recon_ctx *ctx, recon_data **out, const recon_head_training *l,
                              const recon_data *inputs)
{
    size_t *which;
    recon_status status = recon_alloc_raw(ctx, &which, l->held, sizeof *which);
    for (size_t i = 0; status == RECON_OK && i < l->held; i++)
        which[i] = recon_head_training_place(l, i);
    if (status == RECON_OK)
        status = inputs->kind->pick(ctx, out, inputs, which, l->held);
    free(which);
    return status;
}

/* The scores of the points held out say what is usual. */
static recon_status calibrate(recon_ctx *ctx, recon_maps *m, const recon_head_training *l,
                              const recon_embedded *data, const recon_data *inputs)
{
    recon_embedded held = { .n = 0 };
    recon_data *behind = NULL;
    recon_tail_point *tail = NULL;
    double *score = NULL;
    recon_status status;
    if (m->nets)
        RECON_TRY(pick_held(ctx, &behind, l, inputs));
    RECON_TRY(recon_alloc(ctx, &score, l->held, sizeof *score));
    RECON_TRY(recon_alloc(ctx, &tail, l->held, sizeof *tail));
    RECON_TRY(gather_held(ctx, &held, l, data));
    RECON_TRY(recon_maps_measure(ctx, score, tail, m, &held, behind));
    RECON_TRY(recon_maps_calibrate(ctx, m, score, tail, l->held));
done:
    recon_data_close(behind);
    recon_embedded_free(&held);
    recon_free_all(tail, score);
    return status;
}

/* Which points those are. */
static recon_status mark_held(recon_ctx *ctx, recon_maps *m, const recon_head_training *l)
{
    RECON_CHECK(recon_alloc(ctx, &m->held, l->n, sizeof *m->held));
    for (size_t i = 0; i < l->held; i++)
        m->held[recon_head_training_place(l, i)] = 1;
    return RECON_OK;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* The options of the heads on z. Beside networks they keep their defaults: what is asked of the
 * training is meant for those. */
static recon_maps_options options_on_z(const recon_maps_options *options)
{
    recon_maps_options o = options ? *options : (recon_maps_options){ 0 };
    if (o.heads == RECON_HEADS_PAPER) {
        o.epochs = o.batch = 0;
        o.rate = o.decay = 0;
    }
    return o;
}

/* Networks on the inputs, where they are asked for. */
static recon_status fit_nets(recon_ctx *ctx, recon_input_nets **out, const recon_maps_options *o,
                             const recon_targets *targets, const recon_backbone *backbone,
                             const recon_data *inputs)
{
    *out = NULL;
    if (!o || o->heads == RECON_HEADS_MLP)
        return RECON_OK;
    if (o->heads != RECON_HEADS_PAPER)
        return recon_fail(ctx, RECON_ERR_INPUT, "heads %d: mlp or paper", (int)o->heads);
    return recon_input_nets_fit(ctx, out, backbone, inputs, targets, o);
}

recon_status recon_maps_fit_inputs(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                                   const recon_frames *frames, const recon_maps_options *options,
                                   const recon_backbone *backbone, const recon_data *inputs)
{
    const recon_maps_kind *kind = recon_maps_kind_of(frames->group);
    recon_maps_options o = options_on_z(options);
    recon_head_training training = { .n = data->n };
    recon_input_nets *nets = NULL;
    recon_targets targets;
    recon_maps *m = NULL;
    void *keep = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_targets_make(ctx, &targets, data, frames));
    const recon_maps_options *usual = &kind->defaults;
    training.plain = kind->plain;
    training.as_split = kind->as_split;
    RECON_TRY(recon_embeddings_check(ctx, data->z, data->n, data->d));
    o.epochs = o.epochs ? o.epochs : recon_head_training_epochs(usual, kind->steps_least, data->n);
    RECON_TRY(recon_head_training_plan(ctx, &training, &o, usual));
    RECON_TRY(fit_nets(ctx, &nets, options, &targets, backbone, inputs));
    RECON_TRY(recon_maps_new(ctx, &m, kind, data->d, o.hidden ? o.hidden : usual->hidden,
                             o.dropout > 0 ? o.dropout : usual->dropout, nets, o.seed));
    m->number = targets.number;
    if (kind->prepare)
        RECON_TRY(kind->prepare(ctx, m, &training, frames, &keep));
    RECON_TRY(learn(ctx, m, data->z, targets.of, &training));
    RECON_TRY(calibrate(ctx, m, &training, data, inputs));
    RECON_TRY(mark_held(ctx, m, &training));
    *out = m;
done:
    if (status != RECON_OK)
        recon_maps_free(ctx, m);
    free(keep);
    recon_targets_free(&targets);
    return status;
}

recon_status recon_maps_fit(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                            const recon_frames *frames, const recon_maps_options *options)
{
    return recon_maps_fit_inputs(ctx, out, data, frames, options, NULL, NULL);
}
