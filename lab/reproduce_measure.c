/* reproduce_measure.c - one model through every measure of the paper's image tables.
 *
 * The test images are read here, by a model that is finished: nothing is chosen by them. */
#include "lab/reproduce.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <recon/model/canonicalize.h>
#include <recon/group/so2.h>
#include "group/so2/moments.h"
#include <stdio.h>
#include <stdlib.h>

enum {
    BATCH = 256,         /* images that are timed             */
    EQUIVARIANCE = 2000, /* images, each rotated two ways      */
    QUICK_EQUIVARIANCE = 500
};

/* --- what the model says ---------------------------------------------------------------------- */

recon_status reproduce_read(recon_ctx *ctx, reading *r, const recon_dataset *data,
                            const recon_model *model)
{
    recon_status status;
    *r = (reading){ .data = data };
    RECON_TRY(recon_backbone_embed(ctx, &r->codes, model->backbone, recon_dataset_data(data)));
    r->n = r->codes.n;
    RECON_TRY(recon_alloc_raw(ctx, &r->map, r->n, sizeof *r->map));
    RECON_TRY(recon_alloc_raw(ctx, &r->angle, r->n, sizeof *r->angle));
    RECON_TRY(recon_alloc_raw(ctx, &r->lambda, r->n, sizeof *r->lambda));
    RECON_TRY(recon_alloc_raw(ctx, &r->absolute, r->n, sizeof *r->absolute));
    RECON_TRY(recon_maps_apply(
        ctx, r->map, model->maps,
        &(recon_maps_inputs){ .n = r->n, .z = r->codes.z, .data = recon_dataset_data(r->data) },
        RECON_MAPS_ALL));
    if (r->codes.density)
        RECON_TRY(recon_alloc_raw(ctx, &r->by_head, r->n, sizeof *r->by_head));
    for (size_t i = 0; i < r->n; i++) {
        r->angle[i] = recon_dataset_angle(r->data, i);
        if (r->codes.density) {
            r->by_head[i] = recon_so2_absolute(&r->map[i], r->codes.poses[i]);
            recon_so2_map_density(&r->map[i], r->codes.poses[i],
                                  r->codes.density + i * RECON_POSE_BINS, RECON_MAPS_ALL);
        }
        r->lambda[i] = r->map[i].lambda;
        r->absolute[i] = recon_so2_absolute(&r->map[i], r->codes.poses[i]);
    }
done:
    return status;
}

void reading_free(reading *r)
{
    recon_embedded_free(&r->codes);
    free(r->map);
    free(r->angle);
    free(r->lambda);
    free(r->absolute);
    free(r->by_head);
}

/* --- the frozen classifier -------------------------------------------------------------------- */

/* Where an image may have several natural poses, the classifier's own confidence chooses. */
static recon_status measure_search(recon_ctx *ctx, reproduction *r)
{
    recon_dataset_info d = recon_dataset_describe(r->rotated.data);
    recon_pose2 *poses = NULL;
    double *absolute = NULL;
    float *images = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &poses, d.n, sizeof *poses));
    RECON_TRY(recon_alloc_raw(ctx, &absolute, d.n, sizeof *absolute));
    RECON_TRY(reproduce_load(ctx, &images, r->rotated.data, d.n));
    RECON_TRY(recon_canonicalize_search(ctx, NULL, poses, r->model, images, d.n,
                                        recon_judge_by_classifier, r->on->classifier, NULL));
    for (size_t i = 0; i < d.n; i++)
        absolute[i] = -poses[i].rotation;
    RECON_TRY(reproduce_accuracy(ctx, &r->accuracy.search, NULL, r->on, r->rotated.data, absolute));
done:
    free(images);
    free(absolute);
    free(poses);
    return status;
}

/* Canonicalized, and as canonicalize --only-if has it: poses that are not unusual stay as they are, and
 * what the classifier makes of those, `as_is`, is known. */
static recon_status measure_gated(recon_ctx *ctx, double *all, double *gated, const reproduction *r,
                                  const reading *of, const uint8_t *as_is)
{
    size_t count = 0;
    uint8_t *right = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &right, of->n, sizeof *right));
    RECON_TRY(reproduce_accuracy(ctx, all, right, r->on, of->data, of->absolute));
    for (size_t i = 0; i < of->n; i++) {
        double p = recon_maps_p_value(r->model->maps, &of->map[i], &of->codes.poses[i]);
        count += recon_gate_opens(GATE, p) ? right[i] : as_is[i];
    }
    *gated = (double)count / (double)of->n;
