/* found_images.c - what `recon discover` found in images. */
#include "report/found.h"
#include "report/pictures.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/apps/score.h>
#include <recon/data/image.h>
#include <recon/group/so2.h>
#include <recon/stats/so2_moments.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 600, /* images that the model looks at once more, of 28 x 28; of larger ones fewer */
    SAMPLE_LEAST = 100,
    SAMPLE_PIXELS = 28 * 28,
    BATCH = 64,
    TYPICAL = 2, /* pictures above each circle */
    GALLERY = 24,
    NEIGHBORS = 6,
    NEIGHBORS_MOST = 10, /* of each that are shown */
    WORST = 12,
    CLASSES_MOST = 40 /* rows of a table */
};

/* Everything a section may want. Without data: the folder and its groups alone. */
typedef struct {
    const recon_found_folder *f;
    const recon_dataset *data;
    int64_t *labels; /* [rows] or NULL */
    recon_found_groups groups;
    const char *width;        /* what Theta is: "half-width" ... */
    size_t *row, n;           /* the sample, and what the model says of it */
    double *theta;            /* [n] degrees */
    double *natural, *turned; /* [n] scores as they came, and turned at random */
    double *miss;             /* [n] by how much psi did not follow that turn, degrees */
    double threshold;         /* for 1 % false alarms */
    double auc;
} look;

/* --- the data and the model ------------------------------------------------------------------- */

static recon_status read_labels(recon_ctx *ctx, look *l)
{
    recon_dataset_info d = recon_dataset_describe(l->data);
    float *pixels = NULL;
    recon_status status;
    if (d.n != l->f->rows)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s was made from %zu images, but the data are %zu",
                          l->f->dir, l->f->rows, d.n);
    if (d.classes == 0)
        return RECON_OK;
    RECON_TRY(recon_alloc_raw(ctx, &pixels, d.height * d.width * d.channels, sizeof *pixels));
    RECON_TRY(recon_alloc_raw(ctx, &l->labels, d.n, sizeof *l->labels));
    for (size_t i = 0; i < d.n; i++)
        l->labels[i] = recon_dataset_get(pixels, l->data, i);
done:
    free(pixels);
    return status;
}

/* Rows first .. first + n of the sample, as they came and each turned by an angle of its own. */
typedef struct {
    float *images, *turned; /* [BATCH][pixels] */
    double angle[BATCH];
    recon_distribution said[BATCH];
    recon_oddness odd[BATCH];
} batch;

static void read_batch(batch *b, const look *l, size_t first, size_t n)
{
    recon_dataset_info d = recon_dataset_describe(l->data);
    size_t pixels = d.height * d.width * d.channels;
    for (size_t i = 0; i < n; i++) {
        recon_rng rng = recon_rng_new(RECON_FOUND_SEED, first + i);
        b->angle[i] = recon_so2_haar(&rng);
        recon_dataset_get(b->images + i * pixels, l->data, l->row[first + i]);
        recon_image_turn(b->turned + i * pixels, b->images + i * pixels, d.height, d.width,
                         d.channels, b->angle[i], RECON_BILINEAR);
    }
}

static recon_status look_at_batch(recon_ctx *ctx, look *l, batch *b, const recon_model *model,
                                  size_t first, size_t n)
{
    recon_status status;
    read_batch(b, l, first, n);
    RECON_TRY(recon_distribution_of(ctx, b->said, model, b->images, n));
    RECON_TRY(recon_score(ctx, b->odd, model, b->turned, n));
    for (size_t i = 0; i < n; i++) {
        l->theta[first + i] = b->said[i].theta * RECON_DEGREES;
        l->natural[first + i] = b->said[i].score;
        l->turned[first + i] = b->odd[i].score;
        l->miss[first + i] = RECON_DEGREES * recon_so2_distance(b->odd[i].pose.psi,
                                                                b->said[i].pose.psi + b->angle[i]);
    }
done:
    return status;
}

