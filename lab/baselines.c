/* baselines.c - other methods on rotated images, before the frozen classifier or instead of it, and
 * the table of all methods. */
#include "lab/reproduce.h"
#include "core/fail.h"
#include "core/json.h"
#include "lab/table.h"
#include "core/ctx.h"
#include "core/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const baseline_kind baseline_kinds[BASELINES] = {
    [BASELINE_EQUIADAPT] = { "equiadapt", "EquiAdapt", "canonicalizer", 1, 2 },
    [BASELINE_ESCNN] = { "escnn", "steerable classifier (ESCNN)", "classifier", 1, 1 },
    [BASELINE_PARTIAL] = { "partial_gcnn", "Partial G-CNN", "classifier", 1, 1 },
    [BASELINE_SEGNN] = { "segnn", "SEGNN classifier", "classifier", 1, 1 },
    [BASELINE_SGM] = { "sgm", "SGM's canonical pose", "canonicalizer", 0, 2 },
    [BASELINE_SGM_RECON] = { "sgm_paper_algorithm", "the paper's algorithm on SGM's poses",
                             "canonicalizer", 0, 2 },
    [BASELINE_PCA] = { "pca", "long axis", "none", 0, 1 },
    [BASELINE_TTA8] = { "tta8", "mean of 8 rotations", "none", 0, 8 },
    [BASELINE_TTA36] = { "tta36", "mean of 36 rotations", "none", 0, 36 },
    [BASELINE_AUGMENTED] = { "augmented", "trained with rotations", "classifier", 1, 1 },
    [BASELINE_KABSCH] = { "kabsch", "Kabsch onto upright inputs", "none", 0, 1 },
    [BASELINE_KNN] = { "knn", "labels of k neighbours in z", "none", 1, 1 },
};

void baseline_refuse(baseline *out, const char *fmt, ...)
{
    va_list ap;
    *out = (baseline){ .accuracy = NAN, .ms = NAN };
    va_start(ap, fmt);
    vsnprintf(out->reason, sizeof out->reason, fmt, ap);
    va_end(ap);
}

json_t *baselines_accuracy(const baseline of[BASELINES])
{
    json_t *out = json_object();
    for (int i = 0; i < BASELINES; i++)
        recon_json_put(&out, baseline_kinds[i].key, lab_value(100 * of[i].accuracy));
    return out;
}

json_t *baselines_json(const baseline of[BASELINES])
{
    json_t *out = json_object();
    for (int i = 0; i < BASELINES; i++) {
        const baseline_kind *k = &baseline_kinds[i];
        int there = isfinite(of[i].accuracy);
        double hits = of[i].hit_rate > 0 ? of[i].hit_rate : NAN;
        json_t *one =
            json_pack("{s:s, s:b, s:s, s:f, s:o, s:I, s:o, s:s?, s:n}", "method", k->label,
                      "labels", k->labels, "retraining", k->retraining, "passes", k->passes, "ms",
                      lab_value(of[i].ms), "weights", (json_int_t)of[i].weights, "hit_rate",
                      lab_value(hits), "reason", there ? NULL : of[i].reason, "training");
        if (of[i].training[0])
            recon_json_put_text(&one, "training", of[i].training);
        recon_json_put(&out, k->key, one);
    }
    return out;
}

void baselines_show(const json_t *result)
{
    if (!lab_at(result, "baselines"))
        return;
    lab_print_table(result,
                    &(lab_table){ .title = "\nwhat the other methods need\n",
                                  .over = "baselines",
                                  .instead = "baselines.*.reason",
                                  LAB_COLUMNS({ "", "baselines.*.method", "  %-34s" },
                                              { "labels", "baselines.*.labels", "%8s" },
                                              { "retraining", "baselines.*.retraining", "%16s" },
                                              { "passes", "baselines.*.passes", "%8.0f" },
                                              { "ms per input", "baselines.*.ms", "%14.3f" },
                                              { "weights", "baselines.*.weights", "%10.0f" }) });
}

