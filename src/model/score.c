/* score.c - how unusual poses are: of inputs of any kind. */
#include <recon/model/score.h>
#include "core/blocks.h"
#include "core/fail.h"
#include "core/threads.h"
#include "model/model.h"

#include <math.h>
#include <recon/core/rng.h>

enum { SCORED = RECON_BLOCK_SCORES };

typedef struct {
    const recon_model *model;
    recon_pose_score *out;
    recon_read of;
    size_t n;
} scoring;

recon_status recon_score_one(recon_ctx *ctx, recon_pose_score *out, const recon_model *m,
                             const recon_read *of, size_t i)
{
    const void *map = recon_read_map(of, m, i);
    const double *psi = of->poses[i].psi;
    double surrogate[3] = { NAN, NAN, NAN };
    m->maps->kind->surrogates(surrogate, map, psi);
    *out = (recon_pose_score){ .score = m->maps->kind->score(map, psi),
                               .p_value = recon_model_p_value(m, of, i, psi),
                               .p_embedding = of->p_embedding[i],
                               .surrogate = surrogate[0],
                               .label = surrogate[1],
                               .uncentered = surrogate[2],
                               .pose = of->poses[i] };
    return recon_model_check_answer(ctx, isfinite(out->score) && isfinite(out->p_value), i);
}

static recon_status score_some(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const scoring *s = arg;
    size_t end = (task + 1) * SCORED < s->n ? (task + 1) * SCORED : s->n;
    (void)worker;
    for (size_t i = task * SCORED; i < end; i++)
        RECON_CHECK(recon_score_one(ctx, &s->out[i], s->model, &s->of, i));
    return RECON_OK;
}

recon_status recon_score(recon_ctx *ctx, recon_pose_score *out, const recon_model *m,
                         const void *inputs, size_t n)
{
    scoring s = { .model = m, .out = out, .n = n };
    recon_status status = recon_model_read_all(ctx, &s.of, m, inputs, n, 0);
    if (status == RECON_OK)
        status = recon_parallel(ctx, score_some, &s, (n + SCORED - 1) / SCORED);
    recon_read_free(&s.of);
    return status;
}

recon_status recon_score_images(recon_ctx *ctx, recon_pose_score *out, const recon_model *model,
                                const float *images, size_t n)
{
    RECON_CHECK(recon_model_takes(ctx, model, "images"));
    return recon_score(ctx, out, model, images, n);
}

recon_status recon_score_molecules(recon_ctx *ctx, recon_pose_score *out, const recon_model *model,
                                   const recon_conformer *x, size_t n)
{
    RECON_CHECK(recon_model_takes(ctx, model, "molecules"));
    return recon_score(ctx, out, model, x, n);
}

recon_status recon_score_natural_share(recon_ctx *ctx, double *out, const recon_model *m,
                                       const void *inputs, size_t n, double p)
{
    enum { ROTATIONS = 72 };
    const recon_group *g = m->maps->kind->group;
    recon_rng rng = recon_rng_new(1, 0);
    recon_read of = { .poses = NULL };
    size_t natural = 0;
    recon_status status;
    RECON_TRY(recon_model_read_all(ctx, &of, m, inputs, n, 0));
    for (size_t i = 0; i < n * ROTATIONS; i++) {
        double psi[RECON_NUMBERS_MAX];
        g->haar(g, psi, &rng);
        natural += recon_model_p_value(m, &of, i / ROTATIONS, psi) >= p;
    }
    *out = (double)natural / (double)(n * ROTATIONS);
done:
    recon_read_free(&of);
    return status;
}

double recon_score_threshold(const recon_model *model, double false_alarms)
{
    return recon_maps_threshold(model->maps, false_alarms);
}
