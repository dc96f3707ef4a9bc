/* roc.h - how well a score separates two classes.
 *
 * * Labels are 0 (negative) and 1 (positive); a high score means positive. Scores may be infinite.
 * Both functions fail if a class is missing, a label is neither, or a score is NaN. */
#ifndef STATS_ROC_H
#define STATS_ROC_H

#include <stddef.h>
#include <stdint.h>
#include <recon/core/ctx.h>

/* The area under the curve: the chance that a positive scores above a negative, ties counted one
 * half (Mann-Whitney). */
recon_status recon_roc_auc(recon_ctx *ctx, double *out, const double *score /* [n] */,
                           const uint8_t *label /* [n] */, size_t n);

typedef struct {
    double false_positive; /* share of the negatives with score >= threshold */
    double true_positive;  /* share of the positives */
    double threshold;
} recon_roc_point;

/* The curve from (0, 0), whose threshold is infinity, to (1, 1): one more point for each distinct
 * score, from the highest down. *count is at most n + 1. */
recon_status recon_roc_curve(recon_ctx *ctx, recon_roc_point *out /* [n + 1] */, size_t *count,
                             const double *score /* [n] */, const uint8_t *label /* [n] */,
                             size_t n);

#endif
