/* read.c - one pass over inputs: what the backbone sees in them, and what the maps say of that. */
#include "backbone/kinds.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/ends.h"
#include "model/model.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/normalize/normalize.h>
#include <stdlib.h>
#include <string.h>

/* --- embeddings ------------------------------------------------------------------------------- */

recon_status recon_model_embed(recon_ctx *ctx, const recon_seen *out, const recon_model *m,
                               const void *inputs, size_t n)
{
    const recon_backbone *b = m->backbone;
    if (b->kind->check)
        RECON_CHECK(b->kind->check(ctx, b, inputs, n));
    return n ? b->kind->embed(ctx, out, b, inputs, n) : RECON_OK;
}

static recon_status see(recon_ctx *ctx, recon_seen *s, const recon_model *m, const void *inputs,
                        size_t n)
{
    const recon_backbone *b = m->backbone;
    *s = (recon_seen){ .z = NULL };
    RECON_CHECK(recon_alloc_raw(ctx, &s->z, n, b->code * sizeof *s->z));
    RECON_CHECK(recon_alloc_raw(ctx, &s->psi, n, b->kind->group->numbers * sizeof *s->psi));
    if (b->density)
        RECON_CHECK(recon_alloc_raw(ctx, &s->density, n, RECON_POSE_BINS * sizeof *s->density));
    return recon_model_embed(ctx, s, m, inputs, n);
}

static void seen_free(recon_seen *s)
{
    recon_free_all(s->z, s->psi, s->density);
}

recon_status recon_model_check_answer(recon_ctx *ctx, int finite, size_t i)
{
    return finite ? RECON_OK
                  : recon_fail(ctx, RECON_ERR_NUMERIC,
                               "input %zu: the model's output is not finite: a damaged model?", i);
}

/* Whether they are like the training data; NaN where the model has no codes. */
static recon_status compare(recon_ctx *ctx, const recon_read *out, const recon_model *m,
                            const float *z, size_t n)
{
    memset(out->unlike, 0, n);
    for (size_t i = 0; i < n; i++)
        out->p_embedding[i] = NAN;
    return m->codes ? recon_codes_p_values(ctx, out->p_embedding, out->unlike, m->codes, z, n)
                    : RECON_OK;
}

/* Gamma of n inputs, the centre of the poses of their nearest stored codes, as the discovery had it. */
static recon_status find_gamma(recon_ctx *ctx, recon_frames *out, const recon_model *m,
                               const recon_seen *s, size_t n)
{
    const recon_stored_embeddings *c = m->codes;
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

recon_status recon_model_index(recon_ctx *ctx, recon_index **out, const recon_model *m)
{
    const recon_stored_embeddings *c = m->codes;
    *out = NULL;
    if (!c)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                          "the model stores no embeddings: a new discovery would");
    const recon_embedded points = { .n = c->n,
                                    .d = c->d,
                                    .z = c->z,
                                    .group = c->group,
                                    .poses = c->poses,
                                    .precision = RECON_F64 };
    return recon_index_fit(ctx, out, &points,
                           &(recon_normalize_options){ .knn = { .k = m->k < c->n ? m->k : c->n },
                                                       .mean = m->mean,
                                                       .family = RECON_SO2_NORMAL });
}

size_t recon_model_near(const recon_model *m)
{
    enum { MOST = 25, SHARE = 50 };
    size_t n = m->codes ? m->codes->n : 0, near = n / SHARE < MOST ? n / SHARE : MOST;
    near = near > m->k ? near : m->k;
    return near < n ? near : n;
}

/* The poses of the nearest codes, less Lambda. */
static recon_status find_near(recon_ctx *ctx, double *out, const recon_model *m, const float *z,
                              const recon_pose *poses, size_t n)
{
    const recon_group *g = m->maps->kind->group;
    size_t k = recon_model_near(m);
    double back[RECON_NUMBERS_MAX];
    int64_t *index = NULL;
    recon_status status = RECON_OK;
    if (k == 0)
        return status;
    RECON_TRY(recon_alloc_raw(ctx, &index, n, k * sizeof *index));
    RECON_TRY(recon_codes_nearest(ctx, index, NULL, m->codes, z, n, k));
    for (size_t i = 0; i < n * k; i++) {
        double *to = out + i * g->numbers;
        g->inverse(g, back, poses[i / k].lambda);
        if (index[i] >= 0)
            g->compose(g, to, m->codes->poses + (size_t)index[i] * g->numbers, back);
        for (size_t j = 0; index[i] < 0 && j < g->numbers; j++)
            to[j] = NAN;
    }
done:
    free(index);
    return status;
}

