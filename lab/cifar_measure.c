/* cifar_measure.c - a frozen classifier on pictures as they come, rotated, and rotated back. */
#include "lab/cifar.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/image.h"
#include "lab/fastest.h"
#include "model/model.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdlib.h>
#include <string.h>

const char *const cifar_method_name[CIFAR_METHODS] = { "none",        "undo",  "density",
                                                       "density_one", "gated", "average",
                                                       "tta8",        "tta36", "augmented" };
const char *const cifar_set_name[CIFAR_SETS] = { "upright", "c8", "any" };
const double cifar_levels[CIFAR_LEVELS] = {
    .001, .002, .005, .01, .02, .03, .05, .07, .1, .2, .5, 1
};

enum { ROTATIONS = 8, MANY = 36, TIMED = 256, SEED = 2 };
#define NEAR 22.5
#define FAR  150.0

/* A set of pictures on the way: n of them, rotated by their angles. */
typedef struct {
    size_t n, classes, pixels;
    recon_image_size size;
    float *upright, *images, *other; /* [n][pixels]: as they are, rotated, and room */
    double *angle, *by;              /* [n] */
    int32_t *label;
    double *logits; /* [n][classes] */
    uint8_t *right[CIFAR_METHODS];
    double *p; /* [n] p-values of their poses */
} set;

static void set_free(set *s)
{
    free(s->upright);
    free(s->images);
    free(s->other);
    free(s->angle);
    free(s->by);
    free(s->label);
    free(s->logits);
    free(s->p);
    for (int m = 0; m < CIFAR_METHODS; m++)
        free(s->right[m]);
}

static recon_status set_new(recon_ctx *ctx, set *s, const recon_dataset *data, size_t classes)
{
    recon_dataset_info d = recon_dataset_describe(data);
    recon_status status;
    *s = (set){ .n = d.n,
                .classes = classes,
                .pixels = d.height * d.width * d.channels,
                .size = { d.height, d.width, d.channels } };
    RECON_TRY(recon_alloc_raw(ctx, &s->upright, s->n * s->pixels, sizeof *s->upright));
    RECON_TRY(recon_alloc_raw(ctx, &s->images, s->n * s->pixels, sizeof *s->images));
    RECON_TRY(recon_alloc_raw(ctx, &s->other, s->n * s->pixels, sizeof *s->other));
    RECON_TRY(recon_alloc(ctx, &s->angle, s->n, sizeof *s->angle));
    RECON_TRY(recon_alloc(ctx, &s->by, s->n, sizeof *s->by));
    RECON_TRY(recon_alloc(ctx, &s->label, s->n, sizeof *s->label));
    RECON_TRY(recon_alloc(ctx, &s->logits, s->n * classes, sizeof *s->logits));
    RECON_TRY(recon_alloc(ctx, &s->p, s->n, sizeof *s->p));
    for (int m = 0; m < CIFAR_METHODS; m++)
        RECON_TRY(recon_alloc(ctx, &s->right[m], s->n, 1));
    for (size_t i = 0; i < s->n; i++)
        s->label[i] = recon_dataset_get(s->upright + i * s->pixels, data, i);
done:
    return status;
}

/* Not at all, by a multiple of 45 degrees, or by any angle. */
static recon_status set_rotate(recon_ctx *ctx, set *s, int which)
{
    recon_rng rng = recon_rng_new(SEED, (uint64_t)which);
    for (size_t i = 0; i < s->n; i++)
        s->angle[i] = which == CIFAR_UPRIGHT ? 0
                      : which == CIFAR_C8
                          ? recon_so2_wrap((double)recon_rng_below(&rng, ROTATIONS) * M_PI / 4)
                          : recon_so2_haar(&rng);
    return recon_images_rotate(ctx, s->images, s->upright, NULL, s->angle, s->n, &s->size,
                               RECON_BILINEAR, 1);
}

/* --- the classifier --------------------------------------------------------------------------- */

