/* canonicalize.c - images turned into their natural pose.
 *
 * The encoder runs on the context's backend, the resampling on the host's threads: it is a
 * hundredth of the arithmetic, and reads the caller's image, not a copy of it. */
#include <recon/model/canonicalize.h>
#include "model/model.h"
#include "model/modes.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES_A_TASK = 16, SEARCH_BLOCK = 128, TRIALS = SEARCH_BLOCK * RECON_MODES_MAX };

/* --- resampling ------------------------------------------------------------------------------- */

/* Image from[i] of `in`, or image i where from is NULL, turned by poses[i]. */
typedef struct {
    float *out;
    const float *in;
    const recon_pose2 *poses;
    const size_t *from;
    size_t n;
    const recon_model *model;
    recon_interpolation interpolation;
} turning;

static recon_status turn_some(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const turning *t = arg;
    const recon_ieae_shape *s = &t->model->shape;
    size_t pixels = recon_model_pixels(t->model), end = (task + 1) * IMAGES_A_TASK;
    (void)ctx;
    (void)worker;
    for (size_t i = task * IMAGES_A_TASK; i < end && i < t->n; i++)
        recon_image_turn(t->out + i * pixels, t->in + (t->from ? t->from[i] : i) * pixels,
                         s->height, s->width_px, s->channels, t->poses[i].turn, t->interpolation);
    return RECON_OK;
}

static recon_status turn_all(recon_ctx *ctx, turning t)
{
    return recon_parallel(ctx, turn_some, &t, (t.n + IMAGES_A_TASK - 1) / IMAGES_A_TASK);
}

/* --- the natural pose ------------------------------------------------------------------------- */

static recon_interpolation interpolation_of(const recon_canonicalize_options *options)
{
    return options ? options->interpolation : RECON_BILINEAR;
}

recon_status recon_canonicalize(recon_ctx *ctx, float *out, recon_pose2 *poses,
                                const recon_model *model, const float *images, size_t n,
                                const recon_canonicalize_options *options)
{
    recon_pose2 *own = NULL;
    recon_status status;
    if (!poses) {
        RECON_TRY(recon_alloc_raw(ctx, &own, n, sizeof *own));
        poses = own;
    }
    RECON_TRY(recon_model_read(ctx, poses, NULL, model, images, n));
    if (out)
        RECON_TRY(turn_all(ctx, (turning){ .out = out,
                                           .in = images,
                                           .poses = poses,
                                           .n = n,
                                           .model = model,
                                           .interpolation = interpolation_of(options) }));
done:
    free(own);
    return status;
}

/* --- candidates ------------------------------------------------------------------------------- */

/* Lambda stands for the mode next to it: what is learned of a natural pose is sharper than the
 * place of a mode. */
static void list(recon_candidates *out, const recon_pose2 *pose, const recon_so2_mode *mode,
                 int count)
{
    int nearest = 0;
    for (int j = 1; j < count; j++)
        if (fabs(mode[j].at) < fabs(mode[nearest].at))
            nearest = j;
    *out = (recon_candidates){ 1, { *pose }, { mode[nearest].weight } };
    for (int j = 0; j < count; j++) {
        if (j == nearest)
            continue;
        out->pose[out->count] = recon_pose_make(pose->psi, pose->lambda + mode[j].at);
        out->weight[out->count++] = mode[j].weight;
    }
}

typedef struct {
    recon_candidates *out;
    const recon_pose2 *poses;
    const recon_so2_map *maps;
} listing;

static recon_status list_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const listing *l = arg;
    recon_so2_mode mode[RECON_MODES_MAX];
    (void)ctx;
    (void)worker;
    int count = recon_density_modes(mode, &l->maps[i].density, l->maps[i].lambda);
    list(&l->out[i], &l->poses[i], mode, count);
    return RECON_OK;
}

recon_status recon_candidates_list(recon_ctx *ctx, recon_candidates *out, const recon_model *model,
                                   const float *images, size_t n)
{
    recon_pose2 *poses;
    recon_so2_map *maps;
    recon_status status;
    RECON_TRY(recon_model_read_all(ctx, &poses, &maps, model, images, n));
    RECON_TRY(recon_parallel(ctx, list_one, &(listing){ out, poses, maps }, n));
done:
    free(maps);
    free(poses);
    return status;
}