/* --- maps and poses --------------------------------------------------------------------------- */

/* Lambda as it is found: by the neighbours or by the head. That of the density is there already. */
static recon_status put_lambda(recon_ctx *ctx, char *maps, const recon_model *m,
                               const recon_seen *s, size_t n)
{
    const recon_maps_kind *kind = m->maps->kind;
    size_t numbers = kind->group->numbers;
    int near = m->maps->lambda == RECON_LAMBDA_NEIGHBOURS;
    recon_frames f = { .rows = 0 };
    recon_status status = near && n ? find_gamma(ctx, &f, m, s, n) : RECON_OK;
    if (m->maps->lambda != RECON_LAMBDA_DENSITY)
        for (size_t i = 0; status == RECON_OK && i < n; i++) {
            double *lambda = (double *)(void *)(maps + i * kind->map + kind->lambda_at);
            if (near)
                memcpy(lambda, f.gamma + i * numbers, numbers * sizeof *lambda);
            else
                kind->lambda_of(lambda, maps + i * kind->map, RECON_LAMBDA_HEAD,
                                s->psi + i * numbers, NULL);
        }
    recon_frames_free(&f);
    return status;
}

/* Is any head asked? Of Lambda alone, one that says which directions are free is. */
static int asks_heads(const recon_model *m, const recon_seen *s, recon_maps_part part)
{
    const recon_maps_kind *kind = m->maps->kind;
    int by_density = kind->blank && s->density && m->maps->lambda == RECON_LAMBDA_DENSITY;
    if (part == RECON_MAPS_ALL)
        return !by_density || m->maps->nets;
    return kind->free_at || (!by_density && m->maps->lambda != RECON_LAMBDA_NEIGHBOURS);
}

static recon_status find_maps(recon_ctx *ctx, char *maps, const recon_model *m, const recon_seen *s,
                              const void *inputs, size_t n, recon_maps_part part)
{
    const recon_maps_kind *kind = m->maps->kind;
    const recon_maps_inputs in = { .n = n, .z = s->z, .inputs = inputs };
    if (asks_heads(m, s, part))
        RECON_CHECK(recon_maps_apply(ctx, maps, m->maps, &in, part));
    else
        for (size_t i = 0; i < n; i++)
            kind->blank(maps + i * kind->map, m->maps->number);
    RECON_CHECK(put_lambda(ctx, maps, m, s, n));
    if (part == RECON_MAPS_ALL || m->maps->lambda == RECON_LAMBDA_DENSITY)
        RECON_CHECK(recon_maps_put_densities(ctx, maps, m->maps, s->psi, s->density, n, part));
    for (size_t i = 0; part == RECON_MAPS_ALL && kind->is_finite && i < n; i++)
        RECON_CHECK(recon_model_check_answer(ctx, kind->is_finite(maps + i * kind->map), i));
    return RECON_OK;
}

const recon_law *recon_model_law(const recon_model *m, int64_t cluster)
{
    const recon_laws *laws = m->codes ? &m->codes->laws : NULL;
    if (cluster >= 0 && laws->law[cluster].anchor)
        return &laws->law[cluster];
    if (cluster < 0 || laws->law[cluster].frame == RECON_LAWS_SILENT ||
        (laws->law[cluster].frame == RECON_LAWS_OF_DENSITY &&
         m->maps->lambda != RECON_LAMBDA_DENSITY))
        return NULL;
    return laws->law[cluster].natural == RECON_NATURAL_UNSURE ? NULL : &laws->law[cluster];
}

/* What the pose of image i is to be corrected by, so that its ends lie as those of its cluster do. */
static double turn_of(const recon_model *m, const recon_law *law, const recon_seen *s,
                      const double *lambda, const float *images, size_t i)
{
    recon_ieae_shape shape = recon_ieae_describe(recon_backbone_ieae(m->backbone));
    const recon_image_size size = { shape.height, shape.width_px, shape.channels };
    double pose = s->psi[i] - (law->frame == RECON_LAWS_OF_DENSITY ? *lambda : 0);
    return recon_ends_turn(law, images + i * size.height * size.width * size.channels, &size, pose);
}

