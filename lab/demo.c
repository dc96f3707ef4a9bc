/* demo.c - the tour's steps: garments rotated as in the paper, conformers as they occur and rotated at random. */
#include "lab/demo.h"
#include "core/fail.h"
#include "core/memory.h"
#include "lab/table.h"
#include "core/ctx.h"
#include "core/shipped.h"
#include "data/rotations.h"
#include "core/folder.h"
#include "report/found.h"
#include "data/xyz.h"

#include <errno.h>
#include <math.h>
#include <recon/core/array.h>
#include <recon/model/score.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    recon_conformer *list;
    const char **names; /* of those molecules that occur, numbered anew */
    int32_t *number;    /* [molecules of the whole] the new number + 1; 0: does not occur */
    float *xyz;
} copy;

static recon_status copy_new(recon_ctx *ctx, copy *c, const recon_molecules *data)
{
    recon_molecules_info info = recon_molecules_describe(data);
    recon_status status;
    *c = (copy){ 0 };
    RECON_TRY(recon_alloc(ctx, &c->list, info.n, sizeof *c->list));
    RECON_TRY(recon_alloc(ctx, &c->names, info.molecules, sizeof *c->names));
    RECON_TRY(recon_alloc(ctx, &c->number, info.molecules, sizeof *c->number));
    RECON_TRY(recon_alloc_raw(ctx, &c->xyz, info.total, 3 * sizeof *c->xyz));
    for (size_t i = 0; i < info.n; i++) {
        c->list[i] = recon_molecules_get(data, i);
        c->number[c->list[i].molecule] = 1;
    }
done:
    return status;
}

static void renumber(copy *c, const recon_molecules *data)
{
    recon_molecules_info info = recon_molecules_describe(data);
    int32_t count = 0;
    for (size_t m = 0; m < info.molecules; m++)
        if (c->number[m]) {
            c->names[count] = recon_molecules_name(data, m);
            c->number[m] = ++count;
        }
    for (size_t i = 0; i < info.n; i++)
        c->list[i].molecule = c->number[c->list[i].molecule] - 1;
}

static void copy_free(copy *c)
{
    free(c->xyz);
    free(c->number);
    free(c->names);
    free(c->list);
}

recon_status recon_canonical_set(recon_ctx *ctx, recon_molecules **out, recon_pose3 *poses,
                                 const recon_model *model, const recon_molecules *data)
{
    size_t n = recon_molecules_describe(data).n;
    const float *at;
    copy c;
    recon_status status;
    *out = NULL;
    RECON_TRY(copy_new(ctx, &c, data));
    RECON_TRY(recon_canonicalize_molecules(ctx, c.xyz, poses, model, c.list, n));
    renumber(&c, data);
    at = c.xyz;
    for (size_t i = 0; i < n; i++) {
        c.list[i].xyz = at;
        at += 3 * c.list[i].atoms;
    }
    RECON_TRY(recon_molecules_make(ctx, out, c.list, n, c.names));
done:
    copy_free(&c);
    return status;
}

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

static recon_status open_all(recon_ctx *ctx, demo_molecules *m)
{
    recon_molecules *all = NULL, *some = NULL;
    demo_path model;
    recon_status status;
    RECON_TRY(demo_model(ctx, model, "conformers.safetensors"));
    RECON_TRY(recon_model_open(ctx, &m->model, model, RECON_SINGLE));
    RECON_TRY(recon_molecules_open(ctx, &all, "conformers/test", NULL));
    RECON_TRY(recon_molecules_take(ctx, &some, all, DEMO_CONFORMERS, TAKE_SEED));
    RECON_TRY(recon_molecules_rotate(ctx, &m->occur, some, "fisher", TEST_SEED));
    RECON_TRY(recon_molecules_rotate(ctx, &m->thrown, m->occur, "haar", TEST_SEED));
    m->n = recon_molecules_describe(m->occur).n;
done:
    recon_molecules_close(some);
    recon_molecules_close(all);
    return status;
}

