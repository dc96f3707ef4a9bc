/* letters.c - `recon reproduce letters`: draws pictures of letters, makes a model from them as
 * `recon train` and `recon discover` would, and tests it on new fonts. */
#include "lab/letters.h"
#include "backbone/kinds.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"
#include "stats/quantile.h"
#include "stats/roc.h"
#include "backbone/ieae.h"
#include "lab/lab.h"
#include "lab/table.h"
#include "core/ctx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FAR    (20 * RECON_TO_RADIANS) /* an answer that is of no use */
#define BESIDE (15 * RECON_TO_RADIANS) /* an answer that is at one of several poses */

/* What a model says of each picture of a set. */
typedef struct {
    const letters_set *set;
    double *before, *after; /* [n] distance to the nearest natural pose: untouched, and canonical */
    recon_pose_score *score;
    recon_distribution *poses;
} answers;

static void answers_free(answers *a)
{
    recon_free_all(a->before, a->after, a->score, a->poses);
}

static recon_status ask(recon_ctx *ctx, answers *out, const letters_plan *plan,
                        const recon_model *model, const letters_set *set, const char *dir)
{
    float *images = NULL;
    recon_pose *pose = NULL;
    recon_status status;
    *out = (answers){ .set = set };
    RECON_TRY(recon_alloc_raw(ctx, &out->before, set->n, sizeof *out->before));
    RECON_TRY(recon_alloc_raw(ctx, &out->after, set->n, sizeof *out->after));
    RECON_TRY(recon_alloc_raw(ctx, &out->score, set->n, sizeof *out->score));
    RECON_TRY(recon_alloc_raw(ctx, &out->poses, set->n, sizeof *out->poses));
    RECON_TRY(recon_alloc_raw(ctx, &pose, set->n, sizeof *pose));
    RECON_TRY(letters_load(ctx, &images, set->n, dir, model));
    RECON_TRY(recon_canonicalize_images(ctx, NULL, pose, model, images, set->n, NULL));
    RECON_TRY(recon_score_images(ctx, out->score, model, images, set->n));
    RECON_TRY(recon_distribution_images(ctx, out->poses, model, images, set->n));
    for (size_t i = 0; i < set->n; i++) {
        const letters_law *law = &plan->kind[set->kind[i]].law;
        out->before[i] = letters_law_distance(law, set->angle[i]);
        out->after[i] = letters_law_distance(law, set->angle[i] + pose[i].rotation[0]);
    }
done:
    recon_free_all(pose, images);
    return status;
}

/* --- of some kinds ---------------------------------------------------------------------------- */

typedef int chosen(const letters_law *law);

static int is_several(const letters_law *law)
{
    return law->modes > 1;
}

/* Which pictures count: of one kind, or of all kinds whose law is chosen. */
typedef struct {
    const letters_plan *plan;
    chosen *laws; /* NULL: the kind alone */
    size_t kind;
} part;

static int counts(const part *p, size_t kind)
{
    return p->laws ? p->laws(&p->plan->kind[kind].law) : kind == p->kind;
}

/* The values of those that count, sorted, to room; how many. */
static size_t gather(double *room, const answers *a, const part *p, const double *values)
{
    size_t n = 0;
    for (size_t i = 0; i < a->set->n; i++)
        if (counts(p, a->set->kind[i]))
            room[n++] = values[i];
    recon_sort_doubles(room, n);
    return n;
}

static json_t *degrees(double radians)
{
    return lab_value(radians * RECON_TO_DEGREES);
}

/* Median and share beyond FAR of distances. */
static json_t *error_json(double *room, const answers *a, const part *p, const double *distance)
{
    int nowhere = !p->laws && letters_is_circle(&p->plan->kind[p->kind].law); /* it has no pose */
    size_t n = nowhere ? 0 : gather(room, a, p, distance), far = 0;
    for (size_t i = 0; i < n; i++)
        far += room[i] > FAR;
    return n ? json_pack("{s:o, s:f}", "median_deg", degrees(recon_quantile(room, n, 0.5)),
                         "beyond_percent", 100 * (double)far / (double)n)
             : json_null();
}