/* The folder's poses are those that the model gives to these images. */
static recon_status check_same(recon_ctx *ctx, const look *l, const batch *b, size_t n)
{
    double apart[BATCH];
    for (size_t i = 0; i < n; i++)
        apart[i] = recon_so2_distance(b->said[i].pose.psi, l->f->psi.so2[l->row[i]]);
    double median = RECON_DEGREES * recon_found_median(apart, n);
    if (median < 10)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT,
                      "the data are not those that %s was made from: their poses differ by %.0f "
                      "degrees in the median",
                      l->f->dir, median);
}

static recon_status look_at_sample(recon_ctx *ctx, look *l, const recon_model *model)
{
    recon_dataset_info d = recon_dataset_describe(l->data);
    size_t pixels = d.height * d.width * d.channels;
    batch *b = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &b, 1, sizeof *b));
    RECON_TRY(recon_alloc_raw(ctx, &b->images, BATCH * pixels, sizeof *b->images));
    RECON_TRY(recon_alloc_raw(ctx, &b->turned, BATCH * pixels, sizeof *b->turned));
    for (size_t at = 0; at < l->n; at += BATCH) {
        size_t n = l->n - at < BATCH ? l->n - at : BATCH;
        RECON_TRY(look_at_batch(ctx, l, b, model, at, n));
        if (at == 0)
            RECON_TRY(check_same(ctx, l, b, n));
    }
    l->threshold = recon_score_threshold(model, 0.01);
done:
    if (b) {
        free(b->images);
        free(b->turned);
    }
    free(b);
    return status;
}

static recon_status use_model(recon_ctx *ctx, look *l)
{
    recon_dataset_info d = recon_dataset_describe(l->data);
    size_t most = SAMPLE * SAMPLE_PIXELS / (d.height * d.width);
    char path[4096];
    recon_model *model = NULL;
    recon_status status;
    most = most < SAMPLE_LEAST ? SAMPLE_LEAST : most > SAMPLE ? SAMPLE : most;
    snprintf(path, sizeof path, "%s/model.safetensors", l->f->dir);
    RECON_TRY(recon_model_open(ctx, &model, path, RECON_SINGLE));
    RECON_TRY(recon_ieae_check_data(ctx, recon_model_backbone(model), l->data));
    RECON_TRY(recon_found_sample(ctx, &l->row, &l->n, l->f->rows, most));
    RECON_TRY(recon_alloc_raw(ctx, &l->theta, 4 * l->n, sizeof *l->theta));
    l->natural = l->theta + l->n;
    l->turned = l->natural + l->n;
    l->miss = l->turned + l->n;
    RECON_TRY(look_at_sample(ctx, l, model));
done:
    recon_model_close(ctx, model);
    return status;
}

static void look_free(look *l)
{
    recon_found_groups_free(&l->groups);
    free(l->labels);
    free(l->row);
    free(l->theta);
}

/* --- what was found --------------------------------------------------------------------------- */

static const char *width_word(const recon_found_folder *f)
{
    return strcmp(recon_found_text(f, "theta"), "uniform") ? "standard deviation" : "half-width";
}

recon_status recon_found_image_results(recon_ctx *ctx, recon_page *page,
                                       const recon_found_folder *f)
{
    double points, theta, several, folded, hits = recon_found_maybe(f, "all.hit_rate");
    recon_found_words words;
    recon_status status;
    RECON_TRY(recon_found_number(ctx, &points, f, "points"));
    RECON_TRY(recon_found_number(ctx, &theta, f, "all.theta_deg"));
    RECON_TRY(recon_found_number(ctx, &several, f, "all.several_modes"));
    RECON_TRY(recon_found_number(ctx, &folded, f, "all.modulo_180"));
    recon_page_result(page, "images", "%s", recon_found_count(words, (size_t)points));
    recon_page_result(page, "typical turn from the natural pose", "\xc2\xb1%.0f\xc2\xb0", theta);
    recon_page_result(page, "have several natural poses", "%s", recon_found_share(words, several));
    recon_page_result(page, "look alike upside down", "%s", recon_found_share(words, folded));
    if (!isnan(hits))
        recon_page_result(page, "of neighbours share the label", "%s",
                          recon_found_share(words, hits));
done:
    return status;
}

