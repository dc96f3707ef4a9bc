/* cmd_demo.c - recon demo: a short tour with the shipped data and models. Garments are rotated as
 * in the paper, conformers are used as they occur and rotated at random; every step keeps its
 * files. */
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
#include "lab/lab.h"
#include "core/json.h"
#include "data/dataset.h"
#include "data/molecules.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULE   "fashion"
#define REMEDY "it comes with recon's sources; run there, or `make install`"

enum { SPLIT_SEED = 1 };

const char *demo_file(demo_path out, const demo *d, const char *name)
{
    snprintf(out, sizeof(demo_path), "%s/%s", d->out, name);
    return out;
}

static recon_status demo_model(recon_ctx *ctx, demo_path out, const char *name)
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
    recon_free_all(labels, images);
    return status;
}

/* --- discover --------------------------------------------------------------------------------- */

/* Some garments are held out for the tests, the others rotated to be looked at. */
static recon_status open_garments(recon_ctx *ctx, demo *d, size_t limit)
{
    RECON_CHECK(recon_dataset_open(ctx, &d->garments, "garments"));
    if (limit && limit < recon_dataset_describe(d->garments).n)
        RECON_CHECK(recon_dataset_take(ctx, &d->some, d->garments, limit, TAKE_SEED));
    RECON_CHECK(recon_dataset_split(ctx, &d->found_on, &d->trial.upright.some,
                                    d->some ? d->some : d->garments, DEMO_HELD, SPLIT_SEED));
    d->trial.upright.use = d->trial.upright.some;
    RECON_CHECK(recon_dataset_rotate_by(ctx, &d->rotated, d->found_on, RULE, TRAIN_SEED));
    return keep_images(ctx, d, "garments", d->rotated);
}

static recon_status demo_discover(recon_ctx *ctx, demo *d, size_t limit)
{
    demo_path model, folder, spec;
    RECON_CHECK(demo_model(ctx, model, "fashion.safetensors"));
    RECON_CHECK(open_garments(ctx, d, limit));
    snprintf(spec, sizeof spec, "npy:%s/garments-images.npy", d->out);
    return recon_discover(ctx, &d->found, model, NULL, recon_dataset_data(d->rotated),
                          demo_file(folder, d, "discover"),
                          &(recon_discover_options){ .k = K,
                                                     .family = RECON_SO2_NORMAL,
                                                     .keep_embeddings = 1,
                                                     .data = "garments",
                                                     .source = &(recon_source){ .spec = spec } });
}

size_t demo_widths(recon_theta_class out[DEMO_KINDS], const demo *d)
{
    const reproduction *r = &d->tests;
    json_t *summary = json_loads(d->found.summary, 0, NULL);
    const json_t *labels = json_object_get(summary, "labels");
    size_t n = 0;
    for (size_t c = 0; c < DEMO_KINDS; c++) {
        const char *name = recon_dataset_class_name(d->rotated, c);
        double width =
            lab_number(name ? json_object_get(labels, name) : NULL, "theta_deg") * RECON_TO_RADIANS;
        if (isfinite(width))
            out[n++] = (recon_theta_class){ r->on->name[c], r->width[c].truth, width, 0, 0 };
    }
    json_decref(summary);
    return n;
}

/* As anyone would who has embeddings and poses from a network of their own. */
static recon_status demo_normalize(recon_ctx *ctx, demo *d)
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
    recon_free_all(rotations, map);
    recon_model_close(ctx, model);
    return status;
}

static void demo_alarm_measure(demo_alarm *alarm, const double *score, const uint8_t *unusual,
                               size_t n)
{
    size_t beyond[2] = { 0 }, all[2] = { 0 };
    for (size_t i = 0; i < n; i++) {
        all[unusual[i]]++;
        beyond[unusual[i]] += score[i] > alarm->threshold;
    }
    alarm->called = (double)beyond[0] / (double)all[0];
    alarm->caught = (double)beyond[1] / (double)all[1];
}

/* Natural are garments rotated as they occur, unusual those rotated any way that end up beyond
 * it. */
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
    recon_free_all(unusual, score);
    return status;
}

static recon_status demo_canonicalize(recon_ctx *ctx, demo *d)
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
    RECON_CHECK(recon_fisher_of(ctx, &law, f));
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
    recon_free_all(unusual, score);
    return status;
}

/* Those thrown back in their natural poses, into a file. */
static recon_status find_natural(recon_ctx *ctx, demo_molecules *m, const char *path)
{
    recon_xyz_writer *writer = NULL;
    size_t atoms = recon_molecules_describe(m->thrown).total, at = 0;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &m->natural, m->n, sizeof *m->natural));
    RECON_TRY(recon_alloc_raw(ctx, &m->xyz, atoms, 3 * sizeof *m->xyz));
    for (size_t i = 0; i < m->n; i++)
        m->natural[i] = recon_molecules_get(m->thrown, i);
    RECON_TRY(recon_canonicalize_molecules(ctx, m->xyz, NULL, m->model, m->natural, m->n));
    RECON_TRY(recon_xyz_writer_open(ctx, &writer, path));
    for (size_t i = 0; i < m->n; i++) {
        recon_conformer *x = &m->natural[i];
        x->xyz = m->xyz + 3 * at;
        at += x->atoms;
        RECON_TRY(recon_xyz_writer_add(ctx, writer, x,
                                       recon_molecules_name(m->thrown, (size_t)x->molecule)));
    }
    RECON_TRY(recon_xyz_writer_commit(ctx, writer));
