/* reproduce_figures.c - the figures of the paper's experiments, from what was measured. */
#include "lab/reproduce.h"
#include "lab/table.h"
#include "stats/roc.h"
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

/* Where the figures go, and the list of those written; of images or of molecules. */
typedef struct {
    const char *dir, *set;
    json_t *list;
    const reproduction *r;
    const molecule_reproduction *m;
    char *svg; /* the figure that is being drawn */
} album;

/* The figure that was drawn, as DIR/SET-NAME.svg. */
static recon_status keep(recon_ctx *ctx, album *a, const char *name, recon_status drawn)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%s.svg", a->dir, a->set, name);
    recon_status status = drawn == RECON_OK ? recon_svg_save_over(ctx, path, a->svg) : drawn;
    if (status == RECON_OK)
        json_array_append_new(a->list, json_string(path));
    free(a->svg);
    a->svg = NULL;
    return status;
}

/* --- of both ---------------------------------------------------------------------------------- */

/* How pure the classes are that neighbours make. */
static recon_status draw_hits(recon_ctx *ctx, album *a, const char *title, const double *hits,
                              size_t n, size_t bins, double mean)
{
    const recon_mark marks[] = { { "mean", mean } };
    return keep(ctx, a, "hits",
                recon_figure_histogram(ctx, &a->svg,
                                       &(recon_histogram_plot){ .title = title,
                                                                .x_label = "hit rate",
                                                                .values = hits,
                                                                .count = n,
                                                                .from = 0,
                                                                .to = 1,
                                                                .bins = bins,
                                                                .marks = marks,
                                                                .mark_count = 1 }));
}

/* Numbers of the result's "by_k" against k, a panel for each row. */
enum { PANELS = 4, KS_MOST = 8 };
static recon_status draw_by_k(recon_ctx *ctx, album *a, const json_t *result, const char *title,
                              recon_panel panels[PANELS], const lab_row *rows, size_t n)
{
    const json_t *by_k = lab_at(result, "by_k");
    size_t count = json_array_size(by_k);
    double k[KS_MOST], y[PANELS][KS_MOST];
    recon_series series[PANELS];
    for (size_t p = 0; p < n; p++) {
        for (size_t i = 0; i < count; i++) {
            k[i] = lab_number(json_array_get(by_k, i), "k");
            y[p][i] = lab_number(json_array_get(by_k, i), rows[p].path);
        }
        series[p] = (recon_series){ .name = rows[p].label, .x = k, .y = y[p], .count = count };
        panels[p].series = &series[p];
        panels[p].count = 1;
    }
    return keep(ctx, a, "k",
                recon_figure_chart(ctx, &a->svg,
                                   &(recon_chart){ .title = title, .panels = panels, .count = n }));
}

/* Curves of those scores that have a name, each of n inputs. */
static recon_status draw_curves(recon_ctx *ctx, char **svg, const char *title,
                                const char *const *names, double *const score[SCORES],
                                const uint8_t *unusual, size_t n)
{
    recon_roc_line lines[SCORES];
    recon_roc_point *points = NULL;
    size_t count = 0;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &points, SCORES * (n + 1), sizeof *points));
    for (size_t s = 0; s < SCORES; s++) {
        if (!names[s])
            continue;
        lines[count] = (recon_roc_line){ .name = names[s], .points = points + s * (n + 1) };
        RECON_TRY(recon_roc_curve(ctx, points + s * (n + 1), &lines[count++].count, score[s],
                                  unusual, n));
    }
    RECON_TRY(recon_figure_roc(
        ctx, svg, &(recon_roc_plot){ .title = title, .lines = lines, .count = count }));
done:
    free(points);
    return status;
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

/* Puts what a row shows of test image i into the pictures from `at` on. */
typedef recon_status put_row(recon_ctx *ctx, recon_pictures *s, size_t at, const reproduction *r,
                             size_t i, rival *net);

