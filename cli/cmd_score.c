/* cmd_score.c - recon score: how unusual the poses of images or molecules are. */
#include "cli/cli.h"
#include "cli/rounds.h"
#include "model/table.h"
#include "comm/comm.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);
const cli_command cli_score = {
    .name = "score",
    .purpose = "score how unusual the pose of each image or molecule is",
    .arguments = "DATA",
    .example =
        "  recon score --model digits/model.safetensors --data mnist/test --rotate all --out s.npy\n"
        "  recon score --model molecules/model.safetensors --data xyz:mine.xyz --out s.npy\n"
        "  recon score photos --model found --out s.csv\n"
        "  recon score photos --model found | sort -t, -k5 -g | head\n"
        "\n"
        "The score is the negative log density of an input's pose. s.npy holds the scores. s.csv has\n"
        "one row per input: name and index, rotation from the natural pose (in degrees; for molecules\n"
        "a unit quaternion w x y z), score, p-value of the pose, p-value of the embedding, verdict,\n"
        "fold, and candidates as angle:weight pairs. `recon canonicalize` writes the same columns to\n"
        "poses.csv.\n"
        "\n"
        "An input is flagged as unusual if the p-value of its pose is below the --false-alarms rate:\n"
        "fewer than this fraction of the calibration inputs have a pose as unusual for their kind. It\n"
        "is flagged as unlike the training data if the p-value of its embedding is below that rate;\n"
        "its pose then means little. With n calibration inputs no p-value is below 1 / (n + 1), so\n"
        "nothing is flagged at a lower rate. The tilt of a molecule is the angle between its best\n"
        "determined axis and the direction of that axis in the natural pose.\n"
        "\n"
        "Indices count all inputs that can be used, as in `recon distribution --index`; what\n"
        "--skip-bad leaves out is not counted. With --limit, r.npy maps the rows of s.npy to these\n"
        "indices.",
    .run = run,
    .over_ranks = 1,
};

enum { BLOCK = 1024, LISTED = 5 };
#define FALSE_ALARMS 0.01
#define SAME         1e-3 /* of two scores */

typedef struct {
    const char *model, *out, *rows;
    double false_alarms;
    cli_data data;
    cli_common common;
} settings;

/* Without a file the table goes to standard output. */
static int is_table(const settings *s)
{
    return s->out ? cli_ends_in(s->out, ".csv") : !s->common.json && !s->common.quiet;
}

typedef struct {
    size_t index; /* among those scored */
    size_t row;   /* among all of the data */
    double score, p_value, p_embedding, surrogate;
    double radians; /* the pose of an image, the tilt of a molecule, NaN where it has no axis */
    recon_input_name name; /* of a molecule or a file; "": none */
} entry;

typedef struct {
    const cli_inputs *inputs;
    size_t n, unusual, unlike, listed;
    size_t calibration; /* inputs behind the p-values */
    const recon_model *by;
    int has_codes;          /* are there p-values of embeddings? */
    double embedding_floor; /* none of those is below */
    double false_alarms;
    double *scores; /* [n] */
    int64_t *rows;  /* [n] */
    recon_table table;
    double begun;               /* seconds */
    entry most_unusual[LISTED]; /* smallest p-values first */
} findings;

/* By p-value, as inputs are called unusual. Many have the least one, and scores end at what the
 * background allows, so that the worst are alike up to rounding: there the paper's score, which has
 * no background, decides. */
static int is_more_unusual(const entry *a, const entry *b)
{
    if (a->p_value != b->p_value)
        return a->p_value < b->p_value;
    if (fabs(a->score - b->score) > SAME)
        return a->score > b->score;
    return a->surrogate > b->surrogate;
}

static void keep_most_unusual(findings *f, const entry *e)
{
    size_t at = f->listed < LISTED ? f->listed++ : LISTED;
    for (; at > 0 && is_more_unusual(e, &f->most_unusual[at - 1]); at--)
        if (at < LISTED)
            f->most_unusual[at] = f->most_unusual[at - 1];
    if (at < LISTED)
        f->most_unusual[at] = *e;
}

