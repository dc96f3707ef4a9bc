/* cmd_classifier.c - recon classifier: trains and measures the frozen classifier. */
#include "cli/cli.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"

#include <recon/backbone/gcn.h>
#include <recon/backbone/classifier.h>
#include <stdio.h>
#include <string.h>

static int run(int argc, char **argv);
const cli_command cli_classifier = {
    .name = "classifier",
    .purpose = "train or measure a classifier of images or molecules",
    .arguments = "train|eval",
    .example =
        "  recon classifier train --data fashion --out fashion.safetensors\n"
        "  recon classifier eval --model fashion.safetensors --data fashion/test\n"
        "  recon classifier train --data conformers --held conformers/val --out gcn.safetensors\n"
        "\n"
        "One input in twelve is held out, and the epoch with the best accuracy on those is kept.\n"
        "MODEL.jsonl logs loss, learning rate and validation; --resume continues from MODEL.last with\n"
        "bit-identical results. Data: fashion, mnist (with /train, /val, /test), idx:FILE or npy:FILE\n"
        "with images in FILE and labels beside it, images:DIR with a folder of images for each class,\n"
        "or amat:FILE. For molecules (conformers, xyz:FILE ...), a graph network predicts from the\n"
        "atoms' positions, in the given pose, which molecule a conformer belongs to.",
    .run = run,
};

typedef struct {
    const char *word, *out, *model, *held;
    int net, stored, resume, overwrite, flip;
    size_t epochs, batch, every, width;
    double rate, decay, shift;
    cli_data data;
    cli_common common;
} settings;

static const char *const nets[] = { "small", "resnet18" };

static int check_options(const settings *s)
{
    const char *word = s->word;
    if (!word || (strcmp(word, "train") && strcmp(word, "eval")))
        return cli_misuse(&cli_classifier, "%s%s%s", word ? "'" : "name train or eval",
                          word ? word : "", word ? "' is neither train nor eval" : "");
    if (!strcmp(word, "train") ? !s->out : !s->model)
        return cli_misuse(&cli_classifier, "%s needs %s MODEL", word,
                          !strcmp(word, "train") ? "--out" : "--model");
    if (s->held && strcmp(word, "train"))
        return cli_misuse(&cli_classifier, "--held is for train");
    return strcmp(word, "train")
               ? -1
               : cli_check_replacing(&cli_classifier, s->out, s->resume, s->overwrite);
}

static recon_status show(recon_ctx *ctx, const settings *s, json_t *answer, const char *text)
{
    if (s->common.json)
        return cli_print_json(ctx, answer);
    json_decref(answer);
    if (!s->common.quiet)
        puts(text);
    return RECON_OK;
}

static recon_status show_training(recon_ctx *ctx, const settings *s, const char *net,
                                  const recon_train_result *r)
{
    char text[512];
    snprintf(text, sizeof text,
             "%s: %llu steps in %.1f s on %s, %.1f MiB per step\n"
             "  validation accuracy %.4f, last loss %.4f\n"
             "  written    %s",
             net, (unsigned long long)r->steps, r->seconds, recon_ops_name(ctx),
             (double)r->peak / 1048576, 1 - r->best, r->loss, s->out);
    return show(ctx, s,
                json_pack("{s:s, s:s, s:I, s:f, s:f, s:f, s:I}", "net", net, "backend",
                          recon_ops_name(ctx), "steps", (json_int_t)r->steps, "seconds", r->seconds,
                          "validation_accuracy", 1 - r->best, "loss", r->loss, "step_bytes",
                          (json_int_t)r->peak),
                text);
}