/* The first images of each class. */
static recon_status gallery(recon_ctx *ctx, char **svg, const reproduction *r, const char *title,
                            const char *const *headings, size_t columns, put_row *put, rival *net)
{
    const reading *t = &r->rotated;
    const char *names[SHOWN_CLASSES * OF_CLASS];
    size_t rows = 0, most = shown_classes(r) * OF_CLASS;
    recon_pictures s = { 0 };
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &s, t->data, most * columns));
    for (size_t g = 0; g < most; g++) {
        int64_t c = (int64_t)(g / OF_CLASS);
        size_t i = nth_of_class(t->codes.labels, t->n, c, g % OF_CLASS);
        if (i == t->n)
            continue;
        RECON_TRY(put(ctx, &s, rows * columns, r, i, net));
        names[rows++] = r->on->name[c];
    }
    RECON_TRY(recon_figure_gallery(ctx, svg,
                                   &(recon_gallery){ .title = title,
                                                     .pictures = s.picture,
                                                     .rows = rows,
                                                     .columns = columns,
                                                     .headings = headings,
                                                     .names = names,
                                                     .blocks = 2 }));
done:
    recon_pictures_free(&s);
    return status;
}

/* The paper's figures 1 and 3: input, decoded and rotated canonicals, RECON's, and the truth. Photo
 * presets decode nothing: that place stays empty. */
static recon_status put_canonicals(recon_ctx *ctx, recon_pictures *s, size_t at,
                                   const reproduction *r, size_t i, rival *net)
{
    const reading *t = &r->rotated;
    (void)net;
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
    return gallery(ctx, svg, r, title, headings, COLUMNS, put_canonicals, NULL);
}

/* The paper's comparison: the same inputs as SGM, the backbone and RECON have them. */
static recon_status put_sgm(recon_ctx *ctx, recon_pictures *s, size_t at, const reproduction *r,
                            size_t i, rival *net)
{
    const reading *t = &r->rotated;
    recon_dataset_info d = recon_dataset_describe(t->data);
    float *image = NULL;
    double pose;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &image, d.height * d.width * d.channels, sizeof *image));
    recon_dataset_get(image, t->data, i);
    RECON_TRY(rival_poses(ctx, &pose, net, image, 1));
    recon_pictures_put(s, at, t->data, i, 0);
    recon_pictures_put(s, at + 1, t->data, i, -pose);
    recon_pictures_put(s, at + 2, t->data, i, -t->codes.poses[i]);
    recon_pictures_put(s, at + 3, t->data, i, -t->absolute[i]);
done:
    free(image);
    return status;
}

