/* found_inputs.c - the page of a discovery: the sections that inputs of any kind have, and their order. */
#include "report/found_inputs.h"
#include "backbone/kinds.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"
#include "data/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the look --------------------------------------------------------------------------------- */

static recon_status use_model(recon_ctx *ctx, recon_look *l)
{
    char path[RECON_PATH];
    double *apart = NULL;
    recon_status status;
    recon_folder_join(path, l->f->dir, "model.safetensors");
    RECON_TRY(recon_found_labels(ctx, &l->labels, l->f, l->data));
    RECON_TRY(recon_model_open(ctx, &l->model, path, RECON_SINGLE));
    RECON_TRY(recon_backbone_check_data(ctx, recon_model_backbone(l->model), l->data));
    RECON_TRY(recon_found_sample(ctx, &l->row, &l->n, l->f->rows, l->page->sample(l->data)));
    RECON_TRY(recon_alloc_raw(ctx, &l->said, l->n, l->page->said));
    RECON_TRY(recon_alloc_raw(ctx, &apart, l->n, sizeof *apart));
    RECON_TRY(recon_found_trial_new(ctx, &l->trial, l->n));
    RECON_TRY(l->page->look(ctx, l, apart));
    RECON_TRY(recon_found_check_same(ctx, l->f, apart, l->n));
    l->trial.threshold = recon_score_threshold(l->model, 0.01);
done:
    free(apart);
    return status;
}

/* Groups of one label are called as what it stands for, where that has a name. */
static recon_status group(recon_ctx *ctx, recon_look *l)
{
    recon_found_groups *g = &l->groups;
    recon_status status = recon_found_group(ctx, g, l->f, l->labels);
    for (size_t i = 0; status == RECON_OK && l->labels && i < g->count; i++) {
        const char *name = l->page->label(l, l->labels[g->member[i][0]]);
        if (name)
            snprintf(g->name[i], sizeof g->name[i], "%s", name);
    }
    return status;
}

const char *recon_look_label(recon_found_words out, const recon_look *l, int64_t label)
{
    const char *name = l->data && label >= 0 ? l->page->label(l, label) : NULL;
    snprintf(out, sizeof(recon_found_words), "%lld", (long long)label);
    return name ? name : out;
}

const char *recon_look_name(recon_found_words out, const recon_look *l, size_t row)
{
    const char *name = l->data && l->page->name ? l->page->name(l, row) : NULL;
    snprintf(out, sizeof(recon_found_words), "%zu", row);
    return name ? name : out;
}

double recon_look_degrees(const recon_look *l, size_t row)
{
    double degrees = recon_found_degrees(l->f, row);
    return l->page->has_sign && degrees > 0 && l->f->absolute[row] < 0 ? -degrees : degrees;
}

size_t recon_look_row(const recon_look *l, size_t i, size_t rows)
{
    return l->row[(2 * i + 1) * l->n / (2 * rows)];
}

void recon_look_list(recon_page *page, const recon_look *l, const char *caption, const size_t *row,
                     size_t n)
{
    const char *const columns[] = { l->page->noun, l->page->set, "from its natural pose (degrees)",
                                    "score", "agreement of neighbours" };
    recon_found_words words;
    recon_page_table(page, caption, columns, 5);
    for (size_t i = 0; i < n; i++) {
        recon_page_cell(page, "%s", recon_look_name(words, l, row[i]));
        recon_page_cell(page, "%s",
                        l->labels ? recon_look_label(words, l, l->labels[row[i]]) : "not known");
        recon_page_cell(page, l->page->has_sign ? "%+.0f" : "%.0f", recon_look_degrees(l, row[i]));
        recon_page_cell(page, "%.2f", l->f->score[row[i]]);
        recon_page_cell(page, "%.2f", l->f->identifiability[l->f->group->identifiability * row[i]]);
    }
}

/* --- sections --------------------------------------------------------------------------------- */

static recon_status show_gallery(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    recon_page_section(page, "From the input to its natural pose");
    if (l->data)
        return l->page->show_gallery(ctx, page, l);
    recon_page_say(page, "Not shown: the %s are not available.", l->f->kind->name);
    return RECON_OK;
}