static double share_within(double *room, const answers *a, const part *p, double reach)
{
    size_t n = gather(room, a, p, a->after), within = 0;
    for (size_t i = 0; i < n; i++)
        within += room[i] <= reach;
    return n ? 100 * (double)within / (double)n : NAN;
}

static double share_of_verdicts(const answers *a, const part *p, recon_natural one,
                                recon_natural other)
{
    size_t n = 0, hits = 0;
    for (size_t i = 0; i < a->set->n; i++)
        if (counts(p, a->set->kind[i])) {
            n++;
            hits += a->poses[i].verdict == one || a->poses[i].verdict == other;
        }
    return n ? 100 * (double)hits / (double)n : NAN;
}

/* The median width of a kind as the model has it, as a standard deviation. */
static double width_of(double *room, const answers *a, const part *p)
{
    size_t n = 0;
    for (size_t i = 0; i < a->set->n; i++)
        if (counts(p, a->set->kind[i]))
            room[n++] = letters_sigma(a->poses[i].family, a->poses[i].theta);
    recon_sort_doubles(room, n);
    return n ? recon_quantile(room, n, 0.5) : NAN;
}

/* --- by kind ---------------------------------------------------------------------------------- */

static json_t *verdicts_json(const answers *a, const part *p)
{
    json_t *out = json_object();
    for (int v = 0; v < RECON_NATURAL_KINDS; v++)
        if (v != RECON_NATURAL_AXIS)
            json_object_set_new(
                out, recon_natural_name((recon_natural)v),
                lab_value(share_of_verdicts(a, p, (recon_natural)v, (recon_natural)v)));
    return out;
}

static json_t *natural_json(const letters_law *law)
{
    json_t *list = json_array();
    for (size_t i = 0; i < law->modes && !letters_is_circle(law); i++)
        json_array_append_new(list, degrees(law->at[i]));
    return list;
}

static json_t *kinds_json(double *room, const letters_plan *plan, const answers *fresh,
                          const answers *anyway)
{
    json_t *list = json_array();
    for (size_t k = 0; k < plan->kinds; k++) {
        const part p = { .plan = plan, .kind = k };
        const letters_law *law = &plan->kind[k].law;
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "letter",
                            plan->kind[k].name, "natural_deg", natural_json(law), "untouched",
                            error_json(room, fresh, &p, fresh->before), "fresh",
                            error_json(room, fresh, &p, fresh->after), "anyway",
                            error_json(room, anyway, &p, anyway->after), "width_deg",
                            degrees(width_of(room, fresh, &p)), "true_width_deg",
                            letters_is_one(law) ? degrees(letters_sigma(law->family, law->width))
                                                : json_null(),
                            "verdicts_percent", verdicts_json(fresh, &p)));
    }
    return list;
}

/* The medians of the kinds that are never rotated: the least and the largest. */
static json_t *still_json(double *room, const letters_plan *plan, const answers *fresh)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < plan->kinds; k++) {
        const part p = { .plan = plan, .kind = k };
        size_t n = letters_is_still(&plan->kind[k].law) ? gather(room, fresh, &p, fresh->after) : 0;
        double median = n ? recon_quantile(room, n, 0.5) : NAN;
        low = fmin(low, median);
        high = fmax(high, median);
    }
    return json_pack("{s:o, s:o}", "least_deg", degrees(low), "most_deg", degrees(high));
}

/* Mean absolute error over the kinds with one natural pose. */
static double width_error(double *room, const letters_plan *plan, const answers *fresh)
{
    double sum = 0, n = 0;
    for (size_t k = 0; k < plan->kinds; k++) {
        const part p = { .plan = plan, .kind = k };
        const letters_law *law = &plan->kind[k].law;
        double found = letters_is_one(law) ? width_of(room, fresh, &p) : NAN;
        if (isfinite(found)) {
            sum += fabs(found - letters_sigma(law->family, law->width));
            n++;
        }
    }
    return n ? sum / n : NAN;
}

