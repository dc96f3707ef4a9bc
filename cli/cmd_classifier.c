/* cmd_classifier.c - recon classifier: trains and measures the frozen classifier. */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"

#include <stdio.h>
#include <string.h>

static int run(int argc, char **argv);
const cli_command cli_classifier = {
    .name = "classifier",
    .purpose = "train or measure an image classifier on labelled data",
    .arguments = "train|eval",
    .example =
        "  recon classifier train --data fashion --out fashion.safetensors\n"
        "  recon classifier eval --model fashion.safetensors --data fashion/test\n"
        "\n"
        "One image of twelve is held out, and the epoch that does best on those is kept. Beside\n"
        "the model lie MODEL.jsonl (loss, rate, validation) and MODEL.last, from which --resume\n"
        "goes on as if the run had never stopped. Data: fashion, mnist (with /train, /val,\n"
        "/test), idx:FILE or npy:FILE with images in FILE and labels beside it, png:DIR with a\n"
        "folder of pictures for each class, or amat:FILE.",
    .run = run,
};

typedef struct {
    const char *word, *out, *model;
    int net, stored, resume, flip;
    size_t epochs, batch, every, width;
    double rate, shift;
    cli_data data;
    cli_common common;
} settings;

static const char *const nets[] = { "small", "resnet18" };

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[12 + CLI_DATA_OPTIONS + 1] = {
        { "--out", "MODEL", NULL, "train: file for the best weights", CLI_TEXT, 0, &s->out },
        { "--model", "MODEL", NULL, "eval: what train wrote", CLI_TEXT, 0, &s->model },
        { "--net", NULL, "small|resnet18", "network (default small)", CLI_CHOICE, 0, &s->net },
        { "--width", "N", NULL, "resnet18: channels of the first stage (default 64)", CLI_COUNT, 0,
          &s->width },
        { "--shift", "P", NULL, "move images at random by up to P pixels (default 0)", CLI_NUMBER,
          0, &s->shift },
        { "--flip", NULL, NULL, "mirror images, left for right, half of the time", CLI_FLAG, 0,
          &s->flip },
        { "--epochs", "N", NULL, "times through the data (default 3, resnet18 15)", CLI_COUNT, 0,
          &s->epochs },
        { "--batch", "N", NULL, "images a step (default 64, resnet18 128)", CLI_COUNT, 0,
          &s->batch },
        { "--rate", "R", NULL, "highest learning rate (default 0.002, resnet18 0.001)", CLI_NUMBER,
          0, &s->rate },
        { "--every", "N", NULL, "a checkpoint every N steps too (default: every epoch)", CLI_COUNT,
          0, &s->every },
        { "--weights", NULL, "f32|bf16", "as written to MODEL (default f32)", CLI_CHOICE, 0,
          &s->stored },
        { "--resume", NULL, NULL, "go on from MODEL.last if it is there", CLI_FLAG, 0, &s->resume },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    return cli_parse(&cli_classifier, options, &s->common, argc, argv, &s->word, 1, NULL);
}

static int check(const settings *s)
{
    const char *word = s->word;
    if (!word || (strcmp(word, "train") && strcmp(word, "eval")))
        return cli_misuse(&cli_classifier, "%s%s%s", word ? "'" : "say train or eval",
                          word ? word : "", word ? "' is neither train nor eval" : "");
    if (!strcmp(word, "train") ? !s->out : !s->model)
        return cli_misuse(&cli_classifier, "%s needs %s MODEL", word,
                          !strcmp(word, "train") ? "--out" : "--model");
    return -1;
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

static recon_status train(recon_ctx *ctx, const settings *s, const recon_dataset *data)
{
    recon_classifier_options o = { .net = (recon_net)s->net,
                                   .stem = s->width,
                                   .shift = s->shift,
                                   .flip = s->flip,
                                   .epochs = s->epochs,
                                   .batch = s->batch,
                                   .rate = s->rate,
                                   .seed = cli_seed(&s->data),
                                   .every = s->every,
                                   .precision = cli_precision(&s->data),
                                   .bf16 = s->stored,
                                   .resume = s->resume };
    recon_train_result r;
    char text[512];
    recon_status status = recon_classifier_train(ctx, &r, data, s->out, &o);
    if (status != RECON_OK)
        return status;
    snprintf(text, sizeof text,
             "%s: %llu steps in %.1f s on %s, %.1f MiB a step\n"
             "  validation accuracy %.4f, last loss %.4f\n"
             "  written    %s",
             nets[s->net], (unsigned long long)r.steps, r.seconds, recon_ops_name(ctx),
             (double)r.peak / 1048576, 1 - r.best, r.loss, s->out);
    return show(ctx, s,
                json_pack("{s:s, s:s, s:I, s:f, s:f, s:f, s:I}", "net", nets[s->net], "backend",
                          recon_ops_name(ctx), "steps", (json_int_t)r.steps, "seconds", r.seconds,
                          "validation_accuracy", 1 - r.best, "loss", r.loss, "step_bytes",
                          (json_int_t)r.peak),
                text);
}

static recon_status eval(recon_ctx *ctx, const settings *s, const recon_dataset *data)
{
    recon_classifier *c = NULL;
    double accuracy, begun = recon_now();
    char text[512];
    recon_status status;
    size_t n = recon_dataset_describe(data).n;
    RECON_TRY(recon_classifier_open(ctx, &c, s->model));
    RECON_TRY(recon_classifier_accuracy(ctx, &accuracy, c, data));
    recon_classifier_info i = recon_classifier_describe(c);
    snprintf(text, sizeof text, "%s: %s of %zu weights, accuracy %.4f on %zu images of %s",
             s->model, nets[i.net], i.weights, accuracy, n, s->data.spec);
    RECON_TRY(show(ctx, s,
                   json_pack("{s:s, s:I, s:f, s:I, s:f}", "net", nets[i.net], "weights",
                             (json_int_t)i.weights, "accuracy", accuracy, "images", (json_int_t)n,
                             "seconds", recon_now() - begun),
                   text));
done:
    recon_classifier_close(ctx, c);
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    cli_images images;
    recon_status status;
    RECON_TRY(cli_images_open(ctx, &images, &s->data));
    RECON_TRY((!strcmp(s->word, "train") ? train : eval)(ctx, s, images.use));
done:
    cli_images_close(&images);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    int code = parse(&s, argc, argv);
    if (code < 0)
        code = check(&s);
    return code >= 0 ? code : cli_run(&cli_classifier, &s.common, work, &s);
}
