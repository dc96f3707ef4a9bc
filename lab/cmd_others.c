/* cmd_others.c - recon reproduce estimators, letters, cifar10, words: what is measured beside the
 * paper's tables. */
#include "lab/lab.h"
#include "lab/cifar.h"
#include "lab/estimators.h"
#include "lab/words.h"

enum { DEVICE_CUDA = 1 };

static int run_estimators(int argc, char **argv), run_letters(int argc, char **argv),
    run_cifar(int argc, char **argv), run_words(int argc, char **argv);

const cli_command lab_estimators = {
    .name = "reproduce estimators",
    .purpose = "the paper's simulations: means of samples on the circle",
    .arguments = "",
    .example = "  recon reproduce estimators\n"
               "\n"
               "With the --figures DIR of other runs, all share one page.",
    .run = run_estimators,
};
const cli_command lab_letters = {
    .name = "reproduce letters",
    .purpose = "letters of installed fonts, each kind with its own rotations",
    .arguments = "",
    .example =
        "  recon reproduce letters\n"
        "\n"
        "A benchmark with known ground truth. A model is trained on the letters as by `recon train`\n"
        "and `recon discover`, and tested on fonts of other families, rotated by the same\n"
        "distributions and by any angle.",
    .run = run_letters,
};
const cli_command lab_cifar = {
    .name = "reproduce cifar10",
    .purpose = "natural images in front of a frozen classifier",
    .arguments = "",
    .example =
        "  recon reproduce cifar10\n"
        "  recon reproduce cifar10 --train --preset photo --device cuda --out runs/\n"
        "\n"
        "Images of CIFAR-10 (tools/get-cifar10 downloads them), upright, rotated by multiples of 45\n"
        "degrees (C8) and by any angle, and a frozen classifier trained on upright images. All\n"
        "images are rotated back, or only those whose pose has a p-value below P, which is chosen on\n"
        "cifar10/val. For comparison: averages over rotations, and a classifier trained with\n"
        "rotations (--augmented).",
    .run = run_cifar,
};
const cli_command lab_words = {
    .name = "reproduce words",
    .purpose = "words at any angle in front of frozen OCR readers",
    .arguments = "",
    .example =
        "  recon reproduce words\n"
        "\n"
        "Words of Debian's dictionary drawn in installed fonts, upright and at any angle, and two\n"
        "frozen OCR readers (tools/setup words gets them): PP-OCRv4 and Tesseract. Each reads the\n"
        "words as they come, after its own remedy, rotated by the model, and rotated only where the\n"
        "p-value of the pose is below 0.01. The model learned from other words in other fonts;\n"
        "--train makes one.",
    .run = run_words,
};

/* --- simulations: there is nothing to open or to train -------------------------------------------- */

static recon_status estimate(recon_ctx *ctx, const void *given)
{
    const lab_settings *s = given;
    reproduce_settings what = { .figures = s->figures, .seed = s->seed };
    json_t *result = NULL;
    recon_status status = lab_attach(ctx, &what.precision, s);
    if (status == RECON_OK)
        status = estimators_run(ctx, &result, &what);
    return lab_show(ctx, status, s, result, NULL, estimators_print);
}

static int run_estimators(int argc, char **argv)
{
    static const lab_option shared[] = { LAB_FIGURES, LAB_OPTIONS };
    lab_settings s = { .seed = 1 };
    const cli_option own[] = {
        { "--seed", "S", NULL, "seed of the samples (default 1)", CLI_COUNT, 0, &s.seed }, { 0 }
    };
    int code = lab_parse(&lab_estimators, &s, own, shared, argc, argv);
    return code >= 0 ? code : cli_run(&lab_estimators, &s.common, estimate, &s);
}

/* --- letters: always trained, or with a backbone that is ------------------------------------------ */

typedef struct {
    lab_settings shared;
    letters_settings letters;
} letters_command;

