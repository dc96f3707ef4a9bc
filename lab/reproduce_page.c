/* reproduce_page.c - one page for all runs in a folder, in the paper's order. It is made from files
 * only, so every run into the folder adds to it. */
#include "lab/reproduce.h"
#include "maps/kind.h"
#include "nn/settings.h"
#include "lab/table.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Epochs, batch and rate, NaN where they are not known. */
typedef struct {
    double of[3];
} recipe;

/* Of EquiAdapt on images the best of the paper's search. */
static const struct {
    const char *set, *network;
    recipe is;
} paper[] = {
    { "mnist", "backbone", { { 700, 128, 8e-4 } } },
    { "mnist", "maps", { { 600, 128, 1.35e-4 } } },
    { "mnist", "escnn", { { 50, 128, 1e-3 } } },
    { "mnist", "equiadapt", { { 50, 128, 1e-3 } } },
    { "fashion", "backbone", { { 700, 128, 8e-4 } } },
    { "fashion", "maps", { { 600, 128, 1.35e-4 } } },
    { "fashion", "escnn", { { 50, 128, 1e-3 } } },
    { "fashion", "equiadapt", { { 50, 128, 5e-3 } } },
    { "molecules", "backbone", { { 600, 128, 8.89e-5 } } },
    { "molecules", "maps", { { 150, 128, 4.83e-4 } } },
    { "molecules", "segnn", { { 50, 128, 1e-3 } } },
    { "molecules", "equiadapt", { { 50, 128, 1e-3 } } },
};

static const recipe unknown = { { NAN, NAN, NAN } };

static recipe of_paper(const char *set, const char *network)
{
    for (size_t i = 0; i < sizeof paper / sizeof *paper; i++)
        if (!strncmp(set, paper[i].set, strlen(paper[i].set)) && /* mnist12k is mnist */
            !strcmp(network, paper[i].network))
            return paper[i].is;
    return unknown;
}

static recipe of_line(const char *line)
{
    return (recipe){ { recon_settings_value(line, "epochs", NAN),
                       recon_settings_value(line, "batch", NAN),
                       recon_settings_value(line, "rate", NAN) } };
}

static void put_row(recon_page *page, const char *label, recipe ours, recipe theirs)
{
    recon_page_cell(page, "%s", label);
    for (int i = 0; i < 6; i++) {
        double value = i < 3 ? ours.of[i] : theirs.of[i - 3];
        recon_page_cell(page, isnan(value) ? "-" : "%.3g", value);
    }
}

/* Images have several backbones, of which one is trained as the paper's is; molecules have one. */
static void put_backbones(recon_page *page, const json_t *run, recipe theirs)
{
    const char *name, *line = json_string_value(json_object_get(run, "training"));
    json_t *model;
    if (line)
        put_row(page, "backbone", of_line(line), theirs);
    json_object_foreach(json_object_get(run, "models"), name, model)
    {
        char label[64];
        line = json_string_value(json_object_get(model, "training"));
        snprintf(label, sizeof label, "backbone %s", name);
        if (line)
            put_row(page, label, of_line(line),
                    strcmp(name, "plain") && strcmp(name, "paper_recipe") ? unknown : theirs);
    }
}

static void put_training(recon_page *page, const json_t *run, const char *title)
{
    static const char *const columns[] = { "network",       "epochs", "batch", "rate",
                                           "paper: epochs", "batch",  "rate" };
    const char *key, *line, *set = json_string_value(json_object_get(run, "dataset"));
    json_t *b;
    char caption[160];
    if (!set || !json_object_get(run, "algorithm1"))
        return;
    snprintf(caption, sizeof caption, "%s: training", title);
    recon_page_table(page, caption, columns, 7);
    put_backbones(page, run, of_paper(set, "backbone"));
    const recon_maps_options *o =
        strcmp(set, "molecules") ? &recon_so2_maps.defaults : &recon_so3_maps.defaults;
    put_row(page,
            "Lambda and Theta (ours: the defaults)", /* files do not say how they were fitted */
            (recipe){ { (double)o->epochs, (double)o->batch, o->rate } }, of_paper(set, "maps"));
    json_object_foreach(json_object_get(run, "baselines"), key, b)
    {
        line = json_string_value(json_object_get(b, "training"));
        if (line)
            put_row(page, json_string_value(json_object_get(b, "method")), of_line(line),
                    of_paper(set, key));
    }
}

