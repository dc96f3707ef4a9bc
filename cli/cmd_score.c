/* cmd_score.c - recon score: which images or molecules are in an odd pose. */
#include "cli/cli.h"
#include "cli/csv.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <recon/model/molscore.h>
#include <stdio.h>
#include <stdlib.h>

static int run(int argc, char **argv);
const cli_command cli_score = {
    .name = "score",
    .purpose = "say how unnatural the pose of each image or molecule is",
    .arguments = "",
    .example =
        "  recon score --model digits/model.safetensors --data mnist/test --turn all --out s.npy\n"
        "  recon score --model mols/model.safetensors --data xyz:mine.xyz --out s.npy\n"
        "  recon score --model found --data photos --out s.csv\n"
        "\n"
        "The score is -log of the density of the pose, given the input; s.npy gets them all, s.csv "
        "a\n"
        "line for each, with its name, score, p-value and, of an image, its pose in degrees. An\n"
        "input is called odd when its p-value is below the share --false-alarms: when fewer of "
        "those\n"
        "that the model was calibrated on are in a pose as unusual for themselves. Among n of "
        "those\n"
        "no p-value is below 1 / (n + 1), and at a smaller share nothing is called odd. A\n"
        "molecule's tilt is the angle between where its best determined axis points and where it\n"
        "points in the natural pose. Images and conformers are counted among all of the\n"
        "data, as `recon distribution --index` does; with --limit or --skip-bad r.npy says which\n"
        "those of s.npy are.",
    .run = run,
};

enum { BLOCK = 1024, ODDEST = 5 };
#define FALSE_ALARMS 0.01
#define SAME         1e-3 /* of two scores */

typedef struct {
    const char *model, *out, *rows;
    double false_alarms;
    cli_data data;
    cli_common common;
} settings;

static int is_table(const char *path)
{
    return cli_ends_in(path, ".csv");
}

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[4 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "what `recon discover` wrote", CLI_MODEL, 1, &s->model },
        { "--out", "s.npy|s.csv", NULL, "file for the scores, or for a table of them", CLI_TEXT, 1,
          &s->out },
        { "--rows", "r.npy", NULL, "file for which of the data they are, counted from 0", CLI_TEXT,
          0, &s->rows },
        { "--false-alarms", "SHARE", NULL, "of natural inputs called odd (default 0.01)",
          CLI_NUMBER, 0, &s->false_alarms },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    int code = cli_parse(&cli_score, options, &s->common, argc, argv, NULL, 0, NULL);
    if (code < 0 && s->false_alarms >= 1)
        return cli_misuse(&cli_score,
                          "--false-alarms %g: a share below 1 is wanted, 0.05 for 5 in 100",
                          s->false_alarms);
    if (code < 0 && cli_is_other_format(s->out) && !cli_ends_in(s->out, ".npy") &&
        !is_table(s->out))
        return cli_misuse(&cli_score, "--out %s: scores go to FILE.npy or FILE.csv", s->out);
    return code;
}

typedef struct {
    size_t index; /* among those scored       */
    size_t row;   /* among all of the data    */
    double score, p_value, surrogate;
    double radians; /* the pose of an image, the tilt of a molecule, NaN where it has no axis */
    cli_name name;  /* of a molecule or a file; "": none                                      */
} entry;

typedef struct {
    const char *what; /* "images", "conformers" */
    size_t n, skipped, odd, listed;
    const recon_skips *skips;
    size_t calibration; /* inputs behind the p-values */
    double false_alarms, threshold;
    double *scores;                                     /* [n] */
    int64_t *rows;                                      /* [n] */
    double *p_values;                                   /* [n] */
    double *radians;                                    /* [n] poses; of molecules NULL */
    double begun;                                       /* seconds */
    entry oddest[ODDEST];                               /* smallest p-values first */
    const char *(*name_of)(const void *data, size_t i); /* NULL where it has none */
    const void *data;
    const cli_images *images; /* NULL: molecules */
} findings;

/* By p-value, as inputs are called odd. Many have the least one, and scores end at what the
 * background allows, so that the worst are alike up to rounding: there the paper's score, which has
 * no background, decides. */
static int is_odder(const entry *a, const entry *b)
{
    if (a->p_value != b->p_value)
        return a->p_value < b->p_value;
    if (fabs(a->score - b->score) > SAME)
        return a->score > b->score;
    return a->surrogate > b->surrogate;
}

