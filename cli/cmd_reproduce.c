/* cmd_reproduce.c - recon reproduce: the paper's tables, ours beside theirs; letters, photographs, words. */
#include "cli/cli.h"
#include "experiments/cifar.h"
#include "experiments/estimators.h"
#include "experiments/letters.h"
#include "experiments/reproduce_molecules.h"
#include "experiments/words.h"
#include "core/fail.h"

#include <string.h>

enum { DEVICE_CUDA = 1 };

static int run(int argc, char **argv);
const cli_command cli_reproduce = {
    .name = "reproduce",
    .purpose = "reproduce the paper's tables",
    .arguments = "mnist|mnist12k|fashion|images|molecules|estimators|letters|cifar10|words",
    .example =
        "  recon reproduce mnist --quick\n"
        "  recon reproduce fashion --figures out/\n"
        "  recon reproduce molecules\n"
        "  recon reproduce molecules --data geom:qm9_crude.msgpack --train --out runs/ --device cuda\n"
        "  recon reproduce letters\n"
        "  recon reproduce cifar10 --train --preset photo --device cuda --out runs/\n"
        "  recon reproduce words\n"
        "  recon reproduce mnist12k --train --seeds 3 --device cuda --out runs/\n"
        "  recon reproduce mnist --model plain/ --model density/\n"
        "  recon reproduce images --data images:test/ --rotate rule.json --classifier c.safetensors --model found/\n"
        "\n"
        "The images or conformers of the test split are rotated as in the paper, canonicalized in\n"
        "several ways, and classified by a frozen classifier trained on upright inputs only.\n"
        "Training data are rotated with seed 1, test data with seed 2.\n"
        "The test split was not used for any choice: models, epochs and settings were chosen on\n"
        "part of the training split (molecules: conformers/val). Labels and true rotations are used\n"
        "for evaluation only. --quick uses 2,000 test images and 12,000 training images, fewer on a\n"
        "slow machine; for molecules every sixth.\n"
        "\n"
        "Models are taken from models/, or trained with --train: one set of backbones and maps per\n"
        "seed, under OUT/seed-S/. The training recorded in a model's file decides which rows it fills:\n"
        "RECON as in the paper (a backbone trained by reconstruction alone, `train --plain`), RECON\n"
        "with our pose and contrast terms (--no-density), or our pose density. Rows without a model\n"
        "are null, and the notes say why. docs/which-row.md explains every row.\n"
        "\n"
        "mnist12k: MNIST with the first 12,000 training images, as in the paper.\n"
        "\n"
        "images: the same tables for your own labelled images, rotated by a rule, and your own\n"
        "classifier.\n"
        "\n"
        "molecules --data SPEC: the same on other conformers, geom:FILE or flat:DIR with a split. They\n"
        "are assumed to be upright and are rotated as in the paper, all with seed 1. This needs --model\n"
        "or --train; without --classifier there are no accuracies.\n"
        "\n"
        "estimators: the paper's simulations, means of samples from known distributions on the circle.\n"
        "With the same --figures DIR, several runs (mnist, fashion, molecules, estimators) share one\n"
        "page.\n"
        "\n"
        "letters: a benchmark with known ground truth. Letters of installed fonts are drawn, each kind\n"
        "rotated by its own distribution. A model is trained on them as by `recon train` and `recon\n"
        "discover`, and tested on fonts of other families, rotated by the same distributions and by\n"
        "any angle.\n"
        "\n"
        "cifar10: natural images (tools/get-cifar10 downloads them), upright, rotated by multiples of\n"
        "45 degrees (C8) and by any angle, and a frozen classifier trained on upright images. All\n"
        "images are rotated back, or only those whose pose has a p-value below P, which is chosen on\n"
        "cifar10/val. For comparison: averages over rotations, and a classifier trained with rotations\n"
        "(--augmented).\n"
        "\n"
        "words: words of Debian's dictionary drawn in installed fonts, upright and at any angle, and two\n"
        "frozen OCR readers (tools/setup words gets them): PP-OCRv4 and Tesseract. Each reads the words\n"
        "as they come, after its own remedy, rotated by the model, and rotated only where the p-value of\n"
        "the pose is below 0.01. The model learned from other words in other fonts; --train makes one.",
    .run = run,
};

