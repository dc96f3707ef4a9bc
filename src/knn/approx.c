/* approx.c - FAISS finds candidates, exact scores put them in order, a sample measures recall. */
#include "knn/search.h"
#include "knn/faiss.h"
#include "core/blocks.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <stdlib.h>

#define EXTRA      8 /* candidates beyond k, so that ties and rounding do not cost a neighbour */
#define CHUNK      RECON_BLOCK_FAISS
#define SAMPLE     512                 /* queries whose recall is measured */
#define FAISS_ROOM ((size_t)256 << 20) /* OpenBLAS, under it, maps a buffer of half of that */

static const recon_faiss_table *library(void)
{
    return (const recon_faiss_table *)recon_plugin_get(RECON_PLUGIN_FAISS);
}

int recon_approx_is_there(void)
{
    return library() != NULL;
}

typedef struct {
    const recon_points *queries, *p;
    const int64_t *candidate; /* [count][wide] */
    size_t begin, wide, k;
    int skip_self;
    recon_neighbor *out;
    unsigned char *poor; /* [queries] fewer than k came back */
} ordering;

static recon_status order_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    ordering *o = arg;
    size_t q = o->begin + i, n = 0;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_neighbor *found;
    RECON_CHECK(recon_arena_take(ctx, arena, &found, o->wide, sizeof *found));
    for (size_t c = 0; c < o->wide; c++) {
        int64_t j = o->candidate[i * o->wide + c];
        if (j >= 0 && !(o->skip_self && (size_t)j == q))
            found[n++] =
                (recon_neighbor){ recon_points_exact(o->queries, q, o->p, (size_t)j), (uint32_t)j };
    }
    recon_neighbors_sort(found, n);
    o->poor[q] = n < o->k;
    memcpy(o->out + q * o->k, found, (n < o->k ? n : o->k) * sizeof *found);
    return RECON_OK;
}

/* The rows named, as points of their own that borrow nothing but z. */
static recon_status exact_rows(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                               const recon_points *p, const size_t *row, size_t count, size_t k)
{
    size_t d = queries->d;
    float *z = NULL;
    recon_points some = { 0 };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &z, count * d, sizeof *z));
    for (size_t i = 0; i < count; i++)
        memcpy(z + i * d, queries->z + row[i] * d, d * sizeof *z);
    RECON_TRY(recon_points_make(ctx, &some, z, count, d, p->metric, p, "queries"));
    RECON_TRY(recon_exact_search(ctx, out, &some, p, k));
done:
    recon_points_free(&some);
    free(z);
    return status;
}

/* The true neighbours of `row`, without the row itself where that is wanted. */
static recon_status true_neighbors(recon_ctx *ctx, recon_neighbor *out, const ordering *o,
                                   const size_t *row, size_t count)
{
    size_t wide = o->k + (o->skip_self ? 1 : 0);
    recon_neighbor *found = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &found, count * wide, sizeof *found));
    RECON_TRY(exact_rows(ctx, found, o->queries, o->p, row, count, wide));
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0, n = 0; c < wide && n < o->k; c++)
            if (!o->skip_self || found[i * wide + c].index != row[i])
                out[i * o->k + n++] = found[i * wide + c];
done:
    free(found);
    return status;
}

static recon_status mend_poor_rows(recon_ctx *ctx, ordering *o)
{
    size_t n = o->queries->n, count = 0, *row = NULL;
    recon_neighbor *found = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &row, n, sizeof *row));
    for (size_t q = 0; q < n; q++)
        if (o->poor[q])
            row[count++] = q;
    if (count == 0)
        goto done;
    RECON_TRY(recon_alloc_raw(ctx, &found, count * o->k, sizeof *found));
    RECON_TRY(true_neighbors(ctx, found, o, row, count));
    for (size_t i = 0; i < count; i++)
        memcpy(o->out + row[i] * o->k, found + i * o->k, o->k * sizeof *found);
