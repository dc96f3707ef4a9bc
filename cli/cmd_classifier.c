/* cmd_classifier.c - recon classifier: trains and measures the frozen classifier. */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"

#include <recon/backbone/classifier.h>
#include <stdio.h>
#include <stdlib.h>
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
    const char *data, *out, *model;
    int net, device, precision, stored, resume, deterministic, flip, skip_bad;
    size_t epochs, batch, seed, every, width, size;
    double rate, shift;
    cli_common common;
} settings;

static const char *const devices[] = { "cpu", "cuda", "ref" };
enum { DEVICE_CUDA = 1 };
static const char *const nets[] = { "small", "resnet18" };

static int parse(settings *s, const char **word, int argc, char **argv)
{
    const cli_option options[] = {
        { "--data", "SPEC", NULL, "labelled images", CLI_TEXT, 1, &s->data },
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
        { "--seed", "S", NULL, "of weights, order and dropout (default 1)", CLI_COUNT, 0,
          &s->seed },
        { "--every", "N", NULL, "a checkpoint every N steps too (default: every epoch)", CLI_COUNT,
          0, &s->every },
        { "--device", NULL, "cpu|cuda|ref", "where to compute (default cpu)", CLI_CHOICE, 0,
          &s->device },
        { "--precision", NULL, "f32|bf16", "of activations (default f32)", CLI_CHOICE, 0,
          &s->precision },
        { "--weights", NULL, "f32|bf16", "as written to MODEL (default f32)", CLI_CHOICE, 0,
          &s->stored },
        { "--skip-bad", NULL, NULL, "leave out images that cannot be read, and count them",
          CLI_FLAG, 0, &s->skip_bad },
        { "--size", "N", NULL, "png: make all pictures N x N", CLI_COUNT, 0, &s->size },
        { "--deterministic", NULL, NULL, "with cuda: the same bits in every run, more slowly",
          CLI_FLAG, 0, &s->deterministic },
        { "--resume", NULL, NULL, "go on from MODEL.last if it is there", CLI_FLAG, 0, &s->resume },
        { 0 },
    };
    return cli_parse(&cli_classifier, options, &s->common, argc, argv, word, 1, NULL);
}

static int check(const settings *s, const char *word)
{
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
    char *json = s->common.json ? cli_json_text(answer) : NULL;
    if (!s->common.json)
        json_decref(answer);
    if (s->common.json && !json)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    if (json || !s->common.quiet)
        puts(json ? json : text);
    free(json);
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
                                   .seed = s->seed,
                                   .every = s->every,
                                   .precision = s->precision ? RECON_MIXED : RECON_SINGLE,
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
             s->model, nets[i.net], i.weights, accuracy, n, s->data);
    RECON_TRY(show(ctx, s,
                   json_pack("{s:s, s:I, s:f, s:I, s:f}", "net", nets[i.net], "weights",
                             (json_int_t)i.weights, "accuracy", accuracy, "images", (json_int_t)n,
                             "seconds", recon_now() - begun),
                   text));
done:
    recon_classifier_close(ctx, c);
    return status;
}

static recon_status work(recon_ctx *ctx, const settings *s, const char *word)
{
    recon_dataset *data = NULL;
    recon_status status;
    RECON_TRY(recon_ops_attach(ctx, s->device == DEVICE_CUDA && s->deterministic
                                        ? "cuda-deterministic"
                                        : devices[s->device]));
    RECON_TRY(recon_dataset_open_with(
        ctx, &data, s->data, &(recon_dataset_options){ .skip_bad = s->skip_bad, .size = s->size }));
    RECON_TRY((!strcmp(word, "train") ? train : eval)(ctx, s, data));
done:
    recon_dataset_close(data);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { .seed = 1 };
    const char *word = NULL;
    int code = parse(&s, &word, argc, argv);
    if (code < 0)
        code = check(&s, word);
    if (code >= 0)
        return code;
    recon_ctx *ctx = cli_context(&s.common);
    if (!ctx)
        return EXIT_FAILED;
    code = work(ctx, &s, word) == RECON_OK ? EXIT_DONE : cli_fail(&cli_classifier, ctx);
    cli_context_free(ctx);
    return code;
}
