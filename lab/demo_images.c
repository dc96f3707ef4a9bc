/* demo_images.c - the tour's part about images: garments rotated as in the paper. */
#include "lab/demo.h"
#include "lab/table.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/shipped.h"

#include <math.h>
#include <recon/model/score.h>
#include <recon/core/array.h>
#include "data/rotations.h"
#include <stdio.h>
#include <stdlib.h>

#define RULE   "fashion"
#define REMEDY "it comes with recon's sources; run there, or `make install`"

enum { SPLIT_SEED = 1 };

const char *demo_file(demo_path out, const demo *d, const char *name)
{
    snprintf(out, sizeof(demo_path), "%s/%s", d->out, name);
    return out;
}

recon_status demo_model(recon_ctx *ctx, demo_path out, const char *name)
{
    return recon_shipped_find(ctx, out, sizeof(demo_path), "models", name, REMEDY);
}

/* --- files for the next step, or the reader --------------------------------------------------- */

/* NAME-images.npy and NAME-labels.npy: `--data npy:NAME-images.npy` for any command. */
static recon_status keep_images(recon_ctx *ctx, const demo *d, const char *name,
                                const recon_dataset *data)
{
    recon_dataset_info info = recon_dataset_describe(data);
    size_t pixels = info.height * info.width;
    char file[64];
    demo_path path;
    float *images = NULL;
    int64_t *labels = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &images, info.n * pixels, sizeof *images));
    RECON_TRY(recon_alloc_raw(ctx, &labels, info.n, sizeof *labels));
    for (size_t i = 0; i < info.n; i++)
        labels[i] = recon_dataset_get(images + i * pixels, data, i);
    snprintf(file, sizeof file, "%s-images.npy", name);
    RECON_TRY(recon_npy_write(ctx, demo_file(path, d, file),
                              &(recon_array){ .dtype = RECON_F32,
                                              .ndim = 3,
                                              .shape = { info.n, info.height, info.width },
                                              .data = images }));
    snprintf(file, sizeof file, "%s-labels.npy", name);
    RECON_TRY(recon_npy_write(
        ctx, demo_file(path, d, file),
        &(recon_array){ .dtype = RECON_I64, .ndim = 1, .shape = { info.n }, .data = labels }));
done:
    free(labels);
    free(images);
    return status;
}

/* --- discover --------------------------------------------------------------------------------- */

/* Some garments are held out for the tests, the others rotated to be looked at. */
static recon_status open_garments(recon_ctx *ctx, demo *d, size_t limit)
{
    recon_status status;
    RECON_TRY(recon_dataset_open(ctx, &d->garments, "garments"));
    if (limit && limit < recon_dataset_describe(d->garments).n)
        RECON_TRY(recon_dataset_take(ctx, &d->some, d->garments, limit, TAKE_SEED));
    RECON_TRY(recon_dataset_split(ctx, &d->found_on, &d->trial.upright.some,
                                  d->some ? d->some : d->garments, DEMO_HELD, SPLIT_SEED));
    d->trial.upright.use = d->trial.upright.some;
    RECON_TRY(recon_dataset_rotate_by(ctx, &d->rotated, d->found_on, RULE, TRAIN_SEED));
    RECON_TRY(keep_images(ctx, d, "garments", d->rotated));
done:
    return status;
}

recon_status demo_discover(recon_ctx *ctx, demo *d, size_t limit)
{
    demo_path model, folder, spec;
    recon_status status;
    RECON_TRY(demo_model(ctx, model, "fashion.safetensors"));
    RECON_TRY(open_garments(ctx, d, limit));
    snprintf(spec, sizeof spec, "npy:%s/garments-images.npy", d->out);
    RECON_TRY(
        recon_discover(ctx, &d->found, model, NULL, recon_dataset_data(d->rotated),
                       demo_file(folder, d, "discover"),
                       &(recon_discover_options){ .k = K,
                                                  .family = RECON_SO2_NORMAL,
                                                  .keep_embeddings = 1,
                                                  .data = "garments",
                                                  .source = &(recon_source){ .spec = spec } }));
done:
    return status;
}

size_t demo_widths(recon_theta_class out[DEMO_KINDS], const demo *d)
{
    const reproduction *r = &d->tests;
    json_t *summary = json_loads(d->found.summary, 0, NULL);
    size_t n = 0;
    for (size_t c = 0; c < DEMO_KINDS; c++) {
        char path[32];
        snprintf(path, sizeof path, "labels.%zu.theta_deg", c);
        double width = lab_number(summary, path) / RECON_TO_DEGREES;
        if (isfinite(width))
            out[n++] = (recon_theta_class){ r->on->name[c], r->width[c].truth, width, 0, 0 };
    }
    json_decref(summary);
    return n;
}

