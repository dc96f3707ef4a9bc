/* audit.c - see audit.h. */
#include <recon/model/audit.h>
#include "core/blocks.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/model.h"
#include "stats/fdr.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/knn/knn.h>
#include <stdlib.h>

enum {
    NEIGHBOURS = 50, /* at most; of few inputs a share of these */
    SHARE = 10,
    LEAST_NEIGHBOURS = RECON_AUDIT_FEW - 2,
    NEAR = 3, /* bins on either side that count as one pose: 15 degrees */
    BLOCK = RECON_BLOCK_EMBED_LARGE
};
#define USUAL 0.75 /* of the neighbours */
#define LEAST 1e-9
#define MIXED 3.0 /* nats: so much against one in four of a kind */

/* --- evidence --------------------------------------------------------------------------------- */

/* The mass of the density near each bin, and at the likeliest the mean direction of that. */
static double odds_of(double *pose, const float *density)
{
    double near[RECON_POSE_BINS] = { 0 }, x = 0, y = 0;
    int best = 0;
    for (int b = 0; b < RECON_POSE_BINS; b++) {
        for (int j = -NEAR; j <= NEAR; j++)
            near[b] += exp(density[(b + j + RECON_POSE_BINS) % RECON_POSE_BINS]);
        best = near[b] > near[best] ? b : best;
    }
    for (int j = -NEAR; j <= NEAR; j++) {
        int b = (best + j + RECON_POSE_BINS) % RECON_POSE_BINS;
        x += exp(density[b]) * cos(2 * M_PI * b / RECON_POSE_BINS);
        y += exp(density[b]) * sin(2 * M_PI * b / RECON_POSE_BINS);
    }
    *pose = atan2(y, x);
    return log(near[best] / fmax(near[0], LEAST));
}

static void by_density(double *evidence, recon_audited *out, const recon_embedded *e,
                       const recon_group *g)
{
    double pose[RECON_NUMBERS_MAX] = { 0 };
    for (size_t i = 0; i < e->n; i++) {
        evidence[i] = odds_of(pose, e->density + i * RECON_POSE_BINS);
        g->inverse(g, out[i].rotation, pose);
    }
}

/* Where there is no pose density the model's score judges. */
static recon_status by_score(recon_ctx *ctx, double *evidence, recon_audited *out,
                             const recon_model *model, const recon_data *data, size_t n)
{
    const recon_group *g = model->maps->kind->group;
    recon_pose_score *scores = NULL;
    char *in = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &scores, BLOCK, sizeof *scores));
    RECON_TRY(recon_alloc_raw(ctx, &in, BLOCK, recon_data_describe(data).bytes));
    recon_progress_begin(ctx, "score", n);
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t here = n - at < BLOCK ? n - at : BLOCK;
        data->kind->read(in, data, at, here);
        RECON_TRY(recon_score(ctx, scores, model, in, here));
        for (size_t i = 0; i < here; i++) {
            evidence[at + i] = scores[i].score;
            g->inverse(g, out[at + i].rotation, scores[i].pose.absolute);
        }
        recon_progress_add(ctx, here);
    }
    recon_progress_end(ctx);
done:
    free(in);
    free(scores);
    return status;
}

/* --- compared --------------------------------------------------------------------------------- */

static recon_status compare(recon_ctx *ctx, recon_audited *out, const double *evidence,
                            const recon_embedded *e)
{
    size_t k = e->n / SHARE < NEIGHBOURS ? e->n / SHARE : NEIGHBOURS;
    k = k > LEAST_NEIGHBOURS ? k : LEAST_NEIGHBOURS;
    double theirs[NEIGHBOURS];
    int64_t *near = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &near, e->n, k * sizeof *near));
    RECON_TRY(recon_knn_self(ctx, near, NULL, e->z, e->n, e->d, &(recon_knn_options){ .k = k }));
    for (size_t i = 0; i < e->n; i++) {
        for (size_t j = 0; j < k; j++)
            theirs[j] = evidence[near[i * k + j]];
        recon_sort_doubles(theirs, k);
        double usual = recon_quantile(theirs, k, USUAL);
        out[i].score = evidence[i] - usual;
        out[i].mixed = usual > MIXED;
    }
done:
    free(near);
    return status;
}

recon_status recon_audit(recon_ctx *ctx, recon_audited *out, recon_audit_result *result,
                         const recon_model *model, const recon_data *data, double rate)
{
    size_t n = recon_data_describe(data).n;
    recon_embedded e = { 0 };
    double *evidence = NULL, *score = NULL, *p = NULL;
    recon_status status;
    *result = (recon_audit_result){ 0 };
    if (n < RECON_AUDIT_FEW)
        return recon_fail(ctx, RECON_ERR_INPUT, "%zu %s: an audit compares inputs, and needs %d", n,
                          data->kind->many, RECON_AUDIT_FEW);
    RECON_TRY(recon_alloc_raw(ctx, &evidence, n, sizeof *evidence));
    RECON_TRY(recon_alloc_raw(ctx, &score, n, sizeof *score));
    RECON_TRY(recon_alloc_raw(ctx, &p, n, sizeof *p));
    RECON_TRY(recon_backbone_embed(ctx, &e, model->backbone, data));
    if (e.density)
        by_density(evidence, out, &e, model->maps->kind->group);
    else
        RECON_TRY(by_score(ctx, evidence, out, model, data, n));
    RECON_TRY(compare(ctx, out, evidence, &e));
    for (size_t i = 0; i < n; i++)
        score[i] = out[i].score;
    RECON_TRY(recon_fdr_p_values(ctx, p, &result->threshold, &result->fall, score, n, rate));
    for (size_t i = 0; i < n; i++) {
        out[i].p = p[i];
        out[i].wrong = p[i] <= result->threshold;
        result->wrong += (size_t)out[i].wrong;
        result->mixed += (size_t)out[i].mixed;
    }
done:
    free(p);
    free(score);
    free(evidence);
    recon_embedded_free(&e);
    return status;
}