enum {
    AXES = 2000,      /* training images whose axes are looked at */
    SGM_QUICK = 6000, /* and among which SGM's neighbours are, with --quick */
    BATCH = 256       /* images of a pass */
};

/* --- the long axis ---------------------------------------------------------------------------- */

/* Pixel i about the middle of the image, x to the right and y up. */
static void place(double at[2], size_t i, size_t height, size_t width)
{
    at[0] = (double)(i % width) + 0.5 - 0.5 * (double)width;
    at[1] = 0.5 * (double)height - (double)(i / width) - 0.5;
}

static double brightness(const float *pixel, size_t channels)
{
    double sum = 0;
    for (size_t c = 0; c < channels; c++)
        sum += (double)pixel[c];
    return fmax(0, sum);
}

double baseline_axis(const float *image, size_t height, size_t width, size_t channels)
{
    double mass = 0, mean[2] = { 0 }, xx = 0, xy = 0, yy = 0, third = 0, p[2];
    for (size_t i = 0; i < height * width; i++) {
        double w = brightness(image + i * channels, channels);
        place(p, i, height, width);
        mass += w;
        mean[0] += w * p[0];
        mean[1] += w * p[1];
    }
    if (!(mass > 0))
        return 0;
    for (size_t i = 0; i < height * width; i++) {
        double w = brightness(image + i * channels, channels);
        place(p, i, height, width);
        double x = p[0] - mean[0] / mass, y = p[1] - mean[1] / mass;
        xx += w * x * x;
        xy += w * x * y;
        yy += w * y * y;
    }
    double angle = 0.5 * atan2(2 * xy, xx - yy);
    for (size_t i = 0; i < height * width; i++) {
        place(p, i, height, width);
        third +=
            brightness(image + i * channels, channels) *
            pow((p[0] - mean[0] / mass) * cos(angle) + (p[1] - mean[1] / mass) * sin(angle), 3);
    }
    return third < 0 ? angle + M_PI : angle;
}

static recon_status axes_of(recon_ctx *ctx, double *out, const recon_dataset *data)
{
    recon_dataset_info d = recon_dataset_describe(data);
    float *image = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &image, d.height * d.width * d.channels, sizeof *image));
    for (size_t i = 0; i < d.n; i++) {
        recon_dataset_get(image, data, i);
        out[i] = baseline_axis(image, d.height, d.width, d.channels);
    }
done:
    free(image);
    return status;
}

/* Where the axis of an upright image points, on the average of some of the training part; straight
 * up where there is none. No label is used. */
static recon_status usual_axis(recon_ctx *ctx, double *out, const image_trial *t)
{
    recon_dataset *train = NULL, *some = NULL;
    double *axes = NULL, x = 0, y = 0;
    size_t n;
    recon_status status = RECON_OK;
    *out = M_PI / 2;
    if (t->settings->data)
        return RECON_OK;
    RECON_TRY(recon_dataset_open(ctx, &train, t->what->name));
    n = recon_dataset_describe(train).n < AXES ? recon_dataset_describe(train).n : AXES;
    RECON_TRY(recon_dataset_take(ctx, &some, train, n, TAKE_SEED));
    RECON_TRY(recon_alloc_raw(ctx, &axes, n, sizeof *axes));
    RECON_TRY(axes_of(ctx, axes, some));
    for (size_t i = 0; i < n; i++) {
        x += cos(axes[i]);
        y += sin(axes[i]);
    }
    *out = atan2(y, x);
done:
    free(axes);
    recon_dataset_close(some);
    recon_dataset_close(train);
    return status;
}

static recon_status measure_pca(recon_ctx *ctx, baseline *out, const image_trial *t)
{
    size_t n = recon_dataset_describe(t->rotated).n;
    double *pose = NULL, usual, begun;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &pose, n, sizeof *pose));
    RECON_TRY(usual_axis(ctx, &usual, t));
    begun = recon_now();
    RECON_TRY(axes_of(ctx, pose, t->rotated));
    for (size_t i = 0; i < n; i++)
        pose[i] -= usual;
    RECON_TRY(reproduce_accuracy(ctx, &out->accuracy, NULL, t, t->rotated, pose));
    out->ms = 1000 * (recon_now() - begun) / (double)n;