static recon_status show_accuracy(recon_ctx *ctx, const settings *s, const char *net,
                                  size_t weights, double accuracy, size_t n, double seconds)
{
    const recon_data_kind *kind = recon_data_kind_of(s->data.spec);
    recon_count_text count;
    char text[512];
    snprintf(text, sizeof text, "%s: %s of %zu weights, accuracy %.4f on %s of %s", s->model, net,
             weights, accuracy, recon_count(count, n, kind->one, kind->many), s->data.spec);
    return show(ctx, s,
                json_pack("{s:s, s:I, s:f, s:I, s:f}", "net", net, "weights", (json_int_t)weights,
                          "accuracy", accuracy, kind->many, (json_int_t)n, "seconds", seconds),
                text);
}

/* --- images ----------------------------------------------------------------------------------- */

static recon_status train_images(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    recon_classifier_options o = { .net = (recon_net)s->net,
                                   .stem = s->width,
                                   .shift = s->shift,
                                   .flip = s->flip,
                                   .epochs = s->epochs,
                                   .batch = s->batch,
                                   .rate = s->rate,
                                   .decay = s->decay,
                                   .seed = cli_seed(&s->data),
                                   .every = s->every,
                                   .precision = cli_precision(ctx, s->data.precision),
                                   .bf16 = s->stored,
                                   .resume = s->resume,
                                   .overwrite = s->overwrite };
    recon_train_result r;
    RECON_CHECK(recon_classifier_train(ctx, &r, recon_data_images(in->use), s->out, &o));
    return show_training(ctx, s, nets[s->net], &r);
}

static recon_status eval_images(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    recon_classifier *c = NULL;
    double accuracy, begun = recon_now();
    recon_status status;
    RECON_TRY(recon_classifier_open(ctx, &c, s->model));
    RECON_TRY(recon_classifier_accuracy(ctx, &accuracy, c, recon_data_images(in->use)));
    recon_classifier_info i = recon_classifier_describe(c);
    RECON_TRY(show_accuracy(ctx, s, nets[i.net], i.weights, accuracy, in->n, recon_now() - begun));
done:
    recon_classifier_close(ctx, c);
    return status;
}

/* --- molecules -------------------------------------------------------------------------------- */

/* A class is a molecule's number, which must mean the same in both sets. */
static recon_status check_same(recon_ctx *ctx, const settings *s, const recon_molecules *data,
                               const recon_molecules *held)
{
    size_t n = recon_molecules_describe(data).molecules;
    size_t there = recon_molecules_describe(held).molecules;
    if (there != n)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s has %zu molecules, %s %zu: classes differ",
                          s->held, there, s->data.spec, n);
    for (size_t m = 0; m < n; m++)
        if (strcmp(recon_molecules_name(data, m), recon_molecules_name(held, m)))
            return recon_fail(ctx, RECON_ERR_INPUT, "molecule %zu is %.64s in %s, but %.64s in %s",
                              m, recon_molecules_name(data, m), s->data.spec,
                              recon_molecules_name(held, m), s->held);
    return RECON_OK;
}

static recon_status train_molecules(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    const recon_molecules *data = recon_data_molecules(in->use);
    recon_gcn_options o = { .width = s->width,
                            .epochs = s->epochs,
                            .batch = s->batch,
                            .rate = s->rate,
                            .seed = cli_seed(&s->data),
                            .every = s->every,
                            .precision = cli_precision(ctx, s->data.precision),
                            .bf16 = s->stored,
                            .resume = s->resume,
                            .overwrite = s->overwrite };
    recon_molecules *rest = NULL, *held = NULL;
    cli_inputs other = { 0 };
    recon_train_result r;
    recon_status status;
    if (s->held) {
        RECON_TRY(cli_also_open(ctx, &other, &s->data, "--held", s->held, NULL));
        RECON_TRY(check_same(ctx, s, data, recon_data_molecules(other.use)));
    } else {
        RECON_TRY(recon_molecules_split(ctx, &rest, &held, data, RECON_HELD_OUT, o.seed));
    }
    RECON_TRY(recon_gcn_train(ctx, &r, rest ? rest : data,
                              held ? held : recon_data_molecules(other.use), s->out, &o));
    RECON_TRY(show_training(ctx, s, "gcn", &r));
done:
    recon_inputs_end(&other);
    recon_molecules_close(held);
    recon_molecules_close(rest);
    return status;
}

