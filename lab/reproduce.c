/* reproduce.c - runs an experiment: finds or trains its models, and collects the measurements. */
#include "lab/reproduce.h"
#include "backbone/molecule_net.h"
#include "lab/rival_segnn.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/shipped.h"
#include "lab/lab.h"
#include "data/molecules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- models ----------------------------------------------------------------------------------- */

typedef char model_path[4096];

static recon_status find_classifier(recon_ctx *ctx, lab_settings *s, char *path, size_t room)
{
    const char *name = s->what ? s->what->classifier : "conformers";
    char file[64], remedy[256];
    if (s->classifier || s->data)
        return RECON_OK;
    snprintf(file, sizeof file, "%s-classifier.safetensors", name);
    snprintf(remedy, sizeof remedy,
             "`recon classifier train --data %s --out models/%s` makes it, --classifier names "
             "another",
             name, file);
    s->classifier = path;
    return recon_shipped_find(ctx, path, room, "models", file, remedy);
}

/* A shipped model: "mnist", "mnist-small", "mnist-plain". */
static recon_status find_shipped(recon_ctx *ctx, model_path path, const lab_settings *s,
                                 const char *kind)
{
    const char *name = s->what ? s->what->name : "conformers";
    const char *preset = recon_preset_name((recon_preset)s->preset);
    int usual = s->preset == RECON_PRESET_FAST;
    char file[64], remedy[256];
    snprintf(file, sizeof file, "%s%s%s%s%s.safetensors", name, usual ? "" : "-",
             usual ? "" : preset, *kind ? "-" : "", kind);
    snprintf(remedy, sizeof remedy,
             "`recon reproduce %s --train --preset %s --out DIR` makes one, --model names another",
             s->what ? name : "molecules", preset);
    return recon_shipped_find(ctx, path, sizeof(model_path), "models", file, remedy);
}

static recon_status find_model(recon_ctx *ctx, lab_settings *s, model_path path)
{
    if (s->models[0] || (s->train && !s->rival))
        return RECON_OK;
    s->models[0] = path;
    return find_shipped(ctx, path, s, "");
}

/* Those that come with recon: the usual one, and those whose names say another training. */
static recon_status find_models(recon_ctx *ctx, lab_settings *s,
                                model_path path[RECON_TRAINED_KINDS])
{
    static const char *const names[RECON_TRAINED_KINDS] = { "", "plain", "terms", "paper" };
    size_t n = 0;
    for (int i = 0; i < RECON_TRAINED_KINDS; i++)
        if (find_shipped(ctx, path[n], s, names[i]) == RECON_OK)
            n++;
    for (size_t i = 0; i < n; i++)
        s->models[i] = path[i];
    return n ? RECON_OK : find_shipped(ctx, path[0], s, "");
}

/* Networks of --baselines that come with recon; one that does not is no error. */
static void find_rivals(recon_ctx *ctx, lab_settings *s, model_path path[RIVAL_KINDS])
{
    const char *set = s->what ? s->what->classifier : "conformers";
    for (int k = 0; set && k < RIVAL_KINDS; k++) {
        char file[64];
        snprintf(file, sizeof file, "%s-%s.safetensors", set, rival_name((rival_kind)k));
        if (!s->rivals[k] &&
            recon_shipped_find(ctx, path[k], sizeof(model_path), "models", file, "") == RECON_OK)
            s->rivals[k] = path[k];
    }
}

/* Each to the rows that it can fill. */
static recon_status sort_models(recon_ctx *ctx, lab_settings *s)
{
    for (int i = 0; s->what && i < RECON_TRAINED_KINDS && s->models[i]; i++) {
        recon_trained kind;
        RECON_CHECK(reproduce_trained(ctx, &kind, NULL, s->models[i]));
        if (s->of[kind])
            RECON_CHECK(recon_fail(ctx, RECON_ERR_INPUT,
                                   "%s and %s are both models of a %s backbone, and would fill the "
                                   "same rows: name one of them",
                                   s->of[kind], s->models[i], recon_trained_name(kind)));
        s->of[kind] = s->models[i];
    }
    return RECON_OK;
}

