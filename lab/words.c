/* words.c - `recon reproduce words`: draws words, finds or trains a model, and runs readers. */
#include "backbone/ieae.h"
#include "lab/words.h"
#include "lab/lab.h"
#include "lab/table.h"
#include "backbone/kinds.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/shipped.h"
#include "model/model.h"
#include "core/text.h"
#include "core/folder.h"
#include "core/memory.h"
#include "data/image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A set, and what the model says of each picture in it. */
typedef struct {
    words_set set;
    const char *name; /* of its folder */
    double *by, *p;   /* what it would rotate it by, and the p-value of its pose */
    json_t *errors;
    double unlike, rotated; /* shares: unlike what it knows; rotated behind the gate */
} posed;
enum { ROTATED, UPRIGHT, SETS };

/* In the order of the table; those of PLAIN rows are read, the others follow from them. */
enum { NONE, OWN, RECON, GATED, STANDING, STANDING_RECON, STANDING_GATED, WAYS };
static const lab_row ways[WAYS] = {
    { "none", "any angle, as they come", 0 },
    { "own_remedy", "the reader's own remedy", 0 },
    { "recon", "recon: the pose density", 0 },
    { "recon_gated", "recon, where the gate opens", 0 },
    { "upright", "upright, as they come", 0 },
    { "upright_canonical", "recon", 0 },
    { "upright_gated", "recon, where the gate opens", 0 },
};
#define LEVEL 0.01 /* of p-values: the gate's */

typedef struct {
    const lab_settings *settings;
    run_folder folder;
    letters_fonts *fonts;
    posed of[SETS];
    int reader[WORDS_READERS];
    char missing[WORDS_READERS][512]; /* why one is not asked; "": it is */
    char model[RECON_PATH];
    double train_seconds, pose_ms, rotate_ms;
    json_t *accuracy, *kept, *ms; /* by reader */
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
    recon_folder_join(dir, r->folder.path, "words");
    RECON_CHECK(draw_training(ctx, r, dir));
    snprintf(spec, sizeof spec, "images:%s", dir);
    RECON_CHECK(recon_dataset_open_with(
        ctx, data, spec, &(recon_dataset_options){ .size = s->size ? s->size : SIZE }));
    recon_folder_join(model, r->folder.path, "words.safetensors");
    RECON_CHECK(recon_ieae_train(
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
    return RECON_OK;
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
    for (int i = 0; i < SETS; i++) {
        posed *of = &r->of[i];
        RECON_TRY(words_set_make(ctx, &of->set, r->fonts, LETTERS_TEST, &list, each,
                                 i == ROTATED ? WORDS_ROTATED : WORDS_UPRIGHT, TEST_SEED));
        RECON_TRY(
            words_set_write(ctx, &of->set, recon_folder_join(path, r->folder.path, of->name)));
    }
done:
    words_list_free(&list);
    return status;
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
        double begun = recon_now();
        if (by)
            words_rotate(whole, picture, by[i]);
        if (seconds)
            *seconds += recon_now() - begun;
        snprintf(name, sizeof name, "%05zu.pgm", i);
        RECON_TRY(letters_write_pgm(ctx, recon_folder_join(path, dir, name),
                                    words_band(by ? whole : picture), WORDS_BAND, WORDS_SIDE));
    }
done:
    free(whole);
    return status;
}

/* --- poses ------------------------------------------------------------------------------------ */

static const lab_error_row error_rows[] = {
    { "median_deg", LAB_QUANTILE, 0.5 },
    { "p75_deg", LAB_QUANTILE, 0.75 },
    { "p90_deg", LAB_QUANTILE, 0.9 },
    { "p99_deg", LAB_QUANTILE, 0.99 },
    { "within_15_percent", LAB_WITHIN, 15.0 }, /* which readers forgive */
    { "upside_down_percent", LAB_BEYOND, 150.0 },
};

/* What the model says of the small copies that it looks at. */
static recon_status ask_model(recon_ctx *ctx, run *r, posed *s, const recon_model *model)
{
    size_t n = s->set.n;
    recon_pose_score *scores = NULL;
    double *off = NULL, begun;
    float *images = NULL;
    char path[RECON_PATH];
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &s->by, n, sizeof *s->by));
    RECON_TRY(recon_alloc_raw(ctx, &s->p, n, sizeof *s->p));
    RECON_TRY(recon_alloc_raw(ctx, &off, n, sizeof *off));
    RECON_TRY(recon_alloc_raw(ctx, &scores, n, sizeof *scores));
    recon_folder_join(path, r->folder.path, s->name);
    RECON_TRY(letters_load(ctx, &images, n, path, model));
    begun = recon_now();
    RECON_TRY(recon_score_images(ctx, scores, model, images, n));
    r->pose_ms += 1000 * (recon_now() - begun) / (double)(SETS * n);
    for (size_t i = 0; i < n; i++) {
        s->by[i] = scores[i].pose.rotation[0];
        s->p[i] = scores[i].p_value;
        s->unlike += (scores[i].p_embedding < LEVEL) / (double)n;
        off[i] = recon_so2_distance(-s->by[i], s->set.angle[i]) * RECON_TO_DEGREES;
    }
    s->errors = lab_errors(off, n, error_rows, LAB_COUNT(error_rows));
    for (size_t i = 0; i < LAB_COUNT(error_rows); i++)
        if (error_rows[i].what != LAB_QUANTILE)
            recon_json_put(&s->errors, error_rows[i].key,
                           lab_percent(lab_number(s->errors, error_rows[i].key) / 100));
