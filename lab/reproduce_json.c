/* reproduce_json.c - the paper's image experiments, and the rows of a run's tables, filled from the
 * available models; docs/paper.md explains them. */
#include "lab/reproduce.h"
#include "core/json.h"
#include "lab/table.h"
#include "data/rotations.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Accuracy: recon.tex, "Test accuracies obtained using different test-time canonicalizations";
 * upright: its upper bound; areas: its table (c); escnn, partial_gcnn: its
 * table of equivariant classifiers; overhead: "canonicalization overhead"; inputs and seconds: its
 * table of pseudo-label generation. */
#define MNIST                                                                                      \
    .rule = "mnist", .classifier = "mnist", .width = "half-width", .family = RECON_SO2_UNIFORM,    \
    .mean = RECON_MEAN_FRECHET, .pair = { 6, 9 },                                                  \
    .paper = { 65.11, 13.60, 94.52, 90.96, 98.14, 0.79, 0.91, 0.351, 94.59, 90.20, 12000, 15 }

static const experiment experiments[] = {
    { .name = "mnist",
      .title = "MNIST, 60,000 training images",
      .recipe = { .warp = 0.3, .augment = -1 },
      .terms = { .warp = 0.3, .augment = -1 },
      .plain = { .epochs = 60 },
      MNIST },
    { .name = "mnist12k",
      .title = "MNIST, 12,000 training images as in the paper",
      .recipe = { .warp = 0.3, .epochs = 150 }, /* as many steps */
      .terms = { .warp = 0.3, .epochs = 150 },
      .plain = { .epochs = 150 },
      MNIST },
    { .name = "fashion",
      .title = "Fashion-MNIST",
      .rule = "fashion",
      .classifier = "fashion",
      .width = "sigma",
      .family = RECON_SO2_NORMAL,
      .mean = RECON_MEAN_TUKEY,
      .recipe = { .contrast = -1, .epochs = 50 },
      /* more weight on poses makes worse neighbours of garments that look alike */
      .terms = { .contrast = -1,
                 .pose = 0.01,
                 .warp = 0.01,
                 .epochs = 80,
                 .shape = { .mask = RECON_MASK_DISC } },
      .plain = { .epochs = 50, .shape = { .mask = RECON_MASK_DISC } },
      .paper = { 57.14, 11.55, 79.44, 81.96, 91.11, 0.71, 0.81, 0.113, 77.94, 67.72, 60000, 173 } },
    { .name = "images", .title = "images", .width = "width", .family = RECON_SO2_NORMAL },
};

const experiment *experiment_find(const char *name)
{
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++)
        if (!strcmp(experiments[i].name, name))
            return &experiments[i];
    return NULL;
}

static int is_method(const char *key)
{
    static const char *const others[] = { "none", "undo", "upright", "upright_canonical",
                                          "upright_gated" };
    const char *last = strrchr(key, '_');
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(key, others[i]))
            return 0;
    return !last || strcmp(last, "_spread") != 0;
}

json_t *recovered_json(const json_t *accuracy, const char *bound)
{
    const json_t *none = json_object_get(accuracy, "none"),
                 *most = json_object_get(accuracy, bound);
    json_t *out = json_object(), *value;
    const char *key;
    if (!json_is_number(none) || !json_is_number(most))
        return out;
    double from = json_number_value(none), lost = json_number_value(most) - from;
    json_object_foreach((json_t *)(size_t)accuracy, key, value)
    {
        double share = (json_number_value(value) - from) / lost;
        if (is_method(key))
            json_object_set_new(out, key,
                                json_is_number(value) && lost > 0 ? json_real(share) : json_null());
    }
    return out;
}

json_t *algorithm1_json(size_t inputs, size_t among, size_t k, double seconds)
{
    return json_pack("{s:I, s:I, s:I, s:f}", "inputs", (json_int_t)inputs, "among",
                     (json_int_t)among, "k", (json_int_t)k, "seconds", seconds);
}

