/* cifar.c - `recon reproduce cifar10`: natural pictures before a frozen classifier.
 *
 * The classifier is trained on upright pictures. Test pictures are not rotated, rotated by
 * multiples of 45 degrees (C8), or by any angle; both rotations, there and back, are bilinear and
 * repeat edge pixels outside the frame. The p-value decides whether to rotate at all, at a level
 * chosen on pictures held out from all training. */
#include "backbone/ieae.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/image.h"
#include "lab/evaluate.h"
#include "model/model.h"
#include "lab/lab.h"
#include "lab/table.h"
#include "backbone/kinds.h"
#include "core/ctx.h"
#include "core/folder.h"
#include "core/json.h"
#include "core/shipped.h"
#include "data/dataset.h"

#include <jansson.h>
#include <math.h>
#include <recon/backbone/classifier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- pictures --------------------------------------------------------------------------------- */

enum { UPRIGHT, C8, ANY, SETS };
enum {
    NONE,        /* as they come */
    UNDO,        /* rotated back by the true angle */
    DENSITY,     /* ours: the centre of the pose density, four quarter turns */
    DENSITY_ONE, /* the same from a single pass */
    GATED,       /* rotated only where the p-value is below the chosen level */
    AVERAGE,     /* the classifier's answers averaged over the candidates */
    TTA8,        /* and over 8 and 36 rotations, without a model of poses */
    TTA36,
    AUGMENTED, /* the other classifier, as they come */
    METHODS
};
static const lab_row methods[METHODS] = {
    [NONE] = { "none", "no correction", 0 },
    [UNDO] = { "undo", "true rotation undone", 0 },
    [DENSITY] = { "recon", "recon: the pose density, four passes", 0 },
    [DENSITY_ONE] = { "recon_one", "the same, one pass", 0 },
    [GATED] = { "gated", "four passes, with the gate", 0 },
    [AVERAGE] = { "average", "averaged over candidates", 0 },
    [TTA8] = { "tta8", "averaged over 8 rotations", 0 },
    [TTA36] = { "tta36", "averaged over 36 rotations", 0 },
    [AUGMENTED] = { "augmented", "classifier trained with rotations", 0 },
};
static const char *const set_name[SETS] = { "upright", "c8", "any" };

enum { LEVELS = 12, ROTATIONS = 8, MANY = 36, TIMED = 256, SEED = 2 };
static const double levels[LEVELS] = { .001, .002, .005, .01, .02, .03, .05, .07, .1, .2, .5, 1 };

/* n pictures, rotated by their angles, and who gets which right. */
typedef struct {
    size_t n, classes, pixels;
    recon_image_size size;
    float *upright, *images, *other; /* [n][pixels]: as they are, rotated, and room */
    double *angle, *by;              /* [n] */
    int32_t *label;
    double *logits; /* [n][classes] */
    uint8_t *right[METHODS];
    double *p; /* [n] p-values of their poses */
} set;

static void set_free(set *s)
{
    recon_free_all(s->upright, s->images, s->other, s->angle, s->by, s->label, s->logits, s->p);
    for (int m = 0; m < METHODS; m++)
        free(s->right[m]);
}

static recon_status set_new(recon_ctx *ctx, set *s, const recon_dataset *data, size_t classes)
{
    recon_dataset_info d = recon_dataset_describe(data);
    *s = (set){ .n = d.n,
                .classes = classes,
                .pixels = d.height * d.width * d.channels,
                .size = { d.height, d.width, d.channels } };
    float **images[] = { &s->upright, &s->images, &s->other };
    for (size_t i = 0; i < LAB_COUNT(images); i++)
        RECON_CHECK(recon_alloc_raw(ctx, images[i], s->n * s->pixels, sizeof **images[i]));
    double **numbers[] = { &s->angle, &s->by, &s->p };
    for (size_t i = 0; i < LAB_COUNT(numbers); i++)
        RECON_CHECK(recon_alloc(ctx, numbers[i], s->n, sizeof **numbers[i]));
    RECON_CHECK(recon_alloc(ctx, &s->label, s->n, sizeof *s->label));
    RECON_CHECK(recon_alloc(ctx, &s->logits, s->n * classes, sizeof *s->logits));
    for (int m = 0; m < METHODS; m++)
        RECON_CHECK(recon_alloc(ctx, &s->right[m], s->n, 1));
    for (size_t i = 0; i < s->n; i++)
        s->label[i] = recon_dataset_get(s->upright + i * s->pixels, data, i);
    return RECON_OK;
}