/* --- of all ----------------------------------------------------------------------------------- */

/* Letters at any angle are told from those that follow the laws, by the model and by the laws. */
static recon_status measure_ood(recon_ctx *ctx, json_t **out, const letters_plan *plan,
                                const answers *fresh, const answers *anyway)
{
    const answers *both[] = { fresh, anyway };
    size_t n = fresh->set->n + anyway->set->n, at = 0;
    double *ours = NULL, *best = NULL, auc = NAN, highest = NAN;
    uint8_t *label = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &ours, n, sizeof *ours));
    RECON_TRY(recon_alloc_raw(ctx, &best, n, sizeof *best));
    RECON_TRY(recon_alloc_raw(ctx, &label, n, sizeof *label));
    for (int j = 0; j < 2; j++)
        for (size_t i = 0; i < both[j]->set->n; i++, at++) {
            label[at] = (uint8_t)j;
            ours[at] = both[j]->score[i].score;
            best[at] =
                letters_law_score(&plan->kind[both[j]->set->kind[i]].law, both[j]->set->angle[i]);
        }
    RECON_TRY(recon_roc_auc(ctx, &auc, ours, label, n));
    RECON_TRY(recon_roc_auc(ctx, &highest, best, label, n));
    *out = json_pack("{s:f, s:f}", "recon", auc, "best", highest);
done:
    recon_free_all(label, best, ours);
    return status;
}

static json_t *alarms_json(const answers *fresh)
{
    static const struct {
        const char *key;
        double share;
    } asked[] = { { "at_1", 0.01 }, { "at_5", 0.05 }, { "at_10", 0.10 }, { "at_20", 0.20 } };
    json_t *out = json_object();
    for (size_t j = 0; j < sizeof asked / sizeof *asked; j++) {
        size_t alarms = 0;
        for (size_t i = 0; i < fresh->set->n; i++)
            alarms += fresh->score[i].p_value <= asked[j].share;
        json_object_set_new(out, asked[j].key,
                            json_real(100 * (double)alarms / (double)fresh->set->n));
    }
    return out;
}

/* How much nearer to its natural pose a picture of a kind with one comes to lie, on average. */
static double gain_of(const letters_plan *plan, const answers *a)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < a->set->n; i++)
        if (letters_is_one(&plan->kind[a->set->kind[i]].law)) {
            sum += a->before[i] - a->after[i];
            n++;
        }
    return n ? sum / n : NAN;
}

static json_t *summary_json(double *room, const letters_plan *plan, const answers *fresh,
                            const answers *anyway)
{
    const part one = { .plan = plan, .laws = letters_is_one },
               several = { .plan = plan, .laws = is_several },
               circle = { .plan = plan, .laws = letters_is_circle };
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:{s:o}, s:o, s:o, s:o, s:o}", "untouched",
        json_pack("{s:o, s:o}", "one", error_json(room, fresh, &one, fresh->before), "anyway",
                  error_json(room, anyway, &one, anyway->before)),
        "one", error_json(room, fresh, &one, fresh->after), "still", still_json(room, plan, fresh),
        "anyway", error_json(room, anyway, &one, anyway->after), "gain_mean_deg",
        degrees(gain_of(plan, fresh)), "several", "found_percent",
        lab_value(share_of_verdicts(fresh, &several, RECON_NATURAL_SEVERAL, RECON_NATURAL_MODULO)),
        "within_percent", lab_value(share_within(room, fresh, &several, BESIDE)), "circle",
        "found_percent",
        lab_value(share_of_verdicts(fresh, &circle, RECON_NATURAL_NONE, RECON_NATURAL_UNSURE)),
        "width_mae_deg", degrees(width_error(room, plan, fresh)), "false_alarms_percent",
        alarms_json(fresh), "kinds", kinds_json(room, plan, fresh, anyway), "test_images",
        json_pack("{s:I, s:I}", "fresh", (json_int_t)fresh->set->n, "anyway",
                  (json_int_t)anyway->set->n));
}