done:
    free(pose);
    return status;
}

/* --- the mean of several rotations ------------------------------------------------------------ */

typedef struct {
    const image_trial *on;
    size_t rotations;
} averaging;

/* Adds the classifier's probabilities of n images to sum [n][classes]. */
static recon_status add_probabilities(recon_ctx *ctx, double *sum, double *logits,
                                      const recon_classifier *c, const float *images, size_t n)
{
    size_t classes = recon_classifier_describe(c).classes;
    RECON_CHECK(recon_classifier_logits(ctx, logits, c, images, n));
    for (size_t i = 0; i < n; i++, logits += classes, sum += classes) {
        double top = logits[0], all = 0;
        for (size_t k = 1; k < classes; k++)
            top = fmax(top, logits[k]);
        for (size_t k = 0; k < classes; k++)
            all += exp(logits[k] - top);
        for (size_t k = 0; k < classes; k++)
            sum[k] += exp(logits[k] - top) / all;
    }
    return RECON_OK;
}

static recon_status guess_by_mean(recon_ctx *ctx, void *user, int64_t *labels, const float *images,
                                  size_t n)
{
    const averaging *a = user;
    recon_classifier_info c = recon_classifier_describe(a->on->classifier);
    size_t size = c.height * c.width * c.channels;
    double *sum = NULL, *logits = NULL;
    float *rotated = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &sum, n * c.classes, sizeof *sum));
    RECON_TRY(recon_alloc_raw(ctx, &logits, n * c.classes, sizeof *logits));
    RECON_TRY(recon_alloc_raw(ctx, &rotated, n * size, sizeof *rotated));
    for (size_t k = 0; k < a->rotations; k++) {
        for (size_t i = 0; i < n; i++)
            recon_image_rotate(rotated + i * size, images + i * size, c.height, c.width, c.channels,
                               2 * M_PI * (double)k / (double)a->rotations, RECON_BILINEAR);
        RECON_TRY(add_probabilities(ctx, sum, logits, a->on->classifier, rotated, n));
    }
    for (size_t i = 0; i < n; i++)
        labels[i] = (int64_t)lab_largest(sum + i * c.classes, c.classes);
done:
    recon_free_all(rotated, logits, sum);
    return status;
}

static recon_status measure_guess(recon_ctx *ctx, baseline *out, const recon_dataset *data,
                                  recon_guess *guess, void *user)
{
    double begun = recon_now();
    recon_status status =
        recon_evaluate_accuracy(ctx, &out->accuracy, NULL, data, NULL, guess, user);
    out->ms = 1000 * (recon_now() - begun) / (double)recon_dataset_describe(data).n;
    return status;
}

/* --- networks --------------------------------------------------------------------------------- */

/* How far each image is rotated, as a network says. */
static recon_status poses_by_rival(recon_ctx *ctx, double *pose, rival *net,
                                   const recon_dataset *data)
{
    recon_dataset_info d = recon_dataset_describe(data);
    size_t size = d.height * d.width * d.channels;
    float *images = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &images, BATCH * size, sizeof *images));
    for (size_t at = 0; at < d.n; at += BATCH) {
        size_t n = d.n - at < BATCH ? d.n - at : BATCH;
        for (size_t i = 0; i < n; i++)
            recon_dataset_get(images + i * size, data, at + i);
        RECON_TRY(rival_poses(ctx, pose + at, net, images, n));
    }
done:
    free(images);
    return status;
}

