/* reproduce_json.c - the paper's image experiments, and their results: everything measured with one model, and
 * the rows of a run's tables, each by the name of what it is, from what was measured with the models that
 * there are. docs/which-row.md says of each how it is made. */
#include "lab/reproduce.h"
#include "core/json.h"
#include "group/natural.h"
#include "lab/baselines.h"
#include "lab/table.h"
#include "data/rotations.h"

#include <math.h>
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
    static const char *const others[] = { "none", "undo", "upright", "upright_recon",
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

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *degrees(double radians)
{
    return number(radians * RECON_TO_DEGREES);
}

static json_t *percent(double share)
{
    return number(100 * share);
}

/* --- tables ----------------------------------------------------------------------------------- */

static json_t *accuracy_json(const reproduction *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "ieae",
                     percent(r->accuracy.ieae), "knn", percent(r->accuracy.knn), "head",
                     percent(r->accuracy.head), "neighbours", percent(r->accuracy.neighbours),
                     "density", percent(r->accuracy.density), "search", percent(r->accuracy.search),
                     "gated", percent(r->accuracy.gated), "upright", percent(r->accuracy.upright),
                     "upright_gated", percent(r->accuracy.upright_gated));
}

static json_t *ood_json(const recon_ood_auc *ood)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "ieae", number(ood->ieae), "recon", number(ood->recon),
                     "density", number(ood->density), "undo", number(ood->undo));
}

