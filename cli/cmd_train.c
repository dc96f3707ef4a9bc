/* cmd_train.c - recon train: the backbone, from images alone. */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);
const cli_command cli_train = {
    .name = "train",
    .purpose = "train a backbone on images, without labels",
    .arguments = "",
    .example =
        "  recon train --data mnist --turn mnist --preset small --out digits.safetensors\n"
        "\n"
        "Labels are not used. One image of twelve is held out, and the epoch that rebuilds those\n"
        "best is kept. Beside the model lie MODEL.jsonl (loss, rate, validation) and MODEL.last,\n"
        "from which --resume goes on as if the run had never stopped. `recon discover` comes next.",
    .run = run,
};

typedef struct {
    const char *out, *data, *turn;
    size_t limit, turn_seed;
    int device, precision, deterministic;
    int group, preset, mask, resume;
    size_t epochs, batch, seed, every, frequencies, code;
    double rate, contrast, pose, width;
    int plain;
    cli_common common;
} settings;

static int parse(settings *s, int argc, char **argv)
{
    const cli_option options[] = {
        { "--data", "SPEC", NULL, "images", CLI_TEXT, 1, &s->data },
        { "--turn", "RULE", NULL, "turn upright images first: mnist, fashion, all or a JSON file",
          CLI_TEXT, 0, &s->turn },
        { "--turn-seed", "S", NULL, "of those turns (default 1)", CLI_COUNT, 0, &s->turn_seed },
        { "--limit", "N", NULL, "take N images at random", CLI_COUNT, 0, &s->limit },
        { "--out", "MODEL", NULL, "file for the best weights", CLI_TEXT, 1, &s->out },
        { "--group", NULL, "so2", "how objects are turned (default so2)", CLI_CHOICE, 0,
          &s->group },
        { "--preset", NULL, "fast|paper|small",
          "network: fast for a GPU (default), small for a CPU, the paper's layers", CLI_CHOICE, 0,
          &s->preset },
        { "--width", "F", NULL, "times the preset's fields (default 1)", CLI_NUMBER, 0, &s->width },
        { "--frequencies", "N", NULL, "rotation orders of the fields, 2 to 4 (default: preset's)",
          CLI_COUNT, 0, &s->frequencies },
        { "--code", "N", NULL, "length of the embedding (default 128)", CLI_COUNT, 0, &s->code },
        { "--mask", NULL, NULL, "see images through a disc: for objects that fill the corners",
          CLI_FLAG, 0, &s->mask },
        { "--epochs", "N", NULL, "times through the data (default 30, small 8)", CLI_COUNT, 0,
          &s->epochs },
        { "--batch", "N", NULL, "images a step (default 256, paper 128, small 64)", CLI_COUNT, 0,
          &s->batch },
        { "--rate", "R", NULL, "highest learning rate (default 0.002)", CLI_NUMBER, 0, &s->rate },
        { "--contrast", "W", NULL, "weight of telling images apart (default: preset's)", CLI_NUMBER,
          0, &s->contrast },
        { "--pose", "W", NULL, "weight of the known turn between views (default: preset's)",
          CLI_NUMBER, 0, &s->pose },
        { "--plain", NULL, NULL, "the reconstruction alone, as in the paper", CLI_FLAG, 0,
          &s->plain },
        { "--every", "N", NULL, "a checkpoint every N steps too (default: every epoch)", CLI_COUNT,
          0, &s->every },
        { "--device", NULL, "cpu|cuda|ref", "where to compute (default cpu)", CLI_CHOICE, 0,
          &s->device },
        { "--precision", NULL, "f32|bf16", "of activations (default f32)", CLI_CHOICE, 0,
          &s->precision },
        { "--deterministic", NULL, NULL, "with cuda: the same bits in every run, more slowly",
          CLI_FLAG, 0, &s->deterministic },
        { "--seed", "S", NULL, "of weights, order and views (default 1)", CLI_COUNT, 0, &s->seed },
        { "--resume", NULL, NULL, "go on from MODEL.last if it is there", CLI_FLAG, 0, &s->resume },
        { 0 },
    };
    return cli_parse(&cli_train, options, &s->common, argc, argv, NULL, 0, NULL);
}

static recon_status print_json(recon_ctx *ctx, json_t *answer)
{
    char *text = cli_json_text(answer);
    if (!text)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    puts(text);
    free(text);
    return RECON_OK;
}

static recon_status train(recon_ctx *ctx, const settings *s, const recon_dataset *data)
{
    recon_ieae_options o = { .shape = { .preset = (recon_preset)s->preset,
                                        .width = s->width,
                                        .frequencies = s->frequencies,
                                        .code = s->code,
                                        .mask = s->mask },
                             .epochs = s->epochs,
                             .batch = s->batch,
                             .rate = s->rate,
                             .contrast = s->plain ? -1 : s->contrast,
                             .pose = s->plain ? -1 : s->pose,
                             .seed = s->seed,
                             .every = s->every,
                             .threads = recon_ctx_threads(ctx),
                             .precision = s->precision ? RECON_MIXED : RECON_SINGLE,
                             .resume = s->resume };
    recon_train_result r;
    recon_status status = recon_ieae_train(ctx, &r, data, s->out, &o);
    if (status != RECON_OK)
        return status;
    if (s->common.json)
        return print_json(ctx, json_pack("{s:s, s:s, s:I, s:f, s:f, s:f, s:I}", "preset",
                                         recon_preset_name(o.shape.preset), "backend",
                                         recon_ops_name(ctx), "steps", (json_int_t)r.steps,
                                         "seconds", r.seconds, "validation_mse", r.best, "loss",
                                         r.loss, "step_bytes", (json_int_t)r.peak));
    if (!s->common.quiet)
        printf("%s: %llu steps in %.1f s on %s, %.1f MiB a step\n"
               "  validation %.5f mean squared error, last loss %.5f\n"
               "  written    %s\n",
               recon_preset_name(o.shape.preset), (unsigned long long)r.steps, r.seconds,
               recon_ops_name(ctx), (double)r.peak / 1048576, r.best, r.loss, s->out);
    return RECON_OK;
}

static recon_status work(recon_ctx *ctx, const settings *s)
{
    static const char *const devices[] = { "cpu", "cuda", "ref", "cuda-deterministic" };
    recon_dataset *data = NULL, *part = NULL, *turned = NULL;
    recon_turn_rule *rule = NULL;
    recon_status status;
    RECON_TRY(recon_ops_attach(ctx, devices[s->device == 1 && s->deterministic ? 3 : s->device]));
    RECON_TRY(recon_dataset_open(ctx, &data, s->data));
    if (s->limit)
        RECON_TRY(recon_dataset_take(ctx, &part, data, s->limit, s->seed));
    if (s->turn) {
        RECON_TRY(recon_alloc(ctx, &rule, 1, sizeof *rule));
        RECON_TRY(recon_turn_rule_load(ctx, rule, s->turn));
        RECON_TRY(recon_dataset_turn(ctx, &turned, part ? part : data, rule, s->turn_seed));
    }
    RECON_TRY(train(ctx, s, turned ? turned : part ? part : data));
done:
    free(rule);
    recon_dataset_close(turned);
    recon_dataset_close(part);
    recon_dataset_close(data);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { .seed = 1, .turn_seed = 1 };
    int code = parse(&s, argc, argv);
    if (code >= 0)
        return code;
    recon_ctx *ctx = cli_context(&s.common);
    if (!ctx)
        return EXIT_FAILED;
    code = work(ctx, &s) == RECON_OK ? EXIT_DONE : cli_fail(&cli_train, ctx);
    cli_context_free(ctx);
    return code;
}
