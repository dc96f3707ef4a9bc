/* classes.c - classes by nearest neighbours, by connected components, or as the caller has them. */
#include "normalize/classes.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "comm/comm.h"
#include "knn/points.h"
#include "knn/ring.h"
#include "knn/search.h"
#include "knn/tiles.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static recon_status alloc_sets(recon_ctx *ctx, recon_class_table *t, size_t sets, size_t k)
{
    *t = (recon_class_table){ .sets = sets, .k = k };
    RECON_CHECK(recon_alloc_raw(ctx, &t->member, t->sets, t->k * sizeof *t->member));
    RECON_CHECK(recon_alloc_raw(ctx, &t->offset, t->sets + 1, sizeof *t->offset));
    RECON_CHECK(recon_alloc_raw(ctx, &t->set_of, t->sets, sizeof *t->set_of));
    RECON_CHECK(recon_alloc_raw(ctx, &t->similarity, t->sets, t->k * sizeof *t->similarity));
    RECON_CHECK(recon_alloc_raw(ctx, &t->used, t->sets, sizeof *t->used));
    for (size_t i = 0; i <= t->sets; i++)
        t->offset[i] = i * t->k;
    for (size_t i = 0; i < t->sets; i++)
        t->set_of[i] = (int64_t)i, t->used[i] = t->k;
    return RECON_OK;
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

/* Over ranks: of own rows, or of own queries [m in all] if there are any. score may be NULL. */
static recon_status neighbors_over_ranks(recon_ctx *ctx, int64_t *out, float *score,
                                         const recon_embedded *index, const float *queries,
                                         size_t m, const recon_knn_options *knn)
{
    size_t count = length(share_of(ctx, queries ? m : index->n, 1)) * knn->k;
    recon_neighbor *found = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &found, count, sizeof *found));
    if (queries)
        RECON_TRY(recon_ring_search(ctx, found, queries, m, index->z, index->n, index->d, knn));
    else
        RECON_TRY(recon_ring_self(ctx, found, index->z, index->n, index->d, knn));
    recon_knn_answer(out, score, found, count, knn->metric);
done:
    free(found);
    return status;
}

/* Own queries of a rank: z points at row 0 of all. */
static const float *own_queries(const recon_ctx *ctx, const recon_embedded *queries)
{
    return queries ? queries->z + share_of(ctx, queries->n, 1).begin * queries->d : NULL;
}

/* Of the queries, or of the points themselves if queries is NULL. */
static recon_status by_neighbors(recon_ctx *ctx, recon_class_table *t, const recon_class_search *s,
                                 const recon_embedded *queries, const recon_normalize_options *o,
                                 double *recall)
{
    const recon_embedded *index = s->index;
    recon_knn_options knn = o->knn;
    float *score = NULL;
    recon_status status;
    knn.recall = recall;
    RECON_TRY(alloc_sets(ctx, t, length(share_of(ctx, queries ? queries->n : index->n, s->ranks)),
                         knn.k));
    RECON_TRY(recon_alloc_raw(ctx, &score, t->sets, t->k * sizeof *score));
    if (s->ranks)
        RECON_TRY(neighbors_over_ranks(ctx, t->member, score, index, own_queries(ctx, queries),
                                       queries ? queries->n : 0, &knn));
    else if (queries)
        RECON_TRY(recon_knn_points_search(ctx, t->member, score, queries->z, queries->n, s->points,
                                          &knn));
    else if (s->points)
        RECON_TRY(recon_knn_points_self(ctx, t->member, score, s->points, &knn));
    else
        RECON_TRY(recon_knn_self(ctx, t->member, score, index->z, index->n, index->d, &knn));
    for (size_t i = 0; i < t->sets * t->k; i++)
        t->similarity[i] = (double)score[i];
done:
    free(score);
    return status;
}

/* Members of each class in the order of their rows: a counting sort. */
static void list_members(recon_class_table *t, const int64_t *label, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (label[i] >= 0)
            t->offset[label[i] + 1]++;
    for (size_t s = 0; s < t->sets; s++)
        t->offset[s + 1] += t->offset[s];
    for (size_t i = 0; i < n; i++)
        if (label[i] >= 0)
            t->member[t->offset[label[i]]++] = (int64_t)i;
    for (size_t s = t->sets; s > 0; s--)
        t->offset[s] = t->offset[s - 1];
    t->offset[0] = 0;
}

