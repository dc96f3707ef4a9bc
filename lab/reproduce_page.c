/* reproduce_page.c - see reproduce_page.h. The page is made of files alone, so that every run into the
 * same folder adds to it. */
#include "lab/reproduce_page.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets, in the order in which the paper has them. */
static const struct {
    const char *name, *title;
} sets[] = { { "mnist", "MNIST" },           { "mnist12k", "MNIST, 12,000 images" },
             { "fashion", "Fashion-MNIST" }, { "images", "images" },
             { "molecules", "molecules" },   { "estimators", "estimators" } };
enum { SETS = sizeof sets / sizeof *sets };

typedef struct {
    const char *dir;
    json_t *of[SETS]; /* NULL: there is no such run */
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

/* One of each set that drew it; NAME may be the whole name, where there is no set. */
static void put_figures(recon_ctx *ctx, recon_page *page, const folder *f, const char *name,
                        const char *caption)
{
    for (size_t i = 0; i < SETS; i++) {
        char path[4096], text[512], *svg = NULL;
        int alone = !strcmp(sets[i].name, name);
        snprintf(path, sizeof path, alone ? "%s/%s.svg" : "%s/%s-%s.svg", f->dir, sets[i].name,
                 name);
        if (!f->of[i] || access(path, R_OK) != 0)
            continue;
        recon_page_fail(page, read_text(ctx, &svg, path));
        snprintf(text, sizeof text, "%s%s%s", alone ? "" : sets[i].title, alone ? "" : ": ",
                 caption);
        recon_page_figure(page, svg, text);
    }
}

static int any_figure(const folder *f, const char *const *names)
{
    for (; *names; names++)
        for (size_t i = 0; i < SETS; i++) {
            char path[4096];
            snprintf(path, sizeof path, strcmp(sets[i].name, *names) ? "%s/%s-%s.svg" : "%s/%s.svg",
                     f->dir, sets[i].name, *names);
            if (f->of[i] && access(path, R_OK) == 0)
                return 1;
        }
    return 0;
}

/* --- tables ----------------------------------------------------------------------------------- */

static void put_number(recon_page *page, double value, int digits, double scale)
{
    if (isnan(value))
        recon_page_cell(page, "-");
    else
        recon_page_cell(page, "%.*f", digits, scale * value);
}

/* What a row is called; those of molecules alone first. */
static const char *method_name(const char *key)
{
    static const struct {
        const char *key, *label;
    } own[] = {
        { "density_drawn", "ours: the pose density, mean of 16 random spins" },
        { "spin_unseen", "ours: the classifier chooses the spin, on conformers it has not seen" },
        { "spin", "ours: the same on its training conformers" },
        { "spin_all", "control: the classifier searches all of SO(3)" },
        { "ieae_terms", "IE-AE's canonical pose, with our terms" },
        { "recon_terms", "RECON with our terms" },
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
    static const char *const columns[] = { "method", "ours, %", "recovered, % of undo", "paper, %",
                                           "recovered, % of upright" };
    const json_t *paper = json_object_get(run, "paper"),
                 *papers = json_object_get(paper, "accuracy");
    const char *key;
    json_t *value;
    char caption[160];
    if (!json_is_object(json_object_get(run, "accuracy")))
        return;
    snprintf(caption, sizeof caption, "%s: accuracy on rotated inputs", title);
    recon_page_table(page, caption, columns, 5);
    json_object_foreach(json_object_get(run, "accuracy"), key, value)
    {
        char path[96];
        size_t end = strlen(key);
        if (!json_is_number(value) && !json_object_get(papers, key))
            continue;
        if (end > 7 && !strcmp(key + end - 7, "_spread"))
            continue; /* of the row before it, no accuracy */
        recon_page_cell(page, "%s", method_name(key));
        put_number(page, json_is_number(value) ? json_number_value(value) : NAN, 2, 1);
        snprintf(path, sizeof path, "recovered.%s", key);
        put_number(page, reproduce_number(run, path), 1, 100);
        put_number(page, reproduce_number(papers, key), 2, 1);
        put_number(page, reproduce_number(paper, path), 1, 100);
    }
}

static void put_needs(recon_page *page, const json_t *run, const char *title)
{
    static const char *const columns[] = { "method",     "accuracy, %", "labels",
                                           "retraining", "passes",      "ms per input" };
    const char *key;
    json_t *b;
    char caption[160];
    if (!json_object_get(run, "baselines"))
        return;
    snprintf(caption, sizeof caption, "%s: what other methods need", title);
    recon_page_table(page, caption, columns, 6);
    json_object_foreach(json_object_get(run, "baselines"), key, b)
    {
        double accuracy = reproduce_number(json_object_get(run, "accuracy"), key);
        if (isnan(accuracy))
            continue;
        recon_page_cell(page, "%s", json_string_value(json_object_get(b, "method")));
        put_number(page, accuracy, 2, 1);
        recon_page_cell(page, "%s", json_is_true(json_object_get(b, "labels")) ? "yes" : "no");
        recon_page_cell(page, "%s", json_string_value(json_object_get(b, "retraining")));
        put_number(page, reproduce_number(b, "passes"), 0, 1);
        put_number(page, reproduce_number(b, "ms"), 3, 1);
    }
}

static void put_areas(recon_page *page, const folder *f)
{
    static const char *const columns[] = { "set", "score", "ours", "paper" };
    const char *key;
    json_t *value;
    recon_page_table(page, "Unusual poses: area under the ROC curve", columns, 4);
    for (size_t i = 0; i < SETS; i++)
        json_object_foreach(json_object_get(f->of[i], "ood_auc"), key, value)
        {
            double paper = reproduce_number(
                json_object_get(json_object_get(f->of[i], "paper"), "ood_auc"), key);
            if (!json_is_number(value) && isnan(paper))
                continue;
            recon_page_cell(page, "%s", sets[i].title);
            recon_page_cell(page, "%s", key);
            put_number(page, json_is_number(value) ? json_number_value(value) : NAN, 3, 1);
            put_number(page, paper, 2, 1);
        }
}

static void put_labelling(recon_page *page, const folder *f)
{
    static const char *const columns[] = { "set",     "inputs",        "among", "k",
                                           "seconds", "paper: inputs", "k",     "seconds" };
    recon_page_table(page, "Algorithm 1: run time", columns, 8);
    for (size_t i = 0; i < SETS; i++) {
        const json_t *ours = json_object_get(f->of[i], "algorithm1"),
                     *paper = json_object_get(json_object_get(f->of[i], "paper"), "algorithm1");
        if (!ours)
            continue;
        recon_page_cell(page, "%s", sets[i].title);
        put_number(page, reproduce_number(ours, "inputs"), 0, 1);
        put_number(page, reproduce_number(ours, "among"), 0, 1);
        put_number(page, reproduce_number(ours, "k"), 0, 1);
        put_number(page, reproduce_number(ours, "seconds"), 1, 1);
        put_number(page, reproduce_number(paper, "inputs"), 0, 1);
        put_number(page, reproduce_number(paper, "k"), 0, 1);
        put_number(page, reproduce_number(paper, "seconds"), 0, 1);
    }
}

static void put_overheads(recon_page *page, const folder *f)
{
    static const char *const columns[] = { "set", "Lambda, ms", "all of canonicalizing, ms",
                                           "paper: Lambda, a network, ms", "measured on" };
    recon_page_table(page, "Canonicalizing: time per input", columns, 5);
    for (size_t i = 0; i < SETS; i++) {
        const char *backend = json_string_value(json_object_get(f->of[i], "backend"));
        if (!backend)
            continue;
        recon_page_cell(page, "%s", sets[i].title);
        put_number(page, reproduce_number(f->of[i], "overhead_ms"), 4, 1);
        put_number(page, reproduce_number(f->of[i], "canonicalize_ms"), 3, 1);
        put_number(page, reproduce_number(f->of[i], "paper.overhead_ms"), 3, 1);
        recon_page_cell(page, "%s, %.0f threads, batches of %.0f", backend,
                        reproduce_number(f->of[i], "threads"), reproduce_number(f->of[i], "batch"));
    }
}

/* --- the page --------------------------------------------------------------------------------- */

static void put_tables(recon_ctx *ctx, recon_page *page, const folder *f)
{
    static const char *const roc[] = { "roc", NULL };
    recon_page_section(page, "Frozen classifiers on rotated inputs");
    for (size_t i = 0; i < SETS; i++)
        put_accuracies(page, f->of[i], sets[i].title);
    for (size_t i = 0; i < SETS; i++)
        put_needs(page, f->of[i], sets[i].title);
    recon_page_section(page, "Unusual poses");
    put_areas(page, f); /* behind a figure it would be folded into it */
    if (any_figure(f, roc))
        put_figures(ctx, page, f, "roc", "scores that distinguish unusual poses.");
}

static void put_costs(recon_ctx *ctx, recon_page *page, const folder *f)
{
    (void)ctx;
    recon_page_section(page, "Run time and training");
    put_labelling(page, f);
    put_overheads(page, f);
    for (size_t i = 0; i < SETS; i++)
        reproduce_page_training(page, f->of[i], sets[i].title);
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

static void put_chapter(recon_ctx *ctx, recon_page *page, const folder *f, const chapter *c)
{
    const char *names[8] = { NULL };
    for (size_t i = 0; i < 6 && c->figure[i].name; i++)
        names[i] = c->figure[i].name;
    if (!any_figure(f, names))
        return;
    recon_page_section(page, c->heading);
    for (size_t i = 0; i < 6 && c->figure[i].name; i++)
        put_figures(ctx, page, f, c->figure[i].name, c->figure[i].caption);
}

static void put_notes(recon_page *page, const folder *f)
{
    size_t k;
    json_t *note;
    recon_page_section(page, "Notes");
    for (size_t i = 0; i < SETS; i++)
        json_array_foreach(json_object_get(f->of[i], "notes"), k, note)
            recon_page_say(page, "%s: %s", sets[i].title, json_string_value(note));
}

static int any_run(const folder *f, const char *key)
{
    for (size_t i = 0; i < SETS; i++)
        if (json_object_get(f->of[i], key))
            return 1;
    return 0;
}

static recon_status write_page(recon_ctx *ctx, const folder *f)
{
    recon_page *page = NULL;
    char path[4096];
    recon_status status;
    RECON_TRY(recon_page_new(ctx, &page, "RECON, reproduced",
                             "The tables and figures of the paper, theirs beside ours, from "
                             "`recon reproduce --figures`."));
    for (size_t c = 0; c < sizeof chapters / sizeof *chapters; c++) {
        const folder_tables *t = chapters[c].tables;
        put_chapter(ctx, page, f, &chapters[c]);
        if (t && any_run(f, t->key))
            t->put(ctx, page, f);
    }
    if (any_run(f, "ood_auc"))
        put_notes(page, f);
    snprintf(path, sizeof path, "%s/report.html", f->dir);
    status = recon_page_save_over(page, path);
done:
    return status;
}

static recon_status read_folder(recon_ctx *ctx, folder *f)
{
    recon_status status = RECON_OK;
    for (size_t i = 0; i < SETS && status == RECON_OK; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.json", f->dir, sets[i].name);
        if (access(path, R_OK) == 0)
            status = recon_json_read(ctx, &f->of[i], path);
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
    for (size_t i = 0; i < SETS; i++)
        json_decref(f.of[i]);
    return status;
}
