/* reproduce_measure.c - runs all measures of the paper's image tables on a model. The model is
 * finished, and nothing is chosen by the test images. */
#include "lab/reproduce.h"
#include "lab/table.h"
#include "core/json.h"
#include "group/natural.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "group/so2/mean.h"
#include "core/folder.h"
#include "stats/quantile.h"
#include "group/mean.h"
#include "maps/maps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 256,         /* images that are timed */
    EQUIVARIANCE = 2000, /* images, each rotated two ways */
    QUICK_EQUIVARIANCE = 500
};

/* --- what the model says ---------------------------------------------------------------------- */

recon_status reproduce_read(recon_ctx *ctx, reading *r, const recon_dataset *data,
                            const recon_model *model)
{
    *r = (reading){ .data = data };
    RECON_CHECK(recon_backbone_embed(ctx, &r->codes, model->backbone, recon_dataset_data(data)));
    r->n = r->codes.n;
    RECON_CHECK(recon_alloc_raw(ctx, &r->map, r->n, sizeof *r->map));
    RECON_CHECK(recon_alloc_raw(ctx, &r->angle, r->n, sizeof *r->angle));
    RECON_CHECK(recon_alloc_raw(ctx, &r->lambda, r->n, sizeof *r->lambda));
    RECON_CHECK(recon_alloc_raw(ctx, &r->absolute, r->n, sizeof *r->absolute));
    RECON_CHECK(recon_maps_apply(
        ctx, r->map, model->maps,
        &(recon_maps_inputs){ .n = r->n, .z = r->codes.z, .data = recon_dataset_data(r->data) },
        RECON_MAPS_ALL));
    if (r->codes.density)
        RECON_CHECK(recon_alloc_raw(ctx, &r->by_head, r->n, sizeof *r->by_head));
    for (size_t i = 0; i < r->n; i++) {
        r->angle[i] = recon_dataset_angle(r->data, i);
        if (r->codes.density) {
            r->by_head[i] = recon_so2_absolute(&r->map[i], r->codes.poses[i]);
            recon_so2_map_density(&r->map[i], r->codes.poses[i],
                                  r->codes.density + i * RECON_POSE_BINS, RECON_MAPS_ALL);
        }
        r->lambda[i] = r->map[i].lambda;
        r->absolute[i] = recon_so2_absolute(&r->map[i], r->codes.poses[i]);
    }
    return RECON_OK;
}

void reading_free(reading *r)
{
    recon_embedded_free(&r->codes);
    recon_free_all(r->map, r->angle, r->lambda, r->absolute, r->by_head);
}

/* --- the frozen classifier -------------------------------------------------------------------- */

/* Where an image may have several natural poses, the classifier's own confidence chooses. */
static recon_status measure_search(recon_ctx *ctx, reproduction *r)
{
    recon_dataset_info d = recon_dataset_describe(r->rotated.data);
    recon_pose *poses = NULL;
    double *absolute = NULL;
    float *images = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &poses, d.n, sizeof *poses));
    RECON_TRY(recon_alloc_raw(ctx, &absolute, d.n, sizeof *absolute));
    RECON_TRY(reproduce_load(ctx, &images, r->rotated.data, d.n));
    RECON_TRY(recon_canonicalize_search(ctx, NULL, poses, r->model, images, d.n,
                                        recon_judge_by_classifier, r->on->classifier, NULL));
    for (size_t i = 0; i < d.n; i++)
        absolute[i] = -poses[i].rotation[0];
    RECON_TRY(reproduce_accuracy(ctx, &r->accuracy.search, NULL, r->on, r->rotated.data, absolute));
done:
    recon_free_all(images, absolute, poses);
    return status;
}

/* Canonicalized, and as canonicalize --only-if has it: poses that are not unusual stay as they are,
 * and what the classifier makes of those, `as_is`, is known. */
static recon_status measure_gated(recon_ctx *ctx, double *all, double *gated, const reproduction *r,
                                  const reading *of, const uint8_t *as_is)
{
    const recon_seen seen = { (float *)of->codes.z, (double *)of->codes.poses,
                              (float *)of->codes.density };
    recon_read read = { .poses = NULL };
    size_t count = 0;
    uint8_t *right = NULL;
    float *images = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &right, of->n, sizeof *right));
    RECON_TRY(reproduce_accuracy(ctx, all, right, r->on, of->data, of->absolute));
    if (r->model->maps->nets) /* they read them */
        RECON_TRY(reproduce_load(ctx, &images, of->data, of->n));
    RECON_TRY(recon_read_new(ctx, &read, r->model, of->n, 0));
    RECON_TRY(recon_model_answer(ctx, &read, r->model, &seen, images, of->n));
    for (size_t i = 0; i < of->n; i++) {
        double p = recon_model_p_value(r->model, &read, i, &of->codes.poses[i]);
        count += recon_gate_opens(GATE, p) ? right[i] : as_is[i];
    }
    *gated = (double)count / (double)of->n;
