/* words.c - `recon reproduce words`: words are drawn, the model is found or trained, readers read. */
#include "lab/words.h"
#include "lab/lab.h"
#include "lab/table.h"
#include "lab/letters.h"
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
#include "core/degrees.h"
#include "core/folder.h"
#include "core/memory.h"
#include "data/image.h"
#include "stats/quantile.h"

#include <recon/group/so2.h>
#include <recon/model/score.h>
#include <stdlib.h>
#include <time.h>

#define NEAR 15.0 /* degrees that readers forgive */
#define FAR  150.0

const char *const words_row_name[WORDS_ROWS] = {
    [WORDS_NONE] = "none",
    [WORDS_OWN] = "own_remedy",
    [WORDS_RECON] = "recon",
    [WORDS_GATED] = "recon_gated",
    [WORDS_STANDING] = "upright",
    [WORDS_STANDING_RECON] = "upright_recon",
    [WORDS_STANDING_GATED] = "upright_gated",
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- pictures --------------------------------------------------------------------------------- */

const uint8_t *words_band(const uint8_t *picture)
{
    return picture + (WORDS_SIDE - WORDS_BAND) / 2 * WORDS_SIDE;
}

void words_rotate(uint8_t *out, const uint8_t *picture, double angle)
{
    const recon_pixels in = { .bytes = (uint8_t *)(uintptr_t)picture,
                              .height = WORDS_SIDE,
                              .width = WORDS_SIDE,
                              .channels = 1 };
    recon_pixels_rotate(
        out, &in,
        &(recon_pixels_rotation){
            .angle = angle, .fill = { .kind = RECON_FILL_COLOUR, .colour = { 255, 255, 255 } } },
        0, WORDS_SIDE);
}

/* The bands of a set, each picture rotated by an angle, or none, for readers to read. */
static recon_status write_bands(recon_ctx *ctx, const words_set *set, const double *by,
                                const char *dir, double *seconds)
{
    uint8_t *whole = NULL;
    char name[32], path[RECON_PATH];
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &whole, WORDS_PIXELS, 1));
    RECON_TRY(recon_folder_make(ctx, dir));
    for (size_t i = 0; i < set->n; i++) {
        const uint8_t *picture = set->pixels + i * WORDS_PIXELS;
        double begun = now();
        if (by)
            words_rotate(whole, picture, by[i]);
        if (seconds)
            *seconds += now() - begun;
        snprintf(name, sizeof name, "%05zu.pgm", i);
        RECON_TRY(letters_write_pgm(ctx, recon_folder_join(path, dir, name),
                                    words_band(by ? whole : picture), WORDS_BAND, WORDS_SIDE));
    }
done:
    free(whole);
    return status;
}

/* --- poses ------------------------------------------------------------------------------------ */

typedef struct {
    const words_set *set;
    const char *name; /* of its folder */
    double *by;       /* what the model would rotate each picture by */
    double *p;        /* of its pose                                 */
} posed;

/* The small copies that the model looks at: as `recon canonicalize` reads a folder. */
static recon_status load(recon_ctx *ctx, float **out, size_t n, const char *dir,
                         const recon_model *model)
{
    const recon_ieae_shape shape = recon_model_describe(model).images;
    const recon_backbone *backbone = recon_model_backbone(model);
    size_t pixels = shape.height * shape.width_px * shape.channels;
    recon_data_options as = { 0 };
    recon_dataset *data = NULL;
    char spec[RECON_PATH + 8];
    recon_status status;
    snprintf(spec, sizeof spec, "images:%s", dir);
    backbone->kind->data_options(backbone, &as);
    RECON_TRY(recon_dataset_open_with(
        ctx, &data, spec,
        &(recon_dataset_options){ .size = as.size, .channels = as.channels, .crop = as.crop }));
    RECON_TRY(recon_alloc_raw(ctx, out, n * pixels, sizeof **out));
    for (size_t i = 0; i < n; i++)
        recon_dataset_get(*out + i * pixels, data, i);
done:
    recon_dataset_close(data);
    return status;
}