recon_status recon_classes_join(recon_ctx *ctx, int64_t **set_of, const int64_t *label,
                                const recon_class_search *s, const recon_embedded *queries,
                                const recon_normalize_options *o)
{
    const recon_embedded *index = s->index;
    recon_knn_options knn = { .k = 1, .metric = o->knn.metric, .method = RECON_KNN_EXACT };
    recon_share share = share_of(ctx, queries->n, s->ranks);
    size_t d = index->d;
    int64_t *nearest = NULL;
    float *there = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, set_of, length(share), sizeof **set_of));
    RECON_TRY(recon_alloc_raw(ctx, &nearest, queries->n, sizeof *nearest));
    if (s->ranks) {
        RECON_TRY(recon_alloc_raw(ctx, &there, length(share), d * sizeof *there));
        RECON_TRY(neighbors_over_ranks(ctx, nearest, NULL, index, own_queries(ctx, queries),
                                       queries->n, &knn));
        RECON_TRY(
            recon_ring_rows(ctx, there, nearest, length(share), index->z, index->n, index->d));
    } else {
        RECON_TRY(
            recon_knn_points_search(ctx, nearest, NULL, queries->z, queries->n, s->points, &knn));
    }
    for (size_t i = 0; i < length(share); i++) {
        const float *own = queries->z + (share.begin + i) * d;
        const float *other = there ? there + i * d : index->z + (size_t)nearest[i] * d;
        int belongs = o->classes == RECON_CLASSES_GIVEN ||
                      recon_row_distance(own, other, d, knn.metric) < o->eps;
        (*set_of)[i] = belongs ? label[nearest[i]] : -1;
    }
done:
    recon_free_all(nearest, there);
    return status;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The caller's classes, counted from 0 in the order of their numbers. */
static recon_status count_given(recon_ctx *ctx, int64_t *label, size_t *count,
                                const int64_t *class_of, size_t n)
{
    int64_t *number = NULL;
    recon_status status;
    *count = 0;
    RECON_TRY(recon_alloc_raw(ctx, &number, n, sizeof *number));
    memcpy(number, class_of, n * sizeof *number);
    qsort(number, n, sizeof *number, by_number);
    for (size_t i = 0; i < n; i++)
        if (number[i] >= 0 && (*count == 0 || number[*count - 1] != number[i]))
            number[(*count)++] = number[i];
    if (*count == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "no row has a class: all are below 0"));
    for (size_t i = 0; i < n; i++) {
        const int64_t *at = bsearch(&class_of[i], number, *count, sizeof *number, by_number);
        label[i] = at ? at - number : -1;
    }
done:
    free(number);
    return status;
}

void recon_classes_name(const recon_class_table *t, int64_t *class_of, size_t n,
                        const recon_normalize_options *o)
{
    for (size_t i = 0; i < n && o->classes == RECON_CLASSES_GIVEN; i++)
        if (class_of[i] >= 0)
            class_of[i] = o->class_of[t->member[t->offset[class_of[i]]]];
}

static recon_status by_label(recon_ctx *ctx, recon_class_table *t, const recon_class_search *s,
                             const recon_normalize_options *o, const int64_t *class_of)
{
    const recon_embedded *index = s->index;
    recon_share share = share_of(ctx, index->n, s->ranks);
    int64_t *label = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &label, index->n, sizeof *label));
    if (class_of)
        RECON_TRY(count_given(ctx, label, &t->sets, class_of, index->n));
    else
        RECON_TRY((s->ranks ? recon_ring_components : recon_knn_components)(
            ctx, label, &t->sets, index->z, index->n, index->d, o->knn.metric, o->eps));
    RECON_TRY(recon_alloc_raw(ctx, &t->member, index->n, sizeof *t->member));
    RECON_TRY(recon_alloc(ctx, &t->offset, t->sets + 1, sizeof *t->offset));
    RECON_TRY(recon_alloc_raw(ctx, &t->set_of, length(share), sizeof *t->set_of));
    list_members(t, label, index->n);
    memcpy(t->set_of, label + share.begin, length(share) * sizeof *label);