/* As anyone would who has embeddings and poses from a network of their own. */
recon_status demo_normalize(recon_ctx *ctx, demo *d)
{
    demo_path z, g, labels, out;
    return recon_normalize_files(
        ctx, &d->poses,
        &(recon_normalize_request){ .group = RECON_SO2,
                                    .z = demo_file(z, d, "discover/z.npy"),
                                    .poses = demo_file(g, d, "discover/g.npy"),
                                    .labels = demo_file(labels, d, "garments-labels.npy"),
                                    .out = demo_file(out, d, "normalize"),
                                    .options = { .knn = { .k = K }, .family = RECON_SO2_NORMAL } });
}

/* --- canonicalize, score ---------------------------------------------------------------------- */

/* The same codes, natural poses by the maps that the discover run has just fitted. */
static recon_status measure_own(recon_ctx *ctx, demo *d)
{
    const reading *t = &d->tests.rotated;
    const recon_maps_inputs in = { .n = t->n,
                                   .z = t->codes.z,
                                   .data = recon_dataset_data(t->data) };
    recon_model *model = NULL;
    recon_so2_map *map = NULL;
    double *rotations = NULL;
    demo_path path;
    recon_status status;
    RECON_TRY(recon_model_open(ctx, &model, demo_file(path, d, "discover/model.safetensors"),
                               RECON_SINGLE));
    RECON_TRY(recon_alloc_raw(ctx, &map, t->n, sizeof *map));
    RECON_TRY(recon_alloc_raw(ctx, &rotations, t->n, sizeof *rotations));
    RECON_TRY(recon_maps_apply(ctx, map, model->maps, &in, RECON_MAPS_ALL));
    RECON_TRY(recon_maps_put_densities(ctx, map, model->maps, t->codes.poses, t->codes.density,
                                       t->n, RECON_MAPS_ALL));
    for (size_t i = 0; i < t->n; i++)
        rotations[i] = -recon_so2_absolute(&map[i], t->codes.poses[i]);
    RECON_TRY(recon_evaluate_accuracy(ctx, &d->own, NULL, t->data, rotations,
                                      recon_guess_by_classifier, d->trial.classifier));
done:
    free(rotations);
    free(map);
    recon_model_close(ctx, model);
    return status;
}

void demo_alarm_measure(demo_alarm *alarm, const double *score, const uint8_t *unusual, size_t n)
{
    size_t beyond[2] = { 0 }, all[2] = { 0 };
    for (size_t i = 0; i < n; i++) {
        all[unusual[i]]++;
        beyond[unusual[i]] += score[i] > alarm->threshold;
    }
    alarm->called = (double)beyond[0] / (double)all[0];
    alarm->caught = (double)beyond[1] / (double)all[1];
}

/* Natural are garments rotated as they occur, unusual those rotated any way that end up beyond it. */
static recon_status measure_alarm(recon_ctx *ctx, demo *d)
{
    const reproduction *r = &d->tests;
    size_t n = r->rotated.n;
    double *score = NULL;
    uint8_t *unusual = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &score, n + r->circle.n, sizeof *score));
    RECON_TRY(recon_alloc(ctx, &unusual, n + r->circle.n, sizeof *unusual));
    for (size_t i = 0; i < n; i++)
        score[i] = recon_so2_map_score(&r->rotated.map[i], r->rotated.codes.poses[i]);
    for (size_t i = 0; i < r->circle.n; i++)
        if ((unusual[n] = r->on->unusual[i]))
            score[n++] = r->score[SCORES - 1][i];
    d->alarm.threshold = recon_score_threshold(r->model, DEMO_ALARMS);
    demo_alarm_measure(&d->alarm, score, unusual, n);
done:
    free(unusual);
    free(score);
    return status;
}

recon_status demo_canonicalize(recon_ctx *ctx, demo *d)
{
    demo_path model, classifier;
    const lab_settings settings = { .classifier = classifier };
    image_trial *t = &d->trial;
    recon_status status;
    RECON_TRY(demo_model(ctx, model, "fashion.safetensors"));
    RECON_TRY(demo_model(ctx, classifier, "fashion-classifier.safetensors"));
    t->settings = &settings;
    t->what = experiment_find(RULE);
    RECON_TRY(recon_classifier_open(ctx, &t->classifier, classifier));
    RECON_TRY(trial_prepare(ctx, t));
    RECON_TRY(reproduce_model(ctx, &d->tests, t, model));
    RECON_TRY(reproduce_tests(ctx, &d->tests));
    RECON_TRY(keep_images(ctx, d, "test", t->rotated));
    RECON_TRY(measure_own(ctx, d));
    RECON_TRY(measure_alarm(ctx, d));
done:
    t->settings = NULL;
    return status;
}
