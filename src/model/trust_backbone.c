/* trust_backbone.c - the same question at the end of training, before there are maps. */
#include "model/trust.h"
#include "backbone/equivariance.h"
#include "backbone/kinds.h"
#include "backbone/pose_density.h"
#include "core/fail.h"
#include "data/dataset.h"

#include <complex.h>
#include <math.h>
#include <recon/group/so2.h>
#include <recon/normalize/normalize.h>

enum { COPIES = 256, INDEX = 2000, QUERIES = 500 }; /* images are enough */

static double lambda_of(const recon_embedded *e, size_t i)
{
    return recon_so2_wrap(e->so2[i] - recon_pose_centre(e->density + i * RECON_POSE_BINS));
}

static double mean_of(const recon_embedded *e, const int64_t *which, size_t k)
{
    double complex sum = 0;
    for (size_t j = 0; j < k; j++)
        sum += cexp(I * lambda_of(e, (size_t)which[j]));
    return carg(sum);
}

static void measure(recon_trust *t, const recon_embedded *index, const recon_embedded *held,
                    const recon_frames *f)
{
    double before = 0, after = 0, information = 0;
    size_t one = 0;
    for (size_t i = 0; i < held->n; i++) {
        information += log(2 * M_PI) + (double)held->density[i * RECON_POSE_BINS];
        if (f->verdict[i] != RECON_NATURAL_ONE)
            continue;
        double natural = mean_of(index, f->neighbors + i * f->k, f->k);
        before += recon_so2_distance(held->so2[i], natural);
        after += recon_so2_distance(lambda_of(held, i), natural);
        one++;
    }
    t->points = held->n;
    t->information = information / (double)held->n;
    t->cannot_tell = (double)f->natural[RECON_NATURAL_UNSURE] / (double)f->rows;
    t->before = one ? before / (double)one : NAN;
    t->after = one ? after / (double)one : NAN;
    t->gain = t->before - t->after;
}

static recon_status take_some(recon_ctx *ctx, recon_dataset **out, const recon_dataset *data,
                              size_t most, uint64_t seed)
{
    size_t n = recon_dataset_describe(data).n;
    return recon_dataset_take(ctx, out, data, n < most ? n : most, seed);
}

static recon_status embed_some(recon_ctx *ctx, recon_embedded *out, const recon_backbone *b,
                               const recon_dataset *data, size_t most, uint64_t seed)
{
    recon_dataset *some = NULL;
    recon_status status = take_some(ctx, &some, data, most, seed);
    if (status == RECON_OK)
        status = recon_backbone_embed(ctx, out, b, recon_dataset_data(some));
    recon_dataset_close(some);
    return status;
}

static recon_status measure_moved(recon_ctx *ctx, recon_trust *t, const recon_backbone *b,
                                  const recon_dataset *held, uint64_t seed)
{
    recon_dataset *some = NULL;
    recon_equivariance e;
    recon_status status;
    RECON_TRY(take_some(ctx, &some, held, COPIES, seed));
    RECON_TRY(recon_equivariance_random(ctx, &e, recon_backbone_ieae(b), some, seed));
    t->moved = e.centre_median;
    t->moved_p95 = e.centre_p95;
done:
    recon_dataset_close(some);
    return status;
}

recon_status recon_trust_backbone(recon_ctx *ctx, recon_trust *trust, const recon_backbone *b,
                                  const recon_dataset *data, uint64_t seed)
{
    recon_normalize_options o = { .family = RECON_SO2_NORMAL };
    recon_dataset *train = NULL, *held = NULL;
    recon_embedded index = { .n = 0 }, queries = { .n = 0 };
    recon_frames frames = { .rows = 0 };
    recon_status status = RECON_OK;
    *trust = (recon_trust){ .lambda = { .taken = RECON_LAMBDA_DENSITY } };
    for (int a = 0; a < 4; a++)
        for (int c = 0; c < 4; c++)
            trust->lambda.likelihood[a] = trust->lambda.apart_median[a][c] =
                trust->lambda.apart_p95[a][c] = NAN;
    if (!b->density)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "trust: a backbone without a pose density"));
    RECON_TRY(recon_dataset_split(ctx, &train, &held, data, RECON_HELD_OUT, 0));
    RECON_TRY(embed_some(ctx, &index, b, train, INDEX, seed));
    RECON_TRY(embed_some(ctx, &queries, b, held, QUERIES, seed));
    o.knn.k = index.n > b->kind->k ? b->kind->k : index.n;
    RECON_TRY(recon_normalize(ctx, &frames, &index, &queries, &o));
    measure(trust, &index, &queries, &frames);
    RECON_TRY(measure_moved(ctx, trust, b, held, seed));
    recon_trust_judge(trust);
done:
    recon_frames_free(&frames);
    recon_embedded_free(&queries);
    recon_embedded_free(&index);
    recon_dataset_close(held);
    recon_dataset_close(train);
    return status;
}
