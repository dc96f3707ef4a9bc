/* cmd_report.c - recon report: a folder of results as one HTML page. */
#include "cli/cli.h"
#include "core/fail.h"
#include "core/folder.h"

#include "report/found.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int run(int argc, char **argv);
const cli_command cli_report = {
    .name = "report",
    .purpose = "show the results of discover or normalize as an HTML page",
    .arguments = "DIR",
    .example =
        "  recon report digits --out report.html\n"
        "\n"
        "DIR is what `recon discover` or `recon normalize` wrote. The page is a single\n"
        "self-contained file. Of a discovery: inputs as given and rotated side by side, a table of all\n"
        "inputs to sort, filter and correct, which downloads what `canonicalize --actions` takes, the\n"
        "clusters and whether the poses can be trusted. Pictures need the data: they are opened again\n"
        "as recorded in summary.json, or as given by --data and its options. If that fails, the page\n"
        "has no pictures and says why.",
    .run = run,
};

typedef struct {
    const char *dir, *out;
    char own[4096]; /* DIR/report.html */
    cli_data data;
    cli_common common;
} settings;

/* --- the data --------------------------------------------------------------------------------- */

static size_t count_of(const json_t *source, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(source, key));
    return value > 0 ? (size_t)value : 0;
}

/* What the summary says of the source, into data; its strings belong to the folder. */
static recon_status read_source(recon_ctx *ctx, cli_data *data, const recon_found_folder *f)
{
    const json_t *source = json_object_get(f->summary, "source");
    data->spec = json_string_value(json_object_get(source, "spec"));
    data->rotate = json_string_value(json_object_get(source, "rotate"));
    data->rotate_seed = count_of(source, "rotate_seed");
    data->seed = count_of(source, "seed");
    data->limit = count_of(source, "limit");
    data->size = count_of(source, "size");
    data->picture_limit = count_of(source, "picture_most") / CLI_MEGABYTE;
    data->skip_bad = json_is_true(json_object_get(source, "skip_bad"));
    data->crop = json_object_get(source, "crop") != NULL;
    return data->spec ? RECON_OK
                      : recon_fail(ctx, RECON_ERR_INPUT,
                                   "summary.json does not record the data: give them with --data");
}

static recon_status page_with(recon_ctx *ctx, recon_page **out, const recon_found_folder *f,
                              const cli_data *data)
{
    char model[4096];
    recon_backbone *b = NULL;
    cli_inputs inputs = { 0 };
    recon_status status;
    snprintf(model, sizeof model, "%s/model.safetensors", f->dir);
    RECON_TRY(recon_backbone_open(ctx, &b, model, RECON_SINGLE));
    RECON_TRY(cli_inputs_open(ctx, &inputs, data, b));
    RECON_TRY(cli_inputs_keep(ctx, &inputs, data, b));
    RECON_TRY(recon_found_page(ctx, out, f, &(recon_found_data){ .data = inputs.use }));
done:
    recon_inputs_end(&inputs);
    recon_backbone_close(ctx, b);
    return status;
}

/* --- the page --------------------------------------------------------------------------------- */

/* Without data the page has no pictures; other errors come again below. Nothing is written yet. */
static recon_status page_from_source(recon_ctx *ctx, recon_page **out, const recon_found_folder *f,
                                     const settings *s, char *missing, size_t room)
{
    cli_data data = s->data; /* where to compute */
    recon_status status = read_source(ctx, &data, f);
    if (status == RECON_OK)
        status = page_with(ctx, out, f, &data);
    if (status == RECON_ERR_INPUT || status == RECON_ERR_IO || status == RECON_ERR_FORMAT ||
        status == RECON_ERR_MISMATCH) {
        snprintf(missing, room, "%s", recon_ctx_message(ctx));
        status = recon_found_page(ctx, out, f, &(recon_found_data){ .missing = missing });
    }
    return status;
}

static recon_status print(recon_ctx *ctx, const settings *s, const char *missing)
{
    if (s->common.json) {
        json_t *out = json_pack("{s:s, s:b}", "report", s->out, "pictures", !*missing);
        if (out && *missing)
            json_object_set_new(out, "missing", json_string(missing));
        return cli_print_json(ctx, out);
    }
    if (!s->common.quiet && *missing)
        printf("no pictures: %s\n", missing);
    if (!s->common.quiet)
        printf("written %s\n", s->out);
    return RECON_OK;
}

static recon_status make_page(recon_ctx *ctx, recon_page **out, const recon_found_folder *f,
                              const settings *s, char *missing, size_t room)
{
    if (!strcmp(f->kind, "poses"))
        return recon_found_page(ctx, out, f, &(recon_found_data){ 0 });
    return s->data.spec ? page_with(ctx, out, f, &s->data)
                        : page_from_source(ctx, out, f, s, missing, room);
}

/* The page becomes part of the result: nobody may replace that meanwhile. */
static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    char missing[1024] = "";
    recon_folder_view view;
    recon_found_folder f = { 0 };
    recon_page *page = NULL;
    int lock = -1;
    recon_status status;
    if (s->out == s->own && access(s->dir, F_OK) == 0)
        RECON_TRY(recon_folder_lock(ctx, &lock, s->dir));
    RECON_TRY(recon_folder_look(ctx, &view, s->dir));
    RECON_TRY(cli_attach(ctx, &s->data));
    RECON_TRY(recon_found_open(ctx, &f, s->dir));
    RECON_TRY(make_page(ctx, &page, &f, s, missing, sizeof missing));
    RECON_TRY((s->out == s->own ? recon_page_save_over : recon_page_save)(page, s->out));
    RECON_TRY(recon_folder_check(ctx, &view, s->dir)); /* the data are of the same result */
    RECON_TRY(print(ctx, s, missing));
done:
    recon_found_close(&f);
    if (lock >= 0)
        close(lock);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    size_t words;
    cli_option options[1 + CLI_DATA_OPTIONS + 1] = {
        { "--out", "FILE", NULL, "the page (default DIR/report.html)", CLI_TEXT | CLI_WRITES, 0,
          &s.out },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s.data);
    options[1].kind &= ~CLI_REQUIRED; /* --data: the folder may say it */
    int code = cli_parse(&cli_report, options, &s.common, argc, argv, &s.dir, 1, &words);
    if (code >= 0)
        return code;
    if (words == 0)
        return cli_misuse(&cli_report, "DIR is required");
    snprintf(s.own, sizeof s.own, "%s/report.html", s.dir);
    if (s.out && cli_is_other_format(s.out) && !cli_ends_in(s.out, ".html"))
        return cli_misuse(&cli_report, "--out %s: name a file such as report.html", s.out);
    s.out = s.out ? s.out : s.own;
    return cli_run(&cli_report, &s.common, work, &s);
}