/* Before the long work, not after it; what was made to try is taken away again. */
static recon_status try_folder(recon_ctx *ctx, const char *path)
{
    struct stat before;
    int there = stat(path, &before) == 0;
    recon_status status = recon_folder_make(ctx, path);
    if (status == RECON_OK && !there)
        rmdir(path);
    return status;
}

/* Options of a training: the recipe of the set, less the terms that a kind of backbone leaves
 * out. */
static recon_ieae_options options_of(recon_ctx *ctx, const lab_settings *s, recon_trained kind)
{
    recon_ieae_options o = { .shape = { .preset = (recon_preset)s->preset } };
    if (s->preset == RECON_PRESET_FAST)
        o = kind == RECON_TRAINED_PLAIN   ? s->what->plain
            : kind == RECON_TRAINED_TERMS ? s->what->terms
                                          : s->what->recipe;
    o.epochs = s->epochs ? s->epochs : o.epochs;
    o.seed = s->seed;
    o.threads = recon_ctx_threads(ctx);
    o.precision = s->precision;
    o.resume = s->resume;
    o.overwrite = s->overwrite;
    o.data = s->what->name;
    o.rotate = s->what->rule;
    if (kind != RECON_TRAINED_DENSITY)
        o.density = -1;
    if (kind <= RECON_TRAINED_PLAIN)
        o.pose = o.contrast = -1;
    return o;
}

/* With the paper's backbone, its Lambda and Theta. */
static recon_maps_options maps_of(const lab_settings *s)
{
    int paper = s->preset == RECON_PRESET_PAPER;
    return (recon_maps_options){ .seed = s->seed,
                                 .heads = paper ? RECON_HEADS_PAPER : RECON_HEADS_MLP };
}

/* Backbone, Algorithm 1 and maps, from training images alone, into dir. */
static recon_status train_model(recon_ctx *ctx, const lab_settings *s, recon_trained kind,
                                const char *dir)
{
    recon_ieae_options o = options_of(ctx, s, kind);
    recon_discover_options d = { .k = K,
                                 .lambda = kind == RECON_TRAINED_DENSITY ? RECON_LAMBDA_DENSITY
                                                                         : RECON_LAMBDA_HEAD,
                                 .mean = { .kind = s->what->mean },
                                 .family = s->what->family,
                                 .maps = maps_of(s),
                                 .precision = s->precision,
                                 .keep_embeddings = 1,
                                 .folds = -1, /* they are for few inputs */
                                 .data = s->what->name };
    recon_dataset *data = NULL;
    recon_train_result trained;
    recon_discovery found = { 0 };
    char backbone[4096];
    recon_status status;
    snprintf(backbone, sizeof backbone, "%s/backbone.safetensors", dir);
    RECON_TRY(recon_folder_make(ctx, dir));
    RECON_TRY(reproduce_training(ctx, &data, s, s->limit));
    RECON_TRY(recon_ieae_train(ctx, &trained, data, backbone, &o));
    RECON_TRY(recon_discover(ctx, &found, backbone, NULL, recon_dataset_data(data), dir, &d));
    recon_log(ctx, RECON_LOG_INFO, "seed %zu, backbone %s: trained in %.0f s, discovered in %.0f s",
              s->seed, recon_trained_name(kind), trained.seconds, found.seconds.total);
done:
    recon_discovery_free(&found);
    recon_dataset_close(data);
    return status;
}

/* Preset paper has the reconstruction alone, and the paper's heads; no other preset has them. */
static int is_asked(const lab_settings *s, recon_trained kind)
{
    if (s->preset == RECON_PRESET_PAPER || kind == RECON_TRAINED_RECIPE)
        return s->preset == RECON_PRESET_PAPER && kind == RECON_TRAINED_RECIPE;
    return !s->backbone || s->backbone == (int)kind;
}