typedef struct {
    reproduce_settings what;
    letters_settings letters;
    cifar_settings cifar;
    words_settings words;
    int is_letters, is_estimators, is_cifar, is_words;
    int device, precision, deterministic;
    cli_common common;
} settings;

static int parse(settings *all, const char **word, int argc, char **argv)
{
    reproduce_settings *s = &all->what;
    const cli_option options[] = {
        { "--quick", NULL, NULL, "use part of the data: minutes on two cores", CLI_FLAG, 0,
          &s->quick },
        { "--figures", "DIR", NULL,
          "write the figures to DIR as SVG, and a page of all runs, DIR/report.html", CLI_TEXT, 0,
          &s->figures },
        { "--model", "MODEL", NULL,
          "what `recon discover` wrote (default: the shipped models); images: up to three, one "
          "of each kind of backbone; letters: what `recon train` wrote, instead of training",
          CLI_MODEL | CLI_MANY, 0, s->models },
        { "--data", "SPEC", NULL,
          "images: labelled test images; molecules: geom:FILE or flat:DIR in place of the shipped conformers",
          CLI_SPEC, 0, &s->data },
        { "--rotate", "RULE", NULL,
          "images: rule of the rotations: mnist, fashion, all or a JSON file", CLI_TEXT, 0,
          &s->rotate },
        { "--classifier", "MODEL", NULL,
          "what `recon classifier train` wrote (default: the shipped one)", CLI_TEXT, 0,
          &s->classifier },
        { "--augmented", "MODEL", NULL,
          "cifar10: a classifier trained with rotations (with --train it is trained)", CLI_TEXT, 0,
          &all->cifar.augmented },
        { "--embeddings", "DIR", NULL,
          "z.npy and g.npy of the training images, as `recon discover` keeps them",
          CLI_TEXT | CLI_IMAGES, 0, &s->embeddings },
        { "--images", "N", NULL, "number of test images (default all)", CLI_COUNT | CLI_IMAGES, 0,
          &s->images },
        { "--limit", "N", NULL,
          "number of training images, drawn at random (default all; mnist12k: the paper's "
          "12,000)",
          CLI_COUNT | CLI_IMAGES, 0, &s->limit },
        { "--resample", NULL, NULL,
          "control: resample every image twice, so that sharpness does not reveal which were "
          "rotated; with --train also the training images",
          CLI_FLAG | CLI_IMAGES, 0, &s->resample },
        { "--preset", NULL, "fast|paper|small|photo|photo-small",
          "which model (default fast; letters: small; cifar10: photo-small, or photo with cuda; words: photo)",
          CLI_CHOICE, 0, &s->preset },
        { "--train", NULL, NULL, "train the models instead of using shipped ones", CLI_FLAG, 0,
          &s->train },
        { "--baselines", NULL, NULL,
          "also measure other methods: equivariant classifiers, EquiAdapt, alignment, averaging",
          CLI_FLAG, 0, &s->baselines },
        { "--rival", NULL, "all|augmented|escnn|equiadapt|partial_gcnn|sgm|segnn",
          "with --baselines: measure only this network (with --train: train it first), for images "
          "without a backbone (default all); molecules: equiadapt, segnn",
          CLI_CHOICE, 0, &s->rival },
        { "--backbone", NULL, "all|plain|terms|density",
          "with --train: the kind of backbone to train (default all)", CLI_CHOICE | CLI_IMAGES, 0,
          &s->backbone },
        { "--out", "DIR", NULL,
          "with --train: folder for the models; letters, words: also for the pictures", CLI_TEXT, 0,
          &s->out },
        { "--epochs", "N", NULL,
          "with --train, letters: passes over the data (default: the shipped model's, the preset's)",
          CLI_COUNT, 0, &s->epochs },
        { "--seed", "S", NULL, "with --train, letters: seed of the first model (default 1)",
          CLI_COUNT, 0, &s->seed },
        { "--seeds", "N", NULL,
          "with --train, letters: number of models, for mean and spread (default 1)", CLI_COUNT, 0,
          &s->seeds },
        { "--resume", NULL, NULL, "with --train: continue an interrupted run", CLI_FLAG, 0,
          &s->resume },
        { "--overwrite", NULL, NULL, "with --train: replace models in DIR", CLI_FLAG, 0,
          &s->overwrite },
        { "--laws", "FILE", NULL, "letters: kinds, distributions, counts and sizes, as JSON",
          CLI_TEXT, 0, &all->letters.laws },
        { "--fonts", "DIR", NULL, "letters, words: folder of fonts (default /usr/share/fonts)",
          CLI_TEXT, 0, &all->letters.fonts },
        { "--size", "N", NULL, "letters, words: side of the model's inputs (default 28, 96)",
          CLI_COUNT, 0, &all->letters.size },
        { "--draws", "N", NULL,
          "letters: test images per letter and font, rotated as in training (default 2)", CLI_COUNT,
          0, &all->letters.draws },
        { "--crop", NULL, "none|auto", "letters: as for `recon train`", CLI_CHOICE, 0,
          &all->letters.crop },
        { "--reader", NULL, "all|ppocr|tesseract", "words: which readers (default all)", CLI_CHOICE,
          0, &all->words.reader },
        { "--device", NULL, "cpu|cuda|ref", "device (default cpu)", CLI_CHOICE, 0, &all->device },
        { "--precision", NULL, CLI_PRECISIONS, CLI_PRECISION_HELP, CLI_CHOICE, 0, &all->precision },
        { "--deterministic", NULL, NULL, "with cuda: bit-identical runs, slower", CLI_FLAG, 0,
          &all->deterministic },
        { 0 },
    };
    return cli_parse(&cli_reproduce, options, &all->common, argc, argv, word, 1, NULL);
}