done:
    recon_read_free(&read);
    recon_free_all(right, images);
    return status;
}

static recon_status measure_accuracy(recon_ctx *ctx, reproduction *r)
{
    const reading *t = &r->rotated, *u = &r->upright;
    double gated, upright, upright_gated;
    RECON_CHECK(reproduce_accuracy(ctx, &r->accuracy.ieae, NULL, r->on, t->data, t->codes.poses));
    RECON_CHECK(measure_gated(ctx, &r->accuracy.recon, &gated, r, t, r->on->right.none));
    r->accuracy.head = r->accuracy.recon;
    if (t->by_head)
        RECON_CHECK(reproduce_accuracy(ctx, &r->accuracy.head, NULL, r->on, t->data, t->by_head));
    RECON_CHECK(measure_gated(ctx, &upright, &upright_gated, r, u, r->on->right.upright));
    RECON_CHECK(measure_search(ctx, r));
    lab_put(&r->out, "accuracy",
            "ieae% knn% head% neighbours% density% search% gated% upright% upright_gated%",
            r->accuracy.ieae, NAN, r->accuracy.head, NAN, t->by_head ? r->accuracy.recon : NAN,
            r->accuracy.search, gated, upright, upright_gated);
    return RECON_OK;
}

/* --- poses ------------------------------------------------------------------------------------ */

static recon_status measure_unusual(recon_ctx *ctx, reproduction *r)
{
    const reading *c = &r->circle;
    uint8_t *unusual = NULL;
    double *undo = NULL;
    json_t *rules = json_array();
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &unusual, c->n, sizeof *unusual));
    RECON_TRY(recon_alloc_raw(ctx, &undo, c->n, sizeof *undo));
    for (int s = 0; s < SCORES; s++)
        RECON_TRY(recon_alloc_raw(ctx, &r->score[s], c->n, sizeof *r->score[s]));
    for (size_t i = 0; i < c->n; i++) {
        r->score[0][i] = recon_so2_distance(c->codes.poses[i], c->map[i].midpoint);
        r->score[1][i] = fabs(c->absolute[i]);
        r->score[2][i] = recon_so2_map_score(&c->map[i], c->codes.poses[i]);
        undo[i] = fabs(recon_so2_wrap(c->angle[i]));
    }
    for (size_t k = 0; k < RECON_REACHES; k++) {
        static const char names[] = "ieae g_abs density undo";
        recon_ood_auc ood;
        json_t *one = NULL;
        recon_evaluate_unusual(unusual, r->on->rule, recon_reaches[k], c->codes.labels, c->angle,
                               c->n);
        RECON_TRY(recon_evaluate_ood(
            ctx, &ood, &(recon_ood_scores){ r->score[0], r->score[1], r->score[2], undo }, unusual,
            c->n));
        if (k == 0) { /* the others are by other rules, for what is unusual */
            lab_put(&r->out, "ood_auc", names, ood.ieae, ood.g_abs, ood.density, ood.undo);
            recon_json_put(&r->out, "ood_other_rules", json_incref(rules));
            lab_put(&r->out, NULL, "ood_percent", ood.share);
            continue;
        }
        one = json_object();
        lab_put(&one, NULL, names, ood.ieae, ood.g_abs, ood.density, ood.undo);
        lab_put(&one, NULL, "sigmas least_deg unusual_percent", recon_reaches[k].sigmas,
                recon_reaches[k].least, ood.share);
        json_array_append_new(rules, one);
    }
done:
    json_decref(rules);
    recon_free_all(undo, unusual);
    return status;
}

static void warn_of_family(recon_ctx *ctx, const reproduction *r)
{
    recon_so2_family family = recon_model_describe(r->model).maps.family;
    const char *want = recon_so2_family_name(r->on->what->family);
    if (family != r->on->what->family)
        recon_log(ctx, RECON_LOG_WARN,
                  "%s: Theta is the width of family %s, but the truth is %s: `recon discover "
                  "--family %s` fits",
                  r->path, recon_so2_family_name(family), want, want);
}

/* Theta as the paper has it is learned from Algorithm 1's widths; with a pose density it is read
 * off that. */