/* Lambda in the mode that all of its cluster take, and Theta as the width within a mode. */
static void follow_laws(char *maps, const recon_model *m, const recon_seen *s, const void *inputs,
                        const int64_t *cluster, size_t n)
{
    const recon_maps_kind *kind = m->maps->kind;
    for (size_t i = 0; i < n; i++) {
        const recon_law *law = recon_model_law(m, cluster[i]);
        double *lambda = (double *)(void *)(maps + i * kind->map + kind->lambda_at);
        double turn = law && law->ends && inputs ? turn_of(m, law, s, lambda, inputs, i) : 0;
        if (turn != 0 && law->frame == RECON_LAWS_OF_PSI)
            *lambda += turn;
        if (law && m->maps->lambda == RECON_LAMBDA_NEIGHBOURS && law->frame == RECON_LAWS_OF_PSI)
            memcpy(lambda, law->mode[0].at, kind->group->numbers * sizeof *lambda);
        else if (law)
            recon_law_lambda(lambda, law, kind->group);
        if (turn != 0)
            *lambda = recon_so2_wrap(*lambda - turn);
        if (law && law->anchor == RECON_ANCHOR_POSE)
            memcpy(lambda, law->anchored, kind->group->numbers * sizeof *lambda);
        else if (law && law->anchor == RECON_ANCHOR_STEP)
            kind->group->compose(kind->group, lambda, law->anchored, lambda);
        if (law && law->modes > 1 && kind == &recon_so2_maps) {
            recon_so2_map *map = (recon_so2_map *)(void *)(maps + i * kind->map);
            map->theta = fmax(recon_law_theta(law, map->family), RECON_THETA_LEAST);
        }
    }
}

double recon_model_p_value(const recon_model *m, const recon_read *of, size_t i, const double *psi)
{
    const recon_laws *laws = m->codes && m->maps->kind->compared ? &m->codes->laws : NULL;
    const recon_group *g = m->maps->kind->group;
    int64_t cluster = of->cluster[i];
    double at[RECON_NUMBERS_MAX], p = NAN;
    if (laws && cluster >= 0 && recon_laws_by_psi(laws, cluster))
        p = recon_laws_p_value(laws, cluster, psi[0]);
    else if (laws && m->maps->lambda == RECON_LAMBDA_DENSITY) {
        /* Less what the density says, which Lambda is but for the steps of the law. */
        const recon_law *law = recon_model_law(m, cluster);
        g->inverse(g, at, of->poses[i].lambda);
        g->compose(g, at, psi, at);
        if (law && law->anchor == RECON_ANCHOR_STEP)
            g->compose(g, at, law->anchored, at);
        if (law && law->frame == RECON_LAWS_OF_DENSITY)
            g->compose(g, at, law->mode[0].at, at);
        p = recon_laws_p_value(laws, cluster, at[0]);
    }
    /* A cluster may have a few inputs of another kind: unusual is what is so for its own density, too. */
    int both = laws && cluster >= 0 && laws->law[cluster].natural != RECON_NATURAL_NONE &&
               laws->law[cluster].natural != RECON_NATURAL_UNSURE;
    double own = isnan(p) || both ? recon_maps_p_value(m->maps, recon_read_map(of, m, i), psi) : p;
    return isnan(p) ? own : fmax(p, own);
}

size_t recon_model_calibrated(const recon_model *m)
{
    size_t held = recon_maps_describe(m->maps).held_out,
           all = m->codes ? (size_t)m->codes->laws.usual.n : 0;
    return all > held ? all : held;
}