done:
    free(label);
    return status;
}

recon_status recon_classes_find(recon_ctx *ctx, recon_class_table *out, const recon_class_search *s,
                                const recon_normalize_options *o, const int64_t *class_of,
                                double *recall)
{
    *out = (recon_class_table){ 0 };
    *recall = 1;
    return o->classes == RECON_CLASSES_KNN ? by_neighbors(ctx, out, s, NULL, o, recall)
                                           : by_label(ctx, out, s, o, class_of);
}

recon_status recon_classes_ask(recon_ctx *ctx, recon_class_table *out, const recon_class_search *s,
                               const recon_embedded *queries, const recon_normalize_options *o,
                               double *recall)
{
    *out = (recon_class_table){ 0 };
    *recall = 1;
    return by_neighbors(ctx, out, s, queries, o, recall);
}

recon_status recon_classes_gather(recon_ctx *ctx, recon_class_table *t,
                                  const recon_class_table *own, size_t first, size_t n)
{
    size_t k = own->k;
    RECON_CHECK(alloc_sets(ctx, t, n, k));
    memcpy(t->member + first * k, own->member, own->sets * k * sizeof *t->member);
    memcpy(t->similarity + first * k, own->similarity, own->sets * k * sizeof *t->similarity);
    memcpy(t->used + first, own->used, own->sets * sizeof *t->used);
    RECON_CHECK(recon_comm_gather(ctx, t->member, n, RECON_TILE, k * sizeof *t->member));
    RECON_CHECK(recon_comm_gather(ctx, t->similarity, n, RECON_TILE, k * sizeof *t->similarity));
    return recon_comm_gather(ctx, t->used, n, RECON_TILE, sizeof *t->used);
}

recon_status recon_classes_take(recon_ctx *ctx, recon_class_table *t, const recon_class_table *from,
                                const size_t *which, size_t n)
{
    size_t k = from->k;
    RECON_CHECK(alloc_sets(ctx, t, n, k));
    for (size_t i = 0; i < n; i++) {
        memcpy(t->member + i * k, from->member + which[i] * k, k * sizeof *t->member);
        memcpy(t->similarity + i * k, from->similarity + which[i] * k, k * sizeof *t->similarity);
        t->used[i] = from->used[which[i]];
    }
    return RECON_OK;
}

/* --- classes smaller than k ------------------------------------------------------------------------------------ */

/* The root of the mean squared distance of any two rows of the index; with the cosine, of rows of
 * length one. */
static recon_status spread_of(recon_ctx *ctx, double *out, const recon_embedded *index, int cosine,
                              int ranks)
{
    recon_share share = share_of(ctx, index->n, ranks);
    size_t d = index->d, blocks = recon_tile_count(index->n);
    double *parts = NULL, *sum = NULL, square = 0, n = (double)index->n;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &parts, blocks, (d + 1) * sizeof *parts));
    RECON_TRY(recon_alloc(ctx, &sum, d + 1, sizeof *sum));
    for (size_t i = share.begin; i < share.end; i++) {
        const float *z = index->z + i * d;
        double *part = parts + i / RECON_TILE * (d + 1), length = 0;
        for (size_t c = 0; c < d; c++)
            length += (double)z[c] * z[c];
        double scale = cosine ? 1 / sqrt(length) : 1;
        for (size_t c = 0; c < d; c++)
            part[c] += scale * z[c];
        part[d] += scale * scale * length;
    }
    if (ranks)
        RECON_TRY(recon_comm_sum(ctx, sum, parts, blocks, d + 1));
    else
        recon_comm_fold(sum, parts, blocks, d + 1);
    for (size_t c = 0; c < d; c++)
        square += sum[c] / n * (sum[c] / n);
    *out = sqrt(fmax(2 * (sum[d] / n - square), 0));
done:
    recon_free_all(parts, sum);
    return status;
}

/* A list is cut at its widest jump, if what comes then is nearly as far away as any row is: FAR of the
 * distance of two rows taken at random. The jump is to JUMP times the distance before, and also JUMP
 * times what nine rows in ten have their nearest neighbour within: a copy does not make the rest of a
 * class another one. In a class of more than k nothing is so far; in a smaller one other classes are. */
