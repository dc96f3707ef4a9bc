/* reproduce_trial.c - the images of an experiment and its frozen classifier, and measures without a
 * model. */
#include "lab/reproduce.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "data/dataset.h"
#include "data/rotations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stream that the rotations of data/rotations.c do not draw from. */
#define RESAMPLINGS ((uint64_t)1 << 61)

/* --- sets of images --------------------------------------------------------------------------- */

static recon_status take_part(recon_ctx *ctx, image_part *out, size_t count)
{
    out->use = out->whole;
    if (!count || count >= recon_dataset_describe(out->whole).n)
        return RECON_OK;
    recon_status status = recon_dataset_take(ctx, &out->some, out->whole, count, TAKE_SEED);
    out->use = out->some;
    return status;
}

static recon_status open_part(recon_ctx *ctx, image_part *out, const char *set, const char *part,
                              size_t count)
{
    char spec[64];
    snprintf(spec, sizeof spec, "%s/%s", set, part);
    RECON_CHECK(recon_dataset_open(ctx, &out->whole, spec));
    return take_part(ctx, out, count);
}

static void close_part(image_part *p)
{
    recon_dataset_close(p->some);
    recon_dataset_close(p->whole);
}

recon_status reproduce_load(recon_ctx *ctx, float **out, const recon_dataset *data, size_t n)
{
    recon_dataset_info d = recon_dataset_describe(data);
    size_t pixels = d.height * d.width * d.channels;
    RECON_CHECK(recon_alloc_raw(ctx, out, n * pixels, sizeof **out));
    for (size_t i = 0; i < n; i++)
        recon_dataset_get(*out + i * pixels, data, i);
    return RECON_OK;
}

/* --- rotated ---------------------------------------------------------------------------------- */

typedef struct {
    recon_dataset *to;
    const recon_dataset *upright;
    uint64_t seed;
    float *room; /* two images for each worker */
} resampling;

static recon_status resample_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const resampling *job = arg;
    const recon_dataset_info *d = &job->to->info;
    size_t pixels = recon_dataset_pixels(d);
    float *image = job->room + 2 * (size_t)worker * pixels, *between = image + pixels;
    recon_rng rng = recon_rng_new(job->seed, RESAMPLINGS | recon_dataset_row(job->upright, i));
    double any = 2 * M_PI * recon_rng_uniform(&rng);
    (void)ctx;
    recon_dataset_get(image, job->upright, i);
    recon_image_rotate(between, image, d->height, d->width, d->channels, any, RECON_BILINEAR);
    recon_image_rotate(job->to->own_floats + i * pixels, between, d->height, d->width, d->channels,
                       job->to->own_angles[i] - any, RECON_BILINEAR);
    return RECON_OK;
}

recon_status reproduce_rotate(recon_ctx *ctx, recon_dataset **out, const recon_dataset *upright,
                              const recon_rotation_rule *rule, uint64_t seed, int resample)
{
    resampling job = { .upright = upright, .seed = seed };
    size_t pixels = recon_dataset_pixels(&upright->info);
    recon_status status;
    RECON_TRY(recon_dataset_rotate(ctx, out, upright, rule, seed));
    if (!resample)
        goto done;
    job.to = *out;
    RECON_TRY(recon_alloc_raw(ctx, &job.room, 2 * (size_t)recon_ctx_threads(ctx) * pixels,
                              sizeof *job.room));
    RECON_TRY(recon_parallel(ctx, resample_one, &job, upright->info.n));
done:
    free(job.room);
    return status;
}

recon_status reproduce_training(recon_ctx *ctx, recon_dataset **out, const lab_settings *s,
                                size_t count)
{
    image_part part = { 0 };
    recon_rotation_rule *rule = NULL;
    recon_status status;
    RECON_TRY(open_part(ctx, &part, s->what->name, "train", count));
    RECON_TRY(recon_alloc(ctx, &rule, 1, sizeof *rule));
    RECON_TRY(recon_rotation_rule_load(ctx, rule, s->what->rule));
    RECON_TRY(reproduce_rotate(ctx, out, part.use, rule, TRAIN_SEED, s->resample));
done:
    free(rule);
    close_part(&part);
    return status;
}

