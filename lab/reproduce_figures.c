/* reproduce_figures.c - the figures of one experiment, from what was measured. */
#include "lab/reproduce.h"
#include "backbone/photo_net.h"
#include "core/fail.h"
#include "core/memory.h"
#include "report/pictures.h"

#include <math.h>
#include "core/svg.h"
#include "report/figure.h"
#include "data/rotations.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OF_CLASS = 2, SHEET = 10, PAIR_IMAGES = 6 };

/* Where the figures go, and the list of those written. */
typedef struct {
    const reproduction *r;
    const char *dir;
    json_t *list;
} album;

recon_status reproduce_keep(recon_ctx *ctx, json_t *list, const char *dir, const char *set,
                            const char *name, char *svg)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%s.svg", dir, set, name);
    recon_status status = recon_svg_save_over(ctx, path, svg);
    if (status == RECON_OK)
        json_array_append_new(list, json_string(path));
    free(svg);
    return status;
}

static recon_status keep(recon_ctx *ctx, const album *a, const char *name, char *svg)
{
    return reproduce_keep(ctx, a->list, a->dir, a->r->on->what->name, name, svg);
}

/* --- images ----------------------------------------------------------------------------------- */

/* Of many classes the first ones are drawn. */
static size_t shown_classes(const reproduction *r)
{
    return r->on->classes < SHOWN_CLASSES ? r->on->classes : SHOWN_CLASSES;
}

/* The place of image number `which` of a class; n when there are not so many. */
static size_t nth_of_class(const int64_t *labels, size_t n, int64_t label, size_t which)
{
    for (size_t i = 0; i < n; i++)
        if (labels[i] == label && which-- == 0)
            return i;
    return n;
}

/* The paper's figures 1 and 3: input, decoded and rotated canonicals, RECON's, and the truth. Photo
 * presets decode nothing: that place stays empty. */
static recon_status put_canonicals(recon_ctx *ctx, recon_pictures *s, size_t row,
                                   const reproduction *r, size_t i)
{
    const reading *t = &r->rotated;
    size_t at = row * COLUMNS;
    recon_pictures_put(s, at, t->data, i, 0);
    recon_pictures_put(s, at + 2, t->data, i, -t->codes.poses[i]);
    recon_pictures_put(s, at + 3, t->data, i, -t->absolute[i]);
    recon_pictures_put(s, at + 4, r->on->upright.use, i, 0);
    if (recon_preset_is_photo(recon_model_describe(r->model).images.preset))
        return RECON_OK;
    return recon_ieae_decode(ctx, recon_pictures_place(s, at + 1),
                             recon_backbone_ieae(r->model->backbone), t->codes.z + i * t->codes.d,
                             1);
}

recon_status reproduce_gallery(recon_ctx *ctx, char **svg, const reproduction *r, const char *title,
                               const char *const *headings)
{
    const char *names[SHOWN_CLASSES * OF_CLASS];
    recon_pictures s = { 0 };
    size_t rows = 0, classes = shown_classes(r);
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &s, r->rotated.data, classes * OF_CLASS * COLUMNS));
    for (int64_t c = 0; c < (int64_t)classes; c++)
        for (size_t j = 0; j < OF_CLASS; j++) {
            size_t i = nth_of_class(r->rotated.codes.labels, r->rotated.n, c, j);
            if (i == r->rotated.n)
                continue;
            RECON_TRY(put_canonicals(ctx, &s, rows, r, i));
            names[rows++] = r->on->name[c];
        }
    RECON_TRY(recon_figure_gallery(ctx, svg,
                                   &(recon_gallery){ .title = title,
                                                     .pictures = s.picture,
                                                     .rows = rows,
                                                     .columns = COLUMNS,
                                                     .headings = headings,
                                                     .names = names,
                                                     .blocks = 2 }));
done:
    recon_pictures_free(&s);
    return status;
}

static recon_status draw_gallery(recon_ctx *ctx, const album *a)
{
    static const char *const headings[COLUMNS] = { "input", "IE-AE decoded", "IE-AE", "RECON",
                                                   "upright" };
    char *svg = NULL;
    recon_status status =
        reproduce_gallery(ctx, &svg, a->r, "Input and canonical images", headings);
    return status == RECON_OK ? keep(ctx, a, "canonical", svg) : status;
}

