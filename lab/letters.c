/* letters.c - `recon reproduce letters`: pictures are drawn, a model is made of them as `recon train`
 * and `recon discover` would, and asked about fonts that it has not seen. */
#include "backbone/ieae.h"
#include "lab/letters.h"
#include "lab/lab.h"
#include "lab/table.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"

#include <recon/model/discover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    recon_status status;
    RECON_TRY(letters_fonts_open(ctx, &r->fonts, plan, r->settings->fonts, r->seed));
    for (int i = 0; i < SETS; i++) {
        RECON_TRY(letters_set_make(ctx, &r->set[i], plan, r->fonts,
                                   i == TRAINING_SET ? LETTERS_TRAIN : LETTERS_TEST, times[i],
                                   i == ANYWAY_SET, r->seed * SETS + (size_t)i));
        RECON_TRY(letters_set_write(ctx, &r->set[i], plan,
                                    recon_folder_join(path, r->folder.path, names[i])));
    }
done:
    return status;
}

static recon_status train(recon_ctx *ctx, letters_one *r, const recon_dataset *data,
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
        RECON_TRY(train(ctx, r, data, backbone));
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

static json_t *fonts_json(const letters_fonts *fonts)
{
    return json_pack("{s:I, s:I}", "train", (json_int_t)letters_fonts_count(fonts, LETTERS_TRAIN),
                     "test", (json_int_t)letters_fonts_count(fonts, LETTERS_TEST));
}

static recon_status measure(recon_ctx *ctx, json_t **out, letters_one *r)
{
    const lab_settings *s = r->settings;
    recon_model *model = NULL;
    char path[RECON_PATH];
    recon_status status;
    RECON_TRY(recon_model_open(ctx, &model,
                               recon_folder_join(path, r->folder.path, "found/model.safetensors"),
                               s->precision));
    RECON_TRY(letters_measure(ctx, out, &r->plan, model, &r->set[FRESH_SET], &r->set[ANYWAY_SET],
                              r->folder.path));
    const recon_model_info info = recon_model_describe(model);
    json_t *how =
        json_pack("{s:s, s:s, s:I, s:I, s:s, s:I, s:o, s:{s:f, s:f, s:f}, s:b}", "dataset",
                  "letters", "preset", recon_preset_name(info.images.preset), "training_images",
                  (json_int_t)r->set[TRAINING_SET].n, "size", (json_int_t)info.images.height,
                  "backbone", s->models[0] ? s->models[0] : "trained", "seed", (json_int_t)r->seed,
                  "fonts", fonts_json(r->fonts), "seconds", "train", r->took.train, "train_cpu",
                  r->took.train_cpu, "discover", r->took.discover, "quick", s->quick);
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
    RECON_TRY(measure(ctx, out, r));
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
    { "ood_auc.density", "area under the ROC curve", 3 },
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