static void take(findings *f, entry e)
{
    f->scores[e.index] = e.score;
    f->rows[e.index] = (int64_t)e.row;
    f->unusual += e.p_value < f->false_alarms;
    f->unlike += e.p_embedding < f->false_alarms;
    keep_most_unusual(f, &e);
}

/* --- shown ------------------------------------------------------------------------------------ */

static json_t *number_or_null(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

static json_t *entry_json(const entry *e, const cli_words *words)
{
    json_t *out =
        json_pack("{s:I, s:f, s:f, s:o, s:o}", "index", (json_int_t)e->row, "score", e->score,
                  "p_value", e->p_value, "p_embedding", number_or_null(e->p_embedding), words->pose,
                  number_or_null(e->radians * RECON_TO_DEGREES));
    if (*e->name) /* left out where it is not UTF-8 */
        json_object_set_new(out, words->name, json_string(e->name));
    return out;
}

static double floor_of(const findings *f)
{
    return 1 / ((double)f->calibration + 1);
}

static json_t *as_json(const settings *s, const findings *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->listed; i++)
        json_array_append_new(list, entry_json(&f->most_unusual[i], cli_words_of(f->inputs)));
    json_t *all = json_pack(
        "{s:I, s:I, s:o, s:I, s:f, s:o, s:f, s:I, s:o, s:o, s:f}", f->inputs->use->kind->many,
        (json_int_t)f->n, "skipped", (json_int_t)f->inputs->skipped, "skipped_why",
        cli_skipped_json(&f->inputs->skips), "calibration", (json_int_t)f->calibration,
        "p_value_floor", floor_of(f), "p_embedding_floor", number_or_null(f->embedding_floor),
        "false_alarms", s->false_alarms, "unusual", (json_int_t)f->unusual, "unlike",
        f->has_codes ? json_integer((json_int_t)f->unlike) : json_null(), "most_unusual", list,
        "seconds", recon_now() - f->begun);
    cli_unread_json(all, f->inputs);
    return all;
}

static void print_text(const settings *s, const findings *f)
{
    const cli_words *words = cli_words_of(f->inputs);
    const recon_data_kind *kind = f->inputs->use->kind;
    recon_count_text n;
    printf("%s of %s in %.2f s\n", recon_count(n, f->n, kind->one, kind->many), s->data.spec,
           recon_now() - f->begun);
    cli_print_skipped(f->inputs->skipped, &f->inputs->skips);
    cli_print_distrust(f->by);
    printf("  calibrated on %zu natural %s: no p-value is below %.2g\n", f->calibration,
           f->calibration == 1 ? kind->one : kind->many, floor_of(f));
    if (s->false_alarms >= floor_of(f))
        printf("  unusual    %zu (%.2f %%): p-value below %.3g, the false-alarm rate\n", f->unusual,
               100 * (double)f->unusual / (double)f->n, s->false_alarms);
    else
        printf(
            "  unusual    none: the lowest possible false-alarm rate is one in %zu, and %.3g %% "
            "was\n"
            "             asked for: use more data for `recon discover`, or --false-alarms %.2g\n",
            f->calibration + 1, 100 * s->false_alarms, ceil(1000 * floor_of(f)) / 1000);
    if (f->has_codes && f->embedding_floor >= s->false_alarms)
        printf(
            "  unlike     none: no p-value of the embedding is below %.2g, and %.3g %% was asked for:\n"
            "             use more data for `recon discover`, or --false-alarms %.2g\n",
            f->embedding_floor, 100 * s->false_alarms, ceil(1000 * f->embedding_floor) / 1000);
    else if (f->has_codes)
        printf(
            "  unlike     %zu (%.2f %%) unlike the training data: p-value of the embedding below "
            "%.3g\n",
            f->unlike, 100 * (double)f->unlike / (double)f->n, s->false_alarms);
    else
        printf("  unlike     no p-value of the embedding: run `recon discover` again\n");
    printf("  lowest p   %s\n", words->header);
    for (size_t i = 0; i < f->listed; i++) {
        const entry *e = &f->most_unusual[i];
        printf("          %8zu %7.3f %8.4f ", e->row, e->score, e->p_value);
        if (!isnan(e->radians))
            printf(words->degrees, e->radians * RECON_TO_DEGREES);
        else
            printf("%13s", "-");
        printf("%s%s\n", *e->name ? "  " : "", e->name);
    }
    printf("  written    %s%s%s\n", s->out, s->rows ? ", " : "", s->rows ? s->rows : "");
}