static recon_status measure(recon_ctx *ctx, json_t **out, const letters_plan *plan,
                            const recon_model *model, const letters_set *fresh,
                            const letters_set *anyway, const char *dir)
{
    answers of[2] = { 0 };
    char path[RECON_PATH];
    double *room = NULL;
    json_t *ood = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_alloc_raw(ctx, &room, fresh->n + anyway->n, sizeof *room));
    RECON_TRY(ask(ctx, &of[0], plan, model, fresh, recon_folder_join(path, dir, "fresh")));
    RECON_TRY(ask(ctx, &of[1], plan, model, anyway, recon_folder_join(path, dir, "anyway")));
    RECON_TRY(measure_ood(ctx, &ood, plan, &of[0], &of[1]));
    *out = summary_json(room, plan, &of[0], &of[1]);
    if (!*out || json_object_set(*out, "ood_auc", ood))
        RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "out of memory"));
done:
    json_decref(ood);
    free(room);
    answers_free(&of[0]);
    answers_free(&of[1]);
    return status;
}

/* Seeds of the three sets of a run. */
enum { TRAINING_SET, FRESH_SET, ANYWAY_SET, SETS };

typedef struct {
    const lab_settings *settings;
    letters_plan plan;
    letters_fonts *fonts;
    letters_set set[SETS];
    run_folder folder;
    size_t seed;
    struct {
        double train, train_cpu, discover; /* seconds */
    } took;
    size_t steps;
} letters_one;

/* Seconds of the processor, of all threads. */
static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- a run ------------------------------------------------------------------------------------ */

static recon_status draw(recon_ctx *ctx, letters_one *r)
{
    const letters_plan *plan = &r->plan;
    static const char *const names[SETS] = { "letters", "fresh", "anyway" };
    const size_t times[SETS] = { 1, plan->fresh, plan->anyway };
    char path[RECON_PATH];
    RECON_CHECK(letters_fonts_open(ctx, &r->fonts, plan, r->settings->fonts, r->seed));
    for (int i = 0; i < SETS; i++) {
        RECON_CHECK(letters_set_make(ctx, &r->set[i], plan, r->fonts,
                                     i == TRAINING_SET ? LETTERS_TRAIN : LETTERS_TEST, times[i],
                                     i == ANYWAY_SET, r->seed * SETS + (size_t)i));
        RECON_CHECK(letters_set_write(ctx, &r->set[i], plan,
                                      recon_folder_join(path, r->folder.path, names[i])));
    }
    return RECON_OK;
}

static recon_status train_backbone(recon_ctx *ctx, letters_one *r, const recon_dataset *data,
                                   const char *backbone)
{
    const lab_settings *s = r->settings;
    recon_ieae_options o = { .shape = { .preset = (recon_preset)s->preset },
                             .epochs = s->epochs ? s->epochs : r->plan.epochs,
                             .seed = r->seed,
                             .threads = recon_ctx_threads(ctx),
                             .crop = s->crop,
                             .precision = s->precision };
    recon_train_result trained;
    double begun = processor_seconds();
    recon_status status = recon_ieae_train(ctx, &trained, data, backbone, &o);
    if (status == RECON_OK) {
        r->took.train = trained.seconds;
        r->took.train_cpu = processor_seconds() - begun;
    }
    if (status == RECON_ERR_INTERRUPTED) /* there is no --resume, and the folder may be removed */
        status = recon_fail(ctx, status, "interrupted in the training");
    return status;
}