/* The paper's comparison: the same inputs as SGM, the backbone and RECON have them. */
static recon_status draw_sgm(recon_ctx *ctx, const album *a)
{
    static const char *const headings[] = { "input", "SGM", "IE-AE", "RECON" };
    enum { WAYS = sizeof headings / sizeof *headings };
    const reproduction *r = a->r;
    const reading *t = &r->rotated;
    const char *path = r->on->settings->rivals[RIVAL_SGM], *names[SHOWN_CLASSES * OF_CLASS];
    recon_dataset_info d = recon_dataset_describe(t->data);
    recon_pictures s = { 0 };
    rival *net = NULL;
    float *image = NULL;
    char *svg = NULL;
    size_t rows = 0, classes = shown_classes(r);
    recon_status status;
    if (!path)
        return RECON_OK;
    RECON_TRY(rival_open(ctx, &net, path));
    rival_info of = rival_describe(net);
    if (of.height != d.height || of.width != d.width || of.channels != d.channels)
        goto done; /* one of another set */
    RECON_TRY(recon_alloc_raw(ctx, &image, d.height * d.width * d.channels, sizeof *image));
    RECON_TRY(recon_pictures_new(ctx, &s, t->data, classes * OF_CLASS * WAYS));
    for (size_t g = 0; g < classes * OF_CLASS; g++) {
        int64_t c = (int64_t)(g / OF_CLASS);
        size_t i = nth_of_class(t->codes.labels, t->n, c, g % OF_CLASS);
        double pose;
        if (i == t->n)
            continue;
        recon_dataset_get(image, t->data, i);
        RECON_TRY(rival_poses(ctx, &pose, net, image, 1));
        const double back[WAYS] = { 0, -pose, -t->codes.poses[i], -t->absolute[i] };
        for (size_t w = 0; w < WAYS; w++)
            recon_pictures_put(&s, rows * WAYS + w, t->data, i, back[w]);
        names[rows++] = r->on->name[c];
    }
    RECON_TRY(recon_figure_gallery(ctx, &svg,
                                   &(recon_gallery){ .title = "Canonical poses of three methods",
                                                     .pictures = s.picture,
                                                     .rows = rows,
                                                     .columns = WAYS,
                                                     .headings = headings,
                                                     .names = names,
                                                     .blocks = 2 }));
    RECON_TRY(keep(ctx, a, "sgm", svg));
done:
    recon_pictures_free(&s);
    free(image);
    rival_close(ctx, net);
    return status;
}

/* --- poses ------------------------------------------------------------------------------------ */

/* Poses of one class, one behind the other; how many. */
static size_t gather(double *out, const double *poses, const int64_t *labels, size_t n,
                     int64_t label)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (labels[i] == label)
            out[count++] = poses[i];
    return count;
}

/* Class by class, before centring above and after it below. */
static recon_status draw_poses(recon_ctx *ctx, const album *a)
{
    static const char *const names[2] = { "psi", "centred" };
    const reproduction *r = a->r;
    const reading *t = &r->rotated;
    recon_rose roses[2 * SHOWN_CLASSES] = { { 0 } };
    double *poses = NULL;
    char *svg = NULL;
    size_t used = 0, classes = shown_classes(r);
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &poses, 2 * t->n, sizeof *poses));
    for (size_t g = 0; g < 2 * classes; g++) {
        int after = g >= classes;
        int64_t c = (int64_t)(g % classes);
        double reach =
            recon_evaluate_reach(recon_rotation_rule_of(r->on->rule, (int32_t)c), recon_reaches[0]);
        roses[g].angles = poses + used;
        roses[g].count =
            gather(poses + used, after ? t->absolute : t->codes.poses, t->codes.labels, t->n, c);
        used += roses[g].count;
        roses[g].from = after ? -reach : 0;
        roses[g].to = after ? reach : 0;
    }
    RECON_TRY(recon_figure_roses(ctx, &svg,
                                 &(recon_roses){ .title = "Poses before and after centring",
                                                 .roses = roses,
                                                 .rows = 2,
                                                 .columns = classes,
                                                 .headings = r->on->name,
                                                 .names = names,
                                                 .own_scale = 1 }));
    RECON_TRY(keep(ctx, a, "poses", svg));
done:
    free(poses);
    return status;
}

recon_status reproduce_theta(recon_ctx *ctx, char **svg, const reproduction *r, const char *title)
{
    recon_theta_class classes[SHOWN_CLASSES];
    size_t count = 0;
    for (size_t c = 0; c < shown_classes(r); c++) {
        const recon_width *w = &r->width[c];
        if (w->n)
            classes[count++] = (recon_theta_class){ r->on->name[c], w->truth, w->mean,
                                                    w->mean - w->spread, w->mean + w->spread };
    }
    return recon_figure_theta(
        ctx, svg,
        &(recon_theta_plot){
            .title = title, .what = r->on->what->width, .classes = classes, .count = count });
}

