/* cifar.c - `recon reproduce cifar10`: the models are found or trained, and what was measured becomes
 * JSON. */
#include "backbone/ieae.h"
#include "lab/cifar.h"
#include "lab/lab.h"
#include "lab/table.h"
#include "backbone/kinds.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/json.h"
#include "core/shipped.h"
#include "lab/evaluate.h"
#include "model/model.h"

#include <math.h>
#include <recon/model/discover.h>
#include <stdio.h>
#include <string.h>

enum { QUICK = 1000, NARROW = 16, TAKE_SEED = 1 };
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

/* A classifier that was named, before the long work; NULL: none. */
static recon_status check_named(recon_ctx *ctx, const char *path, const recon_dataset *data)
{
    recon_classifier *c = NULL;
    recon_status status = RECON_OK;
    if (!path)
        return RECON_OK;
    RECON_TRY(recon_classifier_open(ctx, &c, path));
    RECON_TRY(recon_evaluate_check_classifier(ctx, c, path, data, "cifar10"));
done:
    recon_classifier_close(ctx, c);
    return status;
}

/* Both classifiers see all training pictures less cifar10/val, which they hold out; the model of poses
 * may see fewer, and no labels. Of a part of the pictures training would hold out others: so the part
 * is taken from those that are not in cifar10/val. */
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
        RECON_TRY(recon_dataset_take(ctx, &some, rest, s->limit, TAKE_SEED));
    RECON_TRY(train_model(ctx, f, some ? some : data, some ? some : rest));
done:
    recon_dataset_close(some);
    recon_dataset_close(held);
    recon_dataset_close(rest);
    recon_dataset_close(data);
    return status;
}

static recon_status find_all(recon_ctx *ctx, files *f)
{
    const lab_settings *s = f->settings;
    recon_status status;
    RECON_TRY(
        find(ctx, f->classifier, s->classifier, "cifar10-classifier.safetensors", "--classifier"));
    RECON_TRY(find(ctx, f->model, s->models[0], "cifar10.safetensors", "--model"));
    if (s->augmented)
        snprintf(f->augmented, sizeof f->augmented, "%s", s->augmented);
done:
    return status;
}

/* --- as JSON ---------------------------------------------------------------------------------- */

static json_t *percent(double share)
{
    return isnan(share) ? json_null() : json_real(round(1e4 * share) / 100);
}

static json_t *accuracies(const double *accuracy)
{
    json_t *out = json_object();
    for (int m = 0; m < CIFAR_METHODS; m++)
        recon_json_put(&out, cifar_method_name[m], percent(accuracy[m]));
    return out;
}

/* The share of what rotation cost that a method gives back. */
static json_t *recovered(const double *accuracy)
{
    double none = accuracy[CIFAR_NONE], lost = accuracy[CIFAR_UNDO] - none;
    json_t *out = json_object();
    for (int m = CIFAR_UNDO + 1; m < CIFAR_METHODS; m++)
        recon_json_put(&out, cifar_method_name[m],
                       isnan(accuracy[m]) || lost <= 0 ? json_null()
                                                       : json_real((accuracy[m] - none) / lost));
    return out;
}

/* kept: the share of the gain on rotated pictures; rotating all keeps 1. */
static json_t *curve_json(const double curve[CIFAR_LEVELS][2], double none)
{
    json_t *out = json_array();
    double gain = curve[CIFAR_LEVELS - 1][1] - none;
    for (size_t i = 0; i < CIFAR_LEVELS; i++)
        recon_json_append(
            &out, json_pack("{s:f, s:o, s:o, s:o}", "p", cifar_levels[i], "upright",
                            percent(curve[i][0]), "c8", percent(curve[i][1]), "kept",
                            gain > 0 ? json_real((curve[i][1] - none) / gain) : json_null()));
    return out;
}

static json_t *errors_json(const cifar_errors *e)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "median_deg", e->median, "p75_deg", e->p75,
                     "p90_deg", e->p90, "within_22_5_percent", 100 * e->within, "above_150_percent",
                     100 * e->above);
}