static recon_status measure_errors(recon_ctx *ctx, words_errors *out, const posed *s)
{
    double *off = NULL, one = 1 / (double)s->set->n;
    recon_status status;
    *out = (words_errors){ 0 };
    RECON_TRY(recon_alloc_raw(ctx, &off, s->set->n, sizeof *off));
    for (size_t i = 0; i < s->set->n; i++) {
        off[i] = recon_so2_distance(-s->by[i], s->set->angle[i]) * RECON_TO_DEGREES;
        out->within += (off[i] <= NEAR) * one;
        out->upside_down += (off[i] > FAR) * one;
    }
    recon_sort_doubles(off, s->set->n);
    out->median = recon_quantile(off, s->set->n, 0.5);
    out->p75 = recon_quantile(off, s->set->n, 0.75);
    out->p90 = recon_quantile(off, s->set->n, 0.9);
    out->p99 = recon_quantile(off, s->set->n, 0.99);
done:
    free(off);
    return status;
}

static recon_status ask_model(recon_ctx *ctx, posed *s, words_errors *errors, double *seconds,
                              double *unlike, const recon_model *model, const char *dir)
{
    size_t n = s->set->n;
    recon_pose_score2 *scores = NULL;
    float *images = NULL;
    char path[RECON_PATH];
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &s->by, n, sizeof *s->by));
    RECON_TRY(recon_alloc_raw(ctx, &s->p, n, sizeof *s->p));
    RECON_TRY(recon_alloc_raw(ctx, &scores, n, sizeof *scores));
    RECON_TRY(load(ctx, &images, n, recon_folder_join(path, dir, s->name), model));
    double begun = now();
    RECON_TRY(recon_score_images(ctx, scores, model, images, n));
    *seconds += now() - begun;
    *unlike = 0;
    for (size_t i = 0; i < n; i++) {
        s->by[i] = scores[i].pose.rotation;
        s->p[i] = scores[i].p_value;
        *unlike += (scores[i].p_embedding < WORDS_LEVEL) / (double)n;
    }
    RECON_TRY(measure_errors(ctx, errors, s));
done:
    free(images);
    free(scores);
    return status;
}

/* --- readers ---------------------------------------------------------------------------------- */

/* Whether each picture's text is the word, and the share of those. */
typedef struct {
    uint8_t *right[WORDS_ROWS];
    words_text *text, *own;
    size_t n;
} answers;

static recon_status answers_new(recon_ctx *ctx, answers *a, size_t n)
{
    recon_status status;
    *a = (answers){ .n = n };
    RECON_TRY(recon_alloc(ctx, &a->text, n, sizeof *a->text));
    RECON_TRY(recon_alloc(ctx, &a->own, n, sizeof *a->own));
    for (int row = 0; row < WORDS_ROWS; row++)
        RECON_TRY(recon_alloc(ctx, &a->right[row], n, 1));
done:
    return status;
}

static void answers_free(answers *a)
{
    free(a->text);
    free(a->own);
    for (int row = 0; row < WORDS_ROWS; row++)
        free(a->right[row]);
}

static void mark(uint8_t *right, words_text *text, const words_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        right[i] = !strcmp(text[i], set->text[i]);
}

typedef struct {
    recon_ctx *ctx;
    words_result *result;
    posed rotated, upright;
    const char *dir;
} measurement;

static recon_status read_row(measurement *m, answers *a, int reader, int row, const char *name,
                             const words_set *set)
{
    char path[RECON_PATH];
    double begun = now();
    words_text *own = reader == WORDS_PPOCR && row == WORDS_NONE ? a->own : NULL;
    recon_status status =
        words_read(m->ctx, a->text, own, reader, recon_folder_join(path, m->dir, name), set->n);
    if (status != RECON_OK)
        return status;
    mark(a->right[row], a->text, set);
    if (own)
        mark(a->right[WORDS_OWN], own, set);
    if (row == WORDS_STANDING)
        m->result->reader_ms[reader] = 1000 * (now() - begun) / (double)set->n;
    return RECON_OK;
}

/* Tesseract's remedy: its orientation detector sees the whole picture. */
static recon_status read_osd(measurement *m, answers *a)
{
    const words_set *set = m->rotated.set;
    int *quarters = NULL;
    double *by = NULL;
    char path[RECON_PATH];
    recon_status status;
    RECON_TRY(recon_alloc(m->ctx, &quarters, set->n, sizeof *quarters));
    RECON_TRY(recon_alloc(m->ctx, &by, set->n, sizeof *by));
    RECON_TRY(
        words_osd(m->ctx, quarters, recon_folder_join(path, m->dir, m->rotated.name), set->n));
    for (size_t i = 0; i < set->n; i++)
        by[i] = quarters[i] * 90 * RECON_TO_RADIANS;
    RECON_TRY(
        write_bands(m->ctx, set, by, recon_folder_join(path, m->dir, "read-own_remedy"), NULL));
    RECON_TRY(read_row(m, a, WORDS_TESSERACT, WORDS_OWN, "read-own_remedy", set));
done:
    free(by);
    free(quarters);
    return status;
}