/* --- the frozen classifier -------------------------------------------------------------------- */

recon_status reproduce_accuracy(recon_ctx *ctx, double *out, uint8_t *right, const image_trial *t,
                                const recon_dataset *data, const double *poses)
{
    size_t n = recon_dataset_describe(data).n;
    double *back = NULL;
    recon_status status;
    if (poses)
        RECON_TRY(recon_alloc_raw(ctx, &back, n, sizeof *back));
    for (size_t i = 0; poses && i < n; i++)
        back[i] = -poses[i];
    RECON_TRY(recon_evaluate_accuracy(ctx, out, right, data, back, recon_guess_by_classifier,
                                      t->classifier));
done:
    free(back);
    return status;
}

static recon_status check_classifier(recon_ctx *ctx, const image_trial *t)
{
    const lab_settings *s = t->settings;
    const char *data = s->data ? s->data : s->what->name;
    recon_dataset_info d = recon_dataset_describe(t->upright.use);
    if (d.classes == 0)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s has no labels: an accuracy needs them (of npy:images.npy in "
                          "labels.npy, of images:DIR the sub-folders)",
                          data);
    if (d.classes > CLASSES)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu classes, %d at most", data, d.classes,
                          CLASSES);
    return recon_evaluate_check_classifier(ctx, t->classifier, s->classifier, t->upright.use, data);
}

/* Before the long work, not after it. */
static recon_status check_models(recon_ctx *ctx, const image_trial *t)
{
    const lab_settings *s = t->settings;
    recon_status status = RECON_OK;
    for (int kind = 0; kind < RECON_TRAINED_KINDS && status == RECON_OK; kind++) {
        recon_backbone *b = NULL;
        char why[512];
        if (!s->of[kind])
            continue;
        status = recon_backbone_open(ctx, &b, s->of[kind], s->precision);
        if (status == RECON_OK) {
            status = recon_backbone_check_data(ctx, b, recon_dataset_data(t->upright.use));
            snprintf(why, sizeof why, "%s", recon_ctx_message(ctx));
            if (status == RECON_ERR_INPUT)
                recon_fail(ctx, status, "%s: %s: `recon train` makes one that fits", s->of[kind],
                           why);
        }
        recon_backbone_close(ctx, b);
    }
    return status;
}

/* --- opened ----------------------------------------------------------------------------------- */

/* Pictures of a folder are fitted to the classifier, and cropped where the first model's were. */
static recon_status open_own(recon_ctx *ctx, image_trial *t)
{
    const lab_settings *s = t->settings;
    recon_classifier_info c = recon_classifier_describe(t->classifier);
    recon_dataset_options o = { 0 };
    recon_safetensors *file = NULL;
    recon_status status;
    if (recon_images_folder(s->data))
        o = (recon_dataset_options){ .size = c.height > c.width ? c.height : c.width,
                                     .channels = c.channels };
    RECON_TRY(recon_safetensors_open(ctx, &file, s->models[0]));
    o.crop = recon_safetensors_metadata(file, "crop") != NULL;
    RECON_TRY(recon_dataset_open_with(ctx, &t->upright.whole, s->data, &o));
    RECON_TRY(take_part(ctx, &t->upright, s->images));
    t->own = *s->what;
    t->own.title = s->data;
    t->own.rule = s->rotate;
    t->what = &t->own;
done:
    recon_safetensors_close(file);
    return status;
}

recon_status trial_open(recon_ctx *ctx, image_trial *t, const lab_settings *s)
{
    *t = (image_trial){ .settings = s, .what = s->what };
    RECON_CHECK(recon_classifier_open(ctx, &t->classifier, s->classifier));
    RECON_CHECK(lab_training(ctx, t->training, s->classifier));
    if (!*t->training)
        strcpy(t->training, "it does not say how");
    if (s->data)
        RECON_CHECK(open_own(ctx, t));
    else
        RECON_CHECK(open_part(ctx, &t->upright, s->what->name, "test",
                              s->images  ? s->images
                              : s->quick ? QUICK_TEST
                                         : 0));
    RECON_CHECK(check_classifier(ctx, t));
    RECON_CHECK(check_models(ctx, t));
    return trial_prepare(ctx, t);
}