done:
    recon_free_all(images, scores, off);
    return status;
}

/* --- what readers read ------------------------------------------------------------------------ */

/* Whether each picture's text is the word. */
typedef struct {
    uint8_t *right[WAYS];
    words_text *text, *own;
} answers;

static void mark(uint8_t *right, words_text *text, const words_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        right[i] = !strcmp(text[i], set->text[i]);
}

static const char *folder_of(char path[RECON_PATH], const run *r, int way)
{
    char name[64];
    snprintf(name, sizeof name, "read-%s", ways[way].path);
    return recon_folder_join(path, r->folder.path, name);
}

static recon_status read_way(recon_ctx *ctx, run *r, answers *a, int reader, int way)
{
    const words_set *set = &r->of[way >= STANDING].set;
    words_text *own = reader == WORDS_PPOCR && way == NONE ? a->own : NULL;
    char path[RECON_PATH];
    double begun = recon_now();
    RECON_CHECK(words_read(ctx, a->text, own, reader, folder_of(path, r, way), set->n));
    mark(a->right[way], a->text, set);
    if (own)
        mark(a->right[OWN], own, set);
    if (way == STANDING)
        recon_json_put(&r->ms, words_reader_name[reader],
                       json_real(1000 * (recon_now() - begun) / (double)set->n));
    return RECON_OK;
}

/* Tesseract's remedy: its orientation detector sees the whole picture. */
static recon_status read_osd(recon_ctx *ctx, run *r, answers *a)
{
    const posed *s = &r->of[ROTATED];
    int *quarters = NULL;
    double *by = NULL;
    char path[RECON_PATH];
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &quarters, s->set.n, sizeof *quarters));
    RECON_TRY(recon_alloc(ctx, &by, s->set.n, sizeof *by));
    RECON_TRY(words_osd(ctx, quarters, recon_folder_join(path, r->folder.path, s->name), s->set.n));
    for (size_t i = 0; i < s->set.n; i++)
        by[i] = quarters[i] * 90 * RECON_TO_RADIANS;
    RECON_TRY(write_bands(ctx, &s->set, by, folder_of(path, r, OWN), NULL));
    RECON_TRY(read_way(ctx, r, a, WORDS_TESSERACT, OWN));
done:
    recon_free_all(by, quarters);
    return status;
}

/* Those that the gate opens for are read rotated; they stand behind those in `first` and in that of
 * RECON. */
static void gate(answers *a, posed *s, int first, int recon, int gated)
{
    size_t open = 0;
    for (size_t i = 0; i < s->set.n; i++) {
        int opens = recon_gate_opens(LEVEL, s->p[i]);
        open += (size_t)opens;
        a->right[gated][i] = a->right[opens ? recon : first][i];
    }
    s->rotated = (double)open / (double)s->set.n;
}

static recon_status ask_reader(recon_ctx *ctx, run *r, int reader)
{
    static const int read[] = { NONE, RECON, STANDING, STANDING_RECON };
    size_t n = r->of[ROTATED].set.n;
    double share[WAYS] = { 0 };
    json_t *out = json_object();
    answers a = { .text = NULL };
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &a.text, n, sizeof *a.text));
    RECON_TRY(recon_alloc(ctx, &a.own, n, sizeof *a.own));
    for (int way = 0; way < WAYS; way++)
        RECON_TRY(recon_alloc(ctx, &a.right[way], n, 1));
    for (size_t i = 0; i < LAB_COUNT(read); i++) {
        RECON_TRY(read_way(ctx, r, &a, reader, read[i]));
        if (read[i] == NONE && reader == WORDS_TESSERACT)
            RECON_TRY(read_osd(ctx, r, &a));
    }
    gate(&a, &r->of[ROTATED], NONE, RECON, GATED);
    gate(&a, &r->of[UPRIGHT], STANDING, STANDING_RECON, STANDING_GATED);
    for (int way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < n; i++)
            share[way] += a.right[way][i];
        share[way] /= (double)n;
        recon_json_put(&out, ways[way].path, lab_percent(share[way]));
    }
    recon_json_put(&r->accuracy, words_reader_name[reader], json_incref(out));
    recon_json_put(&r->kept, words_reader_name[reader],
                   lab_percent(share[RECON] / share[STANDING]));
done:
    json_decref(out);
    recon_free_all(a.text, a.own);
    for (int way = 0; way < WAYS; way++)
        free(a.right[way]);
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