static recon_status measure_letters(recon_ctx *ctx, const void *given)
{
    const letters_command *s = given;
    letters_settings letters = s->letters;
    json_t *result = NULL, *spread = NULL;
    recon_status status = lab_attach(ctx, &letters.precision, &s->shared);
    if (status == RECON_OK)
        status = letters_run(ctx, &result, &spread, &letters);
    return lab_show(ctx, status, &s->shared, result, spread, letters_print);
}

static int run_letters(int argc, char **argv)
{
    static const lab_option shared[] = { LAB_QUICK,  LAB_FONTS, LAB_SIZE,  LAB_OUT,
                                         LAB_EPOCHS, LAB_SEED,  LAB_SEEDS, LAB_OPTIONS };
    letters_command s = { .shared = { .preset = RECON_PRESET_SMALL, .seed = 1, .seeds = 1 } };
    lab_settings *l = &s.shared;
    const cli_option own[] = {
        { "--model", "MODEL", NULL, "what `recon train` wrote, instead of training", CLI_MODEL, 0,
          l->models },
        { "--laws", "FILE", NULL, "kinds, distributions, counts and sizes, as JSON",
          CLI_TEXT | CLI_READS, 0, &s.letters.laws },
        { "--draws", "N", NULL,
          "test images per letter and font, rotated as in training (default 2)", CLI_COUNT, 0,
          &s.letters.draws },
        { "--crop", NULL, "none|auto", "as for `recon train`", CLI_CHOICE, 0, &s.letters.crop },
        { "--preset", NULL, "fast|paper|small", "which model (default small)", CLI_CHOICE, 0,
          &l->preset },
        { 0 },
    };
    int code = lab_parse(&lab_letters, l, own, shared, argc, argv);
    if (code < 0 && l->seeds > MAX_SEEDS)
        code = cli_misuse(&lab_letters, "--seeds %zu: must be at most %d", l->seeds, MAX_SEEDS);
    if (code < 0 && l->models[0] && l->epochs)
        code = cli_misuse(&lab_letters,
                          "--epochs cannot be used with --model, which replaces training");
    s.letters.model = l->models[0];
    s.letters.fonts = l->fonts;
    s.letters.out = l->out;
    s.letters.size = l->size;
    s.letters.seed = l->seed;
    s.letters.seeds = l->seeds;
    s.letters.epochs = l->epochs;
    s.letters.quick = l->quick;
    s.letters.preset = l->preset;
    return code >= 0 ? code : cli_run(&lab_letters, &l->common, measure_letters, &s);
}

/* --- photographs ------------------------------------------------------------------------------------ */

typedef struct {
    lab_settings shared;
    cifar_settings cifar;
} cifar_command;

static recon_status measure_cifar(recon_ctx *ctx, const void *given)
{
    const cifar_command *s = given;
    cifar_settings cifar = s->cifar;
    json_t *result = NULL;
    recon_status status = lab_attach(ctx, &cifar.precision, &s->shared);
    if (status == RECON_OK)
        status = cifar_run(ctx, &result, &cifar);
    return lab_show(ctx, status, &s->shared, result, NULL, cifar_print);
}