static recon_status measure_poses(recon_ctx *ctx, baseline *out, const image_trial *t, rival *net)
{
    size_t n = recon_dataset_describe(t->rotated).n;
    double *pose = NULL, begun = recon_now();
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &pose, n, sizeof *pose));
    RECON_TRY(poses_by_rival(ctx, pose, net, t->rotated));
    RECON_TRY(reproduce_accuracy(ctx, &out->accuracy, NULL, t, t->rotated, pose));
    out->ms = 1000 * (recon_now() - begun) / (double)n;
done:
    free(pose);
    return status;
}

/* What SGM makes of images: its pose, and as z the image with that pose undone. */
static recon_status embed_by_sgm(recon_ctx *ctx, recon_embedded *out, rival *net,
                                 const recon_dataset *data)
{
    recon_dataset_info d = recon_dataset_describe(data);
    size_t size = d.height * d.width * d.channels;
    float *image = NULL;
    recon_status status;
    RECON_TRY(lab_embedded_new(ctx, out, d.n, size, RECON_SO2));
    RECON_TRY(recon_alloc_raw(ctx, &image, size, sizeof *image));
    double *psi = out->owned[1];
    RECON_TRY(poses_by_rival(ctx, psi, net, data));
    for (size_t i = 0; i < d.n; i++) {
        ((int64_t *)out->owned[2])[i] = recon_dataset_get(image, data, i);
        recon_image_rotate((float *)out->owned[0] + i * size, image, d.height, d.width, d.channels,
                           -psi[i], RECON_BILINEAR);
    }
done:
    free(image);
    return status;
}

/* Algorithm 1 on z and the poses, as for any backbone: natural poses from the neighbours among the
 * training images, rotated by the rule. */
static recon_status measure_sgm(recon_ctx *ctx, baseline out[BASELINES], const image_trial *t,
                                rival *net)
{
    const lab_settings *s = t->settings;
    recon_dataset *train = NULL;
    recon_embedded index = { 0 }, queries = { 0 };
    recon_frames f = { 0 };
    double begun;
    recon_status status;
    RECON_TRY(reproduce_training(ctx, &train, s, s->quick ? SGM_QUICK : s->limit));
    RECON_TRY(embed_by_sgm(ctx, &index, net, train));
    begun = recon_now();
    RECON_TRY(embed_by_sgm(ctx, &queries, net, t->rotated));
    RECON_TRY(recon_normalize(ctx, &f, &index, &queries,
                              &(recon_normalize_options){ .knn = { .k = K },
                                                          .mean = { .kind = RECON_MEAN_FRECHET },
                                                          .family = RECON_SO2_NORMAL }));
    RECON_TRY(reproduce_accuracy(ctx, &out[BASELINE_SGM_RECON].accuracy, NULL, t, t->rotated,
                                 f.absolute));
    out[BASELINE_SGM_RECON].ms = 1000 * (recon_now() - begun) / (double)queries.n;
    out[BASELINE_SGM_RECON].weights = rival_describe(net).weights;
    out[BASELINE_SGM].hit_rate = out[BASELINE_SGM_RECON].hit_rate = f.hit_rate;
done:
    recon_frames_free(&f);
    recon_embedded_free(&queries);
    recon_embedded_free(&index);
    recon_dataset_close(train);
    return status;
}

/* One that comes with recon is of the images of its set: others need one of their own. */
static int fits(baseline *out, rival *net, const image_trial *t, rival_kind kind)
{
    rival_info r = rival_describe(net);
    recon_dataset_info d = recon_dataset_describe(t->rotated);
    const char *path = t->settings->rivals[kind];
    if (r.kind != kind)
        baseline_refuse(out, "%s is a network of kind %s, not %s", path, rival_name(r.kind),
                        rival_name(kind));
    else if (r.height != d.height || r.width != d.width || r.channels != d.channels ||
             r.classes != d.classes)
        baseline_refuse(out,
                        "%s is for images of %zu x %zu x %zu in %zu classes, but these are %zu x "
                        "%zu x %zu in %zu",
                        path, r.height, r.width, r.channels, r.classes, d.height, d.width,
                        d.channels, d.classes);
    else
        return 1;
    return 0;
}