static void mark(uint8_t *right, const set *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const double *y = s->logits + i * s->classes;
        size_t best = 0;
        for (size_t k = 1; k < s->classes; k++)
            best = y[k] > y[best] ? k : best;
        right[i] = s->label[i] == (int32_t)best;
    }
}

static double share(const uint8_t *right, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += right[i];
    return n ? (double)sum / (double)n : NAN;
}

static recon_status classify(recon_ctx *ctx, uint8_t *right, set *s, const recon_classifier *c,
                             const float *images)
{
    recon_status status = recon_classifier_logits(ctx, s->logits, c, images, s->n);
    if (status == RECON_OK)
        mark(right, s);
    return status;
}

static void to_probabilities(double *y, size_t n, size_t classes)
{
    for (; n > 0; n--, y += classes) {
        double top = y[0], sum = 0;
        for (size_t k = 1; k < classes; k++)
            top = fmax(top, y[k]);
        for (size_t k = 0; k < classes; k++)
            sum += y[k] = exp(y[k] - top);
        for (size_t k = 0; k < classes; k++)
            y[k] /= sum;
    }
}

/* The classifier's probabilities, averaged over rotations of the input. */
static recon_status classify_rotated(recon_ctx *ctx, uint8_t *right, set *s,
                                     const recon_classifier *c, int rotations)
{
    double *sum = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &sum, s->n * s->classes, sizeof *sum));
    for (int k = 0; k < rotations; k++) {
        for (size_t i = 0; i < s->n; i++)
            s->by[i] = recon_so2_wrap(2 * M_PI * k / rotations);
        RECON_TRY(recon_images_rotate(ctx, s->other, s->images, NULL, s->by, s->n, &s->size,
                                      RECON_BILINEAR, 1));
        RECON_TRY(recon_classifier_logits(ctx, s->logits, c, s->other, s->n));
        to_probabilities(s->logits, s->n, s->classes);
        for (size_t i = 0; i < s->n * s->classes; i++)
            sum[i] += s->logits[i];
    }
    memcpy(s->logits, sum, s->n * s->classes * sizeof *sum);
    mark(right, s);
done:
    free(sum);
    return status;
}

static recon_status answer(recon_ctx *ctx, void *user, double *out, const float *images, size_t n)
{
    const recon_classifier *c = user;
    recon_status status = recon_classifier_logits(ctx, out, c, images, n);
    if (status == RECON_OK)
        to_probabilities(out, n, recon_classifier_describe(c).classes);
    return status;
}

/* --- the model of poses ----------------------------------------------------------------------- */

/* Rotated back by what the model says; *errors, or NULL, takes how far that is from the truth. */
static recon_status bring_back(recon_ctx *ctx, uint8_t *right, cifar_errors *errors, double *p,
                               set *s, const recon_model *model, const recon_classifier *c)
{
    recon_pose_score2 *scores = NULL;
    double *off = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &scores, s->n, sizeof *scores));
    RECON_TRY(recon_alloc_raw(ctx, &off, s->n, sizeof *off));
    RECON_TRY(recon_score_images(ctx, scores, model, s->images, s->n));
    for (size_t i = 0; i < s->n; i++) {
        s->by[i] = scores[i].pose.rotation;
        if (p)
            p[i] = scores[i].p_value;
        off[i] = recon_so2_distance(scores[i].pose.absolute, s->angle[i]) * RECON_TO_DEGREES;
    }
    RECON_TRY(recon_images_rotate(ctx, s->other, s->images, NULL, s->by, s->n, &s->size,
                                  RECON_BILINEAR, 1));
    RECON_TRY(classify(ctx, right, s, c, s->other));
    if (errors) {
        *errors = (cifar_errors){ 0 };
        for (size_t i = 0; i < s->n; i++) {
            errors->within += (off[i] <= NEAR) / (double)s->n;
            errors->above += (off[i] > FAR) / (double)s->n;
        }
        recon_sort_doubles(off, s->n);
        errors->median = recon_quantile(off, s->n, 0.5);
        errors->p75 = recon_quantile(off, s->n, 0.75);
        errors->p90 = recon_quantile(off, s->n, 0.9);
    }
