/* classes.c - classes by nearest neighbours or by connected components. */
#include "normalize/classes.h"
#include "core/fail.h"
#include "core/memory.h"
#include "knn/points.h"

#include <math.h>
#include <stdlib.h>

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

static recon_status by_neighbors(recon_ctx *ctx, recon_class_table *t, const recon_embedded *index,
                                 const recon_embedded *queries, const recon_normalize_options *o,
                                 double *recall)
{
    recon_knn_options knn = o->knn;
    recon_status status;
    knn.recall = recall;
    t->sets = queries ? queries->n : index->n;
    t->k = knn.k;
    if (knn.k > index->n)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "k = %zu, but there are only %zu points: choose a smaller k (--k)", knn.k,
                          index->n);
    RECON_TRY(alloc_sets(ctx, t));
    if (queries)
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
                                 const recon_normalize_options *o)
{
    recon_knn_options knn = { .k = 1, .metric = o->knn.metric, .method = RECON_KNN_EXACT };
    size_t d = index->d;
    int64_t *nearest = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &nearest, queries->n, sizeof *nearest));
    RECON_TRY(
        recon_knn_search(ctx, nearest, NULL, queries->z, queries->n, index->z, index->n, d, &knn));
    for (size_t i = 0; i < queries->n; i++) {
        const float *own = queries->z + i * d, *other = index->z + (size_t)nearest[i] * d;
        t->set_of[i] =
            recon_row_distance(own, other, d, knn.metric) < o->eps ? label[nearest[i]] : -1;
    }
done:
    free(nearest);
    return status;
}

static recon_status by_components(recon_ctx *ctx, recon_class_table *t, const recon_embedded *index,
                                  const recon_embedded *queries, const recon_normalize_options *o)
{
    size_t rows = queries ? queries->n : index->n;
    int64_t *label = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &label, index->n, sizeof *label));
    RECON_TRY(recon_knn_components(ctx, label, &t->sets, index->z, index->n, index->d,
                                   o->knn.metric, o->eps));
    RECON_TRY(recon_alloc_raw(ctx, &t->member, index->n, sizeof *t->member));
    RECON_TRY(recon_alloc(ctx, &t->offset, t->sets + 1, sizeof *t->offset));
    RECON_TRY(recon_alloc_raw(ctx, &t->set_of, rows, sizeof *t->set_of));
    list_members(t, label, index->n);
    if (queries)
        RECON_TRY(join_queries(ctx, t, label, index, queries, o));
    else
        for (size_t i = 0; i < rows; i++)
            t->set_of[i] = label[i];
done:
    free(label);
    return status;
}

recon_status recon_classes_find(recon_ctx *ctx, recon_class_table *out, const recon_embedded *index,
                                const recon_embedded *queries, const recon_normalize_options *o,
                                double *recall)
{
    *out = (recon_class_table){ 0 };
    *recall = 1;
    recon_status status = o->classes == RECON_CLASSES_KNN
                              ? by_neighbors(ctx, out, index, queries, o, recall)
                              : by_components(ctx, out, index, queries, o);
    if (status != RECON_OK)
        recon_classes_free(out);
    return status;
}

recon_status recon_classes_leave_out(recon_ctx *ctx, recon_class_table *t,
                                     const recon_embedded *index, const float *z,
                                     const size_t *which, size_t n, const recon_knn_options *knn)
{
    recon_knn_options one_more = { .k = knn->k + 1, .metric = knn->metric };
    int64_t *found = NULL;
    recon_status status;
    *t = (recon_class_table){ .sets = n, .k = knn->k };
    RECON_TRY(alloc_sets(ctx, t));
    RECON_TRY(recon_alloc_raw(ctx, &found, n, one_more.k * sizeof *found));
    RECON_TRY(recon_knn_search(ctx, found, NULL, z, n, index->z, index->n, index->d, &one_more));
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

double recon_classes_hit_rate(const recon_class_table *t, const recon_embedded *index,
                              const recon_embedded *rows)
{
    double sum = 0;
    size_t counted = 0;
    if (!index->labels || !rows->labels)
        return NAN;
    for (size_t i = 0; i < rows->n; i++) {
        if (t->set_of[i] < 0)
            continue;
        size_t begin = t->offset[t->set_of[i]], end = t->offset[t->set_of[i] + 1], hits = 0;
        for (size_t m = begin; m < end; m++)
            hits += index->labels[t->member[m]] == rows->labels[i];
        sum += (double)hits / (double)(end - begin);
        counted++;
    }
    return counted ? sum / (double)counted : NAN;
}
