/* cmd_score.c - recon score: which images are in an odd pose. */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>

static int run(int argc, char **argv);
const cli_command cli_score = {
    .name = "score",
    .purpose = "say how unnatural the pose of each image is",
    .arguments = "",
    .example =
        "  recon score --model digits/model.safetensors --data mnist/test --turn all --out s.npy\n"
        "\n"
        "The score is -log of the density of the pose, given the image; s.npy gets them all. An\n"
        "image is called odd when fewer than the share --false-alarms of the images that the "
        "model\n"
        "was calibrated on score as high.",
    .run = run,
};

enum { BLOCK = 1024, ODDEST = 5 };
#define FALSE_ALARMS 0.01

typedef struct {
    const char *model, *out;
    double false_alarms;
    cli_data data;
    cli_common common;
} settings;

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[3 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "what `recon discover` wrote", CLI_TEXT, 1, &s->model },
        { "--out", "s.npy", NULL, "file for the scores", CLI_TEXT, 1, &s->out },
        { "--false-alarms", "SHARE", NULL, "of natural images called odd (default 0.01)",
          CLI_NUMBER, 0, &s->false_alarms },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    int code = cli_parse(&cli_score, options, &s->common, argc, argv, NULL, 0, NULL);
    if (code < 0 && s->false_alarms >= 1)
        return cli_misuse(&cli_score, "--false-alarms %g is a share below 1", s->false_alarms);
    return code;
}

typedef struct {
    size_t index;
    recon_oddness is;
} entry;

typedef struct {
    size_t n, odd, listed;
    double threshold;
    double *scores;       /* [n] */
    entry oddest[ODDEST]; /* highest scores first */
} findings;

static void keep_oddest(findings *f, size_t index, const recon_oddness *is)
{
    size_t at = f->listed < ODDEST ? f->listed++ : ODDEST;
    for (; at > 0 && f->oddest[at - 1].is.score < is->score; at--)
        if (at < ODDEST)
            f->oddest[at] = f->oddest[at - 1];
    if (at < ODDEST)
        f->oddest[at] = (entry){ index, *is };
}

static recon_status score_all(recon_ctx *ctx, findings *f, const recon_model *model,
                              const cli_images *images)
{
    recon_dataset_info d = recon_dataset_describe(images->use);
    float *in = NULL;
    recon_oddness *out = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &in, BLOCK, d.height * d.width * d.channels * sizeof *in));
    RECON_TRY(recon_alloc_raw(ctx, &out, BLOCK, sizeof *out));
    recon_progress_begin(ctx, "score", f->n);
    for (size_t at = 0; at < f->n; at += BLOCK) {
        size_t n = f->n - at < BLOCK ? f->n - at : BLOCK;
        cli_images_read(in, images, at, n);
        RECON_TRY(recon_score(ctx, out, model, in, n));
        for (size_t i = 0; i < n; i++) {
            f->scores[at + i] = out[i].score;
            f->odd += out[i].score > f->threshold;
            keep_oddest(f, at + i, &out[i]);
        }
        recon_progress_add(ctx, n);
    }
    recon_progress_end(ctx);
done:
    free(in);
    free(out);
    return status;
}

static json_t *as_json(const settings *s, const findings *f, size_t skipped)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->listed; i++) {
        const recon_oddness *o = &f->oddest[i].is;
        json_array_append_new(list, json_pack("{s:I, s:f, s:f, s:f}", "index",
                                              (json_int_t)f->oddest[i].index, "score", o->score,
                                              "p_value", o->p_value, "pose_deg",
                                              o->pose.absolute * CLI_DEGREES));
    }
    return json_pack("{s:I, s:I, s:f, s:f, s:I, s:o}", "images", (json_int_t)f->n, "skipped",
                     (json_int_t)skipped, "false_alarms", s->false_alarms, "threshold",
                     f->threshold, "odd", (json_int_t)f->odd, "oddest", list);
}

static void print_text(const settings *s, const findings *f, size_t skipped)
{
    printf("%zu images of %s\n", f->n, s->data.spec);
    if (skipped)
        printf("  skipped    %zu that could not be read\n", skipped);
    printf("  odd        %zu (%.2f%%): score above %.3f, false alarms %.3g%%\n", f->odd,
           100 * (double)f->odd / (double)f->n, f->threshold, 100 * s->false_alarms);
    printf("  oddest     image   score  p-value  pose\n");
    for (size_t i = 0; i < f->listed; i++) {
        const recon_oddness *o = &f->oddest[i].is;
        printf("          %8zu %7.3f %8.4f %+5.0f degrees\n", f->oddest[i].index, o->score,
               o->p_value, o->pose.absolute * CLI_DEGREES);
    }
    printf("  written    %s\n", s->out);
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    cli_images images;
    recon_model *model = NULL;
    findings f = { 0 };
    recon_status status;
    RECON_TRY(cli_images_open(ctx, &images, &s->data));
    RECON_TRY(cli_model_open(ctx, &model, s->model, &images, &s->data));
    f.n = recon_dataset_describe(images.use).n;
    f.threshold = recon_score_threshold(model, s->false_alarms);
    RECON_TRY(recon_alloc_raw(ctx, &f.scores, f.n, sizeof *f.scores));
    RECON_TRY(score_all(ctx, &f, model, &images));
    RECON_TRY(recon_npy_write(
        ctx, s->out,
        &(recon_array){ .dtype = RECON_F64, .ndim = 1, .shape = { f.n }, .data = f.scores }));
    size_t skipped = recon_dataset_describe(images.whole).skipped;
    if (s->common.json)
        RECON_TRY(cli_print_json(ctx, as_json(s, &f, skipped)));
    else if (!s->common.quiet)
        print_text(s, &f, skipped);
done:
    free(f.scores);
    recon_model_close(ctx, model);
    cli_images_close(&images);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { .false_alarms = FALSE_ALARMS };
    int code = parse(&s, argc, argv);
    return code >= 0 ? code : cli_run(&cli_score, &s.common, work, &s);
}
