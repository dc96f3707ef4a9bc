/* classes.c - classes by nearest neighbours or by connected components. */
#include "normalize/classes.h"
#include "core/blocks.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"
#include "comm/comm.h"
#include "knn/points.h"
#include "knn/ring.h"
#include "knn/tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static recon_status alloc_sets(recon_ctx *ctx, recon_class_table *t)
{
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &t->member, t->sets, t->k * sizeof *t->member));
    RECON_TRY(recon_alloc_raw(ctx, &t->offset, t->sets + 1, sizeof *t->offset));
    RECON_TRY(recon_alloc_raw(ctx, &t->set_of, t->sets, sizeof *t->set_of));
    for (size_t i = 0; i <= t->sets; i++)
        t->offset[i] = i * t->k;
    for (size_t i = 0; i < t->sets; i++)
        t->set_of[i] = (int64_t)i;
done:
    return status;
}

static size_t length(recon_share s)
{
    return s.end - s.begin;
}

/* The rows of n that this process has: all, or over ranks its own. */
static recon_share share_of(const recon_ctx *ctx, size_t n, int ranks)
{
    return ranks ? recon_comm_own(ctx, n, RECON_TILE) : (recon_share){ 0, n };
}

/* Over ranks: of own rows, or of own queries [m in all] if there are any. */
static recon_status neighbors_over_ranks(recon_ctx *ctx, int64_t *out, const recon_embedded *index,
                                         const float *queries, size_t m,
                                         const recon_knn_options *knn)
{
    size_t count = length(share_of(ctx, queries ? m : index->n, 1)) * knn->k;
    recon_neighbor *found = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &found, count, sizeof *found));
    if (queries)
        RECON_TRY(recon_ring_search(ctx, found, queries, m, index->z, index->n, index->d, knn));
    else
        RECON_TRY(recon_ring_self(ctx, found, index->z, index->n, index->d, knn));
    for (size_t i = 0; i < count; i++)
        out[i] = (int64_t)found[i].index;
done:
    free(found);
    return status;
}

/* Own queries of a rank: z points at row 0 of all. */
static const float *own_queries(const recon_ctx *ctx, const recon_embedded *queries)
{
    return queries ? queries->z + share_of(ctx, queries->n, 1).begin * queries->d : NULL;
}

static recon_status by_neighbors(recon_ctx *ctx, recon_class_table *t, const recon_embedded *index,
                                 const recon_embedded *queries, const recon_normalize_options *o,
                                 int ranks, double *recall)
{
    recon_knn_options knn = o->knn;
    recon_status status;
    knn.recall = recall;
    t->sets = length(share_of(ctx, queries ? queries->n : index->n, ranks));
    t->k = knn.k;
    if (knn.k > index->n)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "k = %zu, but there %s only %s: choose a smaller {k}", knn.k,
                          index->n == 1 ? "is" : "are", RECON_COUNT(index->n, "point"));
    RECON_TRY(alloc_sets(ctx, t));
    if (ranks)
        RECON_TRY(neighbors_over_ranks(ctx, t->member, index, own_queries(ctx, queries),
                                       queries ? queries->n : 0, &knn));
    else if (queries)
        RECON_TRY(recon_knn_search(ctx, t->member, NULL, queries->z, queries->n, index->z, index->n,
                                   index->d, &knn));
    else
        RECON_TRY(recon_knn_self(ctx, t->member, NULL, index->z, index->n, index->d, &knn));
done:
    return status;
}

/* Members of each component in the order of their rows: a counting sort. */
static void list_members(recon_class_table *t, const int64_t *label, size_t n)
{
    for (size_t i = 0; i < n; i++)
        t->offset[label[i] + 1]++;
    for (size_t s = 0; s < t->sets; s++)
        t->offset[s + 1] += t->offset[s];
    for (size_t i = 0; i < n; i++)
        t->member[t->offset[label[i]]++] = (int64_t)i;
    for (size_t s = t->sets; s > 0; s--)
        t->offset[s] = t->offset[s - 1];
    t->offset[0] = 0;
}