#define SETS "mnist, mnist12k, fashion, images, molecules, estimators, letters, cifar10 or words"

static void name_seeds(reproduce_settings *s)
{
    s->seed = s->seed ? s->seed : 1;
    s->seeds = s->seeds ? s->seeds : 1;
}

/* Letters are always trained, and have no classifier. */
static int check_letters(settings *all)
{
    reproduce_settings *s = &all->what;
    const struct {
        const char *name;
        int given;
    } others[] = { { "--data", s->data != NULL },
                   { "--rotate", s->rotate != NULL },
                   { "--resample", s->resample },
                   { "--backbone", s->backbone != 0 },
                   { "--baselines", s->baselines },
                   { "--rival", s->rival != 0 },
                   { "--figures", s->figures != NULL },
                   { "--classifier", s->classifier != NULL },
                   { "--embeddings", s->embeddings != NULL },
                   { "--images", s->images != 0 },
                   { "--limit", s->limit != 0 },
                   { "--train", s->train },
                   { "--resume", s->resume },
                   { "--overwrite", s->overwrite } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return cli_misuse(&cli_reproduce, "%s is not for letters", others[i].name);
    if (s->seeds > MAX_SEEDS)
        return cli_misuse(&cli_reproduce, "--seeds %zu: must be at most %d", s->seeds, MAX_SEEDS);
    if (s->models[0] && s->epochs)
        return cli_misuse(&cli_reproduce,
                          "--epochs cannot be used with --model, which replaces training");
    if (s->models[1])
        return cli_misuse(&cli_reproduce, "letters take one --model");
    name_seeds(s);
    all->letters.model = s->models[0];
    all->letters.out = s->out;
    all->letters.seed = s->seed;
    all->letters.seeds = s->seeds;
    all->letters.epochs = s->epochs;
    all->letters.quick = s->quick;
    all->letters.preset = s->preset < 0 ? RECON_PRESET_SMALL : s->preset;
    return -1;
}

/* Options of other experiments; -1, or the exit code. */
static int check_cifar(settings *all)
{
    reproduce_settings *s = &all->what;
    const struct {
        const char *name;
        int given;
    } others[] = { { "--data", s->data != NULL },
                   { "--rotate", s->rotate != NULL },
                   { "--resample", s->resample },
                   { "--backbone", s->backbone != 0 },
                   { "--figures", s->figures != NULL },
                   { "--embeddings", s->embeddings != NULL },
                   { "--baselines", s->baselines },
                   { "--rival", s->rival != 0 },
                   { "--seeds", s->seeds != 0 },
                   { "--laws", all->letters.laws != NULL },
                   { "--fonts", all->letters.fonts != NULL },
                   { "--size", all->letters.size != 0 },
                   { "--draws", all->letters.draws != 0 },
                   { "--crop", all->letters.crop } },
      training[] = { { "--out", s->out != NULL },  { "--epochs", s->epochs != 0 },
                     { "--limit", s->limit != 0 }, { "--seed", s->seed != 0 },
                     { "--resume", s->resume },    { "--overwrite", s->overwrite } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return cli_misuse(&cli_reproduce, "%s is not for cifar10", others[i].name);
    if (s->preset >= 0 && s->preset < RECON_PRESET_PHOTO)
        return cli_misuse(&cli_reproduce, "cifar10 takes --preset photo or photo-small");
    if (s->train && (!s->out || s->models[0]))
        return cli_misuse(&cli_reproduce,
                          "--train needs --out DIR, and cannot be used with --model");
    for (size_t i = 0; !s->train && i < sizeof training / sizeof *training; i++)
        if (training[i].given)
            return cli_misuse(&cli_reproduce, "%s needs --train", training[i].name);
    if (s->models[0] && s->models[1])
        return cli_misuse(&cli_reproduce, "cifar10 takes one --model");
    all->cifar =
        (cifar_settings){ .model = s->models[0],
                          .classifier = s->classifier,
                          .augmented = all->cifar.augmented,
                          .out = s->out,
                          .images = s->images,
                          .limit = s->limit,
                          .seed = s->seed ? s->seed : 1,
                          .epochs = s->epochs,
                          .quick = s->quick,
                          .train = s->train,
                          .preset = s->preset >= 0               ? s->preset
                                    : all->device == DEVICE_CUDA ? RECON_PRESET_PHOTO
                                                                 : RECON_PRESET_PHOTO_SMALL,
                          .resume = s->resume,
                          .overwrite = s->overwrite };
    return -1;
}

/* The same of words, whose readers are frozen; a narrow photo model sees them. */
static int check_words(settings *all)
{
    reproduce_settings *s = &all->what;
    const struct {
        const char *name;
        int given;
    } others[] = { { "--data", s->data != NULL },
                   { "--rotate", s->rotate != NULL },
                   { "--resample", s->resample },
                   { "--backbone", s->backbone != 0 },
                   { "--baselines", s->baselines },
                   { "--rival", s->rival != 0 },
                   { "--figures", s->figures != NULL },
                   { "--classifier", s->classifier != NULL },
                   { "--embeddings", s->embeddings != NULL },
                   { "--seeds", s->seeds != 0 },
                   { "--laws", all->letters.laws != NULL },
                   { "--draws", all->letters.draws != 0 },
                   { "--crop", all->letters.crop } },
      training[] = { { "--epochs", s->epochs != 0 }, { "--limit", s->limit != 0 },
                     { "--seed", s->seed != 0 },     { "--size", all->letters.size != 0 },
                     { "--preset", s->preset >= 0 }, { "--resume", s->resume },
                     { "--overwrite", s->overwrite } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return cli_misuse(&cli_reproduce, "%s is not for words", others[i].name);
    for (size_t i = 0; !s->train && i < sizeof training / sizeof *training; i++)
        if (training[i].given)
            return cli_misuse(&cli_reproduce, "%s is for --train", training[i].name);
    if (s->train && (!s->out || s->models[0]))
        return cli_misuse(&cli_reproduce,
                          "--train needs --out DIR, and makes what --model would name");
    if (s->models[0] && s->models[1])
        return cli_misuse(&cli_reproduce, "words take one --model");
    all->words = (words_settings){ .model = s->models[0],
                                   .fonts = all->letters.fonts,
                                   .out = s->out,
                                   .images = s->images,
                                   .limit = s->limit,
                                   .size = all->letters.size,
                                   .seed = s->seed ? s->seed : 1,
                                   .epochs = s->epochs,
                                   .quick = s->quick,
                                   .train = s->train,
                                   .preset = s->preset >= 0 ? s->preset : RECON_PRESET_PHOTO,
                                   .reader = all->words.reader,
                                   .resume = s->resume,
                                   .overwrite = s->overwrite };
    return -1;
}

/* Images of one's own need all that is known of the others; -1, or the exit code. */
static int check_own(const reproduce_settings *s)
{
    int own = s->what && !s->what->rule;
    const struct {
        const char *name;
        int given;
    } needed[] = { { "--data SPEC, labelled images", s->data != NULL },
                   { "--rotate RULE", s->rotate != NULL },
                   { "--classifier MODEL, trained on upright images", s->classifier != NULL },
                   { "--model MODEL, what `recon discover` wrote", s->models[0] != NULL } },
      others[] = { { "--train", s->train },
                   { "--embeddings", s->embeddings != NULL },
                   { "--limit", s->limit != 0 },
                   { "--preset", s->preset != RECON_PRESET_FAST } };
    for (size_t i = 0; own && i < sizeof needed / sizeof *needed; i++)
        if (!needed[i].given)
            return cli_misuse(&cli_reproduce, "images needs %s", needed[i].name);
    for (size_t i = 0; own && i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return cli_misuse(
                &cli_reproduce,
                "%s cannot be used with `recon reproduce images`: train models with `recon train` and"
                " `recon discover`",
                others[i].name);
    if (!own && s->rotate)
        return cli_misuse(&cli_reproduce, "--rotate is for `recon reproduce images`");
    if (!own && s->what && s->data)
        return cli_misuse(&cli_reproduce, "--data is for `recon reproduce images` and molecules");
    return -1;
}

/* Test conformers must be new to the model: only these have parts that say which they are. */
static int check_data(const reproduce_settings *s)
{
    if (!s->data || s->what)
        return -1;
    if (strncmp(s->data, "geom:", 5) != 0 && strncmp(s->data, "flat:", 5) != 0)
        return cli_misuse(
            &cli_reproduce,
            "--data %s: must be a set with a split, geom:FILE or flat:DIR; data/make-conformers "
            "makes one",
            s->data);
    if (!s->model && !s->train)
        return cli_misuse(&cli_reproduce,
                          "--data %s needs --model MODEL, or --train --out DIR to train one",
                          s->data);
    return -1;
}

static int check_tables(settings *all, const char *word)
{
    reproduce_settings *s = &all->what;
    s->preset = s->preset < 0 ? RECON_PRESET_FAST : s->preset;
    s->what = word ? experiment_find(word) : NULL;
    if (!s->what && (!word || strcmp(word, "molecules") != 0))
        return cli_misuse(&cli_reproduce, "%s%s%s", word ? "'" : "name one of " SETS,
                          word ? word : "", word ? "' is not one of " SETS : "");
    const struct {
        const char *name, *whose;
        int given;
    } own[] = { { "--laws", "letters", all->letters.laws != NULL },
                { "--fonts", "letters and words", all->letters.fonts != NULL },
                { "--size", "letters and words", all->letters.size != 0 },
                { "--draws", "letters", all->letters.draws != 0 },
                { "--crop", "letters", all->letters.crop } };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].given)
            return cli_misuse(&cli_reproduce, "%s is for %s", own[i].name, own[i].whose);
    if (!s->what && (s->embeddings || s->images || s->limit || s->resample || s->backbone))
        return cli_misuse(&cli_reproduce, "%s is for images",
                          s->embeddings ? "--embeddings"
                          : s->images   ? "--images"
                          : s->limit    ? "--limit"
                          : s->resample ? "--resample"
                                        : "--backbone");
    if (!s->what && s->models[1])
        return cli_misuse(&cli_reproduce, "molecules take one --model");
    s->model = s->what ? NULL : s->models[0];
    if (check_own(s) >= 0 || check_data(s) >= 0)
        return EXIT_MISUSE;
    if (s->train && !s->out)
        return cli_misuse(&cli_reproduce, "--train needs --out DIR");
    if (s->preset == RECON_PRESET_PAPER && s->backbone > 1)
        return cli_misuse(&cli_reproduce, "--preset paper is trained by reconstruction alone: "
                                          "--backbone plain, or another preset");
    if (s->rival && !s->baselines)
        return cli_misuse(&cli_reproduce, "--rival needs --baselines");
    int segnn = s->rival - 1 == RIVAL_KINDS, both = s->rival - 1 == RIVAL_EQUIADAPT;
    if (s->rival && !both && segnn != !s->what)
        return cli_misuse(&cli_reproduce, "--rival %s is for %s",
                          segnn ? "segnn" : rival_name((rival_kind)(s->rival - 1)),
                          segnn ? "molecules" : "images");
    if (s->rival && s->what && s->figures)
        return cli_misuse(&cli_reproduce, "--figures are those of a backbone: leave out --rival");
    if (s->rival && s->backbone)
        return cli_misuse(&cli_reproduce, "--rival trains no backbone");
    if (s->train && !s->rival && (s->models[0] || s->embeddings))
        return cli_misuse(&cli_reproduce, "--train cannot be used with %s",
                          s->models[0] ? "--model" : "--embeddings");
    if (s->embeddings && !(s->models[0] && !s->models[1]))
        return cli_misuse(&cli_reproduce, "--embeddings needs one --model, the one that made them");
    if (!s->train &&
        (s->seed || s->seeds || s->epochs || s->out || s->resume || s->overwrite || s->backbone))
        return cli_misuse(&cli_reproduce, "%s needs --train",
                          s->backbone ? "--backbone"
                          : s->seed   ? "--seed"
                          : s->seeds  ? "--seeds"
                          : s->epochs ? "--epochs"
                          : s->out    ? "--out"
                          : s->resume ? "--resume"
                                      : "--overwrite");
    if (s->seeds > MAX_SEEDS)
        return cli_misuse(&cli_reproduce, "--seeds %zu: must be at most %d", s->seeds, MAX_SEEDS);
    name_seeds(s);
    return -1;
}

/* Simulations: there is nothing to open or to train. */
static int check_estimators(settings *all)
{
    reproduce_settings *s = &all->what;
    const struct {
        const char *name;
        int given;
    } others[] = { { "--quick", s->quick },
                   { "--model", s->models[0] != NULL },
                   { "--data", s->data != NULL },
                   { "--rotate", s->rotate != NULL },
                   { "--classifier", s->classifier != NULL },
                   { "--baselines", s->baselines },
                   { "--train", s->train },
                   { "--out", s->out != NULL },
                   { "--seeds", s->seeds != 0 },
                   { "--images", s->images != 0 },
                   { "--limit", s->limit != 0 },
                   { "--epochs", s->epochs != 0 },
                   { "--resume", s->resume },
                   { "--overwrite", s->overwrite },
                   { "--preset", s->preset >= 0 },
                   { "--backbone", s->backbone != 0 },
                   { "--rival", s->rival != 0 },
                   { "--embeddings", s->embeddings != NULL },
                   { "--resample", s->resample },
                   { "--augmented", all->cifar.augmented != NULL },
                   { "--reader", all->words.reader != 0 },
                   { "--laws", all->letters.laws != NULL },
                   { "--fonts", all->letters.fonts != NULL },
                   { "--size", all->letters.size != 0 },
                   { "--draws", all->letters.draws != 0 },
                   { "--crop", all->letters.crop } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return cli_misuse(&cli_reproduce, "%s is not for estimators", others[i].name);
    name_seeds(s);
    return -1;
}

static int check_options(settings *all, const char *word)
{
    all->is_estimators = word && !strcmp(word, "estimators");
    if (all->is_estimators)
        return check_estimators(all);
    all->is_letters = word && !strcmp(word, "letters");
    all->is_cifar = word && !strcmp(word, "cifar10");
    if (!all->is_cifar && all->cifar.augmented)
        return cli_misuse(&cli_reproduce, "--augmented is for cifar10");
    all->is_words = word && !strcmp(word, "words");
    if (!all->is_words && all->words.reader)
        return cli_misuse(&cli_reproduce, "--reader is for words");
    if (!all->is_cifar && !all->is_words && all->what.preset >= RECON_PRESET_PHOTO)
        return cli_misuse(&cli_reproduce, "--preset %s is for cifar10 and words",
                          recon_preset_name((recon_preset)all->what.preset));
    return all->is_letters ? check_letters(all)
           : all->is_cifar ? check_cifar(all)
           : all->is_words ? check_words(all)
                           : check_tables(all, word);
}

static recon_status show(recon_ctx *ctx, const settings *s, json_t *result, const json_t *spread)
{
    if (s->common.json)
        return cli_print_json(ctx, json_incref(result));
    if (!s->common.quiet)
        (s->is_letters      ? letters_print
         : s->is_cifar      ? cifar_print
         : s->is_words      ? words_print
         : s->is_estimators ? estimators_print
         : s->what.what     ? reproduce_print
                            : molecule_reproduce_print)(result, spread);
    return RECON_OK;
}

static recon_status work(recon_ctx *ctx, const void *given)
{
    static const char *const devices[] = { "cpu", "cuda", "ref" };
    const settings *s = given;
    reproduce_settings what = s->what;
    letters_settings letters = s->letters;
    cifar_settings cifar = s->cifar;
    words_settings words = s->words;
    json_t *result = NULL, *spread = NULL;
    recon_status status;
    RECON_TRY(recon_ops_attach(ctx, s->device == DEVICE_CUDA && s->deterministic
                                        ? "cuda-deterministic"
                                        : devices[s->device]));
    cli_note_precision(ctx, s->precision);
    what.precision = letters.precision = cifar.precision = words.precision =
        cli_precision(ctx, s->precision);
    RECON_TRY(s->is_letters      ? letters_run(ctx, &result, &spread, &letters)
              : s->is_cifar      ? cifar_run(ctx, &result, &cifar)
              : s->is_words      ? words_run(ctx, &result, &words)
              : s->is_estimators ? estimators_run(ctx, &result, &what)
                                 : reproduce_run(ctx, &result, &spread, &what));
    RECON_TRY(show(ctx, s, result, spread));
done:
    json_decref(spread);
    json_decref(result);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { .what.preset = -1 }; /* not given */
    const char *word = NULL;
    int code = parse(&s, &word, argc, argv);
    if (code < 0)
        code = check_options(&s, word);
    return code >= 0 ? code : cli_run(&cli_reproduce, &s.common, work, &s);
}