done:
    recon_free_all(found, row);
    return status;
}

static int among(const recon_neighbor *list, size_t n, uint32_t index)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].index == index)
            return 1;
    return 0;
}

static recon_status measure_recall(recon_ctx *ctx, double *recall, const ordering *o)
{
    size_t n = o->queries->n, count = n < SAMPLE ? n : SAMPLE, *row = NULL, hits = 0;
    recon_neighbor *truth = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &row, count, sizeof *row));
    RECON_TRY(recon_alloc_raw(ctx, &truth, count * o->k, sizeof *truth));
    for (size_t i = 0; i < count; i++)
        row[i] = i * (n / count); /* evenly spread */
    RECON_TRY(true_neighbors(ctx, truth, o, row, count));
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < o->k; c++)
            hits += among(o->out + row[i] * o->k, o->k, truth[i * o->k + c].index);
    *recall = count ? (double)hits / (double)(count * o->k) : 1;
done:
    recon_free_all(truth, row);
    return status;
}

static recon_status search_all(recon_ctx *ctx, recon_faiss *index, ordering *o)
{
    int64_t *candidate = NULL;
    char reason[512];
    size_t n = o->queries->n, d = o->queries->d;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &candidate, CHUNK * o->wide, sizeof *candidate));
    o->candidate = candidate;
    recon_progress_begin(ctx, "neighbours", n);
    for (o->begin = 0; o->begin < n; o->begin += CHUNK) {
        size_t count = n - o->begin < CHUNK ? n - o->begin : CHUNK;
        status = library()->index_search(index, candidate, o->queries->w + o->begin * d, count,
                                         o->wide, recon_ctx_threads(ctx), reason, sizeof reason);
        if (status != RECON_OK)
            RECON_TRY(recon_fail(ctx, status, "FAISS search: %s", reason));
        RECON_TRY(recon_parallel(ctx, order_task, o, count));
        recon_progress_add(ctx, count);
    }
    recon_progress_end(ctx);
done:
    free(candidate);
    return status;
}

static int is_interrupted(void *ctx)
{
    return recon_interrupted(ctx) != RECON_OK;
}

recon_status recon_approx_search(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                 const recon_points *p, int skip_self, size_t k,
                                 recon_knn_method method, double *recall)
{
    size_t wide = k + EXTRA < p->n ? k + EXTRA : p->n;
    ordering o = {
        .queries = queries, .p = p, .wide = wide, .k = k, .skip_self = skip_self, .out = out
    };
    char reason[512];
    double found = 0;
    recon_faiss *index;
    int graph = method == RECON_KNN_HNSW;
    recon_status status;
    if (!library())
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "approximate search needs FAISS: %s",
                          recon_plugin_problem(RECON_PLUGIN_FAISS));
    RECON_CHECK(recon_room_check(ctx, FAISS_ROOM));
    status =
        library()->index_new(&index, p->w, p->n, p->d, p->metric == RECON_EUCLIDEAN, graph,
                             recon_ctx_threads(ctx), is_interrupted, ctx, reason, sizeof reason);
    if (status == RECON_ERR_INTERRUPTED)
        return recon_fail(ctx, status, "interrupted");
    if (status != RECON_OK)
        return recon_fail(ctx, status, "FAISS index: %s", reason);
    RECON_TRY(recon_alloc(ctx, &o.poor, queries->n, 1));
    RECON_TRY(search_all(ctx, index, &o));
    RECON_TRY(mend_poor_rows(ctx, &o));
    RECON_TRY(measure_recall(ctx, &found, &o));
    recon_log(ctx, RECON_LOG_INFO, "FAISS %s: measured recall %.4f on %zu queries",
              graph ? "HNSW" : "IVF", found, queries->n < SAMPLE ? queries->n : (size_t)SAMPLE);
    if (recall)
        *recall = found;
done:
    free(o.poor);
    library()->index_free(index);
    return status;
}