static recon_status draw_sgm(recon_ctx *ctx, album *a)
{
    static const char *const headings[] = { "input", "SGM", "IE-AE", "RECON" };
    const char *path = a->r->on->settings->rivals[RIVAL_SGM];
    recon_dataset_info d = recon_dataset_describe(a->r->rotated.data);
    rival *net = NULL;
    recon_status status;
    if (!path)
        return RECON_OK;
    RECON_TRY(rival_open(ctx, &net, path));
    rival_info of = rival_describe(net);
    if (of.height == d.height && of.width == d.width && of.channels == d.channels)
        status = keep(ctx, a, "sgm",
                      gallery(ctx, &a->svg, a->r, "Canonical poses of three methods", headings,
                              LAB_COUNT(headings), put_sgm, net));
done:
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
static recon_status draw_poses(recon_ctx *ctx, album *a)
{
    static const char *const names[2] = { "psi", "centred" };
    const reproduction *r = a->r;
    const reading *t = &r->rotated;
    recon_rose roses[2 * SHOWN_CLASSES] = { { 0 } };
    double *poses = NULL;
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
    RECON_TRY(keep(ctx, a, "poses",
                   recon_figure_roses(ctx, &a->svg,
                                      &(recon_roses){ .title = "Poses before and after centring",
                                                      .roses = roses,
                                                      .rows = 2,
                                                      .columns = classes,
                                                      .headings = r->on->name,
                                                      .names = names,
                                                      .own_scale = 1 })));
done:
    free(poses);
    return status;
}

static recon_status draw_theta(recon_ctx *ctx, album *a)
{
    const reproduction *r = a->r;
    recon_theta_class classes[SHOWN_CLASSES];
    size_t count = 0;
    for (size_t c = 0; c < shown_classes(r); c++) {
        const recon_width *w = &r->width[c];
        if (w->n)
            classes[count++] = (recon_theta_class){ r->on->name[c], w->truth, w->mean,
                                                    w->mean - w->spread, w->mean + w->spread };
    }
    return keep(ctx, a, "theta",
                recon_figure_theta(ctx, &a->svg,
                                   &(recon_theta_plot){ .title = "True and predicted theta",
                                                        .what = r->on->what->width,
                                                        .classes = classes,
                                                        .count = count }));
}

recon_status reproduce_roc(recon_ctx *ctx, char **svg, const reproduction *r, const char *title,
                           const char *const *names)
{
    return draw_curves(ctx, svg, title, names, r->score, r->on->unusual, r->circle.n);
}

/* Two classes that are each other's rotation, such as 6 and 9: the backbone gives both one canonical, so
 * that their poses lie apart; centring gives each its own natural pose. Above, some of each in it. */
static recon_status draw_pair(recon_ctx *ctx, album *a)
{
    static const char *const names[] = { "before", "after" };
    const reproduction *r = a->r;
    const reading *t = &r->rotated;
    const char *headings[2];
    recon_rose roses[4] = { { 0 } }; /* before, then after */
    double *poses = NULL;
    recon_pictures s = { 0 };
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
    RECON_TRY(
        keep(ctx, a, "pair",
             recon_figure_roses(ctx, &a->svg,
                                &(recon_roses){ .title = "Natural poses, and the poses about them",
                                                .roses = roses,
                                                .rows = 2,
                                                .columns = 2,
                                                .headings = headings,
                                                .names = names,
                                                .pictures = s.picture,
                                                .picture_rows = PAIR_IMAGES })));
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

static recon_status draw_sheet(recon_ctx *ctx, album *a)
{
    const neighborhood *h = &a->r->hood;
    const char *const *names = a->r->on->name;
    size_t rows[SHEET], count = choose_rows(rows, h);
    static const char *const headings[1 + K] = { "input", "nearest" };
    uint8_t marks[SHEET * (K + 1)];
    recon_pictures s = { 0 };
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
    RECON_TRY(
        keep(ctx, a, "neighbors",
             recon_figure_gallery(
                 ctx, &a->svg,
                 &(recon_gallery){ .title = "Rows with the lowest hit rate, and their neighbours",
                                   .pictures = s.picture,
                                   .rows = count,
                                   .columns = K + 1,
                                   .headings = headings,
                                   .cell = 52,
                                   .marks = marks })));
done:
    recon_pictures_free(&s);
    return status;
}

recon_status reproduce_figures(recon_ctx *ctx, json_t *list, const reproduction *r, const char *dir)
{
    static const char *const headings[COLUMNS] = { "input", "IE-AE decoded", "IE-AE", "RECON",
                                                   "upright" };
    static const char *const names[SCORES] = { "not centred", "|g_abs|", "-log p(g_abs)" };
    recon_panel panels[PANELS] = {
        { .heading = "Hit rate", .x_label = "k", .log_x = 1 },
        { .heading = "Error of theta, degrees", .x_label = "k", .log_x = 1 },
    };
    album a = { .dir = dir, .set = r->on->what->name, .list = list, .r = r };
    char text[80], images[40];
    const lab_row by_k[] = { { "hit_rate", images, 0 }, { "theta_mae_deg", images, 0 } };
    snprintf(images, sizeof images, "%zu training images", r->hood.index->n);
    snprintf(text, sizeof text, "Unusual poses distinguished, backbone %s",
             recon_trained_name(r->trained));
    RECON_CHECK(keep(ctx, &a, "canonical",
                     reproduce_gallery(ctx, &a.svg, r, "Input and canonical images", headings)));
    RECON_CHECK(draw_sgm(ctx, &a));
    RECON_CHECK(draw_poses(ctx, &a));
    RECON_CHECK(draw_theta(ctx, &a));
    RECON_CHECK(keep(ctx, &a, "roc", reproduce_roc(ctx, &a.svg, r, text, names)));
    if (r->on->what->pair[0] != r->on->what->pair[1])
        RECON_CHECK(draw_pair(ctx, &a));
    RECON_CHECK(draw_by_k(ctx, &a, r->out, "Against the number of neighbours", panels, by_k, 2));
    RECON_CHECK(draw_hits(ctx, &a, "Share of the neighbours that have the input's label",
                          r->hood.hits, r->hood.index->n, K, r->hit_rate));
    RECON_CHECK(draw_sheet(ctx, &a));
    return keep(
        ctx, &a, "confusion",
        recon_figure_confusion(
            ctx, &a.svg,
            &(recon_confusion){ .title = "Neighbours of the images with the lowest hit rate",
                                .rows = "class of the image",
                                .columns = "class of the neighbour",
                                .diagonal = "alike",
                                .counts = r->confusion,
                                .names = r->on->name,
                                .classes = r->on->classes }));
}

/* --- molecules ---------------------------------------------------------------------------------- */

enum { EXAMPLES = 3, SHOWN = 4 };

typedef struct {
    double mse;
    size_t molecule;
} ranked;

static int by_mse(const void *a, const void *b)
{
    double x = ((const ranked *)a)->mse, y = ((const ranked *)b)->mse;
    return (x > y) - (x < y);
}

/* The molecules at the 5th, 50th and 95th percentile of the error. */
static recon_status choose(recon_ctx *ctx, size_t out[EXAMPLES], album *a)
{
    ranked *all = NULL;
    size_t n = 0;
    RECON_CHECK(recon_alloc(ctx, &all, a->m->molecules, sizeof *all));
    for (size_t m = 0; m < a->m->molecules; m++)
        if (!isnan(a->m->fact[FACT_MSE][m]))
            all[n++] = (ranked){ a->m->fact[FACT_MSE][m], m };
    qsort(all, n, sizeof *all, by_mse);
    for (size_t k = 0; k < EXAMPLES; k++)
        out[k] = all[(size_t)((0.05 + 0.45 * (double)k) * (double)(n - 1))].molecule;
    free(all);
    return RECON_OK;
}

/* The first test conformers of a molecule; returns how many there are, SHOWN at most. */
static size_t find_conformers(size_t out[SHOWN], const molecule_part *p, size_t molecule)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n && n < SHOWN; i++)
        if ((size_t)p->codes.labels[i] == molecule)
            out[n++] = i;
    return n;
}

