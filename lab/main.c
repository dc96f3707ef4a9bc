/* main.c - recon-lab: the demo and the experiments, with their options. `recon demo` and `recon
 * reproduce` start it with the same arguments. */
#include "lab/lab.h"
#include "lab/reproduce.h"
#include "core/fail.h"
#include "core/text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* --- options ---------------------------------------------------------------------------------- */

/* Several experiments have the same option; where it means another thing there are two. */
enum { QUICK = 1, MODEL, MODELS, BACKBONE_MODEL, CLASSIFIER, FIGURES, FONTS, IMAGES, LIMIT, SIZE };
enum { TRAIN = SIZE + 1, RESUME, OVERWRITE, OUT, OUT_ALWAYS, EPOCHS, SEED, SEED_OF_SAMPLES, SEEDS };
enum { DATA = SEEDS + 1, CONFORMERS, ROTATE, AUGMENTED, LAWS, DRAWS, CROP, PRESET, PRESET_SMALL };
enum {
    PRESET_PHOTO = PRESET_SMALL + 1,
    PRESET_ANY,
    BACKBONE,
    EMBEDDINGS,
    RESAMPLE,
    RESAMPLE_TRAINING,
    BASELINES_OWN,
    BASELINES_IMAGES
};
enum {
    BASELINES_MOLECULES = BASELINES_IMAGES + 1,
    RIVAL,
    RIVAL_MOLECULES,
    READER,
    DEVICE,
    PRECISION,
    DETERMINISTIC,
    OPTIONS
};
enum { CUDA = 1 }; /* of devices */