static void keep_oddest(findings *f, const entry *e)
{
    size_t at = f->listed < ODDEST ? f->listed++ : ODDEST;
    for (; at > 0 && is_odder(e, &f->oddest[at - 1]); at--)
        if (at < ODDEST)
            f->oddest[at] = f->oddest[at - 1];
    if (at < ODDEST)
        f->oddest[at] = *e;
}

static void take(findings *f, entry e)
{
    f->scores[e.index] = e.score;
    f->rows[e.index] = (int64_t)e.row;
    f->p_values[e.index] = e.p_value;
    if (f->radians)
        f->radians[e.index] = e.radians;
    f->odd += e.p_value < f->false_alarms;
    keep_oddest(f, &e);
}

/* Room for n scores. */
static recon_status begin(recon_ctx *ctx, findings *f, size_t n)
{
    recon_status status;
    f->n = n;
    recon_progress_begin(ctx, "score", n);
    RECON_TRY(recon_alloc_raw(ctx, &f->scores, n, sizeof *f->scores));
    RECON_TRY(recon_alloc_raw(ctx, &f->rows, n, sizeof *f->rows));
    RECON_TRY(recon_alloc_raw(ctx, &f->p_values, n, sizeof *f->p_values));
done:
    return status;
}

static void end(findings *f)
{
    free(f->scores);
    free(f->rows);
    free(f->p_values);
    free(f->radians);
}

/* --- shown ------------------------------------------------------------------------------------ */

static json_t *entry_json(const entry *e, int molecules)
{
    json_t *turned = isnan(e->radians) ? json_null() : json_real(e->radians * RECON_TO_DEGREES);
    json_t *out = json_pack("{s:I, s:f, s:f, s:o}", "index", (json_int_t)e->row, "score", e->score,
                            "p_value", e->p_value, molecules ? "tilt_deg" : "pose_deg", turned);
    if (*e->name) /* left out where it is not UTF-8 */
        json_object_set_new(out, molecules ? "molecule" : "file", json_string(e->name));
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
        json_array_append_new(list, entry_json(&f->oddest[i], recon_molecules_is(s->data.spec)));
    json_t *all = json_pack(
        "{s:I, s:I, s:o, s:I, s:f, s:f, s:o, s:I, s:o, s:f}", f->what, (json_int_t)f->n, "skipped",
        (json_int_t)f->skipped, "skipped_why", cli_skipped_json(f->skips), "calibration",
        (json_int_t)f->calibration, "p_value_floor", floor_of(f), "false_alarms", s->false_alarms,
        "threshold", isfinite(f->threshold) ? json_real(f->threshold) : json_null(), "odd",
        (json_int_t)f->odd, "oddest", list, "seconds", recon_now() - f->begun);
    if (f->images)
        cli_unread_json(all, f->images);
    return all;
}

static void print_text(const settings *s, const findings *f)
{
    int molecules = recon_molecules_is(s->data.spec);
    printf("%zu %s of %s in %.2f s\n", f->n, f->what, s->data.spec, recon_now() - f->begun);
    cli_print_skipped(f->skipped, f->skips);
    printf("  calibrated on %zu natural %s: no p-value is below %.2g\n", f->calibration, f->what,
           floor_of(f));
    if (isfinite(f->threshold))
        printf("  odd        %zu (%.2f %%): p-value below %.3g, the share of false alarms\n",
               f->odd, 100 * (double)f->odd / (double)f->n, s->false_alarms);
    else
        printf(
            "  odd        none: fewer false alarms than one in %zu cannot be told, and %.3g %% "
            "are asked\n             for: more data for `recon discover`, or --false-alarms %.2g\n",
            f->calibration + 1, 100 * s->false_alarms, ceil(1000 * floor_of(f)) / 1000);
    printf("  oddest     %s\n", molecules ? " row   score  p-value  tilt         molecule"
                                          : "image   score  p-value  pose");
    for (size_t i = 0; i < f->listed; i++) {
        const entry *e = &f->oddest[i];
        printf("          %8zu %7.3f %8.4f ", e->row, e->score, e->p_value);
        if (!isnan(e->radians))
            printf(molecules ? "%5.0f degrees" : "%+5.0f degrees", e->radians * RECON_TO_DEGREES);
        else
            printf("%13s", "-");
        printf("%s%s\n", *e->name ? "  " : "", e->name);
    }
    printf("  written    %s%s%s\n", s->out, s->rows ? ", " : "", s->rows ? s->rows : "");
}