done:
    free(right);
    return status;
}

static recon_status measure_accuracy(recon_ctx *ctx, reproduction *r)
{
    const reading *t = &r->rotated, *u = &r->upright;
    recon_status status;
    r->accuracy.neighbours = r->accuracy.density = NAN;
    RECON_TRY(reproduce_accuracy(ctx, &r->accuracy.ieae, NULL, r->on, t->data, t->codes.poses));
    RECON_TRY(measure_gated(ctx, &r->accuracy.recon, &r->accuracy.gated, r, t, r->on->right.none));
    r->accuracy.head = r->accuracy.recon;
    if (t->by_head) {
        RECON_TRY(reproduce_accuracy(ctx, &r->accuracy.head, NULL, r->on, t->data, t->by_head));
        r->accuracy.density = r->accuracy.recon;
    }
    RECON_TRY(measure_gated(ctx, &r->accuracy.upright, &r->accuracy.upright_gated, r, u,
                            r->on->right.upright));
    RECON_TRY(measure_search(ctx, r));
done:
    return status;
}

/* --- poses ------------------------------------------------------------------------------------ */

static recon_status measure_unusual(recon_ctx *ctx, reproduction *r)
{
    const reading *c = &r->circle;
    uint8_t *unusual = NULL;
    double *undo = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &unusual, c->n, sizeof *unusual));
    RECON_TRY(recon_alloc_raw(ctx, &undo, c->n, sizeof *undo));
    for (int s = 0; s < SCORES; s++)
        RECON_TRY(recon_alloc_raw(ctx, &r->score[s], c->n, sizeof *r->score[s]));
    for (size_t i = 0; i < c->n; i++) {
        r->score[0][i] = recon_so2_distance(c->codes.poses[i], c->map[i].midpoint);
        r->score[1][i] = fabs(c->absolute[i]);
        r->score[2][i] = recon_so2_map_score(&c->map[i], c->codes.poses[i]);
        undo[i] = fabs(recon_so2_wrap(c->angle[i]));
    }
    for (size_t k = 0; k < RECON_REACHES; k++) {
        recon_evaluate_unusual(unusual, r->on->rule, recon_reaches[k], c->codes.labels, c->angle,
                               c->n);
        RECON_TRY(recon_evaluate_ood(
            ctx, &r->ood[k], &(recon_ood_scores){ r->score[0], r->score[1], r->score[2], undo },
            unusual, c->n));
    }
done:
    free(undo);
    free(unusual);
    return status;
}

static void warn_of_family(recon_ctx *ctx, const reproduction *r)
{
    recon_so2_family family = recon_model_describe(r->model).maps.family;
    const char *want = recon_so2_family_name(r->on->what->family);
    if (family != r->on->what->family)
        recon_log(ctx, RECON_LOG_WARN,
                  "%s: Theta is the width of family %s, but the truth is %s: `recon discover "
                  "--family %s` fits",
                  r->path, recon_so2_family_name(family), want, want);
}

/* Theta as the paper has it is learned from Algorithm 1's widths; with a pose density it is read off
 * that. */
static recon_status measure_theta(recon_ctx *ctx, reproduction *r)
{
    const reading *t = &r->rotated;
    const image_trial *on = r->on;
    double *theta = NULL;
    recon_status status;
    warn_of_family(ctx, r);
    RECON_TRY(recon_alloc_raw(ctx, &theta, t->n, sizeof *theta));
    for (size_t i = 0; i < t->n; i++)
        theta[i] = t->map[i].theta;
    RECON_TRY(recon_evaluate_widths(ctx, &r->theta_density, r->width, theta, t->codes.labels, t->n,
                                    on->truth, on->classes));
    for (size_t i = 0; i < t->n; i++)
        theta[i] = t->codes.density ? t->map[i].theta : t->map[i].theta_label;
    RECON_TRY(recon_evaluate_widths(ctx, &r->theta, r->width, theta, t->codes.labels, t->n,
                                    on->truth, on->classes));
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
    RECON_TRY(recon_evaluate_folds(ctx, r->fold, fold, moments, r->rotated.codes.labels, n,
                                   r->on->classes));
done:
    free(fold);
    free(moments);
    return status;
}