/* Every kind of backbone that is asked for, into dir/KIND. */
static recon_status train_models(recon_ctx *ctx, lab_settings *s, const char *dir,
                                 model_path path[RECON_TRAINED_KINDS])
{
    RECON_CHECK(recon_folder_make(ctx, s->out));
    RECON_CHECK(recon_folder_make(ctx, dir));
    for (int k = 0; k < RECON_TRAINED_KINDS; k++) {
        recon_trained kind = (recon_trained)k;
        char into[2100];
        if (!is_asked(s, kind))
            continue;
        snprintf(into, sizeof into, "%s/%s", dir, recon_trained_name(kind));
        snprintf(path[k], sizeof(model_path), "%s/model.safetensors", into);
        RECON_CHECK(train_model(ctx, s, kind, into));
        s->of[k] = path[k];
    }
    return RECON_OK;
}

/* SGM has learned no labels: its poses agree, or they do not. */
static void say_trained(recon_ctx *ctx, size_t seed, rival_kind kind, const recon_train_result *r)
{
    if (kind == RIVAL_SGM)
        recon_log(ctx, RECON_LOG_INFO,
                  "seed %zu, %s: trained in %.0f s; poses of two views of an image held out "
                  "disagree by %.4f, as 1 - cosine",
                  seed, rival_name(kind), r->seconds, r->best);
    else
        recon_log(
            ctx, RECON_LOG_INFO,
            "seed %zu, %s: trained in %.0f s; %.2f %% of the rotated images held out are right",
            seed, rival_name(kind), r->seconds, 100 * (1 - r->best));
}

/* The networks of --baselines, into dir/KEY.safetensors; those of the set's upright images. */
static recon_status train_rivals(recon_ctx *ctx, lab_settings *s, const char *dir,
                                 model_path path[RIVAL_KINDS])
{
    recon_dataset *data = NULL, *some = NULL;
    recon_classifier *frozen = NULL;
    recon_train_result trained;
    recon_status status;
    RECON_TRY(recon_folder_make(ctx, s->out));
    RECON_TRY(recon_folder_make(ctx, dir));
    RECON_TRY(recon_dataset_open(ctx, &data, s->what->name));
    if (s->limit && s->limit < recon_dataset_describe(data).n)
        RECON_TRY(recon_dataset_take(ctx, &some, data, s->limit, TAKE_SEED));
    RECON_TRY(recon_classifier_open(ctx, &frozen, s->classifier));
    RECON_TRY(recon_evaluate_check_classifier(ctx, frozen, s->classifier, data, s->what->name));
    const rival_options o = { .epochs = s->rival ? s->epochs : 0,
                              .seed = s->seed,
                              .rule = s->what->rule,
                              .frozen = frozen,
                              .precision = s->precision,
                              .resume = s->resume,
                              .overwrite = s->overwrite };
    for (int k = 0; k < RIVAL_KINDS; k++) {
        if (s->rival && s->rival - 1 != k)
            continue;
        snprintf(path[k], sizeof(model_path), "%s/%s.safetensors", dir, rival_name((rival_kind)k));
        RECON_TRY(rival_train(ctx, &trained, (rival_kind)k, some ? some : data, path[k], &o));
        say_trained(ctx, s->seed, (rival_kind)k, &trained);
        s->rivals[k] = path[k];
    }
done:
    recon_classifier_close(ctx, frozen);
    recon_dataset_close(some);
    recon_dataset_close(data);
    return status;
}