/* The label with the least and the greatest width, where there are two at least. */
static void say_extremes(recon_page *page, const recon_found_folder *f)
{
    const char *key, *narrow = NULL, *wide = NULL;
    json_t *value;
    double least = INFINITY, most = -INFINITY;
    json_object_foreach(json_object_get(f->summary, "labels"), key, value)
    {
        double theta = json_number_value(json_object_get(value, "theta_deg"));
        if (theta < least) {
            least = theta;
            narrow = key;
        }
        if (theta > most) {
            most = theta;
            wide = key;
        }
    }
    if (narrow && strcmp(narrow, wide))
        recon_page_say(page,
                       "Kinds of objects differ in this: class %s keeps most to its pose (%.0f "
                       "degrees), class %s is turned most freely (%.0f degrees).",
                       narrow, least, wide, most);
}

static const char *verdict(double theta)
{
    return theta < 5    ? "they hardly turn at all"
           : theta < 45 ? "they lean to either side, but which way is up is plain"
           : theta < 90 ? "they are turned far, but not in every direction alike"
                        : "they are turned in nearly every direction";
}

static recon_status say_found(recon_ctx *ctx, recon_page *page, const look *l)
{
    const recon_found_folder *f = l->f;
    double theta, several, folded, hits = recon_found_maybe(f, "all.hit_rate");
    recon_found_words count, a, b;
    recon_status status;
    RECON_TRY(recon_found_number(ctx, &theta, f, "all.theta_deg"));
    RECON_TRY(recon_found_number(ctx, &several, f, "all.several_modes"));
    RECON_TRY(recon_found_number(ctx, &folded, f, "all.modulo_180"));
    recon_page_section(page, "What was found");
    recon_page_say(
        page,
        "These %s images come in poses of %s %.0f degrees about a natural pose (median): "
        "%s.",
        recon_found_count(count, f->rows), l->width, theta, verdict(theta));
    recon_page_say(
        page,
        "Share with several natural poses: %s. Share whose pose is only known modulo 180 "
        "degrees, because upside down they occur or look alike: %s.",
        recon_found_share(a, several), recon_found_share(b, folded));
    say_extremes(page, f);
    if (!isnan(hits))
        recon_page_say(page,
                       "Of the %zu neighbours of an image, %s have its label; labels were used for "
                       "this figure alone.",
                       f->k, recon_found_share(a, hits));
    recon_page_say(page,
                   "How it was found: a network turns each image into a code that does not change "
                   "when the image is turned, and an angle that does. Images with nearly the same "
                   "code show the same kind of thing; the angles in which these %zu occur show "
                   "which pose is natural, and how far one strays from it.",
                   f->k);
done:
    return status;
}

/* --- poses ------------------------------------------------------------------------------------ */

static double turn_of(const recon_found_folder *f, size_t row)
{
    return -f->absolute.so2[row];
}

static recon_status show_poses(recon_ctx *ctx, recon_page *page, const look *l)
{
    const recon_found_groups *g = &l->groups;
    recon_pictures p = { 0 };
    recon_status status;
    recon_page_section(page, l->labels ? "Poses, class by class" : "Poses, cluster by cluster");
    if (!l->labels)
        recon_page_say(page, "Without labels, images were grouped by who is whose neighbour: each "
                             "takes the group that most of its neighbours have.");
    if (!l->data)
        return recon_found_show_poses(ctx, page, l->f, g, NULL, 0);
    recon_page_say(page, "Above each circle: the members of the group that are most often named as "
                         "neighbours, in their natural pose.");
    RECON_TRY(recon_pictures_new(ctx, &p, l->data, TYPICAL * g->count));
    for (size_t i = 0; i < g->count; i++)
        for (size_t j = 0; j < TYPICAL && j < g->n[i]; j++)
            recon_pictures_put(&p, j * g->count + i, l->data, g->member[i][j],
                               turn_of(l->f, g->member[i][j]));
    RECON_TRY(recon_found_show_poses(ctx, page, l->f, g, p.picture, TYPICAL));
done:
    recon_pictures_free(&p);
    return status;
}