static recon_status draw_spheres(recon_ctx *ctx, album *a, const size_t chosen[EXAMPLES])
{
    static const char *const headings[] = { "truth", "predicted", "predicted", "predicted",
                                            "predicted" };
    const molecule_reproduction *r = a->m;
    recon_sphere spheres[EXAMPLES * (1 + SHOWN)] = { 0 };
    char captions[EXAMPLES][48];
    const char *names[EXAMPLES];
    for (size_t k = 0; k < EXAMPLES; k++) {
        size_t rows[SHOWN], n = find_conformers(rows, &r->test, chosen[k]);
        recon_sphere *row = spheres + k * (1 + SHOWN);
        snprintf(captions[k], sizeof captions[k], "MSE %.0f", a->m->fact[FACT_MSE][chosen[k]]);
        names[k] = recon_molecules_name(r->test.data, chosen[k]);
        row[0] = (recon_sphere){ captions[k], r->truth + 9 * chosen[k] };
        for (size_t i = 0; i < n; i++)
            row[1 + i] = (recon_sphere){ NULL, r->f[MOLECULE_F_DENSITY] + 9 * rows[i] };
    }
    return keep(
        ctx, a, "distributions",
        recon_figure_spheres(
            ctx, &a->svg,
            &(recon_sphere_sheet){ .title = "Distributions of poses: low, average and high error",
                                   .spheres = spheres,
                                   .rows = EXAMPLES,
                                   .columns = 1 + SHOWN,
                                   .headings = headings,
                                   .names = names }));
}

