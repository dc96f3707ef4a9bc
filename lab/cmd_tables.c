/* cmd_tables.c - recon reproduce mnist, mnist12k, fashion, images, molecules: the paper's tables, ours
 * beside theirs. */
#include "lab/lab.h"
#include "lab/reproduce_molecules.h"

#include <string.h>

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
    "fills: RECON as in the paper (a backbone trained by reconstruction alone, `train --plain`),\n" \
    "RECON with our pose and contrast terms (--no-density), or our pose density. Rows without a\n"  \
    "model are null, and the notes say why. docs/which-row.md explains every row.\n"
#define ABOUT_QUICK                                                                                \
    "--quick uses 2,000 test images and 12,000 training images, fewer on a slow machine.\n"
#define ABOUT_FIGURES "With the same --figures DIR, several runs share one page."

static int run_mnist(int argc, char **argv), run_mnist12k(int argc, char **argv),
    run_fashion(int argc, char **argv), run_images(int argc, char **argv),
    run_molecules(int argc, char **argv);

const cli_command lab_mnist = {
    .name = "reproduce mnist",
    .purpose = "the paper's tables on MNIST",
    .arguments = "",
    .example = "  recon reproduce mnist --quick\n"
               "  recon reproduce mnist --model plain/ --model density/\n" ABOUT ABOUT_QUICK
                   ABOUT_MODELS ABOUT_FIGURES,
    .run = run_mnist,
};
const cli_command lab_mnist12k = {
    .name = "reproduce mnist12k",
    .purpose = "the same with 12,000 training images, as in the paper",
    .arguments = "",
    .example = "  recon reproduce mnist12k --train --seeds 3 --device cuda --out runs/\n"
               "\n"
               "See `recon reproduce mnist --help`.",
    .run = run_mnist12k,
};
const cli_command lab_fashion = {
    .name = "reproduce fashion",
    .purpose = "the paper's tables on Fashion-MNIST",
    .arguments = "",
    .example = "  recon reproduce fashion --figures out/\n"
               "\n"
               "See `recon reproduce mnist --help`.",
    .run = run_fashion,
};
const cli_command lab_images = {
    .name = "reproduce images",
    .purpose = "the same tables on labelled images of your own",
    .arguments = "",
    .example = "  recon reproduce images --data images:test/ --rotate rule.json --classifier "
               "c.safetensors --model found/\n" ABOUT ABOUT_FIGURES,
    .run = run_images,
};
const cli_command lab_molecules = {
    .name = "reproduce molecules",
    .purpose = "the paper's tables on molecules",
    .arguments = "",
    .example =
        "  recon reproduce molecules --quick\n"
        "  recon reproduce molecules --data geom:qm9_crude.msgpack --train --out runs/ --device "
        "cuda\n" ABOUT "--quick uses every sixth conformer.\n" ABOUT_MODELS "\n"
        "--data SPEC: the same on other conformers, geom:FILE or flat:DIR with a split. They are\n"
        "assumed to be upright and are rotated as in the paper, all with seed 1. This needs --model\n"
        "or --train; without --classifier there are no accuracies.\n"
        "\n" ABOUT_FIGURES,
    .run = run_molecules,
};

typedef struct {
    const cli_command *command;
    lab_settings shared;
    reproduce_settings what;
} settings;

static recon_status work(recon_ctx *ctx, const void *given)
{
    const settings *s = given;
    reproduce_settings what = s->what;
    json_t *result = NULL, *spread = NULL;
    recon_status status = lab_attach(ctx, &what.precision, &s->shared);
    if (status == RECON_OK)
        status = reproduce_run(ctx, &result, &spread, &what);
    return lab_show(ctx, status, &s->shared, result, spread,
                    what.what ? reproduce_print : molecule_reproduce_print);
}

