/* cmd_models.c - recon models: the models that come with recon. */
#include "cli/cli.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/shipped.h"
#include "data/text.h"
#include "model/trust.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int run(int argc, char **argv);
const cli_command cli_models = {
    .name = "models",
    .purpose = "list the models that come with recon",
    .arguments = "",
    .example =
        "  recon models\n"
        "  recon canonicalize photo.jpg -m general -o upright\n"
        "\n"
        "Their names can be given wherever a MODEL is expected. MB is the size of the file. The verdict is\n"
        "that of `recon discover` on the data that the model was made from; `recon info MODEL` has its\n"
        "reasons. Figures, recipes and licences are in models/MODEL.md: the weights are under the\n"
        "licence of recon.",
    .run = run,
};

enum { PATH = 4096, WORDS = 256 };

typedef struct {
    char takes[64], purpose[WORDS];
    double megabytes;
    const char *verdict;
} entry;

/* The line of the model's card that says what it is for; "" where there is no card. */
static void read_purpose(recon_ctx *ctx, char out[WORDS], const char *model)
{
    static const char mark[] = "For: ";
    char path[PATH];
    recon_file file = { 0 };
    recon_span line, rest;
    const char *end = strrchr(model, '.');
    out[0] = '\0';
    snprintf(path, sizeof path, "%.*s.md", (int)(end - model), model);
    if (recon_file_open(ctx, &file, path) != RECON_OK)
        return;
    rest = recon_text_begin((const char *)file.bytes, file.size);
    while (!out[0] && recon_text_line(&line, &rest)) {
        size_t n = (size_t)(line.end - line.at);
        if (n > sizeof mark && !memcmp(line.at, mark, sizeof mark - 1))
            snprintf(out, WORDS, "%.*s", (int)(n - (sizeof mark - 1)), line.at + sizeof mark - 1);
    }
    recon_file_close(&file);
}

static recon_status look(recon_ctx *ctx, entry *out, const char *name)
{
    char path[PATH];
    const char *file = recon_shipped_model(path, sizeof path, name);
    struct stat info;
    recon_model *model = NULL;
    recon_status status;
    RECON_TRY(recon_model_open(ctx, &model, name, RECON_AUTO));
    const recon_model_info about = recon_model_describe(model);
    const recon_trust *trust = recon_model_trust(model);
    const recon_ieae_shape *s = &about.images;
    if (s->height)
        snprintf(out->takes, sizeof out->takes, "%s, %zu x %zu, %s", about.data, s->height,
                 s->width_px, s->channels == 1 ? "grey" : "colour");
    else
        snprintf(out->takes, sizeof out->takes, "%s", about.data);
    out->megabytes = stat(file, &info) == 0 ? (double)info.st_size / CLI_MEGABYTE : 0;
    out->verdict = trust ? recon_trust_name(trust->level) : "unknown";
    read_purpose(ctx, out->purpose, file);
done:
    recon_model_close(ctx, model);
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const cli_common *common = arg;
    recon_shipped_name names[RECON_SHIPPED_MOST];
    size_t n = recon_shipped_models(names);
    json_t *all = json_object();
    recon_status status;
    RECON_TRY(recon_ops_attach(ctx, "cpu"));
    if (!common->json && !common->quiet)
        printf("%-15s %-24s %5s  %-12s %s\n", "model", "takes", "MB", "verdict", "for");
    for (size_t i = 0; i < n; i++) {
        entry e;
        RECON_TRY(look(ctx, &e, names[i]));
        if (common->json)
            json_object_set_new(all, names[i],
                                json_pack("{s:s, s:f, s:s, s:s}", "takes", e.takes, "megabytes",
                                          e.megabytes, "trust", e.verdict, "for", e.purpose));
        else if (!common->quiet)
            printf("%-15s %-24s %5.1f  %-12s %s\n", names[i], e.takes, e.megabytes, e.verdict,
                   e.purpose);
    }
    return common->json ? cli_print_json(ctx, all) : (json_decref(all), RECON_OK);
done:
    json_decref(all);
    return status;
}

static int run(int argc, char **argv)
{
    cli_common common = { 0 };
    const cli_option options[] = { { 0 } };
    int code = cli_parse(&cli_models, options, &common, argc, argv, NULL, 0, NULL);
    return code < 0 ? cli_run(&cli_models, &common, work, &common) : code;
}