/* A line an input: which it is, what it is called, its score and p-value, and the pose of an image.
 */
static recon_status write_table(recon_ctx *ctx, const char *path, const findings *f)
{
    recon_writer to = { .fd = -1 };
    recon_status status;
    RECON_TRY(recon_writer_open(ctx, &to, path));
    RECON_TRY(cli_csv_print(ctx, &to, "index,%s,score,p_value%s\n",
                            f->radians ? "file" : "molecule", f->radians ? ",pose_deg" : ""));
    for (size_t i = 0; i < f->n; i++) {
        const char *name = f->name_of(f->data, i);
        RECON_TRY(cli_csv_print(ctx, &to, "%lld,", (long long)f->rows[i]));
        RECON_TRY(cli_csv_text(ctx, &to, name ? name : ""));
        RECON_TRY(cli_csv_print(ctx, &to, ",%.6g,%.6g", f->scores[i], f->p_values[i]));
        if (f->radians)
            RECON_TRY(cli_csv_print(ctx, &to, ",%.2f", f->radians[i] * RECON_TO_DEGREES));
        RECON_TRY(cli_csv_print(ctx, &to, "\n"));
    }
    RECON_TRY(recon_writer_commit(ctx, &to));
done:
    recon_writer_close(&to);
    return status;
}

static recon_status write_scores(recon_ctx *ctx, const char *path, const findings *f)
{
    const recon_array a = { .dtype = RECON_F64, .ndim = 1, .shape = { f->n }, .data = f->scores };
    return is_table(path) ? write_table(ctx, path, f) : recon_npy_write(ctx, path, &a);
}

static recon_status finish(recon_ctx *ctx, const settings *s, const findings *f)
{
    recon_status status;
    recon_progress_end(ctx);
    RECON_TRY(write_scores(ctx, s->out, f));
    if (s->rows)
        RECON_TRY(recon_npy_write(
            ctx, s->rows,
            &(recon_array){ .dtype = RECON_I64, .ndim = 1, .shape = { f->n }, .data = f->rows }));
    if (s->common.json)
        RECON_TRY(cli_print_json(ctx, as_json(s, f)));
    else if (!s->common.quiet)
        print_text(s, f);
done:
    return status;
}

/* --- images ----------------------------------------------------------------------------------- */

static recon_status score_all(recon_ctx *ctx, findings *f, const recon_model *model,
                              const cli_images *images)
{
    recon_dataset_info d = recon_dataset_describe(images->use);
    float *in = NULL;
    recon_oddness *out = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &in, BLOCK, d.height * d.width * d.channels * sizeof *in));
    RECON_TRY(recon_alloc_raw(ctx, &out, BLOCK, sizeof *out));
    for (size_t at = 0; at < f->n; at += BLOCK) {
        size_t n = f->n - at < BLOCK ? f->n - at : BLOCK;
        cli_images_read(in, images, at, n);
        RECON_TRY(recon_score(ctx, out, model, in, n));
        for (size_t i = 0; i < n; i++)
            take(f, (entry){ .index = at + i,
                             .row = cli_images_row(images, at + i),
                             .score = out[i].score,
                             .p_value = out[i].p_value,
                             .surrogate = out[i].surrogate,
                             .radians = out[i].pose.absolute });
        recon_progress_add(ctx, n);
    }
done:
    free(in);
    free(out);
    return status;
}

static const char *file_of(const void *data, size_t i)
{
    return cli_images_file(data, i);
}

static void name_file(entry *e, const cli_images *images)
{
    const char *file = cli_images_file(images, e->index);
    snprintf(e->name, sizeof e->name, "%s", file ? file : "");
    recon_keep_to_one_line(e->name);
}

