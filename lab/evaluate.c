/* evaluate.c - measures for the tables of images: accuracy, poses, neighbours, widths, unusual
 * poses, classes whose pose is not fully defined, and controls; and the cost of canonicalizing
 * inputs of any kind. */
#include "lab/evaluate.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "stats/quantile.h"
#include "stats/roc.h"
#include "data/rotations.h"
#include "group/wasserstein.h"
#include "group/so2/fit.h"
#include "model/model.h"

#include <math.h>
#include <recon/core/rng.h>
#include <recon/data/dataset.h>
#include <recon/group/mean.h>
#include <recon/group/so2.h>
#include <recon/model/canonicalize.h>
#include <recon/core/safetensors.h>
#include <recon/ops/backend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 256 }; /* that a model sees at once */

size_t lab_largest(const double *row, size_t n)
{
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
        best = row[k] > row[best] ? k : best;
    return best;
}

size_t lab_largest_float(const float *row, size_t n)
{
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
        best = row[k] > row[best] ? k : best;
    return best;
}

recon_status lab_embedded_new(recon_ctx *ctx, recon_embedded *out, size_t n, size_t d,
                              const recon_group *group)
{
    *out = (recon_embedded){ .n = n, .d = d, .group = group, .precision = RECON_F32 };
    RECON_CHECK(recon_alloc_raw(ctx, &out->owned[0], n * d, sizeof *out->z));
    RECON_CHECK(recon_alloc_raw(ctx, &out->owned[1], n, group->numbers * sizeof *out->poses));
    RECON_CHECK(recon_alloc_raw(ctx, &out->owned[2], n, sizeof *out->labels));
    out->z = out->owned[0];
    out->poses = out->owned[1];
    out->labels = out->owned[2];
    return RECON_OK;
}

recon_status lab_training(recon_ctx *ctx, char out[TRAINING], const char *path)
{
    recon_safetensors *file = NULL;
    RECON_CHECK(recon_safetensors_open(ctx, &file, path));
    const char *line = recon_safetensors_metadata(file, "training");
    snprintf(out, TRAINING, "%s", line ? line : "");
    recon_safetensors_close(file);
    return RECON_OK;
}

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
        size_t best = lab_largest(row, classes);
        double sum = 0;
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
    recon_free_all(b.upright, b.images);
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

recon_status recon_evaluate_check_neighborhood(recon_ctx *ctx, const recon_neighborhood *h)
{
    RECON_CHECK(recon_evaluate_check_labels(ctx, h->labels, h->n, h->classes));
    if (h->k == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: no neighbours");
    for (size_t i = 0; i < h->n * h->k; i++)
        if (h->neighbors[i] < 0 || (uint64_t)h->neighbors[i] >= h->n)
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "evaluate: neighbour %zu of row %zu is %lld, of %zu rows", i % h->k,
                              i / h->k, (long long)h->neighbors[i], h->n);
    return RECON_OK;
}

recon_status recon_evaluate_hits(recon_ctx *ctx, double *hits, const recon_neighborhood *h)
{
    RECON_CHECK(recon_evaluate_check_neighborhood(ctx, h));
    for (size_t i = 0; i < h->n; i++) {
        size_t same = 0;
        for (size_t j = 0; j < h->k; j++)
            same += h->labels[h->neighbors[i * h->k + j]] == h->labels[i];
        hits[i] = (double)same / (double)h->k;
    }
    return RECON_OK;
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
    RECON_CHECK(recon_evaluate_check_neighborhood(ctx, h));
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

recon_status recon_evaluate_k(recon_ctx *ctx, recon_k_point *out, const size_t *k, size_t count,
                              const recon_embedded *index, recon_so2_family family,
                              const double *truth, size_t classes)
{
    recon_frames frames = { 0 };
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
        RECON_TRY(recon_normalize(ctx, &frames, index, NULL,
                                  &(recon_normalize_options){ .knn = { .k = k[i] },
                                                              .mean = { .kind = RECON_MEAN_TUKEY },
                                                              .family = family }));
        out[i].hit_rate = frames.hit_rate;
        RECON_TRY(recon_evaluate_widths(ctx, &out[i].error, of, frames.theta, index->labels,
                                        index->n, truth, classes));
        recon_frames_free(&frames);
    }
done:
    recon_frames_free(&frames);
    free(of);
    return status;
}