/* --- molecules before and after ----------------------------------------------------------------
 */

static void rotate_into(float *out, const recon_conformer *x, recon_so3 rotation)
{
    double m[9];
    recon_so3_to_matrix(m, rotation);
    for (size_t a = 0; a < x->atoms; a++)
        for (size_t i = 0; i < 3; i++)
            out[3 * a + i] = (float)(m[3 * i] * (double)x->xyz[3 * a] +
                                     m[3 * i + 1] * (double)x->xyz[3 * a + 1] +
                                     m[3 * i + 2] * (double)x->xyz[3 * a + 2]);
}

/* A row of inputs and below it their canonical forms: they agree up to the spin of their class,
 * which is one for all. */
static recon_status draw_molecules(recon_ctx *ctx, album *a, size_t molecule)
{
    const molecule_reproduction *r = a->m;
    size_t rows[SHOWN], n = find_conformers(rows, &r->test, molecule);
    size_t atoms = recon_molecules_describe(r->test.data).atoms;
    const char *names[] = { "input", "canonical" };
    recon_molecule_picture pictures[2 * SHOWN] = { 0 };
    float *places = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &places, SHOWN * 3 * atoms, sizeof *places));
    for (size_t i = 0; i < n; i++) {
        const recon_conformer *x = &r->test.x[rows[i]];
        recon_so3 to = recon_so3_compose(
            r->map[rows[i]].lambda, recon_so3_inverse(recon_so3_at(r->test.codes.poses, rows[i])));
        rotate_into(places + i * 3 * atoms, x, to);
        pictures[i] = (recon_molecule_picture){ NULL, x->atoms, x->z, x->xyz, NULL };
        pictures[n + i] =
            (recon_molecule_picture){ NULL, x->atoms, x->z, places + i * 3 * atoms, NULL };
    }
    RECON_TRY(keep(ctx, a, "canonical",
                   recon_figure_molecules(ctx, &a->svg,
                                          &(recon_molecule_sheet){
                                              .title = recon_molecules_name(r->test.data, molecule),
                                              .molecules = pictures,
                                              .rows = 2,
                                              .columns = n,
                                              .names = names })));
done:
    free(places);
    return status;
}

/* Input, decoded canonical and reconstruction, a molecule in each row: the decoder has one slot for each
 * atom, in their order. */