/* The model of the training pictures, in DIR/found/model.safetensors. */
static recon_status make_model(recon_ctx *ctx, letters_one *r)
{
    const lab_settings *s = r->settings;
    const recon_metadata_entry cropped = { "crop", "auto" };
    recon_data_options as = { .size = s->size ? s->size : r->plan.fit, .crop = s->crop };
    recon_backbone *b = NULL;
    recon_dataset *data = NULL;
    recon_discovery found = { 0 };
    char backbone[RECON_PATH], dir[RECON_PATH], spec[RECON_PATH];
    recon_status status;
    snprintf(spec, sizeof spec, "images:%s/letters", r->folder.path);
    if (s->models[0]) {
        RECON_TRY(recon_backbone_open(ctx, &b, s->models[0], s->precision));
        as.size = 0;
        if (b->kind->data_options)
            b->kind->data_options(b, &as);
    }
    RECON_TRY(recon_dataset_open_with(
        ctx, &data, spec,
        &(recon_dataset_options){ .size = as.size, .channels = as.channels, .crop = as.crop }));
    recon_folder_join(backbone, r->folder.path, "letters.safetensors");
    if (!s->models[0])
        RECON_TRY(train_backbone(ctx, r, data, backbone));
    RECON_TRY(recon_discover(ctx, &found, s->models[0] ? s->models[0] : backbone, b,
                             recon_dataset_data(data),
                             recon_folder_join(dir, r->folder.path, "found"),
                             &(recon_discover_options){ .maps = { .seed = r->seed },
                                                        .precision = s->precision,
                                                        .data = "letters",
                                                        .metadata = &cropped,
                                                        .n_metadata = as.crop ? 1 : 0 }));
    r->took.discover = found.seconds.total;
done:
    recon_discovery_free(&found);
    recon_dataset_close(data);
    recon_backbone_close(ctx, b);
    return status;
}

static recon_status measure_model(recon_ctx *ctx, json_t **out, letters_one *r)
{
    const lab_settings *s = r->settings;
    recon_model *model = NULL;
    char path[RECON_PATH];
    recon_status status;
    RECON_TRY(recon_model_open(ctx, &model,
                               recon_folder_join(path, r->folder.path, "found/model.safetensors"),
                               s->precision));
    RECON_TRY(measure(ctx, out, &r->plan, model, &r->set[FRESH_SET], &r->set[ANYWAY_SET],
                      r->folder.path));
    const recon_model_info info = recon_model_describe(model);
    json_t *how = json_pack(
        "{s:s, s:s, s:I, s:I, s:s, s:I, s:{s:I, s:I}, s:{s:f, s:f, s:f}, s:b}", "dataset",
        "letters", "preset", recon_preset_name(info.images.preset), "training_images",
        (json_int_t)r->set[TRAINING_SET].n, "size", (json_int_t)info.images.height, "backbone",
        s->models[0] ? s->models[0] : "trained", "seed", (json_int_t)r->seed, "fonts", "train",
        (json_int_t)letters_fonts_count(r->fonts, LETTERS_TRAIN), "test",
        (json_int_t)letters_fonts_count(r->fonts, LETTERS_TEST), "seconds", "train", r->took.train,
        "train_cpu", r->took.train_cpu, "discover", r->took.discover, "quick", s->quick);
    if (json_object_update(*out, how))
        status = recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    json_decref(how);
done:
    recon_model_close(ctx, model);
    return status;
}

static recon_status run_one(recon_ctx *ctx, json_t **out, const lab_settings *s, size_t i)
{
    letters_one *r = calloc(1, sizeof *r); /* large */
    recon_status status;
    *out = NULL;
    if (!r)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    r->settings = s;
    r->seed = s->seed + i;
    RECON_TRY(letters_plan_load(ctx, &r->plan, s->laws, s->quick));
    r->plan.fresh = s->draws ? s->draws : r->plan.fresh;
    RECON_TRY(run_folder_make(ctx, &r->folder, s->out, "letters", r->seed));
    RECON_TRY(draw(ctx, r));
    RECON_TRY(make_model(ctx, r));
    RECON_TRY(measure_model(ctx, out, r));
done:
    run_folder_remove(&r->folder);
    for (int j = 0; j < SETS; j++)
        letters_set_free(&r->set[j]);
    letters_fonts_free(r->fonts);
    free(r);
    return status;
}