#define AT(field) offsetof(lab_settings, field)
static const struct {
    const char *name, *value, *help;
    int kind;
    size_t at;
} options[OPTIONS] = {
    [QUICK] = { "--quick", NULL, "use part of the data: minutes on two cores", CLI_FLAG,
                AT(quick) },
    [MODEL] = { "--model", "MODEL", "what `recon discover` wrote (default: the shipped model)",
                CLI_MODEL, AT(models) },
    [MODELS] = { "--model", "MODEL",
                 "what `recon discover` wrote, one of each kind of backbone (default: "
                 "the shipped models)",
                 CLI_MODEL | CLI_MANY, AT(models) },
    [BACKBONE_MODEL] = { "--model", "MODEL", "what `recon train` wrote, instead of training",
                         CLI_MODEL, AT(models) },
    [CLASSIFIER] = { "--classifier", "MODEL",
                     "what `recon classifier train` wrote (default: the shipped one)",
                     CLI_TEXT | CLI_READS, AT(classifier) },
    [FIGURES] = { "--figures", "DIR",
                  "write the figures to DIR as SVG, and a page of all runs, DIR/report.html",
                  CLI_TEXT | CLI_WRITES, AT(figures) },
    [FONTS] = { "--fonts", "DIR", "folder of fonts (default /usr/share/fonts)",
                CLI_TEXT | CLI_READS, AT(fonts) },
    [IMAGES] = { "--images", "N", "number of test images (default all)", CLI_COUNT, AT(images) },
    [LIMIT] = { "--limit", "N", "number of training images, drawn at random (default all)",
                CLI_COUNT, AT(limit) },
    [SIZE] = { "--size", "N", "side of the model's inputs, in pixels", CLI_COUNT, AT(size) },
    [TRAIN] = { "--train", NULL, "train the models instead of using shipped ones", CLI_FLAG,
                AT(train) },
    [RESUME] = { "--resume", NULL, "with --train: continue an interrupted run", CLI_FLAG,
                 AT(resume) },
    [OVERWRITE] = { "--overwrite", NULL, "with --train: replace models in DIR", CLI_FLAG,
                    AT(overwrite) },
    [OUT] = { "--out", "DIR", "folder for the models, and for pictures that are drawn",
              CLI_TEXT | CLI_WRITES, AT(out) },
    [OUT_ALWAYS] = { "--out", "DIR", "folder for the pictures, and with --train for the model",
                     CLI_TEXT | CLI_WRITES, AT(out) },
    [EPOCHS] = { "--epochs", "N",
                 "training: passes over the data (default: the shipped model's, the preset's)",
                 CLI_COUNT, AT(epochs) },
    [SEED] = { "--seed", "S", "training: seed of the first model (default 1)", CLI_COUNT,
               AT(seed) },
    [SEED_OF_SAMPLES] = { "--seed", "S", "seed of the samples (default 1)", CLI_COUNT, AT(seed) },
    [SEEDS] = { "--seeds", "N", "training: number of models, for mean and spread (default 1)",
                CLI_COUNT, AT(seeds) },
    [DATA] = { "--data", "SPEC", "labelled test images", CLI_SPEC | CLI_REQUIRED, AT(data) },
    [CONFORMERS] = { "--data", "SPEC", "geom:FILE or flat:DIR in place of the shipped conformers",
                     CLI_SPEC, AT(data) },
    [ROTATE] = { "--rotate", "RULE", "rule of the rotations: mnist, fashion, all or a JSON file",
                 CLI_TEXT | CLI_RULE | CLI_REQUIRED, AT(rotate) },
    [AUGMENTED] = { "--augmented", "MODEL",
                    "a classifier trained with rotations (with --train it is trained)",
                    CLI_TEXT | CLI_READS, AT(augmented) },
    [LAWS] = { "--laws", "FILE", "kinds, distributions, counts and sizes, as JSON",
               CLI_TEXT | CLI_READS, AT(laws) },
    [DRAWS] = { "--draws", "N",
                "test images per letter and font, rotated as in training (default 2)", CLI_COUNT,
                AT(draws) },
    [CROP] = { "--crop", "none|auto", "as for `recon train`", CLI_CHOICE, AT(crop) },
    [PRESET] = { "--preset", "fast|paper|small", "with --train: which model (default fast)",
                 CLI_CHOICE, AT(preset) },
    [PRESET_SMALL] = { "--preset", "fast|paper|small", "which model (default small)", CLI_CHOICE,
                       AT(preset) },
    [PRESET_PHOTO] = { "--preset", "photo|photo-small",
                       "with --train: which model (default photo-small, or photo with cuda)",
                       CLI_CHOICE, AT(preset) },
    [PRESET_ANY] = { "--preset", "fast|paper|small|photo|photo-small",
                     "with --train: which model (default photo)", CLI_CHOICE, AT(preset) },
    [BACKBONE] = { "--backbone", "all|plain|terms|density",
                   "with --train: the kind of backbone to train (default all)", CLI_CHOICE,
                   AT(backbone) },
    [EMBEDDINGS] = { "--embeddings", "DIR",
                     "z.npy and g.npy of the training images, as `recon discover` keeps them",
                     CLI_TEXT | CLI_READS, AT(embeddings) },
    [RESAMPLE] = { "--resample", NULL,
                   "control: resample every image twice, so that sharpness does not reveal which "
                   "were rotated",
                   CLI_FLAG, AT(resample) },
    [RESAMPLE_TRAINING] = { "--resample", NULL,
                            "control: resample every image twice, so that sharpness does not "
                            "reveal which were rotated; with --train also the training images",
                            CLI_FLAG, AT(resample) },
    [BASELINES_OWN] = { "--baselines", NULL, "also measure other methods: alignment, averaging",
                        CLI_FLAG, AT(baselines) },
    [BASELINES_IMAGES] = { "--baselines", NULL,
                           "also measure other methods: equivariant classifiers, EquiAdapt, "
                           "alignment, averaging",
                           CLI_FLAG, AT(baselines) },
    [BASELINES_MOLECULES] = { "--baselines", NULL,
                              "also measure other methods: EquiAdapt, SEGNN, alignment", CLI_FLAG,
                              AT(baselines) },
    [RIVAL] = { "--rival", "all|augmented|escnn|equiadapt|partial_gcnn|sgm",
                "with --baselines: measure only this network, without a backbone (with --train: "
                "train it first; default all)",
                CLI_CHOICE, AT(rival) },
    [RIVAL_MOLECULES] = { "--rival", "all|equiadapt|segnn",
                          "with --baselines: measure only this network (with --train: train it "
                          "first; default all)",
                          CLI_CHOICE, AT(rival) },
    [READER] = { "--reader", "all|ppocr|tesseract", "which readers (default all)", CLI_CHOICE,
                 AT(reader) },
    [DEVICE] = { "--device", "cpu|cuda|ref", "device (default cpu)", CLI_CHOICE, AT(device) },
    [PRECISION] = { "--precision", CLI_PRECISIONS, CLI_PRECISION_HELP, CLI_CHOICE,
                    AT(precision_asked) },
    [DETERMINISTIC] = { "--deterministic", NULL, "with cuda: bit-identical runs, slower", CLI_FLAG,
                        AT(deterministic) },
};