/* --- pictures --------------------------------------------------------------------------------- */

typedef struct {
    double key;
    size_t row;
} ranked;

static int by_key(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The numbers of some rows: what their pictures do not say. */
static void list_rows(recon_page *page, const look *l, const char *caption, const size_t *row,
                      size_t n)
{
    static const char *const columns[] = { "image", "class", "from its natural pose (degrees)",
                                           "score", "agreement of neighbours" };
    recon_page_table(page, caption, columns, 5);
    for (size_t i = 0; i < n; i++) {
        recon_page_cell(page, "%zu", row[i]);
        if (l->labels)
            recon_page_cell(page, "%lld", (long long)l->labels[row[i]]);
        else
            recon_page_cell(page, "not known");
        recon_page_cell(page, "%+.0f", RECON_DEGREES * l->f->absolute.so2[row[i]]);
        recon_page_cell(page, "%.2f", l->f->score[row[i]]);
        recon_page_cell(page, "%.2f", l->f->identifiability[4 * row[i]]);
    }
}

/* Pairs: as it came, in its natural pose. */
static recon_status show_pairs(recon_ctx *ctx, recon_page *page, const look *l, const size_t *row,
                               size_t n, const char *caption)
{
    static const char *const headings[] = { "input", "natural" };
    char angle[GALLERY][16];
    recon_pictures p = { 0 };
    char *svg = NULL;
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &p, l->data, 2 * n));
    for (size_t i = 0; i < n; i++) {
        recon_pictures_put(&p, 2 * i, l->data, row[i], 0);
        recon_pictures_put(&p, 2 * i + 1, l->data, row[i], turn_of(l->f, row[i]));
        snprintf(angle[i], sizeof angle[i], "%+.0f\xc2\xb0",
                 RECON_DEGREES * l->f->absolute.so2[row[i]]);
        p.picture[2 * i].caption = angle[i];
    }
    RECON_TRY(recon_figure_gallery(
        ctx, &svg,
        &(recon_gallery){
            .pictures = p.picture, .rows = n, .columns = 2, .headings = headings, .blocks = 4 }));
    recon_page_figure(page, svg, caption);
done:
    recon_pictures_free(&p);
    return status;
}

/* Of the sample, sorted by pose, evenly. */
static recon_status show_gallery(recon_ctx *ctx, recon_page *page, const look *l)
{
    size_t row[GALLERY], n = l->n < GALLERY ? l->n : GALLERY;
    ranked *order = NULL;
    recon_status status;
    recon_page_section(page, "From the input to its natural pose");
    if (!l->data) {
        recon_page_say(page, "Not shown: the images themselves are not at hand.");
        return RECON_OK;
    }
    RECON_TRY(recon_alloc_raw(ctx, &order, l->n, sizeof *order));
    for (size_t i = 0; i < l->n; i++)
        order[i] = (ranked){ l->f->absolute.so2[l->row[i]], l->row[i] };
    qsort(order, l->n, sizeof *order, by_key);
    for (size_t i = 0; i < n; i++)
        row[i] = order[(2 * i + 1) * l->n / (2 * n)].row;
    recon_page_say(page,
                   "%zu images were drawn by chance and sorted by pose, and %zu taken evenly from "
                   "that order: none was chosen by hand. What should be seen: images of one kind "
                   "stand the same way on the right, whatever way they stand on the left.",
                   l->n, n);
    RECON_TRY(show_pairs(ctx, page, l, row, n,
                         "Left: as it came, and by how many degrees it is turned from its natural "
                         "pose, counter-clockwise. Right: turned back by that angle."));
    list_rows(page, l, "The images shown", row, n);
done:
    free(order);
    return status;
}

/* --- widths ----------------------------------------------------------------------------------- */