/* By other rules than the usual one, for what is unusual. */
static json_t *ood_rules_json(const reproduction *r)
{
    json_t *list = json_array();
    for (size_t k = 1; k < RECON_REACHES; k++) {
        json_t *one = ood_json(&r->ood[k]);
        recon_json_put(&one, "sigmas", json_real(recon_reaches[k].sigmas));
        recon_json_put(&one, "least_deg", degrees(recon_reaches[k].least));
        recon_json_put(&one, "unusual_percent", percent(r->ood[k].share));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *theta_json(const reproduction *r)
{
    json_t *list = json_array();
    for (size_t c = 0; c < r->on->classes; c++)
        json_array_append_new(list, json_pack("{s:s, s:I, s:o, s:o, s:o}", "class", r->on->name[c],
                                              "images", (json_int_t)r->width[c].n, "truth_deg",
                                              degrees(r->width[c].truth), "mean_deg",
                                              degrees(r->width[c].mean), "spread_deg",
                                              degrees(r->width[c].spread)));
    return list;
}

static json_t *by_k_json(const reproduction *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->ks; i++)
        json_array_append_new(list, json_pack("{s:I, s:f, s:o}", "k", (json_int_t)r->by_k[i].k,
                                              "hit_rate", r->by_k[i].hit_rate, "theta_mae_deg",
                                              degrees(r->by_k[i].error.by_class)));
    return list;
}

/* Row i: of the neighbours of the worst rows of class i, the percentage of each class; null where
 * class i is not among the worst. */
static json_t *confusion_json(const reproduction *r)
{
    size_t classes = r->on->classes;
    json_t *rows = json_array();
    for (size_t i = 0; i < classes; i++) {
        const uint64_t *counts = r->confusion + i * classes;
        uint64_t sum = 0;
        for (size_t j = 0; j < classes; j++)
            sum += counts[j];
        json_t *row = sum ? json_array() : json_null();
        for (size_t j = 0; sum && j < classes; j++)
            json_array_append_new(row, percent((double)counts[j] / (double)sum));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *folds_json(const reproduction *r)
{
    json_t *list = json_array();
    for (size_t c = 0; c < r->on->classes; c++)
        if (r->fold[c].n)
            json_array_append_new(list, json_pack("{s:s, s:o, s:f, s:f}", "class", r->on->name[c],
                                                  "percent", percent(r->fold[c].share),
                                                  "first_moment", r->fold[c].moment[0],
                                                  "second_moment", r->fold[c].moment[1]));
    return list;
}

static int has_pair(const reproduction *r)
{
    return r->on->what->pair[0] != r->on->what->pair[1];
}

static json_t *pair_json(const reproduction *r)
{
    const char *const *names = r->on->name;
    const int64_t *pair = r->on->what->pair;
    return json_pack("{s:[s, s], s:[o, o], s:o, s:o, s:o}", "classes", names[pair[0]],
                     names[pair[1]], "natural_deg", degrees(r->pair.natural[0]),
                     degrees(r->pair.natural[1]), "between_deg", degrees(r->pair.between),
                     "distance_before_deg", degrees(r->pair.before), "distance_after_deg",
                     degrees(r->pair.after));
}

/* --- controls --------------------------------------------------------------------------------- */

static json_t *resampled_json(const image_controls *c)
{
    return json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "test_images", (json_int_t)c->resampled.images,
        "training_images", (json_int_t)c->resampled.rows, "none", percent(c->resampled.none[0]),
        "none_resampled", percent(c->resampled.none[1]), "canonical",
        percent(c->resampled.canonical[0]), "canonical_resampled",
        percent(c->resampled.canonical[1]), "hit_rate", number(c->resampled.hit_rate[0]),
        "hit_rate_resampled", number(c->resampled.hit_rate[1]));
}

static json_t *like_json(const reproduction *r)
{
    const recon_like_poses *l = &r->controls.like;
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rows",
                     (json_int_t)l->rows, "z_change", number(r->equivariance.code_median),
                     "distance_neighbours_deg", degrees(l->distance[0]), "distance_random_deg",
                     degrees(l->distance[1]), "spread_neighbours_deg", degrees(l->spread[0]),
                     "spread_random_deg", degrees(l->spread[1]), "theta_neighbours_deg",
                     degrees(l->theta[0]), "theta_random_deg", degrees(l->theta[1]),
                     "theta_mae_neighbours_deg", degrees(l->error[0].by_class),
                     "theta_mae_random_deg", degrees(l->error[1].by_class));
}

static json_t *frames_json(const reproduction *r)
{
    const recon_frame_pair *p = &r->controls.pair;
    const int64_t *pair = r->on->what->pair;
    return json_pack(
        "{s:[s, s], s:[o, o], s:[o, o], s:o, s:[o, o], s:o, s:o}", "classes", r->on->name[pair[0]],
        r->on->name[pair[1]], "frame_deg", degrees(p->frame[0]), degrees(p->frame[1]), "agreement",
        number(p->agreement[0]), number(p->agreement[1]), "apart_deg", degrees(p->apart),
        "other_percent", percent(p->other[0]), percent(p->other[1]), "several_percent",
        percent(r->controls.pair_several), "peaks_apart_deg", degrees(r->controls.pair_peaks));
}

static json_t *controls_json(const reproduction *r)
{
    json_t *out = json_pack("{s:o, s:o}", "resampled", resampled_json(&r->controls), "like_poses",
                            like_json(r));
    if (has_pair(r))
        recon_json_put(&out, "pair", frames_json(r));
    return out;
}

/* --- the model -------------------------------------------------------------------------------- */

static void add_poses(json_t **out, const reproduction *r)
{
    const recon_equivariance *e = &r->equivariance;
    recon_json_put(out, "pose_error",
                   json_pack("{s:o, s:o, s:o, s:o, s:o}", "median_deg", degrees(r->pose.median),
                             "p95_deg", degrees(r->pose.p95), "mean_deg", degrees(r->pose.mean),
                             "flipped_percent", percent(r->pose.flips), "close_percent",
                             percent(r->pose.close)));
    recon_json_put(out, "theta_mae_deg", degrees(r->theta.by_class));
    recon_json_put(out, "theta_sample_mae_deg", degrees(r->theta.by_sample));
    recon_json_put(out, "theta_density_mae_deg", degrees(r->theta_density.by_class));
    recon_json_put(out, "theta", theta_json(r));
    recon_json_put(out, "modulo_180", folds_json(r));
    if (has_pair(r))
        recon_json_put(out, "pair", pair_json(r));
    recon_json_put(out, "equivariance",
                   json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "images", (json_int_t)e->n,
                             "pose_median_deg", degrees(e->pose_median), "pose_p95_deg",
                             degrees(e->pose_p95), "centre_median_deg", degrees(e->centre_median),
                             "centre_p95_deg", degrees(e->centre_p95), "code_median",
                             number(e->code_median), "code_p95", number(e->code_p95)));
}

static void add_neighbors(json_t **out, const reproduction *r)
{
    recon_json_put(out, "hit_rate", number(r->hit_rate));
    recon_json_put(out, "hit_rate_deviation", number(r->hit_deviation));
    recon_json_put(out, "verdicts", recon_natural_json(r->natural));
    recon_json_put(out, "by_k", by_k_json(r));
    recon_json_put(out, "neighbour_images", json_integer((json_int_t)r->hood.index->n));
    recon_json_put(out, "confusion_rows", json_integer((json_int_t)r->hood.worst_count));
    recon_json_put(out, "confusion_percent", confusion_json(r));
}

json_t *algorithm1_json(size_t inputs, size_t among, size_t k, double seconds)
{
    return json_pack("{s:I, s:I, s:I, s:f}", "inputs", (json_int_t)inputs, "among",
                     (json_int_t)among, "k", (json_int_t)k, "seconds", seconds);
}

