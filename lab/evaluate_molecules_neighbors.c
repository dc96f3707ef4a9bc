/* evaluate_molecules_neighbors.c - how pure neighbourhoods of molecules are, what that goes with, and what
 * k does to it (recon.tex, "Analysis of equivalence class definition"). */
#include "lab/evaluate_molecules.h"
#include "lab/evaluate.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-28 /* a squared deviation, relative, that is none */

recon_status recon_evaluate_molecule_hits(recon_ctx *ctx, double *hits, const int64_t *neighbors,
                                          const int64_t *molecule, size_t n, size_t k,
                                          const int64_t *index, size_t m)
{
    if (n == 0 || k == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: %zu queries with %zu neighbours", n, k);
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        for (size_t j = 0; j < k; j++) {
            int64_t row = neighbors[i * k + j];
            if (row < 0 || (uint64_t)row >= m)
                return recon_fail(ctx, RECON_ERR_INPUT,
                                  "evaluate: neighbour %zu of query %zu is %lld, of %zu rows", j, i,
                                  (long long)row, m);
            same += index[row] == molecule[i];
        }
        hits[i] = (double)same / (double)k;
    }
    return RECON_OK;
}

/* --- trends ----------------------------------------------------------------------------------- */

typedef struct {
    double value;
    size_t row;
} placed;

static int by_value(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Places from 1 on; equal values share the mean of theirs. */
static void rank(double *out, placed *order, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        order[i] = (placed){ x[i], i };
    qsort(order, n, sizeof *order, by_value);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && order[end].value == order[begin].value;)
            end++;
        for (size_t i = begin; i < end; i++)
            out[order[i].row] = (double)(begin + end + 1) / 2;
    }
}

static double correlate(double *slope, double *intercept, const double *x, const double *y,
                        size_t n)
{
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < n; i++) {
        mx += x[i];
        my += y[i];
    }
    mx /= (double)n;
    my /= (double)n;
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
        yy += (y[i] - my) * (y[i] - my);
    }
    xx = xx > ROUNDING * (double)n * mx * mx ? xx : NAN;
    yy = yy > ROUNDING * (double)n * my * my ? yy : NAN;
    *slope = xy / xx;
    *intercept = my - *slope * mx;
    return xy / sqrt(xx * yy);
}

recon_status recon_evaluate_molecule_trend(recon_ctx *ctx, recon_trend *out, const double *x,
                                           const double *y, size_t n)
{
    double *kept = NULL, slope, intercept;
    placed *order = NULL;
    recon_status status;
    *out = (recon_trend){ 0 };
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: there is nothing to measure");
    RECON_TRY(recon_alloc_raw(ctx, &kept, 4 * n, sizeof *kept));
    RECON_TRY(recon_alloc_raw(ctx, &order, n, sizeof *order));
    double *a = kept, *b = kept + n, *ranks = kept + 2 * n;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]) && !isnan(y[i])) {
            a[out->n] = x[i];
            b[out->n++] = y[i];
        }
    rank(ranks, order, a, out->n);
    rank(ranks + n, order, b, out->n);
    out->correlation = correlate(&out->slope, &out->intercept, a, b, out->n);
    out->rank = correlate(&slope, &intercept, ranks, ranks + n, out->n);
done:
    free(order);
    free(kept);
    return status;
}

/* --- k ---------------------------------------------------------------------------------------- */

/* The curve of one molecule: the one whose errors, one row of molecules for each k, add up to most. */
static void follow_worst(recon_molecule_k_point *out, size_t count, const recon_molecule_fisher *of,
                         size_t molecules)
{
    size_t worst = 0;
    double most = -1;
    for (size_t m = 0; m < molecules; m++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += of[i * molecules + m].n ? of[i * molecules + m].mse : 0;
        if (sum > most) {
            most = sum;
            worst = m;
        }
    }
    for (size_t i = 0; i < count; i++)
        out[i].worst = of[i * molecules + worst].mse;
}

recon_status recon_evaluate_molecule_k(recon_ctx *ctx, recon_molecule_k_point *out, const size_t *k,
                                       size_t count, const recon_embedded *index,
                                       const recon_embedded *queries, const double *truth,
                                       size_t molecules, const recon_normalize_options *options)
{
    const recon_embedded *rows = queries ? queries : index;
    recon_normalize_options o = options ? *options : (recon_normalize_options){ 0 };
    recon_molecule_fisher *of = NULL;
    recon_frames frames = { 0 };
    recon_status status = RECON_OK;
    if (index->group != RECON_SO3 || !index->labels || !rows->labels)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: embeddings without %s",
                          index->group == RECON_SO3 ? "labels" : "poses on SO(3)");
    RECON_TRY(recon_alloc(ctx, &of, count * molecules, sizeof *of));
    for (size_t i = 0; i < count; i++) {
        out[i] = (recon_molecule_k_point){ .k = o.knn.k = k[i] };
        RECON_TRY(recon_normalize(ctx, &frames, index, queries, &o));
        out[i].hit_rate = frames.hit_rate;
        RECON_TRY(recon_evaluate_molecule_fisher(ctx, &out[i].error, of + i * molecules,
                                                 frames.parameters, rows->labels, rows->n, truth,
                                                 molecules));
        recon_frames_free(&frames);
    }
    follow_worst(out, count, of, molecules);
done:
    recon_frames_free(&frames);
    free(of);
    return status;
}