static void name_classes(image_trial *t)
{
    t->classes = recon_dataset_describe(t->upright.use).classes;
    for (size_t c = 0; c < t->classes; c++) {
        const char *name = recon_dataset_class_name(t->upright.use, c);
        snprintf(t->number[c], sizeof t->number[c], "%u", (unsigned)c % CLASSES);
        t->name[c] = name ? name : t->number[c];
    }
}

/* True widths. A rule that mixes half-widths and sigmas has none that can be compared. */
static void find_truth(image_trial *t)
{
    int seen[2] = { 0 };
    for (size_t c = 0; c < t->classes; c++) {
        recon_rotation_law law = recon_rotation_rule_of(t->rule, (int32_t)c);
        t->truth[c] = law.width;
        seen[law.family == RECON_SO2_NORMAL] |= law.width > 0;
    }
    if (t->what == &t->own) {
        t->own.family = seen[0] ? RECON_SO2_UNIFORM : RECON_SO2_NORMAL;
        t->own.width = seen[0] ? "half-width" : "sigma";
    }
    for (size_t c = 0; seen[0] && seen[1] && c < t->classes; c++)
        t->truth[c] = NAN;
}

static recon_status find_unusual(recon_ctx *ctx, image_trial *t)
{
    recon_dataset_info d = recon_dataset_describe(t->circle);
    int64_t *labels = NULL;
    double *angles = NULL;
    float *image = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &t->unusual, d.n, sizeof *t->unusual));
    RECON_TRY(recon_alloc_raw(ctx, &labels, d.n, sizeof *labels));
    RECON_TRY(recon_alloc_raw(ctx, &angles, d.n, sizeof *angles));
    RECON_TRY(recon_alloc_raw(ctx, &image, d.height * d.width * d.channels, sizeof *image));
    for (size_t i = 0; i < d.n; i++) {
        labels[i] = recon_dataset_get(image, t->circle, i);
        angles[i] = recon_dataset_angle(t->circle, i);
    }
    recon_evaluate_unusual(t->unusual, t->rule, recon_reaches[0], labels, angles, d.n);
done:
    recon_free_all(image, angles, labels);
    return status;
}

recon_status trial_prepare(recon_ctx *ctx, image_trial *t)
{
    const recon_dataset *upright = t->upright.use;
    double *angles = NULL;
    recon_status status;
    name_classes(t);
    RECON_TRY(recon_alloc(ctx, &t->rule, 1, sizeof *t->rule));
    RECON_TRY(recon_rotation_rule_load(ctx, t->rule, t->what->rule));
    find_truth(t);
    RECON_TRY(
        reproduce_rotate(ctx, &t->rotated, upright, t->rule, TEST_SEED, t->settings->resample));
    RECON_TRY(recon_dataset_rotate_by(ctx, &t->circle, upright, "all", TEST_SEED));
    RECON_TRY(find_unusual(ctx, t));
    RECON_TRY(recon_alloc_raw(ctx, &angles, upright->info.n, sizeof *angles));
    RECON_TRY(recon_alloc_raw(ctx, &t->right.none, upright->info.n, 1));
    RECON_TRY(recon_alloc_raw(ctx, &t->right.upright, upright->info.n, 1));
    for (size_t i = 0; i < upright->info.n; i++)
        angles[i] = recon_dataset_angle(t->rotated, i);
    double begun = recon_now();
    RECON_TRY(reproduce_accuracy(ctx, &t->accuracy.none, t->right.none, t, t->rotated, NULL));
    t->classifier_ms = 1000 * (recon_now() - begun) / (double)upright->info.n;
    RECON_TRY(reproduce_accuracy(ctx, &t->accuracy.undo, NULL, t, t->rotated, angles));
    RECON_TRY(reproduce_accuracy(ctx, &t->accuracy.upright, t->right.upright, t, upright, NULL));
done:
    free(angles);
    return status;
}

void trial_free(recon_ctx *ctx, image_trial *t)
{
    recon_dataset_close(t->rotated);
    recon_dataset_close(t->circle);
    close_part(&t->upright);
    recon_free_all(t->right.none, t->right.upright, t->unusual, t->rule);
    recon_classifier_close(ctx, t->classifier);
    *t = (image_trial){ 0 };
}
