/* cmd_audit.c - recon audit: which inputs of a set that calls itself aligned are not. */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "group/group.h"
#include "model/model.h"
#include "report/inputs.h"
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
        "  recon audit photos\n"
        "  recon audit photos --out audit.html\n"
        "  recon audit photos --model general --out audit.csv\n"
        "  recon canonicalize photos --model general --actions audit.csv --out mended\n"
        "\n"
        "The set is taken to be upright but for a few inputs. Of all rotations of an input, how likely\n"
        "is the one as given? Its pose density and its neighbours in the embedding answer, with the\n"
        "weights that suit this set best. The score is the log-likelihood ratio of a random rotation\n"
        "to none; a kind that stands in several poses in this set is therefore not called wrong. The\n"
        "p-value is the share of inputs with so high a score, which is known for most of them from the\n"
        "set itself. --fdr is the share of inputs that may be called wrong and are not (Benjamini and\n"
        "Hochberg). No p-value is below 1 / (n + 1): of fewer than 700 inputs none is called where\n"
        "three in a hundred are wrong, and the list is a ranking.\n"
        "\n"
        "Without --model the shipped model that knows most about the poses of the set is taken; a\n"
        "model of your own, of `recon discover`, may know more. If less than 0.7 nats are known,\n"
        "the list is a ranking.\n"
        "\n"
        "FILE.csv has a row for each input, the most suspicious first: name, index, rank, score,\n"
        "p_value, wrong, mixed, action and the rotation that sets it upright. `canonicalize --actions`\n"
        "takes it, edited or not. FILE.html shows the first ones as given and as they should be, and\n"
        "all in a table; FILE.csv is written beside it.",
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
    const char *name;       /* of the model                       */
    int chosen;             /* without being asked for            */
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
    printf("  model      %s, %s%.2f nats known about the poses as given\n", f->name,
           f->chosen ? "which knows most of these: " : "", r->known);
    if (!f->chosen)
        cli_print_distrust(f->model);
    if (r->known < RECON_AUDIT_KNOWN)
        printf("  warning    the model does not know these %s: this is a ranking; train one on\n"
               "             upright %s of your own\n",
               kind->many, kind->many);
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
    return json_pack("{s:s, s:f, s:I, s:I, s:f, s:f, s:I, s:I, s:f, s:o, s:f}", "model", f->name,
                     "known", f->result.known, f->inputs->use->kind->many, (json_int_t)f->inputs->n,
                     "skipped", (json_int_t)f->inputs->skipped, "fdr", f->of->rate, "threshold",
                     f->result.threshold, "wrong", (json_int_t)f->result.wrong, "mixed",
                     (json_int_t)f->result.mixed, "fall", f->result.fall, "ranked", list, "seconds",
                     f->seconds);
}

/* --- written ---------------------------------------------------------------------------------- */