static recon_status draw_decoded(recon_ctx *ctx, album *a, const size_t chosen[EXAMPLES])
{
    static const char *const headings[] = { "input", "decoded", "reconstruction" };
    enum { COLUMNS_SHOWN = sizeof headings / sizeof *headings };
    const molecule_reproduction *r = a->m;
    const recon_molecule_net *net = recon_backbone_molecule_net(r->model->backbone);
    recon_molecule_net_shape shape = recon_molecule_net_describe(net);
    size_t slots = shape.slots;
    recon_molecule_picture pictures[EXAMPLES * COLUMNS_SHOWN] = { 0 };
    const char *names[EXAMPLES];
    float *room = NULL, *latent = NULL, shift[3];
    recon_so3 psi;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &room, EXAMPLES * 2 * 3 * slots, sizeof *room));
    RECON_TRY(recon_alloc_raw(ctx, &latent, shape.latent, sizeof *latent));
    for (size_t k = 0; k < EXAMPLES; k++) {
        size_t row[SHOWN];
        float *decoded = room + k * 6 * slots, *rebuilt = decoded + 3 * slots;
        recon_molecule_picture *to = pictures + k * COLUMNS_SHOWN;
        names[k] = recon_molecules_name(r->test.data, chosen[k]);
        if (find_conformers(row, &r->test, chosen[k]) == 0)
            continue;
        const recon_conformer *x = &r->test.x[row[0]];
        recon_molecule_net_answer seen = { .latent = latent, .psi = &psi, .shift = shift };
        RECON_TRY(recon_molecule_net_embed(ctx, &seen, net, x, 1));
        RECON_TRY(recon_molecule_net_decode(ctx, decoded, NULL, net, latent, 1));
        recon_conformer canonical = { .atoms = x->atoms < slots ? x->atoms : slots,
                                      .z = x->z,
                                      .xyz = decoded };
        rotate_into(rebuilt, &canonical, psi);
        to[0] = (recon_molecule_picture){ NULL, x->atoms, x->z, x->xyz, NULL };
        to[1] = (recon_molecule_picture){ NULL, canonical.atoms, x->z, decoded, NULL };
        to[2] = (recon_molecule_picture){ NULL, canonical.atoms, x->z, rebuilt, NULL };
    }
    RECON_TRY(keep(ctx, a, "decoded",
                   recon_figure_molecules(
                       ctx, &a->svg,
                       &(recon_molecule_sheet){ .title = "Decoded canonicals and reconstructions",
                                                .molecules = pictures,
                                                .rows = EXAMPLES,
                                                .columns = COLUMNS_SHOWN,
                                                .headings = headings,
                                                .names = names })));
done:
    recon_free_all(latent, room);
    return status;
}

/* --- curves ------------------------------------------------------------------------------------
 */

static recon_status draw_histogram(recon_ctx *ctx, album *a)
{
    const molecule_reproduction *r = a->m;
    const recon_mark marks[] = {
        { "median", lab_number(r->out, "fisher_mse.median") },
        { "the best constant answer", lab_number(r->out, "fisher_mse.constant") },
        { "the paper's bound of 80 %", 800 },
    };
    double *values = NULL;
    size_t n = 0;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &values, r->molecules, sizeof *values));
    for (size_t m = 0; m < r->molecules; m++)
        if (!isnan(a->m->fact[FACT_MSE][m]))
            values[n++] = a->m->fact[FACT_MSE][m];
    RECON_TRY(keep(
        ctx, a, "mse",
        recon_figure_histogram(ctx, &a->svg,
                               &(recon_histogram_plot){ .title = "Squared error of F, by molecule",
                                                        .x_label = "mean squared error",
                                                        .values = values,
                                                        .count = n,
                                                        .from = 0,
                                                        .to = 1200,
                                                        .bins = 60,
                                                        .marks = marks,
                                                        .mark_count = 3 })));
done:
    free(values);
    return status;
}

/* How far the predictions for one molecule differ among its conformers. */
static recon_status draw_spread(recon_ctx *ctx, album *a)
{
    const molecule_reproduction *r = a->m;
    double *x = NULL, *y = NULL;
    size_t n = 0;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &x, r->molecules, sizeof *x));
    RECON_TRY(recon_alloc_raw(ctx, &y, r->molecules, sizeof *y));
    for (size_t m = 0; m < r->molecules; m++)
        if (r->of[m].n) {
            x[n] = r->of[m].mse;
            y[n++] = r->of[m].spread;
        }
    const recon_series series = { .x = x, .y = y, .count = n, .loose = 1 };
    const recon_panel panel = { .x_label = "mean MSE of F",
                                .y_label = "its standard deviation",
                                .series = &series,
                                .count = 1 };
    RECON_TRY(keep(
        ctx, a, "spread",
        recon_figure_chart(ctx, &a->svg,
                           &(recon_chart){ .title = "Error over the conformers of each molecule",
                                           .panels = &panel,
                                           .count = 1 })));