void put_times(json_t **out, const recon_times *times)
{
    lab_put(out, NULL, "overhead_ms canonicalize_ms", times->overhead_ms, times->canonicalize_ms);
    recon_json_put(out, "backend", json_string(times->backend));
    recon_json_put(out, "threads", json_integer(times->threads));
    recon_json_put(out, "batch", json_integer((json_int_t)times->batch));
}

const reproduce_method reproduce_methods[] = {
    { "none", "rotated inputs, no correction", "bounds.none" },
    { "ieae", "IE-AE's canonical pose", "papers.accuracy.ieae" },
    { "paper_recipe", "the paper's network, recipe and heads", "paper_recipe.accuracy.head" },
    { "paper_algorithm", "the paper's algorithm on our network", "plain.accuracy.head" },
    { "neighbours", "by k neighbours, no Lambda", "papers.accuracy.neighbours" },
    { "paper_algorithm_terms", "the same with our pose and contrast terms", "terms.accuracy.head" },
    { "recon", "recon, by default: the pose density", "density.accuracy.density" },
    { "equiadapt", "EquiAdapt, trained with labels", "baselines.equiadapt" },
    { "escnn", "steerable classifier (ESCNN)", "baselines.escnn" },
    { "partial_gcnn", "Partial G-CNN", "baselines.partial_gcnn" },
    { "segnn", "SEGNN classifier", "baselines.segnn" },
    { "sgm", "SGM's canonical pose", "baselines.sgm" },
    { "sgm_paper_algorithm", "the paper's algorithm on SGM's poses",
      "baselines.sgm_paper_algorithm" },
    { "pca", "long axis", "baselines.pca" },
    { "tta8", "mean of 8 rotations", "baselines.tta8" },
    { "tta36", "mean of 36 rotations", "baselines.tta36" },
    { "augmented", "a classifier trained with rotations", "baselines.augmented" },
    { "kabsch", "Kabsch", "baselines.kabsch" },
    { "knn", "labels of k neighbours in z", "baselines.knn" },
    { "undo", "true rotation undone", "bounds.undo" },
    { "upright", "upright inputs", "bounds.upright" },
    { "upright_canonical", "upright inputs, canonicalized", "main.accuracy.upright" },
    { "upright_gated", "the same with --only-if 0.01", "main.accuracy.upright_gated" },
};
const size_t reproduce_methods_count = sizeof reproduce_methods / sizeof *reproduce_methods;

/* Of the paper's table: the same names. */
static const reproduce_method areas[] = {
    { "ieae", "", "papers.ood_auc.ieae" },
    { "paper_recipe", "", "paper_recipe.ood_auc.g_abs" },
    { "paper_algorithm", "", "plain.ood_auc.g_abs" },
    { "paper_algorithm_terms", "", "terms.ood_auc.g_abs" },
    { "recon", "", "density.ood_auc.density" },
    { "undo", "", "main.ood_auc.undo" },
};
enum { AREAS = sizeof areas / sizeof *areas };

/* Rows of a section that was not asked for are left out. */
static json_t *pick(const json_t *parts, const reproduce_method *m, size_t n)
{
    json_t *out = json_object();
    for (size_t i = 0; i < n; i++)
        if (strncmp(m[i].from, "baselines.", 10) != 0 || json_object_get(parts, "baselines"))
            lab_put_numbers(&out, NULL, m[i].key, (const double[]){ lab_number(parts, m[i].from) });
    return out;
}

/* --- the paper -------------------------------------------------------------------------------- */

static json_t *paper_json(const experiment *e)
{
    if (e->paper.none == 0)
        return json_null();
    json_t *out = json_object();
    lab_put(&out, "accuracy",
            "none ieae equiadapt escnn partial_gcnn paper_recipe paper_algorithm upright",
            e->paper.none, e->paper.ieae, e->paper.equiadapt, e->paper.escnn, e->paper.partial_gcnn,
            e->paper.recon, e->paper.recon, e->paper.upright);
    json_t *share = recovered_json(lab_at(out, "accuracy"), "upright"); /* it has no undo */
    recon_json_put(&out, "recovered", share);
    recon_json_put(&out, "recovered_of_upright", json_incref(share));
    lab_put(&out, "ood_auc", "ieae paper_recipe paper_algorithm", e->paper.ood_ieae,
            e->paper.ood_recon, e->paper.ood_recon);
    lab_put(&out, NULL, "overhead_ms", e->paper.overhead_ms);
    recon_json_put(&out, "algorithm1",
                   algorithm1_json(e->paper.inputs, e->paper.inputs, K, e->paper.seconds));
    return out;
}