static recon_status write_table(recon_ctx *ctx, const findings *f, const char *path)
{
    recon_writer to = { .fd = -1 };
    recon_pose_text pose;
    char name[RECON_FILE_NAME];
    recon_status status;
    RECON_TRY(recon_writer_open(ctx, &to, path));
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

/* As lines of a listing, in the order of the inputs. */
static void make_lines(recon_line *line, char (*name)[RECON_FILE_NAME], const findings *f)
{
    for (size_t i = 0; i < f->inputs->n; i++) {
        const recon_audited *a = &f->audited[i];
        line[i] = (recon_line){ .name = recon_table_name(name[i], f->inputs, i),
                                .score = a->score,
                                .p_value = a->p,
                                .p_embedding = NAN,
                                .verdict = a->mixed ? RECON_NATURAL_SEVERAL : RECON_NATURAL_ONE,
                                .cluster = -1,
                                .rotated = a->wrong };
        f->group->inverse(f->group, line[i].pose, a->rotation);
    }
}

static void fill_page(recon_page *page, const findings *f, const recon_listing *all,
                      recon_line *line)
{
    const recon_audit_result *r = &f->result;
    size_t most = r->wrong ? r->wrong : RANKED, n = f->inputs->n;
    n = n < RECON_PAIRS_MOST ? n : RECON_PAIRS_MOST;
    n = n < most ? n : most;
    recon_page_verdict(page, r->wrong ? "care" : "good", NULL,
                       "%zu of %zu called wrong, at a false-discovery rate of %.3g %%.", r->wrong,
                       f->inputs->n, 100 * f->of->rate);
    recon_page_section(page, "As given, and as they should be");
    for (size_t i = 0; i < n; i++)
        line[f->order[i]].rotated = 1;
    recon_page_pairs(page, all, f->order, n,
                     r->wrong ? "The most suspicious first."
                              : "The most suspicious first. None is called wrong: a ranking.");
    for (size_t i = 0; i < n; i++)
        line[f->order[i]].rotated = f->audited[f->order[i]].wrong;
    if ((double)r->mixed > RECON_NATURAL_FEW * (double)f->inputs->n)
        recon_page_warning(page,
                           "%.1f %% are of kinds that stand in several poses here: in these poses "
                           "nothing is called wrong.",
                           100 * (double)r->mixed / (double)f->inputs->n);
    recon_page_section(page, "All inputs");
    recon_page_listing(page, all);
}

static recon_status write_page(recon_ctx *ctx, const findings *f)
{
    size_t n = f->inputs->n;
    recon_line *line = NULL;
    char(*name)[RECON_FILE_NAME] = NULL;
    recon_page *page = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &line, n, sizeof *line));
    RECON_TRY(recon_alloc_raw(ctx, &name, n, sizeof *name));
    make_lines(line, name, f);
    const recon_listing all = { line, n, recon_table_heading(f->inputs), f->group,
                                recon_inputs_unrotated(f->inputs) };
    RECON_TRY(recon_page_new(ctx, &page, "Audit", f->of->data.spec));
    fill_page(page, f, &all, line);
    status = recon_page_save_over(page, f->of->out);
done:
    free(line);
    free(name);
    return status;
}

/* Beside FILE.html the table is FILE.csv. */
static recon_status write_files(recon_ctx *ctx, const findings *f)
{
    char table[1024];
    int page = cli_ends_in(f->of->out, ".html");
    snprintf(table, sizeof table, "%.*s%s", (int)(strlen(f->of->out) - (page ? 5 : 0)), f->of->out,
             page ? ".csv" : "");
    recon_status status = write_table(ctx, f, table);
    return status == RECON_OK && page ? write_page(ctx, f) : status;
}

/* --- the work --------------------------------------------------------------------------------- */

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    cli_subject subject = { 0 };
    findings f = { .of = s, .inputs = &subject.inputs };
    double begun = recon_now();
    recon_status status;
    f.name = s->model;
    RECON_TRY(cli_attach(ctx, &s->data));
    if (!s->model)
        RECON_TRY(cli_choose_model(ctx, &f.name, &s->data));
    f.chosen = !s->model;
    RECON_TRY(cli_open(ctx, &subject, f.chosen ? cli_model_file(f.name) : s->model, &s->data));
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
        RECON_TRY(write_files(ctx, &f));
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
        { "--model", "MODEL", NULL,
          "what `recon discover` wrote (default: the shipped model that knows most)", CLI_MODEL, 0,
          &s.model },
        { "--out", "FILE", NULL, "table of all inputs, FILE.csv, or a page and a table, FILE.html",
          CLI_TEXT | CLI_WRITES, 0, &s.out },
        { "--fdr", "SHARE", NULL,
          "false-discovery rate: the share of the inputs called wrong that may be right "
          "(default 0.05)",
          CLI_NUMBER, 0, &s.rate },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s.data);
    int code = cli_parse(&cli_audit, options, &s.common, argc, argv, NULL, 0, NULL);
    if (code < 0 && s.rate >= 1)
        return cli_misuse(&cli_audit, "--fdr %g: must be below 1, such as 0.05 for 5 %%", s.rate);
    if (code < 0 && s.out && !cli_ends_in(s.out, ".csv") && !cli_ends_in(s.out, ".html"))
        return cli_misuse(&cli_audit, "--out %s: FILE.csv or FILE.html is written", s.out);
    return code >= 0 ? code : cli_run(&cli_audit, &s.common, work, &s);
}