/* Reads the command line by a list of options that ends with 0; -1 to go on, or the exit code. */
static int parse(const cli_command *command, lab_settings *s, const int *list, int argc,
                 char **argv)
{
    enum { KINDS = 15 };
    cli_option table[OPTIONS + 1] = { 0 };
    for (size_t n = 0; *list; list++, n++) {
        int choice = (options[*list].kind & KINDS) == CLI_CHOICE;
        table[n] = (cli_option){ .name = options[*list].name,
                                 .value = choice ? NULL : options[*list].value,
                                 .choices = choice ? options[*list].value : NULL,
                                 .help = options[*list].help,
                                 .kind = options[*list].kind,
                                 .out = (char *)s + options[*list].at };
    }
    return cli_parse(command, table, &s->common, argc, argv, NULL, 0, NULL);
}

/* --- what fits together: -1, or misuse -------------------------------------------------------- */

static int check_seeds(const cli_command *command, const lab_settings *s)
{
    return s->seeds > MAX_SEEDS
               ? cli_misuse(command, "--seeds %zu: must be at most %d", s->seeds, MAX_SEEDS)
               : -1;
}

/* An option of training is given without --train, or --train without --out. Seeds become 1 where
 * they are not given. */
static int check_training(const cli_command *command, lab_settings *s)
{
    const struct {
        const char *name;
        int given;
    } training[] = { { "--seed", s->seed != 0 },     { "--seeds", s->seeds != 0 },
                     { "--epochs", s->epochs != 0 }, { "--out", s->out != NULL },
                     { "--resume", s->resume },      { "--overwrite", s->overwrite } };
    for (size_t i = 0; !s->train && i < sizeof training / sizeof *training; i++)
        if (training[i].given)
            return cli_misuse(command, "%s needs --train", training[i].name);
    if (s->train && !s->out)
        return cli_misuse(command, "--train needs --out DIR");
    int code = check_seeds(command, s);
    s->seed = s->seed ? s->seed : 1;
    s->seeds = s->seeds ? s->seeds : 1;
    return code;
}

static int check_table(const cli_command *command, lab_settings *s)
{
    int given = s->models[0] != NULL, code = check_training(command, s);
    if (code >= 0)
        return code;
    if (s->rival && !s->baselines)
        return cli_misuse(command, "--rival needs --baselines");
    if (s->train && !s->rival && (given || s->embeddings))
        return cli_misuse(command, "--train cannot be used with %s",
                          given ? "--model" : "--embeddings");
    return -1;
}