/* Those that the gate opens for are read rotated. */
static double gate(uint8_t *right, const uint8_t *as_is, const uint8_t *rotated, const posed *s)
{
    size_t open = 0;
    for (size_t i = 0; i < s->set->n; i++) {
        int opens = recon_gate_opens(WORDS_LEVEL, s->p[i]);
        open += (size_t)opens;
        right[i] = opens ? rotated[i] : as_is[i];
    }
    return (double)open / (double)s->set->n;
}

static recon_status ask_reader(measurement *m, int reader)
{
    answers a;
    recon_status status;
    RECON_TRY(answers_new(m->ctx, &a, m->rotated.set->n));
    RECON_TRY(read_row(m, &a, reader, WORDS_NONE, "read-none", m->rotated.set));
    if (reader == WORDS_TESSERACT)
        RECON_TRY(read_osd(m, &a));
    RECON_TRY(read_row(m, &a, reader, WORDS_RECON, "read-recon", m->rotated.set));
    RECON_TRY(read_row(m, &a, reader, WORDS_STANDING, "read-upright", m->upright.set));
    RECON_TRY(read_row(m, &a, reader, WORDS_STANDING_RECON, "read-upright_recon", m->upright.set));
    m->result->rotated_share[0] =
        gate(a.right[WORDS_GATED], a.right[WORDS_NONE], a.right[WORDS_RECON], &m->rotated);
    m->result->rotated_share[1] = gate(a.right[WORDS_STANDING_GATED], a.right[WORDS_STANDING],
                                       a.right[WORDS_STANDING_RECON], &m->upright);
    for (int row = 0; row < WORDS_ROWS; row++) {
        double sum = 0;
        for (size_t i = 0; i < a.n; i++)
            sum += a.right[row][i];
        m->result->accuracy[reader][row] = sum / (double)a.n;
    }
done:
    answers_free(&a);
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

static recon_status write_all(measurement *m)
{
    const struct {
        const char *name;
        const words_set *set;
        const double *by;
    } of[] = { { "read-none", m->rotated.set, NULL },
               { "read-recon", m->rotated.set, m->rotated.by },
               { "read-upright", m->upright.set, NULL },
               { "read-upright_recon", m->upright.set, m->upright.by } };
    double seconds = 0;
    char path[RECON_PATH];
    recon_status status = RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < sizeof of / sizeof *of; i++)
        status = write_bands(m->ctx, of[i].set, of[i].by,
                             recon_folder_join(path, m->dir, of[i].name), &seconds);
    m->result->rotate_ms = 1000 * seconds / (double)(2 * m->rotated.set->n);
    return status;
}

recon_status words_measure(recon_ctx *ctx, words_result *out, const recon_model *model,
                           const words_set *rotated, const words_set *upright, const char *dir,
                           const int reader[WORDS_READERS])
{
    measurement m = { .ctx = ctx,
                      .result = out,
                      .rotated = { .set = rotated, .name = "rotated" },
                      .upright = { .set = upright, .name = "upright" },
                      .dir = dir };
    double seconds = 0;
    recon_status status;
    *out = (words_result){ .n = rotated->n };
    for (int i = 0; i < WORDS_READERS; i++) {
        out->reader_ms[i] = NAN;
        for (int row = 0; row < WORDS_ROWS; row++)
            out->accuracy[i][row] = NAN;
    }
    RECON_TRY(recon_model_takes(ctx, model, "images"));
    RECON_TRY(ask_model(ctx, &m.rotated, &out->rotated, &seconds, &out->unlike[0], model, dir));
    RECON_TRY(ask_model(ctx, &m.upright, &out->upright, &seconds, &out->unlike[1], model, dir));
    out->pose_ms = 1000 * seconds / (double)(2 * rotated->n);
    RECON_TRY(write_all(&m));
    for (int i = 0; i < WORDS_READERS; i++)
        if (reader[i])
            RECON_TRY(ask_reader(&m, i));
done:
    free(m.rotated.by);
    free(m.rotated.p);
    free(m.upright.by);
    free(m.upright.p);
    return status;
}

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