static recon_status put_poses(recon_ctx *ctx, recon_pose *out, const recon_model *m,
                              const char *maps, const recon_seen *s, const void *inputs, size_t n)
{
    const recon_maps_kind *kind = m->maps->kind;
    const recon_group *g = kind->group;
    for (size_t i = 0; i < n; i++) {
        const char *map = maps + i * kind->map;
        int finite = 1;
        out[i] = (recon_pose){ .free = 0 };
        memcpy(out[i].psi, s->psi + i * g->numbers, g->numbers * sizeof *s->psi);
        recon_pose_complete(&out[i], g, (const double *)(const void *)(map + kind->lambda_at));
        if (kind->free_at)
            memcpy(&out[i].free, map + kind->free_at, sizeof out[i].free);
        if (m->backbone->kind->center && inputs)
            m->backbone->kind->center(out[i].center, inputs, i);
        for (size_t j = 0; j < g->numbers; j++)
            finite &= isfinite(out[i].psi[j]) && isfinite(out[i].rotation[j]);
        recon_status status = recon_model_check_answer(ctx, finite, i);
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

recon_status recon_model_answer(recon_ctx *ctx, const recon_read *out, const recon_model *m,
                                const recon_seen *s, const void *inputs, size_t n)
{
    recon_maps_part part = out->maps ? RECON_MAPS_ALL : RECON_MAPS_LAMBDA;
    char *own = NULL, *maps = out->maps;
    int64_t *own_cluster = NULL, *cluster = out->cluster;
    recon_status status = RECON_OK;
    if (!maps) {
        RECON_TRY(recon_alloc(ctx, &own, n, m->maps->kind->map));
        maps = own;
    }
    if (!cluster) {
        RECON_TRY(recon_alloc_raw(ctx, &own_cluster, n, sizeof *cluster));
        cluster = own_cluster;
    }
    for (size_t i = 0; i < n; i++)
        cluster[i] = -1;
    if (m->codes)
        RECON_TRY(recon_codes_clusters(ctx, cluster, m->codes, s->z, n, m->k));
    RECON_TRY(find_maps(ctx, maps, m, s, inputs, n, part));
    follow_laws(maps, m, s, inputs, cluster, n);
    RECON_TRY(put_poses(ctx, out->poses, m, maps, s, inputs, n));
    if (out->p_embedding)
        RECON_TRY(compare(ctx, out, m, s->z, n));
    if (out->near)
        RECON_TRY(find_near(ctx, out->near, m, s->z, out->poses, n));
done:
    recon_free_all(own_cluster, own);
    return status;
}

recon_status recon_model_read(recon_ctx *ctx, const recon_read *out, const recon_model *m,
                              const void *inputs, size_t n)
{
    recon_seen s = { .z = NULL };
    recon_status status;
    RECON_TRY(see(ctx, &s, m, inputs, n));
    RECON_TRY(recon_model_answer(ctx, out, m, &s, inputs, n));
done:
    seen_free(&s);
    return status;
}

recon_status recon_read_new(recon_ctx *ctx, recon_read *out, const recon_model *m, size_t n,
                            int near)
{
    size_t numbers = m->maps->kind->group->numbers;
    char *maps = NULL;
    *out = (recon_read){ .poses = NULL };
    RECON_CHECK(recon_alloc_raw(ctx, &out->poses, n, sizeof *out->poses));
    RECON_CHECK(recon_alloc_raw(ctx, &maps, n, m->maps->kind->map));
    out->maps = maps;
    RECON_CHECK(recon_alloc_raw(ctx, &out->p_embedding, n, sizeof *out->p_embedding));
    RECON_CHECK(recon_alloc_raw(ctx, &out->unlike, n, 1));
    RECON_CHECK(recon_alloc_raw(ctx, &out->cluster, n, sizeof *out->cluster));
    if (near && m->backbone->density)
        RECON_CHECK(
            recon_alloc_raw(ctx, &out->near, n, recon_model_near(m) * numbers * sizeof *out->near));
    return RECON_OK;
}

recon_status recon_model_read_all(recon_ctx *ctx, recon_read *out, const recon_model *m,
                                  const void *inputs, size_t n, int near)
{
    RECON_CHECK(recon_read_new(ctx, out, m, n, near));
    return recon_model_read(ctx, out, m, inputs, n);
}

const void *recon_read_map(const recon_read *r, const recon_model *m, size_t i)
{
    return (const char *)r->maps + i * m->maps->kind->map;
}

void recon_read_free(recon_read *r)
{
    recon_free_all(r->poses, r->maps, r->p_embedding, r->unlike, r->near, r->cluster);
}