static recon_status finish(recon_ctx *ctx, const settings *s, findings *f)
{
    const recon_array a = { .dtype = RECON_F64, .ndim = 1, .shape = { f->n }, .data = f->scores };
    if (is_table(s))
        RECON_CHECK(recon_table_commit(ctx, &f->table));
    else if (s->out)
        RECON_CHECK(recon_npy_write(ctx, s->out, &a));
    if (s->rows)
        RECON_CHECK(recon_npy_write(
            ctx, s->rows,
            &(recon_array){ .dtype = RECON_I64, .ndim = 1, .shape = { f->n }, .data = f->rows }));
    if (s->common.json)
        RECON_CHECK(cli_print_json(ctx, as_json(s, f)));
    else if (!s->common.quiet && s->out)
        print_text(s, f);
    return RECON_OK;
}

/* --- scored ----------------------------------------------------------------------------------- */

typedef struct {
    findings *f;
    const recon_model *model;
    int table; /* it has all that is known of an input, at the price of its verdict */
    char *in;  /* [BLOCK] */
} scoring;

static recon_status answer(recon_ctx *ctx, void *arg, void *out, size_t at, size_t n)
{
    const scoring *s = arg;
    const recon_data *data = s->f->inputs->use;
    data->kind->read(s->in, data, at, n);
    return s->table ? recon_rows_find(ctx, out, s->model, s->in, n, NULL)
                    : recon_score(ctx, out, s->model, s->in, n);
}

static recon_status take_answers(recon_ctx *ctx, void *arg, const void *answers, size_t at,
                                 size_t n)
{
    const scoring *s = arg;
    const recon_row *rows = answers;
    const recon_pose_score *scores = answers;
    RECON_CHECK(s->table ? recon_table_add(ctx, &s->f->table, rows, at, n) : RECON_OK);
    for (size_t i = 0; i < n; i++)
        take(s->f, (entry){ .index = at + i,
                            .row = recon_inputs_row(s->f->inputs, at + i),
                            .score = s->table ? rows[i].score : scores[i].score,
                            .p_value = s->table ? rows[i].p_value : scores[i].p_value,
                            .p_embedding = s->table ? rows[i].p_embedding : scores[i].p_embedding,
                            .surrogate = s->table ? rows[i].surrogate : scores[i].surrogate });
    return RECON_OK;
}

static recon_status score_all(recon_ctx *ctx, findings *f, const recon_model *model, int table)
{
    scoring s = { .f = f, .model = model, .table = table };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &s.in, BLOCK, recon_data_describe(f->inputs->use).bytes));
    RECON_TRY(
        cli_rounds_run(ctx,
                       &(cli_rounds){ .data = f->inputs->use,
                                      .n = f->n,
                                      .block = BLOCK,
                                      .each = table ? sizeof(recon_row) : sizeof(recon_pose_score),
                                      .arg = &s,
                                      .answer = answer,
                                      .take = take_answers },
                       "score"));
done:
    free(s.in);
    return status;
}

/* The pose of an image, the tilt of a molecule that has an axis; `in` has room for one input. */
static recon_status find_radians(recon_ctx *ctx, entry *e, void *in, const recon_data *data,
                                 const recon_model *model)
{
    recon_pose pose;
    recon_distribution3 d;
    recon_status status;
    data->kind->read(in, data, e->index, 1);
    if (recon_model_describe(model).group == RECON_SO2) {
        status = recon_canonicalize(ctx, NULL, &pose, model, in, 1, NULL);
        e->radians = pose.absolute[0];
    } else {
        status = recon_distribution_molecules(ctx, &d, model, in, 1);
        e->radians = d.free <= 1 ? d.tilt : NAN;
    }
    return status;
}