static void table_widths(recon_page *page, const look *l)
{
    static const char *const columns[] = { "class", "images", "width (degrees)",
                                           "several natural poses (%)", "known modulo 180 (%)" };
    size_t shown = 0;
    const char *key;
    json_t *value;
    recon_page_table(page, "Median width of each class", columns, 5);
    json_object_foreach(json_object_get(l->f->summary, "labels"), key, value)
    {
        if (shown++ == CLASSES_MOST)
            break;
        recon_page_cell(page, "%s", key);
        recon_page_cell(page, "%.0f", json_number_value(json_object_get(value, "points")));
        recon_page_cell(page, "%.1f", json_number_value(json_object_get(value, "theta_deg")));
        recon_page_cell(page, "%.1f",
                        100 * json_number_value(json_object_get(value, "several_modes")));
        recon_page_cell(page, "%.1f",
                        100 * json_number_value(json_object_get(value, "modulo_180")));
    }
}

static recon_status plot_widths(recon_ctx *ctx, recon_page *page, const look *l)
{
    double x[CLASSES_MOST], y[CLASSES_MOST];
    size_t n = 0;
    const char *key;
    json_t *value;
    char *svg = NULL;
    json_object_foreach(json_object_get(l->f->summary, "labels"), key, value)
    {
        if (n == CLASSES_MOST)
            break;
        x[n] = atof(key);
        y[n++] = json_number_value(json_object_get(value, "theta_deg"));
    }
    if (n == 0)
        return RECON_OK;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, y[i]);
    const recon_series series = { .x = x, .y = y, .count = n, .loose = 1 };
    const recon_line_panel panel = { .x_label = "class",
                                     .y_label = "width (degrees)",
                                     .series = &series,
                                     .count = 1,
                                     .x_from = x[0] - 0.5,
                                     .x_to = x[n - 1] + 0.5,
                                     .y_to = 1.1 * most };
    recon_status status =
        recon_figure_lines(ctx, &svg, &(recon_line_plot){ .panels = &panel, .count = 1 });
    if (status != RECON_OK)
        return status;
    recon_page_figure(
        page, svg,
        "Median width of each class. Low: its images keep to one pose. High: they are "
        "turned freely.");
    table_widths(page, l);
    return RECON_OK;
}

static recon_status show_widths(recon_ctx *ctx, recon_page *page, const look *l)
{
    const recon_histogram_mark median = { "median of all",
                                          recon_found_maybe(l->f, "all.theta_deg") };
    double *own = NULL;
    recon_found_spread s = { .x_label = "width of an image's poses (degrees)",
                             .caption = "How many images have which width. The width says how far "
                                        "images like this one are turned from their natural pose.",
                             .values = l->theta,
                             .n = l->n,
                             .marks = &median,
                             .mark_count = 1 };
    recon_status status = RECON_OK;
    recon_page_section(page, "How far they turn");
    recon_page_say(page,
                   "The model predicts for every image how far its like are turned: Theta, the %s "
                   "of their poses.",
                   l->width);
    if (!l->data && l->f->theta_width == 1 &&
        strcmp(recon_found_text(l->f, "family"), "vonmises")) {
        recon_page_say(page, "Without the images the model cannot be asked; these are the widths "
                             "fitted to each image's own neighbours, which scatter more.");
        RECON_TRY(recon_alloc_raw(ctx, &own, l->f->rows, sizeof *own));
        for (size_t i = 0; i < l->f->rows; i++)
            own[i] = l->f->theta[i] * RECON_DEGREES;
        s.values = own;
        s.n = l->f->rows;
    }
    if (s.n)
        RECON_TRY(recon_found_show_spread(ctx, page, &s));
    RECON_TRY(plot_widths(ctx, page, l));
done:
    free(own);
    return status;
}

/* --- odd poses -------------------------------------------------------------------------------- */

