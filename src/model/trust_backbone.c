/* trust_backbone.c - the same question at the end of training, before there are maps. */
#include "model/trust.h"
#include "backbone/equivariance.h"
#include "backbone/kinds.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset.h"
#include "maps/so2_map.h"

#include <math.h>
#include <recon/normalize/normalize.h>
#include <stdlib.h>

enum { INDEX = 2000, QUERIES = 500 }; /* images are enough */

static recon_status lambdas_of(recon_ctx *ctx, double **out, const recon_embedded *e)
{
    recon_status status = recon_alloc_raw(ctx, out, e->n, sizeof **out);
    for (size_t i = 0; status == RECON_OK && i < e->n; i++)
        recon_so2_maps.lambda_of(*out + i, NULL, RECON_LAMBDA_DENSITY, e->poses + i,
                                 e->density + i * RECON_POSE_BINS);
    return status;
}

static recon_status firm_of(recon_ctx *ctx, unsigned char **out, const recon_embedded *e)
{
    recon_status status = recon_alloc_raw(ctx, out, e->n, sizeof **out);
    for (size_t i = 0; status == RECON_OK && i < e->n; i++) {
        recon_so2_map map = { .family = RECON_SO2_NORMAL };
        recon_natural natural;
        recon_so2_map_density(&map, e->poses[i], e->density + i * RECON_POSE_BINS,
                              RECON_MAPS_LAMBDA);
        status = recon_trust_natural(ctx, &natural, &map.density);
        (*out)[i] = natural == RECON_NATURAL_ONE;
    }
    return status;
}

static recon_status measure(recon_ctx *ctx, recon_trust *t, const recon_embedded *index,
                            const recon_embedded *held, const recon_frames *f,
                            const unsigned char *firm)
{
    double *known = NULL, *lambda = NULL, *nats = NULL;
    unsigned char *index_firm = NULL;
    size_t one = 0;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &nats, held->n, sizeof *nats));
    RECON_TRY(lambdas_of(ctx, &known, index));
    RECON_TRY(lambdas_of(ctx, &lambda, held));
    RECON_TRY(firm_of(ctx, &index_firm, index));
    for (size_t i = 0; i < held->n; i++)
        one += firm[i];
    t->one = (double)one / (double)held->n;
    for (size_t i = 0; i < held->n; i++)
        nats[i] = log(2 * M_PI) + (double)held->density[i * RECON_POSE_BINS];
    recon_trust_information(t, nats, held->n);
    if (!(t->against & RECON_TRUST_GAIN_UNKNOWN))
        recon_trust_distances(t, &(recon_trust_points){ .psi = held->poses,
                                                        .lambda = lambda,
                                                        .index_psi = index->poses,
                                                        .index_lambda = known,
                                                        .counts = firm,
                                                        .index_counts = index_firm,
                                                        .frames = f });
done:
    free(index_firm);
    free(lambda);
    free(known);
    free(nats);
    return status;
}

static recon_status take_some(recon_ctx *ctx, recon_dataset **out, const recon_dataset *data,
                              size_t most, uint64_t seed)
{
    size_t n = recon_dataset_describe(data).n;
    return recon_dataset_take(ctx, out, data, n < most ? n : most, seed);
}

static recon_status measure_moved(recon_ctx *ctx, recon_trust *t, const recon_backbone *b,
                                  const recon_dataset *held, const recon_frames *f,
                                  const unsigned char *firm, uint64_t seed)
{
    recon_dataset *some = NULL;
    recon_equivariance e;
    size_t which[RECON_TRUST_COPIES], n = recon_trust_to_rotate(which, f, firm, NULL);
    recon_status status;
    RECON_TRY(recon_dataset_pick(ctx, &some, held, which, n));
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
    recon_dataset *train = NULL, *held = NULL, *indexed = NULL, *asked = NULL;
    recon_embedded index = { .n = 0 }, queries = { .n = 0 };
    recon_frames frames = { .rows = 0 };
    unsigned char *firm = NULL;
    recon_status status = RECON_OK;
    *trust = recon_trust_unmeasured();
    trust->lambda.taken = RECON_LAMBDA_DENSITY;
    trust->against = recon_trust_gain_unknown(b);
    if (!b->density)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "trust: a backbone without a pose density"));
    RECON_TRY(recon_dataset_split(ctx, &train, &held, data, RECON_HELD_OUT, 0));
    RECON_TRY(take_some(ctx, &indexed, train, INDEX, seed));
    RECON_TRY(take_some(ctx, &asked, held, QUERIES, seed));
    RECON_TRY(recon_backbone_embed(ctx, &index, b, recon_dataset_data(indexed)));
    RECON_TRY(recon_backbone_embed(ctx, &queries, b, recon_dataset_data(asked)));
    o.knn.k = index.n > b->kind->k ? b->kind->k : index.n;
    RECON_TRY(recon_normalize(ctx, &frames, &index, &queries, &o));
    RECON_TRY(firm_of(ctx, &firm, &queries));
    RECON_TRY(measure(ctx, trust, &index, &queries, &frames, firm));
    /* For how many inputs there are too few alike, `recon discover` says, by clusters of all of them. */
    RECON_TRY(measure_moved(ctx, trust, b, asked, &frames, firm, seed));
    RECON_TRY(recon_trust_frame(ctx, &trust->frame, b, recon_dataset_data(data)));
    recon_trust_judge(trust);
done:
    free(firm);
    recon_frames_free(&frames);
    recon_embedded_free(&queries);
    recon_embedded_free(&index);
    recon_dataset_close(asked);
    recon_dataset_close(indexed);
    recon_dataset_close(held);
    recon_dataset_close(train);
    return status;
}