/* Not at all, by a multiple of 45 degrees, or by any angle. */
static recon_status set_rotate(recon_ctx *ctx, set *s, int which)
{
    recon_rng rng = recon_rng_new(SEED, (uint64_t)which);
    for (size_t i = 0; i < s->n; i++)
        s->angle[i] = which == UPRIGHT ? 0
                      : which == C8
                          ? recon_so2_wrap((double)recon_rng_below(&rng, ROTATIONS) * M_PI / 4)
                          : recon_so2_haar(&rng);
    return recon_images_rotate(ctx, s->images, s->upright, NULL, s->angle, s->n, &s->size,
                               RECON_BILINEAR, 1);
}

/* --- the classifier --------------------------------------------------------------------------- */

static void mark(uint8_t *right, const set *s)
{
    for (size_t i = 0; i < s->n; i++)
        right[i] = s->label[i] == (int32_t)lab_largest(s->logits + i * s->classes, s->classes);
}

static double share(const uint8_t *right, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += right[i];
    return n ? (double)sum / (double)n : NAN;
}

static recon_status classify(recon_ctx *ctx, set *s, int method, const recon_classifier *c,
                             const float *images)
{
    RECON_CHECK(recon_classifier_logits(ctx, s->logits, c, images, s->n));
    mark(s->right[method], s);
    return RECON_OK;
}

/* The pictures rotated by `by`. */
static recon_status rotate_by(recon_ctx *ctx, set *s)
{
    return recon_images_rotate(ctx, s->other, s->images, NULL, s->by, s->n, &s->size,
                               RECON_BILINEAR, 1);
}

static recon_status classify_back(recon_ctx *ctx, set *s, int method, const recon_classifier *c)
{
    RECON_CHECK(rotate_by(ctx, s));
    return classify(ctx, s, method, c, s->other);
}

static void to_probabilities(double *y, size_t n, size_t classes)
{
    for (; n > 0; n--, y += classes) {
        double top = y[0], sum = 0;
        for (size_t k = 1; k < classes; k++)
            top = fmax(top, y[k]);
        for (size_t k = 0; k < classes; k++)
            sum += y[k] = exp(y[k] - top);
        for (size_t k = 0; k < classes; k++)
            y[k] /= sum;
    }
}

static recon_status answer(recon_ctx *ctx, void *user, double *out, const float *images, size_t n)
{
    const recon_classifier *c = user;
    RECON_CHECK(recon_classifier_logits(ctx, out, c, images, n));
    to_probabilities(out, n, recon_classifier_describe(c).classes);
    return RECON_OK;
}

/* The classifier's probabilities, averaged over rotations of the input. */
static recon_status classify_rotated(recon_ctx *ctx, set *s, int method, recon_classifier *c,
                                     int rotations)
{
    double *sum = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &sum, s->n * s->classes, sizeof *sum));
    for (int k = 0; k < rotations; k++) {
        for (size_t i = 0; i < s->n; i++)
            s->by[i] = recon_so2_wrap(2 * M_PI * k / rotations);
        RECON_TRY(rotate_by(ctx, s));
        RECON_TRY(answer(ctx, c, s->logits, s->other, s->n));
        for (size_t i = 0; i < s->n * s->classes; i++)
            sum[i] += s->logits[i];
    }
    memcpy(s->logits, sum, s->n * s->classes * sizeof *sum);
    mark(s->right[method], s);
done:
    free(sum);
    return status;
}

/* --- the model of poses ----------------------------------------------------------------------- */

static const lab_error_row error_rows[] = {
    { "median_deg", LAB_QUANTILE, 0.5 },        { "p75_deg", LAB_QUANTILE, 0.75 },
    { "p90_deg", LAB_QUANTILE, 0.9 },           { "within_22_5_percent", LAB_WITHIN, 22.5 },
    { "above_150_percent", LAB_BEYOND, 150.0 },
};

/* Rotated back by what the model says; p and errors, which may be NULL, take the p-values, and how
 * far that is from the truth. */