/* The same for molecules. */
static recon_status train_molecules(recon_ctx *ctx, const lab_settings *s, const char *dir)
{
    recon_molecule_net_options o = { .shape = { .preset = (recon_preset)s->preset },
                                     .epochs = s->epochs,
                                     .seed = s->seed,
                                     .precision = s->precision,
                                     .resume = s->resume,
                                     .overwrite = s->overwrite };
    recon_discover_options d = { .maps = maps_of(s),
                                 .precision = s->precision,
                                 .folds = -1,
                                 .data = s->data ? s->data : "conformers" };
    recon_molecules *whole = NULL, *data = NULL, *held = NULL;
    recon_train_result trained;
    recon_discovery found = { 0 };
    char backbone[4096];
    recon_status status;
    snprintf(backbone, sizeof backbone, "%s/backbone.safetensors", dir);
    RECON_TRY(recon_folder_make(ctx, s->out));
    RECON_TRY(recon_folder_make(ctx, dir));
    RECON_TRY(molecule_reproduce_open(ctx, &whole, s));
    RECON_TRY(molecule_reproduce_rotated(ctx, &data, whole, s, "train"));
    RECON_TRY(molecule_reproduce_rotated(ctx, &held, whole, s, "val"));
    RECON_TRY(recon_molecule_net_train(ctx, &trained, data, held, backbone, &o));
    RECON_TRY(recon_discover(ctx, &found, backbone, NULL, recon_molecules_data(data), dir, &d));
    recon_log(ctx, RECON_LOG_INFO, "seed %zu: trained in %.0f s, discovered in %.0f s", s->seed,
              trained.seconds, found.seconds.total);
done:
    recon_discovery_free(&found);
    recon_molecules_close(held);
    recon_molecules_close(data);
    recon_molecules_close(whole);
    return status;
}

/* One of the networks of --baselines, of upright conformers; those of val, rotated, choose the
 * epoch. */
static recon_status train_graph(recon_ctx *ctx, const lab_settings *s, const char *name,
                                const char *path, const recon_gcn *frozen)
{
    recon_molecules *whole = NULL, *data = NULL, *held = NULL;
    recon_train_result trained;
    const segnn_options o = { .epochs = s->rival ? s->epochs : 0,
                              .seed = s->seed,
                              .precision = s->precision,
                              .frozen = frozen,
                              .resume = s->resume,
                              .overwrite = s->overwrite };
    recon_status status;
    RECON_TRY(molecule_reproduce_open(ctx, &whole, s));
    RECON_TRY(recon_molecules_part(ctx, &data, whole, "train"));
    RECON_TRY(molecule_reproduce_rotated(ctx, &held, whole, s, "val"));
    RECON_TRY(segnn_train(ctx, &trained, data, held, path, &o));
    recon_log(ctx, RECON_LOG_INFO,
              "seed %zu, %s: trained in %.0f s; %.2f %% of the rotated conformers of val are right",
              s->seed, name, trained.seconds, 100 * (1 - trained.best));
done:
    recon_molecules_close(held);
    recon_molecules_close(data);
    recon_molecules_close(whole);
    return status;
}

/* The networks of --baselines, into dir/KEY.safetensors: the SEGNN classifier, and where there is a
 * frozen classifier EquiAdapt's canonicalizer in front of it. */
static recon_status train_graphs(recon_ctx *ctx, lab_settings *s, const char *dir,
                                 model_path path[2])
{
    int only = s->rival - 1; /* -1: both */
    recon_gcn *frozen = NULL;
    recon_status status;
    RECON_TRY(recon_folder_make(ctx, s->out));
    RECON_TRY(recon_folder_make(ctx, dir));
    snprintf(path[0], sizeof(model_path), "%s/segnn.safetensors", dir);
    snprintf(path[1], sizeof(model_path), "%s/equiadapt.safetensors", dir);
    if (only < 0 || only == RIVAL_KINDS) {
        RECON_TRY(train_graph(ctx, s, "segnn", path[0], NULL));
        s->segnn = path[0];
    }
    if (s->classifier && (only < 0 || only == RIVAL_EQUIADAPT)) {
        RECON_TRY(recon_gcn_open(ctx, &frozen, s->classifier));
        RECON_TRY(train_graph(ctx, s, rival_name(RIVAL_EQUIADAPT), path[1], frozen));
        s->rivals[RIVAL_EQUIADAPT] = path[1];
    }
done:
    recon_gcn_close(ctx, frozen);
    return status;
}

/* --- runs ------------------------------------------------------------------------------------- */