static json_t *as_json(recon_ctx *ctx, const cifar_result *r, const files *f,
                       const recon_model *model, const recon_classifier *classifier)
{
    recon_classifier_info c = recon_classifier_describe(classifier);
    json_t *accuracy = json_object(), *back = json_object();
    for (int i = 0; i < CIFAR_SETS; i++) {
        recon_json_put(&accuracy, cifar_set_name[i], accuracies(r->accuracy[i]));
        if (i != CIFAR_UPRIGHT)
            recon_json_put(&back, cifar_set_name[i], recovered(r->accuracy[i]));
    }
    json_t *out =
        json_pack("{s:s, s:I, s:I, s:s, s:I, s:I, s:o, s:o}", "dataset", "cifar10", "images",
                  (json_int_t)r->images, "validation_images", (json_int_t)r->validation, "preset",
                  recon_preset_name(recon_model_describe(model).images.preset), "weights",
                  (json_int_t)recon_backbone_weights(model->backbone), "classifier_weights",
                  (json_int_t)c.weights, "accuracy", accuracy, "recovered", back);
    recon_json_put(
        &out, "gate",
        json_pack("{s:f, s:s, s:{s:f, s:f}, s:o, s:o}", "p", cifar_levels[r->level], "chosen_on",
                  "cifar10/val", "rotated_percent", "upright",
                  100 * r->rotated_share[CIFAR_UPRIGHT], "c8", 100 * r->rotated_share[CIFAR_C8],
                  "curve",
                  curve_json((const double(*)[2])r->curve, r->accuracy[CIFAR_C8][CIFAR_NONE]),
                  "validation", curve_json((const double(*)[2])r->held, r->none_held)));
    recon_json_put(&out, "pose_error", errors_json(&r->errors));
    recon_json_put(&out, "pose_error_one", errors_json(&r->errors_one));
    recon_json_put(&out, "ms_a_picture",
                   json_pack("{s:f, s:f, s:f, s:s, s:i}", "classifier", r->classifier_ms, "density",
                             r->density_ms, "density_one", r->one_ms, "backend",
                             recon_ops_name(ctx), "threads", recon_ctx_threads(ctx)));
    if (f->settings->train)
        recon_json_put(&out, "train_seconds", json_real(f->train_seconds));
    return out;
}

/* --- the experiment --------------------------------------------------------------------------- */

static recon_status take(recon_ctx *ctx, recon_dataset **whole, recon_dataset **some,
                         const char *spec, size_t n)
{
    recon_status status = recon_dataset_open(ctx, whole, spec);
    if (status == RECON_OK && n && n < recon_dataset_describe(*whole).n)
        status = recon_dataset_take(ctx, some, *whole, n, TAKE_SEED);
    return status;
}

static recon_status measure(recon_ctx *ctx, json_t **out, const files *f)
{
    const lab_settings *s = f->settings;
    size_t n = s->images ? s->images : s->quick ? QUICK : 0;
    recon_dataset *whole[2] = { NULL, NULL }, *some[2] = { NULL, NULL };
    recon_model *model = NULL, *once = NULL;
    recon_classifier *classifier = NULL, *augmented = NULL;
    cifar_result r;
    recon_status status;
    RECON_TRY(take(ctx, &whole[0], &some[0], "cifar10/test", n));
    RECON_TRY(take(ctx, &whole[1], &some[1], "cifar10/val", n));
    RECON_TRY(recon_classifier_open(ctx, &classifier, f->classifier));
    RECON_TRY(recon_evaluate_check_classifier(ctx, classifier, f->classifier, whole[0], "cifar10"));
    if (f->augmented[0]) {
        RECON_TRY(recon_classifier_open(ctx, &augmented, f->augmented));
        RECON_TRY(
            recon_evaluate_check_classifier(ctx, augmented, f->augmented, whole[0], "cifar10"));
    }
    RECON_TRY(recon_model_open(ctx, &model, f->model, s->precision));
    RECON_TRY(recon_model_open(ctx, &once, f->model, s->precision));
    if (recon_backbone_ieae(once->backbone))
        recon_ieae_look_once(recon_backbone_ieae(once->backbone));
    RECON_TRY(cifar_measure(ctx, &r, model, once, classifier, augmented,
                            some[0] ? some[0] : whole[0], some[1] ? some[1] : whole[1], s->quick));
    *out = as_json(ctx, &r, f, model, classifier);
done:
    recon_model_close(ctx, once);
    recon_model_close(ctx, model);
    recon_classifier_close(ctx, augmented);
    recon_classifier_close(ctx, classifier);
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
    recon_status status;
    *result = NULL;
    RECON_TRY(recon_dataset_open(ctx, &there, "cifar10/test")); /* before the long work */
    recon_dataset_close(there);
    RECON_TRY(s->train ? train_all(ctx, &f) : find_all(ctx, &f));
    RECON_TRY(measure(ctx, result, &f));
done:
    return status;
}

/* --- as text ---------------------------------------------------------------------------------- */

static const lab_row methods[] = {
    { "none", "no correction", 0 },
    { "undo", "true rotation undone", 0 },
    { "density", "recon (ours: density), four passes", 0 },
    { "density_one", "the same, one pass", 0 },
    { "gated", "four passes, with the gate", 0 },
    { "average", "averaged over candidates", 0 },
    { "tta8", "averaged over 8 rotations", 0 },
    { "tta36", "averaged over 36 rotations", 0 },
    { "augmented", "classifier trained with rotations", 0 },
};
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
    lab_say(
        result,
        "\nmilliseconds per image ({ms_a_picture.backend}, {ms_a_picture.threads} threads): "
        "classifier {ms_a_picture.classifier:.3f}, canonicalize {ms_a_picture.density:.3f} with "
        "four passes, {ms_a_picture.density_one:.3f} with one\n");
}