static recon_status bring_back(recon_ctx *ctx, set *s, int method, const recon_model *model,
                               const recon_classifier *c, double *p, json_t **errors)
{
    recon_pose_score *scores = NULL;
    double *off = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &scores, s->n, sizeof *scores));
    RECON_TRY(recon_alloc_raw(ctx, &off, s->n, sizeof *off));
    RECON_TRY(recon_score_images(ctx, scores, model, s->images, s->n));
    for (size_t i = 0; i < s->n; i++) {
        s->by[i] = scores[i].pose.rotation[0];
        if (p)
            p[i] = scores[i].p_value;
        off[i] = recon_so2_distance(scores[i].pose.absolute[0], s->angle[i]) * RECON_TO_DEGREES;
    }
    RECON_TRY(classify_back(ctx, s, method, c));
    if (errors)
        *errors = lab_errors(off, s->n, error_rows, LAB_COUNT(error_rows));
done:
    recon_free_all(off, scores);
    return status;
}

/* The accuracy where only pictures with a p-value below the level are rotated, and how many are. */
static double gated(set *s, double level, double *rotated)
{
    size_t open = 0;
    for (size_t i = 0; i < s->n; i++) {
        int opens = recon_gate_opens(level, s->p[i]);
        open += (size_t)opens;
        s->right[GATED][i] = s->right[opens ? DENSITY : NONE][i];
    }
    *rotated = (double)open / (double)s->n;
    return share(s->right[GATED], s->n);
}

/* Upright pictures and C8 by level. */
typedef double gate_curve[LEVELS][2];

static void fill_curve(gate_curve curve, set *s, int which)
{
    double rotated;
    for (size_t i = 0; i < LEVELS; i++)
        curve[i][which] = gated(s, levels[i], &rotated);
}

/* The lowest level that keeps so much of what rotating all brings on rotated pictures, by more than
 * the standard error of that share among so many pictures; `none` is their accuracy as they come. A
 * higher level only rotates more of those that are upright already. */
#define KEPT 0.96
static size_t choose(gate_curve curve, double none, size_t pictures)
{
    double all = curve[LEVELS - 1][1], gain = all - none;
    size_t i = 0;
    for (; i + 1 < LEVELS; i++) {
        double lost = fmax(all - curve[i][1], 0); /* a share of the pictures, and so binomial */
        if (lost + sqrt(lost * (1 - lost) / (double)pictures) <= (1 - KEPT) * gain)
            break;
    }
    return i;
}

/* --- what is measured ------------------------------------------------------------------------- */

typedef struct {
    recon_model *model, *once;
    recon_classifier *classifier, *augmented;
    int quick;
    size_t level;                   /* chosen on validation */
    gate_curve held;                /* of the validation part */
    double none_held;               /* C8 of the validation part, as it comes */
    gate_curve curve;               /* of the test part */
    double rotated[SETS];           /* by the gate */
    double accuracy[SETS][METHODS]; /* shares; NaN: not measured */
    json_t *errors, *errors_one;    /* at any angle */
} machines;

static recon_status measure_set(recon_ctx *ctx, machines *m, set *s, int which)
{
    double *accuracy = m->accuracy[which];
    int any = which == ANY;
    RECON_CHECK(set_rotate(ctx, s, which));
    RECON_CHECK(classify(ctx, s, NONE, m->classifier, s->images));
    for (size_t i = 0; i < s->n; i++)
        s->by[i] = -s->angle[i];
    RECON_CHECK(classify_back(ctx, s, UNDO, m->classifier));
    RECON_CHECK(
        bring_back(ctx, s, DENSITY, m->model, m->classifier, s->p, any ? &m->errors : NULL));
    RECON_CHECK(
        bring_back(ctx, s, DENSITY_ONE, m->once, m->classifier, NULL, any ? &m->errors_one : NULL));
    RECON_CHECK(recon_average_images(ctx, s->logits, NULL, m->model, s->images, s->n, answer,
                                     m->classifier, s->classes,
                                     &(recon_canonicalize_options){ .edge = 1 }));
    mark(s->right[AVERAGE], s);
    RECON_CHECK(classify_rotated(ctx, s, TTA8, m->classifier, ROTATIONS));
    if (!m->quick)
        RECON_CHECK(classify_rotated(ctx, s, TTA36, m->classifier, MANY));
    if (m->augmented)
        RECON_CHECK(classify(ctx, s, AUGMENTED, m->augmented, s->images));
    if (!any)
        fill_curve(m->curve, s, which);
    gated(s, levels[m->level], &m->rotated[which]);
    for (int k = 0; k < METHODS; k++)
        accuracy[k] = share(s->right[k], s->n);
    if (m->quick)
        accuracy[TTA36] = NAN;
    if (!m->augmented)
        accuracy[AUGMENTED] = NAN;
    return RECON_OK;
}