json_t *reproduce_model_json(const reproduction *r)
{
    const recon_ieae *encoder = recon_backbone_ieae(r->model->backbone);
    size_t rows = r->hood.index->n;
    json_t *out =
        json_pack("{s:s, s:s, s:I, s:s, s:I, s:s}", "trained", recon_trained_name(r->trained),
                  "preset", recon_preset_name(recon_ieae_describe(encoder).preset), "weights",
                  (json_int_t)recon_backbone_weights(r->model->backbone), "lambda",
                  recon_lambda_name(r->model->maps->lambda), "k", (json_int_t)r->model->k, "mean",
                  recon_mean_name(r->model->mean.kind));
    recon_json_put_text(&out, "model", r->path);
    recon_json_put(&out, "heads",
                   json_string(recon_heads_name(recon_model_describe(r->model).maps.heads)));
    recon_json_put_text(&out, "training", r->training);
    recon_json_put(&out, "accuracy", accuracy_json(r));
    recon_json_put(&out, "ood_auc", ood_json(&r->ood[0]));
    recon_json_put(&out, "ood_other_rules", ood_rules_json(r));
    recon_json_put(&out, "ood_percent", percent(r->ood[0].share));
    add_poses(&out, r);
    add_neighbors(&out, r);
    recon_json_put(&out, "controls", controls_json(r));
    recon_json_put(&out, "overhead_ms", number(r->times.overhead_ms));
    recon_json_put(&out, "canonicalize_ms", number(r->times.canonicalize_ms));
    recon_json_put(&out, "algorithm1", algorithm1_json(rows, rows, K, r->hood.seconds));
    recon_json_put(&out, "backend", json_string(r->times.backend));
    recon_json_put(&out, "threads", json_integer(r->times.threads));
    recon_json_put(&out, "batch", json_integer((json_int_t)r->times.batch));
    recon_json_put(&out, "seconds", number(r->seconds));
    return out;
}

const reproduce_method reproduce_methods[] = {
    { "none", "rotated inputs, no correction", "bounds.none" },
    { "ieae", "IE-AE's canonical pose", "plain.accuracy.ieae" },
    { "recon", "RECON (the paper): Algorithm 1 -> Lambda", "plain.accuracy.head" },
    { "neighbours", "the same by k neighbours, no Lambda", "plain.accuracy.neighbours" },
    { "recon_terms", "RECON + pose and contrast terms", "terms.accuracy.head" },
    { "density", "ours: the pose density", "density.accuracy.density" },
    { "equiadapt", "EquiAdapt, trained with labels", "baselines.equiadapt" },
    { "escnn", "steerable classifier (ESCNN)", "baselines.escnn" },
    { "partial_gcnn", "Partial G-CNN", "baselines.partial_gcnn" },
    { "segnn", "SEGNN classifier", "baselines.segnn" },
    { "sgm", "SGM's canonical pose", "baselines.sgm" },
    { "sgm_recon", "RECON on SGM's poses", "baselines.sgm_recon" },
    { "pca", "long axis", "baselines.pca" },
    { "tta8", "mean of 8 rotations", "baselines.tta8" },
    { "tta36", "mean of 36 rotations", "baselines.tta36" },
    { "augmented", "a classifier trained with rotations", "baselines.augmented" },
    { "kabsch", "Kabsch", "baselines.kabsch" },
    { "knn", "labels of k neighbours in z", "baselines.knn" },
    { "undo", "true rotation undone", "bounds.undo" },
    { "upright", "upright inputs", "bounds.upright" },
    { "upright_recon", "upright inputs, canonicalized", "main.accuracy.upright" },
    { "upright_gated", "the same with --only-if 0.01", "main.accuracy.upright_gated" },
};
const size_t reproduce_methods_count = sizeof reproduce_methods / sizeof *reproduce_methods;

/* Of the paper's table: the same names. */
static const reproduce_method areas[] = {
    { "ieae", "", "plain.ood_auc.ieae" },         { "recon", "", "plain.ood_auc.recon" },
    { "recon_terms", "", "terms.ood_auc.recon" }, { "density", "", "likeliest.ood_auc.density" },
    { "undo", "", "main.ood_auc.undo" },
};
enum { AREAS = sizeof areas / sizeof *areas };

/* Rows of a section that was not asked for are left out. */
static json_t *pick(const json_t *parts, const reproduce_method *m, size_t n)
{
    json_t *out = json_object();
    for (size_t i = 0; i < n; i++)
        if (strncmp(m[i].from, "baselines.", 10) != 0 || json_object_get(parts, "baselines"))
            recon_json_put(&out, m[i].key, number(lab_number(parts, m[i].from)));
    return out;
}

