/* knn.c - the public searches: checks, the choice of a method, and answers in the caller's form. */
#include "knn/search.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

recon_status recon_knn_options_check(recon_ctx *ctx, const recon_knn_options *o)
{
    RECON_CHECK(recon_reserved_check(ctx, o->reserved, "recon_knn_options"));
    RECON_CHECK(recon_enum_check(ctx, o->metric, RECON_EUCLIDEAN, "metric"));
    return recon_enum_check(ctx, o->method, RECON_KNN_HNSW, "method");
}

static recon_status check_sizes(recon_ctx *ctx, size_t n, size_t d, const recon_knn_options *o,
                                size_t most)
{
    size_t k = o->k;
    if (n == 0 || d == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "embeddings are empty: %zu x %zu", n, d);
    if (n >= UINT32_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "%zu rows are more than a search can hold", n);
    if (k == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "k is 0: ask for at least one neighbour");
    if (k > most)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "k = %zu, but a point has only %zu possible neighbours", k, most);
    return recon_knn_options_check(ctx, o);
}

static recon_knn_method choose_method(const recon_knn_options *o, size_t n)
{
    if (o->method != RECON_KNN_AUTO)
        return o->method;
    return n > RECON_KNN_EXACT_ROWS && recon_approx_is_there() ? RECON_KNN_IVF : RECON_KNN_EXACT;
}

void recon_knn_answer(int64_t *index, float *score, const recon_neighbor *found, size_t n,
                      recon_metric metric)
{
    for (size_t i = 0; i < n; i++) {
        index[i] = (int64_t)found[i].index;
        if (score)
            score[i] = (float)(metric == RECON_EUCLIDEAN ? sqrt(-found[i].score) : found[i].score);
    }
}

recon_status recon_knn_points_self(recon_ctx *ctx, int64_t *index, float *score,
                                   const recon_points *p, const recon_knn_options *o)
{
    size_t n = p->n;
    recon_neighbor *found = NULL;
    recon_status status;
    RECON_TRY(check_sizes(ctx, n, p->d, o, o->include_self ? n : n - (n > 0)));
    RECON_TRY(recon_alloc_raw(ctx, &found, n, o->k * sizeof *found));
    recon_knn_method method = choose_method(o, n);
    if (o->recall)
        *o->recall = 1;
    if (method == RECON_KNN_EXACT)
        RECON_TRY(recon_exact_self(ctx, found, p, o->k, o->include_self));
    else
        RECON_TRY(recon_approx_search(ctx, found, p, p, !o->include_self, o->k, method, o->recall));
    recon_knn_answer(index, score, found, n * o->k, o->metric);
done:
    free(found);
    return status;
}

/* Of an index in a file that says what is not so, scores may be no numbers. */
static recon_status check_found(recon_ctx *ctx, const recon_neighbor *found, size_t n, size_t rows)
{
    for (size_t i = 0; i < n; i++)
        if (found[i].index >= rows)
            return recon_fail(ctx, RECON_ERR_FORMAT,
                              "the index is damaged: row %zu has too few neighbours", i);
    return RECON_OK;
}

recon_status recon_knn_points_search(recon_ctx *ctx, int64_t *index, float *score,
                                     const float *queries, size_t m, const recon_points *p,
                                     const recon_knn_options *o)
{
    recon_points q = { 0 };
    recon_neighbor *found = NULL;
    recon_status status;
    RECON_TRY(check_sizes(ctx, p->n, p->d, o, p->n));
    RECON_TRY(recon_points_make(ctx, &q, queries, m, p->d, o->metric, p, "queries"));
    if (p->bytes)
        RECON_TRY(recon_points_round(ctx, &q));
    RECON_TRY(recon_alloc_raw(ctx, &found, m, o->k * sizeof *found));
    recon_knn_method method = choose_method(o, p->n);
    if (o->recall)
        *o->recall = 1;
    if (method == RECON_KNN_EXACT)
        RECON_TRY(recon_exact_search(ctx, found, &q, p, o->k));
    else
        RECON_TRY(recon_approx_search(ctx, found, &q, p, 0, o->k, method, o->recall));
    RECON_TRY(check_found(ctx, found, m * o->k, p->n));
    recon_knn_answer(index, score, found, m * o->k, o->metric);
done:
    free(found);
    recon_points_free(&q);
    return status;
}

static recon_status prepare(recon_ctx *ctx, recon_points *out, const float *z, size_t n, size_t d,
                            const recon_knn_options *o, size_t most)
{
    *out = (recon_points){ 0 };
    if (!o)
        return recon_fail(ctx, RECON_ERR_INPUT, "options are needed: at least k");
    RECON_CHECK(check_sizes(ctx, n, d, o, most));
    return recon_points_make(ctx, out, z, n, d, o->metric, NULL, "embeddings");
}

recon_status recon_knn_self(recon_ctx *ctx, int64_t *index, float *score, const float *z, size_t n,
                            size_t d, const recon_knn_options *o)
{
    recon_points p;
    recon_status status = prepare(ctx, &p, z, n, d, o, o && o->include_self ? n : n - (n > 0));
    if (status == RECON_OK)
        status = recon_knn_points_self(ctx, index, score, &p, o);
    recon_points_free(&p);
    return status;
}

recon_status recon_knn_search(recon_ctx *ctx, int64_t *index, float *score, const float *queries,
                              size_t m, const float *z, size_t n, size_t d,
                              const recon_knn_options *o)
{
    recon_points p;
    recon_status status = prepare(ctx, &p, z, n, d, o, n);
    if (status == RECON_OK)
        status = recon_knn_points_search(ctx, index, score, queries, m, &p, o);
    recon_points_free(&p);
    return status;
}