static recon_status measure_molecules(recon_ctx *ctx, json_t **out, json_t *figures,
                                      const lab_settings *s)
{
    molecule_reproduction r;
    recon_status status;
    RECON_TRY(molecule_reproduce_measure(ctx, &r, s));
    *out = json_incref(r.out);
    if (s->figures) {
        RECON_TRY(recon_folder_make(ctx, s->figures));
        RECON_TRY(molecule_reproduce_figures(ctx, figures, &r, s->figures));
    }
done:
    molecule_reproduce_free(ctx, &r);
    return status;
}

/* Labels of neighbours, by the first model: that of the paper's kind, where there is one. */
static void take_neighbours(image_trial *t, const reproduction *r)
{
    baseline *b = &t->baseline[BASELINE_KNN];
    if (b->weights)
        return;
    *b = (baseline){ .accuracy = r->knn,
                     .ms = r->knn_ms,
                     .weights = recon_backbone_weights(r->model->backbone) };
    snprintf(b->reason, sizeof b->reason, "the codes that the model keeps have no labels");
}

/* One model; the figures are those of the first. */
static recon_status measure_model(recon_ctx *ctx, json_t *models, json_t *figures,
                                  image_trial *trial, const char *path)
{
    const char *dir = trial->settings->figures;
    reproduction *r = NULL; /* large */
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &r, 1, sizeof *r));
    RECON_TRY(reproduce_measure(ctx, r, trial, path));
    if (dir && json_object_size(models) == 0) {
        RECON_TRY(recon_folder_make(ctx, dir));
        RECON_TRY(reproduce_figures(ctx, figures, r, dir));
    }
    take_neighbours(trial, r);
    json_object_set(models, recon_trained_name(r->trained), r->out);
done:
    if (r)
        reproduce_free(ctx, r);
    free(r);
    return status;
}

static recon_status measure_images(recon_ctx *ctx, json_t **out, json_t *figures,
                                   const lab_settings *s)
{
    double begun = recon_now();
    image_trial *trial = NULL; /* large */
    json_t *models = json_object();
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &trial, 1, sizeof *trial));
    RECON_TRY(trial_open(ctx, trial, s));
    if (s->baselines)
        RECON_TRY(baselines_measure_images(ctx, trial->baseline, trial));
    for (int kind = 0; kind < RECON_TRAINED_KINDS; kind++)
        if (s->of[kind])
            RECON_TRY(measure_model(ctx, models, figures, trial, s->of[kind]));
    *out = reproduce_json(trial, models);
    recon_json_put(out, "seconds", json_real(recon_now() - begun));
done:
    json_decref(models);
    if (trial)
        trial_free(ctx, trial);
    free(trial);
    return status;
}

static recon_status measure(recon_ctx *ctx, json_t **out, const lab_settings *s)
{
    json_t *list = json_array();
    recon_status status;
    *out = NULL;
    RECON_TRY((s->what ? measure_images : measure_molecules)(ctx, out, list, s));
    if (!*out)
        RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "out of memory"));
    if (s->figures)
        json_object_set(*out, "figures", list);
done:
    json_decref(list);
    return status;
}

/* The run with this seed; the figures are those of the first. */
static recon_status train_and_measure(recon_ctx *ctx, json_t **out, const lab_settings *s,
                                      size_t seed)
{
    lab_settings one = *s;
    char dir[2048];
    model_path model[RECON_TRAINED_KINDS], rivals[RIVAL_KINDS], graphs[2];
    snprintf(dir, sizeof dir, "%s/seed-%zu", s->out, seed);
    one.seed = seed;
    one.figures = seed == s->seed ? s->figures : NULL;
    if (s->what && s->baselines)
        RECON_CHECK(train_rivals(ctx, &one, dir, rivals));
    if (!s->what && s->baselines)
        RECON_CHECK(train_graphs(ctx, &one, dir, graphs));
    if (s->rival) {
        one.train =
            0; /* no backbone is trained; of molecules it is the one that comes with recon */
    } else if (s->what) {
        RECON_CHECK(train_models(ctx, &one, dir, model));
    } else {
        snprintf(model[0], sizeof model[0], "%s/model.safetensors", dir);
        one.models[0] = model[0];
        one.embeddings = dir;
        RECON_CHECK(train_molecules(ctx, &one, dir));
    }
    return measure(ctx, out, &one);
}

