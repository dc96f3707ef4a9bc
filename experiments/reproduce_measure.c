/* reproduce_measure.c - one model through every measure of the paper's image tables.
 *
 * The test images are read here, by a model that is finished: nothing is chosen by them. */
#include "experiments/reproduce.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <recon/model/canonicalize.h>
#include <recon/group/so2.h>
#include "stats/so2_moments.h"
#include "data/rotations.h"
#include <stdio.h>
#include <stdlib.h>

enum {
    BATCH = 256,         /* images that are timed             */
    EQUIVARIANCE = 2000, /* images, each rotated two ways      */
    QUICK_EQUIVARIANCE = 500
};

/* --- sets of images --------------------------------------------------------------------------- */

static recon_status open_part(recon_ctx *ctx, image_part *out, const char *set, const char *part,
                              size_t count)
{
    char spec[64];
    recon_status status;
    snprintf(spec, sizeof spec, "%s/%s", set, part);
    RECON_TRY(recon_dataset_open(ctx, &out->whole, spec));
    out->use = out->whole;
    if (count && count < recon_dataset_describe(out->whole).n) {
        RECON_TRY(recon_dataset_take(ctx, &out->some, out->whole, count, TAKE_SEED));
        out->use = out->some;
    }
done:
    return status;
}

static void close_part(image_part *p)
{
    recon_dataset_close(p->some);
    recon_dataset_close(p->whole);
}

recon_status reproduce_training(recon_ctx *ctx, recon_dataset **out, const reproduce_settings *s,
                                size_t count)
{
    image_part part = { 0 };
    recon_status status;
    RECON_TRY(open_part(ctx, &part, s->what->name, "train", count));
    RECON_TRY(recon_dataset_rotate_by(ctx, out, part.use, s->what->name, TRAIN_SEED));
done:
    close_part(&part);
    return status;
}

recon_status reproduce_load(recon_ctx *ctx, float **out, const recon_dataset *data, size_t n)
{
    recon_dataset_info d = recon_dataset_describe(data);
    size_t pixels = d.height * d.width * d.channels;
    recon_status status = recon_alloc_raw(ctx, out, n * pixels, sizeof **out);
    for (size_t i = 0; status == RECON_OK && i < n; i++)
        recon_dataset_get(*out + i * pixels, data, i);
    return status;
}

static recon_status read_images(recon_ctx *ctx, reading *r, const recon_model *model)
{
    recon_status status;
    RECON_TRY(recon_backbone_embed(ctx, &r->codes, model->backbone, recon_dataset_data(r->data)));
    r->n = r->codes.n;
    RECON_TRY(recon_alloc_raw(ctx, &r->map, r->n, sizeof *r->map));
    RECON_TRY(recon_alloc_raw(ctx, &r->angle, r->n, sizeof *r->angle));
    RECON_TRY(recon_alloc_raw(ctx, &r->lambda, r->n, sizeof *r->lambda));
    RECON_TRY(recon_alloc_raw(ctx, &r->absolute, r->n, sizeof *r->absolute));
    RECON_TRY(recon_maps_apply_inputs(
        ctx, r->map, model->maps,
        &(recon_maps_inputs){ .n = r->n, .z = r->codes.z, .data = recon_dataset_data(r->data) },
        RECON_MAPS_ALL));
    if (r->codes.density)
        RECON_TRY(recon_alloc_raw(ctx, &r->by_head, r->n, sizeof *r->by_head));
    for (size_t i = 0; i < r->n; i++) {
        r->angle[i] = recon_dataset_angle(r->data, i);
        if (r->codes.density) {
            r->by_head[i] = recon_so2_absolute(&r->map[i], r->codes.so2[i]);
            recon_so2_map_density(&r->map[i], r->codes.so2[i],
                                  r->codes.density + i * RECON_POSE_BINS, RECON_MAPS_ALL);
        }
        r->lambda[i] = r->map[i].lambda;
        r->absolute[i] = recon_so2_absolute(&r->map[i], r->codes.so2[i]);
    }
done:
    return status;
}

