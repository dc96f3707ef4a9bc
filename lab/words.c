/* words.c - `recon reproduce words`: words are drawn, the model is found or trained, readers read. */
#include "backbone/ieae.h"
#include "lab/words.h"
#include "lab/lab.h"
#include "lab/table.h"
#include "lab/run_folder.h"
#include "backbone/kinds.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/shipped.h"
#include "model/model.h"

#include <math.h>
#include <recon/model/discover.h>
#include <stdio.h>
#include <string.h>

/* 500 words in each of 20 faces; 28,800 pictures in 90 others to learn from. */
enum {
    TRAINING_FONTS = 90,
    TRAINING = 28800,
    TEST_FONTS = 20,
    TESTS = 10000,
    QUICK_FONTS = 4,
    QUICK_TESTS = 40,
    SIZE = 96, /* at 64 the line of a word is found, but often not which end is up */
    BATCH = 256,
    EPOCHS = 60,
    CODE = 64,
    FEW = 4 * BATCH, /* pictures, of which a batch is a part */
    FONTS_SEED = 1,
    TEST_SEED = 5 /* of words and angles; the training pictures have the run's */
};

#define WIDTH 0.25 /* of preset photo: 0.7 M weights */

typedef struct {
    const lab_settings *settings;
    run_folder folder;
    letters_fonts *fonts;
    words_set rotated, upright;
    int reader[WORDS_READERS];
    char missing[WORDS_READERS][512]; /* why one is not asked; "": it is */
    char model[RECON_PATH];
    double train_seconds;
} run;

static size_t divide_up(size_t n, size_t by)
{
    return by ? (n + by - 1) / by : 0;
}

/* --- readers ---------------------------------------------------------------------------------- */

/* Before the long work: which readers there are. */
static recon_status find_readers(recon_ctx *ctx, run *r)
{
    int found = 0;
    recon_status status = RECON_OK;
    for (int i = 0; i < WORDS_READERS; i++) {
        if (r->settings->reader && r->settings->reader != 1 + i)
            continue;
        status = words_reader_check(ctx, i, r->folder.path);
        if (status == RECON_ERR_INTERRUPTED)
            return status;
        r->reader[i] = status == RECON_OK;
        found += r->reader[i];
        if (!r->reader[i])
            snprintf(r->missing[i], sizeof r->missing[i], "%s", recon_ctx_message(ctx));
    }
    for (int i = 0; found && i < WORDS_READERS; i++)
        if (r->missing[i][0])
            recon_log(ctx, RECON_LOG_WARN, "%s is skipped: %s", words_reader_title[i],
                      r->missing[i]);
    return found ? RECON_OK : status;
}

/* --- the model -------------------------------------------------------------------------------- */

static recon_status draw_training(recon_ctx *ctx, run *r, const char *dir)
{
    const lab_settings *s = r->settings;
    size_t faces = letters_fonts_count(r->fonts, LETTERS_TRAIN);
    words_list list = { 0 };
    words_set set = { 0 };
    recon_status status;
    RECON_TRY(words_list_read(ctx, &list, NULL, LETTERS_TRAIN));
    RECON_TRY(words_set_make(ctx, &set, r->fonts, LETTERS_TRAIN, &list,
                             divide_up(s->limit ? s->limit : TRAINING, faces), WORDS_VARIED,
                             s->seed));
    RECON_TRY(words_set_write(ctx, &set, dir));
done:
    words_set_free(&set);
    words_list_free(&list);
    return status;
}

static recon_status train_backbone(recon_ctx *ctx, run *r, recon_dataset **data,
                                   char model[RECON_PATH])
{
    const lab_settings *s = r->settings;
    char dir[RECON_PATH], spec[RECON_PATH + 8];
    recon_train_result trained;
    recon_status status;
    recon_folder_join(dir, r->folder.path, "words");
    RECON_TRY(draw_training(ctx, r, dir));
    snprintf(spec, sizeof spec, "images:%s", dir);
    RECON_TRY(recon_dataset_open_with(
        ctx, data, spec, &(recon_dataset_options){ .size = s->size ? s->size : SIZE }));
    recon_folder_join(model, r->folder.path, "words.safetensors");
    RECON_TRY(recon_ieae_train(
        ctx, &trained, *data, model,
        &(recon_ieae_options){ .shape = { .preset = (recon_preset)s->preset,
                                          .width = s->preset == RECON_PRESET_PHOTO ? WIDTH : 0,
                                          .code = CODE },
                               .epochs = s->epochs ? s->epochs : EPOCHS,
                               .batch = s->limit && s->limit < FEW ? 0 : BATCH,
                               .density = 1,
                               .augment = -1, /* the pictures vary; blurred letters say less */
                               .flip = -1,
                               .seed = s->seed,
                               .threads = recon_ctx_threads(ctx),
                               .precision = s->precision,
                               .resume = s->resume,
                               .overwrite = s->overwrite,
                               .data = "words" }));
    r->train_seconds = trained.seconds;
done:
    return status;
}