static recon_status measure_pair(recon_ctx *ctx, reproduction *r)
{
    const reading *t = &r->rotated;
    const int64_t *pair = r->on->what->pair;
    if (pair[0] == pair[1])
        return RECON_OK;
    return recon_evaluate_pair(ctx, &r->pair,
                               &(recon_posed){ t->codes.poses, t->lambda, t->codes.labels, t->n },
                               pair[0], pair[1]);
}

/* --- the encoder ------------------------------------------------------------------------------ */

static recon_status measure_equivariance(recon_ctx *ctx, reproduction *r)
{
    size_t n = r->on->settings->quick ? QUICK_EQUIVARIANCE : EQUIVARIANCE;
    recon_dataset *some = NULL;
    recon_status status;
    if (n > r->rotated.n)
        n = r->rotated.n;
    RECON_TRY(recon_dataset_take(ctx, &some, r->on->upright.use, n, TAKE_SEED));
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

recon_status reproduce_trained(recon_ctx *ctx, recon_trained *out, char *line, const char *path)
{
    recon_safetensors *file = NULL;
    recon_status status;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    *out = recon_recipe_terms(file);
    if (line && *out != RECON_TRAINED_UNKNOWN)
        snprintf(line, TRAINING, "%s", recon_safetensors_metadata(file, "training"));
    if (*out == RECON_TRAINED_UNKNOWN)
        status = recon_fail(ctx, RECON_ERR_INPUT,
                            "%s does not say by which terms its backbone was trained: train it "
                            "with this version (recon train, recon discover)",
                            path);
done:
    recon_safetensors_close(file);
    return status;
}

recon_status reproduce_model(recon_ctx *ctx, reproduction *r, const image_trial *trial,
                             const char *path)
{
    recon_status status;
    *r = (reproduction){ .on = trial, .path = path, .begun = recon_now() };
    RECON_TRY(reproduce_trained(ctx, &r->trained, r->training, path));
    RECON_TRY(recon_model_open(ctx, &r->model, path, trial->settings->precision));
    RECON_TRY(recon_model_takes(ctx, r->model, "images"));
    RECON_TRY(recon_model_use_lambda(
        ctx, r->model, r->model->backbone->density ? RECON_LAMBDA_DENSITY : RECON_LAMBDA_HEAD));
done:
    return status;
}

recon_status reproduce_tests(recon_ctx *ctx, reproduction *r)
{
    const image_trial *on = r->on;
    double begun = recon_now();
    recon_status status;
    RECON_TRY(reproduce_read(ctx, &r->rotated, on->rotated, r->model));
    RECON_TRY(reproduce_read(ctx, &r->circle, on->circle, r->model));
    RECON_TRY(reproduce_read(ctx, &r->upright, on->upright.use, r->model));
    r->embed_seconds = (recon_now() - begun) / (3 * (double)r->rotated.n);
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

recon_status reproduce_measure(recon_ctx *ctx, reproduction *r, const image_trial *trial,
                               const char *path)
{
    recon_status status;
    RECON_TRY(reproduce_model(ctx, r, trial, path));
    RECON_TRY(reproduce_tests(ctx, r));
    RECON_TRY(measure_equivariance(ctx, r));
    RECON_TRY(measure_times(ctx, r));
    RECON_TRY(reproduce_neighbors(ctx, r));
    RECON_TRY(reproduce_controls(ctx, r));
    r->seconds = recon_now() - r->begun;
done:
    return status;
}

void reproduce_free(recon_ctx *ctx, reproduction *r)
{
    reading_free(&r->rotated);
    reading_free(&r->circle);
    reading_free(&r->upright);
    recon_embedded_free(&r->hood.own_index);
    recon_dataset_close(r->hood.own);
    free(r->hood.angle);
    free(r->hood.neighbors);
    free(r->hood.hits);
    free(r->hood.worst);
    for (int s = 0; s < SCORES; s++)
        free(r->score[s]);
    recon_model_close(ctx, r->model);
    *r = (reproduction){ 0 };
}