static recon_status draw_theta(recon_ctx *ctx, const album *a)
{
    char *svg = NULL;
    recon_status status = reproduce_theta(ctx, &svg, a->r, "True and predicted theta");
    return status == RECON_OK ? keep(ctx, a, "theta", svg) : status;
}

recon_status reproduce_roc(recon_ctx *ctx, char **svg, const reproduction *r, const char *title,
                           const char *const *names)
{
    recon_roc_line lines[SCORES];
    recon_roc_point *points = NULL;
    size_t room = r->circle.n + 1;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &points, SCORES * room, sizeof *points));
    for (size_t s = 0; s < SCORES; s++) {
        lines[s] = (recon_roc_line){ .name = names[s], .points = points + s * room };
        RECON_TRY(recon_roc_curve(ctx, points + s * room, &lines[s].count, r->score[s],
                                  r->on->unusual, r->circle.n));
    }
    RECON_TRY(recon_figure_roc(
        ctx, svg, &(recon_roc_plot){ .title = title, .lines = lines, .count = SCORES }));
done:
    free(points);
    return status;
}

static recon_status draw_roc(recon_ctx *ctx, const album *a)
{
    static const char *const names[SCORES] = { "not centred", "|g_abs|", "-log p(g_abs)" };
    char *svg = NULL, title[80];
    snprintf(title, sizeof title, "Unusual poses distinguished, backbone %s",
             recon_trained_name(a->r->trained));
    recon_status status = reproduce_roc(ctx, &svg, a->r, title, names);
    return status == RECON_OK ? keep(ctx, a, "roc", svg) : status;
}

/* Two classes that are each other's rotation, such as 6 and 9: the backbone gives both one canonical, so
 * that their poses lie apart; centring gives each its own natural pose. Above, some of each in it. */
static recon_status draw_pair(recon_ctx *ctx, const album *a)
{
    static const char *const names[] = { "before", "after" };
    const reproduction *r = a->r;
    const reading *t = &r->rotated;
    const char *headings[2];
    recon_rose roses[4] = { { 0 } }; /* before, then after */
    double *poses = NULL;
    recon_pictures s = { 0 };
    char *svg = NULL;
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &s, t->data, 2 * PAIR_IMAGES));
    RECON_TRY(recon_alloc(ctx, &poses, 4 * t->n, sizeof *poses));
    for (size_t c = 0; c < 2; c++) {
        int64_t label = r->on->what->pair[c];
        double *before = poses + 2 * c * t->n, *after = before + t->n;
        for (size_t shown = 0, i; shown < PAIR_IMAGES; shown++) {
            if ((i = nth_of_class(t->codes.labels, t->n, label, shown)) == t->n)
                break;
            recon_pictures_put(&s, 2 * shown + c, t->data, i, -t->absolute[i]);
        }
        size_t n = gather(before, t->codes.poses, t->codes.labels, t->n, label);
        gather(after, t->absolute, t->codes.labels, t->n, label);
        roses[c] = (recon_rose){ .angles = before, .count = n };
        roses[2 + c] = (recon_rose){ .angles = after, .count = n };
        headings[c] = r->on->name[label];
    }
    RECON_TRY(recon_figure_roses(ctx, &svg,
                                 &(recon_roses){ .title = "Natural poses, and the poses about them",
                                                 .roses = roses,
                                                 .rows = 2,
                                                 .columns = 2,
                                                 .headings = headings,
                                                 .names = names,
                                                 .pictures = s.picture,
                                                 .picture_rows = PAIR_IMAGES }));
    RECON_TRY(keep(ctx, a, "pair", svg));
done:
    free(poses);
    recon_pictures_free(&s);
    return status;
}

/* --- neighbours ------------------------------------------------------------------------------- */

/* Of the worst rows the first of each class, then the second of each. */
static size_t choose_rows(size_t *out, const neighborhood *h)
{
    int seen[CLASSES] = { 0 };
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < h->worst_count && count < SHEET; i++) {
            int64_t label = h->index->labels[h->worst[i]];
            if (seen[label] != pass)
                continue;
            seen[label]++;
            out[count++] = (size_t)h->worst[i];
        }
    return count;
}