static recon_status join_queries(recon_ctx *ctx, recon_class_table *t, const int64_t *label,
                                 const recon_embedded *index, const recon_embedded *queries,
                                 const recon_normalize_options *o, int ranks)
{
    recon_knn_options knn = { .k = 1, .metric = o->knn.metric, .method = RECON_KNN_EXACT };
    recon_share share = share_of(ctx, queries->n, ranks);
    size_t d = index->d;
    int64_t *nearest = NULL;
    float *there = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &nearest, queries->n, sizeof *nearest));
    if (ranks) {
        RECON_TRY(recon_alloc_raw(ctx, &there, length(share), d * sizeof *there));
        RECON_TRY(
            neighbors_over_ranks(ctx, nearest, index, own_queries(ctx, queries), queries->n, &knn));
        RECON_TRY(
            recon_ring_rows(ctx, there, nearest, length(share), index->z, index->n, index->d));
    } else {
        RECON_TRY(recon_knn_search(ctx, nearest, NULL, queries->z, queries->n, index->z, index->n,
                                   d, &knn));
    }
    for (size_t i = 0; i < length(share); i++) {
        const float *own = queries->z + (share.begin + i) * d;
        const float *other = there ? there + i * d : index->z + (size_t)nearest[i] * d;
        t->set_of[i] =
            recon_row_distance(own, other, d, knn.metric) < o->eps ? label[nearest[i]] : -1;
    }
done:
    free(nearest);
    free(there);
    return status;
}

static recon_status by_components(recon_ctx *ctx, recon_class_table *t, const recon_embedded *index,
                                  const recon_embedded *queries, const recon_normalize_options *o,
                                  int ranks)
{
    recon_share share = share_of(ctx, queries ? queries->n : index->n, ranks);
    size_t rows = length(share);
    int64_t *label = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &label, index->n, sizeof *label));
    RECON_TRY((ranks ? recon_ring_components : recon_knn_components)(
        ctx, label, &t->sets, index->z, index->n, index->d, o->knn.metric, o->eps));
    RECON_TRY(recon_alloc_raw(ctx, &t->member, index->n, sizeof *t->member));
    RECON_TRY(recon_alloc(ctx, &t->offset, t->sets + 1, sizeof *t->offset));
    RECON_TRY(recon_alloc_raw(ctx, &t->set_of, rows, sizeof *t->set_of));
    list_members(t, label, index->n);
    if (queries)
        RECON_TRY(join_queries(ctx, t, label, index, queries, o, ranks));
    else
        for (size_t i = 0; i < rows; i++)
            t->set_of[i] = label[share.begin + i];
done:
    free(label);
    return status;
}

recon_status recon_classes_find(recon_ctx *ctx, recon_class_table *out, const recon_embedded *index,
                                const recon_embedded *queries, const recon_normalize_options *o,
                                int ranks, double *recall)
{
    *out = (recon_class_table){ 0 };
    *recall = 1;
    recon_status status = o->classes == RECON_CLASSES_KNN
                              ? by_neighbors(ctx, out, index, queries, o, ranks, recall)
                              : by_components(ctx, out, index, queries, o, ranks);
    if (status != RECON_OK)
        recon_classes_free(out);
    return status;
}

recon_status recon_classes_leave_out(recon_ctx *ctx, recon_class_table *t,
                                     const recon_embedded *index, const float *z,
                                     const size_t *which, size_t n, size_t total,
                                     const recon_knn_options *knn, int ranks)
{
    recon_knn_options one_more = { .k = knn->k + 1, .metric = knn->metric };
    int64_t *found = NULL;
    recon_status status;
    *t = (recon_class_table){ .sets = n, .k = knn->k };
    RECON_TRY(alloc_sets(ctx, t));
    RECON_TRY(recon_alloc_raw(ctx, &found, n, one_more.k * sizeof *found));
    if (ranks)
        RECON_TRY(neighbors_over_ranks(ctx, found, index, z, total, &one_more));
    else
        RECON_TRY(
            recon_knn_search(ctx, found, NULL, z, n, index->z, index->n, index->d, &one_more));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0, kept = 0; kept < t->k; j++)
            if (found[i * one_more.k + j] != (int64_t)which[i])
                t->member[i * t->k + kept++] = found[i * one_more.k + j];
