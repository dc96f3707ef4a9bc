/* evaluate_neighbors.c - how pure the classes are that Algorithm 1 works with (recon.tex, "Impact
 * of neighborhood size" and "Analysis of equivalence class definition"). */
#include "lab/evaluate.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

recon_status recon_evaluate_check_neighborhood(recon_ctx *ctx, const recon_neighborhood *h)
{
    recon_status status = recon_evaluate_check_labels(ctx, h->labels, h->n, h->classes);
    if (status == RECON_OK && h->k == 0)
        status = recon_fail(ctx, RECON_ERR_INPUT, "evaluate: no neighbours");
    for (size_t i = 0; status == RECON_OK && i < h->n * h->k; i++)
        if (h->neighbors[i] < 0 || (uint64_t)h->neighbors[i] >= h->n)
            status = recon_fail(ctx, RECON_ERR_INPUT,
                                "evaluate: neighbour %zu of row %zu is %lld, of %zu rows", i % h->k,
                                i / h->k, (long long)h->neighbors[i], h->n);
    return status;
}

recon_status recon_evaluate_hits(recon_ctx *ctx, double *hits, const recon_neighborhood *h)
{
    recon_status status = recon_evaluate_check_neighborhood(ctx, h);
    for (size_t i = 0; status == RECON_OK && i < h->n; i++) {
        size_t same = 0;
        for (size_t j = 0; j < h->k; j++)
            same += h->labels[h->neighbors[i * h->k + j]] == h->labels[i];
        hits[i] = (double)same / (double)h->k;
    }
    return status;
}

typedef struct {
    double hits;
    int64_t row;
} ranked;

static int by_hits(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->hits != y->hits)
        return x->hits < y->hits ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

recon_status recon_evaluate_worst(recon_ctx *ctx, int64_t *rows, size_t count, const double *hits,
                                  size_t n)
{
    ranked *order = NULL;
    recon_status status;
    if (count > n)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: the worst %zu of %zu rows", count, n);
    RECON_TRY(recon_evaluate_check_numbers(ctx, hits, n, "hit rate"));
    RECON_TRY(recon_alloc_raw(ctx, &order, n, sizeof *order));
    for (size_t i = 0; i < n; i++)
        order[i] = (ranked){ hits[i], (int64_t)i };
    qsort(order, n, sizeof *order, by_hits);
    for (size_t i = 0; i < count; i++)
        rows[i] = order[i].row;
done:
    free(order);
    return status;
}

recon_status recon_evaluate_confusion(recon_ctx *ctx, uint64_t *counts, const int64_t *rows,
                                      size_t count, const recon_neighborhood *h)
{
    recon_status status = recon_evaluate_check_neighborhood(ctx, h);
    if (status != RECON_OK)
        return status;
    memset(counts, 0, h->classes * h->classes * sizeof *counts);
    for (size_t r = 0; r < count; r++) {
        if (rows[r] < 0 || (uint64_t)rows[r] >= h->n)
            return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: row %lld of %zu", (long long)rows[r],
                              h->n);
        size_t row = (size_t)rows[r], from = (size_t)h->labels[row];
        for (size_t j = 0; j < h->k; j++)
            counts[from * h->classes + (size_t)h->labels[h->neighbors[row * h->k + j]]]++;
    }
    return RECON_OK;
}

static recon_status at_k(recon_ctx *ctx, recon_k_point *out, recon_width *of,
                         const recon_embedded *index, recon_so2_family family, const double *truth,
                         size_t classes)
{
    recon_frames frames = { 0 };
    recon_status status;
    RECON_TRY(
        recon_normalize(ctx, &frames, index, NULL,
                        &(recon_normalize_options){ .knn = { .k = out->k }, .family = family }));
    out->hit_rate = frames.hit_rate;
    RECON_TRY(recon_evaluate_widths(ctx, &out->error, of, frames.theta, index->labels, index->n,
                                    truth, classes));
done:
    recon_frames_free(&frames);
    return status;
}

recon_status recon_evaluate_k(recon_ctx *ctx, recon_k_point *out, const size_t *k, size_t count,
                              const recon_embedded *index, recon_so2_family family,
                              const double *truth, size_t classes)
{
    recon_width *of = NULL;
    recon_status status;
    if (family != RECON_SO2_UNIFORM && family != RECON_SO2_NORMAL)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: widths of family %s are no angles",
                          recon_so2_family_name(family));
    if (index->group != RECON_SO2 || !index->labels)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: embeddings without %s",
                          index->group == RECON_SO2 ? "labels" : "poses on SO(2)");
    RECON_TRY(recon_evaluate_check_labels(ctx, index->labels, index->n, classes));
    RECON_TRY(recon_alloc(ctx, &of, classes, sizeof *of));
    for (size_t i = 0; i < count; i++) {
        out[i] = (recon_k_point){ .k = k[i] };
        RECON_TRY(at_k(ctx, &out[i], of, index, family, truth, classes));
    }
done:
    free(of);
    return status;
}
