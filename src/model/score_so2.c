/* score_so2.c - poses of images that are unusual, and the distribution behind them. */
#include <recon/model/score.h>
#include "model/model.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <recon/group/so2.h>
#include "group/so2/mean.h"
#include "group/mean.h"
#include "group/so2/fit.h"
#include <stdlib.h>
#include <string.h>

/* --- distributions ---------------------------------------------------------------------------- */

static recon_so2_density about_lambda(const recon_so2_map *map)
{
    recon_so2_density out = map->density;
    out.center = recon_so2_wrap(map->density.center - map->lambda);
    return out;
}

typedef struct {
    const recon_model *model;
    recon_distribution *out;
    recon_read of;
} telling;

static recon_status tell(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const telling *t = arg;
    const recon_so2_map *map = (const recon_so2_map *)t->of.maps + i;
    const recon_pose *pose = &t->of.poses[i];
    recon_distribution *d = &t->out[i];
    (void)worker;
    *d = (recon_distribution){ .pose = *pose,
                               .family = map->family,
                               .theta = map->theta,
                               .score = recon_so2_map_score(map, pose->psi[0]),
                               .p_value = recon_model_p_value(t->model, &t->of, i, pose->psi),
                               .p_embedding = t->of.p_embedding[i] };
    d->density = about_lambda(map);
    recon_so2_moments(d->moment, &d->density);
    return recon_model_check_answer(ctx, isfinite(d->score) && isfinite(d->p_value), i);
}

recon_natural recon_density_natural(const recon_so2_center *counted, double support)
{
    double direction = counted->moment[0];
    int broad = direction < RECON_LEAST_DIRECTION ||
                (direction < RECON_FIRM_DIRECTION && support < RECON_LEAST_SUPPORT);
    return (counted->natural == RECON_NATURAL_ONE && broad) ||
                   counted->natural == RECON_NATURAL_NONE
               ? RECON_NATURAL_UNSURE
               : counted->natural;
}

/* Of neighbours that any input has, however unlike them it is, and a Lambda that may be none of theirs. */
static recon_natural near_natural(const recon_so2_center *counted, double support)
{
    int off = counted->natural == RECON_NATURAL_ONE && support < RECON_LEAST_SUPPORT;
    return isnan(support) || off ? RECON_NATURAL_UNSURE : counted->natural;
}

static double mean_cosine(const double *angles, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += cos(angles[i]);
    return sum / (double)n;
}

typedef struct {
    const recon_read *of;
    double *angles; /* [n][pool] */
    size_t pool;
    int by_near; /* the angles are those of neighbours, where an input has any */
} standing;

static recon_status stand(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const standing *s = arg;
    const recon_so2_density density = about_lambda((const recon_so2_map *)s->of->maps + i);
    double *angles = s->angles + i * s->pool;
    (void)ctx;
    (void)worker;
    if (s->by_near && !isnan(s->of->near[i * s->pool]))
        memcpy(angles, s->of->near + i * s->pool, s->pool * sizeof *angles);
    else
        recon_so2_quantiles(angles, &density, s->pool);
    return RECON_OK;
}

/* What the cluster's poses say is known better than by a density alone. Where they are silent, they may still prove that
 * there is none, and nothing says that an input looks the same in several. */
static void ask_cluster(recon_so2_center *out, const recon_model *m, int64_t cluster)
{
    const recon_law *law = recon_model_law(m, cluster);
    if (cluster >= 0 && !law && out->natural == RECON_NATURAL_UNSURE &&
        m->codes->laws.law[cluster].natural == RECON_NATURAL_NONE)
        out->natural = RECON_NATURAL_NONE;
    if (!law && cluster >= 0 && out->natural == RECON_NATURAL_MODULO) {
        out->natural = RECON_NATURAL_SEVERAL;
        out->fold = 1;
    }
    if (!law)
        return;
    out->natural = law->natural;
    out->fold = law->fold;
    out->modes = recon_law_poses(law);
    memset(out->mode, 0, sizeof out->mode);
    for (int j = 0; j < out->modes; j++)
        out->mode[j] = (recon_so2_mode){ recon_so2_wrap(law->mode[j].at[0] - law->mode[0].at[0]),
                                         law->anchor ? 1 : law->mode[j].weight };
}

recon_status recon_so2_verdicts(recon_ctx *ctx, recon_so2_center *out, const recon_model *model,
                                const recon_read *of, size_t n)
{
    size_t near = of->near ? recon_model_near(model) : 0;
    int bins = n && ((const recon_so2_map *)of->maps)->density.family == RECON_SO2_BINS;
    int by_near = bins && near && model->maps->lambda != RECON_LAMBDA_DENSITY;
    standing s = { .of = of,
                   .by_near = by_near,
                   .pool = by_near ? near
                           : bins  ? RECON_DENSITY_COUNTS
                                   : model->backbone->kind->pool };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &s.angles, n, s.pool * sizeof *s.angles));
    RECON_TRY(recon_parallel(ctx, stand, &s, n));
    RECON_TRY(recon_so2_mean_batch(ctx, out, s.angles, n, s.pool, NULL));
    for (size_t i = 0; i < n; i++) {
        double support = near ? mean_cosine(of->near + i * near, near) : NAN;
        recon_natural counted = out[i].natural;
        out[i].natural = !bins      ? counted
                         : !by_near ? recon_density_natural(&out[i], support)
                                    : near_natural(&out[i], support);
        out[i].fold = out[i].natural == counted ? out[i].fold : 0;
        ask_cluster(&out[i], model, of->cluster[i]);
        if (of->unlike[i]) {
            out[i].natural = RECON_NATURAL_UNSURE;
            out[i].fold = 0;
        }
    }
done:
    free(s.angles);
    return status;
}

static recon_status judge(recon_ctx *ctx, recon_distribution *out, const recon_model *model,
                          const recon_read *of, size_t n)
{
    recon_so2_center *verdict = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &verdict, n, sizeof *verdict));
    RECON_TRY(recon_so2_verdicts(ctx, verdict, model, of, n));
    for (size_t i = 0; i < n; i++) {
        out[i].verdict = verdict[i].natural;
        out[i].fold = verdict[i].fold;
        out[i].modes = verdict[i].modes;
        memcpy(out[i].mode, verdict[i].mode, sizeof out[i].mode);
    }
done:
    free(verdict);
    return status;
}

recon_status recon_distribution_images(recon_ctx *ctx, recon_distribution *out,
                                       const recon_model *model, const float *images, size_t n)
{
    telling t = { .model = model, .out = out };
    recon_status status;
    RECON_TRY(recon_model_takes(ctx, model, "images"));
    RECON_TRY(recon_model_read_all(ctx, &t.of, model, images, n, 1));
    RECON_TRY(recon_parallel(ctx, tell, &t, n));
    RECON_TRY(judge(ctx, out, model, &t.of, n));
done:
    recon_read_free(&t.of);
    return status;
}