#define JUMP    1.5
#define FAR     0.5
#define NEAREST 0.9

static double distance_of(double similarity, int cosine)
{
    return cosine ? sqrt(fmax(2 - 2 * similarity, 0)) : similarity;
}

static size_t size_of_list(const double *similarity, size_t k, int cosine, double near, double far)
{
    size_t size = k;
    double widest = JUMP, before = near;
    for (size_t i = 0; i < k; i++) {
        double d = distance_of(similarity[i], cosine);
        if (i > 0 && d >= far && d >= widest * before) {
            size = i;
            widest = d / before;
        }
        before = fmax(d, near);
    }
    return size;
}

/* What nine rows in ten have another row within. */
static recon_status find_near(recon_ctx *ctx, double *out, const recon_class_table *graph,
                              int cosine)
{
    double *nearest = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &nearest, graph->sets, sizeof *nearest));
    for (size_t i = 0; i < graph->sets; i++) {
        size_t at = i * graph->k + (graph->k > 1 && graph->member[i * graph->k] == (int64_t)i);
        nearest[i] = distance_of(graph->similarity[at], cosine);
    }
    recon_sort_doubles(nearest, graph->sets);
    *out = recon_quantile(nearest, graph->sets, NEAREST);
done:
    free(nearest);
    return status;
}

recon_status recon_classes_jump(recon_ctx *ctx, recon_class_jump *out,
                                const recon_class_table *graph, const recon_embedded *index,
                                recon_metric metric, int ranks)
{
    int cosine = metric == RECON_COSINE;
    double spread = 0;
    *out = (recon_class_jump){ 0 };
    if (metric == RECON_DOT)
        return RECON_OK;
    RECON_CHECK(spread_of(ctx, &spread, index, cosine, ranks));
    out->far = FAR * spread;
    return find_near(ctx, &out->near, graph, cosine);
}

void recon_classes_cut(recon_class_table *t, recon_class_jump jump, recon_metric metric)
{
    for (size_t i = 0; i < t->sets && jump.near > 0; i++)
        t->used[i] = size_of_list(t->similarity + i * t->k, t->k, metric == RECON_COSINE, jump.near,
                                  jump.far);
}

double recon_class_distance(const recon_class_table *t, size_t set, int64_t self,
                            recon_metric metric)
{
    const double *similarity = t->similarity + set * t->k;
    double s = similarity[t->k > 1 && t->member[set * t->k] == self];
    return metric == RECON_COSINE ? 1 - s : metric == RECON_DOT ? -s : s;
}

void recon_classes_free(recon_class_table *t)
{
    recon_free_all(t->member, t->offset, t->set_of, t->similarity, t->used);
    *t = (recon_class_table){ 0 };
}

/* Sum of the shares, and rows that have a class, in rows begin .. end. */
static void hits_of(double out[2], const recon_class_table *t, const recon_embedded *index,
                    const recon_embedded *rows, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if (t->set_of[i] < 0)
            continue;
        size_t from = t->offset[t->set_of[i]], hits = 0;
        size_t to = from + recon_class_size(t, (size_t)t->set_of[i]);
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
    recon_free_all(which, there);
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

/* --- the neighbours' neighbours -------------------------------------------------------------- */

static int is_in(const int64_t *list, size_t n, int64_t x)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return 1;
    return 0;
}

static size_t add_set(int64_t *out, size_t n, size_t most, const int64_t *member, size_t k,
                      int64_t own)
{
    for (size_t i = 0; i < k && n < most; i++)
        if (member[i] != own && !is_in(out, n, member[i]))
            out[n++] = member[i];
    return n;
}

size_t recon_pool_members(int64_t *out, const recon_class_table *t, size_t set, size_t most)
{
    const int64_t *own = t->member + set * t->k;
    size_t n = add_set(out, 0, most, own, t->k, (int64_t)set);
    for (size_t i = 0; i < t->k && n < most; i++)
        n = add_set(out, n, most, t->member + (size_t)own[i] * t->k, t->k, (int64_t)set);
    return n;
}
