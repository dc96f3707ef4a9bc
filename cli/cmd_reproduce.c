/* cmd_reproduce.c - recon reproduce: the paper's tables, ours beside theirs. */
#include "cli/reproduce_mol.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/shipped.h"

#include <errno.h>
#include <recon/apps/discover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEVICE_CUDA = 1 };

static int run(int argc, char **argv);
const cli_command cli_reproduce = {
    .name = "reproduce",
    .purpose = "the paper's tables, ours beside theirs",
    .arguments = "mnist|fashion|molecules",
    .example =
        "  recon reproduce mnist --quick\n"
        "  recon reproduce fashion --figures out/\n"
        "  recon reproduce molecules\n"
        "  recon reproduce mnist --train --limit 12000 --seeds 3 --device cuda --out runs/\n"
        "\n"
        "Images or conformers of the test split are turned as in the paper and go, canonicalised\n"
        "in several ways, before a frozen classifier that has seen upright ones alone. Training\n"
        "data are turned with seed 1, test data with seed 2. The test split is only read: models,\n"
        "epochs and settings were chosen on a part of the training split, of molecules on\n"
        "conformers/val. Labels and true rotations are used to measure, by nothing else. --quick\n"
        "takes 2,000 test images and 12,000 training images, fewer on a slow machine; of "
        "molecules\n"
        "every sixth. Models are looked for in models/, or made by --train: a backbone and its\n"
        "maps for each seed, under OUT/seed-S/.",
    .run = run,
};

static int parse(reproduce_settings *s, const char **word, int argc, char **argv)
{
    const cli_option options[] = {
        { "--quick", NULL, NULL, "a part of the data: minutes on two cores", CLI_FLAG, 0,
          &s->quick },
        { "--figures", "DIR", NULL, "write the figures there, as SVG", CLI_TEXT, 0, &s->figures },
        { "--model", "MODEL", NULL, "what `recon discover` wrote (default: the shipped one)",
          CLI_MODEL, 0, &s->model },
        { "--classifier", "MODEL", NULL,
          "what `recon classifier train` wrote (default: the shipped one)", CLI_TEXT, 0,
          &s->classifier },
        { "--embeddings", "DIR", NULL,
          "z.npy and g.npy of the training images, as `recon discover` keeps them",
          CLI_TEXT | CLI_IMAGES, 0, &s->embeddings },
        { "--images", "N", NULL, "of the test split (default all)", CLI_COUNT | CLI_IMAGES, 0,
          &s->images },
        { "--limit", "N", NULL, "of the training split (default all; the paper has 12000 of MNIST)",
          CLI_COUNT | CLI_IMAGES, 0, &s->limit },
        { "--preset", NULL, "fast|paper|small", "which model (default fast)", CLI_CHOICE, 0,
          &s->preset },
        { "--train", NULL, NULL, "train the model instead of taking a shipped one", CLI_FLAG, 0,
          &s->train },
        { "--out", "DIR", NULL, "with --train: for the models", CLI_TEXT, 0, &s->out },
        { "--epochs", "N", NULL,
          "with --train: times through the data (default: the shipped model's)", CLI_COUNT, 0,
          &s->epochs },
        { "--seed", "S", NULL, "with --train: of the first model (default 1)", CLI_COUNT, 0,
          &s->seed },
        { "--seeds", "N", NULL, "with --train: how many models, for mean and spread (default 1)",
          CLI_COUNT, 0, &s->seeds },
        { "--resume", NULL, NULL, "with --train: go on where a stopped run left off", CLI_FLAG, 0,
          &s->resume },
        { "--device", NULL, "cpu|cuda|ref", "where to compute (default cpu)", CLI_CHOICE, 0,
          &s->device },
        { "--precision", NULL, CLI_PRECISIONS, CLI_PRECISION_HELP, CLI_CHOICE, 0, &s->precision },
        { "--deterministic", NULL, NULL, "with cuda: the same bits in every run, more slowly",
          CLI_FLAG, 0, &s->deterministic },
        { 0 },
    };
    return cli_parse(&cli_reproduce, options, &s->common, argc, argv, word, 1, NULL);
}