static recon_status measure_rival(recon_ctx *ctx, baseline all[BASELINES], baseline_id id,
                                  const image_trial *t, rival_kind kind)
{
    baseline *out = &all[id];
    const char *path = t->settings->rivals[kind];
    rival *net = NULL;
    recon_status status = RECON_OK;
    if (!path) {
        baseline_refuse(out,
                        t->settings->data
                            ? "there are networks of mnist and fashion alone"
                            : "models/%s-%s.safetensors is not there: --baselines --train --rival "
                              "%s --out DIR makes one",
                        t->what->classifier, rival_name(kind), rival_name(kind));
        if (kind == RIVAL_SGM)
            all[BASELINE_SGM_RECON] = *out;
        return RECON_OK;
    }
    RECON_TRY(rival_open(ctx, &net, path));
    if (!fits(out, net, t, kind))
        goto done;
    RECON_TRY(rival_describe(net).poses ? measure_poses(ctx, out, t, net)
                                        : measure_guess(ctx, out, t->rotated, rival_guess, net));
    out->weights = rival_describe(net).weights;
    RECON_TRY(lab_training(ctx, out->training, path));
    if (kind == RIVAL_SGM)
        RECON_TRY(measure_sgm(ctx, all, t, net));
done:
    if (kind == RIVAL_SGM && isnan(out->accuracy))
        all[BASELINE_SGM_RECON] = *out;
    rival_close(ctx, net);
    return status;
}

/* --- neighbours ------------------------------------------------------------------------------- */

recon_status baseline_by_neighbours(recon_ctx *ctx, double *share, const int64_t *neighbors,
                                    size_t n, size_t k, const int64_t *among, const int64_t *labels,
                                    size_t classes)
{
    size_t *votes = NULL, right = 0;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &votes, classes, sizeof *votes));
    for (size_t i = 0; i < n; i++) {
        const int64_t *row = neighbors + i * k;
        int64_t best = among[row[0]];
        memset(votes, 0, classes * sizeof *votes);
        for (size_t j = 0; j < k; j++)
            votes[among[row[j]]]++;
        for (size_t j = 1; j < k; j++)
            best = votes[among[row[j]]] > votes[best] ? among[row[j]] : best;
        right += best == labels[i];
    }
    *share = (double)right / (double)n;
done:
    free(votes);
    return status;
}

/* --- all of them ------------------------------------------------------------------------------ */

recon_status baselines_measure_images(recon_ctx *ctx, baseline out[BASELINES], const image_trial *t)
{
    static const struct {
        baseline_id id;
        rival_kind kind;
    } networks[] = { { BASELINE_EQUIADAPT, RIVAL_EQUIADAPT },
                     { BASELINE_ESCNN, RIVAL_ESCNN },
                     { BASELINE_AUGMENTED, RIVAL_AUGMENTED },
                     { BASELINE_PARTIAL, RIVAL_PARTIAL },
                     { BASELINE_SGM, RIVAL_SGM } };
    int only = t->settings->rival;
    for (int i = 0; only && i < BASELINES; i++)
        baseline_refuse(&out[i], "not measured: --rival %s", rival_name((rival_kind)(only - 1)));
    baseline_refuse(&out[BASELINE_SEGNN], "for molecules only");
    baseline_refuse(&out[BASELINE_KABSCH], "for molecules only");
    if (!only) {
        RECON_CHECK(measure_pca(ctx, &out[BASELINE_PCA], t));
        RECON_CHECK(measure_guess(ctx, &out[BASELINE_TTA8], t->rotated, guess_by_mean,
                                  &(averaging){ t, 8 }));
        RECON_CHECK(measure_guess(ctx, &out[BASELINE_TTA36], t->rotated, guess_by_mean,
                                  &(averaging){ t, 36 }));
    }
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        if (!only || only - 1 == (int)networks[i].kind)
            RECON_CHECK(measure_rival(ctx, out, networks[i].id, t, networks[i].kind));
    return RECON_OK;
}