/* --- notes ------------------------------------------------------------------------------------ */

static RECON_PRINTF(2, 3) void note(json_t **notes, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    recon_json_append(notes, json_string(text));
}

/* Which rows a missing model leaves empty, and how to make one. */
static void note_missing(json_t **notes, const image_trial *t, const json_t *models)
{
    static const char *const option[] = { "--preset paper", "--plain", "--no-density", "" };
    static const char *const lambda[] = { "head --heads paper", "head", "head", "density" };
    const char *data = t->settings->data ? t->settings->data : t->what->name;
    for (int kind = 0; kind < RECON_TRAINED_KINDS; kind++) {
        const char *name = recon_trained_name((recon_trained)kind);
        char keys[256] = "";
        if (json_object_get(models, name))
            continue;
        for (size_t i = 0; i < reproduce_methods_count; i++) {
            size_t used = strlen(keys);
            if (!strncmp(reproduce_methods[i].from, name, strlen(name)))
                snprintf(keys + used, sizeof keys - used, "%s%s", used ? ", " : "",
                         reproduce_methods[i].key);
        }
        note(
            notes,
            "%s: null, for there is no model of a backbone trained so (%s): `recon train --data %s "
            "--rotate %s %s%s--out B`, `recon discover --model B --data %s --rotate %s --lambda %s "
            "--out D`, then --model D",
            keys, name, data, t->what->rule, option[kind], *option[kind] ? " " : "", data,
            t->what->rule, lambda[kind]);
    }
}

static void note_models(json_t **notes, const image_trial *t, const json_t *models,
                        const char *main)
{
    const char *name;
    json_t *model;
    json_object_foreach((json_t *)models, name, model)
        note(notes, "backbone %s: %s; %s", name, json_string_value(json_object_get(model, "model")),
             json_string_value(json_object_get(model, "training")));
    note(
        notes,
        "upright_canonical, upright_gated, theta_mae_deg, hit_rate, verdicts, controls and times are "
        "those of backbone %s; `models` has them for each",
        main);
    note(notes, "classifier: %s; %s", t->settings->classifier, t->training);
}

static int has_normal(const image_trial *t)
{
    for (size_t c = 0; c < t->classes; c++) {
        recon_rotation_law law = recon_rotation_rule_of(t->rule, (int32_t)c);
        if (law.family == RECON_SO2_NORMAL || law.width == 0)
            return 1;
    }
    return 0;
}

static const char *unusual_rule(const image_trial *t)
{
    return has_normal(t)
               ? "a pose is unusual beyond 2 sigma of its class (the half-width where the "
                 "law is uniform), at least 5 degrees: our rule; ood_other_rules has the "
                 "areas by others"
               : "a pose is unusual beyond the half-width of its class, as in the paper";
}

static void note_paper(json_t **notes, const image_trial *t)
{
    if (t->what->paper.none == 0)
        return;
    note(notes,
         "the paper's classifier is a ResNet-18 of full width, trained without augmentation: "
         "compare recovered, not accuracy");
    note(notes, "the paper has no row `undo`: its share is of `upright`, and ours of that is "
                "recovered_of_upright");
    if (!strcmp(t->what->name, "mnist"))
        note(notes, "the paper's MNIST has 12,000 training images: `recon reproduce mnist12k`");
}