/* Means first, then the spread about them: one pass would lose the spread of a narrow class. */
static void describe(recon_width *of, const double *theta, const int64_t *labels, size_t n,
                     size_t classes)
{
    for (size_t i = 0; i < n; i++) {
        of[labels[i]].n++;
        of[labels[i]].mean += theta[i];
    }
    for (size_t c = 0; c < classes; c++)
        of[c].mean /= (double)of[c].n; /* NaN for none */
    for (size_t i = 0; i < n; i++)
        of[labels[i]].spread += pow(theta[i] - of[labels[i]].mean, 2);
    for (size_t c = 0; c < classes; c++)
        of[c].spread = sqrt(of[c].spread / (double)of[c].n);
}

recon_status recon_evaluate_widths(recon_ctx *ctx, recon_width_error *out, recon_width *of,
                                   const double *theta, const int64_t *labels, size_t n,
                                   const double *truth, size_t classes)
{
    size_t seen = 0;
    *out = (recon_width_error){ 0 };
    for (size_t c = 0; c < classes; c++)
        of[c] = (recon_width){ .truth = truth[c] };
    RECON_CHECK(recon_evaluate_check_labels(ctx, labels, n, classes));
    RECON_CHECK(recon_evaluate_check_numbers(ctx, theta, n, "theta"));
    describe(of, theta, labels, n, classes);
    for (size_t c = 0; c < classes; c++)
        if (of[c].n) {
            out->by_class += fabs(of[c].mean - truth[c]);
            seen++;
        }
    out->by_class /= (double)seen;
    for (size_t i = 0; i < n; i++)
        out->by_sample += fabs(theta[i] - truth[labels[i]]) / (double)n;
    return RECON_OK;
}

#define DEGREE (3.14159265358979323846 / 180)

const recon_reach recon_reaches[RECON_REACHES] = {
    { 2, 5 * DEGREE }, { 1, 5 * DEGREE }, { 3, 5 * DEGREE }, { 2, 15 * DEGREE }
};

double recon_evaluate_reach(recon_rotation_law law, recon_reach reach)
{
    return fmax(law.family == RECON_SO2_NORMAL ? reach.sigmas * law.width : law.width, reach.least);
}

void recon_evaluate_unusual(uint8_t *unusual, const recon_rotation_rule *rule, recon_reach reach,
                            const int64_t *labels, const double *angles, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        recon_rotation_law law = recon_rotation_rule_of(rule, (int32_t)labels[i]);
        unusual[i] = fabs(recon_so2_wrap(angles[i])) > recon_evaluate_reach(law, reach);
    }
}

recon_status recon_evaluate_ood(recon_ctx *ctx, recon_ood_auc *out, const recon_ood_scores *scores,
                                const uint8_t *unusual, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += unusual[i];
    *out = (recon_ood_auc){ NAN, NAN, NAN, NAN, (double)count / (double)n };
    if (count == 0 || count == n)
        return RECON_OK;
    RECON_CHECK(recon_roc_auc(ctx, &out->ieae, scores->ieae, unusual, n));
    RECON_CHECK(recon_roc_auc(ctx, &out->g_abs, scores->g_abs, unusual, n));
    RECON_CHECK(recon_roc_auc(ctx, &out->density, scores->density, unusual, n));
    if (scores->undo)
        RECON_CHECK(recon_roc_auc(ctx, &out->undo, scores->undo, unusual, n));
    return RECON_OK;
}

enum { MOMENTS = 4 };

recon_status recon_evaluate_folds(recon_ctx *ctx, recon_fold_share *of, const int *fold,
                                  const double *moments, const int64_t *labels, size_t n,
                                  size_t classes)
{
    for (size_t c = 0; c < classes; c++)
        of[c] = (recon_fold_share){ 0 };
    RECON_CHECK(recon_evaluate_check_labels(ctx, labels, n, classes));
    RECON_CHECK(recon_evaluate_check_numbers(ctx, moments, MOMENTS * n, "moment"));
    for (size_t i = 0; i < n; i++) {
        recon_fold_share *f = &of[labels[i]];
        f->n++;
        f->share += fold[i] == 2;
        for (size_t m = 0; m < MOMENTS; m++)
            f->moment[m] += moments[MOMENTS * i + m];
    }
    for (size_t c = 0; c < classes; c++) {
        of[c].share /= (double)of[c].n; /* NaN for none */
        for (size_t m = 0; m < MOMENTS; m++)
            of[c].moment[m] /= (double)of[c].n;
    }
    return RECON_OK;
}