/* --- the paper -------------------------------------------------------------------------------- */

static json_t *paper_json(const experiment *e)
{
    if (e->paper.none == 0)
        return json_null();
    json_t *accuracy = json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "none", e->paper.none,
                                 "ieae", e->paper.ieae, "equiadapt", e->paper.equiadapt, "escnn",
                                 e->paper.escnn, "partial_gcnn", e->paper.partial_gcnn, "recon",
                                 e->paper.recon, "upright", e->paper.upright);
    json_t *share = recovered_json(accuracy, "upright"); /* it has no undo */
    return json_pack("{s:o, s:O, s:o, s:{s:f, s:f}, s:f, s:o}", "accuracy", accuracy, "recovered",
                     share, "recovered_of_upright", share, "ood_auc", "ieae", e->paper.ood_ieae,
                     "recon", e->paper.ood_recon, "overhead_ms", e->paper.overhead_ms, "algorithm1",
                     algorithm1_json(e->paper.inputs, e->paper.inputs, K, e->paper.seconds));
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
    static const char *const option[] = { "--plain", "--no-density", "" };
    static const char *const lambda[] = { "head", "head", "density" };
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
                        const char *main, const char *likeliest)
{
    const char *name;
    json_t *model;
    json_object_foreach((json_t *)models, name, model)
        note(notes, "backbone %s: %s; %s", name, json_string_value(json_object_get(model, "model")),
             json_string_value(json_object_get(model, "training")));
    note(notes,
         "upright_recon, upright_gated, theta_mae_deg, hit_rate, verdicts, controls and times are "
         "those of backbone %s, ood_auc.density is that of backbone %s; `models` has them for each",
         main, likeliest);
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

static json_t *notes_json(const image_trial *t, const json_t *models, const char *main,
                          const char *likeliest)
{
    const lab_settings *s = t->settings;
    json_t *notes = json_array();
    if (main) {
        note_missing(&notes, t, models);
        note_models(&notes, t, models, main, likeliest);
    } else
        note(&notes,
             "--rival: of all methods that network alone was measured; the others are null");
    note_paper(&notes, t);
    if (s->baselines && !s->data)
        note(&notes,
             "the shipped escnn and equiadapt are trained on rotated images, partial_gcnn on "
             "upright ones: docs/rivals.md");
    note(&notes, "ood_auc: %s", unusual_rule(t));
    if (s->resample)
        note(
            &notes,
            "every image was resampled twice, whether its rule rotates it or not; those at any angle, for unusual poses, once");
    if (s->quick || s->images || s->limit)
        note(&notes, "measured on a part of the data");
    if (s->quick && s->baselines && !s->data && (!s->rival || s->rival - 1 == RIVAL_SGM))
        note(&notes, "sgm_recon: neighbours among 6,000 training images");
    return notes;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* The first kind of those named that there is a model of. */
static const char *first_of(const json_t *models, const recon_trained order[RECON_TRAINED_KINDS])
{
    for (int i = 0; i < RECON_TRAINED_KINDS; i++)
        if (json_object_get(models, recon_trained_name(order[i])))
            return recon_trained_name(order[i]);
    return NULL;
}

static json_t *bounds_json(const image_trial *t)
{
    return json_pack("{s:f, s:f, s:f}", "none", 100 * t->accuracy.none, "undo",
                     100 * t->accuracy.undo, "upright", 100 * t->accuracy.upright);
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
    static const recon_trained papers_first[] = { RECON_TRAINED_PLAIN, RECON_TRAINED_TERMS,
                                                  RECON_TRAINED_DENSITY };
    static const recon_trained ours_first[] = { RECON_TRAINED_DENSITY, RECON_TRAINED_TERMS,
                                                RECON_TRAINED_PLAIN };
    const char *main = first_of(models, papers_first), *likeliest = first_of(models, ours_first);
    json_t *parts = json_copy(models), *accuracy, *out;
    recon_json_put(&parts, "bounds", bounds_json(t));
    if (t->settings->baselines)
        recon_json_put(&parts, "baselines", baselines_accuracy(t->baseline));
    if (main) {
        recon_json_put(&parts, "main", json_incref(json_object_get(models, main)));
        recon_json_put(&parts, "likeliest", json_incref(json_object_get(models, likeliest)));
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
    recon_json_put(&out, "classifier_ms", number(t->classifier_ms));
    recon_json_put(&out, "paper", paper_json(t->what));
    recon_json_put(&out, "notes", notes_json(t, models, main, likeliest));
    add_setting(&out, t);
    recon_json_put(&out, "models", json_incref(models));
    json_decref(accuracy);
    json_decref(parts);
    return out;
}