done:
    recon_xyz_writer_close(writer);
    return status;
}

static recon_status demo_molecules_run(recon_ctx *ctx, demo_molecules *m, const demo *d)
{
    demo_path path;
    double begun = recon_now();
    RECON_CHECK(open_all(ctx, m));
    RECON_CHECK(distributions(ctx, &m->of[0], m->model, m->occur));
    RECON_CHECK(distributions(ctx, &m->of[1], m->model, m->thrown));
    RECON_CHECK(measure_axes(ctx, m));
    RECON_CHECK(measure_unusual(ctx, m));
    RECON_CHECK(recon_folder_make(ctx, demo_file(path, d, "molecules")));
    RECON_CHECK(recon_xyz_write(ctx, demo_file(path, d, "molecules/occur.xyz"), m->occur));
    RECON_CHECK(recon_xyz_write(ctx, demo_file(path, d, "molecules/thrown.xyz"), m->thrown));
    RECON_CHECK(find_natural(ctx, m, demo_file(path, d, "molecules/natural.xyz")));
    m->seconds = recon_now() - begun;
    return RECON_OK;
}

static int run(int argc, char **argv);
const cli_command lab_demo = {
    .name = "demo",
    .purpose = CLI_DEMO_PURPOSE,
    .arguments = "",
    .example =
        "  recon demo\n"
        "\n"
        "The demo takes 2,000 garments and 200 molecules, rotated in ways unknown to recon, estimates\n"
        "their natural poses and how far they vary, and shows what that is good for. The output folder\n"
        "gets report.html, which you can open in a browser, results.json, and the files of every step:\n"
        "the images, their embeddings, the model, the molecules.",
    .run = run,
};

typedef struct {
    const char *out;
    size_t limit;
    cli_common common;
} settings;

/* Before the long work, not after it: something is written there. */
static recon_status make_folder(recon_ctx *ctx, demo *d, const char *folder)
{
    demo_path path;
    char *whole = NULL;
    json_t *begun = NULL;
    recon_status status = RECON_OK;
    RECON_TRY(recon_folder_make(ctx, folder));
    if (!(whole = realpath(folder, NULL)))
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_IO, "%s: cannot be found: %s", folder, strerror(errno)));
    if ((size_t)snprintf(d->out, sizeof d->out, "%s", whole) >= sizeof d->out)
        RECON_TRY(recon_fail(ctx, RECON_ERR_IO, "%.60s..: too long a path", whole));
    snprintf(d->report, sizeof d->report, "%s/report.html", d->out);
    begun = json_pack("{s:s}", "version", recon_version());
    RECON_TRY(recon_json_write(ctx, demo_file(path, d, "results.json"), begun));
done:
    json_decref(begun);
    free(whole);
    return status;
}

/* --- answers ---------------------------------------------------------------------------------- */

static void put_alarm(json_t **out, const demo_alarm *a)
{
    lab_put(out, "alarms", "asked% threshold caught% called%", DEMO_ALARMS, a->threshold, a->caught,
            a->called);
}

/* Percent and degrees, as reproduce has them. */
static double width_error(const demo *d)
{
    recon_theta_class widths[DEMO_KINDS];
    size_t n = demo_widths(widths, d);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(widths[i].predicted - widths[i].truth);
    return n ? sum / (double)n : NAN;
}

static json_t *results(const demo *d)
{
    const reproduction *r = &d->tests;
    const demo_molecules *m = &d->molecules;
    json_t *molecules,
        *out = json_pack("{s:s, s:s, s:{s:I, s:I, s:f, s:f}, s:{s:I, s:f, s:f, s:f}}", "version",
                         recon_version(), "report", d->report, "algorithm1", "rows",
                         (json_int_t)d->poses.frames.rows, "k", (json_int_t)d->poses.frames.k,
                         "hit_rate", d->poses.frames.hit_rate, "seconds", d->poses.seconds,
                         "discover", "images", (json_int_t)d->found.points, "theta_median_deg",
                         d->found.theta_median * RECON_TO_DEGREES, "seconds",
                         d->found.seconds.total, "maps_seconds", d->found.seconds.maps);
    recon_json_put(&out, "test_images", json_integer((json_int_t)r->rotated.n));
    lab_put(&out, "accuracy",
            "none% ieae% recon% recon_head% recon_here% recon_search% undo% upright%",
            r->on->accuracy.none, r->accuracy.ieae, r->accuracy.recon, r->accuracy.head, d->own,
            r->accuracy.search, r->on->accuracy.undo, r->on->accuracy.upright);
    recon_json_put(&out, "pose_error_deg", lab_value(lab_number(r->out, "pose_error.median_deg")));
    lab_put(&out, NULL, "theta_mae_deg", width_error(d));
    lab_put(&out, "ood_auc", "ieae g_abs recon", lab_number(r->out, "ood_auc.ieae"),
            lab_number(r->out, "ood_auc.g_abs"), lab_number(r->out, "ood_auc.density"));
    put_alarm(&out, &d->alarm);
    recon_json_put(&out, "molecules", json_pack("{s:I}", "conformers", (json_int_t)m->n));
    molecules = json_object_get(out, "molecules");
    lab_put(&molecules, NULL, "axis_error_deg ood_auc", m->axis_error, m->auc);
    put_alarm(&molecules, &m->alarm);
    lab_put(&out, NULL, "seconds", d->seconds);
    return out;
}

