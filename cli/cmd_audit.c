/* cmd_audit.c - recon audit: which inputs of a set that calls itself aligned are not. */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "group/group.h"
#include "model/model.h"
#include "model/table.h"

#include <math.h>
#include <recon/model/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);
const cli_command cli_audit = {
    .name = "audit",
    .purpose = "list the inputs of an aligned set that are not aligned",
    .arguments = "DATA",
    .example =
        "  recon audit photos --model general\n"
        "  recon audit photos --model general --out audit.csv\n"
        "  recon canonicalize photos --model general --actions audit.csv --out mended\n"
        "\n"
        "The set is taken to be upright but for a few inputs. The evidence against an input is the log\n"
        "of the odds between its likeliest pose and the one as given; its score is by how much that\n"
        "exceeds the evidence against most of its neighbours in the embedding. A kind that\n"
        "stands in several poses in this set is therefore not called wrong. The p-value is the share of\n"
        "inputs with so high a score, which is known for most of them from the set itself and falls no\n"
        "slower than the odds rise beyond that. --fdr is the share of inputs that may be called wrong\n"
        "and are not (Benjamini and Hochberg). No p-value is below 1 / (n + 1): of fewer than 700\n"
        "inputs none is called where three in a hundred are wrong, and the list is a ranking.\n"
        "\n"
        "FILE.csv has a row for each input, the most suspicious first: name, index, rank, score,\n"
        "p_value, wrong, mixed, action and the rotation that sets it upright. `canonicalize --actions`\n"
        "takes it, edited or not. A model that learned upright inputs is best, such as general or\n"
        "cifar10; one that learned rotated inputs sees less.",
    .run = run,
};

enum { LISTED = 20, RANKED = 10 };
#define RATE 0.05

typedef struct {
    const char *model, *out;
    double rate;
    cli_data data;
    cli_common common;
} settings;

typedef struct {
    const settings *of;
    const cli_inputs *inputs;
    const recon_group *group;
    const recon_model *model;
    recon_audited *audited; /* [inputs]                             */
    size_t *order;          /* [inputs] the most suspicious first */
    recon_audit_result result;
    double seconds;
} findings;

/* --- ranked ----------------------------------------------------------------------------------- */

static int by_score(const void *a, const void *b, void *arg)
{
    const recon_audited *all = arg;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    double x = all[i].score, y = all[j].score;
    return x != y ? (x < y) - (x > y) : (i > j) - (i < j);
}

/* What standard output lists: what is called, else the first ones. */
static size_t listed(const findings *f)
{
    size_t n = f->result.wrong < LISTED ? f->result.wrong : LISTED;
    n = n ? n : RANKED;
    return n < f->inputs->n ? n : f->inputs->n;
}

/* --- shown ------------------------------------------------------------------------------------ */

static void print_text(const findings *f)
{
    const recon_data_kind *kind = f->inputs->use->kind;
    const recon_audit_result *r = &f->result;
    double n = (double)f->inputs->n;
    recon_count_text count;
    recon_pose_text pose;
    recon_input_name name;
    printf("%s of %s in %.2f s\n", recon_count(count, f->inputs->n, kind->one, kind->many),
           f->of->data.spec, f->seconds);
    cli_print_skipped(f->inputs->skipped, &f->inputs->skips);
    cli_print_distrust(f->model);
    if (f->inputs->n < RECON_AUDIT_LEAST)
        printf(
            "  warning    too few to call one wrong where three in a hundred are: %d are needed,\n"
            "             so this is a ranking\n",
            RECON_AUDIT_LEAST);
    if ((double)r->mixed > RECON_NATURAL_FEW * n)
        printf(
            "  warning    %.1f %% are of kinds that stand in several poses here, or otherwise than\n"
            "             in the model's training data: in these poses nothing is called wrong\n",
            100 * (double)r->mixed / n);
    if (r->fall < 1)
        printf("  warning    the model is too sure of itself on these %s: p-values allow for it\n",
               kind->many);
    printf("  %8s %8s %7s  %s\n", "index", "p-value", "score", "rotation that sets it upright");
    for (size_t i = 0; i < listed(f); i++) {
        const recon_audited *a = &f->audited[f->order[i]];
        recon_inputs_label(name, f->inputs, f->order[i]);
        printf("  %8zu %8.2g %7.2f  %s%s%s\n", recon_inputs_row(f->inputs, f->order[i]), a->p,
               a->score, recon_group_print(pose, f->group, a->rotation), *name ? "  " : "", name);
    }
    if (r->wrong > LISTED)
        printf("  %8s %s\n", "...", f->of->out ? "" : "--out FILE.csv has all");
    if (f->of->out)
        printf("  written    %s\n", f->of->out);
    printf("  verdict    %s called wrong, at a false-discovery rate of %.3g %%\n",
           r->wrong ? recon_count(count, r->wrong, "input is", "inputs are") : "no input is",
           100 * f->of->rate);
}