done:
    free(off);
    free(scores);
    return status;
}

static recon_status undo(recon_ctx *ctx, set *s, const recon_classifier *c)
{
    recon_status status;
    for (size_t i = 0; i < s->n; i++)
        s->by[i] = -s->angle[i];
    RECON_TRY(recon_images_rotate(ctx, s->other, s->images, NULL, s->by, s->n, &s->size,
                                  RECON_BILINEAR, 1));
    RECON_TRY(classify(ctx, s->right[CIFAR_UNDO], s, c, s->other));
done:
    return status;
}

/* The accuracy where only pictures with a p-value below the level are rotated. */
static double gated(uint8_t *right, const set *s, double level, double *rotated)
{
    size_t open = 0;
    for (size_t i = 0; i < s->n; i++) {
        int opens = recon_gate_opens(level, s->p[i]);
        open += (size_t)opens;
        right[i] = s->right[opens ? CIFAR_DENSITY : CIFAR_NONE][i];
    }
    if (rotated)
        *rotated = (double)open / (double)s->n;
    return share(right, s->n);
}

size_t cifar_choose(const double curve[CIFAR_LEVELS][2], double none, size_t pictures)
{
    double all = curve[CIFAR_LEVELS - 1][1], gain = all - none;
    size_t i = 0;
    for (; i + 1 < CIFAR_LEVELS; i++) {
        double lost = fmax(all - curve[i][1], 0); /* a share of the pictures, and so binomial */
        if (lost + sqrt(lost * (1 - lost) / (double)pictures) <= (1 - CIFAR_KEPT) * gain)
            break;
    }
    return i;
}

/* --- time ------------------------------------------------------------------------------------- */

typedef struct {
    const recon_classifier *classifier;
    const recon_model *model;
    set *s;
    size_t n;
} timed;

static recon_status time_classifier(recon_ctx *ctx, void *arg)
{
    const timed *t = arg;
    return recon_classifier_logits(ctx, t->s->logits, t->classifier, t->s->images, t->n);
}

static recon_status time_model(recon_ctx *ctx, void *arg)
{
    const timed *t = arg;
    return recon_canonicalize_images(ctx, t->s->other, NULL, t->model, t->s->images, t->n,
                                     &(recon_canonicalize_options){ .edge = 1 });
}