/* Upright and rotated pictures that nothing was trained on, by level. */
static recon_status choose_level(recon_ctx *ctx, machines *m, set *s)
{
    for (int which = UPRIGHT; which <= C8; which++) {
        RECON_CHECK(set_rotate(ctx, s, which));
        RECON_CHECK(classify(ctx, s, NONE, m->classifier, s->images));
        RECON_CHECK(bring_back(ctx, s, DENSITY, m->model, m->classifier, s->p, NULL));
        m->none_held = share(s->right[NONE], s->n); /* of C8 in the end */
        fill_curve(m->held, s, which);
    }
    m->level = choose(m->held, m->none_held, s->n);
    return RECON_OK;
}

static recon_status check_size(recon_ctx *ctx, const recon_model *model, recon_classifier_info c)
{
    recon_ieae_shape s = recon_model_describe(model).images;
    if (s.height == c.height && s.width_px == c.width && s.channels == c.channels)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT,
                      "the model was made for images of %zu x %zu x %zu, the classifier for %zu x "
                      "%zu x %zu",
                      s.height, s.width_px, s.channels, c.height, c.width, c.channels);
}

typedef struct {
    const recon_classifier *classifier;
    const recon_model *model;
    set *s;
    size_t n;
} timed;

static recon_status time_classifier(recon_ctx *ctx, void *arg)
{
    const timed *t = arg;
    return recon_classifier_logits(ctx, t->s->logits, t->classifier, t->s->images, t->n);
}

static recon_status time_model(recon_ctx *ctx, void *arg)
{
    const timed *t = arg;
    return recon_canonicalize_images(ctx, t->s->other, NULL, t->model, t->s->images, t->n,
                                     &(recon_canonicalize_options){ .edge = 1 });
}

static recon_status take_times(recon_ctx *ctx, json_t **out, set *s, const machines *m)
{
    timed t = { m->classifier, m->model, s, s->n < TIMED ? s->n : TIMED };
    double classifier, density, one, ms = 1000 / (double)t.n;
    RECON_CHECK(recon_fastest(ctx, &classifier, time_classifier, &t));
    RECON_CHECK(recon_fastest(ctx, &density, time_model, &t));
    t.model = m->once;
    RECON_CHECK(recon_fastest(ctx, &one, time_model, &t));
    *out = json_pack("{s:f, s:f, s:f, s:s, s:i}", "classifier", ms * classifier, "recon",
                     ms * density, "recon_one", ms * one, "backend", recon_ops_name(ctx), "threads",
                     recon_ctx_threads(ctx));
    return RECON_OK;
}

/* --- the result ------------------------------------------------------------------------------- */

/* kept: the share of the gain on rotated pictures; rotating all keeps 1. */
static json_t *curve_json(gate_curve curve, double none)
{
    json_t *out = json_array();
    double gain = curve[LEVELS - 1][1] - none;
    for (size_t i = 0; i < LEVELS; i++)
        recon_json_append(
            &out, json_pack("{s:f, s:o, s:o, s:o}", "p", levels[i], "upright",
                            lab_percent(curve[i][0]), "c8", lab_percent(curve[i][1]), "kept",
                            gain > 0 ? json_real((curve[i][1] - none) / gain) : json_null()));
    return out;
}

/* Accuracies, and of rotated pictures the share of what rotation cost that a method gives back. */
static void put_accuracies(json_t **out, const machines *m)
{
    json_t *accuracy = json_object(), *back = json_object();
    for (int i = 0; i < SETS; i++) {
        const double *a = m->accuracy[i], lost = a[UNDO] - a[NONE];
        json_t *all = json_object(), *of = json_object();
        for (int k = 0; k < METHODS; k++) {
            recon_json_put(&all, methods[k].path, lab_percent(a[k]));
            if (k > UNDO)
                recon_json_put(&of, methods[k].path,
                               isnan(a[k]) || lost <= 0 ? json_null()
                                                        : json_real((a[k] - a[NONE]) / lost));
        }
        recon_json_put(&accuracy, set_name[i], all);
        if (i == UPRIGHT)
            json_decref(of);
        else
            recon_json_put(&back, set_name[i], of);
    }
    recon_json_put(out, "accuracy", accuracy);
    recon_json_put(out, "recovered", back);
}

