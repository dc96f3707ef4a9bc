/* cmd_export.c - recon export: a model as an ONNX file. */
#include "cli/cli.h"
#include "core/fail.h"

#include <recon/backbone/classifier.h>
#include <stdio.h>
#include <sys/stat.h>

static int run(int argc, char **argv);
const cli_command cli_export = {
    .name = "export",
    .purpose = "write a model as an ONNX file, for other runtimes",
    .arguments = "",
    .example =
        "  recon export --model digits/model.safetensors --out digits.onnx\n"
        "  recon export --model fashion --what canonicalize --licence MIT --out upright.onnx\n"
        "\n"
        "The file (ONNX, opset 17) is self-contained. Its input is `images`, float32 n x channels x\n"
        "height x width in 0 .. 1, of the model's size, for any n. Every file outputs `rotation`, n x\n"
        "2, the cosine and sine of the angle that rotates each image into its natural pose\n"
        "(counter-clockwise on screen), and `angle`, the same in radians; `psi` and `lambda`, n x 2,\n"
        "are the poses that it is computed from. --what canonicalize adds `canonical`, the rotated\n"
        "images. --what score adds to these `score`, `p_value`, `sharpness`, `tail` (n) and the density:\n"
        "`log_q` (n x 72), its logarithm per radian at 0, 5, 10 ... degrees, or, for a model without a\n"
        "pose density, `weights`, `means` and `kappas` of a mixture of von Mises densities. --what\n"
        "classifier exports a model of `recon classifier train`; its output is `logits`, n x classes.\n"
        "docs/export.md shows how to run them.\n"
        "\n"
        "Results equal those of `recon canonicalize --all --precision f32`, up to rounding. Models of\n"
        "molecules, and models whose natural pose comes from neighbours (--lambda neighbours), are\n"
        "refused.",
    .run = run,
};

enum { CLASSIFIER = RECON_EXPORT_SCORE + 1 }; /* --what, behind recon_export_what */

typedef struct {
    const char *model, *out, *licence;
    int what, lambda;
    cli_common common;
} settings;

static recon_status show(recon_ctx *ctx, const settings *s, size_t channels, size_t height,
                         size_t width)
{
    struct stat file = { .st_size = 0 };
    const char *what =
        s->what == CLASSIFIER ? "classifier" : recon_export_name((recon_export_what)s->what);
    stat(s->out, &file);
    if (s->common.json)
        return cli_print_json(
            ctx, json_pack("{s:s?, s:s, s:I, s:I, s:I, s:I}", "file", cli_utf8(s->out), "what",
                           what, "bytes", (json_int_t)file.st_size, "height", (json_int_t)height,
                           "width", (json_int_t)width, "channels", (json_int_t)channels));
    if (!s->common.quiet)
        printf("%s: %s of images %zu x %zu x %zu (channels, height, width), %.1f MB\n", s->out,
               what, channels, height, width, (double)file.st_size / 1e6);
    return RECON_OK;
}

static recon_status export_classifier(recon_ctx *ctx, const settings *s)
{
    recon_classifier *classifier = NULL;
    recon_classifier_info i;
    recon_status status;
    RECON_TRY(recon_classifier_open(ctx, &classifier, s->model));
    RECON_TRY(recon_classifier_export(ctx, s->out, classifier, s->licence));
    i = recon_classifier_describe(classifier);
    RECON_TRY(show(ctx, s, i.channels, i.height, i.width));
done:
    recon_classifier_close(ctx, classifier);
    return status;
}

static recon_status export_model(recon_ctx *ctx, const settings *s)
{
    const recon_export_options o = { .what = (recon_export_what)s->what, .licence = s->licence };
    recon_model *model = NULL;
    recon_ieae_shape i;
    recon_status status;
    RECON_TRY(recon_model_open(ctx, &model, s->model, RECON_SINGLE));
    RECON_TRY(recon_model_use_lambda(ctx, model, (recon_lambda)s->lambda));
    RECON_TRY(recon_model_export(ctx, s->out, model, &o));
    i = recon_model_describe(model).images;
    RECON_TRY(show(ctx, s, i.channels, i.height, i.width_px));
done:
    recon_model_close(ctx, model);
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    RECON_CHECK(recon_ops_attach(ctx, "cpu"));
    return s->what == CLASSIFIER ? export_classifier(ctx, s) : export_model(ctx, s);
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    cli_option options[] = {
        { "--model", "MODEL", NULL, "what `recon discover` or `recon classifier train` wrote",
          CLI_MODEL | CLI_REQUIRED, 0, &s.model },
        { "--out", "FILE.onnx", NULL, "output file", CLI_TEXT | CLI_WRITES | CLI_REQUIRED, 0,
          &s.out },
        { "--what", NULL, "pose|canonicalize|score|classifier",
          "what the file computes for each image (default pose)", CLI_CHOICE, 0, &s.what },
        { "--lambda", NULL, "auto|neighbours|head|density",
          "where the natural pose comes from (default auto: what discover chose)", CLI_CHOICE, 0,
          &s.lambda },
        { "--licence", "TEXT", NULL, "licence of the model, recorded in the file (default: none)",
          CLI_TEXT, 0, &s.licence },
        { 0 },
    };
    int code = cli_parse(&cli_export, options, &s.common, argc, argv, NULL, 0, NULL);
    if (code < 0 && !cli_ends_in(s.out, ".onnx"))
        return cli_misuse(&cli_export, "--out %s: must be a FILE.onnx", s.out);
    if (code < 0 && s.what == CLASSIFIER && s.lambda)
        return cli_misuse(&cli_export, "--lambda cannot be used with --what classifier");
    return code >= 0 ? code : cli_run(&cli_export, &s.common, work, &s);
}
