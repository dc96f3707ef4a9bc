/* canonicalize.c - inputs rotated into their natural pose.
 *
 * The encoder runs on the context's backend, the rotation on the host's threads: it is a hundredth
 * of the arithmetic, and reads the caller's input, not a copy of it. */
#include <recon/model/canonicalize.h>
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/image.h"
#include "backbone/kinds.h"
#include "model/model.h"
#include "group/so3/fisher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCH_BLOCK = RECON_BLOCK_SEARCH, TRIALS = SEARCH_BLOCK * RECON_MODES_MAX };

/* --- the natural pose ------------------------------------------------------------------------- */

static recon_interpolation interpolation_of(const recon_canonicalize_options *options)
{
    return options ? options->interpolation : RECON_BILINEAR;
}

/* Rows only where something depends on more than the pose. */
static recon_status find_poses(recon_ctx *ctx, recon_pose *poses, const recon_model *m,
                               const void *inputs, size_t n,
                               const recon_canonicalize_options *options)
{
    recon_row *rows = NULL;
    recon_status status;
    if (!options || (options->only_if <= 0 && options->only == RECON_ONLY_ANY))
        return recon_model_read(ctx, &(recon_read){ .poses = poses }, m, inputs, n);
    RECON_TRY(recon_alloc_raw(ctx, &rows, n, sizeof *rows));
    RECON_TRY(recon_rows_find(ctx, rows, m, inputs, n, options));
    for (size_t i = 0; i < n; i++)
        poses[i] = rows[i].pose;
done:
    free(rows);
    return status;
}

/* --- canonical forms -------------------------------------------------------------------------- */

static recon_image_size size_of(recon_ieae_shape s)
{
    return (recon_image_size){ s.height, s.width_px, s.channels };
}

/* As the kind does it; what lies at the edge of a frame is known of images alone. */
static recon_status rotate_all(recon_ctx *ctx, void *out, const recon_backbone *b,
                               const void *inputs, const double *g, size_t n,
                               const recon_canonicalize_options *options)
{
    const recon_ieae *images = recon_backbone_ieae(b);
    if (!options || !options->edge)
        return b->kind->rotate(ctx, out, b, inputs, g, n, interpolation_of(options));
    if (!images)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s have no edge", b->kind->data);
    recon_image_size size = size_of(recon_ieae_describe(images));
    return recon_images_rotate(ctx, out, inputs, NULL, g, n, &size, options->interpolation, 1);
}

recon_status recon_canonicalize(recon_ctx *ctx, void *out, recon_pose *poses,
                                const recon_model *model, const void *inputs, size_t n,
                                const recon_canonicalize_options *options)
{
    const recon_backbone *b = model->backbone;
    size_t numbers = b->kind->group->numbers;
    recon_pose *own = NULL;
    double *g = NULL;
    recon_status status;
    RECON_TRY(recon_canonicalize_check(ctx, options));
    RECON_TRY(recon_alloc_raw(ctx, &g, n, numbers * sizeof *g));
    if (!poses) {
        RECON_TRY(recon_alloc_raw(ctx, &own, n, sizeof *own));
        poses = own;
    }
    RECON_TRY(find_poses(ctx, poses, model, inputs, n, options));
    for (size_t i = 0; i < n; i++)
        memcpy(g + i * numbers, poses[i].rotation, numbers * sizeof *g);
    if (out)
        RECON_TRY(rotate_all(ctx, out, b, inputs, g, n, options));
done:
    recon_free_all(own, g);
    return status;
}

recon_status recon_canonicalize_images(recon_ctx *ctx, float *out, recon_pose *poses,
                                       const recon_model *model, const float *images, size_t n,
                                       const recon_canonicalize_options *options)
{
    RECON_CHECK(recon_model_takes(ctx, model, "images"));
    return recon_canonicalize(ctx, out, poses, model, images, n, options);
}

recon_status recon_canonicalize_molecules(recon_ctx *ctx, float *out, recon_pose *poses,
                                          const recon_model *model, const recon_conformer *x,
                                          size_t n)
{
    RECON_CHECK(recon_model_takes(ctx, model, "molecules"));
    return recon_canonicalize(ctx, out, poses, model, x, n, NULL);
}

/* --- candidates ------------------------------------------------------------------------------- */

/* What a density's background holds is no candidate's: the weights are shares of the rest. */
recon_status recon_candidates_list(recon_ctx *ctx, recon_candidates *out, const recon_model *model,
                                   const void *inputs, size_t n,
                                   const recon_canonicalize_options *options)
{
    recon_row *rows = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &rows, n, sizeof *rows));
    RECON_TRY(recon_rows_find(ctx, rows, model, inputs, n, options));
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        out[i] = rows[i].candidates;
        if (rows[i].why != RECON_WHY_ROTATED)
            out[i] = (recon_candidates){ 1, { rows[i].pose }, { 1 } };
        for (size_t j = 0; j < out[i].count; j++)
            sum += out[i].weight[j];
        for (size_t j = 0; j < out[i].count; j++)
            out[i].weight[j] /= sum;
    }
