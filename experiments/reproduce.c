/* reproduce.c - runs of an experiment: the models it needs, found or trained, and what was
 * measured. */
#include "experiments/reproduce_molecules.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/shipped.h"

#include <recon/model/discover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- models ----------------------------------------------------------------------------------- */

/* What models and sets of an experiment are called. */
static const char *name_of(const reproduce_settings *s)
{
    return s->what ? s->what->name : "conformers";
}

static recon_status find_classifier(recon_ctx *ctx, reproduce_settings *s, char *path, size_t room)
{
    const char *name = name_of(s);
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

static recon_status find_model(recon_ctx *ctx, reproduce_settings *s, char *path, size_t room)
{
    const char *name = name_of(s), *preset = recon_preset_name((recon_preset)s->preset);
    int plain = s->preset == RECON_PRESET_FAST;
    char file[64], remedy[256];
    if (s->model || s->train)
        return RECON_OK;
    snprintf(file, sizeof file, "%s%s%s.safetensors", name, plain ? "" : "-", plain ? "" : preset);
    snprintf(remedy, sizeof remedy,
             "`recon reproduce %s --train --preset %s --out DIR` makes one, --model names another",
             s->what ? name : "molecules", preset);
    s->model = path;
    return recon_shipped_find(ctx, path, room, "models", file, remedy);
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

/* Backbone, Algorithm 1 and maps, from training images alone, into dir. */
static recon_status train_model(recon_ctx *ctx, const reproduce_settings *s, const char *dir)
{
    recon_ieae_options o = { .shape = { .preset = (recon_preset)s->preset } };
    recon_discover_options d = { .k = K,
                                 .family = s->what->family,
                                 .maps = { .seed = s->seed },
                                 .precision = s->precision,
                                 .keep_embeddings = 1,
                                 .data = s->what->name };
    recon_dataset *data = NULL;
    recon_train_result trained;
    recon_discovery found = { 0 };
    char backbone[4096];
    recon_status status;
    if (s->preset == RECON_PRESET_FAST)
        o = s->what->recipe;
    o.epochs = s->epochs ? s->epochs : o.epochs;
    o.seed = s->seed;
    o.threads = recon_ctx_threads(ctx);
    o.precision = s->precision;
    o.resume = s->resume;
    o.overwrite = s->overwrite;
    snprintf(backbone, sizeof backbone, "%s/backbone.safetensors", dir);
    RECON_TRY(recon_folder_make(ctx, s->out));
    RECON_TRY(recon_folder_make(ctx, dir));
    RECON_TRY(reproduce_training(ctx, &data, s, s->limit));
    RECON_TRY(recon_ieae_train(ctx, &trained, data, backbone, &o));
    RECON_TRY(recon_discover(ctx, &found, backbone, NULL, recon_dataset_data(data), dir, &d));
    recon_log(ctx, RECON_LOG_INFO, "seed %zu: trained in %.0f s, discovered in %.0f s", s->seed,
              trained.seconds, found.seconds.total);
done:
    recon_discovery_free(&found);
    recon_dataset_close(data);
    return status;
}

/* The same for molecules. */
static recon_status train_molecules(recon_ctx *ctx, const reproduce_settings *s, const char *dir)
{
    recon_molecule_net_options o = { .shape = { .preset = (recon_preset)s->preset },
                                     .epochs = s->epochs,
                                     .seed = s->seed,
                                     .precision = s->precision,
                                     .resume = s->resume,
                                     .overwrite = s->overwrite };
    recon_discover_options d = { .maps = { .seed = s->seed },
                                 .precision = s->precision,
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

/* --- runs ------------------------------------------------------------------------------------- */

static recon_status measure_molecules(recon_ctx *ctx, json_t **out, json_t *figures,
                                      const reproduce_settings *s)
{
    molecule_reproduction r;
    recon_status status;
    RECON_TRY(molecule_reproduce_measure(ctx, &r, s));
    if (s->figures) {
        RECON_TRY(recon_folder_make(ctx, s->figures));
        RECON_TRY(molecule_reproduce_figures(ctx, figures, &r, s->figures));
    }
    *out = molecule_reproduce_json(&r);
done:
    molecule_reproduce_free(ctx, &r);
    return status;
}

static recon_status measure_images(recon_ctx *ctx, json_t **out, json_t *figures,
                                   const reproduce_settings *s)
{
    reproduction r;
    recon_status status;
    RECON_TRY(reproduce_measure(ctx, &r, s));
    if (s->figures) {
        RECON_TRY(recon_folder_make(ctx, s->figures));
        RECON_TRY(reproduce_figures(ctx, figures, &r, s->figures));
    }
    *out = reproduce_json(&r);
done:
    reproduce_free(ctx, &r);
    return status;
}

static recon_status measure(recon_ctx *ctx, json_t **out, const reproduce_settings *s)
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
static recon_status train_and_measure(recon_ctx *ctx, json_t **out, const reproduce_settings *s,
                                      size_t seed)
{
    reproduce_settings one = *s;
    char dir[2048], model[4096];
    recon_status status;
    snprintf(dir, sizeof dir, "%s/seed-%zu", s->out, seed);
    snprintf(model, sizeof model, "%s/model.safetensors", dir);
    one.seed = seed;
    one.model = model;
    one.embeddings = dir;
    one.figures = seed == s->seed ? s->figures : NULL;
    RECON_TRY((s->what ? train_model : train_molecules)(ctx, &one, dir));
    RECON_TRY(measure(ctx, out, &one));
done:
    return status;
}

/* Several runs: the mean stands where one run's numbers would, spread and runs behind it. */
static void add_runs(json_t *result, json_t *spread, json_t *const *runs, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append(list, runs[i]);
    json_object_set_new(result, "seeds", json_integer((json_int_t)n));
    json_object_set(result, "spread", spread);
    json_object_set_new(result, "runs", list);
}

recon_status reproduce_repeat(recon_ctx *ctx, json_t **result, json_t **spread, size_t times,
                              reproduce_one *one, const void *settings)
{
    json_t *runs[MAX_SEEDS] = { NULL };
    recon_status status = RECON_OK;
    *result = *spread = NULL;
    for (size_t i = 0; i < times; i++)
        RECON_TRY(one(ctx, &runs[i], settings, i));
    if (times == 1) {
        *result = json_incref(runs[0]);
        goto done;
    }
    *result = reproduce_mean(runs, times);
    *spread = reproduce_spread(runs, times);
    add_runs(*result, *spread, runs, times);
done:
    for (size_t i = 0; i < MAX_SEEDS; i++)
        json_decref(runs[i]);
    return status;
}

static recon_status run_one(recon_ctx *ctx, json_t **out, const void *settings, size_t i)
{
    const reproduce_settings *s = settings;
    return s->train ? train_and_measure(ctx, out, s, s->seed + i) : measure(ctx, out, s);
}

recon_status reproduce_run(recon_ctx *ctx, json_t **result, json_t **spread,
                           const reproduce_settings *given)
{
    reproduce_settings s = *given;
    char model[4096], classifier[4096];
    recon_status status;
    *result = *spread = NULL;
    if (s.figures)
        RECON_TRY(try_folder(ctx, s.figures));
    RECON_TRY(find_model(ctx, &s, model, sizeof model));
    RECON_TRY(find_classifier(ctx, &s, classifier, sizeof classifier));
    RECON_TRY(reproduce_repeat(ctx, result, spread, s.seeds, run_one, &s));
done:
    return status;
}
