/* found_image_look.c - images looked at once more: their labels, and a sample before the model. */
#include "report/found_images.h"
#include "core/fail.h"
#include "core/memory.h"

#include <recon/model/score.h>
#include <recon/data/dataset.h>
#include <recon/group/so2.h>
#include "backbone/kinds.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SAMPLE = 600, /* images of 28 x 28; of larger ones fewer */
    SAMPLE_LEAST = 100,
    SAMPLE_PIXELS = 28 * 28,
    BATCH = 64
};

/* Rows first .. first + n of the sample, as they came and each rotated by an angle of its own. */
typedef struct {
    float *images, *rotated; /* [BATCH][pixels] */
    double angle[BATCH];
    recon_distribution said[BATCH];
    recon_pose_score2 unusual[BATCH];
} batch;

static void read_batch(batch *b, const recon_image_look *l, size_t first, size_t n)
{
    recon_dataset_info d = recon_dataset_describe(l->data);
    size_t pixels = d.height * d.width * d.channels;
    for (size_t i = 0; i < n; i++) {
        recon_rng rng = recon_rng_new(RECON_FOUND_SEED, first + i);
        b->angle[i] = recon_so2_haar(&rng);
        recon_dataset_get(b->images + i * pixels, l->data, l->row[first + i]);
        recon_image_rotate(b->rotated + i * pixels, b->images + i * pixels, d.height, d.width,
                           d.channels, b->angle[i], RECON_BILINEAR);
    }
}

static recon_status look_at_batch(recon_ctx *ctx, recon_image_look *l, batch *b,
                                  const recon_model *model, size_t first, size_t n)
{
    recon_status status;
    read_batch(b, l, first, n);
    RECON_TRY(recon_distribution_images(ctx, b->said, model, b->images, n));
    RECON_TRY(recon_score_images(ctx, b->unusual, model, b->rotated, n));
    for (size_t i = 0; i < n; i++) {
        int told =
            b->said[i].verdict != RECON_NATURAL_UNSURE && b->said[i].verdict != RECON_NATURAL_NONE;
        l->known[first + i] = told ? NAN : b->said[i].moment[0];
        l->folded[first + i] = b->said[i].moment[1];
        l->like[first + i] = b->said[i].p_embedding;
        l->theta[first + i] = b->said[i].theta * RECON_TO_DEGREES;
        l->trial.natural[first + i] = b->said[i].score;
        l->trial.rotated[first + i] = b->unusual[i].score;
        l->trial.miss[first + i] =
            RECON_TO_DEGREES *
            recon_so2_distance(b->unusual[i].pose.psi, b->said[i].pose.psi + b->angle[i]);
    }
done:
    return status;
}

/* The folder's poses are those that the model gives to these images. */
static recon_status check_same(recon_ctx *ctx, const recon_image_look *l, const batch *b, size_t n)
{
    double apart[BATCH];
    for (size_t i = 0; i < n; i++)
        apart[i] = recon_so2_distance(b->said[i].pose.psi, l->f->psi[l->row[i]]);
    return recon_found_check_same(ctx, l->f, apart, n);
}

static recon_status look_at_sample(recon_ctx *ctx, recon_image_look *l, const recon_model *model)
{
    recon_dataset_info d = recon_dataset_describe(l->data);
    size_t pixels = d.height * d.width * d.channels;
    batch *b = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &b, 1, sizeof *b));
    RECON_TRY(recon_alloc_raw(ctx, &b->images, BATCH * pixels, sizeof *b->images));
    RECON_TRY(recon_alloc_raw(ctx, &b->rotated, BATCH * pixels, sizeof *b->rotated));
    for (size_t at = 0; at < l->n; at += BATCH) {
        size_t n = l->n - at < BATCH ? l->n - at : BATCH;
        RECON_TRY(look_at_batch(ctx, l, b, model, at, n));
        if (at == 0)
            RECON_TRY(check_same(ctx, l, b, n));
    }
    l->trial.threshold = recon_score_threshold(model, 0.01);
done:
    if (b) {
        free(b->images);
        free(b->rotated);
    }
    free(b);
    return status;
}

recon_status recon_image_look_open(recon_ctx *ctx, recon_image_look *l)
{
    recon_dataset_info d = recon_dataset_describe(l->data);
    size_t most = SAMPLE * SAMPLE_PIXELS / (d.height * d.width);
    char path[4096];
    recon_model *model = NULL;
    recon_status status;
    most = most < SAMPLE_LEAST ? SAMPLE_LEAST : most > SAMPLE ? SAMPLE : most;
    snprintf(path, sizeof path, "%s/model.safetensors", l->f->dir);
    RECON_TRY(recon_found_labels(ctx, &l->labels, l->f, recon_dataset_data(l->data)));
    RECON_TRY(recon_model_open(ctx, &model, path, RECON_SINGLE));
    RECON_TRY(
        recon_backbone_check_data(ctx, recon_model_backbone(model), recon_dataset_data(l->data)));
    RECON_TRY(recon_found_sample(ctx, &l->row, &l->n, l->f->rows, most));
    RECON_TRY(recon_alloc_raw(ctx, &l->theta, l->n, sizeof *l->theta));
    RECON_TRY(recon_alloc_raw(ctx, &l->known, l->n, sizeof *l->known));
    RECON_TRY(recon_alloc_raw(ctx, &l->folded, l->n, sizeof *l->folded));
    RECON_TRY(recon_alloc_raw(ctx, &l->like, l->n, sizeof *l->like));
    RECON_TRY(recon_found_trial_new(ctx, &l->trial, l->n));
    RECON_TRY(look_at_sample(ctx, l, model));
done:
    recon_model_close(ctx, model);
    return status;
}

void recon_image_look_free(recon_image_look *l)
{
    recon_found_groups_free(&l->groups);
    free(l->labels);
    free(l->row);
    free(l->theta);
    free(l->known);
    free(l->folded);
    free(l->like);
    recon_found_trial_free(&l->trial);
}