static json_t *gate_json(machines *m)
{
    return json_pack("{s:f, s:s, s:{s:f, s:f}, s:o, s:o}", "p", levels[m->level], "chosen_on",
                     "cifar10/val", "rotated_percent", "upright", 100 * m->rotated[UPRIGHT], "c8",
                     100 * m->rotated[C8], "curve", curve_json(m->curve, m->accuracy[C8][NONE]),
                     "validation", curve_json(m->held, m->none_held));
}

static recon_status measure_all(recon_ctx *ctx, json_t **out, machines *m,
                                const recon_dataset *test, const recon_dataset *held)
{
    recon_classifier_info info = recon_classifier_describe(m->classifier);
    json_t *times = NULL;
    set s = { .n = 0 };
    recon_status status;
    RECON_TRY(recon_model_takes(ctx, m->model, "images"));
    RECON_TRY(check_size(ctx, m->model, info));
    RECON_TRY(set_new(ctx, &s, held, info.classes));
    RECON_TRY(choose_level(ctx, m, &s));
    set_free(&s);
    RECON_TRY(set_new(ctx, &s, test, info.classes));
    for (int which = 0; which < SETS; which++)
        RECON_TRY(measure_set(ctx, m, &s, which));
    RECON_TRY(take_times(ctx, &times, &s, m));
    *out =
        json_pack("{s:s, s:I, s:I, s:s, s:I, s:I}", "dataset", "cifar10", "images", (json_int_t)s.n,
                  "validation_images", (json_int_t)recon_dataset_describe(held).n, "preset",
                  recon_preset_name(recon_model_describe(m->model).images.preset), "weights",
                  (json_int_t)recon_backbone_weights(m->model->backbone), "classifier_weights",
                  (json_int_t)info.weights);
    put_accuracies(out, m);
    recon_json_put(out, "gate", gate_json(m));
    recon_json_put(out, "pose_error", m->errors);
    recon_json_put(out, "pose_error_one", m->errors_one);
    recon_json_put(out, "ms_a_picture", times);
done:
    set_free(&s);
    return status;
}

enum { QUICK = 1000, NARROW = 16, TAKE = 1 };
#define REMEDY "`recon reproduce cifar10 --train --out DIR` makes one, %s names another"

typedef struct {
    const lab_settings *settings;
    char classifier[RECON_PATH], augmented[RECON_PATH], model[RECON_PATH];
    double train_seconds;
} files;

/* --- found or trained ------------------------------------------------------------------------- */

static recon_status find(recon_ctx *ctx, char path[RECON_PATH], const char *given,
                         const char *shipped, const char *option)
{
    char remedy[160];
    if (given) {
        snprintf(path, RECON_PATH, "%s", given);
        return RECON_OK;
    }
    snprintf(remedy, sizeof remedy, REMEDY, option);
    return recon_shipped_find(ctx, path, RECON_PATH, "models", shipped, remedy);
}

static int is_narrow(const lab_settings *s)
{
    return s->preset == RECON_PRESET_PHOTO_SMALL;
}

static recon_status train_classifier(recon_ctx *ctx, const files *f, const char *path,
                                     const recon_dataset *data, int rotate)
{
    const lab_settings *s = f->settings;
    int on_cpu = strncmp(recon_ops_name(ctx), "cuda", 4) != 0; /* where epochs take minutes */
    recon_train_result r;
    return recon_classifier_train(
        ctx, &r, data, path,
        &(recon_classifier_options){ .net = RECON_NET_RESNET18,
                                     .stem = is_narrow(s) ? NARROW : 0,
                                     .shift = 4,
                                     .flip = 1,
                                     .rotate = rotate,
                                     .epochs = is_narrow(s) ? (on_cpu ? 10 : 30) : 45,
                                     .rate = 2e-3,
                                     .decay = 0.5,
                                     .seed = s->seed,
                                     .precision = s->precision,
                                     .bf16 = is_narrow(s),
                                     .resume = s->resume,
                                     .overwrite = s->overwrite });
}