static json_t *as_json(const findings *f)
{
    json_t *list = json_array();
    recon_pose_text pose;
    for (size_t i = 0; i < (f->result.wrong ? f->result.wrong : listed(f)); i++) {
        const recon_audited *a = &f->audited[f->order[i]];
        char name[RECON_FILE_NAME];
        json_array_append_new(
            list, json_pack("{s:s*, s:I, s:f, s:f, s:b, s:s}", recon_table_heading(f->inputs),
                            recon_table_name(name, f->inputs, f->order[i]), "index",
                            (json_int_t)recon_inputs_row(f->inputs, f->order[i]), "score", a->score,
                            "p_value", a->p, "wrong", a->wrong, "rotation",
                            recon_group_print(pose, f->group, a->rotation)));
    }
    return json_pack("{s:I, s:I, s:f, s:f, s:I, s:I, s:f, s:o, s:f}", f->inputs->use->kind->many,
                     (json_int_t)f->inputs->n, "skipped", (json_int_t)f->inputs->skipped, "fdr",
                     f->of->rate, "threshold", f->result.threshold, "wrong",
                     (json_int_t)f->result.wrong, "mixed", (json_int_t)f->result.mixed, "fall",
                     f->result.fall, "ranked", list, "seconds", f->seconds);
}

/* --- written ---------------------------------------------------------------------------------- */

static recon_status write_table(recon_ctx *ctx, const findings *f)
{
    recon_writer to = { .fd = -1 };
    recon_pose_text pose;
    char name[RECON_FILE_NAME];
    recon_status status;
    RECON_TRY(recon_writer_open(ctx, &to, f->of->out));
    RECON_TRY(recon_table_fields(ctx, &to, "%s,index,rank,score,p_value,wrong,mixed,action,%s\n",
                                 recon_table_heading(f->inputs),
                                 cli_words_of(f->inputs)->rotation));
    for (size_t i = 0; i < f->inputs->n; i++) {
        const recon_audited *a = &f->audited[f->order[i]];
        RECON_TRY(recon_table_text(ctx, &to, recon_table_name(name, f->inputs, f->order[i])));
        RECON_TRY(recon_table_fields(ctx, &to, ",%zu,%zu,%.4g,%.4g,%d,%d,%s,%s\n",
                                     recon_inputs_row(f->inputs, f->order[i]), i + 1, a->score,
                                     a->p, a->wrong, a->mixed, a->wrong ? "rotate" : "leave",
                                     recon_group_print(pose, f->group, a->rotation)));
    }
    RECON_TRY(recon_writer_commit(ctx, &to));
done:
    recon_writer_close(&to);
    return status;
}

/* --- the work --------------------------------------------------------------------------------- */

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    cli_subject subject = { 0 };
    findings f = { .of = s, .inputs = &subject.inputs };
    double begun = recon_now();
    recon_status status;
    RECON_TRY(cli_open(ctx, &subject, s->model, &s->data));
    f.model = subject.model;
    f.group = recon_model_describe(f.model).group;
    RECON_TRY(recon_alloc_raw(ctx, &f.audited, f.inputs->n, sizeof *f.audited));
    RECON_TRY(recon_alloc_raw(ctx, &f.order, f.inputs->n, sizeof *f.order));
    RECON_TRY(recon_audit(ctx, f.audited, &f.result, f.model, f.inputs->use, s->rate));
    for (size_t i = 0; i < f.inputs->n; i++)
        f.order[i] = i;
    qsort_r(f.order, f.inputs->n, sizeof *f.order, by_score, f.audited);
    f.seconds = recon_now() - begun;
    if (s->out)
        RECON_TRY(write_table(ctx, &f));
    if (s->common.json)
        status = cli_print_json(ctx, as_json(&f));
    else if (!s->common.quiet)
        print_text(&f);
done:
    free(f.order);
    free(f.audited);
    cli_close(ctx, &subject);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { .rate = RATE };
    cli_option options[3 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "a shipped model, or what `recon discover` wrote",
          CLI_MODEL | CLI_REQUIRED, 0, &s.model },
        { "--out", "FILE.csv", NULL, "file for the table of all inputs", CLI_TEXT | CLI_WRITES, 0,
          &s.out },
        { "--fdr", "SHARE", NULL,
          "false-discovery rate: the share of the inputs called wrong that may be right "
          "(default 0.05)",
          CLI_NUMBER, 0, &s.rate },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s.data);
    int code = cli_parse(&cli_audit, options, &s.common, argc, argv, NULL, 0, NULL);
    if (code < 0 && s.rate >= 1)
        return cli_misuse(&cli_audit, "--fdr %g: must be below 1, such as 0.05 for 5 %%", s.rate);
    if (code < 0 && s.out && !cli_ends_in(s.out, ".csv"))
        return cli_misuse(&cli_audit, "--out %s: the table goes to FILE.csv", s.out);
    return code >= 0 ? code : cli_run(&cli_audit, &s.common, work, &s);
}