static recon_status measure(recon_ctx *ctx, run *r, const recon_model *model)
{
    double seconds = 0;
    char path[RECON_PATH];
    RECON_CHECK(recon_model_takes(ctx, model, "images"));
    for (int i = 0; i < SETS; i++)
        RECON_CHECK(ask_model(ctx, r, &r->of[i], model));
    for (int i = 0; i < SETS; i++) {
        posed *s = &r->of[i];
        RECON_CHECK(
            write_bands(ctx, &s->set, NULL, folder_of(path, r, i ? STANDING : NONE), &seconds));
        RECON_CHECK(write_bands(ctx, &s->set, s->by, folder_of(path, r, i ? STANDING_RECON : RECON),
                                &seconds));
    }
    r->rotate_ms = 1000 * seconds / (double)(SETS * r->of[ROTATED].set.n);
    for (int i = 0; i < WORDS_READERS; i++) {
        recon_json_put(&r->accuracy, words_reader_name[i], json_null());
        recon_json_put(&r->kept, words_reader_name[i], json_null());
        recon_json_put(&r->ms, words_reader_name[i], json_null());
        if (r->reader[i])
            RECON_CHECK(ask_reader(ctx, r, i));
    }
    return RECON_OK;
}

static json_t *as_json(recon_ctx *ctx, run *r, const recon_model *model)
{
    const recon_model_info info = recon_model_describe(model);
    const posed *of = r->of;
    json_t *notes = json_array();
    for (int i = 0; i < WORDS_READERS; i++)
        if (r->missing[i][0])
            recon_json_append(&notes, json_sprintf("%s: %s", words_reader_title[i], r->missing[i]));
    recon_json_put(&r->ms, "pose", json_real(r->pose_ms));
    recon_json_put(&r->ms, "rotate", json_real(r->rotate_ms));
    recon_json_put(&r->ms, "backend", json_string(recon_ops_name(ctx)));
    recon_json_put(&r->ms, "threads", json_integer(recon_ctx_threads(ctx)));
    json_t *out = json_pack(
        "{s:s, s:I, s:I, s:s, s:I, s:I, s:O, s:O, s:O, s:O, s:O, s:o, s:{s:f, s:{s:o, s:o}}, "
        "s:{s:o, s:o}}",
        "dataset", "words", "images", (json_int_t)of[ROTATED].set.n, "fonts",
        (json_int_t)letters_fonts_count(r->fonts, LETTERS_TEST), "preset",
        recon_preset_name(info.images.preset), "size", (json_int_t)info.images.height, "weights",
        (json_int_t)recon_backbone_weights(model->backbone), "accuracy", r->accuracy,
        "kept_percent_of_upright", r->kept, "pose_error", of[ROTATED].errors, "pose_error_upright",
        of[UPRIGHT].errors, "ms_a_picture", r->ms, "notes", notes, "gate", "p", LEVEL,
        "rotated_percent", "rotated", lab_percent(of[ROTATED].rotated), "upright",
        lab_percent(of[UPRIGHT].rotated), "unlike_percent", "rotated",
        lab_percent(of[ROTATED].unlike), "upright", lab_percent(of[UPRIGHT].unlike));
    if (r->settings->train)
        recon_json_put(&out, "train_seconds", json_real(r->train_seconds));
    return out;
}

static recon_status work(recon_ctx *ctx, json_t **result, run *r)
{
    const lab_settings *s = r->settings;
    recon_model *model = NULL;
    recon_status status;
    RECON_TRY(run_folder_make(ctx, &r->folder, s->out, "words", s->seed));
    RECON_TRY(find_readers(ctx, r));
    RECON_TRY(words_fonts_open(ctx, &r->fonts, s->fonts, TRAINING_FONTS,
                               s->quick ? QUICK_FONTS : TEST_FONTS, FONTS_SEED));
    RECON_TRY(s->train ? train(ctx, r) : find_model(ctx, r));
    RECON_TRY(draw_tests(ctx, r));
    RECON_TRY(recon_model_open(ctx, &model, r->model, s->precision));
    RECON_TRY(measure(ctx, r, model));
    *result = as_json(ctx, r, model);
    if (!*result)
        status = recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
done:
    recon_model_close(ctx, model);
    return status;
}

recon_status words_run(recon_ctx *ctx, json_t **result, const lab_settings *s)
{
    run r = { .settings = s,
              .of = { { .name = "rotated" }, { .name = "upright" } },
              .accuracy = json_object(),
              .kept = json_object(),
              .ms = json_object() };
    *result = NULL;
    recon_status status = work(ctx, result, &r);
    run_folder_remove(&r.folder);
    for (int i = 0; i < SETS; i++) {
        words_set_free(&r.of[i].set);
        json_decref(r.of[i].errors);
        recon_free_all(r.of[i].by, r.of[i].p);
    }
    json_decref(r.accuracy);
    json_decref(r.kept);
    json_decref(r.ms);
    letters_fonts_free(r.fonts);
    return status;
}

/* --- as text ---------------------------------------------------------------------------------- */

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