static int check(reproduce_settings *s, const char *word)
{
    s->what = word ? experiment_find(word) : NULL;
    if (!s->what && (!word || strcmp(word, "molecules") != 0))
        return cli_misuse(&cli_reproduce, "%s%s%s", word ? "'" : "say mnist, fashion or molecules",
                          word ? word : "", word ? "' is not mnist, fashion or molecules" : "");
    if (!s->what && (s->embeddings || s->images || s->limit))
        return cli_misuse(&cli_reproduce, "%s is for images",
                          s->embeddings ? "--embeddings"
                          : s->images   ? "--images"
                                        : "--limit");
    if (s->train && !s->out)
        return cli_misuse(&cli_reproduce, "--train needs --out DIR");
    if (s->train && (s->model || s->embeddings))
        return cli_misuse(&cli_reproduce, "--train makes what %s would name",
                          s->model ? "--model" : "--embeddings");
    if (!s->train && (s->seed || s->seeds || s->epochs || s->out || s->resume))
        return cli_misuse(&cli_reproduce, "%s is for --train",
                          s->seed     ? "--seed"
                          : s->seeds  ? "--seeds"
                          : s->epochs ? "--epochs"
                          : s->out    ? "--out"
                                      : "--resume");
    if (s->seeds > MAX_SEEDS)
        return cli_misuse(&cli_reproduce, "--seeds %zu: %d at most", s->seeds, MAX_SEEDS);
    s->seed = s->seed ? s->seed : 1;
    s->seeds = s->seeds ? s->seeds : 1;
    return -1;
}

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
    if (s->classifier)
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

static recon_status make_folder(recon_ctx *ctx, const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_IO, "%s: cannot make the folder: %s", path, strerror(errno));
}

/* Before the long work, not after it; what was made to try is taken away again. */
static recon_status try_folder(recon_ctx *ctx, const char *path)
{
    struct stat before;
    int there = stat(path, &before) == 0;
    recon_status status = make_folder(ctx, path);
    if (status == RECON_OK && !there)
        rmdir(path);
    return status;
}