static int check_set(const cli_command *command, lab_settings *s)
{
    int code = check_table(command, s);
    if (code >= 0)
        return code;
    if (s->preset == RECON_PRESET_PAPER && s->backbone > 1)
        return cli_misuse(command, "--preset paper is trained by reconstruction alone: "
                                   "--backbone plain, or another preset");
    if (s->rival && s->figures)
        return cli_misuse(command, "--figures are those of a backbone: leave out --rival");
    if (s->rival && s->backbone)
        return cli_misuse(command, "--rival trains no backbone");
    if (s->embeddings && !(s->models[0] && !s->models[1]))
        return cli_misuse(command, "--embeddings needs one --model, the one that made them");
    return !s->train && s->backbone ? cli_misuse(command, "--backbone needs --train") : -1;
}

/* All that is known of the other sets is asked for. */
static int check_images(const cli_command *command, lab_settings *s)
{
    if (!s->classifier)
        return cli_misuse(command, "--classifier MODEL, trained on upright images, is required");
    if (!s->models[0])
        return cli_misuse(command, "--model MODEL, what `recon discover` wrote, is required");
    return check_table(command, s);
}

/* Test conformers must be new to the model: only these have parts that say which they are. */
static int check_molecules(const cli_command *command, lab_settings *s)
{
    static const int rivals[] = { 0, 1 + RIVAL_EQUIADAPT, 1 + RIVAL_KINDS };
    int code = check_table(command, s);
    s->rival = rivals[s->rival];
    if (code >= 0 || !s->data)
        return code;
    if (strncmp(s->data, "geom:", 5) != 0 && strncmp(s->data, "flat:", 5) != 0)
        return cli_misuse(
            command,
            "--data %s: must be a set with a split, geom:FILE or flat:DIR; data/make-conformers "
            "makes one",
            s->data);
    return !s->models[0] && !s->train
               ? cli_misuse(command,
                            "--data %s needs --model MODEL, or --train --out DIR to train one",
                            s->data)
               : -1;
}

/* They are always trained, or with a backbone that is. */
static int check_letters(const cli_command *command, lab_settings *s)
{
    int code = check_seeds(command, s);
    if (code < 0 && s->models[0] && s->epochs)
        return cli_misuse(command, "--epochs cannot be used with --model, which replaces training");
    return code;
}

static int check_model(const cli_command *command, lab_settings *s)
{
    if (s->train && s->models[0])
        return cli_misuse(command, "--train cannot be used with --model");
    return check_training(command, s);
}

static int check_cifar(const cli_command *command, lab_settings *s)
{

    if (!s->train && s->limit)
        return cli_misuse(command, "--limit needs --train");
    s->preset = s->preset >= 0      ? (int)RECON_PRESET_PHOTO + s->preset
                : s->device == CUDA ? RECON_PRESET_PHOTO
                                    : RECON_PRESET_PHOTO_SMALL;
    return check_model(command, s);
}

/* Without --train, --out takes the pictures. */
static int check_words(const cli_command *command, lab_settings *s)
{
    const char *out = s->out;
    int code;
    if (!s->train && (s->limit || s->size || s->preset >= 0))
        return cli_misuse(command, "%s needs --train",
                          s->limit  ? "--limit"
                          : s->size ? "--size"
                                    : "--preset");
    s->preset = s->preset >= 0 ? s->preset : RECON_PRESET_PHOTO;
    s->out = s->train ? out : NULL;
    code = check_model(command, s);
    s->out = out;
    return code;
}

/* --- experiments ------------------------------------------------------------------------------ */

typedef struct {
    const char *name, *purpose, *example;
    const int *options;
    size_t seed, seeds; /* where they are not given */
    int preset;
    int (*check)(const cli_command *command, lab_settings *s); /* -1, or the exit code; or NULL */
    lab_run *run;
    lab_show *show;
} experiment_command;

#define ABOUT                                                                                      \
    "\n"                                                                                           \
    "The images or conformers of the test split are rotated as in the paper, canonicalized in\n"   \
    "several ways, and classified by a frozen classifier trained on upright inputs only.\n"        \
    "Training data are rotated with seed 1, test data with seed 2.\n"                              \
    "The test split was not used for any choice: models, epochs and settings were chosen on\n"     \
    "part of the training split. Labels and true rotations are used for evaluation only.\n"