static recon_status eval_molecules(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    recon_gcn *gcn = NULL;
    double accuracy, begun = recon_now();
    recon_status status;
    RECON_TRY(recon_gcn_open(ctx, &gcn, s->model));
    RECON_TRY(recon_gcn_accuracy(ctx, &accuracy, gcn, recon_data_molecules(in->use)));
    RECON_TRY(show_accuracy(ctx, s, "gcn", recon_gcn_describe(gcn).weights, accuracy, in->n,
                            recon_now() - begun));
done:
    recon_gcn_close(ctx, gcn);
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    settings chosen = *(const settings *)arg, *s = &chosen;
    static const cli_case train[] = { { "images", train_images },
                                      { "molecules", train_molecules },
                                      { 0 } };
    static const cli_case eval[] = { { "images", eval_images },
                                     { "molecules", eval_molecules },
                                     { 0 } };
    cli_inputs inputs = { 0 };
    recon_status status;
    RECON_TRY(cli_attach(ctx, &s->data));
    RECON_TRY(cli_inputs_open(ctx, &inputs, &s->data, NULL));
    RECON_TRY(cli_by_data(ctx, strcmp(s->word, "train") ? eval : train, s, &inputs));
done:
    recon_inputs_end(&inputs);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    cli_option options[15 + CLI_DATA_OPTIONS + 1] = {
        { "--out", "MODEL", NULL, "train: file for the best weights", CLI_TEXT | CLI_WRITES, 0,
          &s.out },
        { "--model", "MODEL", NULL, "eval: what train wrote", CLI_MODEL, 0, &s.model },
        { "--net", NULL, "small|resnet18", "network (default small)", CLI_CHOICE, "images",
          &s.net },
        { "--width", "N", NULL,
          "channels of resnet18's first stage (default 64), of the molecule network (default 128)",
          CLI_COUNT, 0, &s.width },
        { "--shift", "P", NULL, "shift randomly by up to P pixels (default 0)", CLI_NUMBER,
          "images", &s.shift },
        { "--flip", NULL, NULL, "flip horizontally with probability 1/2", CLI_FLAG, "images",
          &s.flip },
        { "--epochs", "N", NULL, "passes over the data (default 3, resnet18 15, molecules 50)",
          CLI_COUNT, 0, &s.epochs },
        { "--batch", "N", NULL, "batch size (default 64, resnet18 and molecules 128)", CLI_COUNT, 0,
          &s.batch },
        { "--rate", "R", NULL,
          "highest learning rate (default 0.002, resnet18 and molecules 0.001)", CLI_NUMBER, 0,
          &s.rate },
        { "--decay", "D", NULL, "weight decay, times the learning rate; 0: none (default 0.01)",
          CLI_WEIGHT, "images", &s.decay },
        { "--held", "SPEC", NULL,
          "train: validation data (default: one conformer in twelve of each molecule)", CLI_SPEC,
          "molecules", &s.held },
        { "--every", "N", NULL,
          "also write a checkpoint every N steps (default: after epochs, in a twentieth of the time at most)",
          CLI_COUNT, 0, &s.every },
        { "--weights", NULL, "f32|bf16", "precision of the weights in MODEL (default f32)",
          CLI_CHOICE, 0, &s.stored },
        { "--resume", NULL, NULL, CLI_RESUME_HELP, CLI_FLAG, 0, &s.resume },
        { "--overwrite", NULL, NULL, CLI_OVERWRITE_HELP, CLI_FLAG, 0, &s.overwrite },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s.data);
    int code = cli_parse(&cli_classifier, options, &s.common, argc, argv, &s.word, 1, NULL);
    if (code < 0)
        code = check_options(&s);
    return code >= 0 ? code : cli_run(&cli_classifier, &s.common, work, &s);
}
