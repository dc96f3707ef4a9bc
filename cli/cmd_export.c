/* cmd_export.c - recon export: a model as an ONNX file. */
#include "cli/cli.h"
#include "core/fail.h"

#include <recon/model/export.h>
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
        "The file (ONNX, opset 17) takes `images`, float32 n x channels x height x width in 0 .. 1, of\n"
        "the model's size, any n, and holds everything between them and the answer. Every file puts\n"
        "out `rotation`, n x 2, the cosine and sine of the angle by which each image is to be rotated\n"
        "(counter-clockwise on screen) to be in its natural pose, and `angle`, the same in radians;\n"
        "`psi` and `lambda`, n x 2, are the poses behind it. --what canonicalize adds `canonical`, the\n"
        "images so rotated. docs/export.md shows how to run them.\n"
        "\n"
        "The answers are those of `recon canonicalize --precision f32`, up to rounding. Models of\n"
        "molecules, and models whose natural pose comes from neighbours (--lambda neighbours), are\n"
        "refused.",
    .run = run,
};

typedef struct {
    const char *model, *out, *licence;
    int what, lambda;
    cli_common common;
} settings;

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[] = {
        { "--model", "MODEL", NULL, "what `recon discover` wrote", CLI_MODEL, 1, &s->model },
        { "--out", "FILE.onnx", NULL, "output file", CLI_TEXT, 1, &s->out },
        { "--what", NULL, "pose|canonicalize",
          "what the file puts out for each image (default pose)", CLI_CHOICE, 0, &s->what },
        { "--lambda", NULL, "auto|neighbours|head|density",
          "where the natural pose comes from (default auto: what discover chose)", CLI_CHOICE, 0,
          &s->lambda },
        { "--licence", "TEXT", NULL, "licence of the model, noted in the file (default: none)",
          CLI_TEXT, 0, &s->licence },
        { 0 },
    };
    int code = cli_parse(&cli_export, options, &s->common, argc, argv, NULL, 0, NULL);
    if (code < 0 && !cli_ends_in(s->out, ".onnx"))
        return cli_misuse(&cli_export, "--out %s: must be a FILE.onnx", s->out);
    return code;
}

static recon_status show(recon_ctx *ctx, const settings *s, const recon_model *model)
{
    recon_ieae_shape images = recon_model_describe(model).images;
    struct stat file = { .st_size = 0 };
    stat(s->out, &file);
    if (s->common.json)
        return cli_print_json(
            ctx, json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "file", s->out, "what",
                           recon_export_name((recon_export_what)s->what), "bytes",
                           (json_int_t)file.st_size, "height", (json_int_t)images.height, "width",
                           (json_int_t)images.width_px, "channels", (json_int_t)images.channels));
    if (!s->common.quiet)
        printf("%s: %s of images %zu x %zu x %zu (channels, height, width), %.1f MB\n", s->out,
               recon_export_name((recon_export_what)s->what), images.channels, images.height,
               images.width_px, (double)file.st_size / 1e6);
    return RECON_OK;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    const recon_export_options o = { .what = (recon_export_what)s->what, .licence = s->licence };
    recon_model *model = NULL;
    recon_status status;
    RECON_TRY(recon_ops_attach(ctx, "cpu"));
    RECON_TRY(recon_model_open(ctx, &model, s->model, RECON_SINGLE));
    RECON_TRY(recon_model_use_lambda(ctx, model, (recon_lambda)s->lambda));
    RECON_TRY(recon_model_export(ctx, s->out, model, &o));
    RECON_TRY(show(ctx, s, model));
done:
    recon_model_close(ctx, model);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    int code = parse(&s, argc, argv);
    return code >= 0 ? code : cli_run(&cli_export, &s.common, work, &s);
}