/* Backbone, Algorithm 1 and maps, from training images alone, into dir. */
static recon_status train_model(recon_ctx *ctx, const reproduce_settings *s, const char *dir)
{
    recon_precision precision = cli_precision(ctx, s->precision);
    recon_ieae_options o = { .shape = { .preset = (recon_preset)s->preset } };
    recon_discover_options d = { .k = K,
                                 .family = s->what->family,
                                 .maps = { .seed = s->seed },
                                 .precision = precision,
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
    o.precision = precision;
    o.resume = s->resume;
    snprintf(backbone, sizeof backbone, "%s/backbone.safetensors", dir);
    RECON_TRY(make_folder(ctx, s->out));
    RECON_TRY(make_folder(ctx, dir));
    RECON_TRY(reproduce_training(ctx, &data, s, s->limit));
    RECON_TRY(recon_ieae_train(ctx, &trained, data, backbone, &o));
    RECON_TRY(recon_discover(ctx, &found, backbone, data, dir, &d));
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
    recon_precision precision = cli_precision(ctx, s->precision);
    recon_molnet_options o = { .shape = { .preset = (recon_preset)s->preset },
                               .epochs = s->epochs,
                               .seed = s->seed,
                               .precision = precision,
                               .resume = s->resume };
    recon_moldiscover_options d = { .maps = { .seed = s->seed },
                                    .precision = precision,
                                    .data = "conformers" };
    recon_molecules *data = NULL, *held = NULL;
    recon_train_result trained;
    recon_moldiscovery found = { 0 };
    char backbone[4096];
    recon_status status;
    snprintf(backbone, sizeof backbone, "%s/backbone.safetensors", dir);
    RECON_TRY(make_folder(ctx, s->out));
    RECON_TRY(make_folder(ctx, dir));
    RECON_TRY(mol_reproduce_turned(ctx, &data, "conformers/train", TRAIN_SEED));
    RECON_TRY(mol_reproduce_turned(ctx, &held, "conformers/val", TRAIN_SEED));
    RECON_TRY(recon_molnet_train(ctx, &trained, data, held, backbone, &o));
    RECON_TRY(recon_moldiscover(ctx, &found, backbone, data, dir, &d));
    recon_log(ctx, RECON_LOG_INFO, "seed %zu: trained in %.0f s, discovered in %.0f s", s->seed,
              trained.seconds, found.seconds.total);
done:
    recon_moldiscovery_free(&found);
    recon_molecules_close(held);
    recon_molecules_close(data);
    return status;
}

/* --- runs ------------------------------------------------------------------------------------- */

static recon_status measure_molecules(recon_ctx *ctx, json_t **out, json_t *figures,
                                      const reproduce_settings *s)
{
    mol_reproduction r;
    recon_status status;
    RECON_TRY(mol_reproduce_measure(ctx, &r, s));
    if (s->figures) {
        RECON_TRY(make_folder(ctx, s->figures));
        RECON_TRY(mol_reproduce_figures(ctx, figures, &r, s->figures));
    }
    *out = mol_reproduce_json(&r);
done:
    mol_reproduce_free(ctx, &r);
    return status;
}

static recon_status measure_images(recon_ctx *ctx, json_t **out, json_t *figures,
                                   const reproduce_settings *s)
{
    reproduction r;
    recon_status status;
    RECON_TRY(reproduce_measure(ctx, &r, s));
    if (s->figures) {
        RECON_TRY(make_folder(ctx, s->figures));
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

static recon_status show(recon_ctx *ctx, const reproduce_settings *s, json_t *const *runs, size_t n)
{
    json_t *result = n > 1 ? reproduce_mean(runs, n) : json_incref(runs[0]);
    json_t *spread = n > 1 ? reproduce_spread(runs, n) : NULL;
    recon_status status = RECON_OK;
    if (!s->common.json && !s->common.quiet)
        (s->what ? reproduce_print : mol_reproduce_print)(result, spread);
    if (spread)
        add_runs(result, spread, runs, n);
    if (s->common.json)
        status = cli_print_json(ctx, json_incref(result));
    json_decref(spread);
    json_decref(result);
    return status;
}

static recon_status work(recon_ctx *ctx, const void *given)
{
    static const char *const devices[] = { "cpu", "cuda", "ref" };
    reproduce_settings s = *(const reproduce_settings *)given;
    char model[4096], classifier[4096];
    json_t *runs[MAX_SEEDS] = { NULL };
    recon_status status;
    RECON_TRY(recon_ops_attach(ctx, s.device == DEVICE_CUDA && s.deterministic
                                        ? "cuda-deterministic"
                                        : devices[s.device]));
    cli_note_precision(ctx, s.precision);
    if (s.figures)
        RECON_TRY(try_folder(ctx, s.figures));
    RECON_TRY(find_model(ctx, &s, model, sizeof model));
    RECON_TRY(find_classifier(ctx, &s, classifier, sizeof classifier));
    for (size_t i = 0; i < s.seeds; i++)
        RECON_TRY(s.train ? train_and_measure(ctx, &runs[i], &s, s.seed + i)
                          : measure(ctx, &runs[i], &s));
    RECON_TRY(show(ctx, &s, runs, s.seeds));
done:
    for (size_t i = 0; i < MAX_SEEDS; i++)
        json_decref(runs[i]);
    return status;
}

static int run(int argc, char **argv)
{
    reproduce_settings s = { 0 };
    const char *word = NULL;
    int code = parse(&s, &word, argc, argv);
    if (code < 0)
        code = check(&s, word);
    return code >= 0 ? code : cli_run(&cli_reproduce, &s.common, work, &s);
}