static recon_status draw_sheet(recon_ctx *ctx, const album *a)
{
    const neighborhood *h = &a->r->hood;
    const char *const *names = a->r->on->name;
    size_t rows[SHEET], count = choose_rows(rows, h);
    static const char *const headings[1 + K] = { "input", "nearest" };
    uint8_t marks[SHEET * (K + 1)];
    recon_pictures s = { 0 };
    char *svg = NULL;
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &s, h->data, count * (K + 1)));
    for (size_t i = 0; i < count * (K + 1); i++) {
        size_t row = rows[i / (K + 1)], j = i % (K + 1);
        size_t shown = j ? (size_t)h->neighbors[row * K + j - 1] : row;
        recon_pictures_put(&s, i, h->data, shown, 0);
        s.picture[i].caption = names[h->index->labels[shown]];
        marks[i] = j == 0                                             ? RECON_MARK_NONE
                   : h->index->labels[shown] == h->index->labels[row] ? RECON_MARK_HIT
                                                                      : RECON_MARK_MISS;
    }
    RECON_TRY(recon_figure_gallery(
        ctx, &svg,
        &(recon_gallery){ .title = "Rows with the lowest hit rate, and their neighbours",
                          .pictures = s.picture,
                          .rows = count,
                          .columns = K + 1,
                          .headings = headings,
                          .cell = 52,
                          .marks = marks }));
    RECON_TRY(keep(ctx, a, "neighbors", svg));
done:
    recon_pictures_free(&s);
    return status;
}

static recon_status draw_by_k(recon_ctx *ctx, const album *a)
{
    double k[KS], hits[KS], error[KS];
    char images[40];
    snprintf(images, sizeof images, "%zu training images", a->r->hood.index->n);
    for (size_t i = 0; i < a->r->ks; i++) {
        k[i] = (double)a->r->by_k[i].k;
        hits[i] = a->r->by_k[i].hit_rate;
        error[i] = a->r->by_k[i].error.by_class * RECON_TO_DEGREES;
    }
    const recon_series series[2] = {
        { .name = images, .x = k, .y = hits, .count = a->r->ks },
        { .name = images, .x = k, .y = error, .count = a->r->ks },
    };
    const recon_panel panels[2] = {
        { .heading = "Hit rate", .x_label = "k", .series = &series[0], .count = 1, .log_x = 1 },
        { .heading = "Error of theta, degrees",
          .x_label = "k",
          .series = &series[1],
          .count = 1,
          .log_x = 1 },
    };
    char *svg = NULL;
    recon_status status = recon_figure_chart(
        ctx, &svg,
        &(recon_chart){
            .title = "Against the number of neighbours", .panels = panels, .count = 2 });
    return status == RECON_OK ? keep(ctx, a, "k", svg) : status;
}

/* How pure the classes are that neighbours make. */
static recon_status draw_hits(recon_ctx *ctx, const album *a)
{
    const recon_mark marks[] = { { "mean", a->r->hit_rate } };
    char *svg = NULL;
    recon_status status = recon_figure_histogram(
        ctx, &svg,
        &(recon_histogram_plot){ .title = "Share of the neighbours that have the input's label",
                                 .x_label = "hit rate",
                                 .values = a->r->hood.hits,
                                 .count = a->r->hood.index->n,
                                 .from = 0,
                                 .to = 1,
                                 .bins = K,
                                 .marks = marks,
                                 .mark_count = 1 });
    return status == RECON_OK ? keep(ctx, a, "hits", svg) : status;
}

static recon_status draw_confusion(recon_ctx *ctx, const album *a)
{
    char *svg = NULL;
    recon_status status = recon_figure_confusion(
        ctx, &svg,
        &(recon_confusion){ .title = "Neighbours of the images with the lowest hit rate",
                            .rows = "class of the image",
                            .columns = "class of the neighbour",
                            .diagonal = "alike",
                            .counts = a->r->confusion,
                            .names = a->r->on->name,
                            .classes = a->r->on->classes });
    return status == RECON_OK ? keep(ctx, a, "confusion", svg) : status;
}

recon_status reproduce_figures(recon_ctx *ctx, json_t *list, const reproduction *r, const char *dir)
{
    const album a = { r, dir, list };
    recon_status status;
    RECON_TRY(draw_gallery(ctx, &a));
    RECON_TRY(draw_sgm(ctx, &a));
    RECON_TRY(draw_poses(ctx, &a));
    RECON_TRY(draw_theta(ctx, &a));
    RECON_TRY(draw_roc(ctx, &a));
    if (r->on->what->pair[0] != r->on->what->pair[1])
        RECON_TRY(draw_pair(ctx, &a));
    RECON_TRY(draw_by_k(ctx, &a));
    RECON_TRY(draw_hits(ctx, &a));
    RECON_TRY(draw_sheet(ctx, &a));
    RECON_TRY(draw_confusion(ctx, &a));
done:
    return status;
}