static const char words[] =
    "Algorithm 1   {algorithm1.rows} embeddings in {algorithm1.seconds:.2f} s; "
    "{%algorithm1.hit_rate} % of their neighbours are of the same kind\n"
    "discover      natural poses of {discover.images} garments in {discover.seconds:.1f} s, no label "
    "used\n"
    "canonicalize  a frozen classifier gets {accuracy.none:.1f} % of {test_images} rotated garments "
    "right, {accuracy.recon:.1f} % after canonicalization\n"
    "unusual poses area under the ROC curve {ood_auc.recon:.3f}; {alarms.caught} % of unusual ones "
    "caught at {alarms.called} % false alarms\n"
    "molecules     natural axis of {molecules.conformers} conformers found to "
    "{molecules.axis_error_deg:.1f} degrees; {molecules.alarms.caught} % of unusual poses caught at "
    "{molecules.alarms.called} % false alarms\n"
    "{report}\n";

static recon_status show(recon_ctx *ctx, const demo *d, const cli_common *common)
{
    demo_path path;
    json_t *answer = results(d);
    recon_status status = recon_json_write(ctx, demo_file(path, d, "results.json"), answer);
    if (status == RECON_OK && common->json)
        return cli_print_json(ctx, answer);
    if (status == RECON_OK && !common->quiet)
        lab_say(answer, words);
    json_decref(answer);
    return status;
}

/* --- the tour --------------------------------------------------------------------------------- */

static recon_status walk(recon_ctx *ctx, demo *d, size_t limit)
{
    RECON_CHECK(recon_ops_attach(ctx, "cpu"));
    recon_log(ctx, RECON_LOG_INFO, "1/4 finding the natural poses of garments: a discover run");
    RECON_CHECK(demo_discover(ctx, d, limit));
    recon_log(ctx, RECON_LOG_INFO, "2/4 Algorithm 1 alone, on embeddings and poses");
    RECON_CHECK(demo_normalize(ctx, d));
    recon_log(ctx, RECON_LOG_INFO,
              "3/4 canonicalizing other garments in front of a frozen classifier");
    RECON_CHECK(demo_canonicalize(ctx, d));
    recon_log(ctx, RECON_LOG_INFO, "4/4 molecules");
    RECON_CHECK(demo_molecules_run(ctx, &d->molecules, d));
    d->seconds = recon_now() - d->begun;
    return demo_page(ctx, d);
}

static void demo_free(recon_ctx *ctx, demo *d)
{
    demo_molecules *m = &d->molecules;
    recon_free_all(m->of[0], m->of[1], m->natural, m->xyz);
    recon_molecules_close(m->thrown);
    recon_molecules_close(m->occur);
    recon_model_close(ctx, m->model);
    reproduce_free(ctx, &d->tests);
    trial_free(ctx, &d->trial);
    recon_normalize_result_free(&d->poses);
    recon_discovery_free(&d->found);
    recon_dataset_close(d->rotated);
    recon_dataset_close(d->found_on);
    recon_dataset_close(d->some);
    recon_dataset_close(d->garments);
}

static recon_status work(recon_ctx *ctx, const void *given)
{
    const settings *s = given;
    demo *d = calloc(1, sizeof *d);
    recon_status status;
    if (!d)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    d->begun = recon_now();
    RECON_TRY(make_folder(ctx, d, s->out ? s->out : "recon-demo"));
    RECON_TRY(walk(ctx, d, s->limit));
    RECON_TRY(show(ctx, d, &s->common));
done:
    demo_free(ctx, d);
    free(d);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    const cli_option options[] = {
        { "--out", "DIR", NULL, "folder for the page and its files (default recon-demo)",
          CLI_TEXT | CLI_WRITES, 0, &s.out },
        { "--limit", "N", NULL,
          "number of garments (default all 2,000); fewer are faster but "
          "less accurate",
          CLI_COUNT, 0, &s.limit },
        { 0 },
    };
    int code = cli_parse(&lab_demo, options, &s.common, argc, argv, NULL, 0, NULL);
    if (code < 0 && s.limit && s.limit < DEMO_LEAST)
        code = cli_misuse(&lab_demo, "--limit %zu: must be at least %d", s.limit, DEMO_LEAST);
    return code >= 0 ? code : cli_run(&lab_demo, &s.common, work, &s);
}