#define ABOUT_MODELS                                                                                \
    "\n"                                                                                            \
    "Models are taken from models/, or trained with --train: one set of backbones and maps per\n"   \
    "seed, under OUT/seed-S/. The training recorded in a model's file decides which rows it\n"      \
    "fills: paper_recipe (the paper's network, recipe and heads), paper_algorithm (its algorithm\n" \
    "on our network: `train --plain`), the same with our pose and contrast terms (--no-density),\n" \
    "or recon (what the tool does by default: the pose density). Rows without a model are null,\n"  \
    "and the notes say why. docs/paper.md explains every row.\n"
#define ABOUT_QUICK                                                                                \
    "--quick uses 2,000 test images and 12,000 training images, fewer on a slow machine.\n"
#define ABOUT_FIGURES "With the same --figures DIR, several runs share one page."

#define LIST(...)                                                                                  \
    (const int[])                                                                                  \
    {                                                                                              \
        __VA_ARGS__, DEVICE, PRECISION, DETERMINISTIC, 0                                           \
    }
/* A set whose rotations are the paper's. */
#define A_SET                                                                                      \
    .options = LIST(QUICK, MODELS, CLASSIFIER, FIGURES, IMAGES, LIMIT, TRAIN, RESUME, OVERWRITE,   \
                    OUT, EPOCHS, SEED, SEEDS, PRESET, BACKBONE, EMBEDDINGS, RESAMPLE_TRAINING,     \
                    BASELINES_IMAGES, RIVAL),                                                      \
    .check = check_set, .run = reproduce_run, .show = reproduce_show