static recon_status measure_theta(recon_ctx *ctx, reproduction *r)
{
    const reading *t = &r->rotated;
    const image_trial *on = r->on;
    recon_width_error error, of_density;
    json_t *list = json_array();
    double *theta = NULL;
    recon_status status;
    warn_of_family(ctx, r);
    RECON_TRY(recon_alloc_raw(ctx, &theta, t->n, sizeof *theta));
    for (size_t i = 0; i < t->n; i++)
        theta[i] = t->map[i].theta;
    RECON_TRY(recon_evaluate_widths(ctx, &of_density, r->width, theta, t->codes.labels, t->n,
                                    on->truth, on->classes));
    for (size_t i = 0; i < t->n; i++)
        theta[i] = t->codes.density ? t->map[i].theta : t->map[i].theta_label;
    RECON_TRY(recon_evaluate_widths(ctx, &error, r->width, theta, t->codes.labels, t->n, on->truth,
                                    on->classes));
    for (size_t c = 0; c < on->classes; c++) {
        const recon_width *w = &r->width[c];
        json_t *one = json_pack("{s:s, s:I}", "class", on->name[c], "images", (json_int_t)w->n);
        lab_put(&one, NULL, "truth_deg mean_deg spread_deg", w->truth, w->mean, w->spread);
        json_array_append_new(list, one);
    }
    lab_put(&r->out, NULL, "theta_mae_deg theta_sample_mae_deg theta_density_mae_deg",
            error.by_class, error.by_sample, of_density.by_class);
    recon_json_put(&r->out, "theta", json_incref(list));
done:
    json_decref(list);
    free(theta);
    return status;
}

static recon_status measure_folds(recon_ctx *ctx, reproduction *r)
{
    size_t n = r->rotated.n;
    json_t *list = json_array();
    recon_fold_share of[CLASSES];
    double *moments = NULL;
    int *fold = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &moments, n * RECON_SO2_MOMENTS, sizeof *moments));
    RECON_TRY(recon_alloc_raw(ctx, &fold, n, sizeof *fold));
    for (size_t i = 0; i < n; i++) {
        recon_so2_moments(moments + i * RECON_SO2_MOMENTS, &r->rotated.map[i].density);
        fold[i] = recon_so2_fold(moments + i * RECON_SO2_MOMENTS);
    }
    RECON_TRY(
        recon_evaluate_folds(ctx, of, fold, moments, r->rotated.codes.labels, n, r->on->classes));
    for (size_t c = 0; c < r->on->classes; c++) {
        json_t *one = json_pack("{s:s}", "class", r->on->name[c]);
        lab_put(&one, NULL, "percent% first_moment second_moment", of[c].share, of[c].moment[0],
                of[c].moment[1]);
        if (of[c].n)
            json_array_append(list, one);
        json_decref(one);
    }
    recon_json_put(&r->out, "modulo_180", json_incref(list));
done:
    json_decref(list);
    recon_free_all(fold, moments);
    return status;
}

static json_t *pair_names(const reproduction *r)
{
    const int64_t *pair = r->on->what->pair;
    return json_pack("[s, s]", r->on->name[pair[0]], r->on->name[pair[1]]);
}

static json_t *both(double a, double b)
{
    return json_pack("[o, o]", lab_value(a), lab_value(b));
}

static recon_status measure_pair(recon_ctx *ctx, reproduction *r)
{
    const reading *t = &r->rotated;
    const int64_t *pair = r->on->what->pair;
    json_t *out = NULL;
    recon_class_pair p;
    if (pair[0] == pair[1])
        return RECON_OK;
    RECON_CHECK(recon_evaluate_pair(
        ctx, &p, &(recon_posed){ t->codes.poses, t->lambda, t->codes.labels, t->n }, pair[0],
        pair[1]));
    out = json_pack("{s:o, s:o}", "classes", pair_names(r), "natural_deg",
                    both(p.natural[0] * RECON_TO_DEGREES, p.natural[1] * RECON_TO_DEGREES));
    lab_put(&out, NULL, "between_deg distance_before_deg distance_after_deg", p.between, p.before,
            p.after);
    recon_json_put(&r->out, "pair", out);
    return RECON_OK;
}

/* --- the encoder ------------------------------------------------------------------------------ */

static recon_status measure_equivariance(recon_ctx *ctx, reproduction *r)
{
    size_t n = r->on->settings->quick ? QUICK_EQUIVARIANCE : EQUIVARIANCE;
    recon_dataset *some = NULL;
    recon_equivariance e;
    json_t *out;
    recon_status status;
    if (n > r->rotated.n)
        n = r->rotated.n;
    RECON_TRY(recon_dataset_take(ctx, &some, r->on->upright.use, n, TAKE_SEED));
    RECON_TRY(recon_equivariance_random(ctx, &e, recon_backbone_ieae(r->model->backbone), some,
                                        TEST_SEED));
    recon_json_put(&r->out, "equivariance", json_pack("{s:I}", "images", (json_int_t)e.n));
    out = json_object_get(r->out, "equivariance");
    lab_put(&out, NULL,
            "pose_median_deg pose_p95_deg centre_median_deg centre_p95_deg code_median code_p95",
            e.pose_median, e.pose_p95, e.centre_median, e.centre_p95, e.code_median, e.code_p95);
done:
    recon_dataset_close(some);
    return status;
}