static void reading_free(reading *r)
{
    recon_embedded_free(&r->codes);
    free(r->map);
    free(r->angle);
    free(r->lambda);
    free(r->absolute);
    free(r->by_head);
    recon_dataset_close(r->data);
}

/* --- the frozen classifier -------------------------------------------------------------------- */

static recon_status negative(recon_ctx *ctx, double **out, const double *angles, size_t n)
{
    recon_status status = recon_alloc_raw(ctx, out, n, sizeof **out);
    for (size_t i = 0; status == RECON_OK && i < n; i++)
        (*out)[i] = -angles[i];
    return status;
}

static recon_status accuracy(recon_ctx *ctx, double *out, const reproduction *r,
                             const recon_dataset *data, const double *poses)
{
    double *rotations = NULL;
    recon_status status;
    if (poses)
        RECON_TRY(negative(ctx, &rotations, poses, recon_dataset_describe(data).n));
    RECON_TRY(recon_evaluate_accuracy(ctx, out, data, rotations, recon_guess_by_classifier,
                                      r->classifier));
done:
    free(rotations);
    return status;
}

/* Where an image may have several natural poses, the classifier's own confidence chooses. */
static recon_status measure_search(recon_ctx *ctx, reproduction *r)
{
    recon_dataset_info d = recon_dataset_describe(r->rotated.data);
    recon_pose2 *poses = NULL;
    double *rotations = NULL;
    float *images = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &poses, d.n, sizeof *poses));
    RECON_TRY(recon_alloc_raw(ctx, &rotations, d.n, sizeof *rotations));
    RECON_TRY(reproduce_load(ctx, &images, r->rotated.data, d.n));
    RECON_TRY(recon_canonicalize_search(ctx, NULL, poses, r->model, images, d.n,
                                        recon_judge_by_classifier, r->classifier, NULL));
    for (size_t i = 0; i < d.n; i++)
        rotations[i] = poses[i].rotation;
    RECON_TRY(recon_evaluate_accuracy(ctx, &r->accuracy.search, r->rotated.data, rotations,
                                      recon_guess_by_classifier, r->classifier));
done:
    free(images);
    free(rotations);
    free(poses);
    return status;
}

static recon_status measure_accuracy(recon_ctx *ctx, reproduction *r)
{
    const reading *t = &r->rotated;
    recon_status status;
    RECON_TRY(accuracy(ctx, &r->accuracy.none, r, t->data, NULL));
    RECON_TRY(accuracy(ctx, &r->accuracy.ieae, r, t->data, t->codes.so2));
    RECON_TRY(accuracy(ctx, &r->accuracy.recon, r, t->data, t->absolute));
    r->accuracy.head = r->accuracy.recon;
    if (t->by_head)
        RECON_TRY(accuracy(ctx, &r->accuracy.head, r, t->data, t->by_head));
    RECON_TRY(measure_search(ctx, r));
    RECON_TRY(accuracy(ctx, &r->accuracy.undo, r, t->data, t->angle));
    RECON_TRY(accuracy(ctx, &r->accuracy.upright, r, r->upright.use, NULL));
done:
    return status;
}

/* --- poses ------------------------------------------------------------------------------------ */

static recon_status measure_unusual(recon_ctx *ctx, reproduction *r)
{
    const reading *c = &r->circle;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r->unusual, c->n, sizeof *r->unusual));
    for (int s = 0; s < 3; s++)
        RECON_TRY(recon_alloc_raw(ctx, &r->score[s], c->n, sizeof *r->score[s]));
    recon_evaluate_unusual(r->unusual, r->rule, c->codes.labels, c->angle, c->n);
    for (size_t i = 0; i < c->n; i++) {
        r->score[0][i] = recon_so2_distance(c->codes.so2[i], c->map[i].midpoint);
        r->score[1][i] = fabs(c->absolute[i]);
        r->score[2][i] = recon_so2_map_score(&c->map[i], c->codes.so2[i]);
    }
    RECON_TRY(recon_evaluate_ood(ctx, &r->ood,
                                 &(recon_ood_scores){ r->score[0], r->score[1], r->score[2] },
                                 r->unusual, c->n));