static recon_status distributions(recon_ctx *ctx, recon_distribution3 **out,
                                  const recon_model *model, const recon_molecules *data)
{
    size_t n = recon_molecules_describe(data).n;
    recon_conformer *x = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, out, n, sizeof **out));
    RECON_TRY(recon_alloc_raw(ctx, &x, n, sizeof *x));
    for (size_t i = 0; i < n; i++)
        x[i] = recon_molecules_get(data, i);
    RECON_TRY(recon_distribution_molecules(ctx, *out, model, x, n));
done:
    free(x);
    return status;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Radians between where the axis of conformer i points, thrown as it is, and where recon says that
 * it does. Which end of the axis is the front is anyone's choice, but the same when upright. */
static recon_status axis_error(recon_ctx *ctx, double *out, const demo_molecules *m, size_t i)
{
    const recon_distribution3 *said = &m->of[1][i];
    recon_fisher law;
    double f[9], upright[3], now[3];
    recon_molecules_fisher(f, m->occur, (size_t)recon_molecules_get(m->occur, i).molecule);
    recon_status status = recon_fisher_of(ctx, &law, f);
    if (status != RECON_OK)
        return status;
    recon_so3_act(upright, law.mode, law.body[0]);
    recon_so3_act(now, recon_molecules_rotation(m->thrown, i), law.body[0]);
    double cosine = dot(now, said->axis_now) * (dot(upright, said->axis) < 0 ? -1 : 1);
    *out = acos(fmin(fmax(cosine, -1), 1));
    return RECON_OK;
}

static recon_status measure_axes(recon_ctx *ctx, demo_molecules *m)
{
    double *error = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &error, m->n, sizeof *error));
    for (size_t i = 0; i < m->n; i++)
        RECON_TRY(axis_error(ctx, &error[i], m, i));
    m->axis_error = recon_found_median(error, m->n);
done:
    free(error);
    return status;
}

static recon_status measure_unusual(recon_ctx *ctx, demo_molecules *m)
{
    double *score = NULL;
    uint8_t *unusual = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &score, 2 * m->n, sizeof *score));
    RECON_TRY(recon_alloc_raw(ctx, &unusual, 2 * m->n, sizeof *unusual));
    for (size_t i = 0; i < 2 * m->n; i++) {
        unusual[i] = i >= m->n;
        score[i] = m->of[unusual[i]][i % m->n].score;
    }
    m->alarm.threshold = recon_score_threshold(m->model, DEMO_ALARMS);
    demo_alarm_measure(&m->alarm, score, unusual, 2 * m->n);
    RECON_TRY(recon_roc_auc(ctx, &m->auc, score, unusual, 2 * m->n));
done:
    free(unusual);
    free(score);
    return status;
}

static recon_status keep_files(recon_ctx *ctx, const demo_molecules *m, const demo *d)
{
    demo_path path;
    recon_status status;
    RECON_TRY(recon_folder_make(ctx, demo_file(path, d, "molecules")));
    RECON_TRY(recon_xyz_write(ctx, demo_file(path, d, "molecules/occur.xyz"), m->occur));
    RECON_TRY(recon_xyz_write(ctx, demo_file(path, d, "molecules/thrown.xyz"), m->thrown));
    RECON_TRY(recon_xyz_write(ctx, demo_file(path, d, "molecules/natural.xyz"), m->natural));
done:
    return status;
}

recon_status demo_molecules_run(recon_ctx *ctx, demo_molecules *m, const demo *d)
{
    double begun = recon_now();
    recon_status status;
    RECON_TRY(open_all(ctx, m));
    RECON_TRY(distributions(ctx, &m->of[0], m->model, m->occur));
    RECON_TRY(distributions(ctx, &m->of[1], m->model, m->thrown));
    RECON_TRY(measure_axes(ctx, m));
    RECON_TRY(measure_unusual(ctx, m));
    RECON_TRY(recon_canonical_set(ctx, &m->natural, NULL, m->model, m->thrown));
    RECON_TRY(keep_files(ctx, m, d));
    m->seconds = recon_now() - begun;
done:
    return status;
}

void demo_molecules_free(recon_ctx *ctx, demo_molecules *m)
{
    free(m->of[0]);
    free(m->of[1]);
    recon_molecules_close(m->natural);
    recon_molecules_close(m->thrown);
    recon_molecules_close(m->occur);
    recon_model_close(ctx, m->model);
}