done:
    free(found);
    return status;
}

void recon_classes_free(recon_class_table *t)
{
    free(t->member);
    free(t->offset);
    free(t->set_of);
    *t = (recon_class_table){ 0 };
}

/* Sum of the shares, and rows that have a class, in rows begin .. end. */
static void hits_of(double out[2], const recon_class_table *t, const recon_embedded *index,
                    const recon_embedded *rows, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if (t->set_of[i] < 0)
            continue;
        size_t from = t->offset[t->set_of[i]], to = t->offset[t->set_of[i] + 1], hits = 0;
        for (size_t m = from; m < to; m++)
            hits += index->labels[t->member[m]] == rows->labels[i];
        out[0] += (double)hits / (double)(to - from);
        out[1]++;
    }
}

recon_status recon_classes_hit_rate(recon_ctx *ctx, double *out, const recon_class_table *t,
                                    const recon_embedded *index, const recon_embedded *rows,
                                    size_t first, size_t total, int ranks)
{
    size_t blocks = recon_tile_count(total), n = rows->n;
    double *parts = NULL, sum[2];
    recon_status status;
    *out = NAN;
    if (!index->labels || !rows->labels)
        return RECON_OK;
    RECON_TRY(recon_alloc(ctx, &parts, blocks, 2 * sizeof *parts));
    for (size_t begin = 0; begin < n; begin += RECON_TILE)
        hits_of(parts + 2 * ((first + begin) / RECON_TILE), t, index, rows, begin,
                begin + RECON_TILE < n ? begin + RECON_TILE : n);
    if (ranks)
        RECON_TRY(recon_comm_sum(ctx, sum, parts, blocks, 2));
    else
        recon_comm_fold(sum, parts, blocks, 2);
    *out = sum[1] > 0 ? sum[0] / sum[1] : NAN;
done:
    free(parts);
    return status;
}

static int64_t last_of(const recon_class_table *t, size_t row)
{
    return t->member[(row + 1) * t->k - 1];
}

/* A block at a time, as often at every rank: what lies elsewhere is asked for. */
static recon_status collapsed_over_ranks(recon_ctx *ctx, size_t *out, const recon_class_table *t,
                                         const recon_embedded *index, const recon_embedded *rows,
                                         size_t total)
{
    enum { BLOCK = RECON_BLOCK_CLASSES };
    size_t most = 0, d = index->d;
    int64_t *which = NULL;
    float *there = NULL;
    recon_status status;
    for (int r = 0; r < recon_comm_size(ctx); r++) {
        size_t n = length(recon_comm_share(ctx, r, total, RECON_TILE));
        most = n > most ? n : most;
    }
    RECON_TRY(recon_alloc_raw(ctx, &which, BLOCK, sizeof *which));
    RECON_TRY(recon_alloc_raw(ctx, &there, BLOCK, d * sizeof *there));
    for (size_t begin = 0; begin < most; begin += BLOCK) {
        size_t left = begin < rows->n ? rows->n - begin : 0, n = left < BLOCK ? left : BLOCK;
        for (size_t i = 0; i < n; i++)
            which[i] = last_of(t, begin + i);
        RECON_TRY(recon_ring_rows(ctx, there, which, n, index->z, index->n, d));
        for (size_t i = 0; i < n; i++)
            *out += !memcmp(rows->z + (begin + i) * d, there + i * d, d * sizeof *there);
    }
    RECON_TRY(recon_comm_count(ctx, out, 1));
done:
    free(which);
    free(there);
    return status;
}

recon_status recon_classes_collapsed(recon_ctx *ctx, size_t *out, const recon_class_table *t,
                                     const recon_embedded *index, const recon_embedded *rows,
                                     size_t total, int ranks)
{
    size_t d = index->d;
    *out = 0;
    if (!t->k)
        return RECON_OK;
    if (ranks)
        return collapsed_over_ranks(ctx, out, t, index, rows, total);
    for (size_t i = 0; i < rows->n; i++)
        *out += !memcmp(rows->z + i * d, index->z + (size_t)last_of(t, i) * d, d * sizeof *rows->z);
    return RECON_OK;
}