recon_status letters_run(recon_ctx *ctx, json_t **result, const lab_settings *s)
{
    return lab_repeat(ctx, result, s, run_one);
}

/* --- as text ---------------------------------------------------------------------------------- */

static const lab_row rows[] = {
    { NULL, "unseen fonts, rotated by the same laws", 0 },
    { "one.median_deg", "one natural pose: median, degrees", 1 },
    { "one.beyond_percent", "beyond 20 degrees, percent", 1 },
    { "still.least_deg", "never rotated: least median tilt", 1 },
    { "still.most_deg", "largest median tilt", 1 },
    { "gain_mean_deg", "nearer to natural by, mean, deg", 1 },
    { NULL, "the same letters at any angle", 0 },
    { "anyway.median_deg", "one natural pose: median, degrees", 1 },
    { "anyway.beyond_percent", "beyond 20 degrees, percent", 1 },
    { NULL, "other laws, percent", 0 },
    { "several.found_percent", "two poses: several or modulo", 1 },
    { "several.within_percent", "canonical within 15 deg of one", 1 },
    { "circle.found_percent", "full circle: none or cannot tell", 1 },
    { NULL, "widths, one natural pose, as a sigma", 0 },
    { "width_mae_deg", "mean absolute error, degrees", 1 },
    { NULL, "out-of-distribution poses", 0 },
    { "ood_auc.recon", "area under the ROC curve", 3 },
    { "ood_auc.best", "best possible: by the true laws", 3 },
    { "false_alarms_percent.at_1", "false alarms, 1 % asked", 1 },
    { "false_alarms_percent.at_5", "5 %", 1 },
    { "false_alarms_percent.at_10", "10 %", 1 },
    { "false_alarms_percent.at_20", "20 %", 1 },
    { NULL, "seconds", 0 },
    { "seconds.train", "training", 1 },
    { "seconds.train_cpu", "of the processor, all cores", 1 },
    { "seconds.discover", "discover", 1 },
};

static const lab_table by_kind = {
    .title = "\nby kind: median distance to the nearest natural pose; width as a sigma; verdicts, "
             "percent\n",
    .over = "kinds",
    LAB_COLUMNS({ "", "kinds.*.letter", "  %-4s" },
                { "as given", "kinds.*.untouched.median_deg", "%10.1f" },
                { "canonical", "kinds.*.fresh.median_deg", "%10.1f" },
                { "any angle", "kinds.*.anyway.median_deg", "%10.1f" },
                { "width", "kinds.*.true_width_deg", "%10.1f" },
                { "found", "kinds.*.width_deg", "%10.1f" },
                { "one", "kinds.*.verdicts_percent.one", "%10.1f" },
                { "several", "kinds.*.verdicts_percent.several", "%10.1f" },
                { "modulo", "kinds.*.verdicts_percent.modulo", "%10.1f" },
                { "none", "kinds.*.verdicts_percent.none", "%10.1f" },
                { "unsure", "kinds.*.verdicts_percent.cannot_tell", "%10.1f" })
};

void letters_show(const json_t *result)
{
    lab_say(result, "Letters: {training_images} pictures of ");
    printf("%zu", json_array_size(lab_at(result, "kinds")));
    lab_say(result, " kinds in {fonts.train} fonts, {preset} at {size} x {size}; tested on "
                    "{fonts.test} other fonts\n");
    lab_print_rows(result, "as given", rows, LAB_COUNT(rows));
    lab_print_table(result, &by_kind);
}
