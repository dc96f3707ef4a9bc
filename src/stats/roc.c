/* roc.c - the curve and its area, from one walk down the sorted scores. Counts are whole numbers
 * until the last division, so that the area is exact to one rounding. */
#include "stats/roc.h"

#include <math.h>
#include <stdlib.h>
#include "core/fail.h"
#include "core/memory.h"

typedef struct {
    double score;
    uint8_t label;
} item;

static int descending(const void *a, const void *b)
{
    double x = ((const item *)a)->score, y = ((const item *)b)->score;
    return (x < y) - (x > y);
}

static recon_status check_scores(recon_ctx *ctx, const double *score, const uint8_t *label,
                                 size_t n)
{
    size_t positives = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(score[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "roc: score %zu is not a number", i);
        if (label[i] > 1)
            return recon_fail(ctx, RECON_ERR_INPUT, "roc: label %zu is %d, expected 0 or 1", i,
                              label[i]);
        positives += label[i];
    }
    if (positives == 0 || positives == n)
        return recon_fail(ctx, RECON_ERR_INPUT, "roc: %zu scores without a %s one", n,
                          positives == 0 ? "positive" : "negative");
    return RECON_OK;
}

static recon_status sorted(recon_ctx *ctx, item **out, const double *score, const uint8_t *label,
                           size_t n)
{
    RECON_CHECK(check_scores(ctx, score, label, n));
    RECON_CHECK(recon_alloc_raw(ctx, out, n, sizeof **out));
    for (size_t i = 0; i < n; i++)
        (*out)[i] = (item){ score[i], label[i] };
    qsort(*out, n, sizeof **out, descending);
    return RECON_OK;
}

/* How many items have a score not below a threshold. */
typedef struct {
    uint64_t positive, negative;
} tally;

/* Adds the items that share the score at i; returns where the next score begins. */
static size_t add_ties(tally *t, const item *items, size_t i, size_t n)
{
    double score = items[i].score;
    for (; i < n && items[i].score == score; i++) {
        t->positive += items[i].label;
        t->negative += !items[i].label;
    }
    return i;
}

recon_status recon_roc_auc(recon_ctx *ctx, double *out, const double *score, const uint8_t *label,
                           size_t n)
{
    item *items = NULL;
    tally t = { 0, 0 };
    uint64_t twice = 0; /* pairs won by the positive, doubled: a tie is half a pair */
    recon_status status;
    RECON_TRY(sorted(ctx, &items, score, label, n));
    for (size_t i = 0; i < n;) {
        tally above = t;
        i = add_ties(&t, items, i, n);
        twice += (t.negative - above.negative) * (above.positive + t.positive);
    }
    *out = (double)twice / (2 * (double)t.positive * (double)t.negative);
done:
    free(items);
    return status;
}

recon_status recon_roc_curve(recon_ctx *ctx, recon_roc_point *out, size_t *count,
                             const double *score, const uint8_t *label, size_t n)
{
    item *items = NULL;
    tally t = { 0, 0 };
    size_t points = 1;
    recon_status status;
    RECON_TRY(sorted(ctx, &items, score, label, n));
    out[0] = (recon_roc_point){ 0, 0, INFINITY };
    for (size_t i = 0; i < n; points++) {
        double threshold = items[i].score;
        i = add_ties(&t, items, i, n);
        out[points] = (recon_roc_point){ (double)t.negative, (double)t.positive, threshold };
    }
    for (size_t k = 0; k < points; k++) {
        out[k].false_positive /= (double)t.negative;
        out[k].true_positive /= (double)t.positive;
    }
    *count = points;
done:
    free(items);
    return status;
}