static recon_status show_odd(recon_ctx *ctx, recon_page *page, look *l)
{
    const recon_histogram_mark mark = { "1 % of natural images score higher", l->threshold };
    recon_status status;
    recon_page_section(page, "Odd poses");
    recon_page_say(page,
                   "The score of an image is -log p: p is the density that the model gives to "
                   "the image's own pose among the poses of its like. High means odd.");
    if (!l->data)
        return recon_found_show_spread(
            ctx, page,
            &(recon_found_spread){
                .x_label = "score",
                .caption = "Scores of all images, each against its own neighbours. How well odd "
                           "poses are noticed is not measured: the images are not at hand.",
                .values = l->f->score,
                .n = l->f->rows });
    recon_page_say(page,
                   "Are odd poses noticed? No label says what is odd. So take %zu of the images as "
                   "they came, and the same once more, each turned by an angle drawn evenly from "
                   "the whole circle, and see whether the score tells the two apart.",
                   l->n);
    RECON_TRY(recon_found_show_roc(ctx, page, &l->auc, l->natural, l->turned, l->n, "an image"));
    RECON_TRY(recon_found_show_spread(
        ctx, page,
        &(recon_found_spread){ .x_label = "score of images as they came",
                               .caption = "Scores of the images as they came. Beyond the line, "
                                          "`recon score --false-alarms 0.01` calls a pose odd.",
                               .values = l->natural,
                               .n = l->n,
                               .marks = &mark,
                               .mark_count = 1 }));
done:
    return status;
}

/* --- neighbours ------------------------------------------------------------------------------- */

typedef struct {
    size_t k;
    uint8_t hit[NEIGHBORS * NEIGHBORS_MOST];
    char caption[NEIGHBORS * (NEIGHBORS_MOST + 1)][16];
} hood;

static void put_neighbor(recon_pictures *p, hood *h, const look *l, size_t at, size_t row)
{
    recon_pictures_put(p, at, l->data, row, 0);
    if (!l->labels)
        return;
    snprintf(h->caption[at], sizeof h->caption[at], "%lld", (long long)l->labels[row]);
    p->picture[at].caption = h->caption[at];
}

static recon_status draw_neighbors(recon_ctx *ctx, recon_page *page, const look *l)
{
    size_t rows = l->n < NEIGHBORS ? l->n : NEIGHBORS;
    hood h = { .k = l->f->k < NEIGHBORS_MOST ? l->f->k : NEIGHBORS_MOST };
    recon_pictures p = { 0 };
    char *svg = NULL;
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &p, l->data, rows * (h.k + 1)));
    for (size_t i = 0; i < rows; i++) { /* inputs first, then all neighbours */
        size_t row = l->row[(2 * i + 1) * l->n / (2 * rows)];
        put_neighbor(&p, &h, l, i, row);
        for (size_t j = 0; j < h.k; j++) {
            size_t other = (size_t)l->f->neighbors[row * l->f->k + j];
            put_neighbor(&p, &h, l, rows + i * h.k + j, other);
            h.hit[i * h.k + j] = l->labels && l->labels[other] == l->labels[row];
        }
    }
    RECON_TRY(recon_figure_neighbors(ctx, &svg,
                                     &(recon_neighbor_sheet){ .inputs = p.picture,
                                                              .neighbors = p.picture + rows,
                                                              .hit = l->labels ? h.hit : NULL,
                                                              .rows = rows,
                                                              .k = h.k }));
    recon_page_figure(page, svg,
                      l->labels
                          ? "Some images, evenly from the sample, with their nearest "
                            "neighbours as they came; below each its label. They should show "
                            "the same kind of thing in whatever pose."
                          : "Some images, evenly from the sample, with their nearest "
                            "neighbours as they came. They should show the same kind of thing "
                            "in whatever pose.");
done:
    recon_pictures_free(&p);
    return status;
}

static void table_hits(recon_page *page, const look *l)
{
    static const char *const columns[] = { "class", "neighbours of the same class (%)" };
    size_t shown = 0;
    const char *key;
    json_t *value;
    if (!json_object_size(json_object_get(l->f->summary, "labels")))
        return;
    recon_page_table(page, "Hit rate of each class", columns, 2);
    json_object_foreach(json_object_get(l->f->summary, "labels"), key, value)
    {
        if (shown++ == CLASSES_MOST)
            break;
        recon_page_cell(page, "%s", key);
        recon_page_cell(page, "%.1f", 100 * json_number_value(json_object_get(value, "hit_rate")));
    }
}