static const experiment_command commands[] = {
    { .name = "mnist",
      .purpose = "the paper's tables on MNIST",
      .example = "  recon reproduce mnist --quick\n"
                 "  recon reproduce mnist --model plain/ --model density/\n" ABOUT ABOUT_QUICK
                     ABOUT_MODELS ABOUT_FIGURES,
      A_SET },
    { .name = "mnist12k",
      .purpose = "the same with 12,000 training images, as in the paper",
      .example = "  recon reproduce mnist12k --train --seeds 3 --device cuda --out runs/\n"
                 "\n"
                 "See `recon reproduce mnist --help`.",
      A_SET },
    { .name = "fashion",
      .purpose = "the paper's tables on Fashion-MNIST",
      .example = "  recon reproduce fashion --figures out/\n"
                 "\n"
                 "See `recon reproduce mnist --help`.",
      A_SET },
    { .name = "images",
      .purpose = "the same tables on labelled images of your own",
      .example = "  recon reproduce images --data images:test/ --rotate rule.json --classifier "
                 "c.safetensors --model found/\n" ABOUT ABOUT_FIGURES,
      .options =
          LIST(QUICK, MODELS, CLASSIFIER, FIGURES, IMAGES, DATA, ROTATE, RESAMPLE, BASELINES_OWN),
      .check = check_images,
      .run = reproduce_run,
      .show = reproduce_show },
    { .name = "molecules",
      .purpose = "the paper's tables on molecules",
      .example =
          "  recon reproduce molecules --quick\n"
          "  recon reproduce molecules --data geom:qm9_crude.msgpack --train --out runs/ "
          "--device cuda\n" ABOUT "--quick uses every sixth conformer.\n" ABOUT_MODELS "\n"
          "--data SPEC: the same on other conformers, geom:FILE or flat:DIR with a split. They are\n"
          "assumed to be upright and are rotated as in the paper, all with seed 1. This needs --model\n"
          "or --train; without --classifier there are no accuracies.\n"
          "\n" ABOUT_FIGURES,
      .options = LIST(QUICK, MODEL, CLASSIFIER, FIGURES, TRAIN, RESUME, OVERWRITE, OUT, EPOCHS,
                      SEED, SEEDS, CONFORMERS, PRESET, BASELINES_MOLECULES, RIVAL_MOLECULES),
      .check = check_molecules,
      .run = reproduce_run,
      .show = molecule_reproduce_show },
    { .name = "estimators",
      .purpose = "the paper's simulations: means of samples on the circle",
      .example = "  recon reproduce estimators\n"
                 "\n"
                 "With the --figures DIR of other runs, all share one page.",
      .options = LIST(FIGURES, SEED_OF_SAMPLES),
      .seed = 1,
      .run = estimators_run,
      .show = estimators_show },
    { .name = "groups",
      .purpose = "simulated symmetries of rotations, by name",
      .example =
          "  recon reproduce groups\n"
          "\n"
          "Rotations that repeat one of 14 groups, other axes in each set, with noise and strays: how\n"
          "often the right one is named. The trial beside it uses angles alone and has no test of\n"
          "fit; its figures are of other sets. The papers show such symmetries and give no rates.",
      .options = LIST(QUICK, SEED_OF_SAMPLES),
      .seed = 1,
      .run = groups_run,
      .show = groups_show },
    { .name = "letters",
      .purpose = "letters of installed fonts, each kind with its own rotations",
      .example =
          "  recon reproduce letters\n"
          "\n"
          "A benchmark with known ground truth. A model is trained on the letters as by `recon train`\n"
          "and `recon discover`, and tested on fonts of other families, rotated by the same\n"
          "distributions and by any angle.",
      .options = LIST(QUICK, FONTS, SIZE, OUT, EPOCHS, SEED, SEEDS, BACKBONE_MODEL, LAWS, DRAWS,
                      CROP, PRESET_SMALL),
      .seed = 1,
      .seeds = 1,
      .preset = RECON_PRESET_SMALL,
      .check = check_letters,
      .run = letters_run,
      .show = letters_show },
    { .name = "cifar10",
      .purpose = "natural images in front of a frozen classifier",
      .example =
          "  recon reproduce cifar10\n"
          "  recon reproduce cifar10 --train --preset photo --device cuda --out runs/\n"
          "\n"
          "Images of CIFAR-10 (tools/get-cifar10 downloads them), upright, rotated by multiples of 45\n"
          "degrees (C8) and by any angle, and a frozen classifier trained on upright images. All\n"
          "images are rotated back, or only those whose pose has a p-value below P, which is chosen on\n"
          "cifar10/val. For comparison: averages over rotations, and a classifier trained with\n"
          "rotations (--augmented).",
      .options = LIST(QUICK, MODEL, CLASSIFIER, IMAGES, LIMIT, TRAIN, RESUME, OVERWRITE, OUT,
                      EPOCHS, SEED, AUGMENTED, PRESET_PHOTO),
      .preset = -1,
      .check = check_cifar,
      .run = cifar_run,
      .show = cifar_show },
    { .name = "words",
      .purpose = "words at any angle in front of frozen OCR readers",
      .example =
          "  recon reproduce words\n"
          "\n"
          "Words of Debian's dictionary drawn in installed fonts, upright and at any angle, and two\n"
          "frozen OCR readers (tools/setup words gets them): PP-OCRv4 and Tesseract. Each reads the\n"
          "words as they come, after its own remedy, rotated by the model, and rotated only where the\n"
          "p-value of the pose is below 0.01. The model learned from other words in other fonts;\n"
          "--train makes one.",
      .options = LIST(QUICK, MODEL, FONTS, IMAGES, LIMIT, SIZE, TRAIN, RESUME, OVERWRITE, EPOCHS,
                      SEED, OUT_ALWAYS, PRESET_ANY, READER),
      .preset = -1,
      .check = check_words,
      .run = words_run,
      .show = words_show },
    { 0 },
};

/* --- one of them ------------------------------------------------------------------------------ */

