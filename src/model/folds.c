/* folds.c - see folds.h. */
#include "model/folds.h"
#include "backbone/recipe.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"
#include "core/tree.h"
#include "data/formats.h"
#include "core/shuffle.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    DEAL = 7 /* the stream of random numbers that deals inputs to folds */,
    SPARE = 2,
    FAR_MORE = 4
};
#define FILES    ".folds"
#define BACKBONE "backbone.safetensors"

recon_status recon_discover_frames(recon_ctx *ctx, recon_frames *out, const recon_embedded *points,
                                   const recon_backbone_kind *kind,
                                   const recon_discover_options *options)
{
    const recon_normalize_options o = { .knn = { .k = options->k ? options->k : kind->k },
                                        .pool = kind->pool,
                                        .mean = options->mean,
                                        .family = options->family,
                                        .no_symmetry = 1 }; /* the heads learn none */
    recon_status status = recon_normalize(ctx, out, points, NULL, &o);
    return status == RECON_OK && kind->group->gauge && !options->as_mean
               ? recon_frames_gauge(ctx, out)
               : status;
}

/* --- how many --------------------------------------------------------------------------------- */

static size_t inputs_of(const recon_folds_job *job)
{
    return recon_data_describe(job->data).n;
}

/* Whether what is left of the inputs without a fold is enough to learn from. */
static int are_enough(const recon_folds_job *job, size_t folds)
{
    size_t n = inputs_of(job), k = job->options->k ? job->options->k : job->backbone->kind->k;
    size_t rest = n - (n + folds - 1) / folds;
    return rest > k + SPARE && rest > SPARE * RECON_HELD_OUT;
}

/* A backbone that has learned from far more inputs than these hardly remembers any of them, and
 * could not be trained on so few. */
static int is_kept(const recon_folds_job *job, const recon_safetensors *file)
{
    return recon_recipe_size(file, job->data->kind->many) > FAR_MORE * inputs_of(job);
}

/* Whether the backbone would have to be trained again from a model that is not there. */
static int is_lost(recon_ctx *ctx, const recon_folds_job *job)
{
    recon_safetensors *file;
    if (recon_safetensors_open(ctx, &file, job->model) != RECON_OK)
        return 0; /* whoever needs it will say so */
    int lost = !is_kept(job, file) && recon_recipe_is_lost(ctx, file);
    recon_safetensors_close(file);
    return lost;
}

size_t recon_folds_count(recon_ctx *ctx, const recon_folds_job *job)
{
    size_t n = inputs_of(job), asked = (size_t)(job->options->folds > 0 ? job->options->folds : 0);
    size_t folds = asked ? asked : n < RECON_FOLDS_BELOW ? RECON_FOLDS : 0;
    const char *why =
        job->options->folds < 0            ? "no folds were asked for"
        : !job->backbone->kind->refit      ? "this kind of backbone cannot be trained anew"
        : !job->data->kind->pick           ? "these data cannot be divided"
        : folds && !are_enough(job, folds) ? "there are too few for folds"
        : folds && is_lost(ctx, job)
            ? "the model that the backbone was trained from is not there, or has changed"
            : NULL;
    if (why && n < RECON_FOLDS_BELOW)
        recon_log(
            ctx, RECON_LOG_WARN,
            "p-values and thresholds are rough: %s, and %s: expect more false alarms than "
            "asked for",
            recon_count((recon_count_text){ 0 }, n, job->data->kind->one, job->data->kind->many),
            why);
    return why ? 0 : folds;
}

/* --- one fold --------------------------------------------------------------------------------- */

typedef struct {
    const recon_folds_job *job;
    const recon_safetensors *file;
    char path[RECON_PATH];
    size_t *rest, *held; /* [n] */
    size_t n_rest, n_held;
    size_t done;              /* points measured so far */
    double *score, *score_of; /* in the order of the folds, of the inputs */
    recon_tail_point *tail;
} run;

static void deal(run *r, size_t fold, size_t folds)
{
    size_t n = inputs_of(r->job);
    r->n_rest = r->n_held = 0;
    for (size_t i = 0; i < n; i++)
        if (recon_permute(i, n, r->job->options->maps.seed, DEAL) % folds == fold)
            r->held[r->n_held++] = i;
        else
            r->rest[r->n_rest++] = i;
}

/* Inputs and what the backbone makes of them. */
typedef struct {
    recon_data *data;
    recon_embedded points;
} part;

static void part_free(part *p)
{
    recon_embedded_free(&p->points);
    if (p->data)
        p->data->kind->close(p->data);
}

static recon_status train_backbone(recon_ctx *ctx, recon_backbone **out, const run *r,
                                   const recon_data *rest)
{
    const recon_folds_job *job = r->job;
    recon_status status = job->backbone->kind->refit(ctx, r->path, job->backbone, r->file, rest,
                                                     job->options->precision);
    return status == RECON_OK ? recon_backbone_open(ctx, out, r->path, job->options->precision)
                              : status;
}

/* As many neighbours fewer as there are inputs fewer: a class has its share of them, and with as many
 * as before more would come from other classes. */
static size_t neighbors_of(const run *r)
{
    const recon_folds_job *job = r->job;
    size_t k = job->options->k ? job->options->k : job->backbone->kind->k, n = inputs_of(job);
    return (k * r->n_rest + n - 1) / n;
}

