/* read.c - one pass over inputs: what the backbone sees in them, and what the maps say of that. */
#include "core/fail.h"
#include "core/memory.h"
#include "model/model.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/normalize/normalize.h>
#include <stdlib.h>

/* --- either group ----------------------------------------------------------------------------- */

static recon_status check_group(recon_ctx *ctx, const recon_model *m, const recon_maps_kind *kind)
{
    const recon_group *own = m->backbone->kind->group;
    return own == kind->group
               ? RECON_OK
               : recon_fail(ctx, RECON_ERR_INPUT, "the model's poses are in %s, not in %s",
                            own->words, kind->group->words);
}

static recon_status see(recon_ctx *ctx, recon_seen *s, const recon_model *m, const void *inputs,
                        size_t n)
{
    const recon_backbone *b = m->backbone;
    recon_status status;
    *s = (recon_seen){ .z = NULL };
    if (b->kind->check)
        RECON_TRY(b->kind->check(ctx, b, inputs, n));
    RECON_TRY(recon_alloc_raw(ctx, &s->z, n, b->code * sizeof *s->z));
    RECON_TRY(recon_alloc_raw(ctx, &s->psi, n, b->kind->group->numbers * sizeof *s->psi));
    if (b->density)
        RECON_TRY(recon_alloc_raw(ctx, &s->density, n, RECON_POSE_BINS * sizeof *s->density));
    RECON_TRY(b->kind->embed(ctx, s, b, inputs, n));
done:
    return status;
}

static void seen_free(recon_seen *s)
{
    free(s->z);
    free(s->psi);
    free(s->density);
}

recon_status recon_model_check_answer(recon_ctx *ctx, int finite, size_t i)
{
    return finite ? RECON_OK
                  : recon_fail(ctx, RECON_ERR_NUMERIC,
                               "input %zu: the model's output is not finite: a damaged model?", i);
}

/* Whether they are like the training data; NaN where the model has no codes. */
static recon_status compare(recon_ctx *ctx, double *p_embedding, const recon_model *m,
                            const float *z, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p_embedding[i] = NAN;
    return m->codes ? recon_codes_p_values(ctx, p_embedding, m->codes, z, n) : RECON_OK;
}

/* Gamma of n inputs, the centre of the poses of their nearest stored codes, as the discovery had it. */
static recon_status find_gamma(recon_ctx *ctx, recon_frames *out, const recon_model *m,
                               const recon_seen *s, size_t n)
{
    const recon_stored_codes *c = m->codes;
    const recon_embedded index = {
        .n = c->n, .d = c->d, .z = c->z, .group = c->group, .poses = c->poses
    };
    const recon_embedded queries = {
        .n = n, .d = c->d, .z = s->z, .group = c->group, .poses = s->psi
    };
    const recon_normalize_options o = { .knn = { .k = m->k < c->n ? m->k : c->n },
                                        .mean = m->mean,
                                        .family = RECON_SO2_NORMAL,
                                        .only_tails = 1 };
    recon_status status = recon_normalize(ctx, out, &index, &queries, &o);
    return status == RECON_OK && m->by_gauge ? recon_frames_gauge(ctx, out) : status;
}

/* --- SO(2) ------------------------------------------------------------------------------------ */

size_t recon_model_near(const recon_model *m)
{
    enum { MOST = 25, SHARE = 50 };
    size_t n = m->codes ? m->codes->n : 0, near = n / SHARE < MOST ? n / SHARE : MOST;
    near = near > m->k ? near : m->k;
    return near < n ? near : n;
}

/* The poses of the nearest codes, less Lambda. An embedding of zeros is near nothing. */
static recon_status find_near(recon_ctx *ctx, double *out, const recon_model *m, float *z,
                              const recon_pose2 *poses, size_t n)
{
    size_t k = recon_model_near(m), d = m->backbone->code;
    unsigned char *lost = NULL;
    int64_t *index = NULL;
    recon_status status = RECON_OK;
    RECON_TRY(recon_alloc_raw(ctx, &lost, n, 1));
    RECON_TRY(recon_alloc_raw(ctx, &index, n, k * sizeof *index));
    for (size_t i = 0; i < n; i++)
        if ((lost[i] = (unsigned char)recon_code_is_zero(z + i * d, d)))
            z[i * d] = 1;
    if (k > 0)
        RECON_TRY(recon_codes_nearest(ctx, index, NULL, m->codes, z, n, k));
    for (size_t i = 0; i < n * k; i++)
        out[i] =
            lost[i / k] ? NAN : recon_so2_wrap(m->codes->poses[index[i]] - poses[i / k].lambda);
done:
    free(index);
    free(lost);
    return status;
}