static recon_status train(recon_ctx *ctx, run *r)
{
    const lab_settings *s = r->settings;
    char dir[RECON_PATH], backbone[RECON_PATH];
    recon_dataset *data = NULL;
    recon_discovery found = { 0 };
    recon_status status;
    RECON_TRY(train_backbone(ctx, r, &data, backbone));
    RECON_TRY(recon_discover(ctx, &found, backbone, NULL, recon_dataset_data(data),
                             recon_folder_join(dir, r->folder.path, "found"),
                             &(recon_discover_options){ .lambda = RECON_LAMBDA_DENSITY,
                                                        .folds = -1,
                                                        .half = 1,
                                                        .maps = { .seed = s->seed },
                                                        .precision = s->precision,
                                                        .data = "words" }));
    recon_folder_join(r->model, dir, "model.safetensors");
done:
    recon_discovery_free(&found);
    recon_dataset_close(data);
    return status;
}

static recon_status find_model(recon_ctx *ctx, run *r)
{
    if (r->settings->models[0]) {
        snprintf(r->model, sizeof r->model, "%s", r->settings->models[0]);
        return RECON_OK;
    }
    return recon_shipped_find(
        ctx, r->model, sizeof r->model, "models", "words.safetensors",
        "`recon reproduce words --train --out DIR` makes one, --model names another");
}

/* --- test pictures ---------------------------------------------------------------------------- */

static recon_status draw_tests(recon_ctx *ctx, run *r)
{
    const lab_settings *s = r->settings;
    size_t faces = letters_fonts_count(r->fonts, LETTERS_TEST);
    size_t n = s->images ? s->images : s->quick ? QUICK_TESTS : TESTS, each = divide_up(n, faces);
    words_list list = { 0 };
    char path[RECON_PATH];
    recon_status status;
    RECON_TRY(words_list_read(ctx, &list, NULL, LETTERS_TEST));
    RECON_TRY(words_set_make(ctx, &r->rotated, r->fonts, LETTERS_TEST, &list, each, WORDS_ROTATED,
                             TEST_SEED));
    RECON_TRY(words_set_make(ctx, &r->upright, r->fonts, LETTERS_TEST, &list, each, WORDS_UPRIGHT,
                             TEST_SEED));
    RECON_TRY(
        words_set_write(ctx, &r->rotated, recon_folder_join(path, r->folder.path, "rotated")));
    RECON_TRY(
        words_set_write(ctx, &r->upright, recon_folder_join(path, r->folder.path, "upright")));
done:
    words_list_free(&list);
    return status;
}

/* --- as JSON ---------------------------------------------------------------------------------- */

static json_t *percent(double share)
{
    return isnan(share) ? json_null() : json_real(round(1e4 * share) / 100);
}

static json_t *errors_json(const words_errors *e)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:o, s:o}", "median_deg", e->median, "p75_deg", e->p75,
                     "p90_deg", e->p90, "p99_deg", e->p99, "within_15_percent", percent(e->within),
                     "upside_down_percent", percent(e->upside_down));
}

static json_t *reader_json(const words_result *w, int reader)
{
    const double *a = w->accuracy[reader];
    json_t *out = json_object();
    if (isnan(a[WORDS_NONE])) {
        json_decref(out);
        return json_null();
    }
    for (int row = 0; row < WORDS_ROWS; row++)
        recon_json_put(&out, words_row_name[row], percent(a[row]));
    return out;
}

static json_t *as_json(recon_ctx *ctx, const run *r, const words_result *w,
                       const recon_model *model)
{
    const recon_model_info info = recon_model_describe(model);
    json_t *accuracy = json_object(), *kept = json_object(), *ms = json_object(),
           *notes = json_array();
    for (int i = 0; i < WORDS_READERS; i++) {
        const double *a = w->accuracy[i];
        recon_json_put(&accuracy, words_reader_name[i], reader_json(w, i));
        recon_json_put(&kept, words_reader_name[i], percent(a[WORDS_RECON] / a[WORDS_STANDING]));
        recon_json_put(&ms, words_reader_name[i],
                       isnan(w->reader_ms[i]) ? json_null() : json_real(w->reader_ms[i]));
        if (r->missing[i][0])
            recon_json_append(&notes, json_sprintf("%s: %s", words_reader_title[i], r->missing[i]));
    }
    recon_json_put(&ms, "pose", json_real(w->pose_ms));
    recon_json_put(&ms, "rotate", json_real(w->rotate_ms));
    recon_json_put(&ms, "backend", json_string(recon_ops_name(ctx)));
    recon_json_put(&ms, "threads", json_integer(recon_ctx_threads(ctx)));
    json_t *out = json_pack(
        "{s:s, s:I, s:I, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "dataset", "words",
        "images", (json_int_t)w->n, "fonts",
        (json_int_t)letters_fonts_count(r->fonts, LETTERS_TEST), "preset",
        recon_preset_name(info.images.preset), "size", (json_int_t)info.images.height, "weights",
        (json_int_t)recon_backbone_weights(model->backbone), "accuracy", accuracy,
        "kept_percent_of_upright", kept, "pose_error", errors_json(&w->rotated),
        "pose_error_upright", errors_json(&w->upright), "ms_a_picture", ms, "notes", notes);
    recon_json_put(&out, "gate",
                   json_pack("{s:f, s:{s:o, s:o}}", "p", WORDS_LEVEL, "rotated_percent", "rotated",
                             percent(w->rotated_share[0]), "upright",
                             percent(w->rotated_share[1])));
    recon_json_put(&out, "unlike_percent",
                   json_pack("{s:o, s:o}", "rotated", percent(w->unlike[0]), "upright",
                             percent(w->unlike[1])));
    if (r->settings->train)
        recon_json_put(&out, "train_seconds", json_real(r->train_seconds));
    return out;
}