/* --- everything ------------------------------------------------------------------------------- */

recon_status reproduce_trained(recon_ctx *ctx, recon_trained *out, char *line, const char *path)
{
    recon_safetensors *file = NULL;
    recon_status status;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    *out = recon_recipe_terms(file);
    if (line && *out != RECON_TRAINED_UNKNOWN)
        snprintf(line, TRAINING, "%s", recon_safetensors_metadata(file, "training"));
    if (*out == RECON_TRAINED_UNKNOWN)
        status = recon_fail(ctx, RECON_ERR_INPUT,
                            "%s does not say by which terms its backbone was trained: train it "
                            "with this version (recon train, recon discover)",
                            path);
done:
    recon_safetensors_close(file);
    return status;
}

recon_status reproduce_model(recon_ctx *ctx, reproduction *r, const image_trial *trial,
                             const char *path)
{
    char training[TRAINING];
    *r = (reproduction){ .on = trial, .path = path, .begun = recon_now() };
    RECON_CHECK(reproduce_trained(ctx, &r->trained, training, path));
    RECON_CHECK(recon_model_open(ctx, &r->model, path, trial->settings->precision));
    RECON_CHECK(recon_model_takes(ctx, r->model, "images"));
    RECON_CHECK(recon_model_use_lambda(
        ctx, r->model, r->model->backbone->density ? RECON_LAMBDA_DENSITY : RECON_LAMBDA_HEAD));
    r->out = json_pack("{s:s, s:s, s:I, s:s, s:I, s:s}", "trained", recon_trained_name(r->trained),
                       "preset", recon_preset_name(recon_model_describe(r->model).images.preset),
                       "weights", (json_int_t)recon_backbone_weights(r->model->backbone), "lambda",
                       recon_lambda_name(r->model->maps->lambda), "k", (json_int_t)r->model->k,
                       "mean", recon_mean_name(r->model->mean.kind));
    recon_json_put_text(&r->out, "model", path);
    recon_json_put(&r->out, "heads",
                   json_string(recon_heads_name(recon_model_describe(r->model).maps.heads)));
    recon_json_put_text(&r->out, "training", training);
    return RECON_OK;
}

recon_status reproduce_tests(recon_ctx *ctx, reproduction *r)
{
    const image_trial *on = r->on;
    double begun = recon_now();
    recon_pose_error error;
    RECON_CHECK(reproduce_read(ctx, &r->rotated, on->rotated, r->model));
    RECON_CHECK(reproduce_read(ctx, &r->circle, on->circle, r->model));
    RECON_CHECK(reproduce_read(ctx, &r->upright, on->upright.use, r->model));
    r->embed_seconds = (recon_now() - begun) / (3 * (double)r->rotated.n);
    RECON_CHECK(measure_accuracy(ctx, r));
    RECON_CHECK(measure_unusual(ctx, r));
    RECON_CHECK(
        recon_evaluate_poses(ctx, &error, r->rotated.absolute, r->rotated.angle, r->rotated.n));
    lab_put(&r->out, "pose_error", "median_deg p95_deg mean_deg flipped_percent close_percent",
            error.median, error.p95, error.mean, error.flips, error.close);
    RECON_CHECK(measure_theta(ctx, r));
    RECON_CHECK(measure_folds(ctx, r));
    return measure_pair(ctx, r);
}

void reproduce_free(recon_ctx *ctx, reproduction *r)
{
    reading_free(&r->rotated);
    reading_free(&r->circle);
    reading_free(&r->upright);
    recon_embedded_free(&r->hood.own_index);
    recon_dataset_close(r->hood.own);
    recon_free_all(r->hood.angle, r->hood.neighbors, r->hood.hits, r->hood.worst);
    for (int s = 0; s < SCORES; s++)
        free(r->score[s]);
    json_decref(r->verdicts);
    json_decref(r->out);
    recon_model_close(ctx, r->model);
    *r = (reproduction){ 0 };
}

enum {
    QUICK_LEAST = 3000, /* training images, however slow the machine */
    SAMPLE = 32,        /* stored codes that are made again */
    WORST_OF = 12       /* one row of so many is among the worst */
};
#define QUICK_SECONDS 150.0 /* by when the codes are there with --quick, if they can */
#define SAME_CODE     0.1   /* relative change of a code that rounding may make */

const size_t reproduce_ks[KS] = { 5, 10, 25, 50, 100 };

