/* reproduce_controls.c - what might make a model's table look better than it is. */
#include "lab/reproduce.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

enum { ONCE = 0, TWICE = 1 };

/* --- sharpness -------------------------------------------------------------------------------- */

static recon_status rotate_some(recon_ctx *ctx, recon_dataset **out, const recon_dataset *upright,
                                const recon_rotation_rule *rule, uint64_t seed, int which)
{
    return (which == TWICE ? reproduce_resampled : recon_dataset_rotate)(ctx, out, upright, rule,
                                                                         seed);
}

/* Some test images: what rotating them costs, and what canonicalizing gives back. */
static recon_status compare_tests(recon_ctx *ctx, reproduction *r, int which)
{
    const image_trial *on = r->on;
    size_t n = r->rotated.n < CONTROL ? r->rotated.n : CONTROL;
    recon_dataset *some = NULL, *rotated = NULL;
    reading read = { 0 };
    recon_status status = RECON_OK;
    r->controls.resampled.images = n;
    if (n == r->rotated.n && which == on->settings->resample) { /* known */
        r->controls.resampled.none[which] = on->accuracy.none;
        r->controls.resampled.canonical[which] = r->accuracy.recon;
        goto done;
    }
    RECON_TRY(recon_dataset_take(ctx, &some, on->upright.use, n, TAKE_SEED));
    RECON_TRY(rotate_some(ctx, &rotated, some, on->rule, TEST_SEED, which));
    RECON_TRY(reproduce_read(ctx, &read, rotated, r->model));
    RECON_TRY(reproduce_accuracy(ctx, &r->controls.resampled.none[which], NULL, on, rotated, NULL));
    RECON_TRY(reproduce_accuracy(ctx, &r->controls.resampled.canonical[which], NULL, on, rotated,
                                 read.absolute));
done:
    reading_free(&read);
    recon_dataset_close(rotated);
    recon_dataset_close(some);
    return status;
}

/* Hit rate among some training images; of images of one's own, among the test images. */
static recon_status compare_hits(recon_ctx *ctx, reproduction *r, int which)
{
    const lab_settings *s = r->on->settings;
    size_t n = r->hood.index->n < CONTROL ? r->hood.index->n : CONTROL;
    lab_settings asked = *s;
    recon_dataset *some = NULL, *rotated = NULL;
    recon_embedded codes = { 0 };
    recon_frames f = { 0 };
    recon_status status = RECON_OK;
    asked.resample = which == TWICE;
    r->controls.resampled.rows = n;
    if (n == r->hood.index->n && which == s->resample) { /* known */
        r->controls.resampled.hit_rate[which] = r->hit_rate;
        goto done;
    }
    if (s->data) {
        RECON_TRY(recon_dataset_take(ctx, &some, r->on->upright.use, n, TAKE_SEED));
        RECON_TRY(rotate_some(ctx, &rotated, some, r->on->rule, TEST_SEED, which));
    } else {
        RECON_TRY(reproduce_training(ctx, &rotated, &asked, n));
    }
    RECON_TRY(recon_backbone_embed(ctx, &codes, r->model->backbone, recon_dataset_data(rotated)));
    RECON_TRY(recon_normalize(
        ctx, &f, &codes, NULL,
        &(recon_normalize_options){ .knn = { .k = K }, .family = r->on->what->family }));
    r->controls.resampled.hit_rate[which] = f.hit_rate;
done:
    recon_frames_free(&f);
    recon_embedded_free(&codes);
    recon_dataset_close(rotated);
    recon_dataset_close(some);
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

recon_status reproduce_controls(recon_ctx *ctx, reproduction *r)
{
    const image_trial *on = r->on;
    const neighborhood *h = &r->hood;
    const recon_neighborhood who = { h->neighbors, h->index->n, K, h->index->labels, on->classes };
    const int64_t *pair = on->what->pair;
    recon_status status;
    for (int which = ONCE; which <= TWICE; which++) {
        RECON_TRY(compare_tests(ctx, r, which));
        RECON_TRY(compare_hits(ctx, r, which));
    }
    RECON_TRY(recon_evaluate_like_poses(ctx, &r->controls.like, &who, h->angle, on->what->family,
                                        on->truth, TEST_SEED));
    if (pair[0] != pair[1])
        RECON_TRY(recon_evaluate_frames(ctx, &r->controls.pair, h->index->poses, h->angle, &who,
                                        pair[0], pair[1]));
done:
    return status;
}