static json_t *notes_json(const image_trial *t, const json_t *models, const char *main)
{
    const lab_settings *s = t->settings;
    json_t *notes = json_array();
    if (main) {
        note_missing(&notes, t, models);
        note_models(&notes, t, models, main);
    } else
        note(&notes,
             "--rival: of all methods that network alone was measured; the others are null");
    note_paper(&notes, t);
    if (s->baselines && !s->data)
        note(&notes,
             "the shipped escnn and equiadapt are trained on rotated images, partial_gcnn on "
             "upright ones: docs/paper.md");
    note(&notes, "ood_auc: %s", unusual_rule(t));
    if (s->resample)
        note(
            &notes,
            "every image was resampled twice, whether its rule rotates it or not; those at any angle, for unusual poses, once");
    if (s->quick || s->images || s->limit)
        note(&notes, "measured on a part of the data");
    if (s->quick && s->baselines && !s->data && (!s->rival || s->rival - 1 == RIVAL_SGM))
        note(&notes, "sgm_paper_algorithm: neighbours among 6,000 training images");
    return notes;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* The first kind of those named that there is a model of. */
static const char *first_of(const json_t *models, const recon_trained *order, int n)
{
    for (int i = 0; i < n; i++)
        if (json_object_get(models, recon_trained_name(order[i])))
            return recon_trained_name(order[i]);
    return NULL;
}

/* What design and readers ask for first of the model behind most figures. */
static void add_main(json_t **out, const json_t *model)
{
    static const char *const keys[] = { "theta_mae_deg", "hit_rate",    "hit_rate_deviation",
                                        "verdicts",      "overhead_ms", "canonicalize_ms",
                                        "algorithm1",    "controls",    "ood_other_rules",
                                        "backend",       "threads",     "batch" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        recon_json_put(out, keys[i], json_incref(json_object_get(model, keys[i])));
}

static void add_setting(json_t **out, const image_trial *t)
{
    const lab_settings *s = t->settings;
    recon_json_put(out, "title", json_string(t->what->title));
    recon_json_put_text(out, "classifier", s->classifier);
    recon_json_put(out, "test_images",
                   json_integer((json_int_t)recon_dataset_describe(t->rotated).n));
    recon_json_put(out, "quick", json_boolean(s->quick));
    recon_json_put(out, "resampled", json_boolean(s->resample));
}

json_t *reproduce_json(const image_trial *t, json_t *models)
{
    static const recon_trained papers_first[] = { RECON_TRAINED_PLAIN, RECON_TRAINED_RECIPE,
                                                  RECON_TRAINED_TERMS, RECON_TRAINED_DENSITY };
    const char *main = first_of(models, papers_first, RECON_TRAINED_KINDS),
               *papers = first_of(models, papers_first, 2);
    json_t *parts = json_copy(models), *accuracy, *out;
    lab_put(&parts, "bounds", "none% undo% upright%", t->accuracy.none, t->accuracy.undo,
            t->accuracy.upright);
    if (t->settings->baselines)
        recon_json_put(&parts, "baselines", baselines_accuracy(t->baseline));
    if (papers)
        recon_json_put(&parts, "papers", json_incref(json_object_get(models, papers)));
    if (main) {
        recon_json_put(&parts, "main", json_incref(json_object_get(models, main)));
    }
    accuracy = pick(parts, reproduce_methods, reproduce_methods_count);
    out = json_pack("{s:s, s:I, s:i, s:O, s:o, s:o, s:o, s:s}", "dataset", t->what->name, "seed",
                    (json_int_t)t->settings->seed, "seeds", 1, "accuracy", accuracy, "recovered",
                    recovered_json(accuracy, "undo"), "recovered_of_upright",
                    recovered_json(accuracy, "upright"), "ood_auc", pick(parts, areas, AREAS),
                    "ood_rule", unusual_rule(t));
    if (main)
        add_main(&out, json_object_get(models, main));
    recon_json_put(&out, "backbone", main ? json_string(main) : json_null());
    if (t->settings->baselines)
        recon_json_put(&out, "baselines", baselines_json(t->baseline));
    lab_put(&out, NULL, "classifier_ms", t->classifier_ms);
    recon_json_put(&out, "paper", paper_json(t->what));
    recon_json_put(&out, "notes", notes_json(t, models, main));
    add_setting(&out, t);
    recon_json_put(&out, "models", json_incref(models));
    json_decref(accuracy);
    json_decref(parts);
    return out;
}