/* Sets, in the order in which the paper has them. */
static const lab_row sets[] = {
    { "mnist", "MNIST", 0 },           { "mnist12k", "MNIST, 12,000 images", 0 },
    { "fashion", "Fashion-MNIST", 0 }, { "images", "images", 0 },
    { "molecules", "molecules", 0 },   { "estimators", "estimators", 0 },
};
enum { SETS = LAB_COUNT(sets), ROWS_MOST = 64 };

typedef struct {
    const char *dir;
    json_t *runs; /* an object of those that there are, by set */
} folder;

/* --- figures ---------------------------------------------------------------------------------- */

static recon_status read_text(recon_ctx *ctx, char **out, const char *path)
{
    recon_file file;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_file_open(ctx, &file, path));
    status = recon_alloc_raw(ctx, out, file.size + 1, 1);
    if (status == RECON_OK) {
        memcpy(*out, file.bytes, file.size);
        (*out)[file.size] = 0;
    }
    recon_file_close(&file);
done:
    return status;
}

/* One of each set that drew it, the first of a section under its heading; NAME may be the whole
 * name, where there is no set. */
static void put_figures(recon_ctx *ctx, recon_page *page, const folder *f, const char **heading,
                        const char *name, const char *caption)
{
    for (size_t i = 0; i < SETS; i++) {
        char path[4096], text[512], *svg = NULL;
        int alone = !strcmp(sets[i].path, name);
        snprintf(path, sizeof path, alone ? "%s/%s.svg" : "%s/%s-%s.svg", f->dir, sets[i].path,
                 name);
        if (!lab_at(f->runs, sets[i].path) || access(path, R_OK) != 0)
            continue;
        if (*heading)
            recon_page_section(page, *heading);
        *heading = NULL;
        recon_page_fail(page, read_text(ctx, &svg, path));
        snprintf(text, sizeof text, "%s%s%s", alone ? "" : sets[i].label, alone ? "" : ": ",
                 caption);
        recon_page_figure(page, svg, text);
    }
}

/* --- tables ----------------------------------------------------------------------------------- */

/* What a row is called; those of molecules alone first. */
static const char *method_name(const char *key)
{
    static const struct {
        const char *key, *label;
    } own[] = {
        { "recon_drawn", "recon, mean of 16 random spins" },
        { "spin_unseen",
          "recon --spin: the classifier chooses the spin, on conformers it has not seen" },
        { "spin", "the same on its training conformers" },
        { "spin_all", "control: the classifier searches all of SO(3)" },
        { "ieae_terms", "IE-AE's canonical pose, with our terms" },
        { "paper_algorithm_terms", "the paper's algorithm, with our terms" },
        { "neighbours_terms", "by 25 neighbours, with our terms" },
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(own[i].key, key))
            return own[i].label;
    for (size_t i = 0; i < reproduce_methods_count; i++)
        if (!strcmp(reproduce_methods[i].key, key))
            return reproduce_methods[i].label;
    return key;
}

/* Every accuracy of a run with the share it recovers, the paper's beside it. */
static void put_accuracies(recon_page *page, const json_t *run, const char *title)
{
    lab_row rows[ROWS_MOST];
    size_t n = 0;
    const char *key;
    json_t *value;
    char caption[160];
    json_object_foreach((json_t *)(uintptr_t)lab_at(run, "accuracy"), key, value)
    {
        const char *last = strrchr(key, '_'); /* a spread is of the row before it, no accuracy */
        if (n < ROWS_MOST && !(last && !strcmp(last, "_spread")) &&
            (json_is_number(value) || json_object_get(lab_at(run, "paper.accuracy"), key)))
            rows[n++] = (lab_row){ key, method_name(key), 0 };
    }
    snprintf(caption, sizeof caption, "%s: accuracy on rotated inputs", title);
    if (n)
        lab_put_table(
            page, caption, run,
            &(lab_table){ LAB_COLUMNS({ "method", NULL, "%s" }, { "ours, %", "accuracy.*", "%.2f" },
                                      { "recovered, % of undo", "%recovered.*", "%.1f" },
                                      { "paper, %", "paper.accuracy.*", "%.2f" },
                                      { "recovered, % of upright", "%paper.recovered.*", "%.1f" }),
                          .rows = rows, .n_rows = n });
}