/* Names and poses: of those alone that are shown. */
static recon_status describe_most_unusual(recon_ctx *ctx, findings *f, const recon_model *model)
{
    const recon_data *data = f->inputs->use;
    char *in = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &in, 1, recon_data_describe(data).bytes));
    for (size_t i = 0; i < f->listed; i++) {
        recon_inputs_label(f->most_unusual[i].name, f->inputs, f->most_unusual[i].index);
        RECON_TRY(find_radians(ctx, &f->most_unusual[i], in, data, model));
    }
done:
    free(in);
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    cli_subject subject = { 0 };
    findings f = { .begun = recon_now(),
                   .inputs = &subject.inputs,
                   .table = RECON_NO_TABLE,
                   .false_alarms = s->false_alarms };
    int first = recon_comm_rank(ctx) == 0; /* it writes */
    recon_status status;
    RECON_TRY(recon_comm_agree(ctx, cli_open(ctx, &subject, s->model, &s->data)));
    f.by = subject.model;
    f.calibration = recon_model_calibrated(subject.model);
    f.has_codes = recon_model_describe(subject.model).codes > 0;
    f.embedding_floor = f.has_codes ? recon_codes_floor(subject.model->codes) : NAN;
    f.n = subject.inputs.n;
    RECON_TRY(recon_alloc_raw(ctx, &f.scores, f.n, sizeof *f.scores));
    RECON_TRY(recon_alloc_raw(ctx, &f.rows, f.n, sizeof *f.rows));
    if (!s->out) {
        f.table.to.stream = stdout;
        if (recon_model_trust(f.by) && recon_model_trust(f.by)->level == RECON_TRUST_NOT)
            recon_log(ctx, RECON_LOG_WARN, "%s", CLI_DISTRUST);
    }
    if (is_table(s) && first)
        status = recon_table_open(ctx, &f.table, s->out, &subject.inputs,
                                  recon_model_describe(subject.model).group, 0);
    RECON_TRY(recon_comm_agree(ctx, status));
    RECON_TRY(score_all(ctx, &f, subject.model, is_table(s)));
    if (first)
        status = describe_most_unusual(ctx, &f, subject.model);
    if (first && status == RECON_OK)
        status = finish(ctx, s, &f);
    RECON_TRY(recon_comm_agree(ctx, status));
done:
    recon_free_all(f.scores, f.rows);
    recon_table_close(&f.table);
    cli_close(ctx, &subject);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { .false_alarms = FALSE_ALARMS };
    cli_option options[4 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "what `recon discover` wrote", CLI_MODEL | CLI_REQUIRED, 0,
          &s.model },
        { "--out", "s.npy|s.csv", NULL,
          "file for the scores, or for a table of them (default: the table on standard output)",
          CLI_TEXT | CLI_WRITES, 0, &s.out },
        { "--rows", "r.npy", NULL, "file for the indices of the scored inputs, from 0",
          CLI_TEXT | CLI_WRITES, 0, &s.rows },
        { "--false-alarms", "SHARE", NULL,
          "fraction of natural inputs allowed to be flagged "
          "(default 0.01)",
          CLI_NUMBER, 0, &s.false_alarms },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s.data);
    int code = cli_parse(&cli_score, options, &s.common, argc, argv, NULL, 0, NULL);
    if (code < 0 && s.false_alarms >= 1)
        return cli_misuse(&cli_score, "--false-alarms %g: must be below 1, such as 0.05 for 5 %%",
                          s.false_alarms);
    if (code < 0 && s.out && !cli_ends_in(s.out, ".npy") && !is_table(&s))
        return cli_misuse(&cli_score, "--out %s: scores go to FILE.npy or FILE.csv", s.out);
    if (code < 0 && s.rows && s.out && strcmp(s.rows, s.out) == 0)
        return cli_misuse(&cli_score, "--rows %s: the scores go there; choose another file",
                          s.rows);
    return code >= 0 ? code : cli_run(&cli_score, &s.common, work, &s);
}