recon_pose2 recon_pose_make(double psi, double lambda)
{
    double absolute = recon_so2_wrap(psi - lambda);
    return (recon_pose2){ recon_so2_wrap(psi), recon_so2_wrap(lambda), absolute,
                          recon_so2_wrap(-absolute) };
}

static recon_status put_gamma(recon_ctx *ctx, recon_so2_map *maps, const recon_model *m,
                              const recon_seen *s, size_t n)
{
    recon_frames f = { .rows = 0 };
    recon_status status = n ? find_gamma(ctx, &f, m, s, n) : RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < n; i++)
        maps[i].lambda = f.gamma[i];
    recon_frames_free(&f);
    return status;
}

/* Lambda alone: from the pose density no head is asked. */
static recon_status find_lambda(recon_ctx *ctx, recon_pose2 *poses, const recon_model *m,
                                const recon_seen *s, const void *inputs, size_t n)
{
    const recon_maps_inputs in = { .n = n, .z = s->z, .inputs = inputs };
    recon_so2_map *maps = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &maps, n, sizeof *maps));
    if (m->maps->lambda == RECON_LAMBDA_DENSITY)
        RECON_TRY(
            recon_maps_put_densities(ctx, maps, m->maps, s->psi, s->density, n, RECON_MAPS_LAMBDA));
    else if (m->maps->lambda == RECON_LAMBDA_NEIGHBOURS)
        RECON_TRY(put_gamma(ctx, maps, m, s, n));
    else
        RECON_TRY(recon_maps_apply(ctx, maps, m->maps, &in, RECON_MAPS_LAMBDA));
    for (size_t i = 0; i < n; i++)
        poses[i] = recon_pose_make(s->psi[i], maps[i].lambda);
done:
    free(maps);
    return status;
}

/* Lambda, Theta and the density are all the pose density's. */
static int needs_no_head(const recon_model *m, const recon_seen *s)
{
    return s->density && m->maps->lambda == RECON_LAMBDA_DENSITY && !m->maps->nets;
}

static recon_status find_maps(recon_ctx *ctx, recon_pose2 *poses, recon_so2_map *maps,
                              const recon_model *m, const recon_seen *s, const void *inputs,
                              size_t n)
{
    const recon_maps_inputs in = { .n = n, .z = s->z, .inputs = inputs };
    recon_status status = RECON_OK;
    if (needs_no_head(m, s))
        for (size_t i = 0; i < n; i++)
            maps[i] = (recon_so2_map){ .family = (recon_so2_family)m->maps->number };
    else
        RECON_TRY(recon_maps_apply(ctx, maps, m->maps, &in, RECON_MAPS_ALL));
    if (m->maps->lambda == RECON_LAMBDA_NEIGHBOURS)
        RECON_TRY(put_gamma(ctx, maps, m, s, n));
    RECON_TRY(recon_maps_put_densities(ctx, maps, m->maps, s->psi, s->density, n, RECON_MAPS_ALL));
    for (size_t i = 0; i < n; i++) {
        poses[i] = recon_pose_make(s->psi[i], maps[i].lambda);
        RECON_TRY(recon_model_check_answer(ctx, isfinite(maps[i].theta), i));
    }
done:
    return status;
}

recon_status recon_model_read2(recon_ctx *ctx, const recon_read2 *out, const recon_model *m,
                               const void *inputs, size_t n)
{
    const recon_pose2 *poses = out->poses;
    recon_seen s = { .z = NULL };
    recon_status status;
    RECON_TRY(check_group(ctx, m, &recon_so2_maps));
    RECON_TRY(see(ctx, &s, m, inputs, n));
    RECON_TRY(out->maps ? find_maps(ctx, out->poses, out->maps, m, &s, inputs, n)
                        : find_lambda(ctx, out->poses, m, &s, inputs, n));
    for (size_t i = 0; i < n; i++)
        RECON_TRY(recon_model_check_answer(
            ctx, isfinite(poses[i].psi) && isfinite(poses[i].rotation), i));
    if (out->p_embedding)
        RECON_TRY(compare(ctx, out->p_embedding, m, s.z, n));
    if (out->near)
        RECON_TRY(find_near(ctx, out->near, m, s.z, poses, n));
done:
    seen_free(&s);
    return status;
}

