/* reproduce_page_training.c - how networks were trained: ours as their files say it, the paper's from
 * its appendix. */
#include "lab/reproduce_page.h"
#include "maps/kind.h"
#include "nn/settings.h"

#include <math.h>
#include <string.h>

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
            put_row(page, label, of_line(line), strcmp(name, "plain") ? unknown : theirs);
    }
}

/* Files do not say how Lambda and Theta were fitted. */
static void put_maps(recon_page *page, const char *set)
{
    const recon_maps_options *o =
        strcmp(set, "molecules") ? &recon_so2_maps.defaults : &recon_so3_maps.defaults;
    put_row(page, "Lambda and Theta (ours: the defaults)",
            (recipe){ { (double)o->epochs, (double)o->batch, o->rate } }, of_paper(set, "maps"));
}

void reproduce_page_training(recon_page *page, const json_t *run, const char *title)
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
    put_maps(page, set);
    json_object_foreach(json_object_get(run, "baselines"), key, b)
    {
        line = json_string_value(json_object_get(b, "training"));
        if (line)
            put_row(page, json_string_value(json_object_get(b, "method")), of_line(line),
                    of_paper(set, key));
    }
}