/* The first codes made anew: a stored file of another model, data or seed does not pass. */
static recon_status check_stored(recon_ctx *ctx, const neighborhood *h, const recon_ieae *encoder,
                                 const char *dir)
{
    size_t n = h->index->n < SAMPLE ? h->index->n : SAMPLE;
    float *images = NULL, *z = NULL;
    double psi[SAMPLE], none[SAMPLE] = { 0 };
    recon_equivariance change;
    recon_status status;
    RECON_TRY(reproduce_load(ctx, &images, h->data, n));
    RECON_TRY(recon_alloc_raw(ctx, &z, n * h->index->d, sizeof *z));
    RECON_TRY(recon_ieae_embed(ctx, &(recon_seen){ .z = z, .psi = psi }, encoder, images, n));
    RECON_TRY(recon_equivariance_compare(ctx, &change,
                                         &(recon_codes){ h->index->z, h->index->poses, NULL },
                                         &(recon_codes){ z, psi, NULL }, none, n, h->index->d));
    if (change.code_max > SAME_CODE)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "%s/z.npy is not what this model makes of the training images rotated "
                             "with seed %d: codes differ by %.0f %%",
                             dir, TRAIN_SEED, 100 * change.code_max));
done:
    recon_free_all(z, images);
    return status;
}

static recon_status stored_codes(recon_ctx *ctx, neighborhood *h, const recon_ieae *encoder,
                                 const char *dir)
{
    recon_dataset_info d = recon_dataset_describe(h->data);
    recon_embedded *index = &h->own_index;
    char z[4200], g[4200];
    float *pixels = NULL;
    int64_t *labels;
    recon_folder_view view;
    recon_status status;
    snprintf(z, sizeof z, "%s/z.npy", dir);
    snprintf(g, sizeof g, "%s/g.npy", dir);
    RECON_TRY(recon_folder_look(ctx, &view, dir));
    RECON_TRY(recon_embedded_read(ctx, index, RECON_SO2, RECON_QUATERNIONS_NONE, z, g, NULL));
    RECON_TRY(recon_folder_check(ctx, &view, dir));
    if (index->n != d.n || index->d != recon_ieae_describe(encoder).code)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu x %zu for %zu images and a code of %zu",
                             z, index->n, index->d, d.n, recon_ieae_describe(encoder).code));
    RECON_TRY(check_stored(ctx, h, encoder, dir));
    RECON_TRY(recon_alloc_raw(ctx, &pixels, d.height * d.width * d.channels, sizeof *pixels));
    RECON_TRY(recon_alloc_raw(ctx, &labels, d.n, sizeof *labels));
    for (size_t i = 0; i < d.n; i++)
        labels[i] = recon_dataset_get(pixels, h->data, i);
    index->labels = index->owned[2] = labels;
done:
    free(pixels);
    return status;
}

/* --- the training images ---------------------------------------------------------------------- */

/* How many training images there is time for with --quick. */
static size_t quick_count(recon_ctx *ctx, const reproduction *r)
{
    const lab_settings *s = r->on->settings;
    size_t limit = s->limit, count = limit && limit < QUICK_TRAIN ? limit : QUICK_TRAIN, models = 0;
    for (int kind = 0; kind < RECON_TRAINED_KINDS; kind++)
        models += s->of[kind] != NULL;
    double left = QUICK_SECONDS / (double)models - (recon_now() - r->begun);
    while (count > QUICK_LEAST && r->embed_seconds * (double)count > left)
        count /= 2;
    if (count < QUICK_TRAIN && count != limit)
        recon_log(ctx, RECON_LOG_INFO,
                  "neighbours among %zu training images: there is no time for "
                  "more (--embeddings, or without --quick)",
                  count);
    return count;
}

/* Where z.npy and g.npy of the training images lie, of a model that was just trained: beside it. */
static void embeddings_of(char *out, size_t room, const reproduction *r)
{
    const char *given = r->on->settings->embeddings, *slash = strrchr(r->path, '/');
    if (given)
        snprintf(out, room, "%s", given);
    else
        snprintf(out, room, "%.*s", slash ? (int)(slash - r->path) : 0, r->path);
}

/* Of images of one's own the test images themselves. */
static recon_status open_index(recon_ctx *ctx, reproduction *r)
{
    const lab_settings *s = r->on->settings;
    neighborhood *h = &r->hood;
    char dir[4096];
    embeddings_of(dir, sizeof dir, r);
    h->data = r->on->rotated;
    h->index = &r->rotated.codes;
    if (s->data)
        return RECON_OK;
    RECON_CHECK(reproduce_training(
        ctx, &h->own, s, s->quick && !s->embeddings && !s->train ? quick_count(ctx, r) : s->limit));
    h->data = h->own;
    h->index = &h->own_index;
    if (s->embeddings || s->train)
        RECON_CHECK(stored_codes(ctx, h, recon_backbone_ieae(r->model->backbone), dir));
    else
        RECON_CHECK(recon_backbone_embed(ctx, &h->own_index, r->model->backbone,
                                         recon_dataset_data(h->data)));
    return RECON_OK;
}

/* --- who is next to whom ---------------------------------------------------------------------- */