static recon_status attach(recon_ctx *ctx, lab_settings *s)
{
    static const char *const devices[] = { "cpu", "cuda", "ref" };
    int exact = s->device == CUDA && s->deterministic;
    RECON_CHECK(recon_ops_attach(ctx, exact ? "cuda-deterministic" : devices[s->device]));
    cli_note_precision(ctx, s->precision_asked);
    s->precision = cli_precision(ctx, s->precision_asked);
    return RECON_OK;
}

typedef struct {
    const experiment_command *what;
    lab_settings settings;
} task;

static recon_status work(recon_ctx *ctx, const void *given)
{
    const task *t = given;
    lab_settings s = t->settings;
    json_t *result = NULL;
    recon_status status = attach(ctx, &s);
    if (status == RECON_OK)
        status = t->what->run(ctx, &result, &s);
    if (status == RECON_OK && s.common.json)
        status = cli_print_json(ctx, json_incref(result));
    else if (status == RECON_OK && !s.common.quiet)
        t->what->show(result);
    json_decref(result);
    return status;
}

static int start(const experiment_command *e, int argc, char **argv)
{
    char name[64];
    const cli_command command = {
        .name = name, .purpose = e->purpose, .arguments = "", .example = e->example
    };
    task t = { .what = e,
               .settings = { .what = experiment_find(e->name),
                             .seed = e->seed,
                             .seeds = e->seeds,
                             .preset = e->preset } };
    snprintf(name, sizeof name, "reproduce %s", e->name);
    int code = parse(&command, &t.settings, e->options, argc, argv);
    if (code < 0 && e->check)
        code = e->check(&command, &t.settings);
    return code >= 0 ? code : cli_run(&command, &t.settings.common, work, &t);
}

static const char reproduce[] = "reproduce";

static void print_experiments(FILE *to)
{
    fputs("recon reproduce - the paper's tables, and what else was measured\n"
          "usage: recon reproduce EXPERIMENT [OPTIONS]\n\n",
          to);
    for (const experiment_command *e = commands; e->name; e++)
        fprintf(to, "  %-12s %s\n", e->name, e->purpose);
    fputs("\nexample:\n"
          "  recon reproduce mnist --quick\n"
          "\n`recon reproduce EXPERIMENT --help` describes one.\n",
          to);
}

static int no_such_experiment(const char *word)
{
    const char *near = NULL;
    for (const experiment_command *e = commands; word && !near && e->name; e++)
        if (recon_resembles(word, e->name))
            near = e->name;
    return cli_misuse(&(cli_command){ .name = reproduce }, "%s%s%s%s%s%s",
                      word ? "there is no experiment '" : "name an experiment", word ? word : "",
                      word ? "'" : "", near ? " (did you mean " : "", near ? near : "",
                      near ? "?)" : "");
}

static int run_reproduce(int argc, char **argv)
{
    const char *word = argc > 0 ? argv[0] : NULL;
    if (word && (!strcmp(word, "--help") || !strcmp(word, "-h"))) {
        print_experiments(stdout);
        return EXIT_DONE;
    }
    if (word && !strcmp(word, CLI_TABLE)) {
        for (const experiment_command *e = commands; e->name; e++)
            start(e, 1, argv);
        return EXIT_DONE;
    }
    for (const experiment_command *e = commands; word && e->name; e++)
        if (!strcmp(word, e->name))
            return start(e, argc - 1, argv + 1);
    return no_such_experiment(word);
}

static int run(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (cli_ranks_size() > 1)
        return cli_misuse(&(cli_command){ .name = word },
                          "it runs in one process, but %d were started", cli_ranks_size());
    if (!strcmp(word, "demo"))
        return lab_demo.run(argc - 2, argv + 2);
    if (!strcmp(word, reproduce))
        return run_reproduce(argc - 2, argv + 2);
    print_experiments(stderr);
    return EXIT_MISUSE;
}

int main(int argc, char **argv)
{
    return cli_main(argc, argv, run);
}