/* What all tables need of each other's options; -1, or the exit code. */
static int check(settings *s)
{
    lab_settings *l = &s->shared;
    reproduce_settings *w = &s->what;
    int given = l->models[0] != NULL, code = lab_check_training(s->command, l);
    if (code >= 0)
        return code;
    if (w->rival && !w->baselines)
        return cli_misuse(s->command, "--rival needs --baselines");
    if (l->train && !w->rival && (given || w->embeddings))
        return cli_misuse(s->command, "--train cannot be used with %s",
                          given ? "--model" : "--embeddings");
    memcpy(w->models, l->models, sizeof w->models);
    w->out = l->out;
    w->figures = l->figures;
    w->classifier = l->classifier;
    w->images = l->images;
    w->limit = l->limit;
    w->seed = l->seed;
    w->seeds = l->seeds;
    w->epochs = l->epochs;
    w->quick = l->quick;
    w->train = l->train;
    w->resume = l->resume;
    w->overwrite = l->overwrite;
    w->preset = l->preset;
    return -1;
}

static int finish(settings *s, int code)
{
    return code >= 0 ? code : cli_run(s->command, &s->shared.common, work, s);
}

/* --- sets whose rotations are the paper's ----------------------------------------------------- */

static int check_set(const settings *s)
{
    const reproduce_settings *w = &s->what;
    if (w->preset == RECON_PRESET_PAPER && w->backbone > 1)
        return cli_misuse(s->command, "--preset paper is trained by reconstruction alone: "
                                      "--backbone plain, or another preset");
    if (w->rival && w->figures)
        return cli_misuse(s->command, "--figures are those of a backbone: leave out --rival");
    if (w->rival && w->backbone)
        return cli_misuse(s->command, "--rival trains no backbone");
    if (w->embeddings && !(w->models[0] && !w->models[1]))
        return cli_misuse(s->command, "--embeddings needs one --model, the one that made them");
    return !w->train && w->backbone ? cli_misuse(s->command, "--backbone needs --train") : -1;
}

static int run_set(const cli_command *command, const char *name, int argc, char **argv)
{
    static const lab_option shared[] = { LAB_QUICK,  LAB_MODELS, LAB_CLASSIFIER, LAB_FIGURES,
                                         LAB_IMAGES, LAB_LIMIT,  LAB_TRAIN,      LAB_OUT,
                                         LAB_EPOCHS, LAB_SEED,   LAB_SEEDS,      LAB_OPTIONS };
    settings s = { .command = command, .what.what = experiment_find(name) };
    const cli_option own[] = {
        { "--preset", NULL, "fast|paper|small", "with --train: which model (default fast)",
          CLI_CHOICE, 0, &s.shared.preset },
        { "--backbone", NULL, "all|plain|terms|density",
          "with --train: the kind of backbone to train (default all)", CLI_CHOICE, 0,
          &s.what.backbone },
        { "--embeddings", "DIR", NULL,
          "z.npy and g.npy of the training images, as `recon discover` keeps them",
          CLI_TEXT | CLI_READS, 0, &s.what.embeddings },
        { "--resample", NULL, NULL,
          "control: resample every image twice, so that sharpness does not reveal which were "
          "rotated; with --train also the training images",
          CLI_FLAG, 0, &s.what.resample },
        { "--baselines", NULL, NULL,
          "also measure other methods: equivariant classifiers, EquiAdapt, alignment, averaging",
          CLI_FLAG, 0, &s.what.baselines },
        { "--rival", NULL, "all|augmented|escnn|equiadapt|partial_gcnn|sgm",
          "with --baselines: measure only this network, without a backbone (with --train: train it "
          "first; default all)",
          CLI_CHOICE, 0, &s.what.rival },
        { 0 },
    };
    int code = lab_parse(command, &s.shared, own, shared, argc, argv);
    code = code >= 0 ? code : check(&s);
    return finish(&s, code >= 0 ? code : check_set(&s));
}

static int run_mnist(int argc, char **argv)
{
    return run_set(&lab_mnist, "mnist", argc, argv);
}
static int run_mnist12k(int argc, char **argv)
{
    return run_set(&lab_mnist12k, "mnist12k", argc, argv);
}
static int run_fashion(int argc, char **argv)
{
    return run_set(&lab_fashion, "fashion", argc, argv);
}