done:
    free(rows);
    return status;
}

/* --- search ----------------------------------------------------------------------------------- */

/* Images of one search, and how they are rotated. */
typedef struct {
    const recon_model *model;
    recon_image_size size;
    size_t pixels;
    recon_interpolation interpolation;
    int edge;
    const recon_canonicalize_options *options;
    recon_judge *judge;
    void *user;
} contest;

/* Room for all candidates of SEARCH_BLOCK images. */
typedef struct {
    recon_candidates *lists;
    recon_pose *poses;
    size_t *from;
    double *scores, *angle;
    float *images;
} trials;

static recon_status trials_new(recon_ctx *ctx, trials *t, size_t pixels)
{
    *t = (trials){ 0 };
    RECON_CHECK(recon_alloc_raw(ctx, &t->lists, SEARCH_BLOCK, sizeof *t->lists));
    RECON_CHECK(recon_alloc_raw(ctx, &t->poses, TRIALS, sizeof *t->poses));
    RECON_CHECK(recon_alloc_raw(ctx, &t->from, TRIALS, sizeof *t->from));
    RECON_CHECK(recon_alloc_raw(ctx, &t->scores, TRIALS, sizeof *t->scores));
    RECON_CHECK(recon_alloc_raw(ctx, &t->angle, TRIALS, sizeof *t->angle));
    return recon_alloc_raw(ctx, &t->images, TRIALS * pixels, sizeof *t->images);
}

static void trials_free(trials *t)
{
    recon_free_all(t->lists, t->poses, t->from, t->scores, t->angle, t->images);
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
static void choose(recon_pose *poses, const trials *t, size_t n)
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

/* Image from[i] of `in`, or image i where from is NULL, rotated by poses[i]. */
static recon_status rotate(recon_ctx *ctx, float *out, trials *t, const contest *c, const float *in,
                           const size_t *from, const recon_pose *poses, size_t n)
{
    for (size_t i = 0; i < n; i++)
        t->angle[i] = poses[i].rotation[0];
    return recon_images_rotate(ctx, out, in, from, t->angle, n, &c->size, c->interpolation,
                               c->edge);
}

static recon_status search(recon_ctx *ctx, recon_pose *poses, trials *t, const contest *c,
                           const float *in, size_t n)
{
    size_t count;
    RECON_CHECK(recon_candidates_list(ctx, t->lists, c->model, in, n, c->options));
    count = gather(t, n);
    if (count) {
        RECON_CHECK(rotate(ctx, t->images, t, c, in, t->from, t->poses, count));
        RECON_CHECK(c->judge(ctx, c->user, t->scores, t->images, count));
    }
    choose(poses, t, n);
    return RECON_OK;
}

recon_status recon_canonicalize_search(recon_ctx *ctx, float *out, recon_pose *poses,
                                       const recon_model *model, const float *images, size_t n,
                                       recon_judge *judge, void *user,
                                       const recon_canonicalize_options *options)
{
    recon_ieae_shape s = recon_model_describe(model).images;
    const contest c = { .model = model,
                        .size = size_of(s),
                        .edge = options && options->edge,
                        .pixels = s.height * s.width_px * s.channels,
                        .interpolation = interpolation_of(options),
                        .options = options,
                        .judge = judge,
                        .user = user };
    const recon_backbone *b = model->backbone;
    recon_pose chosen[SEARCH_BLOCK];
    trials t = { 0 };
    recon_status status;
    RECON_TRY(recon_canonicalize_check(ctx, options));
    if (!recon_backbone_ieae(b))
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "search is for models of `{recon.train()}` on images"));
    RECON_TRY(b->kind->check(ctx, b, images, n)); /* here, where i is the caller's */
    RECON_TRY(trials_new(ctx, &t, c.pixels));
    for (size_t at = 0; at < n; at += SEARCH_BLOCK) {
        const float *in = images + at * c.pixels;
        size_t some = n - at < SEARCH_BLOCK ? n - at : SEARCH_BLOCK;
        RECON_TRY(search(ctx, chosen, &t, &c, in, some));
        if (out)
            RECON_TRY(rotate(ctx, out + at * c.pixels, &t, &c, in, NULL, chosen, some));
        if (poses)
            memcpy(poses + at, chosen, some * sizeof *chosen);
    }
done:
    trials_free(&t);
    return status;
}