/* Poses of one class, in the frame of the backbone and about the natural pose. */
typedef struct {
    size_t n;
    double *psi, *lambda, *absolute;
} part;

static recon_status gather(recon_ctx *ctx, part *out, const recon_posed *posed, int64_t label)
{
    RECON_CHECK(recon_alloc_raw(ctx, &out->psi, posed->n, sizeof *out->psi));
    RECON_CHECK(recon_alloc_raw(ctx, &out->lambda, posed->n, sizeof *out->lambda));
    RECON_CHECK(recon_alloc_raw(ctx, &out->absolute, posed->n, sizeof *out->absolute));
    for (size_t i = 0; i < posed->n; i++) {
        if (posed->labels[i] != label)
            continue;
        out->psi[out->n] = posed->psi[i];
        out->lambda[out->n] = posed->lambda[i];
        out->absolute[out->n++] = recon_so2_wrap(posed->psi[i] - posed->lambda[i]);
    }
    if (out->n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: nothing has label %lld",
                          (long long)label);
    return RECON_OK;
}

recon_status recon_evaluate_pair(recon_ctx *ctx, recon_class_pair *out, const recon_posed *posed,
                                 int64_t a, int64_t b)
{
    const int64_t label[2] = { a, b };
    part p[2] = { { 0 }, { 0 } };
    recon_status status;
    *out = (recon_class_pair){ 0 };
    for (int i = 0; i < 2; i++) {
        recon_so2_center center;
        RECON_TRY(gather(ctx, &p[i], posed, label[i]));
        RECON_TRY(recon_so2_mean(ctx, &center, p[i].lambda, p[i].n,
                                 &(recon_mean_options){ .kind = RECON_MEAN_CHORDAL }));
        out->n[i] = p[i].n;
        out->natural[i] = center.mean;
    }
    out->between = recon_so2_distance(out->natural[0], out->natural[1]);
    RECON_TRY(recon_so2_wasserstein(ctx, &out->before, p[0].psi, p[1].psi, p[0].n, p[1].n, 1));
    RECON_TRY(
        recon_so2_wasserstein(ctx, &out->after, p[0].absolute, p[1].absolute, p[0].n, p[1].n, 1));
done:
    for (int i = 0; i < 2; i++) {
        recon_free_all(p[i].psi, p[i].lambda, p[i].absolute);
    }
    return status;
}

enum { ROWS_MOST = 3000, LEAST = 3, NEAR = 0, ANY = 1 };

/* --- like poses ------------------------------------------------------------------------------- */

typedef struct {
    const recon_neighborhood *hood;
    const double *angle;
    recon_so2_family family;
    recon_molecule_groups by_label;
    double *angles, *scratch; /* [k], and for the fit */
    int64_t *label;           /* [rows] of those measured */
    double *theta[2];         /* [rows] */
} likeness;

/* Angles of the neighbours of row i that have its label; how many. */
static size_t take_near(likeness *l, size_t i)
{
    const recon_neighborhood *h = l->hood;
    size_t n = 0;
    for (size_t j = 0; j < h->k; j++) {
        size_t row = (size_t)h->neighbors[i * h->k + j];
        if (h->labels[row] == h->labels[i])
            l->angles[n++] = l->angle[row];
    }
    return n;
}

static size_t count_label(const likeness *l, size_t i)
{
    return l->by_label.offset[l->hood->labels[i] + 1] - l->by_label.offset[l->hood->labels[i]];
}

/* The same of n others of its label, of which there are some. */
static void take_any(likeness *l, size_t i, size_t n, recon_rng *rng)
{
    const size_t *rows = l->by_label.row + l->by_label.offset[l->hood->labels[i]];
    for (size_t j = 0; j < n;) {
        size_t row = rows[recon_rng_below(rng, count_label(l, i))];
        if (row != i)
            l->angles[j++] = l->angle[row];
    }
}