/* Training itself holds the validation part of all pictures out; natural poses are of `seen`. */
static recon_status train_model(recon_ctx *ctx, files *f, const recon_dataset *data,
                                const recon_dataset *seen)
{
    const lab_settings *s = f->settings;
    char backbone[RECON_PATH], dir[RECON_PATH];
    recon_discovery found = { 0 };
    recon_train_result r;
    recon_status status;
    recon_folder_join(backbone, s->out, "photo.safetensors");
    RECON_TRY(
        recon_ieae_train(ctx, &r, data, backbone,
                         &(recon_ieae_options){ .shape = { .preset = (recon_preset)s->preset },
                                                .epochs = s->epochs,
                                                .seed = s->seed,
                                                .threads = recon_ctx_threads(ctx),
                                                .precision = s->precision,
                                                .resume = s->resume,
                                                .overwrite = s->overwrite,
                                                .data = "cifar10" }));
    f->train_seconds = r.seconds;
    RECON_TRY(recon_discover(ctx, &found, backbone, NULL, recon_dataset_data(seen),
                             recon_folder_join(dir, s->out, "found"),
                             &(recon_discover_options){ .lambda = RECON_LAMBDA_DENSITY,
                                                        .folds = -1,
                                                        .maps = { .seed = s->seed },
                                                        .precision = s->precision,
                                                        .data = "cifar10" }));
    recon_folder_join(f->model, dir, "model.safetensors");
done:
    recon_discovery_free(&found);
    return status;
}

/* NULL or "": none. */
static recon_status open_classifier(recon_ctx *ctx, recon_classifier **out, const char *path,
                                    const recon_dataset *data)
{
    if (!path || !*path)
        return RECON_OK;
    RECON_CHECK(recon_classifier_open(ctx, out, path));
    return recon_evaluate_check_classifier(ctx, *out, path, data, "cifar10");
}

static recon_status check_named(recon_ctx *ctx, const char *path, const recon_dataset *data)
{
    recon_classifier *c = NULL;
    recon_status status = open_classifier(ctx, &c, path, data);
    recon_classifier_close(ctx, c);
    return status;
}

/* Both classifiers see all training pictures less cifar10/val, which they hold out; the model of
 * poses may see fewer, and no labels. Of a part of the pictures training would hold out others: so
 * the part is taken from those that are not in cifar10/val. */
static recon_status train_all(recon_ctx *ctx, files *f)
{
    const lab_settings *s = f->settings;
    recon_dataset *data = NULL, *rest = NULL, *held = NULL, *some = NULL;
    recon_status status;
    RECON_TRY(recon_dataset_open(ctx, &data, "cifar10/train"));
    RECON_TRY(recon_dataset_split(ctx, &rest, &held, data, RECON_HELD_OUT, 0));
    RECON_TRY(check_named(ctx, s->classifier, data));
    RECON_TRY(check_named(ctx, s->augmented, data));
    RECON_TRY(recon_folder_make(ctx, s->out));
    recon_folder_join(f->classifier, s->out, "classifier.safetensors");
    recon_folder_join(f->augmented, s->out, "augmented.safetensors");
    if (s->classifier)
        snprintf(f->classifier, sizeof f->classifier, "%s", s->classifier);
    else
        RECON_TRY(train_classifier(ctx, f, f->classifier, data, 0));
    if (s->augmented)
        snprintf(f->augmented, sizeof f->augmented, "%s", s->augmented);
    else
        RECON_TRY(train_classifier(ctx, f, f->augmented, data, 1));
    if (s->limit && s->limit < recon_dataset_describe(rest).n)
        RECON_TRY(recon_dataset_take(ctx, &some, rest, s->limit, TAKE));
    RECON_TRY(train_model(ctx, f, some ? some : data, some ? some : rest));
done:
    recon_dataset_close(some);
    recon_dataset_close(held);
    recon_dataset_close(rest);
    recon_dataset_close(data);
    return status;
}

/* --- the experiment --------------------------------------------------------------------------- */

static recon_status take(recon_ctx *ctx, recon_dataset **whole, recon_dataset **some,
                         const char *spec, size_t n)
{
    RECON_CHECK(recon_dataset_open(ctx, whole, spec));
    if (n && n < recon_dataset_describe(*whole).n)
        RECON_CHECK(recon_dataset_take(ctx, some, *whole, n, TAKE));
    return RECON_OK;
}