static int run_cifar(int argc, char **argv)
{
    static const lab_option shared[] = { LAB_QUICK, LAB_MODEL,  LAB_CLASSIFIER, LAB_IMAGES,
                                         LAB_LIMIT, LAB_TRAIN,  LAB_OUT,        LAB_EPOCHS,
                                         LAB_SEED,  LAB_OPTIONS };
    cifar_command s = { .shared = { .preset = -1 } };
    lab_settings *l = &s.shared;
    const cli_option own[] = {
        { "--augmented", "MODEL", NULL,
          "a classifier trained with rotations (with --train it is trained)", CLI_TEXT | CLI_READS,
          0, &s.cifar.augmented },
        { "--preset", NULL, "photo|photo-small",
          "with --train: which model (default photo-small, or photo with cuda)", CLI_CHOICE, 0,
          &l->preset },
        { 0 },
    };
    int code = lab_parse(&lab_cifar, l, own, shared, argc, argv);
    if (code < 0 && !l->train && l->limit)
        code = cli_misuse(&lab_cifar, "--limit needs --train");
    if (code < 0 && l->train && l->models[0])
        code = cli_misuse(&lab_cifar, "--train cannot be used with --model");
    code = code >= 0 ? code : lab_check_training(&lab_cifar, l);
    s.cifar.model = l->models[0];
    s.cifar.classifier = l->classifier;
    s.cifar.out = l->out;
    s.cifar.images = l->images;
    s.cifar.limit = l->limit;
    s.cifar.seed = l->seed;
    s.cifar.epochs = l->epochs;
    s.cifar.quick = l->quick;
    s.cifar.train = l->train;
    s.cifar.resume = l->resume;
    s.cifar.overwrite = l->overwrite;
    s.cifar.preset = l->preset >= 0             ? (int)RECON_PRESET_PHOTO + l->preset
                     : l->device == DEVICE_CUDA ? RECON_PRESET_PHOTO
                                                : RECON_PRESET_PHOTO_SMALL;
    return code >= 0 ? code : cli_run(&lab_cifar, &l->common, measure_cifar, &s);
}

/* --- words: their readers are frozen, and a narrow photo model sees them ---------------------------- */

typedef struct {
    lab_settings shared;
    words_settings words;
} words_command;

static recon_status measure_words(recon_ctx *ctx, const void *given)
{
    const words_command *s = given;
    words_settings words = s->words;
    json_t *result = NULL;
    recon_status status = lab_attach(ctx, &words.precision, &s->shared);
    if (status == RECON_OK)
        status = words_run(ctx, &result, &words);
    return lab_show(ctx, status, &s->shared, result, NULL, words_print);
}

static int run_words(int argc, char **argv)
{
    static const lab_option shared[] = {
        LAB_QUICK, LAB_MODEL, LAB_FONTS,  LAB_IMAGES, LAB_LIMIT,
        LAB_SIZE,  LAB_TRAIN, LAB_EPOCHS, LAB_SEED,   LAB_OPTIONS
    };
    words_command s = { .shared = { .preset = -1 } };
    lab_settings *l = &s.shared;
    const char *out = NULL; /* without --train it takes the pictures */
    const cli_option own[] = {
        { "--out", "DIR", NULL, "folder for the pictures, and with --train for the model",
          CLI_TEXT | CLI_WRITES, 0, &out },
        { "--preset", NULL, "fast|paper|small|photo|photo-small",
          "with --train: which model (default photo)", CLI_CHOICE, 0, &l->preset },
        { "--reader", NULL, "all|ppocr|tesseract", "which readers (default all)", CLI_CHOICE, 0,
          &s.words.reader },
        { 0 },
    };
    int code = lab_parse(&lab_words, l, own, shared, argc, argv);
    if (code < 0 && !l->train && (l->limit || l->size || l->preset >= 0))
        code = cli_misuse(&lab_words, "%s needs --train",
                          l->limit  ? "--limit"
                          : l->size ? "--size"
                                    : "--preset");
    if (code < 0 && l->train && l->models[0])
        code = cli_misuse(&lab_words, "--train cannot be used with --model");
    l->out = l->train ? out : NULL;
    code = code >= 0 ? code : lab_check_training(&lab_words, l);
    s.words.model = l->models[0];
    s.words.fonts = l->fonts;
    s.words.out = out;
    s.words.images = l->images;
    s.words.limit = l->limit;
    s.words.size = l->size;
    s.words.seed = l->seed;
    s.words.epochs = l->epochs;
    s.words.quick = l->quick;
    s.words.train = l->train;
    s.words.preset = l->preset >= 0 ? l->preset : RECON_PRESET_PHOTO;
    s.words.resume = l->resume;
    s.words.overwrite = l->overwrite;
    return code >= 0 ? code : cli_run(&lab_words, &l->common, measure_words, &s);
}