static recon_status score_images(recon_ctx *ctx, const settings *s)
{
    cli_images images;
    recon_model *model = NULL;
    findings f = { .what = "images",
                   .begun = recon_now(),
                   .name_of = file_of,
                   .data = &images,
                   .images = &images };
    recon_status status;
    RECON_TRY(cli_images_open_for(ctx, &images, &s->data, s->model));
    RECON_TRY(cli_model_open(ctx, &model, s->model, &images, &s->data));
    f.skipped = images.skipped;
    f.skips = &images.skips;
    f.calibration = recon_maps_describe(recon_model_maps(model)).held_out;
    f.false_alarms = s->false_alarms;
    f.threshold = recon_score_threshold(model, s->false_alarms);
    RECON_TRY(begin(ctx, &f, recon_dataset_describe(images.use).n));
    RECON_TRY(recon_alloc_raw(ctx, &f.radians, f.n, sizeof *f.radians));
    RECON_TRY(score_all(ctx, &f, model, &images));
    for (size_t i = 0; i < f.listed; i++)
        name_file(&f.oddest[i], &images);
    RECON_TRY(finish(ctx, s, &f));
done:
    end(&f);
    recon_model_close(ctx, model);
    cli_images_close(&images);
    return status;
}

/* --- molecules -------------------------------------------------------------------------------- */

static recon_status score_conformers(recon_ctx *ctx, findings *f, const recon_molmodel *model,
                                     const cli_molecules *molecules)
{
    recon_conformer *in = NULL;
    recon_oddness3 *out = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &in, BLOCK, sizeof *in));
    RECON_TRY(recon_alloc_raw(ctx, &out, BLOCK, sizeof *out));
    for (size_t at = 0; at < f->n; at += BLOCK) {
        size_t n = f->n - at < BLOCK ? f->n - at : BLOCK;
        cli_molecules_read(in, molecules, at, n);
        RECON_TRY(recon_molscore(ctx, out, model, in, n));
        for (size_t i = 0; i < n; i++)
            take(f, (entry){ .index = at + i,
                             .row = cli_molecules_row(molecules, at + i),
                             .score = out[i].score,
                             .p_value = out[i].p_value,
                             .surrogate = out[i].trace });
        recon_progress_add(ctx, n);
    }
done:
    free(in);
    free(out);
    return status;
}

/* Names and tilts, of those alone that are shown. */
static recon_status describe_oddest(recon_ctx *ctx, findings *f, const recon_molmodel *model,
                                    const cli_molecules *molecules)
{
    recon_conformer in[ODDEST];
    recon_distribution3 out[ODDEST];
    recon_status status;
    for (size_t i = 0; i < f->listed; i++)
        cli_molecules_read(&in[i], molecules, f->oddest[i].index, 1);
    RECON_TRY(recon_moldistribution_of(ctx, out, model, in, f->listed));
    for (size_t i = 0; i < f->listed; i++) {
        cli_molecule_name(f->oddest[i].name, molecules->use, (size_t)in[i].molecule);
        f->oddest[i].radians = out[i].free <= 1 ? out[i].tilt : NAN;
    }
done:
    return status;
}

static const char *molecule_of(const void *data, size_t i)
{
    const cli_molecules *m = data;
    return recon_molecules_name(m->use, (size_t)recon_molecules_get(m->use, i).molecule);
}

static recon_status score_molecules(recon_ctx *ctx, const settings *s)
{
    cli_molecules molecules;
    recon_molmodel *model = NULL;
    findings f = {
        .what = "conformers", .begun = recon_now(), .name_of = molecule_of, .data = &molecules
    };
    recon_status status;
    RECON_TRY(cli_molecules_open_for(ctx, &molecules, &s->data, s->model));
    RECON_TRY(recon_molmodel_open(ctx, &model, s->model, cli_precision(ctx, s->data.precision)));
    f.skipped = molecules.skipped;
    f.skips = &molecules.skips;
    f.calibration = recon_so3_maps_describe(recon_molmodel_maps(model)).held_out;
    f.false_alarms = s->false_alarms;
    f.threshold = recon_molscore_threshold(model, s->false_alarms);
    RECON_TRY(begin(ctx, &f, molecules.n));
    RECON_TRY(score_conformers(ctx, &f, model, &molecules));
    RECON_TRY(describe_oddest(ctx, &f, model, &molecules));
    RECON_TRY(finish(ctx, s, &f));
done:
    end(&f);
    recon_molmodel_close(ctx, model);
    cli_molecules_close(&molecules);
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    return recon_molecules_is(s->data.spec) ? score_molecules(ctx, s) : score_images(ctx, s);
}

static int run(int argc, char **argv)
{
    settings s = { .false_alarms = FALSE_ALARMS };
    int code = parse(&s, argc, argv);
    return code >= 0 ? code : cli_run(&cli_score, &s.common, work, &s);
}