done:
    return status;
}

void reproduce_true_widths(double out[CLASSES], const recon_rotation_rule *rule)
{
    for (int32_t c = 0; c < CLASSES; c++)
        out[c] = recon_rotation_rule_of(rule, c).width;
}

static recon_status measure_theta(recon_ctx *ctx, reproduction *r)
{
    recon_so2_family family = recon_model_describe(r->model).maps.family;
    double truth[CLASSES], *theta = NULL;
    recon_status status;
    if (family != r->what->family)
        recon_log(ctx, RECON_LOG_WARN,
                  "theta of this model is the width of family %s, its truth "
                  "that of %s: `recon discover --family %s` fits",
                  recon_so2_family_name(family), recon_so2_family_name(r->what->family),
                  recon_so2_family_name(r->what->family));
    reproduce_true_widths(truth, r->rule);
    RECON_TRY(recon_alloc_raw(ctx, &theta, r->rotated.n, sizeof *theta));
    for (size_t i = 0; i < r->rotated.n; i++)
        theta[i] = r->rotated.map[i].theta;
    RECON_TRY(recon_evaluate_widths(ctx, &r->theta, r->width, theta, r->rotated.codes.labels,
                                    r->rotated.n, truth, CLASSES));
done:
    free(theta);
    return status;
}

static recon_status measure_folds(recon_ctx *ctx, reproduction *r)
{
    size_t n = r->rotated.n;
    double *moments = NULL;
    int *fold = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &moments, n * RECON_SO2_MOMENTS, sizeof *moments));
    RECON_TRY(recon_alloc_raw(ctx, &fold, n, sizeof *fold));
    for (size_t i = 0; i < n; i++) {
        recon_so2_moments(moments + i * RECON_SO2_MOMENTS, &r->rotated.map[i].density);
        fold[i] = recon_so2_fold(moments + i * RECON_SO2_MOMENTS);
    }
    RECON_TRY(
        recon_evaluate_folds(ctx, r->fold, fold, moments, r->rotated.codes.labels, n, CLASSES));
done:
    free(fold);
    free(moments);
    return status;
}

static recon_status measure_pair(recon_ctx *ctx, reproduction *r)
{
    const reading *t = &r->rotated;
    if (r->what->pair[0] == r->what->pair[1])
        return RECON_OK;
    return recon_evaluate_pair(ctx, &r->pair,
                               &(recon_posed){ t->codes.so2, t->lambda, t->codes.labels, t->n },
                               r->what->pair[0], r->what->pair[1]);
}

/* --- the encoder ------------------------------------------------------------------------------ */

static recon_status measure_equivariance(recon_ctx *ctx, reproduction *r)
{
    size_t n = r->settings->quick ? QUICK_EQUIVARIANCE : EQUIVARIANCE;
    recon_dataset *some = NULL;
    recon_status status;
    if (n > r->rotated.n)
        n = r->rotated.n;
    RECON_TRY(recon_dataset_take(ctx, &some, r->upright.use, n, TAKE_SEED));
    RECON_TRY(recon_equivariance_random(ctx, &r->equivariance,
                                        recon_backbone_ieae(r->model->backbone), some, TEST_SEED));
done:
    recon_dataset_close(some);
    return status;
}

static recon_status measure_times(recon_ctx *ctx, reproduction *r)
{
    size_t n = r->rotated.n < BATCH ? r->rotated.n : BATCH;
    float *images = NULL;
    recon_status status;
    RECON_TRY(reproduce_load(ctx, &images, r->rotated.data, n));
    RECON_TRY(
        recon_times_measure(ctx, &r->times, r->model, images, n,
                            n * recon_data_describe(recon_dataset_data(r->rotated.data)).bytes));
done:
    free(images);
    return status;
}