/* --- the experiment --------------------------------------------------------------------------- */

static recon_status work(recon_ctx *ctx, json_t **result, run *r)
{
    const lab_settings *s = r->settings;
    recon_model *model = NULL;
    words_result w;
    recon_status status;
    RECON_TRY(run_folder_make(ctx, &r->folder, s->out, "words", s->seed));
    RECON_TRY(find_readers(ctx, r));
    RECON_TRY(words_fonts_open(ctx, &r->fonts, s->fonts, TRAINING_FONTS,
                               s->quick ? QUICK_FONTS : TEST_FONTS, FONTS_SEED));
    RECON_TRY(s->train ? train(ctx, r) : find_model(ctx, r));
    RECON_TRY(draw_tests(ctx, r));
    RECON_TRY(recon_model_open(ctx, &model, r->model, s->precision));
    RECON_TRY(words_measure(ctx, &w, model, &r->rotated, &r->upright, r->folder.path, r->reader));
    *result = as_json(ctx, r, &w, model);
    if (!*result)
        status = recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
done:
    recon_model_close(ctx, model);
    return status;
}

recon_status words_run(recon_ctx *ctx, json_t **result, const lab_settings *s)
{
    run r = { .settings = s };
    recon_status status;
    *result = NULL;
    status = work(ctx, result, &r);
    run_folder_remove(&r.folder);
    words_set_free(&r.rotated);
    words_set_free(&r.upright);
    letters_fonts_free(r.fonts);
    return status;
}

/* --- as text ---------------------------------------------------------------------------------- */

static const lab_row ways[] = {
    { "none", "any angle, as they come", 0 },
    { "own_remedy", "the reader's own remedy", 0 },
    { "recon", "recon (ours: density)", 0 },
    { "recon_gated", "recon, where the gate opens", 0 },
    { "upright", "upright, as they come", 0 },
    { "upright_recon", "recon", 0 },
    { "upright_gated", "recon, where the gate opens", 0 },
};
static const lab_row kept[] = { { "kept_percent_of_upright", "recon, of what upright gives", 0 } };
static const lab_row errors[] = { { "pose_error", "any angle", 0 },
                                  { "pose_error_upright", "upright", 0 } };
static const lab_table tables[] = {
    { .title =
          "Words: {images} pictures in {fonts} fonts before frozen readers; {preset} at {size} "
          "x {size}, {weights} weights\nwords read without a mistake, percent\n",
      LAB_COLUMNS({ "", NULL, "  %-32s" }, { "PP-OCRv4", "accuracy.ppocr.*", "%20.2f" },
                  { "Tesseract --psm 7", "accuracy.tesseract.*", "%20.2f" }),
      LAB_ROWS(ways) },
    { LAB_COLUMNS({ NULL, NULL, "  %-32s" }, { "", "*.ppocr", "%20.1f" },
                  { "", "*.tesseract", "%20.1f" }),
      LAB_ROWS(kept) },
    { .title = "\npose error, degrees\n",
      LAB_COLUMNS({ "", NULL, "  %-12s" }, { "median", "*.median_deg", "%10.1f" },
                  { "75 %", "*.p75_deg", "%10.1f" }, { "90 %", "*.p90_deg", "%10.1f" },
                  { "99 %", "*.p99_deg", "%10.1f" },
                  { "within 15, %", "*.within_15_percent", "%14.2f" },
                  { "upside down, %", "*.upside_down_percent", "%16.2f" }),
      LAB_ROWS(errors) },
};

void words_show(const json_t *result)
{
    for (size_t i = 0; i < LAB_COUNT(tables); i++)
        lab_print_table(result, &tables[i]);
    lab_say(
        result,
        "\ngate: rotated only where the p-value of the pose is below {gate.p:g}: "
        "{gate.rotated_percent.rotated:.2f} % at any angle, {gate.rotated_percent.upright:.2f} % "
        "of upright ones\n"
        "milliseconds a picture ({ms_a_picture.backend}, {ms_a_picture.threads} threads): pose "
        "{ms_a_picture.pose:.2f}, rotation {ms_a_picture.rotate:.2f}");
    if (!isnan(lab_number(result, "ms_a_picture.ppocr")))
        lab_say(result, ", PP-OCRv4 {ms_a_picture.ppocr:.1f}");
    if (!isnan(lab_number(result, "ms_a_picture.tesseract")))
        lab_say(result, ", Tesseract --psm 7 {ms_a_picture.tesseract:.1f}");
    putchar('\n');
    lab_print_list(result, "notes", NULL, "skipped: ");
}