/* One row's part in the sums. */
static recon_status add_row(recon_ctx *ctx, recon_like_poses *out, likeness *l, size_t i, size_t n,
                            int which)
{
    recon_so2_center center;
    recon_so2_density law;
    double square = 0, away = 0;
    RECON_CHECK(recon_so2_mean(ctx, &center, l->angles, n, NULL));
    for (size_t j = 0; j < n; j++) {
        away += recon_so2_distance(l->angles[j], l->angle[i]);
        l->angles[j] = recon_so2_wrap(l->angles[j] - center.mean);
        square += l->angles[j] * l->angles[j];
    }
    recon_so2_fit_one(&law, l->angles, n, l->family, l->scratch);
    out->distance[which] += away / (double)n;
    out->spread[which] += sqrt(square / (double)n);
    out->theta[which] += law.width;
    l->theta[which][out->rows] = law.width;
    return RECON_OK;
}

static recon_status measure_rows(recon_ctx *ctx, recon_like_poses *out, likeness *l, uint64_t seed)
{
    const recon_neighborhood *h = l->hood;
    size_t step = (h->n + ROWS_MOST - 1) / ROWS_MOST;
    for (size_t i = 0; i < h->n; i += step) {
        recon_rng rng = recon_rng_new(seed, i);
        size_t n = take_near(l, i);
        if (n < LEAST || count_label(l, i) < 2)
            continue;
        RECON_CHECK(add_row(ctx, out, l, i, n, NEAR));
        take_any(l, i, n, &rng);
        RECON_CHECK(add_row(ctx, out, l, i, n, ANY));
        l->label[out->rows++] = h->labels[i];
    }
    for (int w = 0; w < 2; w++) {
        out->distance[w] /= (double)out->rows; /* NaN for none */
        out->spread[w] /= (double)out->rows;
        out->theta[w] /= (double)out->rows;
    }
    return RECON_OK;
}

recon_status recon_evaluate_like_poses(recon_ctx *ctx, recon_like_poses *out,
                                       const recon_neighborhood *hood, const double *angle,
                                       recon_so2_family family, const double *truth, uint64_t seed)
{
    likeness l = { .hood = hood, .angle = angle, .family = family };
    recon_width *of = NULL;
    recon_status status;
    *out = (recon_like_poses){ 0 };
    RECON_TRY(recon_evaluate_check_neighborhood(ctx, hood));
    RECON_TRY(recon_evaluate_check_numbers(ctx, angle, hood->n, "angle"));
    RECON_TRY(recon_molecule_groups_make(ctx, &l.by_label, hood->labels, hood->n, hood->classes));
    RECON_TRY(recon_alloc_raw(ctx, &l.angles, hood->k, sizeof *l.angles));
    RECON_TRY(recon_alloc_raw(ctx, &l.scratch, recon_so2_fit_scratch(hood->k), sizeof *l.scratch));
    RECON_TRY(recon_alloc_raw(ctx, &l.label, ROWS_MOST, sizeof *l.label));
    for (int w = 0; w < 2; w++)
        RECON_TRY(recon_alloc_raw(ctx, &l.theta[w], ROWS_MOST, sizeof *l.theta[w]));
    RECON_TRY(recon_alloc(ctx, &of, hood->classes, sizeof *of));
    RECON_TRY(measure_rows(ctx, out, &l, seed));
    for (int w = 0; w < 2; w++) {
        out->error[w] = (recon_width_error){ NAN, NAN };
        if (out->rows)
            RECON_TRY(recon_evaluate_widths(ctx, &out->error[w], of, l.theta[w], l.label, out->rows,
                                            truth, hood->classes));
    }
done:
    recon_free_all(of, l.theta[1], l.theta[0], l.label, l.scratch, l.angles);
    recon_molecule_groups_free(&l.by_label);
    return status;
}

/* --- two classes that are each other's rotation ----------------------------------------------- */