static recon_status measure(recon_ctx *ctx, json_t **out, const files *f)
{
    const lab_settings *s = f->settings;
    size_t n = s->images ? s->images : s->quick ? QUICK : 0;
    recon_dataset *whole[2] = { NULL, NULL }, *some[2] = { NULL, NULL };
    machines m = { .quick = s->quick };
    recon_status status;
    RECON_TRY(take(ctx, &whole[0], &some[0], "cifar10/test", n));
    RECON_TRY(take(ctx, &whole[1], &some[1], "cifar10/val", n));
    RECON_TRY(open_classifier(ctx, &m.classifier, f->classifier, whole[0]));
    RECON_TRY(open_classifier(ctx, &m.augmented, f->augmented, whole[0]));
    RECON_TRY(recon_model_open(ctx, &m.model, f->model, s->precision));
    RECON_TRY(recon_model_open(ctx, &m.once, f->model, s->precision));
    if (recon_backbone_ieae(m.once->backbone))
        recon_ieae_preprocess_once(recon_backbone_ieae(m.once->backbone));
    RECON_TRY(
        measure_all(ctx, out, &m, some[0] ? some[0] : whole[0], some[1] ? some[1] : whole[1]));
    if (s->train)
        recon_json_put(out, "train_seconds", json_real(f->train_seconds));
done:
    recon_model_close(ctx, m.once);
    recon_model_close(ctx, m.model);
    recon_classifier_close(ctx, m.augmented);
    recon_classifier_close(ctx, m.classifier);
    for (int i = 0; i < 2; i++) {
        recon_dataset_close(some[i]);
        recon_dataset_close(whole[i]);
    }
    return status;
}

recon_status cifar_run(recon_ctx *ctx, json_t **result, const lab_settings *s)
{
    files f = { .settings = s };
    recon_dataset *there = NULL;
    *result = NULL;
    RECON_CHECK(recon_dataset_open(ctx, &there, "cifar10/test")); /* before the long work */
    recon_dataset_close(there);
    if (s->train) {
        RECON_CHECK(train_all(ctx, &f));
    } else {
        RECON_CHECK(find(ctx, f.classifier, s->classifier, "cifar10-classifier.safetensors",
                         "--classifier"));
        RECON_CHECK(find(ctx, f.model, s->models[0], "cifar10.safetensors", "--model"));
        snprintf(f.augmented, sizeof f.augmented, "%s", s->augmented ? s->augmented : "");
    }
    return measure(ctx, result, &f);
}

/* --- as text ---------------------------------------------------------------------------------- */

static const lab_row errors[] = { { "pose_error", "four passes", 0 },
                                  { "pose_error_one", "one pass", 0 } };
static const lab_table tables[] = {
    { .title = "CIFAR-10: {preset}, {weights} weights, in front of a frozen classifier of "
               "{classifier_weights}; {images} test images\naccuracy, percent\n",
      LAB_COLUMNS({ "", NULL, "  %-36s" }, { "upright", "accuracy.upright.*", "%12.2f" },
                  { "C8", "accuracy.c8.*", "%12.2f" }, { "any angle", "accuracy.any.*", "%12.2f" },
                  { "C8 regained", "recovered.c8.*", "%12.3f" }),
      LAB_ROWS(methods) },
    { .title = "\ngate: rotated only where the p-value of the pose is below P; P = {gate.p:g} was "
               "chosen on validation\n",
      LAB_COLUMNS(
          { "  P", "gate.curve.*.p", "  %-12g" }, { "upright", "gate.curve.*.upright", "%12.2f" },
          { "C8", "gate.curve.*.c8", "%12.2f" }, { "gain kept", "gate.curve.*.kept", "%12.3f" }),
      .over = "gate.curve" },
    { .title = "\npose error at any angle\n",
      LAB_COLUMNS({ "", NULL, "  %-12s" }, { "median", "*.median_deg", "%12.1f" },
                  { "75 %", "*.p75_deg", "%12.1f" }, { "90 %", "*.p90_deg", "%12.1f" },
                  { "in 22.5, %", "*.within_22_5_percent", "%12.1f" },
                  { "over 150, %", "*.above_150_percent", "%12.1f" }),
      LAB_ROWS(errors) },
};

void cifar_show(const json_t *result)
{
    for (size_t i = 0; i < LAB_COUNT(tables); i++)
        lab_print_table(result, &tables[i]);
    lab_say(result,
            "\nmilliseconds per image ({ms_a_picture.backend}, {ms_a_picture.threads} threads): "
            "classifier {ms_a_picture.classifier:.3f}, canonicalize {ms_a_picture.recon:.3f} with "
            "four passes, {ms_a_picture.recon_one:.3f} with one\n");
}