/* --- images of one's own: all that is known of the others is asked for --------------------------- */

static int run_images(int argc, char **argv)
{
    static const lab_option shared[] = { LAB_QUICK,   LAB_MODELS, LAB_CLASSIFIER,
                                         LAB_FIGURES, LAB_IMAGES, LAB_OPTIONS };
    settings s = { .command = &lab_images, .what.what = experiment_find("images") };
    const cli_option own[] = {
        { "--data", "SPEC", NULL, "labelled test images", CLI_SPEC | CLI_REQUIRED, 0,
          &s.what.data },
        { "--rotate", "RULE", NULL, "rule of the rotations: mnist, fashion, all or a JSON file",
          CLI_TEXT | CLI_RULE | CLI_REQUIRED, 0, &s.what.rotate },
        { "--resample", NULL, NULL,
          "control: resample every image twice, so that sharpness does not reveal which were "
          "rotated",
          CLI_FLAG, 0, &s.what.resample },
        { "--baselines", NULL, NULL, "also measure other methods: alignment, averaging", CLI_FLAG,
          0, &s.what.baselines },
        { 0 },
    };
    int code = lab_parse(&lab_images, &s.shared, own, shared, argc, argv);
    if (code < 0 && !s.shared.classifier)
        code =
            cli_misuse(&lab_images, "--classifier MODEL, trained on upright images, is required");
    if (code < 0 && !s.shared.models[0])
        code = cli_misuse(&lab_images, "--model MODEL, what `recon discover` wrote, is required");
    return finish(&s, code >= 0 ? code : check(&s));
}

/* --- molecules ---------------------------------------------------------------------------------- */

/* Test conformers must be new to the model: only these have parts that say which they are. */
static int check_molecules(settings *s)
{
    reproduce_settings *w = &s->what;
    w->model = w->models[0];
    if (!w->data)
        return -1;
    if (strncmp(w->data, "geom:", 5) != 0 && strncmp(w->data, "flat:", 5) != 0)
        return cli_misuse(
            s->command,
            "--data %s: must be a set with a split, geom:FILE or flat:DIR; data/make-conformers "
            "makes one",
            w->data);
    return !w->model && !w->train
               ? cli_misuse(s->command,
                            "--data %s needs --model MODEL, or --train --out DIR to train one",
                            w->data)
               : -1;
}

static int run_molecules(int argc, char **argv)
{
    static const lab_option shared[] = { LAB_QUICK, LAB_MODEL,  LAB_CLASSIFIER, LAB_FIGURES,
                                         LAB_TRAIN, LAB_OUT,    LAB_EPOCHS,     LAB_SEED,
                                         LAB_SEEDS, LAB_OPTIONS };
    static const int rivals[] = { 0, 1 + RIVAL_EQUIADAPT, 1 + RIVAL_KINDS };
    settings s = { .command = &lab_molecules };
    int network = 0;
    const cli_option own[] = {
        { "--data", "SPEC", NULL, "geom:FILE or flat:DIR in place of the shipped conformers",
          CLI_SPEC, 0, &s.what.data },
        { "--preset", NULL, "fast|paper|small", "with --train: which model (default fast)",
          CLI_CHOICE, 0, &s.shared.preset },
        { "--baselines", NULL, NULL, "also measure other methods: EquiAdapt, SEGNN, alignment",
          CLI_FLAG, 0, &s.what.baselines },
        { "--rival", NULL, "all|equiadapt|segnn",
          "with --baselines: measure only this network (with --train: train it first; default all)",
          CLI_CHOICE, 0, &network },
        { 0 },
    };
    int code = lab_parse(&lab_molecules, &s.shared, own, shared, argc, argv);
    s.what.rival = rivals[network];
    code = code >= 0 ? code : check(&s);
    return finish(&s, code >= 0 ? code : check_molecules(&s));
}
