/* words_measure.c - what readers read in words as they come, and as the model of poses rotates them. */
#include "lab/words.h"
#include "backbone/kinds.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"
#include "data/image.h"
#include "model/model.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/model/score.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