static recon_status show_neighbors(recon_ctx *ctx, recon_page *page, const look *l)
{
    double hits = recon_found_maybe(l->f, "all.hit_rate");
    recon_found_words words;
    recon_status status = RECON_OK;
    recon_page_section(page, "Neighbours");
    recon_page_say(page,
                   "Everything above rests on the %zu nearest neighbours of each image in the "
                   "embedding being of its kind.",
                   l->f->k);
    if (!isnan(hits))
        recon_page_say(page, "Measured with the labels: %s of them are of the image's class.",
                       recon_found_share(words, hits));
    if (l->data)
        status = draw_neighbors(ctx, page, l);
    else
        recon_page_say(page, "Not shown: the images themselves are not at hand.");
    table_hits(page, l);
    return status;
}

/* --- worst cases ------------------------------------------------------------------------------ */

static recon_status show_extreme(recon_ctx *ctx, recon_page *page, const look *l, const double *key,
                                 size_t stride, double sign, const char *caption)
{
    size_t row[WORST], n = recon_found_extreme(row, WORST, key, stride, sign, l->f->rows);
    recon_status status = l->data ? show_pairs(ctx, page, l, row, n, caption) : RECON_OK;
    if (status == RECON_OK)
        list_rows(page, l, caption, row, n);
    return status;
}

static recon_status show_worst(recon_ctx *ctx, recon_page *page, const look *l)
{
    recon_status status;
    recon_page_section(page, "Worst cases");
    recon_page_say(page, "Where it goes wrong, or where the data are strange: look here first.");
    if (!l->data)
        recon_page_say(page, "Listed, not shown: the images themselves are not at hand.");
    RECON_TRY(show_extreme(ctx, page, l, l->f->score, 1, 1,
                           "Of all images those with the highest score: odd among their own "
                           "neighbours"));
    RECON_TRY(show_extreme(ctx, page, l, l->f->identifiability, 4, -1,
                           "Those whose neighbours agree least on a pose (1: all alike; 0: "
                           "all directions): their natural pose is a guess"));
done:
    return status;
}

/* --- warnings --------------------------------------------------------------------------------- */

/* The share of images of whose poses no moment is large enough to say anything. */
static double share_undefined(const recon_found_folder *f)
{
    size_t count = 0;
    for (size_t i = 0; i < f->rows; i++)
        count += recon_so2_fold(f->identifiability + 4 * i) == 0;
    return (double)count / (double)f->rows;
}

static int warn_of_poses(recon_page *page, const recon_found_folder *f)
{
    double theta = recon_found_maybe(f, "all.theta_deg");
    double several = recon_found_maybe(f, "all.several_modes");
    double folded = recon_found_maybe(f, "all.modulo_180"), none = share_undefined(f);
    recon_found_words words;
    int said = 0;
    if (several > 0.05 && ++said)
        recon_page_careful(page,
                           "%s of the images have several natural poses. Canonicalising takes the "
                           "likeliest; `recon canonicalize --help` shows how a classifier may "
                           "choose among them.",
                           recon_found_share(words, several));
    if (folded > 0.05 && ++said)
        recon_page_careful(page,
                           "For %s of the images the pose is only known modulo 180 degrees: which "
                           "way is up was chosen, not found.",
                           recon_found_share(words, folded));
    if (none > 0.05 && ++said)
        recon_page_careful(page,
                           "For %s of the images the neighbours point in all directions: no pose "
                           "is natural, and turning them to one means nothing.",
                           recon_found_share(words, none));
    if (theta < 3 && ++said)
        recon_page_careful(page, "The images come in nearly one pose. Then nothing can be learned "
                                 "about how they turn, and every other pose is called odd.");
    return said;
}

/* The smallest class that occurs, by the summary; 0 without labels. */
static size_t smallest_class(const recon_found_folder *f)
{
    size_t least = 0;
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(f->summary, "labels"), key, value)
    {
        size_t n = (size_t)json_integer_value(json_object_get(value, "points"));
        least = least == 0 || n < least ? n : least;
    }
    return least;
}