static recon_status run_fold(recon_ctx *ctx, run *r)
{
    const recon_folds_job *job = r->job;
    recon_discover_options options = *job->options;
    const recon_backbone *backbone = job->backbone;
    recon_backbone *own = NULL;
    part rest = { .data = NULL }, held = { .data = NULL };
    recon_frames frames = { .rows = 0 };
    recon_maps *maps = NULL;
    recon_status status;
    RECON_TRY(job->data->kind->pick(ctx, &rest.data, job->data, r->rest, r->n_rest));
    RECON_TRY(job->data->kind->pick(ctx, &held.data, job->data, r->held, r->n_held));
    if (!is_kept(r->job, r->file)) {
        RECON_TRY(train_backbone(ctx, &own, r, rest.data));
        backbone = own;
    }
    RECON_TRY(recon_backbone_embed(ctx, &rest.points, backbone, rest.data));
    RECON_TRY(recon_backbone_embed(ctx, &held.points, backbone, held.data));
    options.k = neighbors_of(r);
    RECON_TRY(recon_discover_frames(ctx, &frames, &rest.points, backbone->kind, &options));
    RECON_TRY(recon_maps_fit_inputs(ctx, &maps, &rest.points, &frames, &options.maps, backbone,
                                    rest.data));
    RECON_TRY(recon_maps_measure(ctx, r->score + r->done, r->tail + r->done, maps, &held.points,
                                 held.data));
    for (size_t i = 0; i < r->n_held; i++)
        r->score_of[r->held[i]] = r->score[r->done + i];
    r->done += r->n_held;
done:
    recon_maps_free(ctx, maps);
    recon_frames_free(&frames);
    part_free(&held);
    part_free(&rest);
    recon_backbone_close(ctx, own);
    return status;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Maps take as long as they took. What a backbone takes, in trainings, is known from its epochs and the share
 * of the inputs that each sees. */
static void say_time(recon_ctx *ctx, const run *r, size_t folds)
{
    const recon_folds_job *job = r->job;
    double epochs = (double)recon_recipe_size(r->file, "epochs"), all = (double)folds;
    double each = recon_data_images(job->data) ? (double)recon_recipe_short(r->file) : epochs;
    char takes[64];
    if (is_kept(r->job, r->file))
        snprintf(takes, sizeof takes, "roughly %.0f seconds", all * job->maps_seconds);
    else
        snprintf(takes, sizeof takes, "about %.1f times as long as training did",
                 (all - 1) * each / fmax(epochs, 1));
    recon_log(ctx, RECON_LOG_INFO,
              "calibrating on all %zu %s by cross-validation: %s fitted %zu times. "
              "This takes %s; {folds=0} skips it",
              inputs_of(job), job->data->kind->many,
              is_kept(r->job, r->file) ? "the maps are" : "backbone and maps are", folds, takes);
}

static void say_left(recon_ctx *ctx, double begun, size_t fold, size_t folds)
{
    double spent = recon_now() - begun;
    if (fold < folds)
        recon_log(ctx, RECON_LOG_INFO, "fold %zu of %zu: %.0f seconds so far, about %.0f left",
                  fold, folds, spent, spent / (double)fold * (double)(folds - fold));
}

/* A fold's training says where it can be resumed from; but that goes with the unfinished result. */
static recon_status name_fold(recon_ctx *ctx, recon_status status, size_t fold, size_t folds)
{
    if (status == RECON_ERR_INTERRUPTED)
        return recon_fail(ctx, status, "interrupted in fold %zu of %zu", fold, folds);
    return recon_note(ctx, status, "fold %zu of %zu", fold, folds);
}

static recon_status run_all(recon_ctx *ctx, run *r, size_t folds)
{
    double begun = recon_now();
    recon_status status = RECON_OK;
    say_time(ctx, r, folds);
    for (size_t f = 0; f < folds; f++) {
        deal(r, f, folds);
        RECON_TRY(name_fold(ctx, run_fold(ctx, r), f + 1, folds));
        say_left(ctx, begun, f + 1, folds);
    }
done:
    return status;
}

/* The files of a training run, checkpoints among them. */
static recon_status remove_files(recon_ctx *ctx, const char *dir)
{
    int parent = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return recon_fail(ctx, RECON_ERR_IO, "%s: cannot be opened", dir);
    recon_status status = recon_tree_remove(ctx, parent, FILES, dir);
    close(parent);
    return status;
}

recon_status recon_folds_calibrate(recon_ctx *ctx, double *scores, recon_maps *maps, size_t folds,
                                   const recon_folds_job *job)
{
    size_t n = inputs_of(job);
    char dir[RECON_PATH];
    recon_safetensors *file = NULL;
    run r = { .job = job, .score_of = scores };
    recon_status status;
    recon_folder_join(dir, job->dir, FILES);
    recon_folder_join(r.path, dir, BACKBONE);
    RECON_TRY(recon_alloc_raw(ctx, &r.rest, n, sizeof *r.rest));
    RECON_TRY(recon_alloc_raw(ctx, &r.held, n, sizeof *r.held));
    RECON_TRY(recon_alloc_raw(ctx, &r.score, n, sizeof *r.score));
    RECON_TRY(recon_alloc_raw(ctx, &r.tail, n, sizeof *r.tail));
    RECON_TRY(recon_safetensors_open(ctx, &file, job->model));
    r.file = file;
    RECON_TRY(recon_folder_make(ctx, dir));
    RECON_TRY(run_all(ctx, &r, folds));
    RECON_TRY(recon_maps_calibrate(ctx, maps, r.score, r.tail, r.done));
    RECON_TRY(remove_files(ctx, job->dir));
done:
    recon_safetensors_close(file);
    free(r.rest);
    free(r.held);
    free(r.score);
    free(r.tail);
    return status;
}
