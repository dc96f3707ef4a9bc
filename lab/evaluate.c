/* evaluate.c - a frozen model on rotated images, and the errors of poses. */
#include "lab/evaluate.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/data/dataset.h>
#include <recon/group/so2.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 256 }; /* that a model sees at once */

recon_status recon_evaluate_check_labels(recon_ctx *ctx, const int64_t *labels, size_t n,
                                         size_t classes)
{
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: there is nothing to measure");
    for (size_t i = 0; i < n; i++)
        if (labels[i] < 0 || (uint64_t)labels[i] >= classes)
            return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: label %zu is %lld, of %zu classes",
                              i, (long long)labels[i], classes);
    return RECON_OK;
}

recon_status recon_evaluate_check_numbers(recon_ctx *ctx, const double *values, size_t n,
                                          const char *what)
{
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: there is nothing to measure");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: %s %zu is %g", what, i, values[i]);
    return RECON_OK;
}

/* --- accuracy --------------------------------------------------------------------------------- */

recon_status recon_evaluate_check_classifier(recon_ctx *ctx, const recon_classifier *classifier,
                                             const char *path, const recon_dataset *data,
                                             const char *name)
{
    recon_classifier_info c = recon_classifier_describe(classifier);
    recon_dataset_info d = recon_dataset_describe(data);
    if (c.height != d.height || c.width != d.width || c.channels != d.channels)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s takes images of %zu x %zu x %zu, but %s has %zu x %zu x %zu: `recon "
                          "classifier train --data %s --out FILE` trains one that fits",
                          path, c.height, c.width, c.channels, name, d.height, d.width, d.channels,
                          name);
    if (c.classes != d.classes)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s knows %zu classes, but %s has %zu: `recon classifier train --data %s "
                          "--out FILE` trains one that fits",
                          path, c.classes, name, d.classes, name);
    return RECON_OK;
}

/* What a classifier says of n images: the class it takes each for and how sure it is, either of
 * which may be NULL. */
static recon_status classify(recon_ctx *ctx, int64_t *labels, double *scores,
                             const recon_classifier *classifier, const float *images, size_t n)
{
    size_t classes = recon_classifier_describe(classifier).classes;
    double *logits = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &logits, n * classes, sizeof *logits));
    RECON_TRY(recon_classifier_logits(ctx, logits, classifier, images, n));
    for (size_t i = 0; i < n; i++) {
        const double *row = logits + i * classes;
        size_t best = 0;
        double sum = 0;
        for (size_t c = 1; c < classes; c++)
            best = row[c] > row[best] ? c : best;
        for (size_t c = 0; c < classes; c++)
            sum += exp(row[c] - row[best]);
        if (labels)
            labels[i] = (int64_t)best;
        if (scores)
            scores[i] = -log(sum);
    }
done:
    free(logits);
    return status;
}

recon_status recon_guess_by_classifier(recon_ctx *ctx, void *user, int64_t *labels,
                                       const float *images, size_t n)
{
    return classify(ctx, labels, NULL, user, images, n);
}

recon_status recon_judge_by_classifier(recon_ctx *ctx, void *user, double *scores,
                                       const float *images, size_t n)
{
    return classify(ctx, NULL, scores, user, images, n);
}

typedef struct {
    const recon_dataset *data;
    const double *rotations;
    size_t first, pixels;
    float *images, *upright; /* [IMAGES], and one for each worker */
    int64_t truth[IMAGES], guess[IMAGES];
} batch;

static recon_status rotate_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    batch *b = arg;
    recon_dataset_info d = recon_dataset_describe(b->data);
    float *out = b->images + i * b->pixels;
    float *in = b->rotations ? b->upright + (size_t)worker * b->pixels : out;
    (void)ctx;
    b->truth[i] = recon_dataset_get(in, b->data, b->first + i);
    if (b->rotations)
        recon_image_rotate(out, in, d.height, d.width, d.channels, b->rotations[b->first + i],
                           RECON_BILINEAR);
    return RECON_OK;
}

recon_status recon_evaluate_accuracy(recon_ctx *ctx, double *out, uint8_t *right,
                                     const recon_dataset *data, const double *rotations,
                                     recon_guess *guess, void *user)
{
    recon_dataset_info d = recon_dataset_describe(data);
    batch b = { .data = data, .rotations = rotations, .pixels = d.height * d.width * d.channels };
    size_t count = 0, workers = (size_t)recon_ctx_threads(ctx);
    recon_status status;
    if (rotations)
        RECON_TRY(recon_evaluate_check_numbers(ctx, rotations, d.n, "rotation"));
    RECON_TRY(recon_alloc_raw(ctx, &b.images, IMAGES * b.pixels, sizeof *b.images));
    RECON_TRY(recon_alloc_raw(ctx, &b.upright, workers * b.pixels, sizeof *b.upright));
    recon_progress_begin(ctx, "classify", d.n);
    for (; b.first < d.n; b.first += IMAGES) {
        size_t n = d.n - b.first < IMAGES ? d.n - b.first : IMAGES;
        RECON_TRY(recon_parallel(ctx, rotate_one, &b, n));
        recon_progress_hold(ctx);
        status = guess(ctx, user, b.guess, b.images, n);
        recon_progress_release(ctx);
        RECON_TRY(status);
        for (size_t i = 0; i < n; i++) {
            int is_right = b.guess[i] == b.truth[i];
            count += (size_t)is_right;
            if (right)
                right[b.first + i] = (uint8_t)is_right;
        }
        recon_progress_add(ctx, n);
    }
    recon_progress_end(ctx);
    *out = (double)count / (double)d.n;
done:
    free(b.upright);
    free(b.images);
    return status;
}

/* --- poses ------------------------------------------------------------------------------------ */

recon_status recon_evaluate_poses(recon_ctx *ctx, recon_pose_error *out, const double *pose,
                                  const double *truth, size_t n)
{
    double *error = NULL, sum = 0;
    size_t flips = 0, close = 0;
    recon_status status;
    RECON_TRY(recon_evaluate_check_numbers(ctx, pose, n, "pose"));
    RECON_TRY(recon_evaluate_check_numbers(ctx, truth, n, "true pose"));
    RECON_TRY(recon_alloc_raw(ctx, &error, n, sizeof *error));
    for (size_t i = 0; i < n; i++) {
        error[i] = recon_so2_distance(pose[i], truth[i]);
        sum += error[i];
        flips += error[i] > RECON_POSE_FLIPPED;
        close += error[i] < RECON_POSE_CLOSE;
    }
    recon_sort_doubles(error, n);
    *out = (recon_pose_error){ .median = recon_quantile(error, n, 0.5),
                               .p95 = recon_quantile(error, n, 0.95),
                               .mean = sum / (double)n,
                               .flips = (double)flips / (double)n,
                               .close = (double)close / (double)n };
done:
    free(error);
    return status;
}