static int warn_of_model(recon_page *page, const look *l)
{
    double hits = recon_found_maybe(l->f, "all.hit_rate");
    double miss = l->n ? recon_found_median(l->miss, l->n) : 0;
    recon_found_words words;
    int said = 0;
    if (!isnan(hits) && hits < 0.5 && ++said)
        recon_page_careful(page,
                           "Only %s of neighbours share the label. Poses of different kinds are "
                           "mixed; train longer, or take a smaller --k.",
                           recon_found_share(words, hits));
    if (miss > 15 && ++said)
        recon_page_careful(page,
                           "When an image is turned, the angle that the network reads misses the "
                           "turn by %.0f degrees in the median. It is hardly trained: train longer "
                           "before believing the rest.",
                           miss);
    if (l->n && l->auc < 0.6 && ++said)
        recon_page_careful(page,
                           "The score hardly tells odd poses from natural ones (area %.2f): either "
                           "these images are turned freely, or the model is too weak.",
                           l->auc);
    return said;
}

static void show_warnings(recon_page *page, const look *l)
{
    size_t least = smallest_class(l->f);
    int said;
    recon_page_section(page, "What to be careful about");
    said = warn_of_poses(page, l->f) + warn_of_model(page, l) + recon_found_warn(page, l->f);
    if (least && least <= l->f->k && ++said)
        recon_page_careful(page,
                           "The smallest class has %zu images, but %zu neighbours are asked for: "
                           "some of them must be of another class. Take a smaller --k.",
                           least, l->f->k);
    if (!said)
        recon_page_say(page, "Nothing: natural poses are plain, and the model follows turns.");
}

/* --- what next -------------------------------------------------------------------------------- */

static void show_next(recon_page *page, const recon_found_folder *f)
{
    static const char *const columns[] = { "to", "command" };
    const char *dir = f->dir;
    recon_page_section(page, "What to do next");
    recon_page_say(page,
                   "%s/model.safetensors holds all that was learned; in place of png:NEW "
                   "stands whatever data you have.",
                   dir);
    recon_page_table(page, "Commands", columns, 2);
    recon_page_cell(page, "turn new images to their natural pose");
    recon_page_cell(
        page, "recon canonicalize --model %s/model.safetensors --data png:NEW --out turned", dir);
    recon_page_cell(page, "find those in odd poses");
    recon_page_cell(page,
                    "recon score --model %s/model.safetensors --data png:NEW --false-alarms 0.01 "
                    "--out scores.npy",
                    dir);
    recon_page_cell(page, "see the poses of one image");
    recon_page_cell(
        page,
        "recon distribution --model %s/model.safetensors --data png:NEW --index 0 --svg "
        "pose.svg",
        dir);
    recon_page_cell(page, "measure how well the network follows turns");
    recon_page_cell(page, "recon check %s/model.safetensors --data png:NEW", dir);
}

recon_status recon_found_images(recon_ctx *ctx, recon_page *page, const char *dir,
                                const recon_dataset *data)
{
    recon_found_folder f = { 0 };
    look l = { .f = &f, .auc = NAN };
    recon_status status;
    RECON_TRY(recon_found_open_as(ctx, &f, dir, RECON_FOUND_IMAGES));
    l.width = width_word(&f);
    l.data = data && recon_found_draws(ctx, page) ? data : NULL;
    if (l.data) {
        RECON_TRY(read_labels(ctx, &l));
        RECON_TRY(use_model(ctx, &l));
    }
    RECON_TRY(recon_found_group(ctx, &l.groups, &f, l.labels));
    RECON_TRY(say_found(ctx, page, &l));
    RECON_TRY(show_poses(ctx, page, &l));
    RECON_TRY(show_gallery(ctx, page, &l));
    RECON_TRY(show_widths(ctx, page, &l));
    RECON_TRY(show_odd(ctx, page, &l));
    RECON_TRY(show_neighbors(ctx, page, &l));
    RECON_TRY(show_worst(ctx, page, &l));
    show_warnings(page, &l);
    recon_found_show_settings(page, &f);
    show_next(page, &f);
done:
    look_free(&l);
    recon_found_close(&f);
    return status;
}
