/* cmd_reproduce.c - recon reproduce: the paper's tables, ours beside theirs. */
#include "cli/cli.h"
#include "experiments/reproduce_molecules.h"
#include "core/fail.h"

#include <string.h>

enum { DEVICE_CUDA = 1 };

static int run(int argc, char **argv);
const cli_command cli_reproduce = {
    .name = "reproduce",
    .purpose = "reproduce the paper's tables",
    .arguments = "mnist|fashion|molecules",
    .example =
        "  recon reproduce mnist --quick\n"
        "  recon reproduce fashion --figures out/\n"
        "  recon reproduce molecules\n"
        "  recon reproduce mnist --train --limit 12000 --seeds 3 --device cuda --out runs/\n"
        "\n"
        "Images or conformers of the test split are rotated as in the paper, canonicalized in several\n"
        "ways, and classified by a frozen classifier trained on upright inputs only. Training data are\n"
        "rotated with seed 1, test data with seed 2. The test split was not used for any choice:\n"
        "models, epochs and settings were chosen on part of the training split, for molecules on\n"
        "conformers/val. Labels and true rotations are used for evaluation only. --quick takes 2,000\n"
        "test images and 12,000 training images, fewer on a slow machine; for molecules every sixth.\n"
        "Models are taken from models/, or trained by --train: a backbone and its maps for each seed,\n"
        "under OUT/seed-S/.",
    .run = run,
};

typedef struct {
    reproduce_settings what;
    int device, precision, deterministic;
    cli_common common;
} settings;

static int parse(settings *all, const char **word, int argc, char **argv)
{
    reproduce_settings *s = &all->what;
    const cli_option options[] = {
        { "--quick", NULL, NULL, "use part of the data: minutes on two cores", CLI_FLAG, 0,
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
        { "--images", "N", NULL, "number of test images (default all)", CLI_COUNT | CLI_IMAGES, 0,
          &s->images },
        { "--limit", "N", NULL,
          "number of training images (default all; the paper uses 12000 of "
          "MNIST)",
          CLI_COUNT | CLI_IMAGES, 0, &s->limit },
        { "--preset", NULL, "fast|paper|small", "which model (default fast)", CLI_CHOICE, 0,
          &s->preset },
        { "--train", NULL, NULL, "train the model instead of using a shipped one", CLI_FLAG, 0,
          &s->train },
        { "--out", "DIR", NULL, "with --train: folder for the models", CLI_TEXT, 0, &s->out },
        { "--epochs", "N", NULL,
          "with --train: passes over the data (default: the shipped model's)", CLI_COUNT, 0,
          &s->epochs },
        { "--seed", "S", NULL, "with --train: seed of the first model (default 1)", CLI_COUNT, 0,
          &s->seed },
        { "--seeds", "N", NULL, "with --train: number of models, for mean and spread (default 1)",
          CLI_COUNT, 0, &s->seeds },
        { "--resume", NULL, NULL, "with --train: continue a run that was stopped", CLI_FLAG, 0,
          &s->resume },
        { "--overwrite", NULL, NULL, "with --train: replace models that are in DIR", CLI_FLAG, 0,
          &s->overwrite },
        { "--device", NULL, "cpu|cuda|ref", "device (default cpu)", CLI_CHOICE, 0, &all->device },
        { "--precision", NULL, CLI_PRECISIONS, CLI_PRECISION_HELP, CLI_CHOICE, 0, &all->precision },
        { "--deterministic", NULL, NULL, "with cuda: bit-identical runs, slower", CLI_FLAG, 0,
          &all->deterministic },
        { 0 },
    };
    return cli_parse(&cli_reproduce, options, &all->common, argc, argv, word, 1, NULL);
}

static int check_options(reproduce_settings *s, const char *word)
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
    if (!s->train && (s->seed || s->seeds || s->epochs || s->out || s->resume || s->overwrite))
        return cli_misuse(&cli_reproduce, "%s is for --train",
                          s->seed     ? "--seed"
                          : s->seeds  ? "--seeds"
                          : s->epochs ? "--epochs"
                          : s->out    ? "--out"
                          : s->resume ? "--resume"
                                      : "--overwrite");
    if (s->seeds > MAX_SEEDS)
        return cli_misuse(&cli_reproduce, "--seeds %zu: %d at most", s->seeds, MAX_SEEDS);
    s->seed = s->seed ? s->seed : 1;
    s->seeds = s->seeds ? s->seeds : 1;
    return -1;
}

static recon_status show(recon_ctx *ctx, const settings *s, json_t *result, const json_t *spread)
{
    if (s->common.json)
        return cli_print_json(ctx, json_incref(result));
    if (!s->common.quiet)
        (s->what.what ? reproduce_print : molecule_reproduce_print)(result, spread);
    return RECON_OK;
}

static recon_status work(recon_ctx *ctx, const void *given)
{
    static const char *const devices[] = { "cpu", "cuda", "ref" };
    const settings *s = given;
    reproduce_settings what = s->what;
    json_t *result = NULL, *spread = NULL;
    recon_status status;
    RECON_TRY(recon_ops_attach(ctx, s->device == DEVICE_CUDA && s->deterministic
                                        ? "cuda-deterministic"
                                        : devices[s->device]));
    cli_note_precision(ctx, s->precision);
    what.precision = cli_precision(ctx, s->precision);
    RECON_TRY(reproduce_run(ctx, &result, &spread, &what));
    RECON_TRY(show(ctx, s, result, spread));
done:
    json_decref(spread);
    json_decref(result);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    const char *word = NULL;
    int code = parse(&s, &word, argc, argv);
    if (code < 0)
        code = check_options(&s.what, word);
    return code >= 0 ? code : cli_run(&cli_reproduce, &s.common, work, &s);
}