static recon_status show_neighbors(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    double hits = recon_found_overall(l->f, "hit_rate");
    recon_found_words words;
    recon_status status = RECON_OK;
    recon_page_section(page, "Neighbours");
    recon_page_say(page,
                   "Everything above assumes that the %zu nearest neighbours of each %s in the "
                   "embedding are of its kind.",
                   l->f->k, l->page->noun);
    if (!isnan(hits))
        recon_page_say(page, "Measured with the labels: %s of them are of the %s's %s.",
                       recon_found_share(words, hits), l->page->noun, l->page->set);
    if (l->data)
        status = l->page->show_neighbors(ctx, page, l);
    else
        recon_page_say(page, "Not shown: the %s are not available.", l->f->kind->name);
    if (l->page->table_hits)
        l->page->table_hits(page, l);
    return status;
}

static recon_status show_extreme(recon_ctx *ctx, recon_page *page, const recon_look *l,
                                 const double *key, size_t stride, double sign, const char *caption)
{
    size_t row[RECON_FOUND_WORST], most = l->page->abreast;
    size_t n = recon_found_extreme(row, RECON_FOUND_WORST, key, stride, sign, l->f->rows);
    recon_status status =
        l->data ? l->page->draw_pairs(ctx, page, l, row, n < most ? n : most, caption) : RECON_OK;
    if (status == RECON_OK)
        recon_look_list(page, l, caption, row, n);
    return status;
}

static recon_status show_worst(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    recon_page_section(page, "Worst cases");
    recon_page_say(page, "Failures, or unusual data: look here first.");
    if (!l->data)
        recon_page_say(page, "Listed, not shown: the %s are not available.", l->f->kind->name);
    RECON_CHECK(show_extreme(ctx, page, l, l->f->score, 1, 1, l->page->worst[0]));
    RECON_CHECK(show_extreme(ctx, page, l, l->f->identifiability, l->f->group->identifiability, -1,
                             l->page->worst[1]));
    if (l->data && l->page->show_doubtful)
        RECON_CHECK(l->page->show_doubtful(ctx, page, l));
    return RECON_OK;
}

static void show_warnings(recon_page *page, const recon_look *l)
{
    char checked[256];
    recon_page_section(page, "Warnings");
    int said = recon_found_warn_of_trust(page, l->f) + l->page->warn(page, l) +
               recon_found_warn_of_model(page, &l->trial) + recon_found_warn(page, l->f);
    snprintf(checked, sizeof checked, "%s%s", l->page->checked,
             l->trial.n ? ", a network that is not equivariant, uninformative scores" : "");
    if (!said)
        recon_found_say_checked(page, checked);
}

recon_status recon_inputs_sections(recon_ctx *ctx, recon_page *page, const recon_inputs_page *of,
                                   const recon_found_folder *f, const recon_data *data)
{
    recon_look l = { .page = of,
                     .f = f,
                     .trial = { .one = of->one, .many = of->many, .rotation = of->rotation } };
    recon_status status;
    l.data = data && (!of->needs_png || recon_found_draws(ctx, page)) ? data : NULL;
    if (l.data)
        RECON_TRY(use_model(ctx, &l));
    RECON_TRY(group(ctx, &l));
    recon_page_section(page, "What was found");
    RECON_TRY(of->show_found(ctx, page, &l));
    recon_found_show_trust(page, f);
    recon_page_section(page, of->groups[l.labels != NULL]);
    RECON_TRY(of->show_poses(ctx, page, &l));
    RECON_TRY(show_gallery(ctx, page, &l));
    RECON_TRY(of->show_widths(ctx, page, &l));
    RECON_TRY(recon_found_show_unusual(ctx, page, f, &l.trial));
    RECON_TRY(show_neighbors(ctx, page, &l));
    RECON_TRY(show_worst(ctx, page, &l));
    show_warnings(page, &l);
    recon_found_show_settings(page, f);
    recon_found_show_next(page, f);
done:
    recon_model_close(ctx, l.model);
    recon_found_groups_free(&l.groups);
    free(l.labels);
    free(l.row);
    free(l.said);
    recon_found_trial_free(&l.trial);
    return status;
}
