/* lab.c - the options that experiments share, and what each does before and after its work. */
#include "lab/lab.h"
#include "lab/reproduce.h"

#include <recon/ops/backend.h>
#include <stddef.h>

enum { MOST = 40, DEVICE_CUDA = 1 };

static const struct {
    lab_option whose;
    const char *name, *value, *help;
    int kind;
    size_t at; /* in lab_settings */
} rows[] = {
    { LAB_QUICK, "--quick", NULL, "use part of the data: minutes on two cores", CLI_FLAG,
      offsetof(lab_settings, quick) },
    { LAB_MODEL, "--model", "MODEL", "what `recon discover` wrote (default: the shipped model)",
      CLI_MODEL, offsetof(lab_settings, models) },
    { LAB_MODELS, "--model", "MODEL",
      "what `recon discover` wrote, up to three, one of each kind of backbone (default: the shipped "
      "models)",
      CLI_MODEL | CLI_MANY, offsetof(lab_settings, models) },
    { LAB_CLASSIFIER, "--classifier", "MODEL",
      "what `recon classifier train` wrote (default: the shipped one)", CLI_TEXT | CLI_READS,
      offsetof(lab_settings, classifier) },
    { LAB_FIGURES, "--figures", "DIR",
      "write the figures to DIR as SVG, and a page of all runs, DIR/report.html",
      CLI_TEXT | CLI_WRITES, offsetof(lab_settings, figures) },
    { LAB_IMAGES, "--images", "N", "number of test images (default all)", CLI_COUNT,
      offsetof(lab_settings, images) },
    { LAB_LIMIT, "--limit", "N", "number of training images, drawn at random (default all)",
      CLI_COUNT, offsetof(lab_settings, limit) },
    { LAB_SIZE, "--size", "N", "side of the model's inputs, in pixels", CLI_COUNT,
      offsetof(lab_settings, size) },
    { LAB_FONTS, "--fonts", "DIR", "folder of fonts (default /usr/share/fonts)",
      CLI_TEXT | CLI_READS, offsetof(lab_settings, fonts) },
    { LAB_TRAIN, "--train", NULL, "train the models instead of using shipped ones", CLI_FLAG,
      offsetof(lab_settings, train) },
    { LAB_TRAIN, "--resume", NULL, "with --train: continue an interrupted run", CLI_FLAG,
      offsetof(lab_settings, resume) },
    { LAB_TRAIN, "--overwrite", NULL, "with --train: replace models in DIR", CLI_FLAG,
      offsetof(lab_settings, overwrite) },
    { LAB_OUT, "--out", "DIR", "folder for the models, and for pictures that are drawn",
      CLI_TEXT | CLI_WRITES, offsetof(lab_settings, out) },
    { LAB_EPOCHS, "--epochs", "N",
      "training: passes over the data (default: the shipped model's, the preset's)", CLI_COUNT,
      offsetof(lab_settings, epochs) },
    { LAB_SEED, "--seed", "S", "training: seed of the first model (default 1)", CLI_COUNT,
      offsetof(lab_settings, seed) },
    { LAB_SEEDS, "--seeds", "N", "training: number of models, for mean and spread (default 1)",
      CLI_COUNT, offsetof(lab_settings, seeds) },
};

/* The rows of one entry of a list, into the end of a table. */
static size_t put_shared(cli_option *table, size_t n, lab_settings *s, lab_option whose)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].whose == whose)
            table[n++] = (cli_option){ .name = rows[i].name,
                                       .value = rows[i].value,
                                       .help = rows[i].help,
                                       .kind = rows[i].kind,
                                       .out = (char *)s + rows[i].at };
    return n;
}

int lab_parse(const cli_command *command, lab_settings *s, const cli_option *own,
              const lab_option *shared, int argc, char **argv)
{
    cli_option table[MOST] = { 0 };
    size_t n = 0;
    for (; *shared != LAB_OPTIONS; shared++)
        n = put_shared(table, n, s, *shared);
    for (; own->name; own++)
        table[n++] = *own;
    table[n++] = (cli_option){ "--device", NULL, "cpu|cuda|ref", "device (default cpu)",
                               CLI_CHOICE, 0,    &s->device };
    table[n++] = (cli_option){ "--precision", NULL, CLI_PRECISIONS, CLI_PRECISION_HELP,
                               CLI_CHOICE,    0,    &s->precision };
    table[n++] = (cli_option){
        "--deterministic", NULL, NULL, "with cuda: bit-identical runs, slower", CLI_FLAG, 0,
        &s->deterministic
    };
    return cli_parse(command, table, &s->common, argc, argv, NULL, 0, NULL);
}

int lab_check_training(const cli_command *command, lab_settings *s)
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
    if (s->seeds > MAX_SEEDS)
        return cli_misuse(command, "--seeds %zu: must be at most %d", s->seeds, MAX_SEEDS);
    s->seed = s->seed ? s->seed : 1;
    s->seeds = s->seeds ? s->seeds : 1;
    return -1;
}

recon_status lab_attach(recon_ctx *ctx, recon_precision *precision, const lab_settings *s)
{
    static const char *const devices[] = { "cpu", "cuda", "ref" };
    const char *device =
        s->device == DEVICE_CUDA && s->deterministic ? "cuda-deterministic" : devices[s->device];
    recon_status status = recon_ops_attach(ctx, device);
    if (status != RECON_OK)
        return status;
    cli_note_precision(ctx, s->precision);
    *precision = cli_precision(ctx, s->precision);
    return RECON_OK;
}

recon_status lab_show(recon_ctx *ctx, recon_status status, const lab_settings *s, json_t *result,
                      json_t *spread, void (*print)(const json_t *result, const json_t *spread))
{
    if (status == RECON_OK && s->common.json)
        status = cli_print_json(ctx, json_incref(result));
    else if (status == RECON_OK && !s->common.quiet)
        print(result, spread);
    json_decref(spread);
    json_decref(result);
    return status;
}