/* --- search ----------------------------------------------------------------------------------- */

/* Room for all candidates of SEARCH_BLOCK images. */
typedef struct {
    recon_candidates *lists;
    recon_pose2 *poses;
    size_t *from;
    double *scores;
    float *images;
} trials;

static recon_status trials_new(recon_ctx *ctx, trials *t, const recon_model *model)
{
    recon_status status;
    *t = (trials){ 0 };
    RECON_TRY(recon_alloc_raw(ctx, &t->lists, SEARCH_BLOCK, sizeof *t->lists));
    RECON_TRY(recon_alloc_raw(ctx, &t->poses, TRIALS, sizeof *t->poses));
    RECON_TRY(recon_alloc_raw(ctx, &t->from, TRIALS, sizeof *t->from));
    RECON_TRY(recon_alloc_raw(ctx, &t->scores, TRIALS, sizeof *t->scores));
    RECON_TRY(
        recon_alloc_raw(ctx, &t->images, TRIALS * recon_model_pixels(model), sizeof *t->images));
done:
    return status;
}

static void trials_free(trials *t)
{
    free(t->lists);
    free(t->poses);
    free(t->from);
    free(t->scores);
    free(t->images);
}

/* The candidates of those images that have several; how many. */
static size_t gather(trials *t, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; t->lists[i].count > 1 && j < t->lists[i].count; j++) {
            t->poses[count] = t->lists[i].pose[j];
            t->from[count++] = i;
        }
    return count;
}

/* Candidate 0 where there was nothing to judge. A score that is NaN is never the best. */
static void choose(recon_pose2 *poses, const trials *t, size_t n)
{
    const double *score = t->scores;
    for (size_t i = 0; i < n; i++) {
        size_t best = 0;
        for (size_t j = 1; j < t->lists[i].count; j++)
            if (score[j] > score[best] || (isnan(score[best]) && !isnan(score[j])))
                best = j;
        poses[i] = t->lists[i].pose[best];
        if (t->lists[i].count > 1)
            score += t->lists[i].count;
    }
}

static recon_status search(recon_ctx *ctx, recon_pose2 *poses, trials *t, const turning *how,
                           recon_judge *judge, void *user)
{
    turning all = *how;
    size_t count;
    recon_status status;
    RECON_TRY(recon_candidates_list(ctx, t->lists, how->model, how->in, how->n));
    count = gather(t, how->n);
    if (count) {
        all.out = t->images;
        all.poses = t->poses;
        all.from = t->from;
        all.n = count;
        RECON_TRY(turn_all(ctx, all));
        RECON_TRY(judge(ctx, user, t->scores, t->images, count));
    }
    choose(poses, t, how->n);
done:
    return status;
}

recon_status recon_canonicalize_search(recon_ctx *ctx, float *out, recon_pose2 *poses,
                                       const recon_model *model, const float *images, size_t n,
                                       recon_judge *judge, void *user,
                                       const recon_canonicalize_options *options)
{
    size_t pixels = recon_model_pixels(model);
    recon_pose2 chosen[SEARCH_BLOCK];
    trials t = { 0 };
    recon_status status;
    RECON_TRY(recon_model_check(ctx, model, images, n)); /* here, where i is the caller's */
    RECON_TRY(trials_new(ctx, &t, model));
    for (size_t at = 0; at < n; at += SEARCH_BLOCK) {
        turning how = { .out = out ? out + at * pixels : NULL,
                        .in = images + at * pixels,
                        .poses = chosen,
                        .n = n - at < SEARCH_BLOCK ? n - at : SEARCH_BLOCK,
                        .model = model,
                        .interpolation = interpolation_of(options) };
        RECON_TRY(search(ctx, chosen, &t, &how, judge, user));
        if (out)
            RECON_TRY(turn_all(ctx, how));
        if (poses)
            memcpy(poses + at, chosen, how.n * sizeof *chosen);
    }
done:
    trials_free(&t);
    return status;
}