done:
    recon_free_all(y, x);
    return status;
}

/* Pairs without NaN, in place. */
static size_t pair_up(double *x, double *y, const double *a, const double *b, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(a[i]) && !isnan(b[i])) {
            x[kept] = a[i];
            y[kept++] = b[i];
        }
    return kept;
}

static recon_status draw_scatter(recon_ctx *ctx, album *a)
{
    static const molecule_fact x[] = { FACT_CONFORMERS, FACT_ATOMS, FACT_RMSD, FACT_REBUILT };
    static const molecule_fact y[] = { FACT_HITS, FACT_MSE, FACT_MSE, FACT_MSE };
    static const char *const labels[][2] = {
        { "conformers to learn from", "hit rate" },
        { "atoms", "MSE of F" },
        { "RMSD to the reference, Angstrom", "MSE of F" },
        { "reconstruction error, Angstrom", "MSE of F" },
    };
    size_t n = a->m->molecules, shown = 0;
    double *room = NULL;
    recon_series series[4];
    recon_panel panels[4];
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &room, 8 * n, sizeof *room));
    for (size_t k = 0; k < 4; k++) {
        double *at = room + 2 * k * n;
        size_t count = pair_up(at, at + n, a->m->fact[x[k]], a->m->fact[y[k]], n);
        if (count == 0)
            continue; /* a set without RMSD */
        series[shown] = (recon_series){ .x = at, .y = at + n, .count = count, .loose = 1 };
        panels[shown] = (recon_panel){
            .x_label = labels[k][0], .y_label = labels[k][1], .series = &series[shown], .count = 1
        };
        shown++;
    }
    RECON_TRY(
        keep(ctx, a, "trends",
             recon_figure_chart(ctx, &a->svg,
                                &(recon_chart){ .title = "What the errors go with, by molecule",
                                                .panels = panels,
                                                .count = shown })));
done:
    free(room);
    return status;
}

recon_status molecule_reproduce_figures(recon_ctx *ctx, json_t *list,
                                        const molecule_reproduction *r, const char *dir)
{
    /* heads that learned other labels: the tables have no centred trace */
    const char *const names[SCORES] = { "not centred", r->labels ? "centred trace" : NULL,
                                        "our density" };
    static const lab_row by_k[PANELS] = { { "hit_rate", NULL, 0 },
                                          { "fisher_mse_median", NULL, 0 },
                                          { "fisher_mse_worst", NULL, 0 },
                                          { "axis_median_deg", NULL, 0 } };
    recon_panel panels[PANELS] = {
        { .x_label = "neighbours", .y_label = "hit rate" },
        { .x_label = "neighbours", .y_label = "median MSE of F" },
        { .x_label = "neighbours", .y_label = "MSE of F, worst molecule" },
        { .x_label = "neighbours", .y_label = "axis error, degrees" },
    };
    album a = { .dir = dir, .set = "molecules", .list = list, .m = r };
    size_t chosen[EXAMPLES];
    RECON_CHECK(choose(ctx, chosen, &a));
    RECON_CHECK(draw_spheres(ctx, &a, chosen));
    RECON_CHECK(draw_molecules(ctx, &a, chosen[0]));
    RECON_CHECK(draw_decoded(ctx, &a, chosen));
    RECON_CHECK(draw_histogram(ctx, &a));
    RECON_CHECK(draw_hits(ctx, &a, "Share of the neighbours that are of the same molecule", r->hits,
                          r->test.n, MOLECULE_K, r->frames.hit_rate));
    RECON_CHECK(draw_spread(ctx, &a));
    RECON_CHECK(
        keep(ctx, &a, "roc",
             draw_curves(ctx, &a.svg, "Unusual poses", names, r->score, r->unusual, r->test.n)));
    RECON_CHECK(draw_scatter(ctx, &a));
    return draw_by_k(ctx, &a, r->out, "Algorithm 1 against k", panels, by_k, PANELS);
}