static void describe_hits(reproduction *r)
{
    size_t n = r->hood.index->n;
    double square = 0;
    r->hit_rate = 0;
    for (size_t i = 0; i < n; i++)
        r->hit_rate += r->hood.hits[i];
    r->hit_rate /= (double)n;
    for (size_t i = 0; i < n; i++)
        square += pow(r->hood.hits[i] - r->hit_rate, 2);
    lab_put(&r->out, NULL, "hit_rate hit_rate_deviation", r->hit_rate, sqrt(square / (double)n));
    recon_json_put(&r->out, "verdicts", json_incref(r->verdicts));
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
            json_array_append_new(row, json_real(100 * ((double)counts[j] / (double)sum)));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* Of the two classes that are each other's rotation: how many have several natural poses, and how
 * far apart the two heaviest are. */
static recon_status measure_peaks(recon_ctx *ctx, reproduction *r, const recon_frames *f)
{
    const int64_t *pair = r->on->what->pair, *labels = r->hood.index->labels;
    size_t all = 0, n = 0;
    double *apart = NULL;
    recon_status status = recon_alloc_raw(ctx, &apart, f->rows, sizeof *apart);
    for (size_t i = 0; status == RECON_OK && i < f->rows; i++) {
        const double *mode = f->modes + i * RECON_FRAME_MODES * f->modes_width;
        if (labels[i] != pair[0] && labels[i] != pair[1])
            continue;
        all++;
        if (f->verdict[i] == RECON_NATURAL_SEVERAL)
            apart[n++] = recon_so2_distance(mode[0], mode[f->modes_width]);
    }
    if (status == RECON_OK) {
        recon_sort_doubles(apart, n);
        r->pair_several = (double)n / (double)all;
        r->pair_peaks = n ? recon_quantile(apart, n, 0.5) : NAN;
    }
    free(apart);
    return status;
}

/* Algorithm 1 on the training images, with verdicts as `recon discover` makes them. */
static recon_status find_classes(recon_ctx *ctx, reproduction *r)
{
    neighborhood *h = &r->hood;
    recon_frames f = { 0 };
    double begun = recon_now();
    recon_status status;
    RECON_TRY(recon_normalize(ctx, &f, h->index, NULL,
                              &(recon_normalize_options){ .knn = { .k = K },
                                                          .pool = r->model->backbone->kind->pool,
                                                          .mean = r->model->mean,
                                                          .family = r->on->what->family }));
    h->seconds = recon_now() - begun;
    RECON_TRY(measure_peaks(ctx, r, &f));
    r->verdicts = recon_natural_json(f.natural);
    h->neighbors = f.neighbors;
    f.neighbors = NULL;
done:
    recon_frames_free(&f);
    return status;
}

static recon_status find_worst(recon_ctx *ctx, reproduction *r)
{
    neighborhood *h = &r->hood;
    size_t n = h->index->n;
    recon_neighborhood who = { h->neighbors, n, K, h->index->labels, r->on->classes };
    h->worst_count = n / WORST_OF < WORST ? n / WORST_OF : WORST;
    RECON_CHECK(recon_alloc_raw(ctx, &h->hits, n, sizeof *h->hits));
    RECON_CHECK(recon_alloc_raw(ctx, &h->worst, h->worst_count, sizeof *h->worst));
    RECON_CHECK(recon_evaluate_hits(ctx, h->hits, &who));
    describe_hits(r);
    RECON_CHECK(recon_evaluate_worst(ctx, h->worst, h->worst_count, h->hits, n));
    return recon_evaluate_confusion(ctx, r->confusion, h->worst, h->worst_count, &who);
}

/* Natural poses of the test images from their neighbours, no network: among the training images, or
 * of images of one's own among the codes that the model keeps. */
static recon_status measure_neighbours(recon_ctx *ctx, reproduction *r)
{
    const recon_stored_embeddings *c = r->model->codes;
    const recon_embedded stored = c ? (recon_embedded){ .n = c->n,
                                                        .d = c->d,
                                                        .z = c->z,
                                                        .group = c->group,
                                                        .poses = c->poses }
                                    : (recon_embedded){ 0 };
    const recon_embedded *index = r->on->settings->data ? &stored : r->hood.index;
    recon_embedded queries = r->rotated.codes;
    json_t *accuracy = json_object_get(r->out, "accuracy");
    recon_frames f = { 0 };
    double begun = recon_now(), share;
    recon_status status;
    queries.labels = NULL;
    r->knn = r->knn_ms = NAN;
    if (index->n == 0)
        return RECON_OK;
    RECON_TRY(recon_normalize(
        ctx, &f, index, &queries,
        &(recon_normalize_options){ .knn = { .k = r->model->k < index->n ? r->model->k : index->n },
                                    .mean = r->model->mean,
                                    .family = RECON_SO2_NORMAL }));
    if (index->labels)
        RECON_TRY(baseline_by_neighbours(ctx, &r->knn, f.neighbors, f.rows, f.k, index->labels,
                                         r->rotated.codes.labels, r->on->classes));
    r->knn_ms = 1000 * (r->embed_seconds + (recon_now() - begun) / (double)f.rows);
    RECON_TRY(reproduce_accuracy(ctx, &share, NULL, r->on, r->rotated.data, f.absolute));
    lab_put(&accuracy, NULL, "knn% neighbours%", r->knn, share);
done:
    recon_frames_free(&f);
    return status;
}

static recon_status measure_neighborhood(recon_ctx *ctx, reproduction *r)
{
    const image_trial *on = r->on;
    neighborhood *h = &r->hood;
    recon_k_point by_k[KS];
    size_t ks = 0;
    json_t *list = json_array();
    recon_status status;
    RECON_TRY(open_index(ctx, r));
    RECON_TRY(recon_alloc_raw(ctx, &h->angle, h->index->n, sizeof *h->angle));
    for (size_t i = 0; i < h->index->n; i++)
        h->angle[i] = recon_dataset_angle(h->data, i);
    while (ks < KS && reproduce_ks[ks] < h->index->n)
        ks++;
    RECON_TRY(recon_evaluate_k(ctx, by_k, reproduce_ks, ks, h->index, on->what->family, on->truth,
                               on->classes));
    RECON_TRY(find_classes(ctx, r));
    RECON_TRY(find_worst(ctx, r));
    for (size_t i = 0; i < ks; i++) {
        json_t *one = json_pack("{s:I}", "k", (json_int_t)by_k[i].k);
        lab_put(&one, NULL, "hit_rate theta_mae_deg", by_k[i].hit_rate, by_k[i].error.by_class);
        json_array_append_new(list, one);
    }
    recon_json_put(&r->out, "by_k", json_incref(list));
    recon_json_put(&r->out, "neighbour_images", json_integer((json_int_t)h->index->n));
    recon_json_put(&r->out, "confusion_rows", json_integer((json_int_t)h->worst_count));
    recon_json_put(&r->out, "confusion_percent", confusion_json(r));
    RECON_TRY(measure_neighbours(ctx, r));
done:
    json_decref(list);
    return status;
}

enum { ONCE = 0, TWICE = 1 };

/* --- sharpness -------------------------------------------------------------------------------- */

/* As they come, and resampled twice. */
typedef struct {
    size_t images, rows; /* of the test and of the training part */
    double none[2], canonical[2], hit_rate[2];
} resampled;

/* Some test images: what rotating them costs, and what canonicalizing gives back. */
static recon_status compare_tests(recon_ctx *ctx, resampled *out, const reproduction *r, int which)
{
    const image_trial *on = r->on;
    size_t n = r->rotated.n < CONTROL ? r->rotated.n : CONTROL;
    recon_dataset *some = NULL, *rotated = NULL;
    reading read = { 0 };
    recon_status status = RECON_OK;
    out->images = n;
    if (n == r->rotated.n && which == on->settings->resample) { /* known */
        out->none[which] = on->accuracy.none;
        out->canonical[which] = r->accuracy.recon;
        goto done;
    }
    RECON_TRY(recon_dataset_take(ctx, &some, on->upright.use, n, TAKE_SEED));
    RECON_TRY(reproduce_rotate(ctx, &rotated, some, on->rule, TEST_SEED, which));
    RECON_TRY(reproduce_read(ctx, &read, rotated, r->model));
    RECON_TRY(reproduce_accuracy(ctx, &out->none[which], NULL, on, rotated, NULL));
    RECON_TRY(reproduce_accuracy(ctx, &out->canonical[which], NULL, on, rotated, read.absolute));
done:
    reading_free(&read);
    recon_dataset_close(rotated);
    recon_dataset_close(some);
    return status;
}

/* Hit rate among some training images; of images of one's own, among the test images. */
static recon_status compare_hits(recon_ctx *ctx, resampled *out, const reproduction *r, int which)
{
    const lab_settings *s = r->on->settings;
    size_t n = r->hood.index->n < CONTROL ? r->hood.index->n : CONTROL;
    lab_settings asked = *s;
    recon_dataset *some = NULL, *rotated = NULL;
    recon_embedded codes = { 0 };
    recon_frames f = { 0 };
    recon_status status = RECON_OK;
    asked.resample = which == TWICE;
    out->rows = n;
    if (n == r->hood.index->n && which == s->resample) { /* known */
        out->hit_rate[which] = r->hit_rate;
        goto done;
    }
    if (s->data) {
        RECON_TRY(recon_dataset_take(ctx, &some, r->on->upright.use, n, TAKE_SEED));
        RECON_TRY(reproduce_rotate(ctx, &rotated, some, r->on->rule, TEST_SEED, which));
    } else {
        RECON_TRY(reproduce_training(ctx, &rotated, &asked, n));
    }
    RECON_TRY(recon_backbone_embed(ctx, &codes, r->model->backbone, recon_dataset_data(rotated)));
    RECON_TRY(recon_normalize(ctx, &f, &codes, NULL,
                              &(recon_normalize_options){ .knn = { .k = K },
                                                          .mean = { .kind = RECON_MEAN_TUKEY },
                                                          .family = r->on->what->family }));
    out->hit_rate[which] = f.hit_rate;
done:
    recon_frames_free(&f);
    recon_embedded_free(&codes);
    recon_dataset_close(rotated);
    recon_dataset_close(some);
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

static recon_status measure_controls(recon_ctx *ctx, reproduction *r)
{
    const image_trial *on = r->on;
    const neighborhood *h = &r->hood;
    const recon_neighborhood who = { h->neighbors, h->index->n, K, h->index->labels, on->classes };
    const int64_t *pair = on->what->pair;
    json_t *out = json_object(), *one = NULL;
    resampled s = { 0 };
    recon_like_poses l;
    recon_frame_pair p;
    recon_status status;
    for (int which = ONCE; which <= TWICE; which++) {
        RECON_TRY(compare_tests(ctx, &s, r, which));
        RECON_TRY(compare_hits(ctx, &s, r, which));
    }
    one = json_pack("{s:I, s:I}", "test_images", (json_int_t)s.images, "training_images",
                    (json_int_t)s.rows);
    lab_put(&one, NULL,
            "none% none_resampled% canonical% canonical_resampled% hit_rate hit_rate_resampled",
            s.none[0], s.none[1], s.canonical[0], s.canonical[1], s.hit_rate[0], s.hit_rate[1]);
    recon_json_put(&out, "resampled", one);
    RECON_TRY(
        recon_evaluate_like_poses(ctx, &l, &who, h->angle, on->what->family, on->truth, TEST_SEED));
    one = json_pack("{s:I}", "rows", (json_int_t)l.rows);
    lab_put(&one, NULL,
            "z_change distance_neighbours_deg distance_random_deg spread_neighbours_deg "
            "spread_random_deg theta_neighbours_deg theta_random_deg theta_mae_neighbours_deg "
            "theta_mae_random_deg",
            lab_number(r->out, "equivariance.code_median"), l.distance[0], l.distance[1],
            l.spread[0], l.spread[1], l.theta[0], l.theta[1], l.error[0].by_class,
            l.error[1].by_class);
    recon_json_put(&out, "like_poses", one);
    if (pair[0] != pair[1]) {
        RECON_TRY(
            recon_evaluate_frames(ctx, &p, h->index->poses, h->angle, &who, pair[0], pair[1]));
        one = json_pack("{s:o, s:o, s:o}", "classes", pair_names(r), "frame_deg",
                        both(p.frame[0] * RECON_TO_DEGREES, p.frame[1] * RECON_TO_DEGREES),
                        "agreement", both(p.agreement[0], p.agreement[1]));
        lab_put(&one, NULL, "apart_deg", p.apart);
        recon_json_put(&one, "other_percent", both(100 * p.other[0], 100 * p.other[1]));
        lab_put(&one, NULL, "several_percent peaks_apart_deg", r->pair_several, r->pair_peaks);
        recon_json_put(&out, "pair", one);
    }
    recon_json_put(&r->out, "controls", json_incref(out));
done:
    json_decref(out);
    return status;
}

static recon_status measure_times(recon_ctx *ctx, reproduction *r)
{
    size_t n = r->rotated.n < BATCH ? r->rotated.n : BATCH;
    float *images = NULL;
    recon_times times;
    recon_status status;
    RECON_TRY(reproduce_load(ctx, &images, r->rotated.data, n));
    RECON_TRY(
        recon_times_measure(ctx, &times, r->model, images, n,
                            n * recon_data_describe(recon_dataset_data(r->rotated.data)).bytes));
    put_times(&r->out, &times);
    recon_json_put(&r->out, "algorithm1",
                   algorithm1_json(r->hood.index->n, r->hood.index->n, K, r->hood.seconds));
done:
    free(images);
    return status;
}

recon_status reproduce_measure(recon_ctx *ctx, reproduction *r, const image_trial *trial,
                               const char *path)
{
    RECON_CHECK(reproduce_model(ctx, r, trial, path));
    RECON_CHECK(reproduce_tests(ctx, r));
    RECON_CHECK(measure_equivariance(ctx, r));
    RECON_CHECK(measure_neighborhood(ctx, r));
    RECON_CHECK(measure_controls(ctx, r));
    RECON_CHECK(measure_times(ctx, r));
    lab_put(&r->out, NULL, "seconds", recon_now() - r->begun);
    return RECON_OK;
}