static recon_status run_one(recon_ctx *ctx, json_t **out, const lab_settings *s, size_t i)
{
    return s->train ? train_and_measure(ctx, out, s, s->seed + i) : measure(ctx, out, s);
}

recon_status reproduce_run(recon_ctx *ctx, json_t **result, const lab_settings *given)
{
    lab_settings s = *given;
    model_path model[RECON_TRAINED_KINDS], rivals[RIVAL_KINDS], graphs, classifier;
    *result = NULL;
    if (s.figures)
        RECON_CHECK(try_folder(ctx, s.figures));
    if (!s.what)
        RECON_CHECK(find_model(ctx, &s, model[0]));
    else if (!s.models[0] && !s.train && !s.rival)
        RECON_CHECK(find_models(ctx, &s, model));
    if ((s.baselines || s.figures) && !s.data) { /* SGM's canonicals are a figure */
        find_rivals(ctx, &s, rivals);
        if (!s.what && recon_shipped_find(ctx, graphs, sizeof graphs, "models",
                                          "conformers-segnn.safetensors", "") == RECON_OK)
            s.segnn = graphs;
    }
    RECON_CHECK(find_classifier(ctx, &s, classifier, sizeof classifier));
    RECON_CHECK(sort_models(ctx, &s));
    RECON_CHECK(lab_repeat(ctx, result, &s, run_one));
    if (s.figures)
        RECON_CHECK(reproduce_page(ctx, s.figures, *result));
    return RECON_OK;
}

typedef double merge(const double *values, size_t n);

static double mean(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

static double deviation(const double *v, size_t n)
{
    double m = mean(v, n), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (v[i] - m) * (v[i] - m);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

/* The same place in every run; what is no number is taken from the first. */
static json_t *merged(json_t *const *runs, size_t n, merge *how)
{
    json_t *parts[MAX_SEEDS], *value, *out = NULL;
    double numbers[MAX_SEEDS];
    const char *key;
    size_t index;
    if (json_is_real(runs[0])) {
        for (size_t i = 0; i < n; i++)
            numbers[i] = json_number_value(runs[i]);
        return json_real(how(numbers, n));
    }
    if (json_is_object(runs[0])) {
        out = json_object();
        json_object_foreach(runs[0], key, value)
        {
            for (size_t i = 0; i < n; i++)
                parts[i] = json_object_get(runs[i], key);
            json_object_set_new(out, key, merged(parts, n, how));
        }
    } else if (json_is_array(runs[0])) {
        out = json_array();
        json_array_foreach(runs[0], index, value)
        {
            for (size_t i = 0; i < n; i++)
                parts[i] = json_array_get(runs[i], index);
            json_array_append_new(out, merged(parts, n, how));
        }
    } else {
        out = json_incref(runs[0]);
    }
    return out;
}

/* The mean stands where one run's numbers would, deviations and runs behind it. */
static json_t *summary(json_t *const *runs, size_t n)
{
    json_t *out = merged(runs, n, mean), *spread = merged(runs, n, deviation), *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append(list, runs[i]);
    json_object_del(spread, "paper");
    json_object_set_new(out, "seeds", json_integer((json_int_t)n));
    json_object_set_new(out, "spread", spread);
    json_object_set_new(out, "runs", list);
    return out;
}

recon_status lab_repeat(recon_ctx *ctx, json_t **result, const lab_settings *s, lab_one *one)
{
    json_t *runs[MAX_SEEDS] = { NULL };
    recon_status status = RECON_OK;
    *result = NULL;
    for (size_t i = 0; status == RECON_OK && i < s->seeds; i++)
        status = one(ctx, &runs[i], s, i);
    if (status == RECON_OK)
        *result = s->seeds == 1 ? json_incref(runs[0]) : summary(runs, s->seeds);
    for (size_t i = 0; i < MAX_SEEDS; i++)
        json_decref(runs[i]);
    return status;
}