static void put_needs(recon_page *page, const json_t *run, const char *title)
{
    static const lab_column columns[] = { { "method", "baselines.*.method", "%s" },
                                          { "accuracy, %", "accuracy.*", "%.2f" },
                                          { "labels", "baselines.*.labels", "%s" },
                                          { "retraining", "baselines.*.retraining", "%s" },
                                          { "passes", "baselines.*.passes", "%.0f" },
                                          { "ms per input", "baselines.*.ms", "%.3f" } };
    lab_row rows[BASELINES];
    size_t n = 0;
    char caption[160];
    for (int i = 0; i < BASELINES; i++)
        if (json_is_number(json_object_get(lab_at(run, "accuracy"), baseline_kinds[i].key)))
            rows[n++] = (lab_row){ baseline_kinds[i].key, "", 0 };
    snprintf(caption, sizeof caption, "%s: what other methods need", title);
    if (lab_at(run, "baselines"))
        lab_put_table(
            page, caption, run,
            &(lab_table){
                .columns = columns, .n_columns = LAB_COUNT(columns), .rows = rows, .n_rows = n });
}

static void put_areas(recon_page *page, const folder *f)
{
    static const lab_column columns[] = { { "set", NULL, "%s" },
                                          { "score", "=*", "%s" },
                                          { "ours", "ood_auc.*", "%.3f" },
                                          { "paper", "paper.ood_auc.*", "%.2f" } };
    const char *caption = "Unusual poses: area under the ROC curve", *key;
    json_t *value;
    for (size_t i = 0; i < SETS; i++, caption = NULL) {
        const json_t *run = lab_at(f->runs, sets[i].path);
        lab_row rows[ROWS_MOST];
        size_t n = 0;
        json_object_foreach((json_t *)(uintptr_t)lab_at(run, "ood_auc"), key,
                            value) if (n < ROWS_MOST &&
                                       (json_is_number(value) ||
                                        json_object_get(lab_at(run, "paper.ood_auc"), key)))
            rows[n++] = (lab_row){ key, sets[i].label, 0 };
        lab_put_table(
            page, caption, run,
            &(lab_table){
                .columns = columns, .n_columns = LAB_COUNT(columns), .rows = rows, .n_rows = n });
    }
}

static const lab_table labelling = {
    LAB_COLUMNS({ "set", NULL, "%s" }, { "inputs", "*.algorithm1.inputs", "%.0f" },
                { "among", "*.algorithm1.among", "%.0f" }, { "k", "*.algorithm1.k", "%.0f" },
                { "seconds", "*.algorithm1.seconds", "%.1f" },
                { "paper: inputs", "*.paper.algorithm1.inputs", "%.0f" },
                { "k", "*.paper.algorithm1.k", "%.0f" },
                { "seconds", "*.paper.algorithm1.seconds", "%.0f" }),
    LAB_ROWS(sets), .only = "*.algorithm1"
};

static const lab_table overheads = {
    LAB_COLUMNS({ "set", NULL, "%s" }, { "Lambda, ms", "*.overhead_ms", "%.4f" },
                { "all of canonicalizing, ms", "*.canonicalize_ms", "%.3f" },
                { "paper: Lambda, a network, ms", "*.paper.overhead_ms", "%.3f" },
                { "measured on", "={*.backend}, {*.threads} threads, batches of {*.batch}", "%s" }),
    LAB_ROWS(sets), .only = "*.backend"
};

/* --- the page --------------------------------------------------------------------------------- */

static void put_tables(recon_ctx *ctx, recon_page *page, const folder *f)
{
    const char *no_heading = NULL;
    recon_page_section(page, "Frozen classifiers on rotated inputs");
    for (size_t i = 0; i < SETS; i++)
        put_accuracies(page, lab_at(f->runs, sets[i].path), sets[i].label);
    for (size_t i = 0; i < SETS; i++)
        put_needs(page, lab_at(f->runs, sets[i].path), sets[i].label);
    recon_page_section(page, "Unusual poses");
    put_areas(page, f); /* behind a figure it would be folded into it */
    put_figures(ctx, page, f, &no_heading, "roc", "scores that distinguish unusual poses.");
}

static void put_costs(recon_ctx *ctx, recon_page *page, const folder *f)
{
    (void)ctx;
    recon_page_section(page, "Run time and training");
    lab_put_table(page, "Algorithm 1: run time", f->runs, &labelling);
    lab_put_table(page, "Canonicalizing: time per input", f->runs, &overheads);
    for (size_t i = 0; i < SETS; i++)
        put_training(page, lab_at(f->runs, sets[i].path), sets[i].label);
}