static recon_status take_times(recon_ctx *ctx, cifar_result *r, set *s, const recon_model *model,
                               const recon_model *once, const recon_classifier *c)
{
    timed t = { c, model, s, s->n < TIMED ? s->n : TIMED };
    double ms = 1000 / (double)t.n;
    recon_status status;
    RECON_TRY(recon_fastest(ctx, &r->classifier_ms, time_classifier, &t));
    RECON_TRY(recon_fastest(ctx, &r->density_ms, time_model, &t));
    t.model = once;
    RECON_TRY(recon_fastest(ctx, &r->one_ms, time_model, &t));
    r->classifier_ms *= ms;
    r->density_ms *= ms;
    r->one_ms *= ms;
done:
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

typedef struct {
    const recon_model *model, *once;
    const recon_classifier *classifier, *augmented;
} machines;

static recon_status measure_set(recon_ctx *ctx, cifar_result *r, set *s, const machines *m,
                                int which)
{
    double *accuracy = r->accuracy[which];
    int any = which == CIFAR_ANY;
    recon_status status;
    RECON_TRY(set_rotate(ctx, s, which));
    RECON_TRY(classify(ctx, s->right[CIFAR_NONE], s, m->classifier, s->images));
    RECON_TRY(undo(ctx, s, m->classifier));
    RECON_TRY(bring_back(ctx, s->right[CIFAR_DENSITY], any ? &r->errors : NULL, s->p, s, m->model,
                         m->classifier));
    RECON_TRY(bring_back(ctx, s->right[CIFAR_DENSITY_ONE], any ? &r->errors_one : NULL, NULL, s,
                         m->once, m->classifier));
    RECON_TRY(recon_average_images(ctx, s->logits, NULL, m->model, s->images, s->n, answer,
                                   (void *)(uintptr_t)m->classifier, s->classes,
                                   &(recon_canonicalize_options){ .edge = 1 }));
    mark(s->right[CIFAR_AVERAGE], s);
    RECON_TRY(classify_rotated(ctx, s->right[CIFAR_TTA8], s, m->classifier, ROTATIONS));
    if (!r->quick)
        RECON_TRY(classify_rotated(ctx, s->right[CIFAR_TTA36], s, m->classifier, MANY));
    if (m->augmented)
        RECON_TRY(classify(ctx, s->right[CIFAR_AUGMENTED], s, m->augmented, s->images));
    gated(s->right[CIFAR_GATED], s, cifar_levels[r->level], &r->rotated_share[which]);
    for (int k = 0; k < CIFAR_METHODS; k++)
        accuracy[k] = share(s->right[k], s->n);
    if (r->quick)
        accuracy[CIFAR_TTA36] = NAN;
    if (!m->augmented)
        accuracy[CIFAR_AUGMENTED] = NAN;
    for (size_t i = 0; !any && i < CIFAR_LEVELS; i++)
        r->curve[i][which] = gated(s->right[CIFAR_GATED], s, cifar_levels[i], NULL);
done:
    return status;
}

/* Upright and rotated pictures that nothing was trained on, by level. */
static recon_status choose_level(recon_ctx *ctx, cifar_result *r, set *s, const machines *m)
{
    recon_status status = RECON_OK;
    for (int which = CIFAR_UPRIGHT; which <= CIFAR_C8; which++) {
        RECON_TRY(set_rotate(ctx, s, which));
        RECON_TRY(classify(ctx, s->right[CIFAR_NONE], s, m->classifier, s->images));
        RECON_TRY(bring_back(ctx, s->right[CIFAR_DENSITY], NULL, s->p, s, m->model, m->classifier));
        r->none_held = share(s->right[CIFAR_NONE], s->n); /* of C8 in the end */
        for (size_t i = 0; i < CIFAR_LEVELS; i++)
            r->held[i][which] = gated(s->right[CIFAR_GATED], s, cifar_levels[i], NULL);
    }
    r->level = cifar_choose((const double(*)[2])r->held, r->none_held, s->n);
done:
    return status;
}

static recon_status check_size(recon_ctx *ctx, const recon_model *model, recon_classifier_info c)
{
    recon_ieae_shape s = recon_model_describe(model).images;
    if (s.height == c.height && s.width_px == c.width && s.channels == c.channels)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT,
                      "the model was made for images of %zu x %zu x %zu, the classifier for %zu x "
                      "%zu x %zu",
                      s.height, s.width_px, s.channels, c.height, c.width, c.channels);
}

recon_status cifar_measure(recon_ctx *ctx, cifar_result *r, const recon_model *model,
                           const recon_model *once, const recon_classifier *classifier,
                           const recon_classifier *augmented, const recon_dataset *test,
                           const recon_dataset *held, int quick)
{
    const machines m = { model, once, classifier, augmented };
    recon_classifier_info info = recon_classifier_describe(classifier);
    set s = { .n = 0 };
    recon_status status;
    *r = (cifar_result){ .images = recon_dataset_describe(test).n,
                         .validation = recon_dataset_describe(held).n,
                         .quick = quick };
    RECON_TRY(recon_model_takes(ctx, model, "images"));
    RECON_TRY(check_size(ctx, model, info));
    RECON_TRY(set_new(ctx, &s, held, info.classes));
    RECON_TRY(choose_level(ctx, r, &s, &m));
    set_free(&s);
    RECON_TRY(set_new(ctx, &s, test, info.classes));
    for (int which = 0; which < CIFAR_SETS; which++)
        RECON_TRY(measure_set(ctx, r, &s, &m, which));
    RECON_TRY(take_times(ctx, r, &s, model, once, classifier));
done:
    set_free(&s);
    return status;
}