recon_status recon_model_read2_all(recon_ctx *ctx, recon_read2 *out, const recon_model *model,
                                   const void *inputs, size_t n, int near)
{
    recon_status status;
    *out = (recon_read2){ .poses = NULL };
    RECON_TRY(recon_alloc_raw(ctx, &out->poses, n, sizeof *out->poses));
    RECON_TRY(recon_alloc_raw(ctx, &out->maps, n, sizeof *out->maps));
    RECON_TRY(recon_alloc_raw(ctx, &out->p_embedding, n, sizeof *out->p_embedding));
    if (near && model->backbone->density)
        RECON_TRY(recon_alloc_raw(ctx, &out->near, n, recon_model_near(model) * sizeof *out->near));
    RECON_TRY(recon_model_read2(ctx, out, model, inputs, n));
done:
    return status;
}

void recon_read2_free(recon_read2 *r)
{
    free(r->poses);
    free(r->maps);
    free(r->p_embedding);
    free(r->near);
}

/* --- SO(3) ------------------------------------------------------------------------------------ */

recon_pose3 recon_pose3_make(const recon_pose3 *seen, recon_so3 lambda, int free)
{
    recon_pose3 p = *seen;
    p.lambda = lambda;
    p.free = free;
    p.absolute = recon_so3_compose(p.psi, recon_so3_inverse(lambda));
    p.rotation = recon_so3_inverse(p.absolute);
    return p;
}

/* Where Lambda does not come from the density, as the heads have left it. */
static recon_status put_lambda3(recon_ctx *ctx, recon_so3_map *maps, const recon_model *m,
                                const recon_seen *s, size_t n)
{
    int near = m->maps->lambda == RECON_LAMBDA_NEIGHBOURS;
    recon_frames f = { .rows = 0 };
    recon_status status = RECON_OK;
    if (near && n)
        RECON_TRY(find_gamma(ctx, &f, m, s, n));
    for (size_t i = 0; m->maps->lambda != RECON_LAMBDA_DENSITY && i < n; i++)
        maps[i].lambda = near ? recon_so3_at(f.gamma, i) : maps[i].lambda_label;
done:
    recon_frames_free(&f);
    return status;
}

recon_status recon_model_read3(recon_ctx *ctx, const recon_read3 *out, const recon_model *m,
                               const void *inputs, size_t n)
{
    const recon_backbone_kind *kind = m->backbone->kind;
    recon_maps_part part = out->maps ? RECON_MAPS_ALL : RECON_MAPS_LAMBDA;
    recon_so3_map *own = NULL, *maps = out->maps;
    recon_pose3 *poses = out->poses;
    recon_seen s = { .z = NULL };
    recon_status status;
    RECON_TRY(check_group(ctx, m, &recon_so3_maps));
    if (!maps) {
        RECON_TRY(recon_alloc_raw(ctx, &own, n, sizeof *own));
        maps = own;
    }
    RECON_TRY(see(ctx, &s, m, inputs, n));
    const recon_maps_inputs in = { .n = n, .z = s.z, .inputs = inputs };
    RECON_TRY(recon_maps_apply(ctx, maps, m->maps, &in, part));
    RECON_TRY(put_lambda3(ctx, maps, m, &s, n));
    for (size_t i = 0; i < n; i++) {
        poses[i] = recon_pose3_make(&(recon_pose3){ .psi = recon_so3_at(s.psi, i) }, maps[i].lambda,
                                    maps[i].free);
        if (kind->center)
            kind->center(poses[i].center, inputs, i);
        RECON_TRY(recon_model_check_answer(
            ctx, isfinite(poses[i].psi.w) && isfinite(poses[i].rotation.w), i));
    }
    if (out->p_embedding)
        RECON_TRY(compare(ctx, out->p_embedding, m, s.z, n));
done:
    seen_free(&s);
    free(own);
    return status;
}

recon_status recon_model_read3_all(recon_ctx *ctx, recon_read3 *out, const recon_model *model,
                                   const void *inputs, size_t n)
{
    recon_status status;
    *out = (recon_read3){ .poses = NULL };
    RECON_TRY(recon_alloc_raw(ctx, &out->poses, n, sizeof *out->poses));
    RECON_TRY(recon_alloc_raw(ctx, &out->maps, n, sizeof *out->maps));
    RECON_TRY(recon_alloc_raw(ctx, &out->p_embedding, n, sizeof *out->p_embedding));
    RECON_TRY(recon_model_read3(ctx, out, model, inputs, n));
done:
    return status;
}

void recon_read3_free(recon_read3 *r)
{
    free(r->poses);
    free(r->maps);
    free(r->p_embedding);
}