typedef struct {
    const char *key; /* of runs that have what is in them */
    void (*put)(recon_ctx *ctx, recon_page *page, const folder *f);
} folder_tables;

typedef struct {
    const char *heading;
    const struct {
        const char *name, *caption;
    } figure[6];
    const folder_tables *tables; /* behind the figures; NULL: none */
} chapter;

static const folder_tables results = { "ood_auc", put_tables }, costs = { "algorithm1", put_costs };

static const chapter chapters[] = {
    { "Canonical representations",
      { { "canonical", "inputs and their canonical forms." },
        { "sgm", "the canonicals of SGM, of the backbone and of RECON." } },
      NULL },
    { "Estimators of a natural pose",
      { { "estimators", "Means of samples from known distributions, the density behind them." } },
      NULL },
    { "Symmetries found",
      { { "theta", "true and predicted widths of the classes." },
        { "pair", "two classes that are each other's rotation." },
        { "distributions", "true and predicted distributions of three molecules." },
        { "decoded", "input, decoded canonical and reconstruction of three molecules." } },
      &results },
    { "Distributions before and after centring",
      { { "poses", "poses of each class in the backbone's frame, and centred." } },
      NULL },
    { "Neighbours",
      { { "k", "Algorithm 1 against the number of neighbours." },
        { "hits", "share of an input's neighbours that have its label." },
        { "confusion", "neighbours of the inputs with the lowest hit rate." },
        { "neighbors", "inputs with the lowest hit rate, and their neighbours." } },
      &costs },
    { "Errors of the distributions",
      { { "mse", "squared error of F by molecule." },
        { "spread", "mean and deviation over the conformers of each molecule." },
        { "trends", "what the errors go with." } },
      NULL },
};

static void put_notes(recon_page *page, const folder *f)
{
    size_t k;
    json_t *note;
    recon_page_section(page, "Notes");
    for (size_t i = 0; i < SETS; i++)
        json_array_foreach(json_object_get(lab_at(f->runs, sets[i].path), "notes"), k, note)
            recon_page_say(page, "%s: %s", sets[i].label, json_string_value(note));
}

static int any_run(const folder *f, const char *key)
{
    for (size_t i = 0; i < SETS; i++)
        if (json_object_get(lab_at(f->runs, sets[i].path), key))
            return 1;
    return 0;
}

static recon_status write_page(recon_ctx *ctx, const folder *f)
{
    recon_page *page = NULL;
    char path[4096];
    RECON_CHECK(recon_page_new(ctx, &page, "RECON, reproduced",
                               "The tables and figures of the paper, theirs beside ours, from "
                               "`recon reproduce --figures`."));
    for (size_t c = 0; c < sizeof chapters / sizeof *chapters; c++) {
        const folder_tables *t = chapters[c].tables;
        const char *heading = chapters[c].heading;
        for (size_t i = 0; i < LAB_COUNT(chapters[c].figure) && chapters[c].figure[i].name; i++)
            put_figures(ctx, page, f, &heading, chapters[c].figure[i].name,
                        chapters[c].figure[i].caption);
        if (t && any_run(f, t->key))
            t->put(ctx, page, f);
    }
    if (any_run(f, "ood_auc"))
        put_notes(page, f);
    snprintf(path, sizeof path, "%s/report.html", f->dir);
    return recon_page_save_over(page, path);
}

static recon_status read_folder(recon_ctx *ctx, folder *f)
{
    recon_status status = RECON_OK;
    f->runs = json_object();
    for (size_t i = 0; i < SETS && status == RECON_OK; i++) {
        char path[4096];
        json_t *run = NULL;
        snprintf(path, sizeof path, "%s/%s.json", f->dir, sets[i].path);
        if (access(path, R_OK) == 0)
            status = recon_json_read(ctx, &run, path);
        if (run)
            recon_json_put(&f->runs, sets[i].path, run);
    }
    return status;
}

recon_status reproduce_page(recon_ctx *ctx, const char *dir, const json_t *result)
{
    folder f = { .dir = dir };
    char path[4096];
    recon_status status;
    snprintf(path, sizeof path, "%s/%s.json", dir,
             json_string_value(json_object_get(result, "dataset")));
    RECON_TRY(recon_json_write(ctx, path, result));
    RECON_TRY(read_folder(ctx, &f));
    RECON_TRY(write_page(ctx, &f));
done:
    json_decref(f.runs);
    return status;
}