/* --- everything ------------------------------------------------------------------------------- */

recon_status reproduce_models(recon_ctx *ctx, reproduction *r)
{
    const reproduce_settings *s = r->settings;
    recon_status status;
    RECON_TRY(recon_model_open(ctx, &r->model, s->model, s->precision));
    RECON_TRY(recon_classifier_open(ctx, &r->classifier, s->classifier));
done:
    return status;
}

static recon_status open_tests(recon_ctx *ctx, reproduction *r)
{
    const reproduce_settings *s = r->settings;
    return open_part(ctx, &r->upright, r->what->name, "test",
                     s->images  ? s->images
                     : s->quick ? QUICK_TEST
                                : 0);
}

static void name_classes(reproduction *r)
{
    static const char *const digits[CLASSES] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };
    for (size_t c = 0; c < CLASSES; c++) {
        const char *name = recon_dataset_class_name(r->upright.use, c);
        r->classes[c] = name ? name : digits[c];
    }
}

/* By the rule of the set, and by any angle. */
static recon_status rotation_tests(recon_ctx *ctx, reproduction *r)
{
    const char *name = r->what->name;
    size_t classes = recon_dataset_describe(r->upright.use).classes;
    recon_status status;
    if (classes > CLASSES)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu classes, expected %d", name, classes,
                          CLASSES);
    name_classes(r);
    RECON_TRY(recon_alloc(ctx, &r->rule, 1, sizeof *r->rule));
    RECON_TRY(recon_rotation_rule_load(ctx, r->rule, name));
    RECON_TRY(recon_dataset_rotate(ctx, &r->rotated.data, r->upright.use, r->rule, TEST_SEED));
    RECON_TRY(recon_dataset_rotate_by(ctx, &r->circle.data, r->upright.use, "all", TEST_SEED));
done:
    return status;
}

recon_status reproduce_tests(recon_ctx *ctx, reproduction *r)
{
    double begun = recon_now();
    recon_status status;
    RECON_TRY(rotation_tests(ctx, r));
    RECON_TRY(read_images(ctx, &r->rotated, r->model));
    RECON_TRY(read_images(ctx, &r->circle, r->model));
    r->embed_seconds = (recon_now() - begun) / (double)(r->rotated.n + r->circle.n);
    RECON_TRY(measure_accuracy(ctx, r));
    RECON_TRY(
        recon_evaluate_poses(ctx, &r->pose, r->rotated.absolute, r->rotated.angle, r->rotated.n));
    RECON_TRY(measure_unusual(ctx, r));
    RECON_TRY(measure_theta(ctx, r));
    RECON_TRY(measure_folds(ctx, r));
    RECON_TRY(measure_pair(ctx, r));
done:
    return status;
}

recon_status reproduce_measure(recon_ctx *ctx, reproduction *r, const reproduce_settings *s)
{
    recon_status status;
    *r = (reproduction){ .settings = s, .what = s->what, .begun = recon_now() };
    RECON_TRY(reproduce_models(ctx, r));
    RECON_TRY(open_tests(ctx, r));
    RECON_TRY(reproduce_tests(ctx, r));
    RECON_TRY(measure_equivariance(ctx, r));
    RECON_TRY(measure_times(ctx, r));
    RECON_TRY(reproduce_neighbors(ctx, r));
    r->seconds = recon_now() - r->begun;
done:
    return status;
}

void reproduce_free(recon_ctx *ctx, reproduction *r)
{
    reading_free(&r->rotated);
    reading_free(&r->circle);
    close_part(&r->upright);
    recon_embedded_free(&r->hood.index);
    recon_dataset_close(r->hood.data);
    free(r->hood.neighbors);
    free(r->hood.hits);
    free(r->hood.worst);
    free(r->unusual);
    for (int s = 0; s < 3; s++)
        free(r->score[s]);
    free(r->rule);
    recon_classifier_close(ctx, r->classifier);
    recon_model_close(ctx, r->model);
    *r = (reproduction){ 0 };
}