recon_status recon_evaluate_frames(recon_ctx *ctx, recon_frame_pair *out, const double *psi,
                                   const double *angle, const recon_neighborhood *h, int64_t a,
                                   int64_t b)
{
    const int64_t label[2] = { a, b };
    *out = (recon_frame_pair){ 0 };
    RECON_CHECK(recon_evaluate_check_neighborhood(ctx, h));
    RECON_CHECK(recon_evaluate_check_numbers(ctx, psi, h->n, "pose"));
    RECON_CHECK(recon_evaluate_check_numbers(ctx, angle, h->n, "angle"));
    for (int which = 0; which < 2; which++) {
        double c = 0, s = 0, others = 0;
        for (size_t i = 0; i < h->n; i++) {
            if (h->labels[i] != label[which])
                continue;
            out->n[which]++;
            c += cos(psi[i] - angle[i]);
            s += sin(psi[i] - angle[i]);
            for (size_t j = 0; j < h->k; j++)
                others += h->labels[h->neighbors[i * h->k + j]] == label[!which];
        }
        out->frame[which] = atan2(s, c);
        out->agreement[which] = hypot(s, c) / (double)out->n[which]; /* NaN for none */
        out->other[which] = others / (double)(out->n[which] * h->k);
    }
    out->apart = recon_so2_distance(out->frame[0], out->frame[1]);
    return RECON_OK;
}

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 200 };
#define LONG_ENOUGH 0.25 /* seconds that all rounds together should take */

recon_status recon_fastest(recon_ctx *ctx, double *seconds, recon_work *work, void *arg)
{
    recon_status status = work(ctx, arg);
    double first = recon_now();
    *seconds = INFINITY;
    for (int i = 0; status == RECON_OK && i < MOST_ROUNDS; i++) {
        double begin = recon_now();
        if (i >= LEAST_ROUNDS && begin - first > LONG_ENOUGH)
            break;
        status = work(ctx, arg);
        *seconds = fmin(*seconds, recon_now() - begin);
    }
    return status;
}

typedef struct {
    const recon_model *model;
    const void *inputs;
    size_t n;
    char *canonical, *maps;
    recon_seen seen;
} task;

static recon_status make_canonical(recon_ctx *ctx, void *arg)
{
    const task *t = arg;
    return recon_canonicalize(ctx, t->canonical, NULL, t->model, t->inputs, t->n, NULL);
}

/* Lambda of a backbone with a pose density needs no head; the density of molecules is one. */
static recon_status center(recon_ctx *ctx, void *arg)
{
    const task *t = arg;
    if (t->seen.density && t->model->maps->lambda == RECON_LAMBDA_DENSITY)
        return recon_maps_put_densities(ctx, (recon_so2_map *)t->maps, t->model->maps, t->seen.psi,
                                        t->seen.density, t->n, RECON_MAPS_LAMBDA);
    return recon_maps_apply(ctx, t->maps, t->model->maps,
                            &(recon_maps_inputs){ .n = t->n, .z = t->seen.z, .inputs = t->inputs },
                            RECON_MAPS_LAMBDA);
}

recon_status recon_times_measure(recon_ctx *ctx, recon_times *out, const recon_model *model,
                                 const void *inputs, size_t n, size_t bytes)
{
    const recon_backbone *b = model->backbone;
    task t = { .model = model, .inputs = inputs, .n = n };
    recon_status status;
    *out = (recon_times){ .batch = n, .threads = recon_ctx_threads(ctx) };
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "times: no %s", b->kind->data);
    RECON_TRY(recon_alloc_raw(ctx, &t.canonical, bytes, 1));
    RECON_TRY(recon_alloc_raw(ctx, &t.maps, n, model->maps->kind->map));
    RECON_TRY(recon_alloc_raw(ctx, &t.seen.z, n * b->code, sizeof *t.seen.z));
    RECON_TRY(recon_alloc_raw(ctx, &t.seen.psi, n, b->kind->group->numbers * sizeof *t.seen.psi));
    if (b->density)
        RECON_TRY(
            recon_alloc_raw(ctx, &t.seen.density, n, RECON_POSE_BINS * sizeof *t.seen.density));
    RECON_TRY(b->kind->embed(ctx, &t.seen, b, inputs, n));
    RECON_TRY(recon_fastest(ctx, &out->canonicalize_ms, make_canonical, &t));
    RECON_TRY(recon_fastest(ctx, &out->overhead_ms, center, &t));
    out->canonicalize_ms *= 1000 / (double)n;
    out->overhead_ms *= 1000 / (double)n;
    out->backend = recon_ops_name(ctx);
done:
    recon_free_all(t.seen.density, t.seen.psi, t.seen.z, t.maps, t.canonical);
    return status;
}
